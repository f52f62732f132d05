//! Recurrent layers and cells.
//!
//! The products of the input and its weights are one `linear` for all steps. A sequence of known length is unrolled, in
//! blocks if the weights are large ([`blocks`]), and with both directions of a layer together ([`pair`]). A long one is a
//! loop over blocks ([`rolled`]). A sequence of symbolic length is a loop over steps ([`looped`]).

mod blocks;
mod cell;
mod looped;
mod pair;
mod rolled;

use self::cell::{Cell, MAX_UNROLLED, Sequence, State, Weights, each_step, linear};
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::Builder;
use kiln_ir::ValueId;

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

fn packed(_: &mut Importer<'_>, _: &Args<'_>) -> Result<Returns, Problem> {
    Err(Problem::unsupported(
        "takes a packed sequence, whose batch sizes are data; give the layer a padded tensor instead of `pack_padded_sequence`",
    ))
}

/// The parameters in the order in which the layer lists them: by layer, by direction.
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
    let sequence = Sequence {
        x: a.tensor("input")?,
        time: usize::from(a.bool("batch_first")?),
    };
    if cx.rank(sequence.x) != 3 {
        return Err(Problem::unsupported("takes an input of rank 3"));
    }
    let (outputs, last) = match a.bool("bidirectional")? {
        false => one_way(cx, cell, sequence, &first, &weights)?,
        true => both_ways(cx, cell, sequence, &first, &weights)?,
    };
    layer_results(cx, cell, outputs, &last)
}

/// All layers of one direction: the outputs of the last layer, and the last state of each layer.
fn one_way(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    first: &State,
    weights: &[Weights],
) -> Result<(ValueId, Vec<State>), Problem> {
    if let Some(blocks) = rolled::blocks_of(cx, sequence, weights) {
        let states = (0..weights.len()).map(|layer| first.at(cx, layer));
        let states: Vec<State> = states.collect::<Result<_, _>>()?;
        return rolled::one_way(cx, cell, sequence, &states, weights, blocks);
    }
    if let Some(block) = blocks::steps_of_block(cx, sequence, weights, 1) {
        return blocks::unrolled(cx, cell, sequence, first, weights, block);
    }
    let (mut sequence, mut last) = (sequence, Vec::new());
    for (layer, w) in weights.iter().enumerate() {
        let state = first.at(cx, layer)?;
        let (output, state) = run(cx, cell, sequence, state, w, false)?;
        sequence.x = output;
        last.push(state);
    }
    Ok((sequence.x, last))
}

/// All layers of both directions: the outputs of the last layer, joined along the last axis, and the last state of each
/// layer and direction.
fn both_ways(
    cx: &mut Importer<'_>,
    cell: Cell,
    mut sequence: Sequence,
    first: &State,
    weights: &[Weights],
) -> Result<(ValueId, Vec<State>), Problem> {
    // Both directions of one layer can run in blocks. A second layer would need the whole output of the first one.
    let block = (weights.len() == 2)
        .then(|| blocks::steps_of_block(cx, sequence, weights, 2))
        .flatten();
    let mut last = Vec::new();
    for (layer, both) in weights.chunks(2).enumerate() {
        let state = first.of_both(cx, layer)?;
        let (output, state) = if let Some(blocks) = rolled::blocks_of(cx, sequence, both) {
            rolled::both_ways(cx, cell, sequence, state, both, blocks)?
        } else if let Some(steps) = pair::steps(cx, sequence) {
            let steps = (steps, block.unwrap_or(steps));
            pair::unrolled(cx, cell, sequence, steps, state, both)?
        } else {
            one_by_one(cx, cell, sequence, state, both)?
        };
        sequence.x = output;
        for direction in 0..2 {
            last.push(state.at(cx, direction)?);
        }
    }
    Ok((sequence.x, last))
}

/// Both directions of a layer, one after the other.
fn one_by_one(
    cx: &mut Importer<'_>,
    cell: Cell,
    sequence: Sequence,
    first: State,
    both: &[Weights],
) -> Result<(ValueId, State), Problem> {
    let (mut outputs, mut last) = (Vec::new(), Vec::new());
    for (direction, w) in both.iter().enumerate() {
        let state = first.at(cx, direction)?;
        let (output, state) = run(cx, cell, sequence, state, w, direction == 1)?;
        outputs.push(output);
        last.push(state);
    }
    let state = State {
        h: stacked(cx, &last, |s| Some(s.h))?,
        c: first.c.map(|_| stacked(cx, &last, |s| s.c)).transpose()?,
    };
    Ok((cx.concat(&outputs, 2)?, state))
}

fn layer_results(
    cx: &mut Importer<'_>,
    cell: Cell,
    outputs: ValueId,
    last: &[State],
) -> Result<Returns, Problem> {
    let mut results: Vec<Return> = vec![outputs.into(), stacked(cx, last, |s| Some(s.h))?.into()];
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

fn stacked(
    cx: &mut Importer<'_>,
    states: &[State],
    part: impl Fn(&State) -> Option<ValueId>,
) -> Result<ValueId, Problem> {
    let mut all = Vec::new();
    for v in states.iter().filter_map(part) {
        all.push(cx.unsqueeze(v, &[0])?);
    }
    cx.concat(&all, 0)
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
        Some(steps) if steps <= MAX_UNROLLED => {
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
    Ok((cx.concat(&outputs, products.time)?, state))
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
