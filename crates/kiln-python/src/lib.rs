//! The extension module `kiln._kiln`. The package in `python/kiln` gives its functions the shapes that Python's users expect.

mod compile;
mod error;
mod program;
mod signature;
mod tensors;
mod wording;

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs a command of the command line. The first argument is the program's name. Gives the exit status.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| kiln::entry::run(arguments))
}

/// From now on, shows what takes long on stderr, which must be a terminal.
#[pyfunction]
fn show_progress() {
    kiln_target::progress::show();
}

#[pymodule]
fn _kiln(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("TARGETS", compile::target_names())?;
    module.add_class::<program::Program>()?;
    module.add_function(wrap_pyfunction!(compile::compile, module)?)?;
    module.add_function(wrap_pyfunction!(signature::signature, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(show_progress, module)?)
}
