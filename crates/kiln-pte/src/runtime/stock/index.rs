//! Kernels that refuse indices which count from an axis's end.

use super::super::error::Fault;
use super::super::kernel::as_dtype;
use super::Arguments;
use kiln_eval::Tensor;
use kiln_ir::DType;

/// Of kernels that read or write along one axis.
pub(super) fn check_along_axis(call: &Arguments<'_, '_>) -> Result<(), Fault> {
    let sizes = call.tensor(0)?.sizes().to_vec();
    let axis = call.axes(1, sizes.len())?.unwrap_or_default();
    let size = axis.first().and_then(|&axis| sizes.get(axis).copied());
    check(&call.tensor(2)?, size.unwrap_or(1))
}

/// Of kernels with an index for each axis.
pub(super) fn check_list(call: &Arguments<'_, '_>) -> Result<(), Fault> {
    let sizes = call.tensor(0)?.sizes().to_vec();
    let indices = call.optional_tensors(1)?;
    for (index, &size) in indices.iter().zip(&sizes) {
        match index {
            Some(index) if index.dtype().is_int() => check(index, size)?,
            _ => {}
        }
    }
    Ok(())
}

fn check(index: &Tensor, size: usize) -> Result<(), Fault> {
    let wide = as_dtype(index, DType::I64)?;
    let indices = wide.elements::<i64>().unwrap_or_default();
    let outside = |&&i: &&i64| !usize::try_from(i).is_ok_and(|i| i < size);
    match indices.iter().find(outside) {
        None => Ok(()),
        Some(i) => Err(Fault(format!(
            "the kernel takes indices from 0 to below {size}, found {i}"
        ))),
    }
}
