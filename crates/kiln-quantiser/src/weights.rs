//! Rounds weights to integers with scales by channel or by group.

use crate::activations::Useful;
use crate::choice::carries;
use crate::grid::Grid;
use crate::layers::weight;
use crate::ranges::Range;
use half::bf16;
use kiln_ir::graph::{Constant, Node, Use};
use kiln_ir::ops::{self, Dequantize};
use kiln_ir::{
    DType, Graph, NodeId, Op, Place, Quant, QuantScheme, Rewriter, TensorData, TensorType, ValueId,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The greatest integer of 8 bits. The least is its negative, so that both signs have as many.
const MAX: i64 = 127;
/// The integers of 4 bits.
const MIN_NIBBLE: i64 = -8;
const MAX_NIBBLE: i64 = 7;
/// The parts of a group's range that are tried as the range of the integers.
const CLIPPED: [f64; 7] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];

/// Integers with what they stand for.
pub(crate) struct Integers {
    data: TensorData,
    quant: Quant,
}

/// Rounds the weights of all layers by channel, in front of dequantisations. Gives how many layers have such, and how many do not.
pub(crate) fn quantise(graph: &mut Graph) -> (usize, usize) {
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    let mut left = layers_in_blocks(graph);
    let mut rewriter = Rewriter::new(graph);
    let mut known: FxHashMap<(ValueId, Option<usize>, Vec<u64>), ValueId> = FxHashMap::default();
    let mut done = 0;
    for id in nodes {
        let graph = rewriter.graph();
        let node = graph.node(id);
        if !matches!(node.op, Op::Linear(_) | Op::Conv(_)) {
            continue;
        }
        let least = least_scales(graph, node);
        let real = weight(graph, node).and_then(|(value, axis)| {
            let key = (value, axis, least.iter().map(|x| x.to_bits()).collect());
            if let Some(&real) = known.get(&key) {
                return Some(real);
            }
            let constant = rewriter.graph().as_constant(value)?;
            let integers = by_channel(&constant.data, axis, &least)?;
            let name = constant.name.clone();
            // Other readers stand behind the first. A place behind the constant would keep all weights as floats until a run is there.
            let place = Place::Before(id);
            let integers = constant_of_integers(&mut rewriter, place, name, integers)?;
            let place = Place::After(rewriter.graph().producer(integers)?);
            let dtype = DType::F32;
            let real = rewriter
                .value(place, Dequantize { dtype }, &[integers])
                .ok()?;
            known.insert(key, real);
            Some(real)
        });
        match real {
            Some(real) => {
                rewriter.set_use(Use::Operand(id, 1), real);
                done += 1;
            }
            None => left += 1,
        }
    }
    (done, left)
}

/// The layers in branches and loops, which stay in floats.
fn layers_in_blocks(graph: &Graph) -> usize {
    let inner = graph
        .blocks()
        .map(|(block, _)| block)
        .filter(|&block| block != graph.root());
    let nodes = inner.flat_map(|block| graph.nodes_in(block));
    nodes
        .filter(|(_, node)| matches!(node.op, Op::Linear(_) | Op::Conv(_)))
        .count()
}

/// The least scale of each channel with which the layer's bias is an integer of 32 bits: it is counted in products of the steps of
/// the activation and of the weight, and a channel of tiny weights has tiny steps. Empty where all weights may have their own scale.
fn least_scales(graph: &Graph, node: &Node) -> Vec<f64> {
    let Some(bias) = node
        .operands
        .get(2)
        .and_then(|&bias| graph.as_constant(bias))
    else {
        return Vec::new();
    };
    let (Some(step), Some(bias)) = (step_of(graph, node.operands[0]), finite(bias.data.bytes()))
    else {
        return Vec::new();
    };
    // A half of what 32 bits hold is left to the sum.
    let least = |number: f64| number.abs() / step / f64::from(1 << 30);
    bias.map(least).collect()
}

