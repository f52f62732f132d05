//! Kiln's errors as a Python exception.

use crate::wording::in_python;
use kiln_process::interruption::{Waiting, leave_to_host};
use pyo3::prelude::*;

pyo3::create_exception!(
    kiln,
    Error,
    pyo3::exceptions::PyException,
    "A model, an input or an option is refused. The message names it, and says what to do."
);

/// The exception with the message that the command line gives, in the words of Python.
pub fn raised(error: &anyhow::Error) -> PyErr {
    Error::new_err(in_python(&kiln::entry::one_line(error)))
}

/// Does long work without the interpreter's lock. What works by samples or runs ends soon after Ctrl-C, and the caller sees Python's own
/// `KeyboardInterrupt`; other work goes on to its end.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    leave_to_host();
    let done = py.detach(|| {
        let _waiting = Waiting::start()?;
        work()
    });
    let done = done.map_err(|error| raised(&error));
    if let Err(interrupt) = py.check_signals() {
        // The cause tells work that was ended from work that was done.
        interrupt.set_cause(py, done.err());
        return Err(interrupt);
    }
    done
}
