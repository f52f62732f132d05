//! Runs of a TOSA file: on the evaluator of the specification's arithmetic, or on the reference model.

use crate::dialect::{Tensor as Declared, TosaGraph};
use crate::evaluate::{Limits, State, dtype_of, evaluate_with};
use crate::reference::{self, Verdict};
use kiln_eval::Tensor;
use kiln_ir::TensorData;
use kiln_target::{About, Error, Explain, Role, Runs, Session, as_integers, output_index};
use std::path::PathBuf;

/// What executes files.
enum Machine {
    /// The evaluator, with the variables' contents.
    Evaluator(State),
    /// The reference model's program, which knows no variables.
    Reference(PathBuf),
}

/// A loaded file; variables carry over. Integers are taken and given in the file's dtypes, whatever those of the model were,
/// if they hold the numbers.
pub(super) struct Loaded<'g> {
    graph: &'g TosaGraph,
    /// Where each output stands among the model's.
    positions: Vec<usize>,
    machine: Machine,
}

impl Loaded<'_> {
    /// On the evaluator, with the variables' first contents.
    pub(super) fn evaluated(graph: &TosaGraph) -> Loaded<'_> {
        Loaded {
            graph,
            positions: output_positions(graph),
            machine: Machine::Evaluator(State::default()),
        }
    }

    /// On the reference model.
    pub(super) fn on_reference(graph: &TosaGraph, program: PathBuf) -> Loaded<'_> {
        Loaded {
            machine: Machine::Reference(program),
            ..Loaded::evaluated(graph)
        }
    }
}

impl Session for Loaded<'_> {
    fn about(&self) -> About {
        let (name, text) = match self.machine {
            Machine::Evaluator(_) => ("TOSA evaluator", "the TOSA evaluator"),
            Machine::Reference(_) => ("TOSA reference model", "TOSA's reference model"),
        };
        About {
            name,
            text,
            gives_all_inputs: false,
            gives_numbers: false,
            keeps_dtypes: false,
        }
    }

    fn run_one(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<(), Error> {
        let tensors = tensor_inputs(self.graph, inputs, run)?;
        let outputs = match &mut self.machine {
            Machine::Evaluator(state) => {
                let made = evaluate_with(self.graph, &tensors, state, Limits::default());
                made.explain(|| format!("run {run}"))?
            }
            Machine::Reference(program) => {
                let folder = tempfile::tempdir().map_err(Error::of)?;
                let verdict = reference::run(program, self.graph, &tensors, folder.path());
                match verdict.map_err(Error::of)? {
                    Verdict::Valid(outputs) => outputs,
                    other => {
                        let message = format!("run {run}: the reference model says {other:?}");
                        return Err(Error::new(message));
                    }
                }
            }
        };
        for (&position, output) in self.positions.iter().zip(outputs) {
            results.insert(run, Role::Output, position, TensorData::from(output));
        }
        Ok(())
    }
}

/// As the outputs' names tell if all do; else in order.
pub(super) fn output_positions(graph: &TosaGraph) -> Vec<usize> {
    let main = graph.main();
    let named = main
        .outputs
        .iter()
        .map(|&id| output_index(&main.tensor(id)?.name));
    match named.collect::<Option<Vec<usize>>>() {
        Some(named) if named.windows(2).all(|w| w[0] < w[1]) => named,
        _ => (0..main.outputs.len()).collect(),
    }
}

/// The tensors that `main` is given, in order.
pub(super) fn tosa_inputs(graph: &TosaGraph) -> impl Iterator<Item = &Declared> {
    let main = graph.main();
    main.inputs.iter().filter_map(|&id| main.tensor(id))
}

fn tensor_inputs(graph: &TosaGraph, inputs: &Runs, run: usize) -> Result<Vec<Tensor>, Error> {
    let declared: Vec<&Declared> = tosa_inputs(graph).collect();
    let given: Vec<(usize, &TensorData)> = inputs
        .positions(run, Role::Input)
        .filter_map(|i| Some((i, inputs.get(run, Role::Input, i)?)))
        .collect();
    let chosen = matched(&declared, &given)
        .explain(|| format!("run {run}: the file takes {}", list(&declared)))?;
    let mut tensors = Vec::new();
    for (declared, data) in declared.into_iter().zip(chosen) {
        let missing = || Error::new(format!("input {declared} is not evaluated"));
        let dtype = dtype_of(declared.dtype).ok_or_else(missing)?;
        tensors.push(Tensor::from(as_integers(data, dtype)));
    }
    Ok(tensors)
}

/// The inputs in order. A file has tensors only: the numbers that the export froze, tensors of no axes, are passed over.
fn matched<'d>(
    declared: &[&Declared],
    given: &[(usize, &'d TensorData)],
) -> Result<Vec<&'d TensorData>, Error> {
    let has_numbers = given.len() > declared.len() && declared.iter().all(|d| !d.shape.is_empty());
    let is_tensor = |data: &TensorData| !(has_numbers && data.sizes().is_empty());
    let tensors: Vec<&TensorData> = given
        .iter()
        .map(|(_, data)| *data)
        .filter(|data| is_tensor(data))
        .collect();
    if tensors.len() != declared.len() {
        let positions: Vec<String> = given.iter().map(|(i, _)| i.to_string()).collect();
        return Err(Error::new(format!(
            "found {} of inputs [{}]; give the tensors alone, without numbers that the export froze",
            tensors.len(),
            positions.join(", ")
        )));
    }
    Ok(tensors)
}

fn list(declared: &[&Declared]) -> String {
    let texts: Vec<String> = declared.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::dialect::{Builder, TosaDtype, TosaOp};
    use kiln_ir::DType;
    use kiln_target::Executor;

    #[test]
    fn integers_come_in_the_models_dtype() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::I32, &[2]);
        let y = b.op(TosaOp::Add, &[x, x]).unwrap();
        let graph = b.finish(&[y]);
        let mut inputs = Runs::default();
        let x = TensorData::from(Tensor::new([2], vec![3i64, -4]));
        inputs.insert(0, Role::Input, 1, x);
        let made = Loaded::evaluated(&graph).run(&inputs, 1, None).unwrap();
        let found = made.results.get(0, Role::Output, 0).unwrap();
        let wide = as_integers(found, DType::I64);
        assert_eq!(Tensor::from(wide), Tensor::new([2], vec![6i64, -8]));
    }
}