/// The step of a value that was rounded, perhaps in front of ops that pass integers on.
fn step_of(graph: &Graph, mut value: ValueId) -> Option<f64> {
    loop {
        let node = graph.node(graph.producer(value)?);
        let operand = *node.operands.first()?;
        if let (Op::Dequantize(_), Some(quant)) = (&node.op, &graph.ty(operand).quant) {
            return quant.scheme.scales().first().copied();
        }
        if !carries(&node.op) {
            return None;
        }
        value = operand;
    }
}

/// Rounds the constant operands of a node to the integers of activations within their range, in front of dequantisations. Single numbers stay: products with
/// one only change scales.
/// Of an operand, only the numbers within `useful` matter.
pub(crate) fn quantise_operands(
    rewriter: &mut Rewriter<'_>,
    node: NodeId,
    useful: [Option<Useful>; 2],
    grid: Grid,
) {
    for (i, value) in rewriter
        .graph()
        .node(node)
        .operands
        .clone()
        .into_iter()
        .enumerate()
    {
        let graph = rewriter.graph();
        let constant = graph
            .as_constant(value)
            .filter(|_| graph.ty(value).quant.is_none());
        let plain =
            constant.filter(|c| c.data.dtype() == DType::F32 && c.data.as_splat().is_none());
        let Some((name, Some(integers))) = plain.map(|c| {
            let useful = useful.get(i).copied().flatten().unwrap_or_default();
            (c.name.clone(), by_range(&c.data, useful, grid))
        }) else {
            continue;
        };
        let place = Place::Before(node);
        let dtype = DType::F32;
        let real = constant_of_integers(rewriter, place, name, integers).and_then(|integers| {
            rewriter
                .value(place, Dequantize { dtype }, &[integers])
                .ok()
        });
        if let Some(real) = real {
            rewriter.set_use(Use::Operand(node, i as u32), real);
        }
    }
}

/// A constant of integers in the graph.
pub(crate) fn constant_of_integers(
    rewriter: &mut Rewriter<'_>,
    place: Place,
    name: Arc<str>,
    integers: Integers,
) -> Option<ValueId> {
    let Integers { data, quant } = integers;
    let ty = TensorType {
        quant: Some(Arc::new(quant)),
        ..data.tensor_type()
    };
    let value = rewriter.add_typed_constant(Constant { name, ty, data });
    rewriter.value(place, ops::Constant { value }, &[]).ok()
}

/// Integers of 8 bits with a scale for each index of an axis, or one for all. A scale is no less than that of the same index in `least`.
/// `None` for numbers that are not finite.
pub(crate) fn by_channel(
    data: &TensorData,
    axis: Option<usize>,
    least: &[f64],
) -> Option<Integers> {
    let sizes = data.sizes();
    let channels = axis.map_or(1, |axis| sizes[axis]);
    let inner: usize = axis.map_or(data.elements(), |axis| sizes[axis + 1..].iter().product());
    let bytes = data.bytes();
    let numbers = finite(bytes)?;
    let channel = |position: usize| position / inner.max(1) % channels.max(1);
    let mut largest = vec![0f64; channels];
    for (position, number) in numbers.clone().enumerate() {
        let channel = &mut largest[channel(position)];
        *channel = channel.max(number.abs());
    }
    let least = |channel: usize| match axis {
        Some(_) => least.get(channel).copied().unwrap_or(0.0),
        None => least.iter().copied().fold(0.0, f64::max),
    };
    let scales = largest.into_iter().enumerate();
    let scales: Arc<[f64]> = scales
        .map(|(channel, most)| scale(most.max(least(channel) * MAX as f64), MAX))
        .collect();
    let integers = numbers.enumerate().map(|(position, number)| {
        let steps = (number / scales[channel(position)]).round_ties_even();
        steps.clamp(-MAX as f64, MAX as f64) as i8 as u8
    });
    let scheme = match axis {
        Some(axis) => QuantScheme::PerChannel {
            axis,
            zero_points: vec![0; channels].into(),
            scales: scales.clone(),
        },
        None => QuantScheme::PerTensor {
            scale: scales[0],
            zero_point: 0,
        },
    };
    let bytes: Vec<u8> = integers.collect();
    Some(Integers {
        data: TensorData::new(DType::I8, sizes.to_vec(), bytes.into()).ok()?,
        quant: Quant {
            scheme,
            min: -MAX,
            max: MAX,
        },
    })
}

