//! Steps with large weights, unrolled in blocks that are alike.
//!
//! All layers of a block come before the next block: a target that packs the weights of every step by itself can
//! run one block again and again. So that the first block is like the others, an initial state of one number is
//! read from a cell that nobody updates.

use super::{Cell, MOST_UNROLLED, Sequence, State, Weights, each_step, linear};
use crate::error::Problem;
use crate::importer::Importer;
use kiln_ir::graph::{CellInit, StateCell};
use kiln_ir::ops::ReadState;
use kiln_ir::{Place, TensorData, ValueId};

/// Hidden weights of a block's steps, beyond which a layer is unrolled in blocks, in bytes: what a cache holds.
const MOST_BLOCK_BYTES: u64 = 4 << 20;

/// The steps of a block, if the layers are better unrolled in blocks: the most that divide the sequence, and whose
/// hidden weights are few enough.
pub(super) fn steps_of_block(
    cx: &Importer<'_>,
    sequence: Sequence,
    weights: &[Weights],
) -> Option<i64> {
    let graph = cx.graph();
    let bytes = |v: ValueId| {
        let ty = graph.ty(v);
        let sizes = ty.shape.as_static().unwrap_or_default();
        sizes
            .into_iter()
            .fold(ty.dtype.size() as u64, |n, s| n.saturating_mul(s as u64))
    };
    let hidden = weights.iter().flat_map(|w| [w.projection, Some(w.hidden)]);
    let step: u64 = hidden.flatten().map(bytes).fold(0, u64::saturating_add);
    let steps = cx.size(sequence.x, sequence.time).as_const()?;
    let fits = |n: i64| n == 1 || step.saturating_mul(n as u64) <= MOST_BLOCK_BYTES;
    let is_large = step.saturating_mul(steps.max(0) as u64) > 2 * MOST_BLOCK_BYTES;
    let is_known = steps <= MOST_UNROLLED && cx.block() == graph.root();
    let divides = |&n: &i64| steps % n == 0 && fits(n);
    (is_large && is_known)
        .then(|| (1..steps).filter(divides).max())
        .flatten()
}

/// All layers, block after block: the outputs of the last and the last state of each.
pub(super) fn unrolled(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    first: &State,
    weights: &[Weights],
    block: i64,
) -> Result<(ValueId, Vec<State>), Problem> {
    let time = sequence.time;
    let steps = cx.size(sequence.x, time).as_const().unwrap_or(block);
    let mut states = Vec::new();
    for layer in 0..weights.len() {
        let state = first.at(cx, layer)?;
        states.push(State {
            h: from_cell(cx, state.h)?,
            c: state.c.map(|c| from_cell(cx, c)).transpose()?,
        });
    }
    let mut outputs = Vec::new();
    for start in (0..steps).step_by(block.max(1) as usize) {
        let mut x = cx.slice(sequence.x, time, &start.into(), &block.into(), 1)?;
        for (layer, w) in weights.iter().enumerate() {
            let products = Sequence {
                x: linear(cx, x, w.input, w.input_bias)?,
                time,
            };
            let (made, state) = each_step(cx, cell, products, block, states[layer], w, false)?;
            states[layer] = state;
            if layer + 1 < weights.len() {
                x = cx.concat(time, &made)?;
            } else {
                outputs.extend(made);
            }
        }
    }
    Ok((cx.concat(time, &outputs)?, states))
}

/// A value of one number as the content of a cell, anything else as it is.
fn from_cell(cx: &mut Importer<'_>, value: ValueId) -> Result<ValueId, Problem> {
    let graph = cx.graph();
    let (root, ty) = (graph.root(), graph.ty(value).clone());
    let (Some(number), Some(sizes)) = (graph.as_number(value), ty.shape.as_static()) else {
        return Ok(value);
    };
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
