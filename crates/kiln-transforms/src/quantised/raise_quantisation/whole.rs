//! Whole numbers, in floats and in integer types.

use super::{cast, origin_and_readers};
use kiln_ir::ops::UnaryFn;
use kiln_ir::{DType, Graph, Scalar, ValueId};
use smallvec::SmallVec;

/// The most casts in a row that are followed.
const MAX_CASTS: usize = 4;

/// Whole numbers where they are still floats.
pub(super) struct Whole {
    pub(super) floats: ValueId,
    /// The types of integers that they pass through.
    types: SmallVec<[DType; 4]>,
    /// True if nothing else reads the numbers on their way.
    pub(super) is_read_once: bool,
}

impl Whole {
    /// The floats behind a value that casts make of them, by way of integers.
    pub(super) fn of(graph: &Graph, value: ValueId) -> Option<Whole> {
        let is_float = |v| graph.ty(v).dtype.is_float();
        let (mut at, is_read_once) = origin_and_readers(graph, value);
        let mut whole = Whole {
            floats: at,
            types: SmallVec::new(),
            is_read_once,
        };
        for _ in 0..MAX_CASTS {
            let Some(inner) = cast(graph, at) else {
                break;
            };
            let (inner, is_read_once) = origin_and_readers(graph, inner);
            if is_float(at) && is_float(inner) {
                break;
            }
            at = inner;
            whole.is_read_once &= is_read_once;
            match is_float(at) {
                true => break,
                false => whole.types.push(graph.ty(at).dtype),
            }
        }
        if !graph.ty(value).dtype.is_float() {
            whole.types.push(graph.ty(value).dtype);
        }
        whole.floats = at;
        is_float(at).then_some(whole)
    }

    /// True if each type of integers holds the numbers from `min` to `max`.
    pub(super) fn holds(&self, (min, max): (i64, i64)) -> bool {
        let holds = |dtype: &DType| {
            dtype
                .int_range()
                .is_some_and(|(least, greatest)| least <= min && max <= greatest)
        };
        self.types.iter().all(holds)
    }

    /// True if the numbers pass through integers, where a zero has no sign.
    pub(super) fn is_in_integers(&self) -> bool {
        !self.types.is_empty()
    }
}

/// The ends of a clamp to whole numbers.
pub(super) fn bounds(f: UnaryFn) -> Option<(i64, i64)> {
    let UnaryFn::Clamp {
        min: Some(min),
        max: Some(max),
    } = f
    else {
        return None;
    };
    let whole = |bound: Scalar| {
        let bound = bound.as_f64();
        (bound.fract() == 0.0 && bound.abs() < 1e9).then_some(bound as i64)
    };
    Some((whole(min)?, whole(max)?))
}
