//! Recurrent layers and cells.
//!
//! The products of the input with its weights are one `linear` for all steps. A known sequence length is
//! unrolled, in blocks where the weights are large ([`blocks`]), and both directions of a layer together ([`pair`]);
//! over a symbolic one runs a `while` that carries position, state and output.

mod blocks;
mod looped;
mod pair;

use crate::arguments::Args;
use crate::error::Problem;
use crate::importer::Importer;
use crate::table::Row;
use crate::variable::{Return, Returns, one};
use kiln_ir::ValueId;
use kiln_ir::ops::{Linear, Simple, UnaryFn};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| layers(cx, a, Cell::Lstm),
        &[
            "aten.lstm.input(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)",
        ],
    ),
    Row::new(
        |cx, a| layers(cx, a, Cell::Gru),
        &[
            "aten.gru.input(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)",
        ],
    ),
    Row::new(
        |cx, a| layers(cx, a, Cell::Tanh),
        &[
            "aten.rnn_tanh.input(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)",
        ],
    ),
    Row::new(
        |cx, a| layers(cx, a, Cell::Relu),
        &[
            "aten.rnn_relu.input(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)",
        ],
    ),
    Row::new(
        packed,
        &[
            "aten.lstm.data(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)",
            "aten.gru.data(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)",
            "aten.rnn_tanh.data(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)",
            "aten.rnn_relu.data(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)",
        ],
    ),
    Row::new(
        lstm_cell,
        &["aten.lstm_cell.default(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)"],
    ),
    Row::new(
        |cx, a| cell(cx, a, Cell::Gru),
        &["aten.gru_cell.default(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)"],
    ),
    Row::new(
        |cx, a| cell(cx, a, Cell::Tanh),
        &["aten.rnn_tanh_cell.default(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)"],
    ),
    Row::new(
        |cx, a| cell(cx, a, Cell::Relu),
        &["aten.rnn_relu_cell.default(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)"],
    ),
];

/// More steps than that run in a loop though their number is known.
const MOST_UNROLLED: i64 = 4096;

/// What one step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    /// Gates input, forget, cell, output; state `h` and `c`.
    Lstm,
    /// Gates reset, update, new.
    Gru,
    /// `tanh` of the sum of both products.
    Tanh,
    /// `relu` of it.
    Relu,
}

/// The parameters of one layer in one direction.
#[derive(Clone, Copy, Debug)]
struct Weights {
    input: ValueId,
    hidden: ValueId,
    input_bias: Option<ValueId>,
    hidden_bias: Option<ValueId>,
    projection: Option<ValueId>,
}

/// What a step hands to the next: `h`, and `c` for an LSTM.
#[derive(Clone, Copy, Debug)]
struct State {
    h: ValueId,
    c: Option<ValueId>,
}

/// A sequence: the value and which axis counts the steps.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    x: ValueId,
    time: usize,
}

fn packed(_: &mut Importer<'_>, _: &Args<'_>) -> Result<Returns, Problem> {
    Err(Problem::unsupported(
        "takes a packed sequence, whose batch sizes are data; give the layer a padded tensor instead of `pack_padded_sequence`",
    ))
}

fn linear(
    cx: &mut Importer<'_>,
    x: ValueId,
    weight: ValueId,
    bias: Option<ValueId>,
) -> Result<ValueId, Problem> {
    let operands: Vec<ValueId> = [x, weight].into_iter().chain(bias).collect();
    cx.value(Linear {}, &operands)
}

/// Equal parts of the last axis.
fn parts<const N: usize>(cx: &mut Importer<'_>, v: ValueId) -> Result<[ValueId; N], Problem> {
    let last = cx.rank(v) - 1;
    let len = cx.size(v, last)?.floor_div(&(N as i64).into());
    let mut found = [v; N];
    for (i, part) in found.iter_mut().enumerate() {
        *part = cx.slice(v, last, &(&len * i as i64), &len, 1)?;
    }
    Ok(found)
}

