//! One step of a recurrent layer, and what all steps of a layer share.

use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::Builder;
use kiln_ir::ValueId;
use kiln_ir::ops::{Linear, Simple, UnaryFn};

/// The most steps that are unrolled. A longer sequence runs in a loop, even if its length is known.
pub(super) const MAX_UNROLLED: i64 = 4096;

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// An LSTM: gates input, forget, cell, output; states `h` and `c`.
    Lstm,
    /// A GRU: gates reset, update, new.
    Gru,
    /// A simple cell: `tanh` of the sum of both products.
    Tanh,
    /// A simple cell: `relu` of the sum of both products.
    Relu,
}

/// The parameters of one layer in one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub(super) input: ValueId,
    pub(super) hidden: ValueId,
    pub(super) input_bias: Option<ValueId>,
    pub(super) hidden_bias: Option<ValueId>,
    pub(super) projection: Option<ValueId>,
}

/// The state of a layer after a step: `h`, and `c` for an LSTM.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) h: ValueId,
    pub(super) c: Option<ValueId>,
}

/// A sequence: its value, and the axis that counts the steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence {
    pub(super) x: ValueId,
    pub(super) time: usize,
}

pub(super) fn linear(
    cx: &mut Importer<'_>,
    x: ValueId,
    weight: ValueId,
    bias: Option<ValueId>,
) -> Result<ValueId, Problem> {
    let operands: Vec<ValueId> = [x, weight].into_iter().chain(bias).collect();
    cx.value(Linear {}, &operands)
}

/// The last axis, cut in equal parts.
pub(super) fn parts<const N: usize>(
    cx: &mut Importer<'_>,
    v: ValueId,
) -> Result<[ValueId; N], Problem> {
    let last = cx.rank(v) - 1;
    let len = cx.size(v, last)?.floor_div(&(N as i64).into());
    let mut found = [v; N];
    for (i, part) in found.iter_mut().enumerate() {
        *part = cx.slice(v, last, &(&len * i as i64), &len, 1)?;
    }
    Ok(found)
}

impl Cell {
    /// The next state, from the input's product and the present state.
    pub(super) fn step(
        self,
        cx: &mut Importer<'_>,
        product: ValueId,
        state: State,
        w: &Weights,
    ) -> Result<State, Problem> {
        let hidden = linear(cx, state.h, w.hidden, w.hidden_bias)?;
        match (self, state.c) {
            (Cell::Lstm, Some(c)) => lstm_step(cx, product, hidden, c, w),
            (Cell::Lstm, None) => Err(Problem::unsupported("an LSTM takes h and c")),
            (Cell::Gru, _) => gru_step(cx, product, hidden, state.h),
            (Cell::Tanh | Cell::Relu, _) => {
                let sum = cx.add(product, hidden)?;
                let f = if self == Cell::Tanh {
                    Simple::Tanh.into()
                } else {
                    UnaryFn::RELU
                };
                let h = cx.unary(f, sum)?;
                Ok(State { h, c: None })
            }
        }
    }
}

pub(super) fn lstm_step(
    cx: &mut Importer<'_>,
    product: ValueId,
    hidden: ValueId,
    c: ValueId,
    w: &Weights,
) -> Result<State, Problem> {
    let sum = cx.add(product, hidden)?;
    let (mut h, c) = lstm_state(cx, sum, c)?;
    if let Some(projection) = w.projection {
        h = linear(cx, h, projection, None)?;
    }
    Ok(State { h, c: Some(c) })
}

/// The next `h` of an LSTM before its projection, and the next `c`.
pub(super) fn lstm_state(
    cx: &mut Importer<'_>,
    sum: ValueId,
    c: ValueId,
) -> Result<(ValueId, ValueId), Problem> {
    let [input, forget, new, output] = parts(cx, sum)?;
    let input = cx.unary(Simple::Sigmoid, input)?;
    let forget = cx.unary(Simple::Sigmoid, forget)?;
    let new = cx.unary(Simple::Tanh, new)?;
    let output = cx.unary(Simple::Sigmoid, output)?;
    let kept = cx.mul(forget, c)?;
    let added = cx.mul(input, new)?;
    let c = cx.add(kept, added)?;
    let shown = cx.unary(Simple::Tanh, c)?;
    Ok((cx.mul(output, shown)?, c))
}

