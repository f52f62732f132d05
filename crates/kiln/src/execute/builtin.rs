//! Runs on the builtin runtime.

use super::scalar_tensor;
use super::xnnpack_backend::XnnpackBackend;
use crate::tensors::{Role, Runs};
use anyhow::{Context, Result};
use kiln_eval::Tensor;
use kiln_ir::{Scalar, TensorData};
use kiln_pte::Program;
use kiln_pte::runtime::{Item, Options, Runtime};

/// What undefined memory holds when poisoned: NaN as a float, large as an integer.
const POISON: u8 = 0xff;

/// The outputs, and inputs as left, of every run.
///
/// # Errors
/// If the program uses what the builtin runtime does not have, or fails.
pub fn run_builtin(
    program: &Program,
    method: &str,
    inputs: &Runs,
    runs: usize,
    poison: bool,
) -> Result<Runs> {
    let options = Options {
        poison: poison.then_some(POISON),
    };
    let mut runtime = Runtime::load(program, method, &[&XnnpackBackend], &options)?;
    let mut results = Runs::default();
    for run in 0..runs {
        let tensors: Vec<Option<Tensor>> = (0..runtime.inputs())
            .map(|i| {
                inputs
                    .get(run, Role::Input, i)
                    .map(|data| Tensor::from(data.clone()))
            })
            .collect();
        let outputs = runtime
            .execute(&tensors)
            .with_context(|| format!("run {run}"))?;
        for (position, item) in outputs.into_iter().enumerate() {
            if let Some(data) = tensor_of(item) {
                results.insert(run, Role::Output, position, data);
            }
        }
        for position in 0..runtime.inputs() {
            if let Some(tensor) = runtime.input_after(position)? {
                results.insert(run, Role::InputAfter, position, TensorData::from(tensor));
            }
        }
    }
    Ok(results)
}

fn tensor_of(item: Item) -> Option<TensorData> {
    match item {
        Item::Tensor(tensor) => Some(TensorData::from(tensor)),
        Item::Int(v) => Some(scalar_tensor(Scalar::Int(v))),
        Item::Double(v) => Some(scalar_tensor(Scalar::Float(v))),
        Item::Bool(v) => Some(scalar_tensor(Scalar::Bool(v))),
        Item::Other => None,
    }
}
