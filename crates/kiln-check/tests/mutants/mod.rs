//! Passes that are wrong on purpose, each by one slip that a real one could make.

use kiln_ir::ops::{
    Attention, Binary, BinaryFn, Cast, Concat, Move, Pad, PadMode, Reduce, Slice, Softmax, Unary,
    UnaryFn,
};
use kiln_ir::{Builder, DType, Dim, Graph, Movement, NodeId, Op, Place, Rewriter, Scalar, ValueId};
use kiln_transforms::framework::emitter::Emitter;
use kiln_transforms::framework::pass::{Pass, Report};
use kiln_transforms::framework::rewriting::{PassContext, Rewritten, Rule};
use kiln_transforms::framework::target::Target;

macro_rules! mutant {
    ($name:ident, keeps_bits: $keeps:literal) => {
        Pass {
            name: stringify!($name),
            rules: &[stringify!($name)],
            guards: &[],
            keeps_bits: $keeps,
            run: |rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report| {
                let rule = Rule {
                    name: stringify!($name),
                    rewrite: $name,
                };
                once_each(rewriter, target, report, rule);
            },
        }
    };
}

/// Every wrong pass.
pub const MUTANTS: [Pass; 13] = [
    mutant!(softmax_axis_off_by_one, keeps_bits: false),
    mutant!(bias_from_residual, keeps_bits: false),
    mutant!(dropped_attention_scale, keeps_bits: false),
    mutant!(swapped_subtraction, keeps_bits: false),
    mutant!(wrong_broadcast_axis, keeps_bits: false),
    mutant!(dropped_clamp_bound, keeps_bits: false),
    mutant!(wrong_pad_value, keeps_bits: false),
    mutant!(cast_by_way_of_half, keeps_bits: false),
    mutant!(wrong_reduction_axis, keeps_bits: false),
    mutant!(concat_in_reverse, keeps_bits: false),
    mutant!(permutation_backwards, keeps_bits: false),
    mutant!(zero_added_is_nothing, keeps_bits: true),
    Pass {
        name: "defined_behind_its_use",
        rules: &["defined_behind_its_use"],
        guards: &[],
        keeps_bits: true,
        run: defined_behind_its_use,
    },
];

/// Tries a rule on the nodes that are there; not on what it makes, which it might turn back.
fn once_each(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report, rule: Rule) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    let nodes: Vec<NodeId> = kiln_transforms::framework::rewriting::nodes_in_use(cx.graph());
    for node in nodes {
        if cx.graph().try_node(node).is_some() {
            cx.try_rule(&rule, node);
        }
    }
}

fn op_of(emitter: &Emitter<'_, '_>, node: NodeId) -> (Op, Vec<ValueId>) {
    let node = emitter.graph().node(node);
    (node.op.clone(), node.operands.to_vec())
}

fn softmax_axis_off_by_one(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Softmax(op), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    let axis = (op.axis + 1) % emitter.rank(operands[0]);
    emitter
        .unfolded(Softmax { axis, log: op.log }, &operands)
        .map(Some)
}

/// What is added behind a linear layer, its first row alone, as the layer's bias.
fn bias_from_residual(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Binary(Binary { f: BinaryFn::Add }), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    let Some(layer) = emitter.graph().producer(operands[0]) else {
        return Ok(None);
    };
    let (Op::Linear(layer), inputs) = op_of(emitter, layer) else {
        return Ok(None);
    };
    let shape = emitter.shape(operands[1]);
    let is_static = shape.as_static().is_some_and(|s| !s.contains(&0));
    if inputs.len() != 2 || !is_static || shape != emitter.shape(operands[0]) {
        return Ok(None);
    }
    let last = shape.rank() - 1;
    let mut row = operands[1];
    for axis in 0..last {
        let (start, len, step) = (0.into(), 1.into(), 1);
        row = emitter.value(
            Slice {
                axis,
                start,
                len,
                step,
            },
            &[row],
        )?;
    }
    let bias = emitter.reshape(row, vec![shape[last].clone()])?;
    emitter
        .unfolded(layer, &[inputs[0], inputs[1], bias])
        .map(Some)
}

fn dropped_attention_scale(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Attention(op), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    if op.scale.is_none() {
        return Ok(None);
    }
    emitter
        .unfolded(Attention { scale: None, ..op }, &operands)
        .map(Some)
}

fn swapped_subtraction(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Binary(Binary { f: BinaryFn::Sub }), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    emitter
        .unfolded(Binary { f: BinaryFn::Sub }, &[operands[1], operands[0]])
        .map(Some)
}

