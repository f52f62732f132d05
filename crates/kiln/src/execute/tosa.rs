//! Runs of a TOSA file on the evaluator of the specification's arithmetic.

use super::{Executor, run_all};
use crate::tensors::{Role, Runs};
use anyhow::{Context, Result, bail};
use kiln_eval::Tensor;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_tosa::border::output_index;
use kiln_tosa::dialect::{Tensor as Declared, TosaGraph};
use kiln_tosa::evaluate::{Limits, State, dtype_of, evaluate_with};

/// A TOSA file on its evaluator; variables carry over. Integers are taken and given in the file's dtypes, whatever those of
/// the model were, if they hold the numbers.
pub struct TosaEvaluator<'g> {
    graph: &'g TosaGraph,
    /// Where each output stands among the model's.
    positions: Vec<usize>,
    state: State,
}

impl TosaEvaluator<'_> {
    /// With the variables' first contents.
    pub fn new(graph: &TosaGraph) -> TosaEvaluator<'_> {
        TosaEvaluator {
            graph,
            positions: output_positions(graph),
            state: State::default(),
        }
    }
}

impl Executor for TosaEvaluator<'_> {
    fn execute(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<()> {
        let tensors = tensor_inputs(self.graph, inputs, run)?;
        let outputs = evaluate_with(self.graph, &tensors, &mut self.state, Limits::default())
            .with_context(|| format!("run {run}"))?;
        for (&position, output) in self.positions.iter().zip(outputs) {
            results.insert(run, Role::Output, position, TensorData::from(output));
        }
        Ok(())
    }
}

/// The outputs of every run.
///
/// # Errors
/// If an input is missing or does not fit, or the specification leaves a result open.
pub fn run_tosa(graph: &TosaGraph, inputs: &Runs, runs: usize) -> Result<Runs> {
    run_all(&mut TosaEvaluator::new(graph), inputs, runs)
}

/// As the outputs' names tell if all do; else in order.
fn output_positions(graph: &TosaGraph) -> Vec<usize> {
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
pub fn tosa_inputs(graph: &TosaGraph) -> impl Iterator<Item = &Declared> {
    let main = graph.main();
    main.inputs.iter().filter_map(|&id| main.tensor(id))
}

fn tensor_inputs(graph: &TosaGraph, inputs: &Runs, run: usize) -> Result<Vec<Tensor>> {
    let declared: Vec<&Declared> = tosa_inputs(graph).collect();
    let given: Vec<(usize, &TensorData)> = inputs
        .positions(run, Role::Input)
        .filter_map(|i| Some((i, inputs.get(run, Role::Input, i)?)))
        .collect();
    let chosen = matched(&declared, &given)
        .with_context(|| format!("run {run}: the file takes {}", list(&declared)))?;
    let mut tensors = Vec::new();
    for (declared, data) in declared.into_iter().zip(chosen) {
        let dtype = dtype_of(declared.dtype)
            .with_context(|| format!("input {declared} is not evaluated"))?;
        tensors.push(Tensor::from(as_integers(data, dtype)));
    }
    Ok(tensors)
}

/// The inputs in order. A file has tensors only: the numbers that the export froze, tensors of no axes, are passed over.
fn matched<'d>(
    declared: &[&Declared],
    given: &[(usize, &'d TensorData)],
) -> Result<Vec<&'d TensorData>> {
    let has_numbers = given.len() > declared.len() && declared.iter().all(|d| !d.shape.is_empty());
    let is_tensor = |data: &TensorData| !(has_numbers && data.sizes().is_empty());
    let tensors: Vec<&TensorData> = given
        .iter()
        .map(|(_, data)| *data)
        .filter(|data| is_tensor(data))
        .collect();
    if tensors.len() != declared.len() {
        let positions: Vec<String> = given.iter().map(|(i, _)| i.to_string()).collect();
        bail!(
            "found {} of inputs [{}]; give the tensors alone, without numbers that the export froze",
            tensors.len(),
            positions.join(", ")
        );
    }
    Ok(tensors)
}

fn list(declared: &[&Declared]) -> String {
    let texts: Vec<String> = declared.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

/// Integers in another integer type if it holds them all, bytes with and without a sign as the same bits; anything else
/// as it is.
pub fn as_integers(data: &TensorData, dtype: DType) -> TensorData {
    let pair = [data.dtype(), dtype];
    if matches!(pair, [DType::U8, DType::I8] | [DType::I8, DType::U8]) {
        let bytes = data.content().clone();
        return TensorData::of_content(dtype, data.sizes().to_vec(), bytes)
            .unwrap_or_else(|_| data.clone());
    }
    let Some((low, high)) = dtype.int_range() else {
        return data.clone();
    };
    let numbers: Option<Vec<i64>> = data
        .scalars()
        .map(|scalar| match scalar {
            Scalar::Int(i) if low <= i && i <= high => Some(i),
            _ => None,
        })
        .collect();
    let Some(numbers) = numbers.filter(|_| data.dtype() != dtype) else {
        return data.clone();
    };
    let bytes = numbers
        .iter()
        .flat_map(|i| i.to_le_bytes().into_iter().take(dtype.size()));
    let bytes: Vec<u8> = bytes.collect();
    TensorData::new(dtype, data.sizes().to_vec(), bytes.into()).unwrap_or_else(|_| data.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_tosa::dialect::{Builder, TosaDtype, TosaOp};

    #[test]
    fn integers_come_in_the_models_dtype() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::I32, &[2]);
        let y = b.op(TosaOp::Add, &[x, x]).unwrap();
        let graph = b.finish(&[y]);
        let mut inputs = Runs::default();
        let x = TensorData::from(Tensor::new([2], vec![3i64, -4]));
        inputs.insert(0, Role::Input, 1, x);
        let results = run_tosa(&graph, &inputs, 1).unwrap();
        let found = results.get(0, Role::Output, 0).unwrap();
        let wide = as_integers(found, DType::I64);
        assert_eq!(Tensor::from(wide), Tensor::new([2], vec![6i64, -8]));
    }

    #[test]
    fn bytes_come_as_their_bits() {
        let x = TensorData::from(Tensor::new([2], vec![200u8, 3]));
        let signed = as_integers(&x, DType::I8);
        assert_eq!(
            Tensor::from(signed.clone()),
            Tensor::new([2], vec![-56i8, 3])
        );
        assert_eq!(as_integers(&signed, DType::U8).bytes(), x.bytes());
    }

    #[test]
    fn what_does_not_fit_stays_as_it_is() {
        let x = TensorData::from(Tensor::new([1], vec![1i64 << 40]));
        assert_eq!(as_integers(&x, DType::I32).dtype(), DType::I64);
    }
}
