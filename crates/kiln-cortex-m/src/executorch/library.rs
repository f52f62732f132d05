//! The kernels on the builtin runtime: each computes as its function of CMSIS-NN.

use super::elementwise::ADD_SHIFT;
use super::given::{Given, computed, count, data, four, like};
use super::images::result_size;
use super::names;
use crate::dialect::*;
use crate::evaluate::Data;
use kiln_eval::Tensor;
use kiln_pte::runtime::{Argument, Kernels, Stored};

/// The range of 8-bit integers.
const WHOLE: Activation = Activation {
    min: -128,
    max: 127,
};

/// The `cortex_m::*` kernels of ExecuTorch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library;

impl Kernels for Library {
    fn call(&self, key: &str, arguments: &[Argument]) -> Option<Result<Tensor, String>> {
        let kernel = match key {
            names::CONV => conv,
            names::DEPTHWISE => depthwise,
            names::TRANSPOSE_CONV => transpose_conv,
            names::AVG_POOL => avg_pool,
            names::MAX_POOL => max_pool,
            names::LINEAR => linear,
            names::BATCH_MATMUL => batch_matmul,
            names::SOFTMAX => softmax,
            names::ADD => add,
            names::MUL => mul,
            names::DIV => div,
            names::MINIMUM => minimum,
            names::MAXIMUM => maximum,
            names::ACTIVATION => activation,
            names::QUANTIZE => quantize,
            names::DEQUANTIZE => dequantize,
            names::PAD => pad,
            names::TRANSPOSE => transpose,
            _ => return None,
        };
        let given = Given(arguments);
        let made = kernel(&given).and_then(|made| like(given.out()?, &made));
        Some(made)
    }
}

type Made = Result<Data, String>;

fn held(tensor: &Stored) -> Result<Option<Data>, String> {
    data(tensor).map(Some)
}

fn held_if(tensor: Option<&Stored>) -> Result<Option<Data>, String> {
    tensor.map(data).transpose()
}

fn range(given: &Given<'_>, min: usize, max: usize) -> Result<Activation, String> {
    Ok(Activation {
        min: given.int(min)?,
        max: given.int(max)?,
    })
}

fn per_channel(given: &Given<'_>, first: usize) -> Result<PerChannel, String> {
    Ok(PerChannel {
        multiplier: given.words(first)?.into(),
        shift: given.words(first + 1)?.into(),
    })
}

/// The contents of the slots of a convolution: input, weight, bias, result.
fn conv_slots(given: &Given<'_>) -> Result<Vec<Option<Data>>, String> {
    Ok(vec![
        held(given.tensor(0)?)?,
        held(given.tensor(1)?)?,
        held_if(given.optional(2)?)?,
        held(given.out()?)?,
    ])
}

fn channels(c: i32) -> Dims {
    Dims {
        n: 1,
        h: 1,
        w: 1,
        c,
    }
}

fn conv(given: &Given<'_>) -> Made {
    let output_dims = given.image(given.out()?)?;
    let conv = Conv {
        conv_params: ConvParams {
            input_offset: given.int(6)?,
            output_offset: given.int(7)?,
            stride: given.tile(3)?,
            padding: given.tile(4)?,
            dilation: given.tile(5)?,
            activation: range(given, 10, 11)?,
        },
        quant_params: per_channel(given, 8)?,
        input_dims: given.image(given.tensor(0)?)?,
        filter_dims: four(given.tensor(1)?)?.into(),
        bias_dims: channels(output_dims.c),
        bias_data: None,
        output_dims,
    };
    computed(
        Function::ConvolveWrapperS8,
        conv,
        conv_slots(given)?,
        Build::Dsp,
    )
}

