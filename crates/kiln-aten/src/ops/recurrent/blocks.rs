//! Recurrent layers with large weights, unrolled in equal blocks of steps.
//!
//! All layers of a block come before the next block. So a target that packs the weights of every step anew can run one
//! block repeatedly. An initial state of one number is read from a cell that is never updated, so that the first block
//! equals the others.

use super::cell::{Cell, MAX_UNROLLED, Sequence, State, Weights, each_step, linear};
use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use kiln_ir::graph::{CellInit, StateCell};
use kiln_ir::ops::ReadState;
use kiln_ir::{Builder, Place, TensorData, ValueId};

/// The most bytes of weights in a block. The hidden weights count once for each step. A second-level cache of one core
/// holds so much beside the other data.
pub(super) const MAX_BLOCK_BYTES: u64 = 5 << 18;

/// The number of steps of a block, or `None` if the layers are better unrolled without blocks. The number is the
/// greatest divisor of the sequence length whose weights do not exceed the limit. Two directions need an even number of
/// blocks, so that no block holds both outputs of a step.
pub(super) fn steps_of_block(
    cx: &Importer<'_>,
    sequence: Sequence,
    weights: &[Weights],
    directions: usize,
) -> Option<i64> {
    let step = bytes_of_step(cx, weights);
    let once = weights.iter().map(|w| bytes(cx, w.input));
    let once = once.fold(0, u64::saturating_add);
    let steps = cx.size(sequence.x, sequence.time).ok()?.as_const()?;
    let of_block = |n: i64| step.saturating_mul(n as u64).saturating_add(once);
    let fits = |n: i64| n == 1 || of_block(n) <= MAX_BLOCK_BYTES;
    let is_large = step.saturating_mul(steps.max(0) as u64) > 2 * MAX_BLOCK_BYTES;
    let is_known = steps <= MAX_UNROLLED && cx.block() == cx.graph().root();
    // The rows of a block must be adjacent: the time is the outermost axis, or the batch has size 1.
    let is_outermost = sequence.time == 0 || cx.size(sequence.x, 0).ok()?.is(1);
    let divides = |&n: &i64| steps % n == 0 && (steps / n) % directions as i64 == 0 && fits(n);
    (is_large && is_known && is_outermost)
        .then(|| (1..steps).filter(divides).max())
        .flatten()
}

/// The bytes of the weights that each step reads.
pub(super) fn bytes_of_step(cx: &Importer<'_>, weights: &[Weights]) -> u64 {
    let hidden = weights.iter().flat_map(|w| [w.projection, Some(w.hidden)]);
    let hidden = hidden.flatten().map(|v| bytes(cx, v));
    hidden.fold(0, u64::saturating_add)
}

fn bytes(cx: &Importer<'_>, v: ValueId) -> u64 {
    let ty = cx.ty(v);
    let sizes = ty.shape.as_static().unwrap_or_default();
    let bytes = |n: u64, size: usize| n.saturating_mul(size as u64);
    sizes.into_iter().fold(ty.dtype.size() as u64, bytes)
}

/// All layers of one direction, block after block: the outputs of the last layer, and the last state of each layer.
pub(super) fn unrolled(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    first: &State,
    weights: &[Weights],
    block: i64,
) -> Result<(ValueId, Vec<State>), Problem> {
    let time = sequence.time;
    let steps = cx.size(sequence.x, time)?.as_const().unwrap_or(block);
    let mut states = Vec::new();
    for layer in 0..weights.len() {
        let state = first.at(cx, layer)?;
        states.push(state.map(|v| from_cell(cx, v))?);
    }
    let mut outputs = Vec::new();
    for start in (0..steps).step_by(block.max(1) as usize) {
        let x = cx.slice(sequence.x, time, start, block, 1)?;
        let part = Sequence { x, time };
        let (output, next) = layers_of_block(cx, cell, part, block, &states, weights)?;
        outputs.push(output);
        states = next;
    }
    Ok((cx.concat(&outputs, time)?, states))
}

/// All layers of one direction in one block: the outputs of the last layer, and the state of each layer behind the block.
pub(super) fn layers_of_block(
    cx: &mut Importer<'_>,
    cell: Cell,
    mut part: Sequence,
    steps: i64,
    states: &[State],
    weights: &[Weights],
) -> Result<(ValueId, Vec<State>), Problem> {
    let mut last = Vec::new();
    for (&state, w) in states.iter().zip(weights) {
        let (x, state) = layer_of_block(cx, cell, part, steps, state, w)?;
        part.x = x;
        last.push(state);
    }
    Ok((part.x, last))
}

/// A layer's outputs of one block, and its state behind the block. The products of a single step have no time axis.
fn layer_of_block(
    cx: &mut Importer<'_>,
    cell: Cell,
    part: Sequence,
    steps: i64,
    state: State,
    w: &Weights,
) -> Result<(ValueId, State), Problem> {
    let time = part.time;
    if steps == 1 {
        let x = cx.squeeze(part.x, &[time])?;
        let product = linear(cx, x, w.input, w.input_bias)?;
        let state = cell.step(cx, product, state, w)?;
        return Ok((cx.unsqueeze(state.h, &[time])?, state));
    }
    let products = Sequence {
        x: linear(cx, part.x, w.input, w.input_bias)?,
        time,
    };
    let (made, state) = each_step(cx, cell, products, steps, state, w, false)?;
    Ok((cx.concat(&made, time)?, state))
}

/// A value of one repeated number as the content of a cell. Any other value as it is.
pub(super) fn from_cell(cx: &mut Importer<'_>, value: ValueId) -> Result<ValueId, Problem> {
    let graph = cx.graph();
    let (root, ty) = (graph.root(), graph.ty(value).clone());
    let (Some(number), Some(sizes)) = (graph.as_number(value), ty.shape.as_static()) else {
        return Ok(value);
    };
    let known: Vec<i64> = sizes.iter().map(|&n| n as i64).collect();
    limits::elements(&known)?;
    let number_of_cells = graph.cells().count();
    let name = format!("initial state {number_of_cells}");
    let data = TensorData::splat(ty.dtype, sizes, number);
    let rewriter = cx.rewriter();
    let init = CellInit::Constant(rewriter.add_constant(name.as_str(), data));
    let name = name.as_str().into();
    let cell = rewriter.add_cell(StateCell { name, ty, init });
    let read = rewriter.value(Place::Start(root), ReadState { cell }, &[]);
    read.map_err(|misfit| Problem::unsupported(misfit.to_string()))
}
