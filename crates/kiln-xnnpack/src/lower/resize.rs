//! Lowering of resizes: linear by XNNPACK, nearest by whole multiples as repetition.

use super::window::image;
use super::{Lowering, Problem};
use crate::orders::MOVERS;
use crate::payload::{BinaryOp, XnnOp, flags};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Resize, ResizeMode};
use kiln_ir::{Dim, NodeId, Shape};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// Refuses a scale factor from the user that is not the ratio of the sizes.
pub(crate) fn check_scale(
    source: &Dim,
    size: &Dim,
    scale: Option<f64>,
    align_corners: bool,
) -> Result<(), Reason> {
    let Some(scale) = scale.filter(|_| !align_corners) else {
        return Ok(());
    };
    match (source.as_const(), size.as_const()) {
        (Some(source), Some(size)) if source as f64 * scale == size as f64 => Ok(()),
        _ => Err(Reason::new(
            "XNNPACK samples by the ratio of the sizes",
            format!("the factor {scale} from {source} to {size}"),
        )),
    }
}

/// The whole factor for each spatial axis. Ones of these sizes are a constant.
pub(crate) fn factors(shape: &Shape, op: &Resize) -> Result<Vec<i64>, Reason> {
    let mut factors = Vec::new();
    for (i, size) in op.output.iter().enumerate() {
        let source = &shape[i + 2];
        let whole = match (source.as_const(), size.as_const()) {
            (Some(source), Some(size)) if source > 0 && size % source == 0 => Some(size / source),
            _ => None,
        };
        let refused = || {
            Reason::new(
                "XNNPACK repeats to whole multiples",
                format!("{source} to {size}"),
            )
        };
        factors.push(whole.filter(|&f| f > 0).ok_or_else(refused)?);
        check_scale(source, size, op.scales[i], false)?;
    }
    weights::check_elements(
        "the ones of a repetition",
        weights::MAX_REPEATED,
        factors.iter().copied(),
    )?;
    let mut result = shape.to_vec();
    result.splice(2.., op.output.iter().cloned());
    if MOVERS.can_reshape(shape) && MOVERS.can_reshape(&result) {
        return Ok(factors);
    }
    Err(Reason::new(
        "one size at most is not known",
        format!("{shape:?}"),
    ))
}

impl Lowering<'_> {
    pub(super) fn resize(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Resize,
        order: &Order,
    ) -> Result<(), Problem> {
        match op.mode {
            ResizeMode::Linear => self.linear_resize(id, node, op, order),
            ResizeMode::Nearest => self.repeat(id, node, op, order),
            ResizeMode::Cubic => Err("a cubic resize".into()),
        }
    }

    fn linear_resize(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Resize,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let sizes: Option<Vec<u32>> = op
            .output
            .iter()
            .map(|d| u32::try_from(d.as_const()?).ok())
            .collect();
        let size = image(&sizes.ok_or("a resize to an unknown size")?, 1);
        let output = self.target(id, order);
        let flags = if op.align_corners {
            flags::ALIGN_CORNERS
        } else {
            0
        };
        self.push(XnnOp::ResizeBilinear {
            size,
            input,
            output,
            flags,
        });
        Ok(())
    }

    /// Repetition: `[n, h, 1, w, 1, c]` times ones of `[1, 1, a, 1, b, 1]`.
    fn repeat(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Resize,
        order: &Order,
    ) -> Result<(), Problem> {
        let ty = self.graph.ty(node.operands[0]);
        let factors = factors(&ty.shape, op).map_err(|reason| reason.to_string())?;
        let [a, b] = image(&factors, 1);
        let input = self.tensors.operand(node.operands[0], order)?;
        let dims = self.tensors.dims(input).to_vec();
        let [n, h, w, c] = dims.as_slice() else {
            return Err("an image has 4 dims".into());
        };
        let one = || Dim::constant(1);
        let split = [n.clone(), h.clone(), one(), w.clone(), one(), c.clone()];
        let split = self.tensors.reshape(input, &split);
        let ones = [1, 1, a as usize, 1, b as usize, 1];
        let ones = self.tensors.ones(input, &ones)?;
        let repeated = [
            n.clone(),
            h.clone(),
            a.into(),
            w.clone(),
            b.into(),
            c.clone(),
        ];
        let elements = self.tensors.elements(input);
        let repeated = self.tensors.add(elements, repeated.to_vec());
        self.push_binary(BinaryOp::Multiply, [split, ones], repeated);
        let output = self.target(id, order);
        self.tensors.push_reshape(repeated, output);
        Ok(())
    }
}
