//! What operators are told beside their operands. Pairs and triples by axis are in the order of the axes: y before x,
//! depth before both.

use super::dtype::TosaDtype;
use super::graph::RegionId;
use kiln_ir::{Content, Scalar};

/// What becomes of NaN where numbers are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NanMode {
    /// The result is NaN.
    #[default]
    Propagate,
    /// The other operand is the result.
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
    /// Half up.
    #[default]
    Single,
    /// Either neighbour.
    Inexact,
    /// Half away from zero at bit 31 first, as older runtimes do.
    Double,
}

/// `ARGMAX`: the index of the greatest element along an axis, which goes away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArgMax {
    /// The axis.
    pub axis: usize,
    /// What becomes of NaN.
    pub nan_mode: NanMode,
}

/// `AVG_POOL2D` over NHWC; what is padded does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AvgPool {
    /// Sizes of the window.
    pub kernel: [usize; 2],
    /// Steps of the window.
    pub stride: [usize; 2],
    /// Padding before and behind.
    pub pad: [[usize; 2]; 2],
    /// Type in which it adds up.
    pub acc: TosaDtype,
    /// Zero point of the operand; 0 but for `i8`.
    pub input_zp: i32,
    /// Zero point of the result; 0 but for `i8`.
    pub output_zp: i32,
}

/// `MAX_POOL2D` over NHWC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaxPool {
    /// Sizes of the window.
    pub kernel: [usize; 2],
    /// Steps of the window.
    pub stride: [usize; 2],
    /// Padding before and behind.
    pub pad: [[usize; 2]; 2],
    /// What becomes of NaN.
    pub nan_mode: NanMode,
}

/// A convolution over `N` axes, channels last. Operands are the input, the weight and the bias; a bias of one element
/// counts for every channel. Weights are `[OC, KH, KW, IC]`, those of depthwise convolutions `[KH, KW, C, M]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conv<const N: usize> {
    /// Padding before and behind.
    pub pad: [[usize; 2]; N],
    /// Steps of the window.
    pub stride: [usize; N],
    /// Distance of the weights' elements.
    pub dilation: [usize; N],
    /// Type in which it adds up.
    pub acc: TosaDtype,
    /// Zero point of the input; 0 but for `i8`.
    pub input_zp: i32,
    /// Zero point of the weight; 0 but for `i8`.
    pub weight_zp: i32,
    /// Whether the error bound of each element may only count what it reads.
    pub local_bound: bool,
}

impl<const N: usize> Conv<N> {
    /// Steps of one, no padding, zero points of 0.
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

/// `TRANSPOSE_CONV2D`, the weight `[OC, KH, KW, IC]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransposeConv {
    /// Padding of the result before and behind; below zero it crops.
    pub out_pad: [[i32; 2]; 2],
    /// Distance of the input's elements in the result.
    pub stride: [usize; 2],
    /// Type in which it adds up.
    pub acc: TosaDtype,
    /// Zero point of the input; 0 but for `i8`.
    pub input_zp: i32,
    /// Zero point of the weight; 0 but for `i8`.
    pub weight_zp: i32,
    /// Whether the error bound of each element may only count what it reads.
    pub local_bound: bool,
}

/// `MATMUL` of `[N, H, C]` and `[N, C, W]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatMul {
    /// Zero point of the left operand; 0 but for `i8`.
    pub a_zp: i32,
    /// Zero point of the right operand; 0 but for `i8`.
    pub b_zp: i32,
    /// Type of the result: `i32` of `i8`, `i48` of `i16`, `f32` of `bf16` and `f32`, either of `f16`.
    pub to: TosaDtype,
}

impl MatMul {
    /// Zero points of 0.
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
    /// What becomes of NaN.
    pub nan_mode: NanMode,
}

/// `NEGATE`, which saturates integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Negate {
    /// Zero point of the operand; 0 but for `i8`.
    pub input_zp: i32,
    /// Zero point of the result; 0 but for `i8`.
    pub output_zp: i32,
}

/// `PAD` with a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pad {
    /// By axis, how many elements before and behind.
    pub padding: Vec<[usize; 2]>,
    /// The value.
    pub value: Scalar,
}

/// `SLICE`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// First element by axis.
    pub start: Vec<usize>,
    /// Number of elements by axis.
    pub size: Vec<usize>,
}

/// `RESIZE` of NHWC. Result element `o` of an axis is at `(o * scale_d + offset) / scale_n` of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resize {
    /// How it samples. Bilinear samples of integers are in a wider type: `i8` gives `i32`, `i16` gives `i48`.
    pub mode: ResizeMode,
    /// Numerators of the scale, by axis.
    pub scale_n: [i32; 2],
    /// Denominators of the scale, by axis.
    pub scale_d: [i32; 2],
    /// Position of the first sample.
    pub offset: [i32; 2],
    /// What is added to the operand's size.
    pub border: [i32; 2],
}

/// `RESCALE` of integers: `(x - input_zp) * multiplier >> shift`, plus `output_zp`, saturated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rescale {
    /// Type of the result.
    pub to: TosaDtype,
    /// One factor, or one by channel; at most 15 bits if not `scale32`.
    pub multiplier: Vec<i32>,
    /// As many, 2 to 62.
    pub shift: Vec<i8>,
    /// Zero point of the operand.
    pub input_zp: i32,
    /// Zero point of the result.
    pub output_zp: i32,
    /// Whether multipliers have 31 bits; they have 15 for `i48`.
    pub scale32: bool,
    /// How it rounds.
    pub rounding: Rounding,
    /// Whether there is a factor for each element of the last axis.
    pub per_channel: bool,
    /// Whether the operand's integers have no sign.
    pub input_unsigned: bool,
    /// Whether the result's integers have no sign.
    pub output_unsigned: bool,
}

impl Rescale {
    /// With multipliers of 31 bits, one rounding, zero points of 0, by channel if there are several.
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

/// `CUSTOM`: what an implementation defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Custom {
    /// Which operator.
    pub operator: String,
    /// Whose operator.
    pub domain: String,
    /// What it is told.
    pub attributes: Vec<u8>,
    /// Types and shapes of the results.
    pub results: Vec<(TosaDtype, Vec<usize>)>,
}

/// `COND_IF`: the first operand chooses, the others are given to the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CondIf {
    /// If the condition holds.
    pub then: RegionId,
    /// If not.
    pub otherwise: RegionId,
}

/// `WHILE_LOOP`: the operands are the first state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WhileLoop {
    /// Makes one bool of the state.
    pub cond: RegionId,
    /// Makes the next state.
    pub body: RegionId,
}

/// `VARIABLE`: declares a tensor that stays from call to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, by which it is read and written.
    pub name: String,
    /// Type of the elements.
    pub dtype: TosaDtype,
    /// Sizes.
    pub shape: Vec<usize>,
    /// What it holds at first.
    pub initial: Option<Content>,
}
