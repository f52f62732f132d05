//! Integers fine enough for reals of two kinds to meet in them.

use super::carry::{Stored, integers_of};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::Requantize;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Graph, Scalar, ValueId};

/// Reals lie so many steps from zero at most: f32 errs by a quarter of a step there, so what f32 has as one number is one
/// integer.
const MOST_STEPS: f64 = (1u32 << 22) as f64;

/// The scale of reals, where they have one, and how far they lie from zero.
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
        let reach = numbers.map(f64::abs).fold(0.0, f64::max);
        Some(Extent { scale: None, reach })
    }
}

/// i32 with a scale that the finer of the two is a multiple of, by a power of two; `None` where they lie too far apart.
fn fine(a: &Extent, b: &Extent) -> Option<Stored> {
    let finer = match (a.scale, b.scale) {
        (Some(a), Some(b)) => a.min(b),
        (one, other) => one.or(other)?,
    };
    let room = MOST_STEPS * finer / a.reach.max(b.reach);
    if !(room >= 1.0 && room.is_finite()) {
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

/// What integers of two kinds meet in.
pub(super) fn of_stored(a: &Stored, b: &Stored) -> Option<Stored> {
    fine(&Extent::of_stored(a)?, &Extent::of_stored(b)?)
}

/// What the reals of integers and constants meet in.
pub(super) fn of_reals(graph: &Graph, a: ValueId, b: ValueId) -> Option<Stored> {
    fine(&Extent::of(graph, a)?, &Extent::of(graph, b)?)
}

/// A real, or a constant, as such integers.
pub(super) fn brought(emitter: &mut Emitter<'_, '_>, real: ValueId, stored: &Stored) -> Emitted {
    let (quant, dtype) = (stored.quant.clone(), stored.dtype);
    match integers_of(emitter.graph(), real) {
        Some(integers) => emitter.node(Requantize { quant, dtype }, &[integers]),
        None if emitter.graph().as_constant(real).is_some() => {
            emitter.node(stored.quantize(), &[real])
        }
        None => Err(Reason::new("integers meet integers", "a float")),
    }
}
