//! Pools that also give the place of each maximum. The elements of each window are laid side by side, and the first greatest of
//! them is found.

use super::parts::{TensorId, int};
use super::strided::{Walk, steps_of};
use super::window::Axis;
use super::{Lowering, Order};
use crate::dialect::{AxisArgmax, Dtype, Function, Gather, IntegerFunction};
use kiln_ir::graph::Node;
use kiln_ir::{DType, Scalar, ops};
use kiln_transforms::framework::target::Reason;

/// The windows of a pool over an image of these sizes.
struct Windows {
    axes: [Axis; 2],
    /// The sizes of the operand, channels last.
    input: [usize; 4],
    /// The sizes of the result, channels last.
    output: [usize; 4],
}

impl Lowering<'_> {
    /// The places of the maxima in the image, as 64-bit integers.
    pub(super) fn positions(
        &mut self,
        node: &Node,
        op: &ops::Pool,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        if op.spatial() != 2 {
            return Err(self.no_kernel(node));
        }
        let x = self.operand(node.operands[0], order)?;
        let quad = |sizes: Vec<usize>| <[usize; 4]>::try_from(sizes).unwrap_or([1; 4]);
        let windows = Windows {
            axes: self.pool_axes(node, op)?,
            input: quad(self.parts.sizes(x).to_vec()),
            output: quad(self.sizes(node.results[0], order)?),
        };
        let taps = self.first_greatest(x, &windows)?;
        let offsets = self.offsets_of(taps, &windows)?;
        let [firsts, elements] = windows.firsts();
        // Where all elements are the least number, the first tap is taken, also if it is padding. It lies in front of all elements.
        let has_padding = firsts != elements;
        let firsts = self.by_window("windows", &firsts, &windows);
        let mut places = self.integers(IntegerFunction::Add, [offsets, firsts])?;
        if has_padding {
            let elements = self.by_window("first_elements", &elements, &windows);
            places = self.integers(IntegerFunction::Max, [places, elements])?;
        }
        self.as_type(places, DType::I32, DType::I64)
    }

    /// A constant number for each window, the same in all batches and channels.
    fn by_window(&mut self, name: &str, numbers: &[i32], windows: &Windows) -> TensorId {
        let [_, height, width, _] = windows.output;
        let numbers = self.parts.words(name, numbers);
        self.parts.view(numbers, &[1, height, width, 1])
    }

    /// The number of the tap that is the first greatest of each window.
    fn first_greatest(&mut self, x: TensorId, windows: &Windows) -> Result<TensorId, Reason> {
        let [high, wide] = windows.axes;
        let [batches, height, width, channels] = windows.output;
        let (dtype, taps) = (self.parts.dtype(x), high.kernel * wide.kernel);
        let (function, least) = match dtype {
            Dtype::I8 => (Function::KilnArgmaxS8, Scalar::Int(i8::MIN.into())),
            Dtype::I16 => (Function::KilnArgmaxS16, Scalar::Int(i16::MIN.into())),
            Dtype::F32 => (
                Function::KilnMaxPoolPlaceF32,
                Scalar::Float(f64::NEG_INFINITY),
            ),
            other => return Err(Reason::new("places are of numbers", other.name())),
        };
        let sizes = [batches, height, width, taps, channels];
        let side_by_side = self.parts.temporary(dtype, &sizes);
        let value = self.number(dtype, least)?;
        let elements = [self.parts.elements(side_by_side)];
        let filled = Walk::new(&elements, [&[0], &[1]]);
        self.parts.copy(value, side_by_side, &filled)?;
        for tap in 0..taps {
            if let Some(walk) = windows.tap(tap, taps) {
                self.parts.copy(x, side_by_side, &walk)?;
            }
        }
        let places = AxisArgmax {
            outer: int(batches * height * width)?,
            n: int(taps)?,
            inner: int(channels)?,
        };
        let y = self.parts.temporary(Dtype::I32, &windows.output);
        self.parts
            .call(function, places, &[Some(side_by_side), Some(y)])?;
        Ok(y)
    }

    /// The distance of each tap from the first tap of its window, in elements of a channel.
    fn offsets_of(&mut self, taps: TensorId, windows: &Windows) -> Result<TensorId, Reason> {
        let [high, wide] = windows.axes;
        let row = |tap: usize| tap / wide.kernel * high.dilation * windows.input[2];
        let offsets = (0..high.kernel * wide.kernel)
            .map(|tap| (row(tap) + tap % wide.kernel * wide.dilation) as i32);
        let offsets: Vec<i32> = offsets.collect();
        let gather = Gather {
            outer: 1,
            n: int(offsets.len())?,
            inner_bytes: 4,
            count: int(self.parts.elements(taps))?,
        };
        let table = self.parts.words("taps", &offsets);
        let y = self.parts.temporary(Dtype::I32, &windows.output);
        let slots = [Some(table), Some(taps), Some(y)];
        self.parts.call(Function::KilnGather, gather, &slots)?;
        Ok(y)
    }
}

impl Windows {
    /// The walk from the elements that one tap of all windows meets in the image to their places among the taps. `None` if the
    /// tap lies in padding everywhere.
    fn tap(&self, tap: usize, taps: usize) -> Option<Walk> {
        let [high, wide] = self.axes;
        let [batches, height, width, channels] = self.output;
        let (row, column) = (tap / wide.kernel, tap % wide.kernel);
        let (top, bottom) = high.covered(row, height);
        let (left, right) = wide.covered(column, width);
        let sizes = [
            batches,
            (bottom - top).max(0) as usize,
            (right - left).max(0) as usize,
            channels,
        ];
        if sizes.contains(&0) {
            return None;
        }
        let mut from = steps_of(&self.input);
        let place = |axis: &Axis, first: i64, tap: usize| {
            first * axis.stride as i64 + (tap * axis.dilation) as i64 - axis.pad as i64
        };
        let start = place(&high, top, row) * from[1] + place(&wide, left, column) * from[2];
        (from[1], from[2]) = (from[1] * high.stride as i64, from[2] * wide.stride as i64);
        let mut to = steps_of(&[batches, height, width, taps, channels]);
        let of_tap = to.remove(3);
        let end = top * to[1] + left * to[2] + tap as i64 * of_tap;
        Some(Walk::new(&sizes, [&from, &to]).from([start, end]))
    }

    /// The place of each window's first tap in the image, which may be padding in front of it, and that of the first element. Both
    /// are 0 for a window of padding alone.
    fn firsts(&self) -> [Vec<i32>; 2] {
        let [high, wide] = &self.axes;
        let [_, height, width, _] = self.output;
        let mut firsts = [Vec::new(), Vec::new()];
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column)))
        {
            let places = first_places(high, row).zip(first_places(wide, column));
            let ([top, y], [left, x]) = places.unwrap_or_default();
            let row = self.input[2] as i32;
            firsts[0].push(top * row + left);
            firsts[1].push(y * row + x);
        }
        firsts
    }
}

/// The places of a window's first tap and of its first element along an axis; `None` if it has padding alone.
fn first_places(axis: &Axis, window: usize) -> Option<[i32; 2]> {
    let place = |tap| (window * axis.stride + tap * axis.dilation) as i32 - axis.pad as i32;
    let in_image = |place: &i32| (0..axis.size as i32).contains(place);
    let element = (0..axis.kernel).map(place).find(in_image)?;
    Some([place(0), element])
}
