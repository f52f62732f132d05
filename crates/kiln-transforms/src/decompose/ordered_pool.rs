//! Averages of windows of several sizes between equal steps of a quantisation.
//!
//! Such an average is often in the middle of two integers, and the rounding errors of its sum decide. PyTorch adds the elements of a window in
//! memory order, and divides by the rows and then by the columns. So here the first elements of all windows are picked, then the second
//! ones, and so on. Where a window has fewer elements than others, the last one is picked again, times 0.

use super::adaptive_pool::Windows;
use crate::analysis::equal_steps::is_between_equal_steps;
use crate::framework::emitter::{Emitted, Emitter};
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Builder, DType, Graph, NodeId, Scalar, TensorData, ValueId};

/// The most elements of a window.
const MOST_TAPS: i64 = 32;

/// The most slices. More take several times as long as a kernel (measured), and decide few further ties.
const MOST_SLICES: i64 = 64;

/// True if the averages of a pool are added in order.
pub(super) fn is_ordered(graph: &Graph, node: NodeId, windows: &[Windows]) -> bool {
    let node = graph.node(node);
    let taps = windows.iter().map(longest).fold(1, i64::saturating_mul);
    let is_small = taps <= MOST_TAPS && slices(windows) <= MOST_SLICES;
    let is_single = graph.ty(node.result()).dtype == DType::F32;
    is_single && is_small && is_between_equal_steps(graph, node)
}

/// The slices that pick all elements: along each axis, an element of each window of each tap so far.
fn slices(windows: &[Windows]) -> i64 {
    let mut taps = 1i64;
    let of_axis = windows.iter().map(|axis| {
        taps = taps.saturating_mul(longest(axis));
        taps.saturating_mul(axis.len() as i64)
    });
    of_axis.fold(0, i64::saturating_add)
}

fn longest(windows: &Windows) -> i64 {
    windows.iter().map(|(_, len)| *len).max().unwrap_or(0)
}

/// The averages of the windows of each spatial axis, whose elements are finite.
///
/// # Errors
/// If a node does not fit.
pub(super) fn ordered(emitter: &mut Emitter<'_, '_>, x: ValueId, windows: &[Windows]) -> Emitted {
    let mut taps = vec![x];
    for (axis, windows) in windows.iter().enumerate() {
        let mut picked = Vec::new();
        for tap in taps {
            for place in 0..longest(windows) {
                picked.push(pick(emitter, tap, axis + 2, windows, place)?);
            }
        }
        taps = picked;
    }
    let mut sum = taps[0];
    for &tap in &taps[1..] {
        sum = emitter.binary(BinaryFn::Add, sum, tap)?;
    }
    for (axis, windows) in windows.iter().enumerate() {
        let counts = by_window(emitter, x, axis + 2, windows, |len| len as f64);
        sum = emitter.binary(BinaryFn::Div, sum, counts)?;
    }
    Ok(sum)
}

/// An element of each window along an axis, or 0 behind the last one.
fn pick(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    windows: &Windows,
    place: i64,
) -> Emitted {
    let mut parts = Vec::with_capacity(windows.len());
    for &(start, len) in windows {
        parts.push(emitter.slice(x, axis, start + place.min(len - 1), 1, 1)?);
    }
    let picked = emitter.concat(&parts, axis)?;
    if windows.iter().all(|&(_, len)| place < len) {
        return Ok(picked);
    }
    let has = |len: i64| f64::from(u8::from(place < len));
    let mask = by_window(emitter, x, axis, windows, has);
    emitter.binary(BinaryFn::Mul, picked, mask)
}

/// A number of f32 for each window along an axis, for its length.
fn by_window(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    windows: &Windows,
    number: impl Fn(i64) -> f64,
) -> ValueId {
    let mut sizes = vec![1; emitter.rank(x)];
    sizes[axis] = windows.len();
    let numbers = windows.iter().map(|&(_, len)| Scalar::Float(number(len)));
    let numbers = TensorData::from_scalars(DType::F32, sizes, numbers);
    emitter.constant("windows", numbers)
}
