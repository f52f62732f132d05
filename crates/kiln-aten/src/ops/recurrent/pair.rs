//! Both directions of a layer, unrolled together.
//!
//! Step `i` of one direction and step `i` of the other direction (which starts at the sequence's end) are independent.
//! So they are one step on states `[2, 1, batch, size]`, with half as many operators. Biases are added to the products
//! of the input where possible. The bias of a GRU's hidden new state cannot be: it is joined to these products, so that
//! the hidden side takes one product and one sum.

use super::blocks;
use super::cell::{
    Cell, MAX_UNROLLED, Sequence, State, Weights, gru_state, linear, lstm_state, parts,
};
use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::ops::{MatMul, Simple, UnaryFn};
use kiln_ir::{Builder, Dim, Scalar, ValueId};

/// The axis that counts the steps in values of both directions.
const TIME: usize = 1;

/// The number of steps, if both directions are unrolled together: the number must be known and small.
pub(super) fn steps(cx: &Importer<'_>, sequence: Sequence) -> Option<i64> {
    let steps = cx.size(sequence.x, sequence.time).ok()?.as_const()?;
    (1..=MAX_UNROLLED).contains(&steps).then_some(steps)
}

/// The outputs of both directions, joined along the last axis, and their last states along axis 0. `state` holds the
/// first states of both along axis 0. `block` is the number of steps in a block, a divisor of all steps. With several
/// blocks, a block of one direction's outputs is joined to the mirrored block of the other direction.
pub(super) fn unrolled(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    (steps, block): (i64, i64),
    state: State,
    both: &[Weights],
) -> Result<(ValueId, State), Problem> {
    let hidden = Hidden::of(cx, both)?;
    let mut state = state.map(|v| cx.unsqueeze(v, &[TIME]))?;
    if block < steps {
        state = state.map(|v| blocks::from_cell(cx, v))?;
    }
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    for start in (0..steps).step_by(block.max(1) as usize) {
        let products = products(cx, cell, sequence, (start, block, steps), both)?;
        let sides = hidden.steps(cx, cell, &products, (block, sequence.time), &mut state)?;
        forward.push(sides[0]);
        backward.push(sides[1]);
    }
    backward.reverse();
    let forward = cx.concat(&forward, sequence.time)?;
    let backward = cx.concat(&backward, sequence.time)?;
    let state = state.map(|v| cx.squeeze(v, &[TIME]))?;
    Ok((cx.concat(&[forward, backward], 2)?, state))
}

/// `len` steps of each direction: the first half of the sequence for the one, the last half, from its end, for the other.
/// Gives the outputs of each direction, in the sequence's order, and the state of both.
pub(super) fn meeting(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    len: i64,
    mut state: State,
    both: &[Weights],
) -> Result<([ValueId; 2], State), Problem> {
    let hidden = Hidden::of(cx, both)?;
    let products = products(cx, cell, sequence, (0, len, 2 * len), both)?;
    let sides = hidden.steps(cx, cell, &products, (len, sequence.time), &mut state)?;
    Ok((sides, state))
}

/// The outputs of one direction. `outputs` are parts of both directions' outputs, in the order in which this direction
/// needs them.
fn direction(
    cx: &mut Importer<'_>,
    outputs: &[ValueId],
    time: usize,
    which: i64,
) -> Result<ValueId, Problem> {
    let all = cx.concat(outputs, TIME)?;
    let one = cx.slice(all, 0, which, 1, 1)?;
    let one = cx.squeeze(one, &[0])?;
    if time == 0 {
        Ok(one)
    } else {
        cx.permute(one, &[1, 0, 2])
    }
}

/// Products of both directions, `[2, steps, batch, ..]`. Index `i` has the products of step `i` of each direction.
struct Products {
    /// The gates that are sums of both products, and for a GRU the bias of the new state's hidden product.
    joint: ValueId,
    /// The new state of a GRU, whose hidden product is multiplied by a gate before it is added.
    new: Option<ValueId>,
}

