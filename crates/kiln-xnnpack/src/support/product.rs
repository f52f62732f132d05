//! Support rules for matrix products, convolutions, and ops that are lowered to them.

use super::{F32, Query};
use crate::lower::reduce;
use crate::orders::MOVERS;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{ArgFn, Conv, Reduce, ReduceFn, Softmax};
use kiln_ir::{Graph, Op, ValueId};
use kiln_transforms::framework::target::Reason;

/// The rule for rows that become images.
pub(super) const OPEN_ROWS: &str = "rows have at most one size that is not known";

impl Query<'_> {
    pub(super) fn linear(&self) -> Result<(), Reason> {
        self.dtype_in(F32)
    }

    pub(super) fn conv(&self, op: &Conv) -> Result<(), Reason> {
        self.dtype_in(F32)?;
        self.require_constant(1, "weight")?;
        if self.node.operands.len() > 2 {
            self.require_constant(2, "bias")?;
        }
        self.windows(op)
    }

    /// Refuses windows that the library does not have.
    pub(super) fn windows(&self, op: &Conv) -> Result<(), Reason> {
        self.spatial(op.spatial())?;
        self.rows_reshape()?;
        let numbers = op
            .stride
            .iter()
            .chain(&op.dilation)
            .chain(&op.pad_low)
            .chain(&op.pad_high);
        let mut all = numbers.chain(&op.output_padding).chain([&op.groups]);
        if all.any(|&n| !(0..1 << 20).contains(&n)) {
            return Err(Reason::new(
                "numbers of a convolution are from 0 to 2^20",
                "others",
            ));
        }
        if op.transposed
            && op
                .output_padding
                .iter()
                .zip(&op.stride)
                .any(|(p, s)| p >= s)
        {
            return Err(Reason::new(
                "XNNPACK's output padding is below the stride",
                format!("{:?} with {:?}", op.output_padding, op.stride),
            ));
        }
        Ok(())
    }

    /// Refuses operands that are neither images nor rows.
    pub(super) fn spatial(&self, axes: usize) -> Result<(), Reason> {
        match axes {
            1 | 2 => Ok(()),
            n => Err(Reason::new(
                "XNNPACK's windows have 1 or 2 spatial axes",
                n.to_string(),
            )),
        }
    }

    /// Rows become images by a reshape, which infers one unknown size.
    pub(super) fn rows_reshape(&self) -> Result<(), Reason> {
        let mut values = self.node.operands.iter().take(1).chain(&self.node.results);
        match values.find(|&&v| {
            self.graph.ty(v).rank() == 3 && !MOVERS.can_reshape(&self.graph.ty(v).shape)
        }) {
            None => Ok(()),
            Some(&v) => Err(Reason::new(OPEN_ROWS, self.graph.type_text(v))),
        }
    }

    pub(super) fn softmax(&self, op: &Softmax) -> Result<(), Reason> {
        if op.log {
            return Err(Reason::new(
                "XNNPACK has no logarithm of a softmax",
                "log_softmax",
            ));
        }
        // That axis is innermost in a row's image.
        if op.axis == 1 {
            self.rows_reshape()?;
        }
        self.dtype_in(F32)
    }

    pub(super) fn reduce(&self, op: &Reduce) -> Result<(), Reason> {
        match op.f {
            ReduceFn::Sum | ReduceFn::Mean => self.dtype_in(F32)?,
            ReduceFn::Max if self.is_quantised() => {}
            ReduceFn::Max | ReduceFn::Min => {
                self.dtype_in(F32)?;
                if comes_with_position(self.graph, self.node) {
                    return Err(Reason::new(
                        "one kernel gives an extreme and its position, and no delegate reads the extreme",
                        "an extreme with its position",
                    ));
                }
            }
            ReduceFn::Prod | ReduceFn::Any | ReduceFn::All => {
                return Err(Reason::new(
                    "XNNPACK sums, averages and takes extremes",
                    format!("{:?}", op.f),
                ));
            }
        }
        reduce::plan(&self.ty(0).shape, op).map(|_| ())
    }
}

/// True for a maximum whose index along the same axis is computed too, if no delegate computes with the maximum: the
/// kernel that finds the index returns both.
pub(crate) fn comes_with_position(graph: &Graph, node: &Node) -> bool {
    let Op::Reduce(Reduce { f, axes }) = &node.op else {
        return false;
    };
    let f = match f {
        ReduceFn::Max => ArgFn::Max,
        ReduceFn::Min => ArgFn::Min,
        _ => return false,
    };
    let is_position = |op: &Op| matches!(op, Op::ArgReduce(op) if op.f == f && *axes == [op.axis]);
    let mut beside = graph.value(node.operands[0]).uses().iter();
    beside.any(|u| matches!(u, Use::Operand(reader, _) if is_position(&graph.node(*reader).op)))
        && is_only_given(graph, node.results[0])
}

/// True if no delegate reads the value, directly or through views.
fn is_only_given(graph: &Graph, value: ValueId) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        for reader in graph.value(value).uses() {
            if let Use::Operand(reader, _) = reader {
                let node = graph.node(*reader);
                match node.op {
                    Op::Move(_) => open.extend(&node.results),
                    _ if Query { graph, node }.check_family().is_ok() => return false,
                    _ => {}
                }
            }
        }
    }
    true
}
