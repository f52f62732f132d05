//! Expands an `index_put` that accumulates, or that puts a single number, to a scatter. The indices of several axes are
//! merged into one.
//!
//! ```kiln
//! decompose none index_put
//! graph "index_put" {
//!   input tensor "x" [0, 1]
//!   input tensor "values" [0]
//!   input tensor "i" [0]
//!   input tensor "j" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 2], %1 "values": f32[4], %2 "i": i64[4], %3 "j": i64[4]) {
//!     %4: f32[3, 2] = index_put %0, %1, %2, %3 {axis=0, accumulate=true}
//!     return %4
//!   }
//! }
//! ---
//! graph "index_put" {
//!   constant c0 "" i64[1] = [3]
//!   constant c1 "" i64[1] = [0]
//!   constant c2 "" i64[1] = [2]
//!   constant c3 "" i64[1] = [0]
//!   constant c4 "" i64[1] = [2]
//!   input tensor "x" [0, 1]
//!   input tensor "values" [0]
//!   input tensor "i" [0]
//!   input tensor "j" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 2], %1 "values": f32[4], %2 "i": i64[4], %3 "j": i64[4]) {
//!     %4: i64[1] = constant {value=c0}
//!     %5: i64[4] = binary %2, %4 {f=add}
//!     %6: i64[1] = constant {value=c1}
//!     %7: bool[4] = compare %2, %6 {f=lt}
//!     %8: i64[4] = select %7, %5, %2 {}
//!     %9: i64[1] = constant {value=c2}
//!     %10: i64[4] = binary %3, %9 {f=add}
//!     %11: i64[1] = constant {value=c3}
//!     %12: bool[4] = compare %3, %11 {f=lt}
//!     %13: i64[4] = select %12, %10, %3 {}
//!     %14: i64[1] = constant {value=c4}
//!     %15: i64[4] = binary %8, %14 {f=mul}
//!     %16: i64[4] = binary %15, %13 {f=add}
//!     %17: f32[1, 4, 1] = move %1 {movement=(a:4 -> 1 a 1)}
//!     %18: i64[1, 4, 1] = move %16 {movement=(a:4 -> 1 a 1)}
//!     %19: f32[1, 6, 1] = move %0 {movement=(a:3 b:2 -> 1 (a b) 1)}
//!     %20: f32[1, 6, 1] = scatter %19, %18, %17 {axis=1, f=add}
//!     %21: f32[3, 2] = move %20 {movement=(1 (a:3 b:2) 1 -> a b)}
//!     return %21
//!   }
//! }
//! ```

use super::scatter::from_start;
use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Scatter, ScatterFn};
use kiln_ir::{Builder, Dim, NodeId, Scalar, Shape, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "index_put_by_scatter",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, IndexPut);
    let operands = emitter.graph().node(node).operands.clone();
    let [x, values, ref indices @ ..] = operands[..] else {
        return Err(Reason::new("the node has values and indices", "none"));
    };
    let number = emitter.graph().as_number(values);
    let f = match (op.accumulate, number) {
        (true, _) => ScatterFn::Add,
        (false, Some(_)) => ScatterFn::Set,
        (false, None) => {
            let found = "several values that replace elements";
            return Err(Reason::new(
                "the node accumulates, or its values are a single known number",
                found,
            ));
        }
    };
    let sizes = emitter.shape(x).to_vec();
    let (outer, rest) = sizes.split_at(op.axis);
    let (picked, inner) = rest.split_at(indices.len());
    let place = place(emitter, indices, picked)?;
    let at = emitter.shape(place).to_vec();
    let [n, k, w, c] = [outer, picked, &at, inner].map(product);
    let rows: Shape = [n.clone(), w.clone(), c.clone()].into_iter().collect();
    let values = match number.filter(|_| !op.accumulate) {
        Some(number) => repeated(emitter, values, number, &rows)?,
        None => emitter.reshape(values, rows.clone())?,
    };
    let row: Shape = [Dim::constant(1), w, Dim::constant(1)]
        .into_iter()
        .collect();
    let place = emitter.reshape(place, row)?;
    let place = emitter.broadcast(place, rows)?;
    let table: Shape = [n, k, c].into_iter().collect();
    let table = emitter.reshape(x, table)?;
    let made = emitter.value(Scatter { axis: 1, f }, &[table, place, values])?;
    let own: Shape = sizes.into_iter().collect();
    only(emitter.reshape(made, own))
}

/// The number broadcast to the shape, in a form that the rule for scatters recognises.
fn repeated(
    emitter: &mut Emitter<'_, '_>,
    like: ValueId,
    number: Scalar,
    shape: &Shape,
) -> Emitted {
    let dtype = emitter.ty(like).dtype;
    let one = emitter.scalar(number, dtype, shape.rank());
    emitter.broadcast(one, shape.clone())
}

fn product(dims: &[Dim]) -> Dim {
    dims.iter().fold(Dim::constant(1), |all, dim| &all * dim)
}

/// One non-negative index for several neighbouring axes.
fn place(emitter: &mut Emitter<'_, '_>, indices: &[ValueId], sizes: &[Dim]) -> Emitted {
    let mut place: Option<ValueId> = None;
    for (&index, size) in indices.iter().zip(sizes) {
        let index = from_start(emitter, index, size)?;
        place = Some(match place {
            None => index,
            Some(outer) => {
                let (dtype, rank) = (emitter.ty(outer).dtype, emitter.rank(outer));
                let size = emitter.dim(size, dtype, rank)?;
                let outer = emitter.binary(BinaryFn::Mul, outer, size)?;
                emitter.binary(BinaryFn::Add, outer, index)?
            }
        });
    }
    place.ok_or_else(|| Reason::new("the node has an index", "none"))
}
