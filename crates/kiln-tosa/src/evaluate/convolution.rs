//! Convolutions and matrix products, by the kernels of the reference interpreter.
//!
//! Floats are multiplied and added in f32. Integers are computed in i32 if that is exact, else in i64.

use super::movement::{Walk, cropped, framed as bordered, picked};
use super::numbers::Numbers;
use crate::dialect::{Conv, MatMul, TensorType, TransposeConv};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Conv as CoreConv, MatMul as CoreMatMul};
use kiln_ir::{Op, Scalar};

/// The number of products that 32 bits hold the sum of; a product is below 2^16 in magnitude.
const EXACT_IN_I32: usize = 1 << 15;

/// The elements for the kernels, less the zero points.
fn raised(x: &Tensor, zero_point: i32, terms: usize) -> Tensor {
    let sizes = x.sizes();
    match Numbers::of(x) {
        Numbers::Floats(x) => Tensor::new(sizes, x.into_iter().map(|x| x as f32).collect()),
        Numbers::Ints(ints) => {
            let ints = ints.into_iter().map(|i| i - i64::from(zero_point));
            if terms <= EXACT_IN_I32 && x.dtype().size() == 1 {
                Tensor::new(sizes, ints.map(|i| i as i32).collect())
            } else {
                Tensor::new(sizes, ints.collect())
            }
        }
    }
}

/// Both operands, in one dtype.
fn alike(a: Tensor, b: Tensor) -> (Tensor, Tensor) {
    if a.dtype() == b.dtype() {
        return (a, b);
    }
    let wide = |x: &Tensor| Tensor::new(x.sizes(), Numbers::ints(x));
    (wide(&a), wide(&b))
}

fn permuted(x: &Tensor, perms: &[usize]) -> Tensor {
    let sizes: Vec<usize> = perms.iter().map(|&p| x.sizes()[p]).collect();
    let strides = super::movement::strides(x.sizes());
    let strides = perms.iter().map(|&p| strides[p]).collect();
    picked(x, &sizes, Walk::new(sizes.clone(), strides, 0))
}

/// Moves the channels to axis 1: `n s.. c` becomes `n c s..`.
fn channels_first(x: &Tensor) -> Tensor {
    let rank = x.rank();
    let perms: Vec<usize> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    permuted(x, &perms)
}

fn channels_last(x: &Tensor) -> Tensor {
    let perms: Vec<usize> = [0].into_iter().chain(2..x.rank()).chain([1]).collect();
    permuted(x, &perms)
}

fn run(op: &Op, operands: &[Tensor]) -> Result<Tensor, String> {
    let results = evaluate_op(op, operands, &mut Bindings::default(), u64::MAX);
    let results = results.map_err(|cause| cause.to_string())?;
    results
        .into_iter()
        .next()
        .ok_or_else(|| "the kernel has no result".to_owned())
}

/// Adds the bias to the sums, channels last.
fn with_bias(sums: &Tensor, bias: &Tensor, result: &TensorType) -> Result<Tensor, String> {
    match (Numbers::of(sums), Numbers::of(bias)) {
        (Numbers::Ints(sums), Numbers::Ints(bias)) => {
            let channels = result.shape.last().copied().unwrap_or(1);
            let index = |i: usize| if bias.len() == 1 { 0 } else { i % channels };
            let sums = sums.into_iter().enumerate();
            let summed = sums.map(|(i, sum)| sum + bias[index(i)]);
            Numbers::Ints(summed.collect()).tensor(result)
        }
        (sums, bias) => {
            let (Numbers::Floats(sums), Numbers::Floats(bias)) = (sums, bias) else {
                unreachable!("the bias is of the result's dtype");
            };
            // The sum is rounded to the result's type before the bias is added.
            let rounded = Numbers::Floats(sums).tensor(result)?;
            let channels = result.shape.last().copied().unwrap_or(1);
            let sums = Numbers::floats(&rounded).into_iter().enumerate();
            let summed =
                sums.map(|(i, s)| s + bias[if bias.len() == 1 { 0 } else { i % channels }]);
            Numbers::Floats(summed.collect()).tensor(result)
        }
    }
}

