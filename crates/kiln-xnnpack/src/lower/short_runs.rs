//! Slices and joins of short runs, by way of a transpose.
//!
//! The library copies a slice, and each part of a join, run by run. A run takes 4 ns however short it is, and an element that is transposed
//! half a nanosecond. So where a run has few elements, such as one of a pair that a rotary embedding turns, the dim is turned to the front,
//! and the runs there are long: 290 us became 60 us for both slices of 256 rows of 128 pairs, 264 us became 37 us for the join
//! (EPYC, ExecuTorch 1.5.1).

use super::Lowering;
use super::slices::Range;
use super::tensors::Parts;
use crate::payload::{ValueId as Tensor, XnnOp};
use kiln_ir::graph::Use;
use kiln_ir::ops::Slice;
use kiln_ir::{Dim, Graph, NodeId, Op, ValueId};

/// Nanoseconds of a run of a slice or of a part of a join, measured.
pub(super) const RUN: f64 = 4.0;

/// What else moves cost in nanoseconds, measured.
mod ns {
    /// An element of a transpose: of bytes, and of more.
    pub(super) const TURNED: [f64; 2] = [2.0, 0.5];
    /// An element of a copy.
    pub(super) const COPIED: f64 = 0.15;
    /// An operator.
    pub(super) const OPERATOR: f64 = 1000.0;
}

/// The other way has to pay by so much.
const GAIN: f64 = 1.5;

/// A tensor and the dim of it that is turned to the front, for all slices along it.
pub(super) type Turned = (Tensor, usize);

/// A tensor and its shape as runs of a step, for all slices of that step.
pub(super) type Stepped = (Tensor, Vec<Dim>);

impl Lowering<'_> {
    /// The slices of a value like this one, itself included: along the same axis, of one element or with the same step.
    pub(super) fn slices_like(&self, value: ValueId, op: &Slice) -> usize {
        let is_like = |reader: &&Use| match reader {
            Use::Operand(node, _) => is_slice_like(self.graph, *node, op),
            Use::BlockResult(..) | Use::Update(_) => false,
        };
        self.graph
            .value(value)
            .uses()
            .iter()
            .filter(is_like)
            .count()
    }
}

fn is_slice_like(graph: &Graph, node: NodeId, like: &Slice) -> bool {
    match &graph.node(node).op {
        Op::Slice(own) => {
            (own.axis, own.step) == (like.axis, like.step) && (own.step != 1 || own.len == like.len)
        }
        _ => false,
    }
}

impl Parts<'_> {
    /// One element along a dim in front of all others, where several such slices of the tensor are faster so. `None` where they are not.
    pub(super) fn turned_slice(
        &mut self,
        input: Tensor,
        (position, start): (usize, i64),
        slices: usize,
    ) -> Option<Tensor> {
        let (sizes, elements) = self.sizes(input);
        let (runs, slices) = (product(&sizes[..position]), slices as f64);
        let direct = slices * runs * RUN;
        let copies = slices * elements / sizes[position].max(1.0) * ns::COPIED;
        let turned = elements * self.turned_ns(input) + copies + (1.0 + slices) * ns::OPERATOR;
        if turned * GAIN > direct {
            return None;
        }
        let whole = match self.turned.get(&(input, position)) {
            Some(&whole) => whole,
            None => {
                let whole = self.turn_to_front(input, position);
                self.turned.insert((input, position), whole);
                whole
            }
        };
        let (dim, len) = (0, 1);
        Some(self.sliced(whole, &[Range { dim, start, len }]))
    }

    /// The tensor in another shape, once for all slices.
    pub(super) fn reshaped_for_slices(&mut self, input: Tensor, dims: &[Dim]) -> Tensor {
        let key = (input, dims.to_vec());
        if let Some(&made) = self.stepped.get(&key) {
            return made;
        }
        let made = self.reshape(input, dims);
        self.stepped.insert(key, made);
        made
    }

    /// Writes a slice of one element, which is dim 0, as dim `position` of `output`. No element moves.
    pub(super) fn push_from_front(&mut self, slice: Tensor, position: usize, output: Tensor) {
        let unknown = self
            .dims(output)
            .iter()
            .filter(|dim| dim.as_const().is_none());
        match unknown.count() > 1 {
            true => self.push_turned_back(slice, position, output),
            false => self.push_reshape(slice, output),
        }
    }

    /// Writes a tensor with dim 0 as dim `position`.
    pub(super) fn push_turned_back(&mut self, input: Tensor, position: usize, output: Tensor) {
        let rank = self.dims(input).len();
        let dims = (1..=position).chain([0]).chain(position + 1..rank);
        self.push_op(XnnOp::Transpose {
            perm: dims.map(|dim| dim as u32).collect(),
            input,
            output,
            flags: 0,
        });
    }

    /// Parts that are joined along a dim, with that dim in front. `None` where that is not faster.
    pub(super) fn turned_join(&mut self, parts: &[Tensor], position: usize) -> Option<Tensor> {
        let (mut direct, mut turned) = (0.0, ns::OPERATOR);
        for &part in parts {
            let (sizes, elements) = self.sizes(part);
            direct += product(&sizes[..position]) * RUN;
            let turn = match sizes[position] == 1.0 {
                true => ns::COPIED,
                false => self.turned_ns(part),
            };
            turned += elements * (turn + ns::COPIED + self.turned_ns(part)) + ns::OPERATOR;
        }
        if turned * GAIN > direct {
            return None;
        }
        let turned = parts.iter().map(|&part| self.turn_to_front(part, position));
        let turned: Vec<Tensor> = turned.collect();
        Some(self.join(&turned, 0))
    }

    /// The tensor with one dim in front of all others.
    fn turn_to_front(&mut self, input: Tensor, position: usize) -> Tensor {
        let rank = self.dims(input).len();
        let permutation: Vec<usize> = std::iter::once(position)
            .chain((0..rank).filter(|&dim| dim != position))
            .collect();
        self.transpose_at_once(input, &permutation)
    }

    /// The greatest sizes of a tensor, and the number of elements.
    fn sizes(&self, tensor: Tensor) -> (Vec<f64>, f64) {
        let sizes = self.bounds(self.dims(tensor));
        let sizes: Vec<f64> = sizes.into_iter().map(f64::from).collect();
        let elements = product(&sizes);
        (sizes, elements)
    }

    fn turned_ns(&self, tensor: Tensor) -> f64 {
        ns::TURNED[usize::from(self.datatype(tensor).bits() > 8)]
    }
}

fn product(sizes: &[f64]) -> f64 {
    sizes.iter().product()
}
