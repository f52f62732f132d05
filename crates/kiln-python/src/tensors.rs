//! Tensors across the border: dtype, sizes and bytes in row-major order.

use anyhow::{Context, Result, anyhow};
use bytes::Bytes;
use kiln_ir::{DType, TensorData};
use kiln_target::{Role, Runs};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// A tensor of Python: the name of its dtype (`f32`), its sizes, and its bytes.
#[derive(FromPyObject)]
pub struct Given(String, Vec<usize>, PyBackedBytes);

/// The inputs or outputs of a run by position. A None has no tensor.
pub type GivenRun = Vec<Option<Given>>;

/// Adds the tensors of all runs.
pub fn insert(runs: &mut Runs, role: Role, given: Vec<GivenRun>) -> Result<()> {
    for (run, tensors) in given.into_iter().enumerate() {
        for (position, tensor) in tensors.into_iter().enumerate() {
            if let Some(tensor) = tensor {
                let data = data(tensor).with_context(|| kiln_target::name(run, role, position))?;
                runs.insert(run, role, position, data);
            }
        }
    }
    Ok(())
}

fn data(Given(dtype, sizes, bytes): Given) -> Result<TensorData> {
    let known = DType::ALL.into_iter().find(|known| known.name() == dtype);
    let dtype = known.ok_or_else(|| anyhow!("Kiln has no dtype {dtype}"))?;
    Ok(TensorData::new(dtype, sizes, Bytes::from_owner(bytes))?)
}

/// A tensor for Python.
pub type Taken<'py> = (&'static str, Vec<usize>, Bound<'py, PyBytes>);

/// The first `count` outputs of a run. A None has no tensor.
pub fn outputs<'py>(
    py: Python<'py>,
    results: &Runs,
    run: usize,
    count: usize,
) -> Vec<Option<Taken<'py>>> {
    let taken = (0..count).map(|position| {
        let data = results.get(run, Role::Output, position)?;
        let bytes = PyBytes::new(py, data.bytes());
        Some((data.dtype().name(), data.sizes().to_vec(), bytes))
    });
    taken.collect()
}
