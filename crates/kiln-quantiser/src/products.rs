//! Products with constant matrices are layers too: `x @ w`, and `addmm`, in which some models have all their weights. A product with a few
//! constant matrices at once, as both directions of a recurrent layer have it, is as many layers.

use crate::layers::all_nodes;
use kiln_ir::graph::{Constant, Node, Use};
use kiln_ir::ops::{self, BinaryFn, Linear};
use kiln_ir::{DType, Dim, Graph, NodeId, Op, Place, Rewriter, TensorData, ValueId};

/// Replaces products with constant matrices of f32 by linear layers, together with the constant that is added to each row.
pub(crate) fn to_layers(graph: &mut Graph) {
    let mut products = all_nodes(graph);
    products.retain(|&id| matches!(graph.node(id).op, Op::MatMul(_)));
    let mut rewriter = Rewriter::new(graph);
    for id in products {
        let node = rewriter.graph().node(id).clone();
        let done = replaced(&mut rewriter, id, &node);
        if done.is_none() {
            split(&mut rewriter, id, &node);
        }
    }
}

/// The most matrices that become layers of their own: the parts are cut and joined, which more of them would not repay.
const MOST_MATRICES: usize = 4;

/// Replaces a product with a few constant matrices of f32 by a layer for each.
fn split(rewriter: &mut Rewriter<'_>, id: NodeId, node: &Node) -> Option<()> {
    let &[left, right] = node.operands.as_slice() else {
        return None;
    };
    let graph = rewriter.graph();
    let (ty, data) = (graph.ty(left), &graph.as_constant(right)?.data);
    let name = graph.as_constant(right)?.name.clone();
    let is_plain = data.dtype() == DType::F32
        && ty.dtype == DType::F32
        && graph.ty(right).quant.is_none()
        && ty.rank() == data.sizes().len();
    let &[ref leading @ .., rows, columns] = data.sizes() else {
        return None;
    };
    let matrices: usize = leading.iter().product();
    let axis = leading.iter().position(|&n| n == matrices)?;
    let fits = ty.shape[axis].is(matrices as i64) && (2..=MOST_MATRICES).contains(&matrices);
    if !is_plain || !fits {
        return None;
    }
    let bytes = data.bytes().clone();
    let size = rows * columns * size_of::<f32>();
    let place = Place::Before(id);
    let mut parts = Vec::with_capacity(matrices);
    for matrix in 0..matrices {
        let own = bytes.slice(matrix * size..(matrix + 1) * size);
        let own = TensorData::new(DType::F32, vec![rows, columns], own).ok()?;
        let weight = constant_of(rewriter, place, name.clone(), turned(&own)?)?;
        let cut = ops::Slice {
            axis,
            start: Dim::constant(matrix as i64),
            len: Dim::constant(1),
            step: 1,
        };
        let x = rewriter.value(place, cut, &[left]).ok()?;
        parts.push(rewriter.value(place, Linear {}, &[x, weight]).ok()?);
    }
    rewriter
        .replace_node(id, ops::Concat { axis }, &parts)
        .ok()?;
    Some(())
}

fn replaced(rewriter: &mut Rewriter<'_>, id: NodeId, node: &Node) -> Option<()> {
    let &[left, right] = node.operands.as_slice() else {
        return None;
    };
    let (ty, rank) = (
        rewriter.graph().ty(right),
        rewriter.graph().ty(right).rank(),
    );
    let is_matrix = ty.dtype == DType::F32 && ty.quant.is_none();
    let leading = &ty.shape[..rank.saturating_sub(2)];
    if !is_matrix
        || rewriter.graph().ty(left).dtype != DType::F32
        || !leading.iter().all(|d| d.is(1))
    {
        return None;
    }
    let sum = sum_with_bias(rewriter.graph(), node.result());
    let place = sum.as_ref().map_or(id, |(sum, _)| *sum);
    let weight = match transposed(rewriter.graph(), right) {
        Some(weight) => weight,
        None => {
            let constant = rewriter.graph().as_constant(right)?;
            let (name, data) = (constant.name.clone(), turned(&constant.data)?);
            constant_of(rewriter, Place::Before(place), name, data)?
        }
    };
    let mut operands = vec![left, weight];
    if let Some((_, bias)) = sum {
        let name = "bias".into();
        operands.push(constant_of(rewriter, Place::Before(place), name, bias)?);
    }
    rewriter.replace_node(place, Linear {}, &operands).ok()?;
    Some(())
}

/// The constant matrix of which a value is the transposed one.
fn transposed(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    let Op::Move(op) = &node.op else {
        return None;
    };
    let matrix = node.operands[0];
    let is_turned = op.movement.as_permutation().is_some_and(|p| p == [1, 0]);
    (is_turned && graph.as_constant(matrix).is_some()).then_some(matrix)
}

/// The matrix with rows and columns exchanged, without leading axes of size 1.
fn turned(data: &TensorData) -> Option<TensorData> {
    let &[.., rows, columns] = data.sizes() else {
        return None;
    };
    let elements: &[[u8; 4]] = data.bytes().as_chunks().0;
    let indices = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
    let bytes: Vec<u8> = indices.flat_map(|i| elements[i]).collect();
    TensorData::new(DType::F32, vec![columns, rows], bytes.into()).ok()
}

/// The sum that alone reads a product, if it adds a constant to each row.
fn sum_with_bias(graph: &Graph, product: ValueId) -> Option<(NodeId, TensorData)> {
    let &[Use::Operand(sum, operand)] = graph.value(product).uses() else {
        return None;
    };
    let node = graph.node(sum);
    let is_sum = matches!(&node.op, Op::Binary(op) if op.f == BinaryFn::Add);
    let other = 1usize.checked_sub(operand as usize).filter(|_| is_sum)?;
    let other = *node.operands.get(other)?;
    let data = &graph.as_constant(other)?.data;
    let columns = graph.ty(product).shape.last()?.as_const()?;
    let is_row = data.elements() as i64 == columns
        && data.sizes().last().map(|&n| n as i64) == Some(columns);
    let is_plain = data.dtype() == DType::F32 && graph.ty(other).quant.is_none();
    let fits = graph.ty(node.result()).shape == graph.ty(product).shape;
    let sizes = vec![data.elements()];
    let bias = TensorData::new(DType::F32, sizes, data.bytes().to_vec().into());
    bias.ok()
        .filter(|_| is_row && is_plain && fits)
        .map(|bias| (sum, bias))
}

fn constant_of(
    rewriter: &mut Rewriter<'_>,
    place: Place,
    name: std::sync::Arc<str>,
    data: TensorData,
) -> Option<ValueId> {
    let ty = data.tensor_type();
    let value = rewriter.add_typed_constant(Constant { name, ty, data });
    rewriter.value(place, ops::Constant { value }, &[]).ok()
}
