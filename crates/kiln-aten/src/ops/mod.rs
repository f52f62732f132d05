//! The imports, by area. One search for a target finds its row.

use crate::table::Row;

mod activation;
mod unary;

/// The rows of every area.
pub(crate) const AREAS: &[&[Row]] = &[unary::FLOAT_ROWS, unary::ROWS, activation::ROWS];