fn depthwise(given: &Given<'_>) -> Made {
    let output_dims = given.image(given.out()?)?;
    let conv = Depthwise {
        dw_conv_params: DwConvParams {
            ch_mult: given.int(6)?,
            input_offset: given.int(7)?,
            output_offset: given.int(8)?,
            stride: given.tile(3)?,
            padding: given.tile(4)?,
            dilation: given.tile(5)?,
            activation: range(given, 11, 12)?,
        },
        quant_params: per_channel(given, 9)?,
        input_dims: given.image(given.tensor(0)?)?,
        filter_dims: four(given.tensor(1)?)?.into(),
        bias_dims: channels(output_dims.c),
        output_dims,
    };
    let function = Function::DepthwiseConvWrapperS8;
    computed(function, conv, conv_slots(given)?, Build::Dsp)
}

fn transpose_conv(given: &Given<'_>) -> Made {
    let output_dims = given.image(given.out()?)?;
    let conv = TransposeConv {
        transpose_conv_params: TransposeConvParams {
            input_offset: given.int(7)?,
            output_offset: given.int(8)?,
            stride: given.tile(3)?,
            padding: given.tile(4)?,
            padding_offsets: given.tile(5)?,
            dilation: given.tile(6)?,
            activation: range(given, 11, 12)?,
        },
        quant_params: per_channel(given, 9)?,
        input_dims: given.image(given.tensor(0)?)?,
        filter_dims: four(given.tensor(1)?)?.into(),
        bias_dims: channels(output_dims.c),
        output_dims,
    };
    let function = Function::TransposeConvWrapperS8;
    computed(function, conv, conv_slots(given)?, Build::Dsp)
}

fn pool_of(given: &Given<'_>, activation: Activation) -> Result<Pool, String> {
    let window = given.tile(1)?;
    Ok(Pool {
        pool_params: PoolParams {
            stride: given.tile(2)?,
            padding: given.tile(3)?,
            activation,
        },
        input_dims: given.image(given.tensor(0)?)?,
        filter_dims: Dims {
            n: 1,
            h: window.h,
            w: window.w,
            c: 1,
        },
        output_dims: given.image(given.out()?)?,
    })
}

fn avg_pool(given: &Given<'_>) -> Made {
    let pool = pool_of(given, WHOLE)?;
    let (params, is_ceil) = (&pool.pool_params, given.bool(4)?);
    let [x, window, y] = [&pool.input_dims, &pool.filter_dims, &pool.output_dims];
    let expected = [
        result_size([x.h, window.h, params.stride.h, params.padding.h], is_ceil),
        result_size([x.w, window.w, params.stride.w, params.padding.w], is_ceil),
    ];
    if expected != [Some(y.h), Some(y.w)] {
        return Err(format!("a result of {} by {}, not {expected:?}", y.h, y.w));
    }
    let slots = vec![held(given.tensor(0)?)?, held(given.out()?)?];
    computed(Function::AvgpoolS8, pool, slots, Build::Dsp)
}

fn max_pool(given: &Given<'_>) -> Made {
    let pool = pool_of(given, range(given, 8, 9)?)?;
    if given.array(4)? != [1, 1] || given.bool(5)? || given.int(6)? != given.int(7)? {
        return Err("windows have no gaps, no ceil_mode and one zero point".into());
    }
    let slots = vec![held(given.tensor(0)?)?, held(given.out()?)?];
    computed(Function::MaxPoolS8, pool, slots, Build::Dsp)
}