/// A vector along one axis, moved to another of the same size.
fn wrong_broadcast_axis(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Binary(op), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    let (x, c) = (emitter.shape(operands[0]), emitter.shape(operands[1]));
    let long: Vec<usize> = (0..c.rank()).filter(|&i| !c[i].is(1)).collect();
    let &[axis] = long.as_slice() else {
        return Ok(None);
    };
    let other = (0..x.rank()).find(|&i| i != axis && x[i] == x[axis]);
    let Some(other) = other.filter(|_| x[axis] == c[axis]) else {
        return Ok(None);
    };
    let moved = emitter.transpose(operands[1], axis, other)?;
    emitter.unfolded(op, &[operands[0], moved]).map(Some)
}

fn dropped_clamp_bound(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (
        Op::Unary(Unary {
            f:
                UnaryFn::Clamp {
                    min: Some(min),
                    max: Some(_),
                },
        }),
        operands,
    ) = op_of(emitter, node)
    else {
        return Ok(None);
    };
    let f = UnaryFn::Clamp {
        min: Some(min),
        max: None,
    };
    emitter.unfolded(Unary { f }, &operands).map(Some)
}

fn wrong_pad_value(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Pad(op), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    if op.mode != PadMode::Constant(Scalar::Int(0)) {
        return Ok(None);
    }
    let mode = PadMode::Constant(Scalar::Int(1));
    emitter.unfolded(Pad { mode, ..op }, &operands).map(Some)
}

fn cast_by_way_of_half(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Cast(Cast { to: DType::F64 }), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    if emitter.ty(operands[0]).dtype != DType::F32 {
        return Ok(None);
    }
    let half = emitter.value(Cast { to: DType::F16 }, &operands)?;
    emitter.unfolded(Cast { to: DType::F64 }, &[half]).map(Some)
}

/// Another axis of the same size, the result turned to the type that is expected.
fn wrong_reduction_axis(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Reduce(op), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    let (shape, &[axis]) = (emitter.shape(operands[0]), op.axes.as_slice()) else {
        return Ok(None);
    };
    let other =
        (0..shape.rank()).find(|&i| i != axis && shape[i] == shape[axis] && !shape[i].is(1));
    let Some(other) = other else {
        return Ok(None);
    };
    let axes = vec![other];
    let folded = emitter.value(Reduce { f: op.f, axes }, &operands)?;
    emitter.transpose(folded, axis, other).map(Some)
}

fn concat_in_reverse(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Concat(Concat { axis }), mut operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    operands.reverse();
    emitter.unfolded(Concat { axis }, &operands).map(Some)
}

/// The inverse, where sizes coincide and types do not tell.
fn permutation_backwards(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Move(op), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    let Some(order) = op.movement.as_permutation() else {
        return Ok(None);
    };
    let inverse: Vec<usize> = (0..order.len())
        .filter_map(|axis| order.iter().position(|&from| from == axis))
        .collect();
    let shape: Vec<Dim> = emitter.shape(operands[0]).to_vec();
    match Movement::permute(&shape, &inverse) {
        Ok(movement)
            if inverse != order && movement.result_shape() == op.movement.result_shape() =>
        {
            emitter.unfolded(Move { movement }, &operands).map(Some)
        }
        _ => Ok(None),
    }
}

/// `x + 0.0` is not `x`: the sum of `-0.0` and `0.0` is `0.0`.
fn zero_added_is_nothing(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let (Op::Binary(Binary { f: BinaryFn::Add }), operands) = op_of(emitter, node) else {
        return Ok(None);
    };
    let graph = emitter.graph();
    let is_zero = graph.as_splat(operands[1]) == Some(Scalar::Float(0.0));
    let fits = graph.ty(operands[0]) == graph.ty(graph.node(node).result());
    Ok((is_zero && fits).then_some(operands[0]))
}

/// What a node gives is made anew at the end of the block, behind its readers.
fn defined_behind_its_use(rewriter: &mut Rewriter<'_>, _: &dyn Target, report: &mut Report) {
    let graph: &Graph = rewriter.graph();
    let root = graph.root();
    let read_later = graph.nodes_in(root).find(|(_, node)| {
        let is_read = |&r: &ValueId| {
            let uses = graph.value(r).uses().iter();
            uses.clone()
                .any(|u| matches!(u, kiln_ir::graph::Use::Operand(..)))
        };
        matches!(node.op, Op::Unary(_)) && node.results.iter().all(is_read)
    });
    let Some((id, node)) = read_later else { return };
    let (op, operands, old) = (node.op.clone(), node.operands.to_vec(), node.result());
    if !rewriter.may_apply() {
        return;
    }
    report.applied("defined_behind_its_use", rewriter.graph(), id);
    if let Ok(new) = rewriter.value(Place::End(root), op, &operands) {
        rewriter.replace_value(old, new);
        rewriter.erase(id);
    }
}
