//! Products of quantised rows with constants in integers.

use super::rows::{ZeroPoint, integers_of_rows};
use super::{binary, cast, in_both_orders, origin};
use crate::analysis::constants::is_constant;
use crate::framework::emitter::Emitter;
use crate::framework::rewriting::Rewritten;
use crate::guards;
use kiln_ir::ops::{BinaryFn, Cast, FakeQuantize, MatMul};
use kiln_ir::{Builder, DType, Dim, DynamicQuant, Graph, NodeId, Op, ValueId};

guards! {
    /// The sums have the scales of the rows.
    SAME_SCALE;
}

/// The most products of signed bytes whose sum is an integer of 32 bits for certain.
const MOST_TERMS: i64 = 1 << 16;

/// A product in integers of rows of `x` and of a matrix.
struct Product {
    x: ValueId,
    quant: DynamicQuant,
    /// The rows of the product: those of `x`, with its outer axes in another shape.
    shape: Vec<Dim>,
    matrix: ValueId,
}

/// `(q @ w) * s` of rows becomes the product of their reals with the floats of `w`.
pub(super) fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let result = graph.node(id).results[0];
    let dtype = graph.ty(result).dtype;
    let Some(factors) = binary(graph, result, BinaryFn::Mul).filter(|_| dtype == DType::F32) else {
        return Ok(None);
    };
    let orders = in_both_orders(factors).into_iter();
    let Some(product) = orders.map(|f| product(graph, f)).find_map(|p| p) else {
        return Ok(None);
    };
    let Product {
        x,
        quant,
        shape,
        matrix,
    } = product;
    let rows = emitter.value(FakeQuantize { quant, dtype }, &[x])?;
    let rows = emitter.reshape(rows, &shape)?;
    // As floats it would be four times as large.
    let matrix = emitter.unfolded(Cast { to: dtype }, &[matrix])?;
    emitter.value(MatMul {}, &[rows, matrix]).map(Some)
}

fn product(graph: &Graph, [sums, scale]: [ValueId; 2]) -> Option<Product> {
    let sums = cast(graph, sums)?;
    let node = graph.node(graph.producer(sums)?);
    let is_wide = graph.ty(sums).dtype == DType::I32;
    if !matches!(node.op, Op::MatMul(_)) || !is_wide {
        return None;
    }
    let rows = integers_of_rows(graph, cast(graph, node.operands[0])?)?;
    let matrix = cast(graph, node.operands[1]).filter(|&v| is_constant(graph, v))?;
    let ty = graph.ty(matrix);
    let terms = ty.shape.first().and_then(|n| n.as_const())?;
    let is_matrix = ty.rank() == 2 && ty.dtype == DType::I8 && terms <= MOST_TERMS;
    // Each row of the product has one scale, as each row of its operand.
    let is_byte = rows.quant.max <= i64::from(i8::MAX);
    let is_by_row = rows.quant.axes == 1 && rows.zero_point == ZeroPoint::Number(0.0);
    let shape = &graph.ty(node.operands[0]).shape;
    let own = &graph.ty(scale).shape;
    let (last, outer) = shape.split_last()?;
    let is_scaled = own
        .split_last()
        .is_some_and(|(one, rest)| one.is(1) && rest == outer);
    let is_same = SAME_SCALE.holds(origin(graph, scale) == rows.scale)
        && last.is(terms)
        && graph.ty(rows.x).shape.last() == Some(last);
    (is_matrix && is_byte && is_by_row && is_scaled && is_same).then_some(Product {
        x: rows.x,
        quant: rows.quant,
        shape: shape.to_vec(),
        matrix,
    })
}
