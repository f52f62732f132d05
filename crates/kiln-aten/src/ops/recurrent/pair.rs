//! Both directions of a layer, step by step together.
//!
//! Step `i` of one direction and step `i` of the other, from the sequence's end, need nothing of each other: they
//! are one step on states `[2, batch, size]`, with half as many operators. Where all biases can be added ahead
//! they are part of the products of the input.

use super::{Cell, MOST_UNROLLED, Sequence, State, Weights, linear};
use crate::error::Problem;
use crate::importer::Importer;
use kiln_ir::ops::{MatMul, Simple, UnaryFn};
use kiln_ir::{Scalar, Shape, ValueId};

/// The number of steps, if both directions are unrolled together: it is known, and small enough.
pub(super) fn steps(cx: &Importer<'_>, sequence: Sequence) -> Option<i64> {
    let steps = cx.size(sequence.x, sequence.time).as_const()?;
    (1..=MOST_UNROLLED).contains(&steps).then_some(steps)
}

/// The outputs of both directions, one behind the other along the last axis, and their last states along axis 0.
/// `state` holds the first states of both along axis 0.
pub(super) fn unrolled(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    steps: i64,
    mut state: State,
    both: &[Weights],
) -> Result<(ValueId, State), Problem> {
    let products = products(cx, cell, sequence, steps, both)?;
    let hidden = Hidden::of(cx, cell, both)?;
    let mut outputs = Vec::new();
    for i in 0..steps {
        let mut part = |v: ValueId| cx.slice(v, 0, &(2 * i).into(), &2.into(), 1);
        let (joint, new) = (part(products.joint)?, products.new.map(part).transpose()?);
        state = hidden.step(cx, cell, (joint, new), state)?;
        outputs.push(state.h);
    }
    let forward = direction(cx, &outputs, sequence.time, 0)?;
    outputs.reverse();
    let backward = direction(cx, &outputs, sequence.time, 1)?;
    Ok((cx.concat(2, &[forward, backward])?, state))
}

/// The outputs of one direction, from those of both in the order in which they shall be.
fn direction(
    cx: &mut Importer<'_>,
    outputs: &[ValueId],
    time: usize,
    which: i64,
) -> Result<ValueId, Problem> {
    let all = cx.concat(0, outputs)?;
    let mut shape = cx.shape(outputs[0]).to_vec();
    shape.insert(0, (outputs.len() as i64).into());
    let all = cx.reshape(all, &shape)?;
    let one = cx.slice(all, 1, &which.into(), &1.into(), 1)?;
    let one = cx.squeeze(one, &[1])?;
    if time == 0 {
        Ok(one)
    } else {
        cx.permute(one, &[1, 0, 2])
    }
}

/// Values `[2 * steps, batch, ..]`: at `2 i` what the one direction needs at its step `i`, then the other's.
struct Products {
    /// The gates that are sums of both products.
    joint: ValueId,
    /// The new state of a GRU, whose hidden product is limited before it is added.
    new: Option<ValueId>,
}

fn products(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    steps: i64,
    both: &[Weights],
) -> Result<Products, Problem> {
    let time = sequence.time;
    let mut reversed = Vec::new();
    for i in (0..steps).rev() {
        reversed.push(cx.slice(sequence.x, time, &i.into(), &1.into(), 1)?);
    }
    let reversed = cx.concat(time, &reversed)?;
    let mut made = Vec::new();
    for (x, w) in [sequence.x, reversed].into_iter().zip(both) {
        let bias = bias_ahead(cx, cell, w)?;
        let product = linear(cx, x, w.input, bias)?;
        made.push(if time == 0 {
            product
        } else {
            cx.permute(product, &[1, 0, 2])?
        });
    }
    let batch = cx.size(made[0], 1);
    let joined = cx.concat(1, &made)?;
    let gates = cx.size(joined, 2);
    let all = cx.reshape(joined, &[(2 * steps).into(), batch, gates.clone()])?;
    if cell != Cell::Gru {
        return Ok(Products {
            joint: all,
            new: None,
        });
    }
    let size = gates.floor_div(&3.into());
    let two = &size * 2;
    Ok(Products {
        joint: cx.slice(all, 2, &0.into(), &two, 1)?,
        new: Some(cx.slice(all, 2, &two, &size, 1)?),
    })
}

