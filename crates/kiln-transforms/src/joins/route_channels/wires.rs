//! Traces the channels of a value through joins, slices and shuffles along one axis.
//!
//! Every channel is traced by itself, so half of a shuffle of joined parts becomes a list of channels of the parts. The
//! result does not depend on sizes along other axes.

use crate::guards;
use kiln_ir::{Graph, Movement, NodeId, Op, ValueId};

guards! {
    /// The movement reorders the axis and nothing else.
    OTHER_AXES_STAY;
}

/// A value with more channels is not traced.
const MAX_CHANNELS: usize = 1 << 12;
/// The most nodes that one trace visits. A node counts each time it is reached.
const MAX_VISITS: usize = 256;

/// The origin of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wire {
    /// The value that holds the channel; it is no join, slice or shuffle.
    pub source: ValueId,
    /// The index of the channel in that value.
    pub index: i64,
}

/// The origins of all channels of a value.
#[derive(Clone, Debug)]
pub(super) struct Wires {
    /// One for each channel, in order.
    pub wires: Vec<Wire>,
    /// The joins, slices and shuffles that channels pass through; a node occurs each time it is reached.
    pub passed: Vec<NodeId>,
}

/// Traces the channels of a value along an axis. `None` if there are too many, or if a size is unknown.
pub(super) fn wires_of(graph: &Graph, value: ValueId, axis: usize) -> Option<Wires> {
    let mut found = Wires {
        wires: Vec::new(),
        passed: Vec::new(),
    };
    follow(graph, value, axis, &mut { MAX_VISITS }, &mut found)?;
    Some(found)
}

/// Appends the channels of a value.
fn follow(
    graph: &Graph,
    value: ValueId,
    axis: usize,
    steps: &mut usize,
    found: &mut Wires,
) -> Option<()> {
    let count = usize::try_from(graph.ty(value).shape.get(axis)?.as_const()?).ok()?;
    if found.wires.len() + count > MAX_CHANNELS {
        return None;
    }
    *steps = steps.checked_sub(1)?;
    let first = found.wires.len();
    let made = graph
        .producer(value)
        .filter(|&id| passes_channels(&graph.node(id).op, axis));
    found.passed.extend(made);
    let node = made.map(|id| graph.node(id));
    match node.map(|node| (&node.op, node)) {
        Some((Op::Concat(_), node)) => {
            for &part in &node.operands {
                follow(graph, part, axis, steps, found)?;
            }
        }
        Some((Op::Slice(op), node)) => {
            let (start, step) = (
                usize::try_from(op.start.as_const()?).ok()?,
                usize::try_from(op.step).ok()?,
            );
            follow(graph, node.operands[0], axis, steps, found)?;
            let all = found.wires.split_off(first);
            found
                .wires
                .extend(all.into_iter().skip(start).step_by(step.max(1)).take(count));
        }
        Some((Op::Move(op), node)) => {
            let places = shuffle_along(&op.movement, axis)?;
            follow(graph, node.operands[0], axis, steps, found)?;
            let all = found.wires.split_off(first);
            found.wires.extend(
                places
                    .into_iter()
                    .filter_map(|place| all.get(place).copied()),
            );
        }
        _ => found.wires.extend((0..count as i64).map(|index| Wire {
            source: value,
            index,
        })),
    }
    (found.wires.len() == first + count).then_some(())
}

/// For a movement that only permutes elements along an axis: the source index of each element.
fn shuffle_along(movement: &Movement, axis: usize) -> Option<Vec<usize>> {
    let (source, result) = (movement.source(), movement.result());
    let stays = |i: usize| i == axis || source[i] == result[i];
    if source.len() != result.len()
        || axis >= source.len()
        || !OTHER_AXES_STAY.holds((0..source.len()).all(stays))
    {
        return None;
    }
    let size = |f: &kiln_ir::movement::Factor| usize::try_from(movement.size(*f).as_const()?).ok();
    let mut places = vec![0usize];
    for factor in &result[axis] {
        let inner = source[axis].iter().rev().take_while(|f| *f != factor);
        let stride: usize = inner.map(size).product::<Option<usize>>()?;
        let digits = size(factor)?;
        let next = places
            .iter()
            .flat_map(|&at| (0..digits).map(move |digit| at + digit * stride));
        places = next.collect();
        if places.len() > MAX_CHANNELS {
            return None;
        }
    }
    Some(places)
}

/// True for ops that pass channels on unchanged.
pub(super) fn passes_channels(op: &Op, axis: usize) -> bool {
    match op {
        Op::Concat(op) => op.axis == axis,
        Op::Slice(op) => op.axis == axis,
        Op::Move(op) => shuffle_along(&op.movement, axis).is_some(),
        _ => false,
    }
}
