//! Elements and blocks that are gathered or written by indices. In the kernels an index has 32 bits.

use crate::dialect::{Dtype, Function, Gather, GatherElements, IntegerFunction};
use crate::lower::parts::{TensorId, int};
use crate::lower::strided::{Walk, steps_of};
use crate::lower::{Lowering, Order};
use kiln_ir::graph::Node;
use kiln_ir::{DType, ValueId, ops};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    /// The indices as 32-bit integers, in plain order.
    pub(super) fn indices(&mut self, value: ValueId) -> Result<TensorId, Reason> {
        if let Some(data) = constant_of(self.graph, value) {
            let all: Vec<i32> = data.scalars().map(|s| s.as_i64() as i32).collect();
            let tensor = self.parts.words("indices", &all);
            return Ok(self.parts.view(tensor, data.sizes()));
        }
        let ty = self.graph.ty(value);
        let (rank, dtype) = (ty.rank(), ty.dtype);
        let x = self.operand(value, &Order::plain(rank))?;
        match dtype {
            DType::I32 | DType::I64 => self.as_type(x, dtype, DType::I32),
            other => Err(Reason::new("indices are integers", other.name())),
        }
    }

    /// Gathers blocks by the indices of one axis, or of several.
    pub(super) fn index(&mut self, node: &Node, op: &ops::Index) -> Result<TensorId, Reason> {
        let x = node.operands[0];
        let x = self.operand(x, &Order::plain(self.graph.ty(x).rank()))?;
        let sizes = self.parts.sizes(x).to_vec();
        let own = &sizes[op.axis..op.axis + node.operands.len() - 1];
        let indices = self.indices_of(&node.operands[1..], own)?;
        let behind: usize = sizes[op.axis + own.len()..].iter().product();
        let dtype = self.parts.dtype(x);
        let count = self.parts.elements(indices);
        let gather = Gather {
            outer: int(sizes[..op.axis].iter().product())?,
            n: int(own.iter().product())?,
            inner_bytes: int(dtype.bytes(behind))?,
            count: int(count)?,
        };
        let rank = self.graph.ty(node.result()).rank();
        let result = self.sizes(node.result(), &Order::plain(rank))?;
        let outer: usize = sizes[..op.axis].iter().product();
        if result.iter().product::<usize>() != outer * count * behind {
            return Err(self.no_kernel(node));
        }
        let y = self.parts.temporary(dtype, &result);
        let slots = [Some(x), Some(indices), Some(y)];
        self.parts.call(Function::KilnGather, gather, &slots)?;
        Ok(y)
    }

    /// The indices of one axis; or of neighbouring axes, as those of one axis.
    pub(super) fn indices_of(
        &mut self,
        values: &[ValueId],
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        match values {
            [only] => self.indices(*only),
            _ => self.joined_indices(values, sizes),
        }
    }

    /// The indices of neighbouring axes of these sizes as those of one axis. Each is brought into its range; a former one is
    /// multiplied by the sizes of the latter axes.
    fn joined_indices(&mut self, values: &[ValueId], sizes: &[usize]) -> Result<TensorId, Reason> {
        let mut all: Option<TensorId> = None;
        for (&value, &size) in values.iter().zip(sizes) {
            let own = self.indices(value)?;
            // Negative indices count from the end of their own axis.
            let own = self.with_number(own, IntegerFunction::Remainder, size as i64, true)?;
            all = Some(match all {
                None => own,
                Some(all) => {
                    let all = self.with_number(all, IntegerFunction::Mul, size as i64, true)?;
                    self.integers(IntegerFunction::Add, [all, own])?
                }
            });
        }
        all.ok_or_else(|| Reason::new("there are indices", "none"))
    }

    /// Gathers elements, each by an index along an axis.
    pub(super) fn gather(&mut self, node: &Node, axis: usize) -> Result<TensorId, Reason> {
        let x = node.operands[0];
        let x = self.operand(x, &Order::plain(self.graph.ty(x).rank()))?;
        let indices = self.indices(node.operands[1])?;
        let (of_x, of_indices) = (
            self.parts.sizes(x).to_vec(),
            self.parts.sizes(indices).to_vec(),
        );
        let mut steps = steps_of(&of_x);
        let axis_stride = steps[axis];
        steps[axis] = 0;
        let dtype: Dtype = self.parts.dtype(x);
        let gather = GatherElements {
            strides: Walk::new(&of_indices, [&steps, &steps_of(&of_indices)]).strides()?,
            axis_size: int(of_x[axis])?,
            axis_stride: int(axis_stride as usize)?,
            element_size: dtype.bytes(1) as i32,
        };
        let y = self.parts.temporary(dtype, &of_indices);
        let slots = [Some(x), Some(indices), Some(y)];
        self.parts
            .call(Function::KilnGatherElements, gather, &slots)?;
        Ok(y)
    }

    /// Writes blocks at indices. Known indices take copies.
    pub(super) fn index_put(
        &mut self,
        node: &Node,
        op: &ops::IndexPut,
    ) -> Result<TensorId, Reason> {
        match self.known_index_put(node, op) {
            Ok(made) => Ok(made),
            Err(_) => self.index_put_by_indices(node, op),
        }
    }

    /// Writes blocks at known indices along one axis. Indices with equal distances take one copy.
    fn known_index_put(&mut self, node: &Node, op: &ops::IndexPut) -> Result<TensorId, Reason> {
        /// The most copies.
        const MOST: usize = 64;
        let [x, values, index] = node.operands[..] else {
            return Err(self.no_kernel(node));
        };
        let data = constant_of(self.graph, index).filter(|_| !op.accumulate);
        let data = data.ok_or_else(|| self.no_kernel(node))?;
        let [x, values] = [x, values].map(|v| (v, Order::plain(self.graph.ty(v).rank())));
        let (x, values) = (self.operand(x.0, &x.1)?, self.operand(values.0, &values.1)?);
        let sizes = self.parts.sizes(x).to_vec();
        let size = sizes[op.axis] as i64;
        let places: Vec<i64> = data
            .scalars()
            .map(|s| s.as_i64().rem_euclid(size))
            .collect();
        let outer: usize = sizes[..op.axis].iter().product();
        let inner: usize = sizes[op.axis + 1..].iter().product();
        if self.parts.elements(values) != outer * places.len() * inner {
            return Err(self.no_kernel(node));
        }
        let runs = evenly_apart(&places);
        if runs.len() > MOST {
            let rule = format!("blocks are put by at most {MOST} copies");
            return Err(Reason::new(rule, runs.len().to_string()));
        }
        let y = self.parts.temporary(self.parts.dtype(x), &sizes);
        self.parts.copy(x, y, &Walk::dense(&sizes))?;
        let from = steps_of(&[outer, places.len(), inner]);
        for (first, count, apart) in runs {
            let mut to = steps_of(&[outer, sizes[op.axis], inner]);
            let firsts = [first as i64 * from[1], places[first] * to[1]];
            to[1] *= apart;
            let walk = Walk::new(&[outer, count, inner], [&from, &to]).from(firsts);
            self.parts.copy(values, y, &walk)?;
        }
        Ok(y)
    }
}

/// The runs of places with equal distances: the first place, how many there are, and their distance.
fn evenly_apart(places: &[i64]) -> Vec<(usize, usize, i64)> {
    let (mut runs, mut first) = (Vec::new(), 0);
    while first < places.len() {
        let apart = places.get(first + 1).map_or(1, |next| next - places[first]);
        let rest = places[first..].windows(2);
        // An element is put once by a copy; the last of several to a place comes last.
        let count = 1 + rest
            .take_while(|pair| apart != 0 && pair[1] - pair[0] == apart)
            .count();
        runs.push((first, count, apart));
        first += count;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::evenly_apart;

    #[test]
    fn runs_of_places_are_found() {
        assert_eq!(evenly_apart(&[0, 2, 4, 5]), [(0, 3, 2), (3, 1, 1)]);
        assert_eq!(evenly_apart(&[3, 3, 1]), [(0, 1, 0), (1, 2, -2)]);
        assert_eq!(evenly_apart(&[]), []);
    }
}
