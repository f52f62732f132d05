//! Expands a scan to `log2(n)` steps. Each step combines every element with the one twice as far back as in the step
//! before.
//!
//! This is exact for integers and for extremes. Unlike a product with a triangular matrix, it does not spread
//! infinities and NaN to other results.
//!
//! ```kiln
//! decompose none scan
//! graph "scan" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[4]) {
//!     %1: f32[4] = scan %0 {f=sum, axis=0}
//!     return %1
//!   }
//! }
//! ---
//! graph "scan" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[4]) {
//!     %1: f32[5] = pad %0 {low=[1], high=[0], mode=constant 0}
//!     %2: f32[4] = slice %1 {axis=0, start=0, len=4, step=1}
//!     %3: f32[4] = binary %2, %0 {f=add}
//!     %4: f32[6] = pad %3 {low=[2], high=[0], mode=constant 0}
//!     %5: f32[4] = slice %4 {axis=0, start=0, len=4, step=1}
//!     %6: f32[4] = binary %5, %3 {f=add}
//!     return %6
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Scan, ScanFn};
use kiln_ir::{Builder, DType, NodeId, Scalar};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "scan",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Scan);
    let mut x = operand(emitter, node, 0);
    let size = emitter.shape(x)[op.axis].clone();
    let Some(most) = emitter.graph().symbols.max(&size) else {
        return Err(Reason::new(
            "the number of elements has a known bound",
            "a size without bound",
        ));
    };
    let (f, neutral) = fold_of(&op, emitter.ty(x).dtype);
    let mut distance = 1;
    while distance < most {
        let shifted = emitter.pad_axis(x, op.axis, distance, 0, neutral)?;
        let shifted = emitter.slice(shifted, op.axis, 0, size.clone(), 1)?;
        x = emitter.binary(f, shifted, x)?;
        distance *= 2;
    }
    only(Ok(x))
}

/// The binary function and its neutral element.
fn fold_of(op: &Scan, dtype: DType) -> (BinaryFn, Scalar) {
    let range = dtype.int_range();
    match op.f {
        ScanFn::Sum => (BinaryFn::Add, Scalar::Int(0)),
        ScanFn::Prod => (BinaryFn::Mul, Scalar::Int(1)),
        ScanFn::Max => (
            BinaryFn::Max,
            range.map_or(Scalar::Float(f64::NEG_INFINITY), |r| Scalar::Int(r.0)),
        ),
        ScanFn::Min => (
            BinaryFn::Min,
            range.map_or(Scalar::Float(f64::INFINITY), |r| Scalar::Int(r.1)),
        ),
    }
}
