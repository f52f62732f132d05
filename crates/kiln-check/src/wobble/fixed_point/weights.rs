//! The output channels of a layer: units, biases, and how far their sums reach.

use super::Computation;
use super::sums::whole;
use crate::numbers::numbers;
use kiln_eval::Tensor;
use kiln_ir::{DType, Op};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::channel::Bias;

/// The weights of a layer.
pub(super) struct Weights<'c> {
    tensor: &'c Tensor,
    zero_point: i64,
    groups: usize,
    is_transposed: bool,
    /// Each channel of the operand has outputs of its own.
    pub is_depthwise: bool,
}

/// An output channel.
#[derive(Clone, Copy)]
pub(super) struct Channel {
    /// The real of one unit of its sums.
    pub unit: f64,
    /// In whole units.
    pub bias: i64,
    /// What the bias lacks, as a real.
    pub rest: f64,
    /// How far its sums are from 0, without the bias.
    pub reach: Reach,
}

impl<'c> Weights<'c> {
    pub fn of(of: &Computation<'c>) -> Option<Weights<'c>> {
        let tensor = of.operands.get(1)?;
        let zero_point = *tensor.quant()?.scheme.zero_points().first()?;
        let (groups, is_transposed) = match of.op {
            Op::Conv(conv) => (usize::try_from(conv.groups).ok()?, conv.transposed),
            _ => (1, false),
        };
        let inputs = of.operands[0].sizes().get(1).copied().unwrap_or(1);
        Some(Weights {
            tensor,
            zero_point,
            groups: groups.max(1),
            is_transposed,
            is_depthwise: groups > 1 && groups == inputs,
        })
    }

    /// The elements of the result that lie side by side in a channel.
    pub fn inner(&self, of: &Computation<'_>, count: usize) -> usize {
        let batches = of.operands[0].sizes().first().copied().unwrap_or(1);
        match of.op {
            Op::Conv(_) => (count / batches.max(1) / self.outputs().max(1)).max(1),
            _ => 1,
        }
    }

    fn outputs(&self) -> usize {
        match self.is_transposed {
            true => self.tensor.sizes()[1] * self.groups,
            false => self.tensor.sizes()[0],
        }
    }

    /// The output channel of a weight.
    fn output_of(&self, place: usize) -> usize {
        let [first, second, window @ ..] = self.tensor.sizes() else {
            return 0;
        };
        let window = window.iter().product::<usize>().max(1);
        let (row, column) = (place / window / second, place / window % second);
        match self.is_transposed {
            true => row / (first / self.groups).max(1) * second + column,
            false => row,
        }
    }

    /// The sizes of each channel's weights, added up.
    fn sizes(&self) -> Vec<u128> {
        let mut sizes = vec![0; self.outputs()];
        for (place, weight) in numbers(self.tensor).into_iter().enumerate() {
            sizes[self.output_of(place)] += u128::from((weight as i64).abs_diff(self.zero_point));
        }
        sizes
    }

    /// By output channel. A channel whose weights are all 0, and whose unit does not suit its bias, has a unit of its own.
    pub fn channels(&self, of: &Computation<'_>) -> Option<Vec<Channel>> {
        let scale = of.step(0)?.scale;
        let scales = self.tensor.quant()?.scheme.scales().to_vec();
        let biases = of.reals()?.get(2).map(numbers);
        let is_wide = of.dtype(0) == DType::I16;
        let reach = of.reach(0)?;
        let step = of.to.step.scale;
        let channel = |(at, size): (usize, u128)| {
            let unit = scales[at % scales.len()] * scale;
            let reach = Reach(size.saturating_mul(reach.0));
            let Some(biases) = &biases else {
                let (bias, rest) = (0, 0.0);
                return Some(Channel {
                    unit,
                    bias,
                    rest,
                    reach,
                });
            };
            let real = *biases.get(at)?;
            let mut bias = Bias { real, unit };
            if size == 0 {
                bias = bias.without_weights(is_wide, step);
            }
            let unit = bias.unit;
            let (bias, rest) = whole(bias.real, unit, is_wide);
            Some(Channel {
                unit,
                bias,
                rest,
                reach,
            })
        };
        self.sizes().into_iter().enumerate().map(channel).collect()
    }
}