/// The bias of the input's product with that of the hidden one, but for a GRU's new state.
fn bias_ahead(cx: &mut Importer<'_>, cell: Cell, w: &Weights) -> Result<Option<ValueId>, Problem> {
    let (Some(input), Some(mut hidden)) = (w.input_bias, w.hidden_bias) else {
        return Ok(w.input_bias);
    };
    if cell == Cell::Gru {
        let size = cx.size(hidden, 0).floor_div(&3.into());
        let joint = cx.slice(hidden, 0, &0.into(), &(&size * 2), 1)?;
        let zeros = cx.full(
            &Shape::from(vec![size]),
            cx.dtype(hidden),
            Scalar::Float(0.0),
        )?;
        hidden = cx.concat(0, &[joint, zeros])?;
    }
    cx.add(input, hidden).map(Some)
}

/// What the hidden side needs: weights `[2, from, to]`.
struct Hidden {
    joint: ValueId,
    new: Option<(ValueId, Option<ValueId>)>,
    projection: Option<ValueId>,
}

impl Hidden {
    fn of(cx: &mut Importer<'_>, cell: Cell, both: &[Weights]) -> Result<Hidden, Problem> {
        let weights: Vec<ValueId> = both.iter().map(|w| w.hidden).collect();
        let all = transposed(cx, &weights)?;
        let projections: Option<Vec<ValueId>> = both.iter().map(|w| w.projection).collect();
        let projection = projections.map(|p| transposed(cx, &p)).transpose()?;
        if cell != Cell::Gru {
            return Ok(Hidden {
                joint: all,
                new: None,
                projection,
            });
        }
        let size = cx.size(all, 2).floor_div(&3.into());
        let two = &size * 2;
        let biases: Option<Vec<ValueId>> = both.iter().map(|w| w.hidden_bias).collect();
        let bias = match biases {
            Some(biases) => {
                let biases: Result<Vec<ValueId>, Problem> = biases
                    .iter()
                    .map(|&b| {
                        let part = cx.slice(b, 0, &two, &size, 1)?;
                        cx.unsqueeze(part, &[0, 1])
                    })
                    .collect();
                Some(cx.concat(0, &biases?)?)
            }
            None => None,
        };
        let new = cx.slice(all, 2, &two, &size, 1)?;
        Ok(Hidden {
            joint: cx.slice(all, 2, &0.into(), &two, 1)?,
            new: Some((new, bias)),
            projection,
        })
    }

    fn step(
        &self,
        cx: &mut Importer<'_>,
        cell: Cell,
        (product, new_product): (ValueId, Option<ValueId>),
        state: State,
    ) -> Result<State, Problem> {
        let hidden = cx.value(MatMul {}, &[state.h, self.joint])?;
        let sum = cx.add(product, hidden)?;
        match (cell, state.c, &self.new, new_product) {
            (Cell::Lstm, Some(c), ..) => {
                let (mut h, c) = super::lstm_state(cx, sum, c)?;
                if let Some(projection) = self.projection {
                    h = cx.value(MatMul {}, &[h, projection])?;
                }
                Ok(State { h, c: Some(c) })
            }
            (Cell::Lstm, None, ..) => Err(Problem::unsupported("an LSTM takes h and c")),
            (Cell::Gru, _, Some((weight, bias)), Some(new_product)) => {
                let mut hidden = cx.value(MatMul {}, &[state.h, *weight])?;
                if let Some(bias) = *bias {
                    hidden = cx.add(hidden, bias)?;
                }
                let gates = cx.unary(Simple::Sigmoid, sum)?;
                let [reset, update] = super::parts(cx, gates)?;
                let h = super::gru_state(cx, (reset, update), new_product, hidden, state.h)?;
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

/// `[to, from]` of both directions as `[2, from, to]`.
fn transposed(cx: &mut Importer<'_>, both: &[ValueId]) -> Result<ValueId, Problem> {
    let mut all = Vec::new();
    for &weight in both {
        let weight = cx.permute(weight, &[1, 0])?;
        all.push(cx.unsqueeze(weight, &[0])?);
    }
    cx.concat(0, &all)
}