/// The next `h` of a GRU: `new + update * (h - new)`. The reset gate limits the hidden product of `new`.
pub(super) fn gru_step(
    cx: &mut Importer<'_>,
    product: ValueId,
    hidden: ValueId,
    h: ValueId,
) -> Result<State, Problem> {
    let [reset, update, new] = parts(cx, product)?;
    let [hidden_reset, hidden_update, hidden_new] = parts(cx, hidden)?;
    let reset = cx.add(reset, hidden_reset)?;
    let reset = cx.unary(Simple::Sigmoid, reset)?;
    let update = cx.add(update, hidden_update)?;
    let update = cx.unary(Simple::Sigmoid, update)?;
    let h = gru_state(cx, (reset, update), new, hidden_new, h)?;
    Ok(State { h, c: None })
}

/// The next `h` of a GRU, from the gates and the products of the new state.
pub(super) fn gru_state(
    cx: &mut Importer<'_>,
    (reset, update): (ValueId, ValueId),
    new: ValueId,
    hidden_new: ValueId,
    h: ValueId,
) -> Result<ValueId, Problem> {
    let limited = cx.mul(reset, hidden_new)?;
    let new = cx.add(new, limited)?;
    let new = cx.unary(Simple::Tanh, new)?;
    let distance = cx.sub(h, new)?;
    let part = cx.mul(update, distance)?;
    cx.add(new, part)
}

impl Weights {
    /// The parameters, in the order of the fields.
    pub(super) fn parameters(&self) -> impl Iterator<Item = ValueId> + use<> {
        let always = [self.input, self.hidden].into_iter();
        let others = [self.input_bias, self.hidden_bias, self.projection];
        always.chain(others.into_iter().flatten())
    }

    /// The weights with `f` applied to each parameter.
    pub(super) fn map(
        &self,
        mut f: impl FnMut(ValueId) -> Result<ValueId, Problem>,
    ) -> Result<Weights, Problem> {
        Ok(Weights {
            input: f(self.input)?,
            input_bias: self.input_bias.map(&mut f).transpose()?,
            ..self.hidden_side(f)?
        })
    }

    /// The weights with `f` applied to each parameter of the hidden side, in the order of the fields.
    pub(super) fn hidden_side(
        &self,
        mut f: impl FnMut(ValueId) -> Result<ValueId, Problem>,
    ) -> Result<Weights, Problem> {
        Ok(Weights {
            hidden: f(self.hidden)?,
            hidden_bias: self.hidden_bias.map(&mut f).transpose()?,
            projection: self.projection.map(&mut f).transpose()?,
            ..*self
        })
    }
}

impl State {
    /// `h`, and `c` if there is one.
    pub(super) fn parts(&self) -> impl Iterator<Item = ValueId> + use<> {
        [Some(self.h), self.c].into_iter().flatten()
    }

    /// The state with `f` applied to each part.
    pub(super) fn map(
        self,
        mut f: impl FnMut(ValueId) -> Result<ValueId, Problem>,
    ) -> Result<State, Problem> {
        Ok(State {
            h: f(self.h)?,
            c: self.c.map(f).transpose()?,
        })
    }

    /// The first states of both directions of a layer, along axis 0.
    pub(super) fn of_both(&self, cx: &mut Importer<'_>, layer: usize) -> Result<State, Problem> {
        let mut pick = |v: ValueId| cx.slice(v, 0, 2 * layer as i64, 2, 1);
        Ok(State {
            h: pick(self.h)?,
            c: self.c.map(pick).transpose()?,
        })
    }

    pub(super) fn at(&self, cx: &mut Importer<'_>, i: usize) -> Result<State, Problem> {
        let mut pick = |v: ValueId| {
            let one = cx.slice(v, 0, i as i64, 1, 1)?;
            cx.squeeze(one, &[0])
        };
        Ok(State {
            h: pick(self.h)?,
            c: self.c.map(pick).transpose()?,
        })
    }
}

/// The outputs of all steps in the order in which they are computed, each with a time axis, and the last state.
pub(super) fn each_step(
    cx: &mut Importer<'_>,
    cell: Cell,
    products: Sequence,
    steps: i64,
    mut state: State,
    w: &Weights,
    backward: bool,
) -> Result<(Vec<ValueId>, State), Problem> {
    let time = products.time;
    let mut outputs = Vec::new();
    for i in 0..steps {
        let at = if backward { steps - 1 - i } else { i };
        let product = cx.slice(products.x, time, at, 1, 1)?;
        let product = cx.squeeze(product, &[time])?;
        state = cell.step(cx, product, state, w)?;
        outputs.push(cx.unsqueeze(state.h, &[time])?);
    }
    Ok((outputs, state))
}
