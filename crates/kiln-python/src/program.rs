//! The class `Program`: a compiled model in memory.

use crate::error::{interruptible, raised};
use crate::tensors::{self, GivenRun, Taken, insert};
use crate::wording::{in_python, report_in_python};
use anyhow::{Context, Result, bail};
use kiln::commands::run::{Execution, executed};
use kiln::compare::{Tolerance, enough};
use kiln::compiler::{Compiled, Job};
use kiln::explain;
use kiln::report::Report;
use kiln_target::{Role, Runs};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A compiled model, and the job that it was compiled from.
#[pyclass(frozen, module = "kiln._kiln")]
pub struct Program {
    compiled: Compiled,
    job: Job,
    size: u64,
}

/// The outputs of each run. A None has no tensor.
type Outputs<'py> = Vec<Vec<Option<Taken<'py>>>>;

impl Program {
    /// The program with its size.
    ///
    /// # Errors
    /// The artifact breaks a rule of its format.
    pub fn new(compiled: Compiled, job: Job) -> Result<Self> {
        let size = compiled
            .artifact
            .size()
            .with_context(|| job.model().display().to_string())?;
        Ok(Self {
            compiled,
            job,
            size,
        })
    }

    fn on(&self, method: &str, given: &Runs, tolerance: Tolerance) -> Result<Execution> {
        executed(&self.compiled, self.job.model(), method, given, tolerance)
    }

    fn report(&self) -> Result<String> {
        let Job {
            target,
            target_options,
            ..
        } = &self.job;
        let report = Report::of(&self.compiled, *target, target_options, self.size);
        let mut report = serde_json::to_value(&report)?;
        report_in_python(&mut report);
        Ok(report.to_string())
    }

    /// The model's name and the target's, as explanations have them.
    fn titles(&self) -> (String, String) {
        let name = self.job.model().file_name().unwrap_or_default();
        (
            name.to_string_lossy().into_owned(),
            self.job.target.to_string(),
        )
    }
}

#[pymethods]
impl Program {
    /// The target's name.
    #[getter]
    fn target(&self) -> &'static str {
        self.job.target.name()
    }

    /// The size in bytes.
    #[getter]
    fn size(&self) -> u64 {
        self.size
    }

    /// The names of the methods.
    #[getter]
    fn methods(&self) -> Vec<String> {
        self.job
            .methods
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Warnings of the compilation.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = self.compiled.warnings(self.size);
        warnings.iter().map(|warning| in_python(warning)).collect()
    }

    /// Writes the program, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        let written = py.detach(|| {
            let is_folder = self.compiled.artifact.kind().extension.is_empty();
            if is_folder && path.extension().is_some_and(|extension| extension == "pte") {
                bail!(
                    "{}: this is a C project, which is a folder; compile(.., output=\"{}\") makes an ExecuTorch program",
                    path.display(),
                    path.display()
                );
            }
            Ok(self.compiled.artifact.write(&path)?)
        });
        written.map_err(|error: anyhow::Error| raised(&error))
    }

    /// The report as JSON.
    fn report_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.report()).map_err(|error| raised(&error))
    }

    /// The explanation as text.
    fn explain_text(&self, py: Python<'_>) -> String {
        let (model, target) = self.titles();
        let scope = explain::Scope::default();
        py.detach(|| {
            let text = explain::text(&self.compiled, &model, &target, self.size, scope);
            in_python(&text)
        })
    }

    /// The explanation as a page.
    fn explain_html(&self, py: Python<'_>) -> String {
        let (model, target) = self.titles();
        py.detach(|| {
            in_python(&explain::html::page(
                &self.compiled,
                &model,
                &target,
                self.size,
            ))
        })
    }

    /// Executes runs in order on one loaded method, so that state carries over.
    fn run<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        inputs: Vec<GivenRun>,
    ) -> PyResult<Outputs<'py>> {
        let count = inputs.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let done = interruptible(py, || {
            let mut given = Runs::default();
            insert(&mut given, Role::Input, inputs)?;
            given.reserve(count);
            self.on(method, &given, Tolerance::default())
        })?;
        let methods = &self.compiled.methods;
        let of_method = methods.iter().find(|m| m.figures.name == method);
        let of_method = of_method.expect("a method that ran is one of the program's");
        let outputs = of_method.graph.signature.outputs.len();
        Ok((0..count)
            .map(|run| tensors::outputs(py, &done.results, run, outputs))
            .collect())
    }

    /// Executes one run, and compares the outputs and the inputs that it left with golden ones. Gives the comparisons as JSON, and why
    /// the comparison failed, if it did.
    #[pyo3(signature = (method, inputs, outputs, inputs_after, rtol=None, atol=None, sqnr=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's caller names them")]
    fn compare(
        &self,
        py: Python<'_>,
        method: &str,
        inputs: GivenRun,
        outputs: GivenRun,
        inputs_after: GivenRun,
        rtol: Option<f64>,
        atol: Option<f64>,
        sqnr: Option<f64>,
    ) -> PyResult<(String, Option<String>)> {
        let given = Tolerance { rtol, atol, sqnr };
        let tolerance = match given == Tolerance::default() {
            true => Tolerance {
                sqnr: enough(&self.job),
                ..given
            },
            false => given,
        };
        let done = interruptible(py, || {
            let mut given = Runs::default();
            insert(&mut given, Role::Input, vec![inputs])?;
            insert(&mut given, Role::Output, vec![outputs])?;
            insert(&mut given, Role::InputAfter, vec![inputs_after])?;
            self.on(method, &given, tolerance)
        });
        let Execution { verdict, .. } = done?;
        let failure = verdict.failure("PyTorch's outputs");
        let failure = failure.map(|error| kiln::entry::one_line(&error));
        Ok((serde_json::Value::from(verdict.rows()).to_string(), failure))
    }
}
