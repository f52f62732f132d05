//! Fully connected layers on floats whose weights are integers with scales by groups of a row.
//!
//! The library multiplies floats only by integers with scales by channel. A group of a row has such scales, so the layer is a sum of
//! layers, one for each group, that read a part of the row each:
//!
//! `y[n] = b[n] + sum over g of s[n, g] * (sum over k in g of q[n, k] * x[k])`
//!
//! The weights stay in their bits, which take less memory and less time to read. `docs/benchmarks.md` has the times beside weights of
//! floats: less for few rows, more for many.

use super::dynamic::{Split, nibbles};
use super::element::Elements;
use super::slices::Range;
use super::{Lowering, Problem};
use crate::payload::{BinaryOp, Datatype, ValueId as Tensor, XnnOp};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::{NodeId, TensorData, ValueId};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::layout::Order;

impl Lowering<'_> {
    pub(super) fn linear_by_groups(
        &mut self,
        id: NodeId,
        node: &Node,
        split: Split,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let filters = self.filters_by_group(node.operands[1], split)?;
        let bias = self.single_bias(node, None)?;
        let (output, clamp) = (self.target(id, order), self.clamp(id));
        let inputs = self.groups_of(input, split.group, filters.len());
        let last = filters
            .len()
            .checked_sub(1)
            .ok_or("weights without groups")?;
        let mut sum = None;
        for (g, (input, filter)) in inputs.into_iter().zip(filters).enumerate() {
            let is_last = g == last && bias.is_none();
            let is_all = is_last && g == 0;
            let made = if is_all { output } else { self.like(output) };
            let layer = XnnOp::FullyConnected {
                input,
                filter,
                bias: None,
                output: made,
                flags: 0,
            };
            self.push_clamped(layer, clamp.filter(|_| is_all));
            let clamp = clamp.filter(|_| is_last);
            sum = Some(self.added(sum, made, output, is_last, clamp));
        }
        if let (Some(sum), Some(bias)) = (sum, bias) {
            self.push_pair(BinaryOp::Add, [sum, bias], output, clamp);
        }
        Ok(())
    }

    /// The groups of a tensor's rows, once for all layers that read them.
    fn groups_of(&mut self, input: Tensor, group: usize, count: usize) -> Vec<Tensor> {
        if let Some(known) = self.groups.get(&(input, group)) {
            return known.clone();
        }
        let (dim, len) = (self.tensors.dims(input).len() - 1, group as i64);
        let ranges = (0..count as i64).map(|g| Range {
            dim,
            start: g * len,
            len,
        });
        let found: Vec<Tensor> = ranges.map(|r| self.tensors.sliced(input, &[r])).collect();
        self.groups.insert((input, group), found.clone());
        found
    }

    /// The matrix of each group, in their order.
    fn filters_by_group(&mut self, weight: ValueId, split: Split) -> Result<Vec<Tensor>, Problem> {
        let data = constant_of(self.graph, weight).ok_or("weights that are no constant")?;
        let quant = self.graph.ty(weight).quant.as_ref();
        let scales = quant.ok_or("weights without scales")?.scheme.scales();
        let &[outputs, columns] = data.sizes() else {
            return Err("weights that are no matrix".into());
        };
        let groups = columns / split.group;
        let mut filters = Vec::with_capacity(groups);
        for g in 0..groups {
            let part = weights::columns(&data, g * split.group, split.group);
            let part = part.ok_or("weights shorter than their groups")?;
            let own = (0..outputs)
                .map(|n| scales[n * groups + g] as f32)
                .collect();
            filters.push(self.filter_of_group(&part, own, split.is_narrow)?);
        }
        Ok(filters)
    }

    fn filter_of_group(
        &mut self,
        part: &TensorData,
        scales: Vec<f32>,
        is_narrow: bool,
    ) -> Result<Tensor, Problem> {
        if !is_narrow {
            let elements = Elements::per_channel(Datatype::QcInt8, scales, 0);
            return self.tensors.constant_of(part, elements);
        }
        let elements = Elements::per_channel(Datatype::QcInt4, scales, 0);
        self.tensors.packed(&nibbles(part)?, elements, part.sizes())
    }
}