/// A fully connected layer. On MVE the function reads kernel sums in place of the bias.
fn linear(given: &Given<'_>) -> Made {
    let last = |tensor: &Stored| tensor.sizes.last().map_or(Ok(1), |&n| i32::try_from(n));
    let too_large = |_| "a size of more than 32 bits".to_owned();
    let x = given.tensor(0)?;
    let inputs = last(x).map_err(too_large)?;
    let outputs = last(given.out()?).map_err(too_large)?;
    let rows = count(x)?.checked_div(inputs).unwrap_or(0);
    let first = |i: usize| -> Result<i32, String> {
        let all = given.ints(i)?;
        all.first()
            .copied()
            .ok_or_else(|| format!("argument {i} is empty"))
    };
    let dims = |n: i32, c: i32| Dims { n, h: 1, w: 1, c };
    let layer = FullyConnected {
        fc_params: FcParams {
            input_offset: given.int(4)?,
            filter_offset: given.int(5)?,
            output_offset: given.int(6)?,
            activation: range(given, 10, 9)?,
        },
        quant_params: FcQuant::Tensor(PerTensor {
            multiplier: first(7)?,
            shift: first(8)?,
        }),
        input_dims: dims(rows, inputs),
        filter_dims: dims(inputs, outputs),
        bias_dims: dims(1, outputs),
        output_dims: dims(rows, outputs),
    };
    let sums = held_if(given.optional(3)?)?;
    let build = match sums {
        Some(_) => Build::Mve,
        None => Build::Dsp,
    };
    let mut slots = conv_slots(given)?;
    slots.push(sums);
    computed(Function::FullyConnectedS8, layer, slots, build)
}

fn batch_matmul(given: &Given<'_>) -> Made {
    let dims = |tensor: &Stored| -> Result<Dims, String> {
        let sizes = tensor.sizes.iter().map(|&size| i32::try_from(size).ok());
        let sizes: Option<Vec<i32>> = sizes.collect();
        match sizes.as_deref() {
            Some(&[h, w, c]) => Ok(Dims { n: 1, h, w, c }),
            _ => Err(format!("matrices have the sizes {:?}", tensor.sizes)),
        }
    };
    let product = BatchMatmul {
        bmm_params: BmmParams {
            adj_x: false,
            adj_y: false,
            fc_params: FcParams {
                input_offset: given.int(1)?,
                filter_offset: given.int(3)?,
                output_offset: given.int(4)?,
                activation: WHOLE,
            },
        },
        quant_params: PerTensor {
            multiplier: given.int(5)?,
            shift: given.int(6)?,
        },
        input_lhs_dims: dims(given.tensor(0)?)?,
        input_rhs_dims: dims(given.tensor(2)?)?,
        output_dims: dims(given.out()?)?,
    };
    let slots = vec![
        held(given.tensor(0)?)?,
        held(given.tensor(2)?)?,
        held(given.out()?)?,
    ];
    computed(Function::BatchMatmulS8, product, slots, Build::Dsp)
}

fn softmax(given: &Given<'_>) -> Made {
    let x = given.tensor(0)?;
    let (axis, rank) = (given.int(1)?, x.sizes.len() as i32);
    if axis != rank - 1 && axis != -1 {
        return Err(format!("a softmax along axis {axis}, not the last"));
    }
    if given.int(3)? != -128 {
        return Err(format!("a softmax with the zero point {}", given.int(3)?));
    }
    let row_size = x.sizes.last().map_or(1, |&n| n as i32);
    let softmax = Softmax {
        num_rows: count(x)?.checked_div(row_size).unwrap_or(0),
        row_size,
        mult: given.int(4)?,
        shift: given.int(5)?,
        diff_min: given.int(6)?,
    };
    let slots = vec![held(x)?, held(given.out()?)?];
    computed(Function::SoftmaxS8, softmax, slots, Build::Dsp)
}

/// The operands of a function of two tensors, and the number of results. A tensor with one element for each channel is repeated.
fn operands(given: &Given<'_>, second: usize) -> Result<(Vec<Option<Data>>, i32), String> {
    let (a, b, out) = (given.tensor(0)?, given.tensor(second)?, given.out()?);
    let elements = count(out)?;
    let whole = |of: &Stored| -> Result<Data, String> {
        let own = count(of)?;
        let is_channels = of.sizes.len() == 4 && of.sizes.get(1) == Some(&(own as usize));
        let found = data(of)?;
        match (own == elements, found) {
            (true, found) => Ok(found),
            (false, Data::I8(row)) if is_channels && own > 0 && elements % own == 0 => {
                Ok(Data::I8(row.repeat((elements / own) as usize)))
            }
            (false, _) => Err(format!("operands of {:?} and {:?}", a.sizes, b.sizes)),
        }
    };
    Ok((vec![Some(whole(a)?), Some(whole(b)?), held(out)?], elements))
}

