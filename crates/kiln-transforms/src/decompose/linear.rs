//! Expands a linear layer on a vector to one on a matrix with one row, and a linear layer that the target lacks to a
//! product and a sum.
//!
//! ```kiln
//! decompose none linear
//! graph "linear" {
//!   input tensor "x" [0]
//!   input tensor "w" [0, 1]
//!   input tensor "b" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "w": f32[2, 3], %2 "b": f32[2]) {
//!     %3: f32[2] = linear %0, %1, %2 {}
//!     return %3
//!   }
//! }
//! ---
//! graph "linear" {
//!   input tensor "x" [0]
//!   input tensor "w" [0, 1]
//!   input tensor "b" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "w": f32[2, 3], %2 "b": f32[2]) {
//!     %3: f32[1, 3] = move %0 {movement=(a:3 -> 1 a)}
//!     %4: f32[3, 2] = move %1 {movement=(a:2 b:3 -> b a)}
//!     %5: f32[1, 2] = matmul %3, %4 {}
//!     %6: f32[1, 2] = move %2 {movement=(a:2 -> 1 a)}
//!     %7: f32[1, 2] = binary %5, %6 {f=add}
//!     %8: f32[2] = move %7 {movement=(1 a:2 -> a)}
//!     return %8
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use kiln_ir::ops::{BinaryFn, Linear};
use kiln_ir::types::Shape;
use kiln_ir::{Builder, Dim, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "linear",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let operands = emitter.graph().node(node).operands.clone();
    let shape = emitter.shape(operands[0]);
    if shape.rank() > 1 {
        return only(product(emitter, &operands));
    }
    let mut on_matrix = operands.clone();
    on_matrix[0] = emitter.unsqueeze(operands[0], &[0])?;
    let value = if emitter.runs(Linear {}, &on_matrix) {
        emitter.value(Linear {}, &on_matrix)?
    } else {
        product(emitter, &on_matrix)?
    };
    only(emitter.squeeze(value, &[0]))
}

/// The product of `x` and the transposed weight, plus the bias.
fn product(emitter: &mut Emitter<'_, '_>, operands: &[ValueId]) -> Emitted {
    let shape = emitter.shape(operands[0]);
    let last = shape.rank() - 1;
    let rows: Dim = shape[..last].iter().cloned().product();
    let x = emitter.reshape(operands[0], vec![rows, shape[last].clone()])?;
    let weight = emitter.transpose(operands[1], 0, 1)?;
    let mut value = emitter.matmul(x, weight)?;
    if let Some(&bias) = operands.get(2) {
        let bias = emitter.unsqueeze(bias, &[0])?;
        value = emitter.binary(BinaryFn::Add, value, bias)?;
    }
    let outputs = emitter.shape(operands[1])[0].clone();
    let result: Shape = shape[..last].iter().cloned().chain([outputs]).collect();
    emitter.reshape(value, result)
}
