//! Delegates. Other crates implement the backends.

use super::RuntimeError;
use crate::{Method, Program};
use bytes::Bytes;
use kiln_eval::Tensor;

/// A backend, which executes blobs with its id.
pub trait Backend {
    /// The id (`XnnpackBackend`).
    fn id(&self) -> &'static str;

    /// Loads a blob. `named` gives the program's named data.
    ///
    /// # Errors
    /// A message, if the backend cannot execute the blob.
    fn load(
        &self,
        blob: &Bytes,
        named: &dyn Fn(&str) -> Option<Bytes>,
    ) -> Result<Box<dyn LoadedDelegate>, String>;
}

/// A blob that was loaded.
pub trait LoadedDelegate {
    /// True if the argument at this position is an output.
    fn is_output(&self, position: usize) -> bool;

    /// Executes the blob. Tensors have their sizes in memory order, outermost axis first. Outputs are `None` in `args`.
    /// Returns each output with its position.
    ///
    /// # Errors
    /// A message, if the arguments do not match.
    fn execute(&self, args: &[Option<Tensor>]) -> Result<Vec<(usize, Tensor)>, String>;
}

/// Loads the blobs of a method's delegates.
pub(super) fn load_delegates(
    program: &Program,
    method: &Method,
    backends: &[&dyn Backend],
) -> Result<Vec<Box<dyn LoadedDelegate>>, RuntimeError> {
    let named = |key: &str| program.named(key).cloned();
    let mut loaded = Vec::new();
    for (number, (delegate, blob)) in method.delegates_with_blobs(program).enumerate() {
        let place = || format!("delegate {number} of method {}", method.name);
        let error = |message: String| RuntimeError {
            place: place(),
            message,
        };
        let backend = backends.iter().find(|b| b.id() == delegate.id);
        let backend =
            backend.ok_or_else(|| error(format!("no backend executes {}", delegate.id)))?;
        let blob = blob.ok_or_else(|| error("has no blob".into()))?;
        loaded.push(backend.load(blob, &named).map_err(error)?);
    }
    Ok(loaded)
}
