//! How each node behind the blocks can be computed in them.

use super::{Blocks, constant_bytes};
use kiln_ir::graph::Use;
use kiln_ir::movement::Movement;
use kiln_ir::ops::{AxisRole, Infer, Move};
use kiln_ir::types::TensorType;
use kiln_ir::{Dim, Graph, NodeId, Op, ValueId};
use kiln_transforms::guards;
use rustc_hash::{FxHashMap, FxHashSet};

guards! {
    /// The elements of a part stay together and in order.
    VIEW;
    /// The parts lie one behind the other.
    OUTERMOST;
    /// The slice is along the axis of the parts.
    ONE_AXIS;
    /// The slice lies in one part.
    INSIDE;
}

/// The tail's weights may be at most a block's weights divided by this.
const TAIL_SHARE: u64 = 8;

/// A value of which each block makes a part.
#[derive(Clone, Debug)]
pub(super) struct Divided {
    /// The axis along which the parts are joined.
    pub axis: usize,
    /// The size of a part along that axis.
    pub size: i64,
    /// The block that makes each part.
    pub owners: Vec<usize>,
}

/// How a node behind the blocks is computed.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// From the last block's results.
    Whole,
    /// As the join of the blocks' results: its operands are the parts.
    Join(Divided),
    /// Part by part.
    Parts(Divided),
    /// From the part of that number, starting at that index.
    Pick(usize, i64),
}

/// True if the tail's weights are small beside a block's.
pub(super) fn is_small(graph: &Graph, blocks: &Blocks) -> bool {
    let [tail, block] = [&blocks.tail, &blocks.all[0]].map(|nodes| constant_bytes(graph, nodes));
    tail.saturating_mul(TAIL_SHARE) <= block
}

/// How each node of the tail is computed. `None` if one reads anything else, or results that cannot be joined in place.
pub(super) fn ways(graph: &Graph, blocks: &Blocks) -> Option<Vec<Way>> {
    let place_of = blocks.places();
    let mut known: FxHashMap<ValueId, Way> = FxHashMap::default();
    let mut ways = Vec::new();
    for &id in &blocks.tail {
        let way = join_of_blocks(graph, blocks, &place_of, id)
            .map(Way::Join)
            .or_else(|| pick_of(graph, &known, id))
            .or_else(|| way_of(graph, blocks, &place_of, &known, id))?;
        if let Way::Parts(divided) | Way::Join(divided) = &way {
            let result = graph.node(id).result();
            let leaves = graph.value(result).uses().iter();
            let mut leaves = leaves.filter(|u| !matches!(u, Use::Operand(..)));
            let lies = graph.ty(result).shape[..divided.axis]
                .iter()
                .all(|d| d.is(1));
            if leaves.next().is_some() && !lies {
                return None;
            }
        }
        known.extend(graph.node(id).results.iter().map(|&v| (v, way.clone())));
        ways.push(way);
    }
    Some(ways)
}

/// The join of one value per block, from the same place of each block.
fn join_of_blocks(
    graph: &Graph,
    blocks: &Blocks,
    place_of: &FxHashMap<NodeId, (usize, usize)>,
    id: NodeId,
) -> Option<Divided> {
    let node = graph.node(id);
    let Op::Concat(op) = &node.op else {
        return None;
    };
    let mut owners = Vec::new();
    let mut places = FxHashSet::default();
    for &part in &node.operands {
        let &(block, place) = place_of.get(&graph.producer(part)?)?;
        owners.push(block);
        places.insert((place, graph.ty(part).shape.clone()));
    }
    let distinct: FxHashSet<usize> = owners.iter().copied().collect();
    let is_one_each = owners.len() == blocks.all.len() && distinct.len() == owners.len();
    let size = graph.ty(node.operands[0]).shape[op.axis].as_const()?;
    (is_one_each && places.len() == 1 && size > 0).then_some(Divided {
        axis: op.axis,
        size,
        owners,
    })
}

/// The slice of one part of the blocks' results.
fn pick_of(graph: &Graph, known: &FxHashMap<ValueId, Way>, id: NodeId) -> Option<Way> {
    let node = graph.node(id);
    let Op::Slice(op) = &node.op else {
        return None;
    };
    let (Way::Join(of) | Way::Parts(of)) = known.get(&node.operands[0])? else {
        return None;
    };
    let (start, len) = (op.start.as_const()?, op.len.as_const()?);
    let number = start / of.size;
    let is_inside = start + (len - 1) * op.step < (number + 1) * of.size;
    (len > 0 && ONE_AXIS.holds(op.axis == of.axis) && INSIDE.holds(is_inside))
        .then(|| Way::Pick(number as usize, start - number * of.size))
}

