//! Long recurrent layers as loops over blocks of steps.
//!
//! An unrolled layer takes nodes for each step, and time to compile them. In a loop over single steps, the runtime's own
//! work for an iteration counts beside that of the step. So an iteration computes a block of steps. The steps that are
//! left over are unrolled behind the loop.
//!
//! The loop carries the position, the outputs and the states. Its body names the weights itself ([`Importer::remade`]).

use super::blocks::{self, MAX_BLOCK_BYTES};
use super::cell::{Cell, MAX_UNROLLED, Sequence, State, Weights};
use super::pair;
use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::ops::{CompareFn, Index, IndexPut, While};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, ValueId};

/// The most steps of a block: beside so many, the work for an iteration is small.
const MAX_BLOCK: i64 = 32;

/// The most steps that are unrolled where loops are wanted. Loops of fewer steps save little.
const FEW_STEPS: i64 = 512;

/// How the steps of a layer are divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    /// The number of iterations.
    count: i64,
    /// The steps of an iteration.
    len: i64,
    /// The steps behind the loop.
    rest: i64,
}

/// The blocks of a sequence, or `None` if it is to be unrolled, or if its length or a weight is known only at run time.
pub(super) fn blocks_of(
    cx: &Importer<'_>,
    sequence: Sequence,
    weights: &[Weights],
) -> Option<Blocks> {
    let steps = cx.size(sequence.x, sequence.time).ok()?.as_const()?;
    let parameters = weights.iter().flat_map(Weights::parameters);
    let most = if cx.rolls() { FEW_STEPS } else { MAX_UNROLLED };
    if steps <= most || !parameters.into_iter().all(|v| cx.is_remakable(v)) {
        return None;
    }
    let bytes = blocks::bytes_of_step(cx, weights).max(1);
    let len = i64::try_from(MAX_BLOCK_BYTES / bytes).unwrap_or(MAX_BLOCK);
    let len = len.clamp(1, MAX_BLOCK);
    Some(Blocks {
        count: steps / len,
        len,
        rest: steps % len,
    })
}

/// All layers of one direction: the outputs of the last layer, and the last state of each layer.
pub(super) fn one_way(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    first: &[State],
    weights: &[Weights],
    blocks: Blocks,
) -> Result<(ValueId, Vec<State>), Problem> {
    let x = outermost(cx, sequence.x, sequence.time)?;
    let rows = blocks.rows(cx, x, 0)?;
    let (outputs, states) = blocks.run(cx, &[rows], first, |cx, parts, states| {
        let part = Sequence {
            x: parts[0],
            time: 0,
        };
        let w = remade(cx, weights)?;
        let (output, states) = blocks::layers_of_block(cx, cell, part, blocks.len, states, &w)?;
        Ok((vec![output], states))
    })?;
    if blocks.rest == 0 {
        return Ok((outermost(cx, outputs[0], sequence.time)?, states));
    }
    let part = Sequence {
        x: cx.slice(x, 0, blocks.count * blocks.len, blocks.rest, 1)?,
        time: 0,
    };
    let (rest, states) = blocks::layers_of_block(cx, cell, part, blocks.rest, &states, weights)?;
    let all = cx.concat(&[outputs[0], rest], 0)?;
    Ok((outermost(cx, all, sequence.time)?, states))
}

/// A layer in both directions: the outputs, joined along the last axis, and the last states along axis 0.
///
/// Iteration `i` computes block `i` from the sequence's start and block `i` from its end.
pub(super) fn both_ways(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    first: State,
    both: &[Weights],
    blocks: Blocks,
) -> Result<(ValueId, State), Problem> {
    let x = outermost(cx, sequence.x, sequence.time)?;
    let sides = [blocks.rows(cx, x, 0)?, blocks.rows(cx, x, blocks.rest)?];
    let first = first.map(|v| cx.unsqueeze(v, &[1]))?;
    let (outputs, states) = blocks.run(cx, &sides, &[first], |cx, parts, states| {
        let part = joined(cx, parts[0], parts[1])?;
        let w = remade(cx, both)?;
        let (sides, state) = pair::meeting(cx, cell, part, blocks.len, states[0], &w)?;
        Ok((sides.to_vec(), vec![state]))
    })?;
    let (mut ahead, mut behind, mut state) = (outputs[0], outputs[1], states[0]);
    if blocks.rest > 0 {
        let end = cx.slice(x, 0, blocks.count * blocks.len, blocks.rest, 1)?;
        let start = cx.slice(x, 0, 0, blocks.rest, 1)?;
        let part = joined(cx, end, start)?;
        let (rest, last) = pair::meeting(cx, cell, part, blocks.rest, state, both)?;
        ahead = cx.concat(&[ahead, rest[0]], 0)?;
        behind = cx.concat(&[rest[1], behind], 0)?;
        state = last;
    }
    let outputs = cx.concat(&[ahead, behind], 2)?;
    let state = state.map(|v| cx.squeeze(v, &[1]))?;
    Ok((outermost(cx, outputs, sequence.time)?, state))
}

/// What one direction reads, followed by what the other reads.
fn joined(cx: &mut Importer<'_>, ahead: ValueId, behind: ValueId) -> Result<Sequence, Problem> {
    let x = cx.concat(&[ahead, behind], 0)?;
    Ok(Sequence { x, time: 0 })
}

