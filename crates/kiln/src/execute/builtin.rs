//! Runs on the builtin runtime.

use super::ethos_u_backend::EthosUBackend;
use super::xnnpack_backend::XnnpackBackend;
use super::{Executor, Expected, check_frozen, run_all, scalar_tensor};
use crate::tensors::{Role, Runs};
use anyhow::{Context, Result};
use kiln_eval::Tensor;
use kiln_ir::{Scalar, TensorData};
use kiln_pte::Program;
use kiln_pte::runtime::{Item, Options, Runtime};

/// What undefined memory holds when poisoned: NaN as a float, large as an integer.
const POISON: u8 = 0xff;

/// A method on the builtin runtime.
pub struct Builtin<'p> {
    runtime: Runtime<'p>,
    expected: Vec<Expected>,
}

impl Builtin<'_> {
    /// Loads a method.
    ///
    /// # Errors
    /// If the program uses what the builtin runtime does not have.
    pub fn load<'p>(program: &'p Program, method: &str, poison: bool) -> Result<Builtin<'p>> {
        let options = Options {
            poison: poison.then_some(POISON),
        };
        let runtime = Runtime::load(
            program,
            method,
            &[&XnnpackBackend, &EthosUBackend],
            &options,
        )?;
        let values = program.method(method).into_iter();
        let values = values.flat_map(|m| m.input_values());
        Ok(Builtin {
            runtime,
            expected: values.map(Expected::from).collect(),
        })
    }
}

impl Executor for Builtin<'_> {
    fn execute(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<()> {
        check_frozen(&self.expected, inputs, run)?;
        let tensors: Vec<Option<Tensor>> = (0..self.runtime.inputs())
            .map(|i| {
                inputs
                    .get(run, Role::Input, i)
                    .map(|data| Tensor::from(data.clone()))
            })
            .collect();
        let outputs = self
            .runtime
            .execute(&tensors)
            .with_context(|| format!("run {run}"))?;
        for (position, item) in outputs.into_iter().enumerate() {
            if let Some(data) = tensor_of(item) {
                results.insert(run, Role::Output, position, data);
            }
        }
        for position in 0..self.runtime.inputs() {
            if let Some(tensor) = self.runtime.input_after(position)? {
                results.insert(run, Role::InputAfter, position, TensorData::from(tensor));
            }
        }
        Ok(())
    }
}

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
    run_all(&mut Builtin::load(program, method, poison)?, inputs, runs)
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
