//! Pools, channels last.
//!
//! The library's averages do not count padding. They round ties of the integers away from 0. PyTorch adds the reals up in order,
//! and rounds their mean in steps to even. So Kiln's own kernel divides where padding counts, where the divisor is given, and where
//! ties matter; it computes a tie in floats. If the result has another scale or zero point, a depthwise convolution with ones
//! accumulates each window, and the accumulators are rounded once.

use super::conv::{Convolution, Sums};
use super::goal::Goal;
use super::parts::{TensorId, dims, int};
use super::window::{Axis, known, tile, unsigned};
use super::{Lowering, Order};
use crate::dialect::{
    Activation, Average, CountedPool, DilatedPool, Dims, Dtype, Function, Parameters, Pool,
    PoolParams, Tile,
};
use crate::linked::Linked;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, PoolFn};
use kiln_ir::{DType, Scalar, TensorData, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::step::Step;
use kiln_transforms::framework::target::Reason;

/// The most elements of a window for which ties are handled: one average in this many is a tie.
const MOST_TIED: usize = 16;

/// The units per step in which 16-bit averages count: a power of two, so that an 8-bit integer is a whole number of units.
const FINE: f64 = 128.0;

/// The most ones of a window that are written out as weights.
const MOST_ONES: usize = 1 << 20;

/// The windows of a pool, and the image that they lie over.
struct Windows {
    axes: [Axis; 2],
    /// The padding behind the input.
    pad_high: [usize; 2],
    params: PoolParams,
    input: Dims,
    filter: Dims,
    output: Dims,
}

impl Lowering<'_> {
    fn windows(
        &self,
        node: &Node,
        op: &ops::Pool,
        x: TensorId,
        sizes: &[usize],
        range: Activation,
    ) -> Result<Windows, Reason> {
        let axes = self.pool_axes(node, op)?;
        let mut pad_high = [0; 2];
        for (high, &pad) in pad_high[2 - op.spatial()..].iter_mut().zip(&op.pad_high) {
            [*high] = unsigned([pad])?;
        }
        let quad = |sizes: &[usize]| dims(<[usize; 4]>::try_from(sizes).unwrap_or([1; 4]));
        Ok(Windows {
            pad_high,
            params: PoolParams {
                stride: tile(&axes, |axis| axis.stride)?,
                padding: tile(&axes, |axis| axis.pad)?,
                activation: range,
            },
            input: quad(self.parts.sizes(x))?,
            filter: dims([1, axes[0].kernel, axes[1].kernel, 1])?,
            output: quad(sizes)?,
            axes,
        })
    }

    /// The greatest element of each window, with the operand's scale and zero point.
    pub(super) fn max_pool(
        &mut self,
        node: &Node,
        op: &ops::Pool,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let sizes = self.sizes(node.results[0], order)?;
        let dtype = self.parts.dtype(x);
        let (low, high) = dtype.range().unwrap_or((0, 0));
        let range = Activation {
            min: low as i32,
            max: high as i32,
        };
        let windows = self.windows(node, op, x, &sizes, range)?;
        let [library, own] = match dtype {
            Dtype::I16 => [Function::MaxPoolS16, Function::KilnMaxPoolS16],
            _ => [Function::MaxPoolS8, Function::KilnMaxPoolS8],
        };
        let mut candidates: Vec<(Function, Parameters)> = Vec::new();
        if windows.axes.iter().all(|axis| axis.dilation == 1) {
            candidates.push((library, windows.pool().into()));
        }
        let dilated = DilatedPool {
            params: windows.params.clone(),
            dilation: tile(&windows.axes, |axis| axis.dilation)?,
            input_dims: windows.input.clone(),
            filter_dims: windows.filter.clone(),
            output_dims: windows.output.clone(),
        };
        candidates.push((own, dilated.into()));
        let y = self.parts.temporary(dtype, &sizes);
        self.parts.call_first(candidates, &[Some(x), Some(y)])?;
        Ok(y)
    }

    pub(super) fn quantised_pool(
        &mut self,
        node: &Node,
        op: &ops::Pool,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let PoolFn::Avg {
            count_include_pad,
            divisor,
        } = op.f
        else {
            if self.step(node.operands[0])? != to.step {
                self.check_windows(node, op)?;
            }
            let greatest = self.max_pool(node, op, order)?;
            return self.brought(greatest, node.operands[0], to);
        };
        if op.dilation.iter().any(|&d| d > 1) {
            let rule = "averages are of windows without gaps";
            return Err(Reason::new(rule, format!("dilations of {:?}", op.dilation)));
        }
        let from = self.step(node.operands[0])?;
        let x = self.operand(node.operands[0], order)?;
        let sizes = self.sizes(node.result(), order)?;
        let windows = self.windows(node, op, x, &sizes, to.range.clone())?;
        let is_own = from == to.step && self.parts.dtype(x) == to.dtype;
        let is_padded = windows.axes.iter().any(|axis| axis.pad > 0) || windows.reaches_behind();
        let area = windows.axes[0].kernel * windows.axes[1].kernel;
        let divisor = match divisor {
            Some(divisor) if divisor <= 0 => {
                let rule = "a divisor of averages of integers is positive";
                return Err(Reason::new(rule, divisor.to_string()));
            }
            divisor => divisor.map(|divisor| divisor as usize),
        };
        // A ceiling mode adds elements behind the padding, which count only where a divisor is given.
        let counts_all = divisor.is_some() || !is_padded || count_include_pad && !op.ceil;
        if is_own && (divisor.is_none() || area == divisor.unwrap_or(0) && !is_padded) {
            return self.average(x, &windows, count_include_pad && is_padded, None, to);
        }
        if counts_all && let Ok(made) = self.summed(node, x, &windows, divisor.unwrap_or(area), to)
        {
            return Ok(made);
        }
        if is_own {
            return self.average(x, &windows, count_include_pad, divisor, to);
        }
        self.fine_average(node, op, (x, &sizes), divisor, to)
    }

    /// The maximum of a window in padding alone is the least integer of every step, so it is not brought from one to another.
    fn check_windows(&self, node: &Node, op: &ops::Pool) -> Result<(), Reason> {
        for i in 0..op.spatial() {
            let size =
                |value: ValueId| known(&self.graph.ty(value).shape[i + 2], &self.graph.symbols);
            let (size, count) = (size(node.operands[0])?, size(node.results[0])?);
            let numbers = [op.kernel[i], op.stride[i], op.dilation[i], op.pad_low[i]];
            let [kernel, stride, dilation, pad] = unsigned(numbers)?;
            let has_element = |window: usize| {
                let mut taps = (0..kernel).map(|tap| window * stride + tap * dilation);
                taps.any(|place| (pad..pad + size).contains(&place))
            };
            if !(0..count).all(has_element) {
                let rule = "each window of a maximum that is requantised has an element";
                let found =
                    format!("{pad} of padding in front of {size} elements, windows of {kernel}");
                return Err(Reason::new(rule, found));
            }
        }
        Ok(())
    }

    /// Averages in a fine 16-bit scale, requantised to the result. In the operand's own scale they would be rounded twice.
    fn fine_average(
        &mut self,
        node: &Node,
        op: &ops::Pool,
        (x, sizes): (TensorId, &[usize]),
        divisor: Option<usize>,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let counts_pad = matches!(
            op.f,
            PoolFn::Avg {
                count_include_pad: true,
                ..
            }
        );
        // What exceeds the operand's integers would saturate, though the result may hold it.
        let area: i64 = op.kernel.iter().product();
        if let Some(divisor) = divisor.filter(|&divisor| (divisor as i64) < area) {
            let rule = "averages in the operand's scale are no greater than its elements";
            let found = format!("windows of {area} elements, divided by {divisor}");
            return Err(Reason::new(rule, found));
        }
        let value = node.operands[0];
        let from = self.step(value)?;
        if self.parts.dtype(x) != Dtype::I8 {
            let own = Goal::new(&self.quant(value)?.clone(), self.core_dtype(node))?;
            let windows = self.windows(node, op, x, sizes, own.range.clone())?;
            let mean = self.average(x, &windows, counts_pad, divisor, &own)?;
            return self.brought(mean, value, to);
        }
        let fine = Goal {
            step: Step {
                scale: from.scale / FINE,
                zero_point: 0,
            },
            dtype: Dtype::I16,
            range: Activation {
                min: i16::MIN.into(),
                max: i16::MAX.into(),
            },
            is_exact: false,
        };
        let x = self.brought(x, value, &fine)?;
        let windows = self.windows(node, op, x, sizes, fine.range.clone())?;
        let mean = self.average(x, &windows, counts_pad, divisor, &fine)?;
        let reach = Reach(1 << 15);
        self.brought_from(mean, fine.step, reach, to)
    }

    fn core_dtype(&self, node: &Node) -> DType {
        self.graph.ty(node.operands[0]).dtype
    }

    /// Averages with the operand's scale and zero point.
    fn average(
        &mut self,
        x: TensorId,
        windows: &Windows,
        padding_counts: bool,
        divisor: Option<usize>,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        if padding_counts && divisor.is_none() && self.parts.linked() == Linked::Runtime {
            return self.padded_average(x, windows, to);
        }
        let [library, own] = match to.dtype {
            Dtype::I16 => [Function::AvgpoolS16, Function::KilnAvgPoolS16],
            _ => [Function::AvgpoolS8, Function::KilnAvgPoolS8],
        };
        let mut candidates: Vec<(Function, Parameters)> = Vec::new();
        let has_ties = self.has_ties(windows.axes[0].kernel * windows.axes[1].kernel);
        if !padding_counts && divisor.is_none() && !has_ties {
            candidates.push((library, windows.pool().into()));
        }
        let is_even = windows.axes.iter().zip(windows.pad_high);
        let mut is_even = is_even.map(|(axis, high)| axis.pad == high);
        if !padding_counts || is_even.all(|even| even) {
            let counted = CountedPool {
                params: windows.params.clone(),
                average: Average {
                    zero_point: to.step.zero_point,
                    divisor: int(divisor.unwrap_or(0))?,
                    padding_counts,
                    scale: to.step.single() as f32,
                    inverse: (1.0 / to.step.scale) as f32,
                },
                input_dims: windows.input.clone(),
                filter_dims: windows.filter.clone(),
                output_dims: windows.output.clone(),
            };
            candidates.push((own, counted.into()));
        }
        let sizes = windows.output.sizes();
        let y = self.parts.temporary(to.dtype, &sizes);
        self.parts.call_first(candidates, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// Whether ties of averages of so many integers count: where they are frequent, or no bits of the library are kept. The runtime
    /// has the library's averages only.
    pub(super) fn has_ties(&self, count: usize) -> bool {
        let is_project = self.parts.linked() == Linked::Project;
        is_project && count.is_multiple_of(2) && (count <= MOST_TIED || !self.keeps_bits)
    }

    /// Averages in which padding counts: the library's averages of the operand with a border of its zero point.
    fn padded_average(
        &mut self,
        x: TensorId,
        windows: &Windows,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let [n, height, width, channels] = windows.input.sizes();
        let [behind_h, behind_w] = windows.pad_high;
        let [above, left] = [windows.axes[0].pad, windows.axes[1].pad];
        let pairs = [[0, 0], [above, behind_h], [left, behind_w], [0, 0]];
        let pairs = pairs.map(|pair| pair.map(|size| size as i64));
        let sizes = [
            n,
            height + above + behind_h,
            width + left + behind_w,
            channels,
        ];
        let padded = self.parts.temporary(to.dtype, &sizes);
        let zero = Scalar::Int(to.step.zero_point.into());
        self.bordered_s8(x, padded, &pairs, zero)?;
        let own = Windows {
            axes: windows.axes.map(|axis| Axis { pad: 0, ..axis }),
            pad_high: [0; 2],
            params: PoolParams {
                padding: Tile { w: 0, h: 0 },
                ..windows.params.clone()
            },
            input: dims(sizes)?,
            filter: windows.filter.clone(),
            output: windows.output.clone(),
        };
        self.average(padded, &own, false, None, to)
    }

    /// The sum of each window by a depthwise convolution with ones, divided by a number.
    fn summed(
        &mut self,
        node: &Node,
        x: TensorId,
        windows: &Windows,
        divisor: usize,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let from = self.step(node.operands[0])?;
        let [_, _, _, channels] = windows.input.sizes();
        let [height, width] = [windows.axes[0].kernel, windows.axes[1].kernel];
        let sizes = vec![channels, 1, height, width];
        if sizes.iter().product::<usize>() > MOST_ONES {
            let rule = format!("at most {MOST_ONES} ones of a window are written out");
            return Err(Reason::new(rule, format!("{sizes:?}")));
        }
        let reach = Reach::of_products(height * width, self.reach(node.operands[0]), Reach(1));
        let unit = from.single() / divisor as f64;
        let factor = to.layer_factor(self.parts.dtype(x), unit, reach)?;
        let conv = Convolution {
            axes: windows.axes,
            groups: channels,
            sums: Sums {
                weight: TensorData::splat(DType::I8, sizes, Scalar::Int(1)),
                zero_point: 0,
                bias: None,
                is_narrow: false,
                reach,
                lift: 0,
                factors: vec![factor; channels],
            },
            input: from,
        };
        self.convolve(x, &conv, &windows.output.sizes(), to)
    }
}

impl Windows {
    fn pool(&self) -> Pool {
        Pool {
            pool_params: self.params.clone(),
            input_dims: self.input.clone(),
            filter_dims: self.filter.clone(),
            output_dims: self.output.clone(),
        }
    }

    /// Whether the last window reaches beyond the input.
    fn reaches_behind(&self) -> bool {
        let [_, height, width, _] = self.output.sizes();
        let mut ends = self.axes.iter().zip([height, width]);
        ends.any(|(axis, windows)| {
            windows.saturating_sub(1) * axis.stride + axis.kernel > axis.size + axis.pad
        })
    }
}
