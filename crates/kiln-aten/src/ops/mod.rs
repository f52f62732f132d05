//! The imports, by area. One search for a target finds its row.

use crate::table::Row;

mod activation;
mod arithmetic;
mod assertion;
mod attention;
mod cast;
mod compare;
mod conv;
mod creation;
mod distance;
mod dropout;
mod join;
mod logic;
mod matmul;
mod movement;
mod normalise;
mod order;
mod pad;
mod pool;
mod recurrent;
mod resize;
mod slicing;
mod softmax;
mod unary;

/// The rows of every area.
pub(crate) const AREAS: &[&[Row]] = &[
    unary::FLOAT_ROWS,
    unary::ROWS,
    activation::ROWS,
    arithmetic::ROWS,
    logic::ROWS,
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
];
