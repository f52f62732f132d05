//! Where the channels of a value come from: through joins, slices and shuffles along one axis.
//!
//! Channels are named one by one, so that a shuffle of joined parts, of which half is taken, is a list of places in the
//! parts. Nothing here depends on sizes along other axes.

use kiln_ir::{Graph, Movement, NodeId, Op, ValueId};

/// More channels than that are not followed.
const MOST_CHANNELS: usize = 1 << 12;
/// More nodes than that are not followed, each counted as often as it is reached.
const MOST_STEPS: usize = 256;

/// One channel of a value that is no join, slice or shuffle of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wire {
    /// Where it is made.
    pub source: ValueId,
    /// Which it is there.
    pub index: i64,
}

/// All channels of a value.
#[derive(Clone, Debug)]
pub(super) struct Wires {
    /// In order.
    pub wires: Vec<Wire>,
    /// The joins, slices and shuffles between; each as often as it is reached.
    pub passed: Vec<NodeId>,
}

/// The channels of a value along an axis; `None` where there are too many, or sizes are not known.
pub(super) fn wires_of(graph: &Graph, value: ValueId, axis: usize) -> Option<Wires> {
    let mut found = Wires {
        wires: Vec::new(),
        passed: Vec::new(),
    };
    follow(graph, value, axis, &mut { MOST_STEPS }, &mut found)?;
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
    if found.wires.len() + count > MOST_CHANNELS {
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

/// For a movement that reorders an axis and nothing else: where each element of it comes from.
fn shuffle_along(movement: &Movement, axis: usize) -> Option<Vec<usize>> {
    let (source, result) = (movement.source(), movement.result());
    let stays = |i: usize| i == axis || source[i] == result[i];
    if source.len() != result.len() || axis >= source.len() || !(0..source.len()).all(stays) {
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
        if places.len() > MOST_CHANNELS {
            return None;
        }
    }
    Some(places)
}

/// True for what passes channels of that axis on as they are.
pub(super) fn passes_channels(op: &Op, axis: usize) -> bool {
    match op {
        Op::Concat(op) => op.axis == axis,
        Op::Slice(op) => op.axis == axis,
        Op::Move(op) => shuffle_along(&op.movement, axis).is_some(),
        _ => false,
    }
}
