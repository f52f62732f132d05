//! Quantisations, on operands for which ATen's op gives what the stock kernel gives.

use super::super::error::Fault;
use super::super::{Cell, Runtime};
use crate::ValueIndex;
use kiln_eval::Tensor;
use kiln_ir::{Scalar, TensorData};

/// Operands for which PyTorch's op gives what the stock kernel gives for `tensors`.
pub(in super::super) fn operands(
    runtime: &Runtime<'_>,
    key: &str,
    args: &[ValueIndex],
    mut tensors: Vec<Tensor>,
) -> Result<Vec<Tensor>, Fault> {
    if key == "quantized_decomposed::dequantize_per_channel.out"
        && let Some(scales) = tensors.get_mut(1)
    {
        *scales = in_f32(scales);
    }
    let scales = match key {
        "quantized_decomposed::quantize_per_tensor.out" => one_scale(runtime, args),
        "quantized_decomposed::quantize_per_channel.out" => scales(runtime, args)?,
        _ => None,
    };
    if let (Some(scales), Some(x)) = (scales, tensors.first_mut()) {
        *x = quantised_operand(x, &scales);
    }
    Ok(tensors)
}

/// Scales as f32 holds them: the kernel multiplies in f32 (`op_dequantize.cpp`), and PyTorch in the scales' own type.
fn in_f32(scales: &Tensor) -> Tensor {
    let rounded = scales.scalars().into_iter();
    let rounded = rounded.map(|s| Scalar::Float(f64::from(s.as_f64() as f32)));
    TensorData::from_scalars(scales.dtype(), scales.sizes().to_vec(), rounded).into()
}

/// Scales along an axis, each for a number of neighbouring elements.
struct Scales {
    scales: Vec<f64>,
    run: usize,
}

fn one_scale(runtime: &Runtime<'_>, args: &[ValueIndex]) -> Option<Scales> {
    match runtime.cells.get(args.get(1)?.index())? {
        Cell::Double(scale) => Some(Scales {
            scales: vec![*scale],
            run: 1,
        }),
        _ => None,
    }
}

fn scales(runtime: &Runtime<'_>, args: &[ValueIndex]) -> Result<Option<Scales>, Fault> {
    let (Some(&x), Some(&scales), Some(axis)) = (args.first(), args.get(1), args.get(3)) else {
        return Ok(None);
    };
    let Cell::Int(axis) = &runtime.cells[axis.index()] else {
        return Ok(None);
    };
    let sizes = runtime.load_tensor(x)?.sizes().to_vec();
    let behind = usize::try_from(*axis)
        .ok()
        .and_then(|axis| sizes.get(axis + 1..));
    let scales = runtime.load_tensor(scales)?.scalars();
    let run = behind.map(|sizes| sizes.iter().product::<usize>().max(1));
    Ok(run.map(|run| Scales {
        scales: scales.iter().map(|s| s.as_f64()).collect(),
        run,
    }))
}

/// The kernels convert the quotient to a 64-bit integer (`quantize_val` of ExecuTorch's
/// `kernels/quantized/cpu/op_quantize.cpp`). On x86, NaN and quotients of 2^63 and more become the least integer, as minus
/// infinity does. So the result is the least integer of the quantisation. On Arm the kernels for f32 to 8 bits convert to 32
/// bits, which is not repeated here.
fn quantised_operand(x: &Tensor, scales: &Scales) -> Tensor {
    const BELOW: f32 = 9223372036854775808.0;
    if scales.scales.is_empty() {
        return x.clone();
    }
    let overflows = |i: usize, number: f64| {
        let scale = scales.scales[i / scales.run % scales.scales.len()];
        let quotient = (f64::from(1.0 / scale as f32) * number) as f32;
        quotient.is_nan() || quotient >= BELOW
    };
    let numbers = x.scalars();
    let numbers = numbers.iter().map(|s| s.as_f64()).enumerate();
    if !numbers.clone().any(|(i, number)| overflows(i, number)) {
        return x.clone();
    }
    let taken = numbers.map(|(i, number)| match overflows(i, number) {
        true => Scalar::Float(f64::NEG_INFINITY),
        false => Scalar::Float(number),
    });
    TensorData::from_scalars(x.dtype(), x.sizes().to_vec(), taken).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_64_bits_do_not_hold_is_the_least_integer() {
        let scales = Scales {
            scales: vec![0.5, 4.0],
            run: 2,
        };
        let numbers = vec![1.0f32, 8e18, 8e18, f32::INFINITY, f32::NEG_INFINITY, 3e9];
        let taken = quantised_operand(&Tensor::new([6], numbers), &scales);
        let least = f32::NEG_INFINITY;
        assert_eq!(
            taken.elements::<f32>().expect("f32"),
            [1.0, least, 8e18, least, least, 3e9]
        );
        let nan = quantised_operand(&Tensor::new([1], vec![f32::NAN]), &scales);
        assert_eq!(nan.elements::<f32>().expect("f32"), [least]);
    }
}
