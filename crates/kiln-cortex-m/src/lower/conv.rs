//! Convolutions, channels last. Each is a call of the most specialised function that takes it.
//!
//! The library's wrappers choose a function when they run. Here the choice is made ahead of time, and the verifier says which
//! functions take a convolution on the build. A bias is in whole units of the accumulator ([`super::bias`]).

use super::bias;
use super::exact::Chosen;
use super::goal::Goal;
use super::parts::{TensorId, dims, int};
use super::window::{Axis, tile, unsigned};
use super::{Lowering, Order};
use crate::dialect::work::Work;
use crate::dialect::{
    BiasData, Build, Conv, ConvParams, Depthwise, Dtype, DwConvParams, Function, Parameters,
    PerChannel,
};
use crate::linked::Linked;
use kiln_ir::graph::Node;
use kiln_ir::{DType, Dim, Movement, Scalar, TensorData, ValueId, ops};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::int4::{Order as NibbleOrder, pack};
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::parameters::WeightScales;
use kiln_quantised::step::Step;
use kiln_quantised::sums::{Channels, reaches, reaches_of_bytes};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

/// Scratch memory is worth it where it saves more than one in this many instructions.
const WORTH: u64 = 256;

/// The axis of the output channels in PyTorch's weights.
pub(super) const OUTPUTS: usize = 0;
pub(super) const OUTPUTS_OF_TRANSPOSED: usize = 1;

/// What a dense op accumulates: a known weight, the bias, and the requantisation factors of its output channels.
#[derive(Clone)]
pub(super) struct Sums {
    /// The weight's integers, with PyTorch's axes.
    pub(super) weight: TensorData,
    /// The zero point of the weight.
    pub(super) zero_point: i32,
    /// The bias in whole units of the accumulator; `None` for no bias.
    pub(super) bias: Option<Vec<i64>>,
    /// The greatest distance of an accumulator from 0.
    pub(super) reach: Reach,
    /// The requantisation factors by output channel.
    pub(super) factors: Vec<Multiplier>,
    /// How many steps the results of the accumulator are too great, which the output's offset takes off.
    pub(super) lift: i32,
    /// Whether the weight's integers have 4 bits.
    pub(super) is_narrow: bool,
}

/// A convolution whose operands are ready.
pub(super) struct Convolution {
    pub(super) axes: [Axis; 2],
    pub(super) groups: usize,
    /// The weight has the axes of an image: `[O, I / groups, H, W]`.
    pub(super) sums: Sums,
    pub(super) input: Step,
}

impl PerChannel {
    pub(super) fn of(factors: &[Multiplier]) -> PerChannel {
        PerChannel {
            multiplier: factors.iter().map(|f| f.multiplier).collect(),
            shift: factors.iter().map(|f| f.shift).collect(),
        }
    }
}

/// The weight with its axes in another order.
pub(super) fn permuted(data: &TensorData, axes: &[usize]) -> Result<TensorData, Reason> {
    let broken = |what: String| Reason::new("a weight can be rearranged", what);
    let sizes = data.sizes().iter().map(|&n| Dim::constant(n as i64));
    let movement = Movement::permute(&sizes.collect::<Vec<Dim>>(), axes);
    let movement = movement.map_err(|e| broken(e.to_string()))?;
    data.moved(&movement)
        .ok_or_else(|| broken("other sizes".into()))
}

/// A known weight with two spatial axes: a height of 1 is added in front of the only one.
pub(super) fn image(data: &TensorData) -> Result<TensorData, Reason> {
    let mut sizes = data.sizes().to_vec();
    if sizes.len() == 3 {
        sizes.insert(2, 1);
    }
    if sizes.len() != 4 {
        return Err(Reason::new(
            "windows have two axes at most",
            format!("{sizes:?}"),
        ));
    }
    let reshaped = data.reshaped(sizes);
    reshaped.map_err(|e| Reason::new("a weight has its sizes", e.to_string()))
}

fn integers(weight: &TensorData) -> impl Iterator<Item = i64> {
    weight.scalars().map(Scalar::as_i64)
}

/// How far the sums of each channel are from 0, for operands that are so far from it. The channels are along an axis of the weight.
fn reaches_of(operand: Reach, weight: &TensorData, zero_point: i64, axis: usize) -> Vec<Reach> {
    let channels = Channels::along(weight.sizes(), axis);
    match weight.dtype() {
        DType::I8 => reaches_of_bytes(operand, weight.bytes(), zero_point, channels),
        _ => reaches(operand, integers(weight), zero_point, channels),
    }
}

/// The reach of each channel with its bias.
fn with_bias(reaches: &[Reach], bias: Option<&[i64]>) -> impl Iterator<Item = Reach> {
    let bias_of = move |i: usize| bias.map_or(0, |bias| bias[i]);
    let own = move |(i, reach): (usize, &Reach)| reach.with_bias(bias_of(i));
    reaches.iter().enumerate().map(own)
}