/// The sequence with its steps along axis 0, or that back in its order: both exchange the axes if steps are along axis 1.
fn outermost(cx: &mut Importer<'_>, x: ValueId, time: usize) -> Result<ValueId, Problem> {
    match time {
        0 => Ok(x),
        _ => cx.permute(x, &[1, 0, 2]),
    }
}

/// The weights in the present block.
fn remade(cx: &mut Importer<'_>, weights: &[Weights]) -> Result<Vec<Weights>, Problem> {
    let mut again = |v| {
        let made = cx.remade(v)?;
        made.ok_or_else(|| Problem::unsupported("the weights of a loop are constants"))
    };
    weights.iter().map(|w| w.map(&mut again)).collect()
}

/// What one iteration gives: the outputs of each side, `[len, batch, size]`, and the next states.
type Iteration = (Vec<ValueId>, Vec<State>);

impl Blocks {
    /// The blocks of a sequence from step `start` on, `[count, len, batch, size]`.
    fn rows(self, cx: &mut Importer<'_>, x: ValueId, start: i64) -> Result<ValueId, Problem> {
        let looped = cx.slice(x, 0, start, self.count * self.len, 1)?;
        let shape = self.shape(&cx.shape(looped)[1..]);
        cx.reshape(looped, shape)
    }

    fn shape(self, of_step: &[Dim]) -> Shape {
        let blocks = [self.count.into(), self.len.into()];
        blocks.into_iter().chain(of_step.iter().cloned()).collect()
    }

    /// The loop. Side 0 goes through its rows from the first block to the last one, side 1 from the last block to the
    /// first one. `body` takes the block of each side and the states. Gives the outputs of each side,
    /// `[count * len, batch, size]`, and the last states.
    fn run(
        self,
        cx: &mut Importer<'_>,
        sides: &[ValueId],
        first: &[State],
        body: impl FnOnce(&mut Importer<'_>, &[ValueId], &[State]) -> Result<Iteration, Problem>,
    ) -> Result<Iteration, Problem> {
        let of_step = cx.shape(first[0].h);
        let of_step = &of_step[of_step.len() - 2..];
        let dtype = cx.dtype(first[0].h);
        let mut operands = vec![cx.scalar(Scalar::Int(0), DType::I64, 1)];
        for _ in sides {
            operands.push(cx.full(&self.shape(of_step), dtype, Scalar::Int(0))?);
        }
        operands.extend(first.iter().flat_map(State::parts));
        let carried = operands.len();
        operands.extend(sides);
        let condition = cx.nested(&operands, |cx, params| {
            let more = cx.compare_with(CompareFn::Lt, params[0], Scalar::Int(self.count))?;
            Ok(vec![cx.squeeze(more, &[0])?])
        })?;
        let body = cx.nested(&operands, |cx, params| {
            let (now, sides) = params.split_at(carried);
            self.iteration(cx, now, sides, first, body)
        })?;
        let op = While {
            condition,
            body,
            carried,
        };
        let results = cx.results(op, &operands)?;
        let (outputs, states) = results[1..].split_at(sides.len());
        let mut whole = Vec::new();
        for &output in outputs {
            let steps = [Dim::from(self.count * self.len)];
            let shape: Shape = steps.into_iter().chain(of_step.iter().cloned()).collect();
            whole.push(cx.reshape(output, shape)?);
        }
        Ok((whole, states_of(first, states)))
    }

    /// One iteration: the next position, the outputs with this block, and the next states.
    fn iteration(
        self,
        cx: &mut Importer<'_>,
        now: &[ValueId],
        sides: &[ValueId],
        first: &[State],
        body: impl FnOnce(&mut Importer<'_>, &[ValueId], &[State]) -> Result<Iteration, Problem>,
    ) -> Result<Vec<ValueId>, Problem> {
        let (outputs, states) = now[1..].split_at(sides.len());
        let last = cx.scalar(Scalar::Int(self.count - 1), DType::I64, 1);
        let places = [now[0], cx.sub(last, now[0])?];
        let mut parts = Vec::new();
        for (&rows, &at) in sides.iter().zip(&places) {
            let part = cx.value(Index::new(0), &[rows, at])?;
            parts.push(cx.squeeze(part, &[0])?);
        }
        let (made, states) = body(cx, &parts, &states_of(first, states))?;
        let one = cx.scalar(Scalar::Int(1), DType::I64, 1);
        let mut next = vec![cx.add(now[0], one)?];
        for ((&all, made), &at) in outputs.iter().zip(made).zip(&places) {
            let made = cx.unsqueeze(made, &[0])?;
            let put = IndexPut {
                axis: 0,
                accumulate: false,
            };
            next.push(cx.value(put, &[all, made, at])?);
        }
        next.extend(states.iter().flat_map(State::parts));
        Ok(next)
    }
}

/// Values as states of the form of `like`.
fn states_of(like: &[State], values: &[ValueId]) -> Vec<State> {
    let mut values = values.iter().copied();
    let mut take = || values.next().expect("the loop carries all parts of states");
    let state = |s: &State| State {
        h: take(),
        c: s.c.map(|_| take()),
    };
    like.iter().map(state).collect()
}
