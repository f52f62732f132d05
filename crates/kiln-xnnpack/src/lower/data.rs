//! Lowering of broadcasts, slices, reversals, pads and concatenations.

use super::slices::Range;
use super::{Lowering, Problem, Tensor};
use crate::orders::MOVERS;
use crate::orders::ROWS;
use crate::payload::{BinaryOp, XnnOp};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Pad, PadMode, Slice};
use kiln_ir::{Dim, NodeId, Shape};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// A slice with a step, as slices without: from `start` on, whole runs of `step` elements are cut out, and of each run
/// the element `phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phase {
    pub(crate) start: i64,
    pub(crate) phase: i64,
}

/// The phase of a slice with a step greater than 1.
pub(crate) fn stride_phase(
    shape: &Shape,
    axis: usize,
    start: i64,
    len: i64,
    step: i64,
) -> Result<Phase, Reason> {
    let rule = "XNNPACK picks every n-th element only of whole runs of n";
    let found = || {
        format!(
            "{len} elements from {start} in steps of {step} of {}",
            shape[axis]
        )
    };
    let size = shape[axis]
        .as_const()
        .ok_or_else(|| Reason::new(rule, found()))?;
    let phase = (start + len * step - size).max(0);
    let mut split: Vec<Dim> = shape.to_vec();
    split.splice(axis..=axis, [Dim::constant(len), Dim::constant(step)]);
    // One more dim is for the width of a row.
    if phase >= step || phase > start || !MOVERS.can_reshape(&split) || shape.rank() > 4 {
        return Err(Reason::new(rule, found()));
    }
    Ok(Phase {
        start: start - phase,
        phase,
    })
}

impl Lowering<'_> {
    pub(super) fn broadcast(
        &mut self,
        id: NodeId,
        node: &Node,
        to: &Shape,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let from = &self.graph.ty(node.operands[0]).shape;
        let ones = self.ones_between(input, from, to, order)?;
        let output = self.target(id, order);
        self.push_binary(BinaryOp::Multiply, [input, ones], output);
        Ok(())
    }

    /// The operand, repeated to a shape where it differs.
    pub(super) fn repeated(
        &mut self,
        input: Tensor,
        from: &Shape,
        to: &Shape,
        order: &Order,
    ) -> Result<Tensor, Problem> {
        if from == to {
            return Ok(input);
        }
        let ones = self.ones_between(input, from, to, order)?;
        let elements = self.tensors.elements(input);
        let dims = order.permute(to, &Dim::constant(1), ROWS);
        let repeated = self.tensors.add(elements, dims);
        self.push_binary(BinaryOp::Multiply, [input, ones], repeated);
        Ok(repeated)
    }

    /// Ones that a product repeats a tensor of one shape with to another.
    fn ones_between(
        &mut self,
        input: Tensor,
        from: &Shape,
        to: &Shape,
        order: &Order,
    ) -> Result<Tensor, Problem> {
        let both = from.iter().zip(to.iter());
        let sizes = both.map(|(from, to)| match to.as_const() {
            Some(n) if from != to => n as usize,
            _ => 1,
        });
        let sizes: Vec<usize> = order.permute(&sizes.collect::<Vec<_>>(), &1, ROWS);
        self.tensors.ones(input, &sizes)
    }

    pub(super) fn slice(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Slice,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let (Some(start), Some(len)) = (op.start.as_const(), op.len.as_const()) else {
            return Err("a slice at a place that is not known".into());
        };
        let position = order.position(op.axis, ROWS);
        let like = self.slices_like(node.operands[0], op);
        if op.step == 1 {
            let turned = match len {
                1 => self.tensors.turned_slice(input, (position, start), like),
                _ => None,
            };
            let output = self.target(id, order);
            match turned {
                Some(slice) => self.tensors.push_from_front(slice, position, output),
                None => {
                    let dim = position;
                    let ranges = [Range { dim, start, len }];
                    self.tensors.push_slice(input, output, &ranges);
                }
            }
            return Ok(());
        }
        let shape = &self.graph.ty(node.operands[0]).shape;
        let found = stride_phase(shape, op.axis, start, len, op.step).map_err(|r| r.to_string())?;
        let mut dims = self.tensors.dims(input).to_vec();
        let steps = Range {
            dim: position,
            start: found.start,
            len: len * op.step,
        };
        let whole = self.tensors.sliced(input, &[steps]);
        dims.splice(
            position..=position,
            [Dim::constant(len), Dim::constant(op.step)],
        );
        let runs = self.tensors.reshaped_for_slices(whole, &dims);
        let phase = (position + 1, found.phase);
        let picked = match self.tensors.turned_slice(runs, phase, like) {
            Some(slice) => slice,
            None => {
                let ((dim, start), len) = (phase, 1);
                self.tensors.sliced(runs, &[Range { dim, start, len }])
            }
        };
        let output = self.target(id, order);
        self.tensors.push_reshape(picked, output);
        Ok(())
    }

    pub(super) fn pad(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Pad,
        order: &Order,
    ) -> Result<(), Problem> {
        let PadMode::Constant(value) = op.mode else {
            return Err("a padding that is no constant".into());
        };
        let input = self.tensors.operand(node.operands[0], order)?;
        let amounts = |sizes: &[Dim]| -> Option<Vec<u32>> {
            let all: Option<Vec<u32>> = sizes
                .iter()
                .map(|d| u32::try_from(d.as_const()?).ok())
                .collect();
            all.map(|all| order.permute(&all, &0, ROWS))
        };
        let (Some(before), Some(after)) = (amounts(&op.low), amounts(&op.high)) else {
            return Err("a padding of unknown size".into());
        };
        let ty = self.graph.ty(node.operands[0]);
        let value = super::integers::nearest(ty, value).unwrap_or(value.as_f64() as f32);
        let (output, flags) = (self.target(id, order), 0);
        self.push(XnnOp::ConstantPad {
            before,
            after,
            value,
            input,
            output,
            flags,
        });
        Ok(())
    }
}