impl Cell {
    /// The next state, from the input's product and the state.
    fn step(
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

fn lstm_step(
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

/// The next `h`, before it is projected, and `c`.
fn lstm_state(
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

/// `new + update * (h - new)`, the hidden product of `new` limited by the reset gate.
fn gru_step(
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

/// The next `h`, from the gates and the products of the new state.
fn gru_state(
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

/// The parameters as the layer lists them: by layer, by direction.
fn weights(cx: &Importer<'_>, a: &Args<'_>, cell: Cell) -> Result<Vec<Weights>, Problem> {
    let list = a.tensors("params")?;
    let biased = a.bool("has_biases")?;
    let directions = 1 + i64::from(a.bool("bidirectional")?);
    let count = a.int("num_layers")?.saturating_mul(directions);
    let plain = if biased { 4 } else { 2 };
    let each = list.len() as i64 / count.max(1);
    let projected = cell == Cell::Lstm && each == plain + 1;
    if count < 1 || list.len() as i64 != count.saturating_mul(each) || !(projected || each == plain)
    {
        return Err(Problem::unsupported(format!(
            "{} parameters for {count} layers and directions of {}",
            list.len(),
            if biased { "4 or 5" } else { "2 or 3" }
        )));
    }
    let wrong = list.iter().find(|&&v| cx.rank(v) == 0 || cx.rank(v) > 2);
    if wrong.is_some() {
        return Err(Problem::unsupported("a parameter is no matrix or vector"));
    }
    let of = |w: &[ValueId]| Weights {
        input: w[0],
        hidden: w[1],
        input_bias: biased.then(|| w[2]),
        hidden_bias: biased.then(|| w[3]),
        projection: projected.then(|| w[w.len() - 1]),
    };
    Ok(list.chunks_exact(each as usize).map(of).collect())
}

fn layers(cx: &mut Importer<'_>, a: &Args<'_>, cell: Cell) -> Result<Returns, Problem> {
    if a.bool("train")? && a.float("dropout")? != 0.0 {
        return Err(Problem::unsupported(
            "train=True drops out at random; export the model in eval mode",
        ));
    }
    let weights = weights(cx, a, cell)?;
    let first = initial(a, cell)?;
    if [Some(first.h), first.c]
        .into_iter()
        .flatten()
        .any(|v| cx.rank(v) != 3)
    {
        return Err(Problem::unsupported("takes states of rank 3"));
    }
    let directions = 1 + usize::from(a.bool("bidirectional")?);
    let mut sequence = Sequence {
        x: a.tensor("input")?,
        time: usize::from(a.bool("batch_first")?),
    };
    if cx.rank(sequence.x) != 3 {
        return Err(Problem::unsupported("takes an input of rank 3"));
    }
    let mut last = Vec::new();
    // Two directions of one layer can run in blocks; a second layer needs the whole first.
    let block = (directions == 1 || weights.len() == directions)
        .then(|| blocks::steps_of_block(cx, sequence, &weights, directions))
        .flatten();
    if directions == 1
        && let Some(block) = block
    {
        (sequence.x, last) = blocks::unrolled(cx, cell, sequence, &first, &weights, block)?;
        return layer_results(cx, cell, sequence, &last);
    }
    for (layer, both) in weights.chunks(directions).enumerate() {
        if directions == 2
            && let Some(steps) = pair::steps(cx, sequence)
        {
            let state = first.of_both(cx, layer)?;
            let (outputs, state) = pair::unrolled(
                cx,
                cell,
                sequence,
                (steps, block.unwrap_or(steps)),
                state,
                both,
            )?;
            sequence.x = outputs;
            for direction in 0..2 {
                last.push(state.at(cx, direction)?);
            }
            continue;
        }
        let mut outputs = Vec::new();
        for (direction, w) in both.iter().enumerate() {
            let state = first.at(cx, layer * directions + direction)?;
            let (output, state) = run(cx, cell, sequence, state, w, direction == 1)?;
            outputs.push(output);
            last.push(state);
        }
        sequence.x = cx.concat(2, &outputs)?;
    }
    layer_results(cx, cell, sequence, &last)
}

fn layer_results(
    cx: &mut Importer<'_>,
    cell: Cell,
    outputs: Sequence,
    last: &[State],
) -> Result<Returns, Problem> {
    let mut results: Vec<Return> = vec![outputs.x.into(), stacked(cx, last, |s| Some(s.h))?.into()];
    if cell == Cell::Lstm {
        results.push(stacked(cx, last, |s| s.c)?.into());
    }
    Ok(results)
}

/// The initial states of all layers and directions, along axis 0.
fn initial(a: &Args<'_>, cell: Cell) -> Result<State, Problem> {
    if cell != Cell::Lstm {
        return Ok(State {
            h: a.tensor("hx")?,
            c: None,
        });
    }
    match a.tensors("hx")?.as_slice() {
        &[h, c] => Ok(State { h, c: Some(c) }),
        other => Err(Problem::unsupported(format!(
            "an LSTM takes h and c, found {} states",
            other.len()
        ))),
    }
}

impl State {
    /// The same of each part.
    fn map(self, mut f: impl FnMut(ValueId) -> Result<ValueId, Problem>) -> Result<State, Problem> {
        Ok(State {
            h: f(self.h)?,
            c: self.c.map(f).transpose()?,
        })
    }

    /// The first states of both directions of a layer, along axis 0.
    fn of_both(&self, cx: &mut Importer<'_>, layer: usize) -> Result<State, Problem> {
        let mut pick = |v: ValueId| cx.slice(v, 0, &(2 * layer as i64).into(), &2.into(), 1);
        Ok(State {
            h: pick(self.h)?,
            c: self.c.map(pick).transpose()?,
        })
    }

    fn at(&self, cx: &mut Importer<'_>, i: usize) -> Result<State, Problem> {
        let mut pick = |v: ValueId| {
            let one = cx.slice(v, 0, &(i as i64).into(), &1.into(), 1)?;
            cx.squeeze(one, &[0])
        };
        Ok(State {
            h: pick(self.h)?,
            c: self.c.map(pick).transpose()?,
        })
    }
}

fn stacked(
    cx: &mut Importer<'_>,
    states: &[State],
    part: impl Fn(&State) -> Option<ValueId>,
) -> Result<ValueId, Problem> {
    let mut all = Vec::new();
    for v in states.iter().filter_map(part) {
        all.push(cx.unsqueeze(v, &[0])?);
    }
    cx.concat(0, &all)
}

/// One layer in one direction: its outputs and last state.
fn run(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    state: State,
    w: &Weights,
    backward: bool,
) -> Result<(ValueId, State), Problem> {
    let products = Sequence {
        x: linear(cx, sequence.x, w.input, w.input_bias)?,
        time: sequence.time,
    };
    match cx.size(products.x, products.time)?.as_const() {
        Some(steps) if steps < 1 => Err(Problem::unsupported("takes at least one step")),
        Some(steps) if steps <= MOST_UNROLLED => {
            unrolled(cx, cell, products, steps, state, w, backward)
        }
        _ => looped::looped(cx, cell, products, state, w, backward),
    }
}

fn unrolled(
    cx: &mut Importer<'_>,
    cell: Cell,
    products: Sequence,
    steps: i64,
    state: State,
    w: &Weights,
    backward: bool,
) -> Result<(ValueId, State), Problem> {
    let (mut outputs, state) = each_step(cx, cell, products, steps, state, w, backward)?;
    if backward {
        outputs.reverse();
    }
    Ok((cx.concat(products.time, &outputs)?, state))
}

/// The outputs of the steps as they are taken, each with an axis for the time, and the last state.
fn each_step(
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
        let product = cx.slice(products.x, time, &at.into(), &1.into(), 1)?;
        let product = cx.squeeze(product, &[time])?;
        state = cell.step(cx, product, state, w)?;
        outputs.push(cx.unsqueeze(state.h, &[time])?);
    }
    Ok((outputs, state))
}

fn cell_weights(a: &Args<'_>) -> Result<Weights, Problem> {
    Ok(Weights {
        input: a.tensor("w_ih")?,
        hidden: a.tensor("w_hh")?,
        input_bias: a.optional_tensor("b_ih")?,
        hidden_bias: a.optional_tensor("b_hh")?,
        projection: None,
    })
}

fn one_step(cx: &mut Importer<'_>, a: &Args<'_>, cell: Cell) -> Result<State, Problem> {
    let w = cell_weights(a)?;
    let state = initial(a, cell)?;
    let product = linear(cx, a.tensor("input")?, w.input, w.input_bias)?;
    cell.step(cx, product, state, &w)
}

fn lstm_cell(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let State { h, c } = one_step(cx, a, Cell::Lstm)?;
    Ok([h].into_iter().chain(c).map(Return::from).collect())
}

fn cell(cx: &mut Importer<'_>, a: &Args<'_>, cell: Cell) -> Result<Returns, Problem> {
    one(one_step(cx, a, cell)?.h)
}