fn way_of(
    graph: &Graph,
    blocks: &Blocks,
    place_of: &FxHashMap<NodeId, (usize, usize)>,
    known: &FxHashMap<ValueId, Way>,
    id: NodeId,
) -> Option<Way> {
    let node = graph.node(id);
    let mut divided: Vec<Option<&Divided>> = Vec::new();
    for &operand in &node.operands {
        let way = known.get(&operand);
        let last = blocks.all.len() - 1;
        let of_last = |n: NodeId| place_of.get(&n).is_some_and(|&(block, _)| block == last);
        divided.push(match way {
            Some(Way::Join(d) | Way::Parts(d)) => Some(d),
            Some(Way::Whole | Way::Pick(..)) => None,
            None if graph.as_constant(operand).is_some() => None,
            None if graph.producer(operand).is_some_and(of_last) => None,
            None => return None,
        });
    }
    if divided.iter().all(Option::is_none) {
        return (node.results.len() == 1).then_some(Way::Whole);
    }
    parts_of(graph, id, &divided).map(Way::Parts)
}

/// How the result of a node is divided into parts, if the node works on each part separately.
fn parts_of(graph: &Graph, id: NodeId, divided: &[Option<&Divided>]) -> Option<Divided> {
    let node = graph.node(id);
    let types = graph.types(&node.operands);
    let &[result] = &node.results[..] else {
        return None;
    };
    let mut found: Option<Divided> = None;
    for (slot, of) in divided.iter().enumerate() {
        let Some(of) = of else { continue };
        let (axis, size) = result_axis(graph, id, &types, slot, of)?;
        let owners = match &found {
            None => of.owners.clone(),
            Some(other) if (other.axis, other.size) == (axis, size) => {
                let both = other.owners.iter().zip(&of.owners);
                both.map(|(&a, &b)| a.max(b)).collect()
            }
            Some(_) => return None,
        };
        found = Some(Divided { axis, size, owners });
    }
    let found = found?;
    // An operand that is not divided must be the same for every part.
    for (slot, of) in divided.iter().enumerate() {
        let roles = node.op.axes(&types, slot);
        let meets = |(at, role): (usize, &AxisRole)| {
            *role == AxisRole::Parallel(found.axis) && !types[slot].shape[at].is(1)
        };
        let is_constant = graph.as_constant(node.operands[slot]).is_some();
        if of.is_none() && (!is_constant || roles.iter().enumerate().any(meets)) {
            return None;
        }
    }
    let parts: Vec<TensorType> = types
        .iter()
        .zip(divided)
        .map(|(ty, of)| of.map_or_else(|| (*ty).clone(), |d| part_type(ty, d)))
        .collect();
    let op = op_of_part(graph, &node.op, &parts[0], &found)?;
    let made = op.infer(&Infer { graph }, &parts.iter().collect::<Vec<_>>());
    let expected = part_type(graph.ty(result), &found);
    (made.ok()?.as_slice() == [expected]).then_some(found)
}

/// The axis of a movement's result along which its parts lie, and their size. The parts of a view are contiguous if
/// those of its operand are, and if only axes of size 1 lie outside of the axis on either side.
fn result_axis(
    graph: &Graph,
    id: NodeId,
    types: &[&TensorType],
    slot: usize,
    of: &Divided,
) -> Option<(usize, i64)> {
    let node = graph.node(id);
    if let Op::Move(op) = &node.op {
        let shape = &graph.ty(node.result()).shape;
        let at = shape.iter().position(|d| !d.is(1))?;
        let (size, parts) = (shape[at].as_const()?, of.owners.len() as i64);
        let is_outermost = types[0].shape[..of.axis].iter().all(|d| d.is(1));
        let is_view = VIEW.holds(op.movement.is_view()) && OUTERMOST.holds(is_outermost);
        return (is_view && size % parts == 0).then_some((at, size / parts));
    }
    match node.op.axes(types, slot)[of.axis] {
        AxisRole::Parallel(to) => Some((to, of.size)),
        _ => None,
    }
}

fn part_type(ty: &TensorType, divided: &Divided) -> TensorType {
    let mut part = ty.clone();
    part.shape[divided.axis] = divided.size.into();
    part
}

/// The op for one part; only sizes in a view change.
pub(super) fn op_of_part(graph: &Graph, op: &Op, part: &TensorType, to: &Divided) -> Option<Op> {
    let Op::Move(moved) = op else {
        return Some(op.clone());
    };
    let mut shape: Vec<Dim> = moved.movement.result_shape();
    shape[to.axis] = to.size.into();
    let reshape = Movement::reshape(&part.shape, &shape, &graph.symbols).ok()?;
    let movement = reshape.steps.one()?;
    Some(Move { movement }.into())
}
