//! Layers with weights, and products of two values.

use super::{Grown, Layer, Network};
use kiln_ir::graph::Constant as GraphConstant;
use kiln_ir::ops::{Constant, Conv, Dequantize, Linear, MatMul};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Place, Scalar, TensorData, TensorType, ValueId};
use std::sync::Arc;

/// How far the weights of a layer reach.
const WEIGHTS: f64 = 0.5;

/// The scale that PyTorch's observers give weights of 0.
const LEAST_SCALE: f64 = f32::EPSILON as f64;

/// A dequantised weight or bias, with its scales.
struct Weight {
    value: ValueId,
    scales: Vec<f64>,
}

impl Network<'_> {
    /// A quantised constant, dequantised.
    fn dequantised(
        &mut self,
        dtype: DType,
        sizes: &[i64],
        quant: Quant,
        integers: Vec<i64>,
    ) -> Option<ValueId> {
        let shape: Vec<usize> = sizes.iter().map(|&n| n as usize).collect();
        let values = integers.into_iter().map(Scalar::Int);
        let data = TensorData::from_scalars(dtype, shape, values.collect::<Vec<_>>());
        let mut ty = TensorType::new(dtype, sizes.iter().copied().collect::<kiln_ir::Shape>());
        ty.quant = Some(Arc::new(quant));
        let name = "w".into();
        let constant = GraphConstant { name, ty, data };
        let value = self.g.rewriter.add_typed_constant(constant);
        let place = Place::End(self.g.graph().root());
        let made = self.g.rewriter.value(place, Constant { value }, &[]).ok()?;
        let dtype = DType::F32;
        let made = self.g.put(Dequantize { dtype }, &[made])?;
        self.forget(made);
        Some(made)
    }

    /// A weight whose output channels are along an axis: per channel or per tensor, of 8 or 4 bits.
    fn weight(&mut self, sizes: &[i64], axis: usize) -> Option<Weight> {
        let random = &mut self.g.random;
        let is_narrow = random.chance(15);
        let most: i64 = if is_narrow { 7 } else { 127 };
        let channels = sizes[axis];
        let scale = WEIGHTS / most as f64 * (0.5 + random.unit());
        let is_by_channel = random.chance(60);
        // By powers of two: channels that differ much, as those of depthwise convolutions do, and very much.
        let (apart, middle) = match random.below(20) {
            0..4 => (12.0, 0.8),
            4 | 5 => (20.0, 0.5),
            _ => (2.0, 0.8),
        };
        let mut scales: Vec<f64> = match is_by_channel {
            true => (0..channels)
                .map(|_| f64::from((scale * (apart * (random.unit() - middle)).exp2()) as f32))
                .collect(),
            false => vec![scale],
        };
        let dead = match random.chance(8) {
            true => (0..channels).filter(|_| random.chance(40)).collect(),
            false => Vec::new(),
        };
        if is_by_channel && random.chance(50) {
            // An observer that sees only 0 gives the least scale that it has.
            dead.iter().for_each(|&i| scales[i as usize] = LEAST_SCALE);
        }
        let zero_point = match !is_by_channel && random.chance(3) {
            true => random.between(-most / 2, most / 2),
            false => 0,
        };
        let scheme = match is_by_channel {
            true => QuantScheme::PerChannel {
                axis,
                scales: scales.iter().copied().collect(),
                zero_points: vec![0; channels as usize].into(),
            },
            false => QuantScheme::PerTensor { scale, zero_point },
        };
        let least = if random.chance(30) { -most - 1 } else { -most };
        let count: i64 = sizes.iter().product();
        let integers = (0..count).map(|_| match random.below(12) {
            0 => *random.pick(&[least, most, 0]),
            _ => random.between(least, most),
        });
        let mut integers: Vec<i64> = integers.collect();
        let inner: i64 = sizes[axis + 1..].iter().product();
        for (place, integer) in (0..count).zip(&mut integers) {
            if dead.contains(&(place / inner.max(1) % channels)) {
                *integer = zero_point;
            }
        }
        let (min, max) = (least, most);
        let value = self.dequantised(DType::I8, sizes, Quant { scheme, min, max }, integers)?;
        Some(Weight { value, scales })
    }

    /// The bias of so many channels: none, floats, or whole numbers of the sums' units.
    fn bias(
        &mut self,
        x: Layer,
        weight: &Weight,
        channels: i64,
        reach: f64,
    ) -> Option<Vec<ValueId>> {
        let kind = self.g.random.below(3);
        let count = 0..channels;
        if kind == 0 {
            return Some(Vec::new());
        }
        let reals: Vec<f64> = count
            .map(|_| 0.3 * reach * self.g.random.normal())
            .collect();
        if kind == 1 {
            let values = reals.iter().map(|&r| Scalar::Float(r)).collect();
            return Some(vec![self.g.constant_of(DType::F32, &[channels], values)]);
        }
        let step = self.step_of(x.value)?;
        let units: Vec<f64> = weight.scales.iter().map(|w| w * step).collect();
        let unit = |i: usize| units[i % units.len()];
        let whole = reals.iter().enumerate().map(|(i, r)| (r / unit(i)).round());
        let whole = whole.map(|n| n.clamp(-1e9, 1e9) as i64).collect();
        let scheme = match units.len() {
            1 => QuantScheme::PerTensor {
                scale: units[0],
                zero_point: 0,
            },
            n => QuantScheme::PerChannel {
                axis: 0,
                scales: units.into(),
                zero_points: vec![0; n].into(),
            },
        };
        let (min, max) = (i32::MIN.into(), i32::MAX.into());
        let quant = Quant { scheme, min, max };
        Some(vec![self.dequantised(
            DType::I32,
            &[channels],
            quant,
            whole,
        )?])
    }

    /// The scale of the integers behind a dequantised value.
    fn step_of(&self, value: ValueId) -> Option<f64> {
        let graph = self.g.graph();
        let from = graph.node(graph.producer(value)?).operands.first()?;
        let quant = graph.ty(*from).quant.as_ref()?;
        quant.scheme.scales().first().copied()
    }

    /// How far sums of so many products reach.
    fn reach_of_sums(x: Layer, taps: i64) -> f64 {
        0.5 * x.reach * WEIGHTS * (taps.max(1) as f64).sqrt()
    }

    /// A layer's result, with a limit at times, quantised.
    fn closed(&mut self, y: ValueId, reach: f64) -> Grown {
        let (y, reach, is_positive) = self.limited(y, reach)?;
        self.quantised(y, reach, is_positive)
    }
}

