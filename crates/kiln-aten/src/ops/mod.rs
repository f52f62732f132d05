//! The import functions and their rows, by area. A search for a target's name finds its row.

use crate::importer::row::Row;

mod activation;
mod arithmetic;
mod arrange;
mod assertion;
mod attention;
mod bag;
mod batch_norm;
mod behind;
mod bessel;
mod cast;
mod choose_qparams;
mod compare;
mod conv;
mod creation;
mod deform_conv;
mod distance;
mod divisor;
mod dropout;
mod einsum;
mod fake_quantize;
mod fourier;
mod gamma;
mod grouped_product;
mod histogram;
mod indexing;
mod integer_layer;
mod integer_product;
mod join;
mod logic;
mod loss;
mod matmul;
mod movement;
mod nms;
mod norm;
mod normalise;
mod order;
mod pad;
mod pool;
mod quantile;
mod quantised;
mod quantised_embedding;
mod recurrent;
mod reduce;
mod refused;
mod resample;
mod resize;
mod roi_align;
mod sampler;
mod scan;
mod scatter;
mod slicing;
mod softmax;
mod special;
mod stft;
mod strided;
mod symbolic;
mod triangle;
mod turns;
mod unary;
mod variance;
mod weight_norm;
mod window;

/// The rows of every area.
pub(crate) const AREAS: &[&[Row]] = &[
    unary::FLOAT_ROWS,
    unary::ROWS,
    activation::ROWS,
    arithmetic::ROWS,
    logic::ROWS,
    loss::ROWS,
    compare::ROWS,
    cast::ROWS,
    creation::ROWS,
    movement::ROWS,
    slicing::ROWS,
    join::ROWS,
    pad::ROWS,
    matmul::ROWS,
    conv::ROWS,
    pool::ROWS,
    softmax::ROWS,
    normalise::ROWS,
    attention::ROWS,
    resize::ROWS,
    dropout::ROWS,
    assertion::ROWS,
    order::ROWS,
    distance::ROWS,
    recurrent::ROWS,
    reduce::ROWS,
    variance::ROWS,
    scan::ROWS,
    indexing::ROWS,
    integer_product::ROWS,
    grouped_product::ROWS,
    scatter::ROWS,
    symbolic::ROWS,
    bag::ROWS,
    einsum::ROWS,
    triangle::ROWS,
    strided::ROWS,
    arrange::ROWS,
    special::ROWS,
    batch_norm::ROWS,
    resample::ROWS,
    sampler::ROWS,
    nms::ROWS,
    roi_align::ROWS,
    deform_conv::ROWS,
    fourier::ROWS,
    stft::ROWS,
    gamma::ROWS,
    bessel::ROWS,
    divisor::ROWS,
    weight_norm::ROWS,
    window::ROWS,
    quantile::ROWS,
    histogram::ROWS,
    fake_quantize::ROWS,
    refused::ROWS,
    quantised::ROWS,
    quantised_embedding::ROWS,
    choose_qparams::ROWS,
];
