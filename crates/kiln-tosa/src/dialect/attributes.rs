//! The attributes of operators. Pairs and triples are in the order of the axes: y before x, depth before both.

use super::dtype::TosaDtype;
use super::graph::RegionId;
use kiln_ir::{Content, Scalar};

/// What a comparison of numbers does with NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NanMode {
    /// The result is NaN.
    #[default]
    Propagate,
    /// NaN is ignored: the result is the other operand.
    Ignore,
}

/// How `RESIZE` samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResizeMode {
    /// The nearest element.
    Nearest,
    /// Linear in both axes.
    Bilinear,
}

/// How `RESCALE` rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest integer, halves up.
    #[default]
    Single,
    /// To either neighbour.
    Inexact,
    /// As older runtimes do: halves away from zero at bit 31 first, then to the nearest integer.
    Double,
}

/// `ARGMAX`: the index of the greatest element along an axis, which the result lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArgMax {
    /// The axis.
    pub axis: usize,
    /// What it does with NaN.
    pub nan_mode: NanMode,
}

/// `AVG_POOL2D` over NHWC. Padding does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AvgPool {
    /// The sizes of the window.
    pub kernel: [usize; 2],
    /// The strides.
    pub stride: [usize; 2],
    /// The padding before and behind.
    pub pad: [[usize; 2]; 2],
    /// The accumulator's type.
    pub acc: TosaDtype,
    /// The zero point of the operand; 0 except for `i8`.
    pub input_zp: i32,
    /// The zero point of the result; 0 except for `i8`.
    pub output_zp: i32,
}

/// `MAX_POOL2D` over NHWC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaxPool {
    /// The sizes of the window.
    pub kernel: [usize; 2],
    /// The strides.
    pub stride: [usize; 2],
    /// The padding before and behind.
    pub pad: [[usize; 2]; 2],
    /// What it does with NaN.
    pub nan_mode: NanMode,
}

/// A convolution over `N` axes, channels last. The operands are the input, the weight and the bias; a bias of one
/// element is that of every channel. A weight is `[OC, KH, KW, IC]`, that of a depthwise convolution `[KH, KW, C, M]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conv<const N: usize> {
    /// The padding before and behind.
    pub pad: [[usize; 2]; N],
    /// The strides.
    pub stride: [usize; N],
    /// The dilation.
    pub dilation: [usize; N],
    /// The accumulator's type.
    pub acc: TosaDtype,
    /// The zero point of the input; 0 except for `i8`.
    pub input_zp: i32,
    /// The zero point of the weight; 0 except for `i8`.
    pub weight_zp: i32,
    /// Whether an element's error bound counts only the input elements that the element reads.
    pub local_bound: bool,
}

impl<const N: usize> Conv<N> {
    /// A convolution of stride 1 without padding, with zero points of 0.
    pub const fn new(acc: TosaDtype) -> Self {
        Conv {
            pad: [[0; 2]; N],
            stride: [1; N],
            dilation: [1; N],
            acc,
            input_zp: 0,
            weight_zp: 0,
            local_bound: false,
        }
    }
}

/// `TRANSPOSE_CONV2D`, with a weight `[OC, KH, KW, IC]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransposeConv {
    /// The padding of the result before and behind; a negative one crops.
    pub out_pad: [[i32; 2]; 2],
    /// The stride: the distance of neighbouring input elements in the result.
    pub stride: [usize; 2],
    /// The accumulator's type.
    pub acc: TosaDtype,
    /// The zero point of the input; 0 except for `i8`.
    pub input_zp: i32,
    /// The zero point of the weight; 0 except for `i8`.
    pub weight_zp: i32,
    /// Whether an element's error bound counts only the input elements that the element reads.
    pub local_bound: bool,
}

/// `MATMUL` of `[N, H, C]` and `[N, C, W]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatMul {
    /// The zero point of the left operand; 0 except for `i8`.
    pub a_zp: i32,
    /// The zero point of the right operand; 0 except for `i8`.
    pub b_zp: i32,
    /// The type of the result: `i32` for `i8`, `i48` for `i16`, `f32` for `bf16` and `f32`, `f16` or `f32` for `f16`.
    pub to: TosaDtype,
}