/// The products of `len` steps from `start` on, of `steps` steps in all.
fn products(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    (start, len, steps): (i64, i64, i64),
    both: &[Weights],
) -> Result<Products, Problem> {
    let ahead = cx.slice(sequence.x, sequence.time, start, len, 1)?;
    let mut reversed = Vec::new();
    for i in start..start + len {
        let at = steps - 1 - i;
        reversed.push(cx.slice(sequence.x, sequence.time, at, 1, 1)?);
    }
    let reversed = cx.concat(&reversed, sequence.time)?;
    let sequences = [ahead, reversed].map(|x| Sequence { x, ..sequence });
    if cell != Cell::Gru {
        let parts = [whole(cx, &both[0])?, whole(cx, &both[1])?];
        let joint = product(cx, sequences, parts)?;
        return Ok(Products { joint, new: None });
    }
    let (mut joint, mut new) = (Vec::new(), Vec::new());
    for w in both {
        let size = cx.size(w.hidden, 1)?;
        joint.push(gates(cx, w, (0.into(), &size * 2), true)?);
        new.push(gates(cx, w, (&size * 2, size), false)?);
    }
    let joint = product(cx, sequences, [joint[0], joint[1]])?;
    let new = product(cx, sequences, [new[0], new[1]])?;
    let mut shape = cx.shape(new);
    let bias = match new_biases(cx, both)? {
        Some(bias) => bias,
        None => {
            (shape[TIME], shape[2]) = (1.into(), 1.into());
            let dtype = cx.dtype(new);
            cx.full(&shape, dtype, Scalar::Float(-0.0))?
        }
    };
    let shape = cx.shape(new);
    let bias = cx.expand(bias, &shape)?;
    Ok(Products {
        joint: cx.concat(&[joint, bias], 3)?,
        new: Some(new),
    })
}

/// A weight of the input, and a bias.
type Part = (ValueId, Option<ValueId>);

/// All gates, with both biases.
fn whole(cx: &mut Importer<'_>, w: &Weights) -> Result<Part, Problem> {
    let bias = match (w.input_bias, w.hidden_bias) {
        (Some(input), Some(hidden)) => Some(cx.add(input, hidden)?),
        (bias, _) => bias,
    };
    Ok((w.input, bias))
}

/// `count` gates from `start` on, with the input's bias and, if asked for, the hidden bias.
fn gates(
    cx: &mut Importer<'_>,
    w: &Weights,
    (start, len): (Dim, Dim),
    with_hidden: bool,
) -> Result<Part, Problem> {
    let part = Weights {
        input: cx.slice(w.input, 0, &start, &len, 1)?,
        input_bias: sliced(cx, w.input_bias, &start, &len)?,
        hidden_bias: match w.hidden_bias.filter(|_| with_hidden) {
            Some(bias) => sliced(cx, Some(bias), &start, &len)?,
            None => None,
        },
        ..*w
    };
    whole(cx, &part)
}

fn sliced(
    cx: &mut Importer<'_>,
    bias: Option<ValueId>,
    start: &Dim,
    len: &Dim,
) -> Result<Option<ValueId>, Problem> {
    let slice = |v| cx.slice(v, 0, start, len, 1);
    bias.map(slice).transpose()
}

/// The products of both directions as `[2, steps, batch, ..]`.
fn product(
    cx: &mut Importer<'_>,
    sequences: [Sequence; 2],
    parts: [Part; 2],
) -> Result<ValueId, Problem> {
    let mut made = Vec::new();
    for (sequence, (weight, bias)) in sequences.into_iter().zip(parts) {
        let mut product = linear(cx, sequence.x, weight, bias)?;
        if sequence.time == 1 {
            product = cx.permute(product, &[1, 0, 2])?;
        }
        made.push(cx.unsqueeze(product, &[0])?);
    }
    cx.concat(&made, 0)
}

