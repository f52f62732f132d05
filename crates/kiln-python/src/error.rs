//! Kiln's errors as a Python exception.

use pyo3::PyErr;

pyo3::create_exception!(
    kiln,
    Error,
    pyo3::exceptions::PyException,
    "A model, an input or an option is refused. The message names it, and says what to do."
);

/// The exception with the message that the command line gives.
pub fn raised(error: &anyhow::Error) -> PyErr {
    Error::new_err(kiln::entry::one_line(error))
}