fn add(given: &Given<'_>) -> Made {
    let (slots, block_size) = operands(given, 4)?;
    let add = Add {
        input_1_offset: given.offset(1)?,
        input_1_mult: given.int(2)?,
        input_1_shift: given.int(3)?,
        input_2_offset: given.offset(5)?,
        input_2_mult: given.int(6)?,
        input_2_shift: given.int(7)?,
        left_shift: ADD_SHIFT,
        out_offset: given.int(8)?,
        out_mult: given.int(9)?,
        out_shift: given.int(10)?,
        out_activation_min: given.int(11)?,
        out_activation_max: given.int(12)?,
        block_size,
    };
    computed(Function::ElementwiseAddS8, add, slots, Build::Dsp)
}

fn mul(given: &Given<'_>) -> Made {
    let (slots, block_size) = operands(given, 2)?;
    let mul = Mul {
        input_1_offset: given.offset(1)?,
        input_2_offset: given.offset(3)?,
        out_offset: given.int(4)?,
        out_mult: given.int(5)?,
        out_shift: given.int(6)?,
        out_activation_min: WHOLE.min,
        out_activation_max: WHOLE.max,
        block_size,
    };
    computed(Function::ElementwiseMulS8, mul, slots, Build::Dsp)
}

/// A quotient. The kernel divides in floats (`quantized_div_typed` of `op_quantized_div.cpp`), and gives 0 where the divisor is
/// 0.
fn div(given: &Given<'_>) -> Made {
    let (a, b) = (data(given.tensor(0)?)?, data(given.tensor(2)?)?);
    let (zero_1, zero_2, zero) = (given.int(1)?, given.int(3)?, given.int(4)?);
    let scale = given.double(5)? as f32;
    let quotient = |x: i32, y: i32, low: f32, high: f32| {
        let (x, y) = (x.wrapping_sub(zero_1), y.wrapping_sub(zero_2));
        let quotient = if y == 0 { 0.0 } else { x as f32 / y as f32 };
        ((quotient * scale).round() + zero as f32)
            .min(high)
            .max(low)
    };
    match (a, b) {
        (Data::I8(a), Data::I8(b)) if a.len() == b.len() => {
            let pairs = a.into_iter().zip(b);
            let all = pairs.map(|(x, y)| quotient(x.into(), y.into(), -128.0, 127.0) as i8);
            Ok(Data::I8(all.collect()))
        }
        (Data::I16(a), Data::I16(b)) if a.len() == b.len() => {
            let pairs = a.into_iter().zip(b);
            let all = pairs.map(|(x, y)| quotient(x.into(), y.into(), -32_768.0, 32_767.0) as i16);
            Ok(Data::I16(all.collect()))
        }
        (a, b) => Err(format!("quotients of {} and {}", a.dtype(), b.dtype())),
    }
}

/// The greater or the lesser of two operands. Axes of size 1 are repeated, and sizes are aligned at the last axis.
fn extreme(given: &Given<'_>, function: Function) -> Made {
    let dims = |tensor: &Stored| -> Result<Dims, String> {
        let mut four = [1; 4];
        let sizes = tensor.sizes.iter().rev();
        if tensor.sizes.len() > 4 || !tensor.dim_order.is_sorted() {
            return Err(format!("a tensor of {:?}", tensor.sizes));
        }
        for (own, &size) in four.iter_mut().rev().zip(sizes) {
            *own = i32::try_from(size).map_err(|_| "a size of more than 32 bits".to_owned())?;
        }
        Ok(four.into())
    };
    let own = MinMax {
        input_1_dims: dims(given.tensor(0)?)?,
        input_2_dims: dims(given.tensor(1)?)?,
        output_dims: dims(given.out()?)?,
    };
    let slots = vec![
        held(given.tensor(0)?)?,
        held(given.tensor(1)?)?,
        held(given.out()?)?,
    ];
    computed(function, own, slots, Build::Dsp)
}