impl MatMul {
    /// A product with zero points of 0.
    pub const fn new(to: TosaDtype) -> Self {
        MatMul {
            a_zp: 0,
            b_zp: 0,
            to,
        }
    }
}

/// `CLAMP` to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clamp {
    /// The least result.
    pub min: Scalar,
    /// The greatest result.
    pub max: Scalar,
    /// What it does with NaN.
    pub nan_mode: NanMode,
}

/// `NEGATE`, which saturates integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Negate {
    /// The zero point of the operand; 0 except for `i8`.
    pub input_zp: i32,
    /// The zero point of the result; 0 except for `i8`.
    pub output_zp: i32,
}

/// `PAD` with a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pad {
    /// The elements before and behind, by axis.
    pub padding: Vec<[usize; 2]>,
    /// The value.
    pub value: Scalar,
}

/// `SLICE`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The first element, by axis.
    pub start: Vec<usize>,
    /// The number of elements, by axis.
    pub size: Vec<usize>,
}

/// `RESIZE` of NHWC. Element `o` of an axis of the result is at `(o * scale_d + offset) / scale_n` of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resize {
    /// How it samples. Bilinear samples of integers have a wider type: `i32` for `i8`, `i48` for `i16`.
    pub mode: ResizeMode,
    /// The numerators of the scale, by axis.
    pub scale_n: [i32; 2],
    /// The denominators of the scale, by axis.
    pub scale_d: [i32; 2],
    /// The position of the first sample, in units of `1 / scale_n`.
    pub offset: [i32; 2],
    /// The border: what is added to the operand's size, in the same units.
    pub border: [i32; 2],
}

/// `RESCALE` of integers: `(x - input_zp) * multiplier >> shift`, plus `output_zp`, saturated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rescale {
    /// The type of the result.
    pub to: TosaDtype,
    /// The multiplier, or one for each channel; at most 15 bits unless `scale32`.
    pub multiplier: Vec<i32>,
    /// The shift of each multiplier, from 2 to 62.
    pub shift: Vec<i8>,
    /// The zero point of the operand.
    pub input_zp: i32,
    /// The zero point of the result.
    pub output_zp: i32,
    /// Whether multipliers have 31 bits. For an operand of `i48` they have 15.
    pub scale32: bool,
    /// How it rounds.
    pub rounding: Rounding,
    /// Whether each element of the last axis has a multiplier of its own.
    pub per_channel: bool,
    /// Whether the operand's integers are unsigned.
    pub input_unsigned: bool,
    /// Whether the result's integers are unsigned.
    pub output_unsigned: bool,
}

impl Rescale {
    /// A rescale with multipliers of 31 bits, one rounding and zero points of 0; by channel if there are several
    /// multipliers.
    pub fn new(to: TosaDtype, multiplier: Vec<i32>, shift: Vec<i8>) -> Self {
        Rescale {
            to,
            per_channel: multiplier.len() > 1,
            multiplier,
            shift,
            input_zp: 0,
            output_zp: 0,
            scale32: true,
            rounding: Rounding::Single,
            input_unsigned: false,
            output_unsigned: false,
        }
    }
}

/// `CUSTOM`: an operator that an implementation defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Custom {
    /// The name of the operator.
    pub operator: String,
    /// The name of the implementation.
    pub domain: String,
    /// The operator's attributes, as the implementation stores them.
    pub attributes: Vec<u8>,
    /// The types and shapes of the results.
    pub results: Vec<(TosaDtype, Vec<usize>)>,
}

/// `COND_IF`: the first operand is the condition, the others are operands of the region that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CondIf {
    /// The region that runs if the condition holds.
    pub then: RegionId,
    /// The region that runs otherwise.
    pub otherwise: RegionId,
}

/// `WHILE_LOOP`: the operands are the first state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WhileLoop {
    /// The region that computes the condition, one bool, from the state.
    pub cond: RegionId,
    /// The region that computes the next state.
    pub body: RegionId,
}

/// `VARIABLE`: declares a tensor that keeps its value between calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name by which it is read and written.
    pub name: String,
    /// The type of the elements.
    pub dtype: TosaDtype,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The first value.
    pub initial: Option<Content>,
}
