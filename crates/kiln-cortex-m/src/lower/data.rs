//! Ops that repeat, slice, pad and join tensors: copies by strides, where the library has no function.

use super::parts::{TensorId, int};
use super::strided::{Walk, repeated, steps_of};
use super::window::known;
use super::{Lowering, Order};
use crate::dialect::{Border, Concat, Dtype, Function, PadMode, Padding, Parameters, PerAxis};
use crate::orders::ROWS;
use kiln_ir::dim::DimNames;
use kiln_ir::graph::Node;
use kiln_ir::{Scalar, ops};
use kiln_target::operands;
use kiln_transforms::framework::target::Reason;

/// An axis with its border: its size, and the elements in front of it and behind it.
type Bordered = (usize, [i64; 2]);

impl Lowering<'_> {
    pub(super) fn broadcast_to(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let sizes = self.sizes(node.result(), order)?;
        self.repeated_to(x, &sizes)
    }

    /// The tensor with its axes of size 1 repeated to these sizes.
    pub(super) fn repeated_to(&mut self, x: TensorId, sizes: &[usize]) -> Result<TensorId, Reason> {
        if self.parts.sizes(x) == sizes {
            return Ok(x);
        }
        let walk = Walk::new(sizes, [&repeated(self.parts.sizes(x)), &steps_of(sizes)]);
        self.copied(x, sizes, &walk)
    }

    /// A new tensor of these sizes with the elements that a walk visits.
    fn copied(&mut self, x: TensorId, sizes: &[usize], walk: &Walk) -> Result<TensorId, Reason> {
        let y = self.parts.temporary(self.parts.dtype(x), sizes);
        self.parts.copy(x, y, walk)?;
        Ok(y)
    }

    pub(super) fn slice(
        &mut self,
        node: &Node,
        op: &ops::Slice,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let sizes = self.sizes(node.result(), order)?;
        let axis = order.position(op.axis, ROWS);
        let mut steps = steps_of(self.parts.sizes(x));
        let first = known(&op.start, &self.graph.symbols)? as i64 * steps[axis];
        let is_one = sizes[..axis].iter().all(|&size| size == 1);
        if is_one && (op.step == 1 || sizes[axis] == 1) && !self.parts.is_constant(x) {
            return Ok(self.parts.part(x, first as usize, &sizes));
        }
        steps[axis] *= op.step;
        let walk = Walk::new(&sizes, [&steps, &steps_of(&sizes)]).from([first, 0]);
        self.copied(x, &sizes, &walk)
    }

    pub(super) fn reverse(
        &mut self,
        node: &Node,
        axes: &[usize],
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let sizes = self.parts.sizes(x).to_vec();
        let (mut steps, mut first) = (steps_of(&sizes), 0);
        for &axis in axes {
            let axis = order.position(axis, ROWS);
            first += (sizes[axis] as i64 - 1) * steps[axis];
            steps[axis] = -steps[axis];
        }
        let walk = Walk::new(&sizes, [&steps, &steps_of(&sizes)]).from([first, 0]);
        self.copied(x, &sizes, &walk)
    }

    /// A copy of the tensor with the update written into it.
    pub(super) fn slice_update(
        &mut self,
        node: &Node,
        op: &ops::SliceUpdate,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let [x, source] = self.operands(node, order)?[..] else {
            let found = node.operands.len().to_string();
            return Err(Reason::new("an update has two operands", found));
        };
        let axis = order.position(op.axis, ROWS);
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.copied(x, &sizes, &Walk::dense(&sizes))?;
        let own = self.parts.sizes(source).to_vec();
        let mut steps = steps_of(&sizes);
        let first = known(&op.start, &self.graph.symbols)? as i64 * steps[axis];
        steps[axis] *= op.step;
        let walk = Walk::new(&own, [&steps_of(&own), &steps]).from([0, first]);
        self.parts.copy(source, y, &walk)?;
        Ok(y)
    }

    /// Joins tensors along an axis. In memory each operand is rows, and the result has longer rows.
    pub(super) fn concat(
        &mut self,
        node: &Node,
        axis: usize,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let operands = self.operands(node, order)?;
        let sizes = self.sizes(node.result(), order)?;
        let axis = order.position(axis, ROWS);
        let outer: usize = sizes[..axis].iter().product();
        let inner: usize = sizes[axis + 1..].iter().product();
        let (row, mut offset) = (sizes[axis] * inner, 0);
        let dtype = self.parts.dtype(operands[0]);
        let y = self.parts.temporary(dtype, &sizes);
        // Operands without elements add nothing.
        for x in operands {
            let own = self.parts.sizes(x)[axis] * inner;
            if own == 0 {
                continue;
            }
            let by_library = match dtype {
                Dtype::I8 => self.joined(x, y, [outer, own, row, offset]),
                _ => Err(Reason::new(
                    "the library joins 8-bit integers",
                    dtype.name(),
                )),
            };
            if by_library.is_err() {
                let steps = [&[own as i64, 1][..], &[row as i64, 1]];
                let walk = Walk::new(&[outer, own], steps).from([0, offset as i64]);
                self.parts.copy(x, y, &walk)?;
            }
            offset += own;
        }
        Ok(y)
    }

    fn joined(
        &mut self,
        x: TensorId,
        y: TensorId,
        [outer, own, row, offset]: [usize; 4],
    ) -> Result<(), Reason> {
        let concat = Concat {
            input_x: int(own)?,
            input_y: int(outer)?,
            input_z: 1,
            input_w: 1,
            output_size: Some(int(row)?),
            offset: int(offset)?,
        };
        let slots = [Some(x), Some(y)];
        self.parts.call(Function::ConcatenationS8X, concat, &slots)
    }

    pub(super) fn pad(
        &mut self,
        node: &Node,
        op: &ops::Pad,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let signed = |dims: &[kiln_ir::Dim]| -> Result<Vec<i64>, Reason> {
            let all = dims.iter().map(|d| {
                d.as_const().ok_or_else(|| {
                    operands::not_fixed(DimNames(d, &self.graph.symbols).to_string())
                })
            });
            all.collect()
        };
        let (low, high) = (signed(&op.low)?, signed(&op.high)?);
        let pairs: Vec<[i64; 2]> = low.into_iter().zip(high).map(|(a, b)| [a, b]).collect();
        let pairs = order.permute(&pairs, &[0, 0], ROWS);
        let sizes = self.sizes(node.result(), order)?;
        if pairs.iter().all(|&pair| pair == [0, 0]) {
            return Ok(x);
        }
        let value = match op.mode {
            ops::PadMode::Constant(value) => Some(value),
            _ => None,
        };
        let mode = match op.mode {
            ops::PadMode::Constant(_) => PadMode::Constant,
            ops::PadMode::Reflect => PadMode::Reflect,
            ops::PadMode::Replicate => PadMode::Replicate,
            ops::PadMode::Circular => PadMode::Circular,
        };
        self.bordered(x, &pairs, (mode, value), &sizes)
    }

    /// The tensor with a border. Along each axis the pair has the elements in front and behind.
    pub(in crate::lower) fn bordered(
        &mut self,
        x: TensorId,
        pairs: &[[i64; 2]],
        (mode, value): (PadMode, Option<Scalar>),
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let y = self.parts.temporary(dtype, sizes);
        if let (Some(value), Dtype::I8) = (value, dtype)
            && self.bordered_s8(x, y, pairs, value).is_ok()
        {
            return Ok(y);
        }
        let per_axis = |of: &dyn Fn(usize) -> i64| -> Result<PerAxis, Reason> {
            let all = (0..pairs.len()).map(|i| narrow(of(i)));
            Ok(PerAxis(all.collect::<Result<_, Reason>>()?))
        };
        let own = self.parts.sizes(x).to_vec();
        let border = Border {
            padding: Padding {
                rank: own.len() as i32,
                sizes: per_axis(&|i| own[i] as i64)?,
                before: per_axis(&|i| pairs[i][0])?,
                after: per_axis(&|i| pairs[i][1])?,
            },
            mode,
            element_size: dtype.bytes(1) as i32,
        };
        let value = match value {
            Some(value) => Some(self.number(dtype, value)?),
            None => None,
        };
        self.parts
            .call(Function::KilnPad, border, &[value, Some(x), Some(y)])?;
        Ok(y)
    }

    /// A constant tensor of one element.
    pub(super) fn number(&mut self, dtype: Dtype, value: Scalar) -> Result<TensorId, Reason> {
        let core = match dtype {
            Dtype::I8 => kiln_ir::DType::I8,
            Dtype::U8 => kiln_ir::DType::U8,
            Dtype::I16 => kiln_ir::DType::I16,
            Dtype::I32 => kiln_ir::DType::I32,
            Dtype::I64 => kiln_ir::DType::I64,
            Dtype::F32 => kiln_ir::DType::F32,
            Dtype::F16 => kiln_ir::DType::F16,
            Dtype::Bf16 => kiln_ir::DType::BF16,
            Dtype::I4 => return Err(Reason::new("an element has whole bytes", "4 bits")),
        };
        let data = kiln_ir::TensorData::scalar(core, value);
        let sizes = [1];
        let bytes = data.bytes().clone();
        Ok(self.parts.constant("value", dtype, &sizes, bytes))
    }

    /// A border by the library's function, which has four axes at most. Neighbouring axes without a border count as one.
    pub(super) fn bordered_s8(
        &mut self,
        x: TensorId,
        y: TensorId,
        pairs: &[[i64; 2]],
        value: Scalar,
    ) -> Result<(), Reason> {
        let mut axes: Vec<Bordered> = Vec::new();
        let own = self.parts.sizes(x).iter().zip(pairs);
        for (&size, &pair) in own.filter(|(size, pair)| **size != 1 || **pair != [0, 0]) {
            match axes.last_mut() {
                Some((whole, [0, 0])) if pair == [0, 0] => *whole *= size,
                _ => axes.push((size, pair)),
            }
        }
        if axes.len() > 4 || pairs.iter().flatten().any(|&n| n < 0) {
            return Err(Reason::new(
                "a border of 4 axes at most",
                format!("{pairs:?}"),
            ));
        }
        while axes.len() < 4 {
            axes.insert(0, (1, [0, 0]));
        }
        let four =
            |of: fn(&Bordered) -> usize| super::parts::dims(std::array::from_fn(|i| of(&axes[i])));
        let pad = crate::dialect::Pad {
            pad_value: value.as_i64() as i32,
            input_size: four(|axis| axis.0)?,
            pre_pad: four(|axis| axis.1[0] as usize)?,
            post_pad: four(|axis| axis.1[1] as usize)?,
        };
        let candidates = vec![(Function::PadS8, Parameters::from(pad))];
        self.parts.call_first(candidates, &[Some(x), Some(y)])
    }
}

pub(super) fn narrow(number: i64) -> Result<i32, Reason> {
    i32::try_from(number).map_err(|_| Reason::new("sizes fit 32 bits", number.to_string()))
}
