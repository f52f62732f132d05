//! Averages over windows whose results are quantised to the steps of their operands.
//!
//! An average of an even number of integers is often in the middle of two integers, and the rounding errors of the sum decide. PyTorch adds the
//! elements of a window by rows. The library's convolutions add them by columns, so the taps are cut out and added one by one.

use super::pool::{Window, out_size};
use super::slices::Range;
use super::window::{UNIT, image};
use super::{Lowering, Problem};
use crate::payload::{BinaryOp, ValueId as Tensor};
use kiln_ir::graph::Node;
use kiln_ir::{DType, Dim, Graph};
use kiln_transforms::analysis::equal_steps::is_between_equal_steps;

/// The most taps that are added one by one.
const MOST: u32 = 16;

/// The windows of an average that is added in order, of which `factor` is the reciprocal of the divisor; and the divisor. `None` for any
/// other average.
pub(super) fn windows(
    graph: &Graph,
    node: &Node,
    windows: &[Window],
    factor: f64,
) -> Option<([Window; 2], f64)> {
    let divisor = (1.0 / factor).round();
    let windows = image(windows, UNIT);
    let shape = &graph.ty(node.operands[0]).shape;
    let sizes = [2, 3].map(|axis| shape.get(axis).map_or(Some(1), Dim::as_const));
    let taps = windows.iter().fold(1u32, |n, w| n.saturating_mul(w.kernel));
    let is_cut = |(w, size): (&Window, Option<i64>)| {
        let is_plain = w.dilation == 1 && w.low == 0 && w.high == 0;
        let fits = size.is_some_and(|size| w.stride == 1 || is_tiled(w, size));
        is_plain && fits
    };
    let is_single = graph.ty(node.result()).dtype == DType::F32;
    let has_ties = divisor % 2.0 == 0.0 && is_single && is_between_equal_steps(graph, node);
    let is_ordered = has_ties && taps <= MOST && windows.iter().zip(sizes).all(is_cut);
    is_ordered.then_some((windows, divisor))
}

fn is_tiled(window: &Window, size: i64) -> bool {
    window.stride == window.kernel && size % i64::from(window.kernel) == 0
}

/// How the taps of an axis are cut out: from its position on, at the first of a tile or at a shift.
#[derive(Clone, Copy)]
struct Cut {
    position: usize,
    taps: i64,
    /// The size of a piece.
    size: i64,
}

impl Lowering<'_> {
    /// The average of windows of `[n, h, w, c]`, whose elements are added by rows.
    pub(super) fn ordered_average(
        &mut self,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
        divisor: f64,
    ) -> Result<(), Problem> {
        let mut dims = self.tensors.dims(input).to_vec();
        let mut cuts = Vec::with_capacity(2);
        for (axis, window) in [1, 2].into_iter().zip(windows).rev() {
            let size = dims[axis]
                .as_const()
                .ok_or("a window over an unknown size")?;
            let (taps, parts) = (i64::from(window.kernel), size / i64::from(window.kernel));
            if taps > 1 && is_tiled(&window, size) {
                dims.splice(axis..=axis, [Dim::constant(parts), Dim::constant(taps)]);
                cuts.iter_mut().for_each(|cut: &mut Cut| cut.position += 1);
                cuts.push(Cut {
                    position: axis + 1,
                    taps,
                    size: 1,
                });
            } else {
                let size = out_size(&Dim::constant(size), &window);
                let size = size.as_const().ok_or("windows of an unknown number")?;
                cuts.push(Cut {
                    position: axis,
                    taps,
                    size,
                });
            }
        }
        let image = self.tensors.reshape(input, &dims);
        let mut sum = None;
        for row in 0..cuts[1].taps {
            let row = self.cut(image, cuts[1], row);
            for column in 0..cuts[0].taps {
                let tap = self.cut(row, cuts[0], column);
                sum = Some(match sum {
                    None => tap,
                    Some(before) => {
                        let after = self.like(tap);
                        self.push_binary(BinaryOp::Add, [before, tap], after);
                        after
                    }
                });
            }
        }
        let sum = sum.ok_or("a window without taps")?;
        let divisor = self.number(sum, divisor)?;
        if self.tensors.dims(sum) == self.tensors.dims(output) {
            self.push_binary(BinaryOp::Divide, [sum, divisor], output);
        } else {
            let mean = self.like(sum);
            self.push_binary(BinaryOp::Divide, [sum, divisor], mean);
            self.tensors.push_reshape(mean, output);
        }
        Ok(())
    }

    fn cut(&mut self, tensor: Tensor, cut: Cut, tap: i64) -> Tensor {
        let Cut { position, size, .. } = cut;
        let (dim, start, len) = (position, tap, size);
        self.tensors.sliced(tensor, &[Range { dim, start, len }])
    }
}
