//! Runs of a model on an executor: the evaluator, the builtin runtime, the stock runtime; a TOSA file on its evaluator.
//!
//! Each takes all runs at once, in order, on one loaded model, so that state carries over.

mod builtin;
mod ethos_u_backend;
mod evaluator;
mod frozen;
mod stock;
mod tosa;
mod tosa_model;
mod xnnpack_backend;

pub use builtin::{Builtin, run_builtin};
pub use evaluator::{Evaluator, run_graph};
pub use frozen::{Expected, check_frozen};
pub use stock::{RUNNER, StockOptions, StockReport, run_stock};
pub use tosa::{TosaEvaluator, as_integers, run_tosa, tosa_inputs};
pub use tosa_model::{TosaModel, TosaRunner, run_tosa_model};

use crate::progress;
use crate::tensors::Runs;
use anyhow::Result;
use kiln_ir::{DType, Scalar, TensorData};
use std::time::{Duration, Instant};

/// A loaded model; state carries over from run to run.
pub trait Executor {
    /// Executes one run of the inputs; adds its outputs, and inputs as left.
    ///
    /// # Errors
    /// If an input is missing or does not fit, or execution fails.
    fn execute(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<()>;
}

/// The outputs, and inputs as left, of every run.
///
/// # Errors
/// As [`Executor::execute`].
pub fn run_all(executor: &mut dyn Executor, inputs: &Runs, runs: usize) -> Result<Runs> {
    let mut results = Runs::default();
    for run in 0..runs {
        let _stage = progress::stage(format!("run {} of {runs}", run + 1));
        executor.execute(inputs, run, &mut results)?;
    }
    Ok(results)
}

/// How long each of so many executions of a run takes, in order; state goes on changing.
///
/// # Errors
/// As [`Executor::execute`].
pub fn time_run(
    executor: &mut dyn Executor,
    inputs: &Runs,
    run: usize,
    executions: usize,
) -> Result<Vec<Duration>> {
    let _stage = progress::stage(format!("timing {executions} executions"));
    let timed = (0..executions).map(|_| {
        let start = Instant::now();
        executor.execute(inputs, run, &mut Runs::default())?;
        Ok(start.elapsed())
    });
    timed.collect()
}

/// A frozen number as the 0-d tensor that stands for it in a file.
pub(crate) fn scalar_tensor(scalar: Scalar) -> TensorData {
    let dtype = match scalar {
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(_) => DType::I64,
        Scalar::Float(_) => DType::F64,
    };
    TensorData::scalar(dtype, scalar)
}
