//! Kiln's errors as a Python exception.

use crate::wording::in_python;
use kiln_process::interruption::leave_to_host;
use pyo3::prelude::*;
use std::cell::RefCell;

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

thread_local! {
    /// What Python's handler of a signal raised in this thread, during the work.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Lets Python's handlers run, which they do in its main thread only. True if one of them raised an exception since the work began.
fn is_interrupted() -> bool {
    let was_raised = RAISED.with_borrow(Option::is_some);
    was_raised
        || Python::attach(|py| match py.check_signals() {
            Ok(()) => false,
            Err(error) => {
                RAISED.set(Some(error));
                true
            }
        })
}

/// Does long work without the interpreter's lock. What works by samples or runs ends soon after Ctrl-C, and the caller sees what Python's own
/// handler raises, `KeyboardInterrupt` as a rule; other work goes on to its end.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    leave_to_host(is_interrupted);
    RAISED.set(None);
    let done = py.detach(work).map_err(|error| raised(&error));
    let interrupt = RAISED.take().map_or_else(|| py.check_signals(), Err);
    if let Err(interrupt) = interrupt {
        // The cause tells work that was ended from work that was done.
        interrupt.set_cause(py, done.err());
        return Err(interrupt);
    }
    done
}
