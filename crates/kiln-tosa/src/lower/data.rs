//! Ops that repeat, slice, pad and join tensors.

use super::Lowering;
use super::parts::check_written;
use crate::dialect::{Pad, TensorId, TosaDtype, TosaOp};
use crate::orders::ROWS;
use kiln_ir::dim::{DimNames, Symbols};
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, PadMode};
use kiln_ir::{DType, Dim, Scalar};
use kiln_target::operands;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The most operands of a CONCAT at level 8K (`MAX_TENSOR_LIST_SIZE`, TOSA 1.0).
const MAX_JOINED: usize = 64;

/// The value of a dimension that must be static.
pub(super) fn known(dim: &Dim, symbols: &Symbols) -> Result<usize, Reason> {
    let size = dim.as_const().and_then(|n| usize::try_from(n).ok());
    size.ok_or_else(|| operands::not_fixed(DimNames(dim, symbols).to_string()))
}

impl Lowering<'_, '_> {
    pub(super) fn broadcast(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let to = self.sizes(node.result(), order)?;
        self.tile_to(x, &to)
    }

    /// The tensor repeated to these sizes.
    pub(crate) fn tile_to(&mut self, x: TensorId, to: &[usize]) -> Result<TensorId, Reason> {
        let from = self.parts.shape(x);
        if from == to {
            return Ok(x);
        }
        let multiples = from
            .iter()
            .zip(to)
            .map(|(&a, &b)| if a == b { 1 } else { b })
            .collect();
        self.parts.op(TosaOp::Tile { multiples }, &[x])
    }

    pub(super) fn slice(
        &mut self,
        node: &Node,
        op: &ops::Slice,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let symbols = &self.graph.symbols;
        let (start, len) = (known(&op.start, symbols)?, known(&op.len, symbols)?);
        let step = usize::try_from(op.step)
            .map_err(|_| Reason::new("steps go forward", op.step.to_string()))?;
        self.strided(x, order.position(op.axis, ROWS), start, len, step)
    }

    /// Writes the update into a slice of the tensor: the parts around the slice and the update are joined.
    pub(super) fn slice_update(
        &mut self,
        node: &Node,
        op: &ops::SliceUpdate,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let [x, source] = self.operands(node, order)?[..] else {
            return Err(Reason::new(
                "an update has two operands",
                node.operands.len().to_string(),
            ));
        };
        let axis = order.position(op.axis, ROWS);
        let (size, len) = (self.parts.shape(x)[axis], self.parts.shape(source)[axis]);
        let (start, step) = (known(&op.start, &self.graph.symbols)?, op.step as usize);
        if step == 1 {
            let mut parts = Vec::new();
            if start > 0 {
                parts.push(self.parts.part(x, axis, 0, start)?);
            }
            parts.push(source);
            if start + len < size {
                parts.push(self.parts.part(x, axis, start + len, size - start - len)?);
            }
            return self.join(&parts, axis);
        }
        let both = self.join(&[x, source], axis)?;
        let place = |i: usize| match i.checked_sub(start) {
            Some(behind) if behind % step == 0 && behind / step < len => size + behind / step,
            _ => i,
        };
        self.pick(both, axis, size, place)
    }

    pub(super) fn reverse(
        &mut self,
        node: &Node,
        axes: &[usize],
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        axes.iter().try_fold(x, |x, &axis| {
            self.parts.op(
                TosaOp::Reverse {
                    axis: order.position(axis, ROWS),
                },
                &[x],
            )
        })
    }

    pub(super) fn pad(
        &mut self,
        node: &Node,
        op: &ops::Pad,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let PadMode::Constant(value) = op.mode else {
            return Err(Reason::new(
                "TOSA pads with a value",
                format!("{:?}", op.mode),
            ));
        };
        let value = match self.graph.ty(node.operands[0]).dtype {
            DType::U8 => Scalar::Int(i64::from(value.as_i64() as u8 as i8)),
            _ => value,
        };
        let x = self.operand(node.operands[0], order)?;
        let symbols = &self.graph.symbols;
        let pairs = op
            .low
            .iter()
            .zip(&op.high)
            .map(|(low, high)| Ok([known(low, symbols)?, known(high, symbols)?]));
        let pairs: Vec<[usize; 2]> = pairs.collect::<Result<_, Reason>>()?;
        self.padded(x, order.permute(&pairs, &[0, 0], ROWS), value)
    }

    /// The tensor with a border of one value.
    pub(crate) fn padded(
        &mut self,
        x: TensorId,
        padding: Vec<[usize; 2]>,
        value: Scalar,
    ) -> Result<TensorId, Reason> {
        if padding.iter().all(|&pair| pair == [0, 0]) {
            return Ok(x);
        }
        let value = match self.parts.dtype(x) {
            TosaDtype::Bool => Scalar::Bool(value.as_f64() != 0.0),
            dtype if dtype.is_float() => {
                Scalar::Float(super::parts::rounded(dtype, value.as_f64()))
            }
            dtype => {
                let (least, greatest) = dtype.int_range().unwrap_or((i64::MIN, i64::MAX));
                Scalar::Int(value.as_i64().clamp(least, greatest))
            }
        };
        self.parts.op(TosaOp::Pad(Pad { padding, value }), &[x])
    }

    pub(super) fn concat(
        &mut self,
        node: &Node,
        axis: usize,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let operands = self.operands(node, order)?;
        self.join(&operands, order.position(axis, ROWS))
    }

    /// Joins tensors along an axis, by several CONCATs if there are more operands than the level allows.
    pub(crate) fn join(&mut self, operands: &[TensorId], axis: usize) -> Result<TensorId, Reason> {
        if let [only] = operands {
            return Ok(*only);
        }
        if operands.len() <= MAX_JOINED {
            return self.parts.op(TosaOp::Concat { axis }, operands);
        }
        let parts: Result<Vec<TensorId>, Reason> = operands
            .chunks(MAX_JOINED)
            .map(|some| self.join(some, axis))
            .collect();
        self.join(&parts?, axis)
    }

    pub(super) fn iota(&mut self, node: &Node, dtype: DType) -> Result<TensorId, Reason> {
        let sizes = self.sizes(node.result(), &Order::plain(1))?;
        let dtype = super::parts::core_dtype(super::dtype_of(dtype)?)?;
        check_written("numbers", &sizes)?;
        let numbers = (0..sizes[0]).map(|i| match dtype.is_float() {
            true => Scalar::Float(i as f64),
            false => Scalar::Int(i as i64),
        });
        self.parts.data(&kiln_ir::TensorData::from_scalars(
            dtype,
            sizes.clone(),
            numbers,
        ))
    }
}
