//! A loaded method, executed on runs of inputs.

use crate::error::Error;
use crate::progress;
use crate::runs::Runs;
use kiln_ir::{DType, Scalar, TensorData};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What readers of an executor's results must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// For scripts.
    pub name: &'static str,
    /// For people.
    pub text: &'static str,
    /// True if the results hold all inputs as a run left them, and not only those that it changed.
    pub gives_all_inputs: bool,
    /// True if numbers that the export froze are among the outputs.
    pub gives_numbers: bool,
    /// True if integers are of the model's dtypes: some formats have fewer.
    pub keeps_dtypes: bool,
}

/// A loaded method.
pub trait Executor {
    /// What readers of its results must know.
    fn about(&self) -> About;

    /// Executes so many runs of the inputs in order, so that state carries over, and then the last one so many times more
    /// to measure it.
    ///
    /// # Errors
    /// If an input is missing or does not fit, or execution fails.
    fn run(&mut self, inputs: &Runs, runs: usize, repeat: Option<usize>)
    -> Result<Measured, Error>;
}

/// What came of runs.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Outputs, and inputs as left.
    pub results: Runs,
    /// How long each further execution of the last run took, in order; empty if none was asked for, or if an external
    /// program measured them and says so in its report.
    pub times: Vec<Duration>,
    /// The report of an external program.
    pub report: Option<Value>,
}

/// A loaded method that executes run by run: each is an [`Executor`].
pub trait Step {
    /// As [`Executor::about`].
    fn about(&self) -> About;

    /// Executes one run of the inputs; adds its outputs, and inputs as left.
    ///
    /// # Errors
    /// If an input is missing or does not fit, or execution fails.
    fn step(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<(), Error>;
}

impl<S: Step> Executor for S {
    fn about(&self) -> About {
        Step::about(self)
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
            self.step(inputs, run, &mut results)?;
        }
        let repeat = repeat.unwrap_or(0);
        let _stage = progress::stage(format!("timing {repeat} executions"));
        let timed = (0..repeat).map(|_| {
            let start = Instant::now();
            self.step(inputs, runs.saturating_sub(1), &mut Runs::default())?;
            Ok(start.elapsed())
        });
        Ok(Measured {
            times: timed.collect::<Result<_, Error>>()?,
            results,
            report: None,
        })
    }
}

/// A frozen number as the 0-d tensor that stands for it in a file.
pub fn scalar_tensor(scalar: Scalar) -> TensorData {
    let dtype = match scalar {
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(_) => DType::I64,
        Scalar::Float(_) => DType::F64,
    };
    TensorData::scalar(dtype, scalar)
}