/// The biases of a GRU's hidden new state, `[2, 1, 1, size]`.
fn new_biases(cx: &mut Importer<'_>, both: &[Weights]) -> Result<Option<ValueId>, Problem> {
    let mut biases = Vec::new();
    for w in both {
        let size = cx.size(w.hidden, 1)?;
        let Some(bias) = sliced(cx, w.hidden_bias, &(&size * 2), &size)? else {
            return Ok(None);
        };
        biases.push(cx.unsqueeze(bias, &[0, 1, 2])?);
    }
    cx.concat(&biases, 0).map(Some)
}

/// The parameters of the hidden side: weights `[2, 1, from, to]`.
struct Hidden {
    weight: ValueId,
    projection: Option<ValueId>,
}

impl Hidden {
    fn of(cx: &mut Importer<'_>, both: &[Weights]) -> Result<Hidden, Problem> {
        let weights: Vec<ValueId> = both.iter().map(|w| w.hidden).collect();
        let projections: Option<Vec<ValueId>> = both.iter().map(|w| w.projection).collect();
        Ok(Hidden {
            weight: transposed(cx, &weights)?,
            projection: projections.map(|p| transposed(cx, &p)).transpose()?,
        })
    }

    /// The outputs of `len` steps of each direction, in the sequence's order.
    fn steps(
        &self,
        cx: &mut Importer<'_>,
        cell: Cell,
        products: &Products,
        (len, time): (i64, usize),
        state: &mut State,
    ) -> Result<[ValueId; 2], Problem> {
        let mut outputs = Vec::new();
        for i in 0..len {
            let mut part = |v: ValueId| cx.slice(v, TIME, i, 1, 1);
            let (joint, new) = (part(products.joint)?, products.new.map(part).transpose()?);
            *state = self.step(cx, cell, (joint, new), *state)?;
            outputs.push(state.h);
        }
        let forward = direction(cx, &outputs, time, 0)?;
        outputs.reverse();
        Ok([forward, direction(cx, &outputs, time, 1)?])
    }

    fn step(
        &self,
        cx: &mut Importer<'_>,
        cell: Cell,
        (product, new_product): (ValueId, Option<ValueId>),
        state: State,
    ) -> Result<State, Problem> {
        let hidden = cx.value(MatMul {}, &[state.h, self.weight])?;
        let sum = cx.add(product, hidden)?;
        match (cell, state.c, new_product) {
            (Cell::Lstm, Some(c), _) => {
                let (mut h, c) = lstm_state(cx, sum, c)?;
                if let Some(projection) = self.projection {
                    h = cx.value(MatMul {}, &[h, projection])?;
                }
                Ok(State { h, c: Some(c) })
            }
            (Cell::Lstm, None, _) => Err(Problem::unsupported("an LSTM takes h and c")),
            (Cell::Gru, _, Some(new_product)) => {
                let [reset, update, hidden] = parts(cx, sum)?;
                let reset = cx.unary(Simple::Sigmoid, reset)?;
                let update = cx.unary(Simple::Sigmoid, update)?;
                let h = gru_state(cx, (reset, update), new_product, hidden, state.h)?;
                Ok(State { h, c: None })
            }
            (Cell::Gru, ..) => Err(Problem::unsupported("a GRU has a new state")),
            (Cell::Tanh, ..) => Ok(State {
                h: cx.unary(Simple::Tanh, sum)?,
                c: None,
            }),
            (Cell::Relu, ..) => Ok(State {
                h: cx.unary(UnaryFn::RELU, sum)?,
                c: None,
            }),
        }
    }
}

/// `[to, from]` of both directions as `[2, 1, from, to]`.
fn transposed(cx: &mut Importer<'_>, both: &[ValueId]) -> Result<ValueId, Problem> {
    let mut all = Vec::new();
    for &weight in both {
        let weight = cx.permute(weight, &[1, 0])?;
        all.push(cx.unsqueeze(weight, &[0, 1])?);
    }
    cx.concat(&all, 0)
}
