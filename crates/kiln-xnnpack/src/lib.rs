//! The XNNPACK target: support table, payload dialect, lowering, writer, reader and evaluator.

pub mod payload;
