//! Lowers branches and loops to jumps.

use super::block::{Failure, nested, scoped, tasks_of};
use super::context::{Bound, Lower};
use super::empty;
use super::slot::Slot;
use crate::draft::contiguous;
use kiln_ir::ops::{If, While};
use kiln_ir::{BlockId, NodeId, ValueId};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

/// Both sides of a branch write the same tensors.
pub(super) fn branch(cx: &mut Lower<'_, '_>, id: NodeId, op: &If) -> Result<(), Failure> {
    let operands = cx.graph.node(id).operands.clone();
    let condition = cx.tensor(operands[0])?;
    let arguments = operands[1..].iter().map(|&v| cx.bound(v));
    let arguments: Vec<Bound> = arguments.collect::<Result<_, _>>()?;
    let outs = branch_results(cx, id, op)?;
    let to_else = cx.draft.jump_unless(condition);
    side(cx, op.then, &arguments, &outs)?;
    let to_end = cx.draft.jump();
    let here = cx.draft.here();
    cx.draft.land(to_else, here);
    side(cx, op.otherwise, &arguments, &outs)?;
    let here = cx.draft.here();
    cx.draft.land(to_end, here);
    Ok(())
}

/// The tensors for the results of either side.
fn branch_results(cx: &mut Lower<'_, '_>, id: NodeId, op: &If) -> Result<Vec<ValueIndex>, Reason> {
    let graph = cx.graph;
    let mut outs = Vec::new();
    for (i, &result) in graph.node(id).results.iter().enumerate() {
        let sides = [op.then, op.otherwise].map(|b| graph.block(b).results[i]);
        let mut spec = cx.spec_of(result)?;
        let own = spec.clone();
        for side in sides {
            let other = cx.spec_of(side)?;
            spec.dynamic |= other.dynamic || other.sizes != spec.sizes;
            for (size, other) in spec.sizes.iter_mut().zip(other.sizes) {
                *size = (*size).max(other);
            }
        }
        if spec == own {
            outs.push(cx.result(id, i)?);
        } else {
            let tensor = cx.allocate(&spec);
            cx.learn_sizes(result, tensor);
            cx.bind_tensor(result, tensor);
            outs.push(tensor);
        }
    }
    Ok(outs)
}

fn side(
    cx: &mut Lower<'_, '_>,
    block: BlockId,
    arguments: &[Bound],
    outs: &[ValueIndex],
) -> Result<(), Failure> {
    scoped(cx, |cx| {
        bind_params(cx, block, arguments)?;
        let results = cx.graph.block(block).results.iter();
        let slots: Vec<Slot> = outs
            .iter()
            .zip(results)
            .map(|(&tensor, &next)| Slot {
                tensor,
                old: Vec::new(),
                hidden_read: None,
                next,
            })
            .collect();
        nested(cx, block, &slots)
    })
}

fn bind_params(cx: &mut Lower<'_, '_>, block: BlockId, bounds: &[Bound]) -> Result<(), Reason> {
    let params = cx.graph.block(block).params.clone();
    for (&param, &bound) in params.iter().zip(bounds) {
        cx.bind(param, bound);
    }
    // A loop may change the tensor of a parameter, so sizes that only the parameter has are read now.
    for &param in &params {
        if let Some(Bound::Tensor(tensor)) = cx.peek(param) {
            cx.learn_sizes_now(param, tensor)?;
        }
    }
    Ok(())
}

/// Carried values lie in tensors that each iteration overwrites.
pub(super) fn repeat(cx: &mut Lower<'_, '_>, id: NodeId, op: &While) -> Result<(), Failure> {
    let operands = cx.graph.node(id).operands.clone();
    let mut bounds = Vec::new();
    for i in 0..op.carried {
        bounds.push(Bound::Tensor(carried(cx, id, i, &operands)?));
    }
    for &constant in &operands[op.carried..] {
        bounds.push(Bound::Tensor(cx.tensor(constant)?));
    }
    let head = cx.draft.here();
    let condition = scoped(cx, |cx| {
        bind_params(cx, op.condition, &bounds)?;
        tasks_of(cx, op.condition, &[])?;
        let result = cx.graph.block(op.condition).results[0];
        Ok(cx.tensor(result)?)
    })?;
    let exit = cx.draft.jump_unless(condition);
    scoped(cx, |cx| {
        bind_params(cx, op.body, &bounds)?;
        let body = cx.graph.block(op.body);
        let slots: Vec<Slot> = (0..op.carried)
            .filter_map(|i| match bounds[i] {
                Bound::Tensor(tensor) => Some(Slot {
                    tensor,
                    old: vec![body.params[i]],
                    hidden_read: None,
                    next: body.results[i],
                }),
                Bound::Repeated(_) => None,
            })
            .collect();
        nested(cx, op.body, &slots)
    })?;
    let back = cx.draft.jump();
    cx.draft.land(back, head);
    let end = cx.draft.here();
    cx.draft.land(exit, end);
    Ok(())
}

/// The tensor of a carried value, with its first content. It is the operand's own tensor if nothing else needs that.
fn carried(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    i: usize,
    operands: &[ValueId],
) -> Result<ValueIndex, Reason> {
    let (graph, result) = (cx.graph, cx.graph.node(id).results[i]);
    if let Some(number) = cx.repeated_number(operands[i]) {
        let (spec, shape) = (cx.spec_of(result)?, graph.ty(result).shape.clone());
        let tensor = match cx.destinations[kiln_ir::Id::index(result)] {
            Some(destination) => destination,
            None => cx.allocate(&spec),
        };
        cx.bind_tensor(result, tensor);
        empty::fill(cx, tensor, &shape, number)?;
        return Ok(tensor);
    }
    let first = cx.tensor(operands[i])?;
    let origin = |v| crate::order::origin(graph, v);
    let once = operands
        .iter()
        .filter(|&&v| origin(v) == origin(operands[i]))
        .count()
        == 1;
    let free = cx.destinations[kiln_ir::Id::index(result)].is_none();
    let same = cx.spec_of(result)? == cx.spec_of_tensor(first);
    let allocated = cx.draft.tensor_value(first).storage.slot().is_some();
    if once && free && same && allocated && cx.is_last_reader(operands[i]) {
        cx.bind_tensor(result, first);
        return Ok(first);
    }
    let spec = cx.spec_of(result)?;
    let tensor = match cx.destinations[kiln_ir::Id::index(result)] {
        Some(destination) => destination,
        None => cx.allocate(&spec),
    };
    debug_assert_eq!(spec.dim_order, contiguous(spec.sizes.len()));
    cx.bind_tensor(result, tensor);
    cx.copy(first, tensor)?;
    Ok(tensor)
}