fn minimum(given: &Given<'_>) -> Made {
    extreme(given, Function::MinimumS8)
}

fn maximum(given: &Given<'_>) -> Made {
    extreme(given, Function::MaximumS8)
}

fn activation(given: &Given<'_>) -> Made {
    let x = given.tensor(0)?;
    let table = Table { size: count(x)? };
    let slots = vec![held(given.tensor(1)?)?, held(x)?, held(given.out()?)?];
    computed(Function::KilnTableS8, table, slots, Build::Dsp)
}

/// A quantisation. The quotient is rounded to even and converted, which saturates on these cores; then the zero point is added.
fn quantize(given: &Given<'_>) -> Made {
    let Data::F32(x) = data(given.tensor(0)?)? else {
        return Err("floats are quantised".into());
    };
    let inverse = 1.0 / given.double(1)? as f32;
    let (zero, min, max) = (given.int(2)?, given.int(3)?, given.int(4)?);
    let integer = |x: f32| {
        let steps = (inverse * x).round_ties_even() as i32;
        steps.saturating_add(zero).max(min).min(max)
    };
    let all = x.into_iter().map(integer);
    match given.out()?.data.dtype() {
        kiln_ir::DType::I8 => Ok(Data::I8(all.map(|x| x as i8).collect())),
        kiln_ir::DType::I16 => Ok(Data::I16(all.map(|x| x as i16).collect())),
        other => Err(format!("floats become {other}")),
    }
}

fn dequantize(given: &Given<'_>) -> Made {
    let (scale, zero) = (given.double(1)? as f32, given.int(2)?);
    let real = |x: i32| x.wrapping_sub(zero) as f32 * scale;
    match data(given.tensor(0)?)? {
        Data::I8(x) => Ok(Data::F32(x.into_iter().map(|x| real(x.into())).collect())),
        Data::I16(x) => Ok(Data::F32(x.into_iter().map(|x| real(x.into())).collect())),
        other => Err(format!("{} becomes floats", other.dtype())),
    }
}

fn pad(given: &Given<'_>) -> Made {
    let own = Pad {
        pad_value: given.int(3)?,
        input_size: given.image(given.tensor(0)?)?,
        pre_pad: given.array(1)?.into(),
        post_pad: given.array(2)?.into(),
    };
    let slots = vec![held(given.tensor(0)?)?, held(given.out()?)?];
    computed(Function::PadS8, own, slots, Build::Dsp)
}

fn transpose(given: &Given<'_>) -> Made {
    let (x, out) = (given.tensor(0)?, given.out()?);
    let dims = |tensor: &Stored| -> Result<Dims, String> {
        let mut four = [1; 4];
        if tensor.sizes.is_empty() || tensor.sizes.len() > 4 {
            return Err(format!("a transpose of {:?}", tensor.sizes));
        }
        for (own, &size) in four.iter_mut().zip(&tensor.sizes) {
            *own = i32::try_from(size).map_err(|_| "a size of more than 32 bits".to_owned())?;
        }
        Ok(four.into())
    };
    let own = Transpose {
        input_dims: dims(x)?,
        output_dims: dims(out)?,
        transpose_params: TransposeParams {
            num_dims: x.sizes.len() as i32,
            permutations: Permutation(given.ints(1)?),
        },
    };
    let slots = vec![held(x)?, held(out)?];
    computed(Function::TransposeS8, own, slots, Build::Dsp)
}