impl Lowering<'_> {
    pub(super) fn quantised_conv(
        &mut self,
        node: &Node,
        op: &ops::Conv,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        if op.spatial() == 3 {
            return self.deep_conv(node, op, to, order);
        }
        if op.transposed {
            return self.transposed_conv(node, op, to, order);
        }
        let sums = self.sums(node, OUTPUTS, to)?;
        let (x, places) = self.dense_operand(node, order)?;
        let weight = image(&self.followed(sums.weight, places)?)?;
        let axes = self.conv_axes(x, op, weight.sizes(), &op.pad_low)?;
        op.pad_high
            .iter()
            .try_for_each(|&pad| unsigned([pad]).map(drop))?;
        let conv = Convolution {
            axes: axes.map(Axis::simplified),
            groups: usize::try_from(op.groups).unwrap_or(1),
            sums: Sums { weight, ..sums },
            input: self.step(node.operands[0])?,
        };
        let sizes = self.sizes(node.result(), order)?;
        self.convolve(x, &conv, &sizes, to)
    }

    /// The elements of a dense op's weight, with PyTorch's axes.
    ///
    /// # Errors
    /// If the weight is computed.
    pub(super) fn known_weight(&self, node: &Node) -> Result<TensorData, Reason> {
        let data = constant_of(self.graph, node.operands[1]);
        data.ok_or_else(|| Reason::new("a weight is known", "one that is computed"))
    }

    /// What a dense op accumulates. The weight is known, and so is the bias.
    pub(super) fn sums(&mut self, node: &Node, axis: usize, to: &Goal) -> Result<Sums, Reason> {
        let (x, weight) = (node.operands[0], node.operands[1]);
        let input = self.step(x)?;
        let data = self.known_weight(node)?;
        let outputs = data.sizes()[axis];
        let scales = self.weight_scales(weight, axis, outputs)?;
        let found = (data, axis, scales);
        self.sums_of(x, input, found, node.operands.get(2).copied(), to)
    }

    /// As [`Lowering::sums`], for a weight that is given with the axis of its output channels and its scales.
    pub(super) fn sums_of(
        &mut self,
        x: ValueId,
        input: Step,
        (weight, axis, scales): (TensorData, usize, WeightScales),
        bias: Option<ValueId>,
        to: &Goal,
    ) -> Result<Sums, Reason> {
        let mut units = scales.of_sums(input);
        // 16-bit operands are accumulated and multiplied in 64 bits.
        let is_wide = self.graph.ty(x).dtype == DType::I16;
        let is_narrow = integers(&weight).all(|w| (-8..=7).contains(&w));
        let reaches = reaches_of(self.reach(x), &weight, scales.zero_point.into(), axis);
        let mut reals = bias.map(|bias| self.reals(bias)).transpose()?;
        let bias = match &mut reals {
            None => None,
            Some(reals) => {
                bias::choose_units(reals, &mut units, &reaches, (is_wide, to));
                Some(bias::whole(reals, &units, is_wide, to)?)
            }
        };
        let factors = units.iter().zip(with_bias(&reaches, bias.as_deref()));
        let factors = factors.map(|(&unit, reach)| match is_wide {
            true => to.wide_factor(unit, reach),
            false => to.library_factor(unit, reach),
        });
        let factors = factors.collect::<Result<Vec<Multiplier>, Reason>>()?;
        // The library's function of 4-bit matrices has one factor for all channels.
        let is_kept = is_wide || is_narrow && factors.windows(2).all(|pair| pair[0] == pair[1]);
        let chosen = match is_kept {
            true => Chosen {
                bias,
                factors,
                lift: 0,
            },
            false => self.chosen((&units, reals.as_deref()), &reaches, (bias, factors), to),
        };
        Ok(Sums {
            reach: with_bias(&reaches, chosen.bias.as_deref())
                .max()
                .unwrap_or(Reach(0)),
            factors: chosen.factors,
            lift: chosen.lift,
            weight,
            zero_point: scales.zero_point,
            bias: chosen.bias,
            is_narrow,
        })
    }

    /// A convolution of an image, channels last, with a result of these sizes.
    pub(super) fn convolve(
        &mut self,
        x: TensorId,
        conv: &Convolution,
        sizes: &[usize],
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        if conv.sums.zero_point != 0 {
            let found = conv.sums.zero_point.to_string();
            return Err(Reason::new("weights have the zero point 0", found));
        }
        let &[_, _, _, channels] = self.parts.sizes(x) else {
            return Err(Reason::new("an image has four axes", "others"));
        };
        let is_depthwise = conv.groups == channels && conv.sums.weight.sizes()[1] == 1;
        let y = self.parts.temporary(to.dtype, sizes);
        match self.parts.dtype(x) {
            Dtype::I8 if is_depthwise && channels > 1 => self.depthwise(x, y, conv, to)?,
            Dtype::I8 => self.dense_s8(x, y, conv, to)?,
            Dtype::I16 if conv.groups == 1 => self.dense_s16(x, y, conv, to)?,
            Dtype::I16 if is_depthwise => self.depthwise(x, y, conv, to)?,
            other => {
                let found = format!("{other} in {} groups", conv.groups);
                return Err(Reason::new("a function convolves the type", found));
            }
        }
        Ok(y)
    }

    /// The bias as a constant of 32 bits, or of 64 if `is_wide`. Without a bias it is `None`, or zeros if `forced`.
    pub(super) fn bias(&mut self, sums: &Sums, is_wide: bool, forced: bool) -> Option<TensorId> {
        let zeros = || forced.then(|| vec![0; sums.factors.len()]);
        let bias = sums.bias.clone().or_else(zeros)?;
        Some(match is_wide {
            true => self.parts.long_words("bias", &bias),
            false => {
                let words: Vec<i32> = bias.iter().map(|&b| b as i32).collect();
                self.parts.words("bias", &words)
            }
        })
    }

    /// The convolution in the library's struct.
    pub(super) fn conv_struct(
        &self,
        x: TensorId,
        y: TensorId,
        conv: &Convolution,
        to: &Goal,
    ) -> Result<Conv, Reason> {
        let [outputs, inputs, height, width] = *conv.sums.weight.sizes() else {
            return Err(Reason::new("a weight has four axes", "others"));
        };
        let quad = |t: TensorId| <[usize; 4]>::try_from(self.parts.sizes(t)).unwrap_or([1; 4]);
        Ok(Conv {
            conv_params: ConvParams {
                input_offset: -conv.input.zero_point,
                output_offset: to.step.zero_point - conv.sums.lift,
                stride: tile(&conv.axes, |axis| axis.stride)?,
                padding: tile(&conv.axes, |axis| axis.pad)?,
                dilation: tile(&conv.axes, |axis| axis.dilation)?,
                activation: to.range.clone(),
            },
            quant_params: PerChannel::of(&conv.sums.factors),
            input_dims: dims(quad(x))?,
            filter_dims: dims([outputs, height, width, inputs])?,
            bias_dims: dims([1, 1, 1, outputs])?,
            bias_data: None,
            output_dims: dims(quad(y))?,
        })
    }

    /// A convolution over all channels of a group. Of the functions that take it, the one with the least work is called.
    pub(super) fn dense(
        &mut self,
        x: TensorId,
        y: TensorId,
        conv: &Convolution,
        to: &Goal,
    ) -> Result<(), Reason> {
        let params = self.conv_struct(x, y, conv, to)?;
        let weight = permuted(&conv.sums.weight, &[0, 2, 3, 1])?;
        let is_row = conv.axes[0] == Axis::UNIT;
        let of = |functions: &[Function]| -> Vec<(Function, Parameters)> {
            let is_of_rows = |f: &Function| matches!(f, Function::Convolve1XNS8);
            let taken = functions.iter().filter(|f| is_row || !is_of_rows(f));
            taken.map(|&f| (f, params.clone().into())).collect()
        };
        let bias = self.bias(&conv.sums, false, conv.groups > 1);
        if conv.sums.is_narrow {
            let narrow = of(&[
                Function::Convolve1x1S4Fast,
                Function::Convolve1x1S4,
                Function::ConvolveEvenS4,
                Function::ConvolveS4,
            ]);
            let packed = self.packed(&weight);
            let slots = [Some(x), Some(packed), bias, Some(y)];
            if self.parts.call_first(narrow, &slots).is_ok() {
                return Ok(());
            }
        }
        let mut functions = vec![
            Function::Convolve1x1S8Fast,
            Function::Convolve1x1S8,
            Function::Convolve1XNS8,
            Function::ConvolveS8,
        ];
        if self.is_less_as_plane(&params, &functions[..2]) {
            functions.drain(..2);
        }
        let candidates = of(&functions);
        let weight = self.parts.data("weight", &weight)?;
        self.parts
            .call_first(candidates, &[Some(x), Some(weight), bias, Some(y)])
    }

    /// Whether a window of one element takes less work as a window of any size, which needs scratch memory.
    fn is_less_as_plane(&self, conv: &Conv, pointwise: &[Function]) -> bool {
        let stride = &conv.conv_params.stride;
        let function = pointwise[usize::from((stride.w, stride.h) != (1, 1))];
        let [by, plane] = [function, Function::ConvolveS8]
            .map(|f| Work::of_conv(conv, f, self.parts.build()).of_all());
        let is_one = (conv.filter_dims.h, conv.filter_dims.w) == (1, 1);
        is_one && self.parts.linked() == Linked::Project && plane + plane / WORTH < by
    }

    /// A weight as packed 4-bit integers.
    pub(super) fn packed(&mut self, weight: &TensorData) -> TensorId {
        let integers: Vec<i8> = weight.scalars().map(|w| w.as_i64() as i8).collect();
        let bytes = pack(&integers, NibbleOrder::LowFirst);
        self.parts
            .constant("weight", Dtype::I4, weight.sizes(), bytes)
    }

    /// A convolution of 16-bit inputs. An accumulator that fits 32 bits is multiplied by a factor of 31 bits, any other by one of
    /// 15.
    fn dense_s16(
        &mut self,
        x: TensorId,
        y: TensorId,
        conv: &Convolution,
        to: &Goal,
    ) -> Result<(), Reason> {
        let is_narrow = conv.sums.reach.fits(32) && conv.sums.factors.iter().all(|f| f.shift <= 0);
        let params = Conv {
            bias_data: Some(BiasData {
                is_int32_bias: is_narrow,
            }),
            ..self.conv_struct(x, y, conv, to)?
        };
        let weight = permuted(&conv.sums.weight, &[0, 2, 3, 1])?;
        let weight = self.parts.data("weight", &weight)?;
        let bias = self.bias(&conv.sums, !is_narrow, true);
        let slots = [Some(x), Some(weight), bias, Some(y)];
        self.parts.call(Function::ConvolveS16, params, &slots)
    }

    /// A depthwise convolution. The weight `[C * M, 1, H, W]` becomes `[1, H, W, C * M]`.
    fn depthwise(
        &mut self,
        x: TensorId,
        y: TensorId,
        conv: &Convolution,
        to: &Goal,
    ) -> Result<(), Reason> {
        let same = self.conv_struct(x, y, conv, to)?;
        let outputs = conv.sums.weight.sizes()[0];
        let params = Depthwise {
            dw_conv_params: DwConvParams {
                input_offset: same.conv_params.input_offset,
                output_offset: same.conv_params.output_offset,
                ch_mult: int(outputs / conv.groups.max(1))?,
                stride: same.conv_params.stride,
                padding: same.conv_params.padding,
                dilation: same.conv_params.dilation,
                activation: same.conv_params.activation,
            },
            quant_params: same.quant_params,
            input_dims: same.input_dims,
            filter_dims: dims([1, conv.axes[0].kernel, conv.axes[1].kernel, outputs])?,
            bias_dims: same.bias_dims,
            output_dims: same.output_dims,
        };
        let weight = permuted(&conv.sums.weight, &[1, 2, 3, 0])?;
        let is_wide = self.parts.dtype(x) == Dtype::I16;
        let functions: &[Function] = match (is_wide, self.parts.build()) {
            (true, _) => &[Function::DepthwiseConvFastS16, Function::DepthwiseConvS16],
            (false, Build::Mve) => &[Function::DepthwiseConvS8Opt, Function::DepthwiseConvS8],
            (false, _) => &[
                Function::DepthwiseConv3x3S8,
                Function::DepthwiseConvS8Opt,
                Function::DepthwiseConvS8,
            ],
        };
        let is_small = [&conv.axes[0], &conv.axes[1]]
            .iter()
            .all(|axis| axis.pad <= 1);
        let taken = |f: &&Function| is_small || **f != Function::DepthwiseConv3x3S8;
        let candidates = functions.iter().filter(taken);
        let candidates = candidates.map(|&f| (f, params.clone().into())).collect();
        let bias = self.bias(&conv.sums, is_wide, true);
        // GCC 12 miscompiles constant predicates of the library's MVE function for 4 bits.
        if conv.sums.is_narrow && !is_wide && self.parts.build() != Build::Mve {
            let mut functions = vec![Function::DepthwiseConvS4Opt];
            // Of an odd count of channels, the library finds the half of a byte by counting the taps that it reads, which is wrong
            // for a window that padding cuts.
            if conv.groups.is_multiple_of(2) {
                functions.push(Function::DepthwiseConvS4);
            }
            let narrow = functions.into_iter().map(|f| (f, params.clone().into()));
            let narrow = narrow.collect();
            let packed = self.packed(&weight);
            let slots = [Some(x), Some(packed), bias, Some(y)];
            if self.parts.call_first(narrow, &slots).is_ok() {
                return Ok(());
            }
        }
        let weight = self.parts.data("weight", &weight)?;
        let slots = [Some(x), Some(weight), bias, Some(y)];
        self.parts.call_first(candidates, &slots)
    }
}
