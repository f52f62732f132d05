//! Layers of singular value decompositions in time: `arm_svdf_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::{Stage, dot};
use crate::dialect::{Activation, Build, Svdf};

/// The state after a time step, and the output. The state has a row of the last time steps for each feature of each batch.
pub(super) fn step(svdf: &Svdf, arguments: &Arguments<'_>, build: Build) -> Vec<Data> {
    let held = arguments.data("state_data");
    let mut state = held.raised(0);
    // All rows move by one step at once; what comes into the last step of each row is overwritten.
    state.rotate_left(1);
    let steps = svdf.weights_time_dims.sizes()[1];
    let news = features(svdf, arguments, build);
    for (row, new) in state.chunks_exact_mut(steps).zip(news) {
        row[steps - 1] = new;
    }
    let output = output(svdf, arguments, &state);
    vec![
        Data::narrowed(held.dtype(), state),
        Data::narrowed(arguments.data("output_data").dtype(), output),
    ]
}

/// The features of the input, batch by batch. On MVE the kernel sums stand for the zero point of the input.
fn features(svdf: &Svdf, arguments: &Arguments<'_>, build: Build) -> Vec<i32> {
    let params = &svdf.svdf_params;
    let sums = arguments.i32("ctx.buf").filter(|_| build == Build::Mve);
    let offset = if sums.is_some() {
        0
    } else {
        -params.input_offset
    };
    let x = arguments.data("input_data").raised(offset);
    let w = arguments.data("weights_feature_data").raised(0);
    let quant = &svdf.input_quant_params;
    let stage = Stage::new(
        &[quant.multiplier],
        &[quant.shift],
        0,
        &params.input_activation,
    );
    let inputs = svdf.input_dims.sizes()[1];
    let mut found = Vec::new();
    for x in x.chunks_exact(inputs) {
        let of_batch = w.chunks_exact(inputs).enumerate();
        found.extend(of_batch.map(|(feature, w)| {
            let first = sums.map_or(0, |sums| sums[feature]);
            stage.of(0, dot(x, w).wrapping_add(first))
        }));
    }
    found
}

/// The output: for each unit, the sum of the products of its features' state with the weights of time.
fn output(svdf: &Svdf, arguments: &Arguments<'_>, state: &[i32]) -> Vec<i32> {
    let params = &svdf.svdf_params;
    let w = arguments.data("weights_time_data").raised(0);
    let bias = arguments.i32("bias_data");
    let quant = &svdf.output_quant_params;
    // The library's last cast is to 8 bits, and so are the limits on MVE.
    let Activation { min, max } = params.output_activation;
    let stage = Stage::new(
        &[quant.multiplier],
        &[quant.shift],
        params.output_offset,
        &Activation { min, max },
    );
    let [features, steps, ..] = svdf.weights_time_dims.sizes();
    let rank = params.rank as usize;
    let units = features / rank;
    let mut results = Vec::new();
    for state in state.chunks_exact(features * steps) {
        let products = state
            .chunks_exact(steps)
            .zip(w.chunks_exact(steps))
            .map(|(x, w)| dot(x, w));
        let products: Vec<i32> = products.collect();
        results.extend((0..units).map(|unit| {
            let first = bias.map_or(0, |bias| bias[unit]);
            let all = &products[unit * rank..][..rank];
            stage.of(0, all.iter().fold(first, |sum, x| sum.wrapping_add(*x)))
        }));
    }
    results
}