/// Integers that cover the range of the useful numbers. `None` for numbers that are not finite.
fn by_range(data: &TensorData, useful: Useful, grid: Grid) -> Option<Integers> {
    let (min, max) = (grid.min, grid.max);
    let useful = |number: f64| {
        if number.is_nan() {
            return number;
        }
        let number = useful.least.map_or(number, |least| number.max(least));
        useful.greatest.map_or(number, |most| number.min(most))
    };
    let bytes = data.bytes();
    let numbers = reals(bytes).map(useful);
    if !numbers.clone().all(f64::is_finite) {
        return None;
    }
    let (scale, zero_point) = grid.parameters(Range::of(numbers.clone()));
    let integers = numbers.map(|number| {
        let steps = (number / scale).round_ties_even() + zero_point as f64;
        steps.clamp(min as f64, max as f64) as i16
    });
    let bytes: Vec<u8> = match grid.dtype.size() {
        1 => integers.map(|integer| integer as i8 as u8).collect(),
        _ => integers.flat_map(i16::to_le_bytes).collect(),
    };
    Some(Integers {
        data: TensorData::new(grid.dtype, data.sizes().to_vec(), bytes.into()).ok()?,
        quant: Quant {
            scheme: QuantScheme::PerTensor { scale, zero_point },
            min,
            max,
        },
    })
}

/// Integers of 4 bits with a scale for each group of a matrix's row. `None` for numbers that are not finite.
pub(crate) fn by_group(data: &TensorData, group: usize) -> Option<Integers> {
    let bytes = data.bytes();
    let numbers = finite(bytes)?;
    let of_group = |bytes: &[u8]| scale_of_group(&reals(bytes).collect::<Vec<f64>>());
    let scales: Arc<[f64]> = bytes
        .chunks(group * size_of::<f32>())
        .map(of_group)
        .collect();
    let integers = numbers
        .enumerate()
        .map(|(position, number)| nibble(number, scales[position / group]) as i8 as u8);
    let bytes: Vec<u8> = integers.collect();
    Some(Integers {
        data: TensorData::new(DType::I8, data.sizes().to_vec(), bytes.into()).ok()?,
        quant: Quant {
            scheme: QuantScheme::PerGroup {
                group,
                zero_points: vec![0; scales.len()].into(),
                scales,
            },
            min: MIN_NIBBLE,
            max: MAX_NIBBLE,
        },
    })
}

/// The scale of a group of 4 bits, in bf16, which is what XNNPACK keeps. Of some that clamp the largest numbers more and more, the one
/// with the least squared error: with 16 integers, a few clamped numbers cost less than coarse steps for all.
fn scale_of_group(group: &[f64]) -> f64 {
    let largest = group
        .iter()
        .fold(0f64, |most, number| most.max(number.abs()));
    let widest = scale(largest, MAX_NIBBLE);
    let error = |scale: f64| -> f64 {
        let one = |&number: &f64| (number - scale * nibble(number, scale)).powi(2);
        group.iter().map(one).sum()
    };
    let candidates = CLIPPED
        .iter()
        .map(|part| f64::from(bf16::from_f64(widest * part)));
    let (mut best, mut least) = (f64::from(bf16::from_f64(widest)), f64::INFINITY);
    for scale in candidates.filter(|&scale| scale > 0.0) {
        let error = error(scale);
        if error < least {
            (best, least) = (scale, error);
        }
    }
    best
}

/// A number in steps of a scale, as 4 bits hold it.
fn nibble(number: f64, scale: f64) -> f64 {
    let steps = (number / scale).round_ties_even();
    steps.clamp(MIN_NIBBLE as f64, MAX_NIBBLE as f64)
}

/// The scale at which the largest number is the greatest integer, as f32 has it, but a normal number: kernels may take others for 0.
/// Zeros have any.
fn scale(largest: f64, greatest: i64) -> f64 {
    let scale = f64::from((largest / greatest as f64) as f32);
    match largest > 0.0 {
        true => scale.max(f64::from(f32::MIN_POSITIVE)),
        false => 1.0,
    }
}