/// The kinds of convolutions.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Dense,
    Pointwise,
    Depthwise,
    Grouped,
    Transposed,
}

pub(super) fn conv(net: &mut Network<'_>) -> Grown {
    use Kind::*;
    let x = net.layer(|rank| (3..=5).contains(&rank))?;
    let sizes = net.sizes(x.value)?;
    let (channels, spatial) = (sizes[1], sizes.len() - 2);
    let random = &mut net.g.random;
    let kind = *random.pick(&[
        Dense, Dense, Dense, Depthwise, Depthwise, Pointwise, Grouped, Transposed,
    ]);
    let divisors: Vec<i64> = (1..=channels).filter(|n| channels % n == 0).collect();
    let groups = match kind {
        Depthwise => channels,
        Grouped => *random.pick(&divisors),
        Transposed if random.chance(25) => *random.pick(&divisors),
        _ => 1,
    };
    let outputs = match kind {
        Depthwise => channels * *random.pick(&[1, 1, 1, 1, 2, 3]),
        _ => groups * *random.pick(&[1, 2, 3, 4, 4, 5, 8]),
    };
    let kernel: Vec<i64> = match kind {
        Pointwise => vec![1; spatial],
        _ if random.chance(75) => vec![*random.pick(&[1, 2, 3, 3, 3, 5]); spatial],
        _ => (0..spatial).map(|_| random.between(1, 4)).collect(),
    };
    let is_transposed = kind == Transposed;
    let op = window_of(net, &kernel, groups, is_transposed);
    let (mut of_weight, axis) = match is_transposed {
        true => (vec![channels, outputs / groups], 1),
        false => (vec![outputs, channels / groups], 0),
    };
    of_weight.extend(&kernel);
    // A transposed convolution in groups has as many scales as the axis of its weight.
    let weight = net.weight(&of_weight, axis)?;
    let taps = channels / groups * kernel.iter().product::<i64>();
    let reach = Network::reach_of_sums(x, taps);
    let mut operands = vec![x.value, weight.value];
    let whole = outputs == of_weight[axis] || weight.scales.len() == 1;
    if whole {
        operands.extend(net.bias(x, &weight, outputs, reach)?);
    }
    let y = net.g.put(op, &operands)?;
    net.closed(y, reach)
}

