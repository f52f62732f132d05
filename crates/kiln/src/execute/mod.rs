//! Runs of a model on an executor: the evaluator, the builtin runtime, the stock runtime; a TOSA file on its evaluator.
//!
//! Each takes all runs at once, in order, on one loaded model, so that state carries over.

mod builtin;
mod evaluator;
mod stock;
mod tosa;
mod tosa_model;
mod xnnpack_backend;

pub use builtin::run_builtin;
pub use evaluator::run_graph;
pub use stock::{StockOptions, StockReport, find_runner, run_stock};
pub use tosa::{as_integers, run_tosa, tosa_inputs};
pub use tosa_model::{TosaModel, TosaRunner, run_tosa_model};

use kiln_ir::{DType, Scalar, TensorData};

/// A frozen number as the 0-d tensor that stands for it in a file.
pub(crate) fn scalar_tensor(scalar: Scalar) -> TensorData {
    let dtype = match scalar {
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(_) => DType::I64,
        Scalar::Float(_) => DType::F64,
    };
    TensorData::scalar(dtype, scalar)
}
