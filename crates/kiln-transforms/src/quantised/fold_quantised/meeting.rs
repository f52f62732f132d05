//! Common quantisations: integers fine enough to hold the reals of two other quantisations.

use super::carry::{Stored, integers_of};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::Requantize;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Graph, Scalar, ValueId};

guards! {
    /// The greatest real is few enough steps of the finer scale for i32 and f32.
    ROOM;
}

/// The most quantisation steps between a real and zero. At this distance f32 rounds to a quarter of a step, so reals
/// that are equal in f32 become the same integer.
const MAX_QUANT_STEPS: f64 = (1u32 << 22) as f64;

/// The scale of reals, if they have one, and their greatest absolute value.
struct Extent {
    scale: Option<f64>,
    reach: f64,
}

impl Extent {
    fn of_stored(stored: &Stored) -> Option<Extent> {
        let (scale, zero_point) = stored.whole()?;
        let (min, max) = (stored.quant.min, stored.quant.max);
        let steps = (min.abs_diff(zero_point)).max(max.abs_diff(zero_point));
        Some(Extent {
            scale: Some(scale),
            reach: steps as f64 * scale,
        })
    }

    fn of(graph: &Graph, real: ValueId) -> Option<Extent> {
        if let Some(integers) = integers_of(graph, real) {
            return Extent::of_stored(&Stored::of(graph, integers)?);
        }
        let numbers = graph.as_constant(real)?.data.scalars().map(Scalar::as_f64);
        // No integer is a NaN.
        let size = |v: f64| if v.is_nan() { f64::INFINITY } else { v.abs() };
        let reach = numbers.map(size).fold(0.0, f64::max);
        Some(Extent { scale: None, reach })
    }
}

/// An i32 quantisation whose scale is the finer scale divided by a power of two. `None` if the reals are too large for
/// that scale.
fn fine(a: &Extent, b: &Extent) -> Option<Stored> {
    let finer = match (a.scale, b.scale) {
        (Some(a), Some(b)) => a.min(b),
        (one, other) => one.or(other)?,
    };
    let room = MAX_QUANT_STEPS * finer / a.reach.max(b.reach);
    if !ROOM.holds(room >= 1.0 && room.is_finite()) {
        return None;
    }
    let scale = finer / room.log2().floor().exp2();
    let dtype = DType::I32;
    let (min, max) = dtype.int_range()?;
    let scheme = QuantScheme::PerTensor {
        scale,
        zero_point: 0,
    };
    let quant = Quant { scheme, min, max }.into();
    let is_good = scale.is_normal() && scale as f32 > 0.0;
    is_good.then_some(Stored { quant, dtype })
}

/// The common quantisation of two quantisations.
pub(super) fn of_stored(a: &Stored, b: &Stored) -> Option<Stored> {
    fine(&Extent::of_stored(a)?, &Extent::of_stored(b)?)
}

/// The common quantisation of two operands, each a dequantisation or a constant.
pub(super) fn of_reals(graph: &Graph, a: ValueId, b: ValueId) -> Option<Stored> {
    fine(&Extent::of(graph, a)?, &Extent::of(graph, b)?)
}

/// A dequantisation or a constant as integers of this quantisation.
pub(super) fn brought(emitter: &mut Emitter<'_, '_>, real: ValueId, stored: &Stored) -> Emitted {
    let (quant, dtype) = (stored.quant.clone(), stored.dtype);
    match integers_of(emitter.graph(), real) {
        Some(integers) => emitter.value(Requantize { quant, dtype }, &[integers]),
        None if emitter.graph().as_constant(real).is_some() => {
            emitter.value(stored.quantize(), &[real])
        }
        None => Err(Reason::new(
            "both operands are quantised or constants",
            "a float",
        )),
    }
}