/// The numbers in the bytes of f32; `None` if one is not finite.
pub(crate) fn finite(bytes: &[u8]) -> Option<impl Iterator<Item = f64> + Clone> {
    reals(bytes).all(f64::is_finite).then(|| reals(bytes))
}

/// The numbers in the bytes of f32. They are read again rather than kept: as f64 they need twice the memory of the constant.
fn reals(bytes: &[u8]) -> impl Iterator<Item = f64> + Clone {
    let numbers = bytes.as_chunks().0.iter();
    numbers.map(|&b| f64::from(f32::from_le_bytes(b)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    /// Numbers of both signs, some of them large.
    fn weights(sizes: &[usize]) -> (TensorData, Vec<f64>) {
        let count = sizes.iter().product();
        let number = |i: usize| {
            let small = ((i * 7919) % 1009) as f32 / 1009.0 - 0.5;
            if i.is_multiple_of(37) {
                small * 4.0
            } else {
                small
            }
        };
        let numbers: Vec<f32> = (0..count).map(number).collect();
        let data = TensorData::from_f32(sizes.to_vec(), &numbers);
        (data, numbers.into_iter().map(f64::from).collect())
    }

    fn reals(integers: &Integers, scale_of: impl Fn(usize) -> usize) -> Vec<f64> {
        let scales = integers.quant.scheme.scales();
        let elements = integers.data.scalars().enumerate();
        elements
            .map(|(i, x)| x.as_f64() * scales[scale_of(i)])
            .collect()
    }

    #[test]
    fn each_channel_is_within_half_a_step() {
        for axis in [0, 1, 2] {
            let sizes = [4, 6, 5];
            let (data, numbers) = weights(&sizes);
            let integers = by_channel(&data, Some(axis), &[]).unwrap();
            let inner: usize = sizes[axis + 1..].iter().product();
            let channel = |i: usize| i / inner % sizes[axis];
            let scales = integers.quant.scheme.scales().to_vec();
            assert_eq!(scales.len(), sizes[axis]);
            for (i, real) in reals(&integers, channel).into_iter().enumerate() {
                let error = (real - numbers[i]).abs();
                assert!(
                    error <= scales[channel(i)] * 0.5001,
                    "axis {axis}, {i}: {error}"
                );
            }
        }
    }

    #[test]
    fn clamping_a_few_numbers_of_a_group_is_nearer() {
        let (data, numbers) = weights(&[8, 64]);
        let integers = by_group(&data, 32).unwrap();
        let error = |reals: Vec<f64>| -> f64 {
            let pairs = reals.iter().zip(&numbers);
            pairs.map(|(real, number)| (real - number).powi(2)).sum()
        };
        let found = error(reals(&integers, |i| i / 32));
        let widest = numbers.chunks(32).flat_map(|group| {
            let largest = group
                .iter()
                .fold(0f64, |most, number| most.max(number.abs()));
            let scale = scale(largest, MAX_NIBBLE);
            group
                .iter()
                .map(move |&number| scale * nibble(number, scale))
                .collect::<Vec<_>>()
        });
        let widest = error(widest.collect());
        assert!(found < widest, "{found} {widest}");
        let is_brief = |scale: &f64| f64::from(bf16::from_f64(*scale)) == *scale;
        assert!(integers.quant.scheme.scales().iter().all(is_brief));
    }

    #[test]
    fn numbers_that_are_not_finite_stay_floats() {
        let data = TensorData::from_f32(vec![2, 2], &[1.0, f32::NAN, 2.0, 3.0]);
        assert!(by_channel(&data, Some(0), &[]).is_none());
        let zeros = TensorData::from_f32(vec![2, 2], &[0.0; 4]);
        assert_eq!(
            by_channel(&zeros, Some(0), &[])
                .unwrap()
                .quant
                .scheme
                .scales(),
            [1.0, 1.0]
        );
    }
}
