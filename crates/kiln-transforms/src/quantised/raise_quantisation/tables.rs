//! Look-ups in tables that arithmetic dequantises.
//!
//! Zero points that are no whole numbers are no part of a quantised type. About the nearest whole numbers a table has such a type, and what
//! these leave is a number for each row: `(q - z) * s` is `(q - n) * s + (n - z) * s`. Otherwise the arithmetic would run on the whole table
//! each time, or the file would hold the table in floats.

use super::weights::Arithmetic;
use super::{binary, in_both_orders};
use crate::framework::emitter::Emitter;
use crate::framework::rewriting::Rewritten;
use kiln_ir::ops::{Binary, BinaryFn};
use kiln_ir::{Builder, NodeId, Op, Scalar, TensorData};

/// A look-up in `(q - z) * s` of constants becomes a look-up in quantised rows and one in what the rows lack.
pub(super) fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let (Op::Index(op), &[table, ids]) = (&node.op, &node.operands[..]) else {
        return Ok(None);
    };
    let (op, dtype) = (op.clone(), graph.ty(table).dtype);
    let Some(factors) = binary(graph, table, BinaryFn::Mul).filter(|_| op.axis == 0) else {
        return Ok(None);
    };
    let mut orders = in_both_orders(factors).into_iter();
    let found = orders.find_map(|factors| Arithmetic::of(graph, dtype, factors, true));
    let Some(found) = found.filter(Arithmetic::is_by_row) else {
        return Ok(None);
    };
    let Some((min, max)) = found.range() else {
        return Ok(None);
    };
    let nearest = |z: &f64| (z.round() as i64).clamp(min, max);
    let zero_points: Vec<i64> = found.zero_points.iter().map(nearest).collect();
    let rows = zero_points
        .iter()
        .zip(&found.zero_points)
        .zip(&found.scales);
    let lacking = rows.map(|((&n, &z), &s)| Scalar::Float((n as f64 - z) * s));
    let lacking = TensorData::from_scalars(dtype, vec![zero_points.len(), 1], lacking);
    let Some(quantised) = found.about(emitter, dtype, zero_points)? else {
        return Ok(None);
    };
    let rows = emitter.unfolded(op.clone(), &[quantised, ids])?;
    let lacking = emitter.constant("zero_points", lacking);
    let lacking = emitter.value(op, &[lacking, ids])?;
    let f = BinaryFn::Add;
    emitter.value(Binary { f }, &[rows, lacking]).map(Some)
}
