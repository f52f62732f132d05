//! Executors: loaded methods that run on inputs.

use crate::error::Error;
use crate::progress;
use crate::runs::Runs;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_process::interruption;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Facts about an executor that the reader of its results must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The executor's name in JSON output.
    pub name: &'static str,
    /// The executor's name in messages.
    pub text: &'static str,
    /// True if the results hold every input as the run left it; false if they hold only the inputs that a run changed.
    pub gives_all_inputs: bool,
    /// True if the outputs include numbers that the export made constant.
    pub gives_numbers: bool,
    /// True if integers have the model's dtypes. Some formats have fewer integer types.
    pub keeps_dtypes: bool,
}

/// A loaded method.
pub trait Executor {
    /// Facts about its results.
    fn about(&self) -> About;

    /// Executes all runs in order on one loaded method, so that state carries over. Then executes the last run
    /// `repeat` more times and measures each.
    ///
    /// # Errors
    /// An input is missing or does not fit, or the execution fails.
    fn run(&mut self, inputs: &Runs, runs: usize, repeat: Option<usize>)
    -> Result<Measured, Error>;
}

/// The results of an execution.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Outputs of each run, and its inputs as the run left them.
    pub results: Runs,
    /// The duration of each further execution of the last run. Empty if none was asked for, or if an external program
    /// measured them: its `report` has them then.
    pub times: Vec<Duration>,
    /// The report of an external program.
    pub report: Option<Value>,
}

/// A loaded method that executes one run at a time. Each such method is an [`Executor`].
pub trait Session {
    /// As [`Executor::about`].
    fn about(&self) -> About;

    /// Executes one run. Adds its outputs, and its inputs as the run left them, to `results`.
    ///
    /// # Errors
    /// An input is missing or does not fit, or the execution fails.
    fn run_one(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<(), Error>;
}

impl<S: Session> Executor for S {
    fn about(&self) -> About {
        Session::about(self)
    }

    fn run(
        &mut self,
        inputs: &Runs,
        runs: usize,
        repeat: Option<usize>,
    ) -> Result<Measured, Error> {
        let mut results = Runs::default();
        for run in 0..runs {
            let _stage = progress::stage(format!("run {} of {runs}", run + 1));
            self.run_one(inputs, run, &mut results)?;
            interruption::check().map_err(Error::of)?;
        }
        let repeat = repeat.unwrap_or(0);
        let _stage = progress::stage(format!("timing {repeat} executions"));
        let timed = (0..repeat).map(|_| {
            let start = Instant::now();
            self.run_one(inputs, runs.saturating_sub(1), &mut Runs::default())?;
            interruption::check().map_err(Error::of)?;
            Ok(start.elapsed())
        });
        Ok(Measured {
            times: timed.collect::<Result<_, Error>>()?,
            results,
            report: None,
        })
    }
}

/// The 0-d tensor that stands in files for a number that the export made constant.
pub fn scalar_tensor(scalar: Scalar) -> TensorData {
    let dtype = match scalar {
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(_) => DType::I64,
        Scalar::Float(_) => DType::F64,
    };
    TensorData::scalar(dtype, scalar)
}
