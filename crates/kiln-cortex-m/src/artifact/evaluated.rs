//! A project that runs on the evaluator.

use super::manifest::crossing_dtype;
use crate::evaluate::{Data, Runs as Evaluation};
use crate::project::Project;
use kiln_ir::TensorData;
use kiln_target::{About, Error, Explain, Role, Runs, Session};

/// A program with its state.
pub(super) struct Evaluated<'p> {
    project: &'p Project,
    evaluation: Evaluation<'p>,
}

impl Evaluated<'_> {
    pub fn new(project: &Project) -> Evaluated<'_> {
        let evaluation = Evaluation::new(&project.verified());
        Evaluated {
            project,
            evaluation,
        }
    }
}

impl Session for Evaluated<'_> {
    fn about(&self) -> About {
        About {
            name: "evaluator",
            text: "the evaluator of CMSIS-NN's arithmetic",
            gives_all_inputs: false,
            gives_numbers: false,
            keeps_dtypes: true,
        }
    }

    fn run_one(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<(), Error> {
        let ports = self
            .project
            .inputs()
            .map(|(port, id)| (port, crossing_dtype(self.project, port, id)));
        let ports: Vec<_> = ports
            .map(|(port, dtype)| (port.index, port.name.as_str(), dtype))
            .collect();
        let tensors = chosen(&ports, inputs, run)?;
        let data = tensors
            .iter()
            .zip(self.project.inputs())
            .map(|(tensor, (_, id))| {
                let buffer = &self.project.program().buffers[id.index()];
                match tensor.bytes().len() == buffer.bytes() {
                    true => Ok(Data::of_bytes(
                        buffer.dtype,
                        buffer.elements,
                        tensor.bytes(),
                    )),
                    false => Err(Error::new(format!(
                        "run {run}: {} has other sizes",
                        buffer.name
                    ))),
                }
            });
        let data = data.collect::<Result<Vec<_>, _>>()?;
        let outputs = self
            .evaluation
            .run(&data)
            .explain(|| format!("run {run}"))?;
        for ((port, id), output) in self.project.outputs().zip(outputs) {
            let dtype = crossing_dtype(self.project, port, id);
            let tensor = TensorData::new(dtype, port.memory_shape(), output.bytes().into());
            results.insert(run, Role::Output, port.index, tensor.map_err(Error::of)?);
        }
        for (port, id) in self.project.updated() {
            let dtype = crossing_dtype(self.project, port, id);
            let bytes = self.evaluation.buffer(id).bytes().into();
            let tensor = TensorData::new(dtype, port.memory_shape(), bytes);
            results.insert(
                run,
                Role::InputAfter,
                port.index,
                tensor.map_err(Error::of)?,
            );
        }
        Ok(())
    }
}

/// Chooses the tensors of a run for inputs of these positions, names and types. If there are as many tensors as inputs, they are
/// taken in order, since callers may have left out arguments that are no tensors.
pub(super) fn chosen<'r>(
    ports: &[(usize, &str, kiln_ir::DType)],
    inputs: &'r Runs,
    run: usize,
) -> Result<Vec<&'r TensorData>, Error> {
    let positions: Vec<usize> = inputs.positions(run, Role::Input).collect();
    let in_order = positions.len() == ports.len();
    let tensors = ports.iter().enumerate().map(|(i, &(index, name, dtype))| {
        let position = if in_order { positions[i] } else { index };
        let found = inputs.get(run, Role::Input, position);
        let tensor =
            found.ok_or_else(|| Error::new(format!("run {run} has no tensor for input {name}")))?;
        match tensor.dtype() == dtype {
            true => Ok(tensor),
            false => {
                let (found, expected) = (tensor.dtype().name(), dtype.name());
                Err(Error::new(format!(
                    "run {run}: input {name} is {found}, and the project takes {expected}"
                )))
            }
        }
    });
    tensors.collect()
}
