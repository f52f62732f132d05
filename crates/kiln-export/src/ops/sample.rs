//! Samples of images at coordinates.

use super::{Tensors, operand, result};
use crate::call::Call;
use crate::writer::{Operand, Writer};
use kiln_ir::TensorType;
use kiln_ir::ops::{GridSample, Outside, SampleMode};

pub(super) fn grid_sample(
    w: &mut Writer<'_>,
    op: &GridSample,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let mode = match op.mode {
        SampleMode::Linear => 0,
        SampleMode::Nearest => 1,
        SampleMode::Cubic => 2i64,
    };
    let outside = match op.outside {
        Outside::Zeros => 0,
        Outside::Border => 1,
        Outside::Reflection => 2i64,
    };
    let call = Call::new("aten.grid_sampler.default")
        .arg("input", w.tensor(operand(x, 0)?)?)
        .arg("grid", w.tensor(operand(x, 1)?)?)
        .arg("interpolation_mode", mode)
        .arg("padding_mode", outside)
        .arg("align_corners", op.align_corners);
    Ok(vec![w.emit(call, result(y)?)])
}
