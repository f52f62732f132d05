//! An extreme along an axis and its position, which one kernel computes together.

use super::context::Lower;
use super::empty;
use kiln_ir::graph::Use;
use kiln_ir::ops::{ArgFn, ReduceFn};
use kiln_ir::{Id, NodeId, Op};
use kiln_transforms::framework::target::Reason;

/// One half of the pair.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Half {
    of: ArgFn,
    axis: usize,
    is_position: bool,
}

impl Half {
    fn of(op: &Op) -> Option<Half> {
        let (of, axis, is_position) = match op {
            Op::ArgReduce(op) => (op.f, op.axis, true),
            Op::Reduce(op) => match (op.f, op.axes.as_slice()) {
                (ReduceFn::Max, &[axis]) => (ArgFn::Max, axis, false),
                (ReduceFn::Min, &[axis]) => (ArgFn::Min, axis, false),
                _ => return None,
            },
            _ => return None,
        };
        Some(Half {
            of,
            axis,
            is_position,
        })
    }
}

/// Lowers the node together with its other half, if kernels run that too. True if the node's result is bound.
pub(super) fn lower(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<bool, Reason> {
    let node = cx.graph.node(id);
    if cx.peek(node.results[0]).is_some() {
        return Ok(true);
    }
    let Some((half, other)) = other_half(cx, id) else {
        return Ok(false);
    };
    let x = cx.tensor(node.operands[0])?;
    let (axis, keep) = (cx.draft.int(half.axis as i64), cx.draft.bool(true));
    let (value, position) = match half.is_position {
        true => (other, id),
        false => (id, other),
    };
    let kernel = match half.of {
        ArgFn::Max => "aten::max.dim_max",
        ArgFn::Min => "aten::min.dim_min",
    };
    let outs = [cx.result(value, 0)?, cx.result(position, 0)?];
    cx.draft.call(kernel, &[x, axis, keep], &outs);
    Ok(true)
}

/// The other half: a node of the same block and operand that can be computed now, because the place of its result is
/// free and the kernel finds elements.
fn other_half(cx: &Lower<'_, '_>, id: NodeId) -> Option<(Half, NodeId)> {
    let node = cx.graph.node(id);
    let half = Half::of(&node.op)?;
    let x = node.operands[0];
    let ty = cx.graph.ty(x);
    if !ty.dtype.is_float() && !ty.dtype.is_int() {
        return None;
    }
    if ty.shape.iter().any(|size| empty::may_be_zero(cx, size)) {
        return None;
    }
    let wanted = Half {
        is_position: !half.is_position,
        ..half
    };
    let is_other = |&other: &NodeId| {
        let found = cx.graph.node(other);
        let result = found.results[0];
        Half::of(&found.op) == Some(wanted)
            && found.block == node.block
            && cx.in_region[other.index()].is_none()
            && cx.destinations[result.index()].is_none()
            && cx.peek(result).is_none()
    };
    let readers = cx.graph.value(x).uses().iter().filter_map(|u| match *u {
        Use::Operand(reader, _) => Some(reader),
        Use::BlockResult(..) | Use::Update(_) => None,
    });
    Some((half, readers.filter(is_other).min()?))
}
