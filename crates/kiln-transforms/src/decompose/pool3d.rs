//! Expands a pool over three axes to one over the last two, followed by one over the first.
//!
//! This is possible because maxima and sums are separable. For the index of a maximum, the second pool gives the plane,
//! and the first one the position in that plane, which is looked up.
//!
//! ```kiln
//! decompose none pool.3d
//! graph "pool3d" {
//!   input tensor "x" [0, 1, 2, 3, 4]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 6, 6]) {
//!     %1: f32[1, 2, 2, 3, 3] = pool %0 {f=max, kernel=[2, 2, 2], stride=[2, 2, 2], pad_low=[0, 0, 0], pad_high=[0, 0, 0], dilation=[1, 1, 1], ceil=false}
//!     return %1
//!   }
//! }
//! ---
//! graph "pool3d" {
//!   input tensor "x" [0, 1, 2, 3, 4]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 6, 6]) {
//!     %1: f32[1, 8, 6, 6] = move %0 {movement=(e:1 a:2 b:4 c:6 d:6 -> e (a b) c d)}
//!     %2: f32[1, 8, 3, 3] = pool %1 {f=max, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     %3: f32[1, 2, 4, 9] = move %2 {movement=(e:1 (a:2 b:4) c:3 d:3 -> e a b (c d))}
//!     %4: f32[1, 2, 2, 9] = pool %3 {f=max, kernel=[2, 1], stride=[2, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     %5: f32[1, 2, 2, 3, 3] = move %4 {movement=(e:1 a:2 b:2 (c:3 d:3) -> e a b c d)}
//!     return %5
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Gather, Pool, PoolFn};
use kiln_ir::{Builder, Dim, NodeId, ValueId};
use smallvec::smallvec;

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "pool3d",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Pool);
    let x = operand(emitter, node, 0);
    let result = emitter.shape(emitter.graph().node(node).results[0]);
    match op.f {
        PoolFn::Max => {
            let value = stages(emitter, x, &op, PoolFn::Max, PoolFn::Max)?;
            only(emitter.reshape(value, result))
        }
        PoolFn::Avg {
            count_include_pad,
            divisor,
        } => {
            let inner = PoolFn::Avg {
                count_include_pad,
                divisor: divisor.map(|_| 1),
            };
            let value = stages(emitter, x, &op, inner, op.f)?;
            only(emitter.reshape(value, result))
        }
        PoolFn::MaxWithIndices => with_indices(emitter, x, &op, &result),
    }
}

/// `[n, c, d, h, w]` viewed as `[n, c * d, h, w]`.
fn planes(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Result<ValueId, Reason> {
    let s = emitter.shape(x);
    emitter.reshape(
        x,
        vec![s[0].clone(), &s[1] * &s[2], s[3].clone(), s[4].clone()],
    )
}

/// `[n, c * d, h, w]` viewed as `[n, c, d, h * w]`.
fn columns(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    channels: &Dim,
    depth: &Dim,
) -> Result<ValueId, Reason> {
    let s = emitter.shape(x);
    emitter.reshape(
        x,
        vec![s[0].clone(), channels.clone(), depth.clone(), &s[2] * &s[3]],
    )
}

/// The pool within planes, and the pool across planes.
fn halves(op: &Pool, within: PoolFn, across: PoolFn) -> (Pool, Pool) {
    let within = Pool {
        f: within,
        kernel: op.kernel[1..].to_vec(),
        stride: op.stride[1..].to_vec(),
        pad_low: op.pad_low[1..].to_vec(),
        pad_high: op.pad_high[1..].to_vec(),
        dilation: op.dilation[1..].to_vec(),
        ceil: op.ceil,
    };
    let across = Pool {
        f: across,
        kernel: vec![op.kernel[0], 1],
        stride: vec![op.stride[0], 1],
        pad_low: vec![op.pad_low[0], 0],
        pad_high: vec![op.pad_high[0], 0],
        dilation: vec![op.dilation[0], 1],
        ceil: op.ceil,
    };
    (within, across)
}

/// Applies both pools; the result is `[n, c, d', h' * w']`.
fn stages(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    op: &Pool,
    within: PoolFn,
    across: PoolFn,
) -> Result<ValueId, Reason> {
    let shape = emitter.shape(x);
    let (within, across) = halves(op, within, across);
    let x = planes(emitter, x)?;
    let x = emitter.value(within, &[x])?;
    let x = columns(emitter, x, &shape[1], &shape[2])?;
    emitter.value(across, &[x])
}

fn with_indices(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    op: &Pool,
    result: &kiln_ir::types::Shape,
) -> Expanded {
    let shape = emitter.shape(x);
    let (within, across) = halves(op, PoolFn::MaxWithIndices, PoolFn::MaxWithIndices);
    let x = planes(emitter, x)?;
    let first = emitter.results(within, &[x])?;
    let columns_of = |emitter: &mut Emitter<'_, '_>, v| columns(emitter, v, &shape[1], &shape[2]);
    let (value, place) = (
        columns_of(emitter, first[0])?,
        columns_of(emitter, first[1])?,
    );
    let width = emitter.shape(value)[3].clone();
    let second = emitter.results(across, &[value])?;
    let rows: Dim = &shape[0] * &shape[1];
    let all = emitter.reshape(place, vec![rows.clone(), &shape[2] * &width])?;
    let chosen = emitter.reshape(second[1], vec![rows, &result[2] * &width])?;
    let place = emitter.value(Gather { axis: 1 }, &[all, chosen])?;
    let width = emitter.dim(&width, kiln_ir::DType::I64, 2)?;
    let plane = emitter.binary(BinaryFn::FloorDiv, chosen, width)?;
    let size = emitter.dim(&(&shape[3] * &shape[4]), kiln_ir::DType::I64, 2)?;
    let start = emitter.binary(BinaryFn::Mul, plane, size)?;
    let index = emitter.binary(BinaryFn::Add, start, place)?;
    let value = emitter.reshape(second[0], result.clone())?;
    let index = emitter.reshape(index, result.clone())?;
    Ok(smallvec![Some(value), Some(index)])
}