/// `CONV2D` and `CONV3D`.
pub(super) fn convolved<const N: usize>(
    conv: &Conv<N>,
    operands: &[Tensor],
    result: &TensorType,
) -> Result<Tensor, String> {
    let weight = &operands[1];
    let terms = weight.sizes()[1..].iter().product();
    let x = channels_first(&raised(&operands[0], conv.input_zp, terms));
    let weight = channels_first(&raised(weight, conv.weight_zp, terms));
    let (x, weight) = alike(x, weight);
    let sums = run(&core(conv, 1), &[x, weight])?;
    with_bias(&channels_last(&sums), &operands[2], result)
}

/// `DEPTHWISE_CONV2D`: a convolution with as many groups as channels.
pub(super) fn depthwise(
    conv: &Conv<2>,
    operands: &[Tensor],
    result: &TensorType,
) -> Result<Tensor, String> {
    let weight = &operands[1];
    let [kh, kw, c, m] = [0, 1, 2, 3].map(|i| weight.sizes()[i]);
    let x = channels_first(&raised(&operands[0], conv.input_zp, kh * kw));
    let weight = permuted(&raised(weight, conv.weight_zp, kh * kw), &[2, 3, 0, 1]);
    let weight = weight.reshaped(vec![c * m, 1, kh, kw]);
    let weight = weight.map_err(|cause| cause.to_string())?;
    let (x, weight) = alike(x, weight);
    let sums = run(&core(conv, c), &[x, weight])?;
    with_bias(&channels_last(&sums), &operands[2], result)
}

fn core<const N: usize>(conv: &Conv<N>, groups: usize) -> Op {
    let list = |numbers: [usize; N]| numbers.iter().map(|&n| n as i64).collect::<Vec<i64>>();
    Op::Conv(CoreConv {
        stride: list(conv.stride),
        pad_low: list(conv.pad.map(|p| p[0])),
        pad_high: list(conv.pad.map(|p| p[1])),
        dilation: list(conv.dilation),
        groups: groups as i64,
        transposed: false,
        output_padding: vec![0; N],
    })
}

/// `TRANSPOSE_CONV2D`: the kernels compute the whole result, which is then padded or cropped.
pub(super) fn transposed(
    conv: &TransposeConv,
    operands: &[Tensor],
    result: &TensorType,
) -> Result<Tensor, String> {
    let weight = &operands[1];
    let terms = weight.sizes()[1..].iter().product();
    let x = channels_first(&raised(&operands[0], conv.input_zp, terms));
    let weight = permuted(&raised(weight, conv.weight_zp, terms), &[3, 0, 1, 2]);
    let (x, weight) = alike(x, weight);
    let core = Op::Conv(CoreConv {
        stride: conv.stride.map(|s| s as i64).to_vec(),
        pad_low: vec![0; 2],
        pad_high: vec![0; 2],
        dilation: vec![1; 2],
        groups: 1,
        transposed: true,
        output_padding: vec![0; 2],
    });
    let sums = channels_last(&run(&core, &[x, weight])?);
    with_bias(&framed(&sums, conv, result), &operands[2], result)
}

/// Crops rows and columns for a negative `out_pad`, and adds zeros for a positive one.
fn framed(sums: &Tensor, conv: &TransposeConv, result: &TensorType) -> Tensor {
    let part = |p: i32| p.unsigned_abs() as usize;
    let (mut start, mut size) = (vec![0; 4], sums.sizes().to_vec());
    let mut padding = vec![[0; 2]; 4];
    for (i, [before, behind]) in conv.out_pad.into_iter().enumerate() {
        let axis = i + 1;
        start[axis] = if before < 0 { part(before) } else { 0 };
        let lost = start[axis] + if behind < 0 { part(behind) } else { 0 };
        size[axis] = size[axis].saturating_sub(lost);
        padding[axis] = [before.max(0) as usize, behind.max(0) as usize];
        if size[axis] == 0 {
            // The padding crops all of the result: zeros are left.
            return Tensor::splat(sums.dtype(), result.shape.as_slice(), Scalar::Int(0));
        }
    }
    let kept = cropped(sums, &start, &size);
    let zero = vec![0; sums.dtype().size()];
    bordered(&kept, &padding, &zero, &result.shape)
}

/// `MATMUL`.
pub(super) fn product(
    product: &MatMul,
    operands: &[Tensor],
    result: &TensorType,
) -> Result<Tensor, String> {
    let terms = operands[0].sizes()[2];
    let a = raised(&operands[0], product.a_zp, terms);
    let b = raised(&operands[1], product.b_zp, terms);
    Numbers::of(&run(&Op::MatMul(CoreMatMul {}), &[a, b])?).tensor(result)
}