fn window_of(net: &mut Network<'_>, kernel: &[i64], groups: i64, transposed: bool) -> Conv {
    let random = &mut net.g.random;
    let spatial = kernel.len();
    let is_square = random.chance(80);
    let mut some = |values: &[i64]| -> Vec<i64> {
        let one = *random.pick(values);
        let each = (0..spatial).map(|_| if is_square { one } else { *random.pick(values) });
        each.collect()
    };
    let stride = some(&[1, 1, 1, 2, 2, 3]);
    let dilation = some(&[1, 1, 1, 1, 2]);
    let is_same = some(&[0, 1, 1])[0] == 1;
    let even: Vec<i64> = kernel
        .iter()
        .zip(&dilation)
        .map(|(k, d)| d * (k - 1) / 2)
        .collect();
    let pad_low = if is_same { even } else { some(&[0, 0, 1, 2]) };
    // A pad of a transposed convolution crops.
    let reach = |p: &i64, k: &i64, d: &i64| {
        if transposed {
            *p.min(&(d * (k - 1)))
        } else {
            *p
        }
    };
    let pads = pad_low.iter().zip(kernel).zip(&dilation);
    let pad_low: Vec<i64> = pads.map(|((p, k), d)| reach(p, k, d)).collect();
    let pad_high = match random.chance(85) {
        true => pad_low.clone(),
        false => pad_low.iter().map(|p| (p - 1).max(0)).collect(),
    };
    let output_padding = stride.iter().map(|&s| match transposed {
        true => random.between(0, s - 1),
        false => 0,
    });
    Conv {
        output_padding: output_padding.collect(),
        stride,
        pad_low,
        pad_high,
        dilation,
        groups,
        transposed,
    }
}

pub(super) fn linear(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 1)?;
    let sizes = net.sizes(x.value)?;
    let inputs = *sizes.last()?;
    let outputs = *net.g.random.pick(&[1, 2, 3, 4, 5, 8, 10, 16]);
    let weight = net.weight(&[outputs, inputs], 0)?;
    let reach = Network::reach_of_sums(x, inputs);
    let mut operands = vec![x.value, weight.value];
    operands.extend(net.bias(x, &weight, outputs, reach)?);
    let y = net.g.put(Linear {}, &operands)?;
    net.closed(y, reach)
}

/// A value times another, times itself turned, or a whole image times a constant.
pub(super) fn matmul(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 2)?;
    let sizes = net.sizes(x.value)?;
    let rank = sizes.len();
    let meets = |sizes: &[i64], other: &[i64]| {
        other.len() == rank
            && other[..rank - 2] == sizes[..rank - 2]
            && other[rank - 2] == sizes[rank - 1]
    };
    let layers = net.layers.clone();
    let others = layers
        .into_iter()
        .filter(|l| net.sizes(l.value).is_some_and(|s| meets(&sizes, &s)));
    let others: Vec<Layer> = others.collect();
    let y = match others.is_empty() || net.g.random.chance(50) {
        true => {
            let mut order: Vec<usize> = (0..rank).collect();
            order.swap(rank - 1, rank - 2);
            net.g.permuted(x.value, &order)?
        }
        false => net.g.random.pick(&others).value,
    };
    let operands = if net.g.random.chance(50) || !meets(&net.sizes(y)?, &sizes) {
        [x.value, y]
    } else {
        [y, x.value]
    };
    let product = net.g.put(MatMul {}, &operands)?;
    let taps = sizes[rank - 1] as f64;
    net.closed(product, 0.6 * x.reach * x.reach * taps.sqrt())
}
