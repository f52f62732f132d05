//! Quantisation and dequantisation, as PyTorch's quantisers write them.
//!
//! Parameters that are known are those of `quantized_decomposed`, and so are parameters of a whole image that follow from it. Rows that are
//! rounded while running have the ops of torchao: only they say how parameters follow from the extremes of a row.

use super::contraction::padded;
use super::{Tensors, operand, result, single};
use crate::call::{Call, text};
use crate::constants::parameter_sizes;
use crate::error::Unwritten;
use crate::tensors::scalar_type;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{Conv, Dequantised, Dequantize, FakeQuantize, Quantize};
use kiln_ir::{DType, Dim, DynamicQuant, Mapping, Op, Quant, QuantScheme, TensorType};
use kiln_pt2::Argument;

pub(super) fn quantize(
    w: &mut Writer<'_>,
    op: &Quantize,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let quant = &op.quant;
    let call = match &quant.scheme {
        QuantScheme::PerTensor { scale, zero_point } => {
            Call::new("quantized_decomposed.quantize_per_tensor.default")
                .arg("input", tensor)
                .arg("scale", *scale)
                .arg("zero_point", *zero_point)
        }
        QuantScheme::PerChannel { axis, .. } => {
            let parameters = w.parameters(quant, &parameter_sizes(quant, 0), "activation")?;
            Call::new("quantized_decomposed.quantize_per_channel.default")
                .arg("input", tensor)
                .arg("scales", parameters.scales)
                .arg("zero_points", parameters.zero_points)
                .arg("axis", *axis)
        }
        QuantScheme::PerGroup { .. } => {
            return Err(Unwritten::new(
                "groups of activations have no parameters of their own",
            ));
        }
    };
    let call = call
        .arg("quant_min", quant.min)
        .arg("quant_max", quant.max)
        .arg("dtype", scalar_type(op.dtype));
    Ok(vec![w.emit(call, ty)])
}

pub(super) fn dequantize(
    w: &mut Writer<'_>,
    op: &Dequantize,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    Ok(vec![real(w, operand(x, 0)?, op.dtype, result(y)?)?])
}

/// The reals of an operand of integers.
fn real(
    w: &mut Writer<'_>,
    x: &Operand,
    dtype: DType,
    ty: &TensorType,
) -> Result<String, Unwritten> {
    let quant = x.ty.quant.as_deref();
    let quant = quant.ok_or_else(|| Unwritten::new("its integers stand for no reals"))?;
    let tensor = w.tensor(x)?;
    if let QuantScheme::PerTensor { scale, zero_point } = quant.scheme {
        let call = Call::new("quantized_decomposed.dequantize_per_tensor.default")
            .arg("input", tensor)
            .arg("scale", scale)
            .arg("zero_point", zero_point);
        return Ok(w.emit(stored(call, quant, &x.ty, dtype), ty));
    }
    let rows = x.ty.shape.first().and_then(Dim::as_const).unwrap_or(0);
    let rows = usize::try_from(rows).unwrap_or(0);
    let beside = w.path_of(&tensor);
    let parameters = w.parameters(quant, &parameter_sizes(quant, rows), &beside)?;
    let call = match &quant.scheme {
        QuantScheme::PerChannel { axis, .. } => {
            let call = Call::new("quantized_decomposed.dequantize_per_channel.default")
                .arg("input", tensor)
                .arg("scales", parameters.scales)
                .arg("zero_points", parameters.zero_points)
                .arg("axis", *axis);
            stored(call, quant, &x.ty, dtype)
        }
        QuantScheme::PerGroup { group, .. } => Call::new("torchao.dequantize_affine.default")
            .arg("input", tensor)
            .arg("block_size", [1, *group as i64].as_slice())
            .arg("scale", parameters.scales)
            .arg("zero_point", parameters.zero_points)
            .arg("input_dtype", scalar_type(x.ty.dtype))
            .arg("quant_min", quant.min)
            .arg("quant_max", quant.max)
            .arg("output_dtype", scalar_type(dtype)),
        QuantScheme::PerTensor { .. } => return Err(Unwritten::new("one scale is no tensor")),
    };
    Ok(w.emit(call, ty))
}

/// Adds the range and the dtypes to a dequantisation.
fn stored(call: Call, quant: &Quant, x: &TensorType, dtype: DType) -> Call {
    let call = call
        .arg("quant_min", quant.min)
        .arg("quant_max", quant.max)
        .arg("dtype", scalar_type(x.dtype));
    match dtype {
        DType::F32 => call,
        other => call.keyword("out_dtype", scalar_type(other)),
    }
}

pub(super) fn fake_quantize(
    w: &mut Writer<'_>,
    op: &FakeQuantize,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    Ok(vec![rounded(
        w,
        operand(x, 0)?,
        &op.quant,
        op.dtype,
        result(y)?,
    )?])
}

/// A tensor whose rows are rounded while running.
fn rounded(
    w: &mut Writer<'_>,
    x: &Operand,
    quant: &DynamicQuant,
    dtype: DType,
    ty: &TensorType,
) -> Result<String, Unwritten> {
    let mapping = mapping(quant, x.ty.dtype)?;
    if is_of_tensor(&x.ty, quant) {
        return whole(w, x, quant, dtype, ty);
    }
    let integers = match quant.min < 0 {
        true => DType::I8,
        false => DType::U8,
    };
    let block = block(w, x, quant)?;
    let tensor = w.tensor(x)?;
    let ends = |call: Call| call.arg("quant_min", quant.min).arg("quant_max", quant.max);
    let choose = Call::new("torchao.choose_qparams_affine.default")
        .arg("input", tensor.as_str())
        .arg("mapping_type", text(mapping))
        .arg("block_size", block.clone())
        .arg("target_dtype", scalar_type(integers));
    let choose = ends(choose)
        .arg("eps", quant.eps)
        .arg("scale_dtype", Argument::None)
        .arg("zero_point_dtype", scalar_type(integers));
    let parameters = parameter_shape(&x.ty, quant);
    let [scale, zero_point] = w.emit_all(
        choose,
        [
            &x.ty.with_shape(parameters.clone()),
            &TensorType::new(integers, parameters),
        ],
    );
    let quantize = Call::new("torchao.quantize_affine.default")
        .arg("input", tensor)
        .arg("block_size", block.clone())
        .arg("scale", scale.as_str())
        .arg("zero_point", zero_point.as_str())
        .arg("output_dtype", scalar_type(integers));
    let rounded = w.emit(ends(quantize), &x.ty.with_dtype(integers));
    let dequantize = Call::new("torchao.dequantize_affine.default")
        .arg("input", rounded)
        .arg("block_size", block)
        .arg("scale", scale)
        .arg("zero_point", zero_point)
        .arg("input_dtype", scalar_type(integers));
    let dequantize = ends(dequantize).arg("output_dtype", scalar_type(dtype));
    Ok(w.emit(dequantize, ty))
}

/// True if one pair of parameters is for a whole image, which is what ExecuTorch's quantiser gives convolutions.
fn is_of_tensor(x: &TensorType, quant: &DynamicQuant) -> bool {
    let leading = &x.shape[..x.rank().saturating_sub(quant.axes)];
    let is_asymmetric = quant.mapping == Mapping::Asymmetric && quant.min < 0;
    is_asymmetric
        && quant.axes > 1
        && x.dtype == DType::F32
        && leading.iter().all(|size| size.is(1))
}

/// A tensor that is rounded while running with one pair of parameters.
fn whole(
    w: &mut Writer<'_>,
    x: &Operand,
    quant: &DynamicQuant,
    dtype: DType,
    ty: &TensorType,
) -> Result<String, Unwritten> {
    let tensor = w.tensor(x)?;
    let integers = scalar_type(DType::I8);
    let ends = |call: Call| call.arg("quant_min", quant.min).arg("quant_max", quant.max);
    let choose =
        Call::new("quantized_decomposed.choose_qparams.tensor").arg("input", tensor.as_str());
    let choose = ends(choose).arg("eps", quant.eps).arg("dtype", integers);
    let [scale, zero_point] = w.emit_all(
        choose,
        [
            &TensorType::new(DType::F64, [1]),
            &TensorType::new(DType::I64, [1]),
        ],
    );
    let with = |target: &str, input: &str| {
        let call = Call::new(target)
            .arg("input", input)
            .arg("scale", scale.as_str())
            .arg("zero_point", zero_point.as_str());
        ends(call).arg("dtype", integers)
    };
    let quantize = with("quantized_decomposed.quantize_per_tensor.tensor", &tensor);
    let rounded = w.emit(quantize, &x.ty.with_dtype(DType::I8));
    let dequantize = with(
        "quantized_decomposed.dequantize_per_tensor.tensor",
        &rounded,
    );
    let dequantize = match dtype {
        DType::F32 => dequantize,
        other => dequantize.keyword("out_dtype", scalar_type(other)),
    };
    Ok(w.emit(dequantize, ty))
}

/// torchao's name of how parameters follow from extremes.
fn mapping(quant: &DynamicQuant, own: DType) -> Result<&'static str, Unwritten> {
    if quant.zero_point_first || quant.scale != own {
        return Err(Unwritten::new(
            "its scales are kept or added in a way that has no writer",
        ));
    }
    match quant.mapping {
        Mapping::Asymmetric => Ok("ASYMMETRIC"),
        Mapping::Symmetric => Ok("SYMMETRIC"),
        Mapping::SymmetricUnclipped => Ok("SYMMETRIC_NO_CLIPPING_ERR"),
        Mapping::AsymmetricNearer | Mapping::SymmetricByEnd => Err(Unwritten::new(
            "its parameters follow from data in a way that has no writer",
        )),
    }
}

/// The sizes of a block that shares parameters.
fn block(w: &mut Writer<'_>, x: &Operand, quant: &DynamicQuant) -> Result<Argument, Unwritten> {
    let one = Dim::constant(1);
    let shared = quant.shared(x.rank());
    let shape = x.ty.shape.clone();
    let sizes = shape
        .iter()
        .enumerate()
        .map(|(i, size)| match shared.contains(&i) {
            true => size,
            false => &one,
        });
    w.sizes(sizes)
}

/// The shape of the parameters as torchao gives them: without the axes of blocks, but with those of size 1 that it does not reduce.
fn parameter_shape(x: &TensorType, quant: &DynamicQuant) -> Vec<Dim> {
    let shared = quant.shared(x.rank());
    let axes = x.shape.iter().enumerate();
    let kept = axes.filter(|(i, size)| !shared.contains(i) || size.is(1));
    kept.map(|(_, size)| size.clone()).collect()
}

/// An op on the reals of integers: dequantisations in front of it, which whoever reads them folds again.
pub(super) fn dequantised(
    w: &mut Writer<'_>,
    op: &Dequantised,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (inner, x) = padded_before(w, op, x)?;
    let mut reals = Vec::with_capacity(x.len());
    for (i, operand) in x.iter().enumerate() {
        let ty = operand.ty.with_dtype(op.dtype);
        let tensor = match &op.activation {
            _ if operand.ty.quant.is_some() => real(w, operand, op.dtype, &ty)?,
            Some(quant) if i == 0 => rounded(w, operand, quant, op.dtype, &ty)?,
            _ => {
                reals.push(operand.clone());
                continue;
            }
        };
        reals.push(operand.replaced(tensor, ty));
    }
    super::write(w, &inner, &reals, y)
}

/// The inner op and its operands. Zeros that only one side of an image gets are added before it is rounded, so that the convolution reads
/// what is rounded: 0 is in every range, so the parameters stay.
fn padded_before(
    w: &mut Writer<'_>,
    op: &Dequantised,
    x: &[Operand],
) -> Result<(Op, Vec<Operand>), Unwritten> {
    let (inner, mut x) = ((*op.op).clone(), x.to_vec());
    let Op::Conv(conv) = &inner else {
        return Ok((inner, x));
    };
    if op.activation.is_none() || conv.transposed || conv.pad_low == conv.pad_high {
        return Ok((inner, x));
    }
    let image = operand(&x, 0)?.clone();
    let tensor = w.tensor(&image)?;
    let (tensor, ty) = padded(w, conv, &image, &tensor);
    let none = vec![0; conv.spatial()];
    let conv = Conv {
        pad_low: none.clone(),
        pad_high: none,
        ..conv.clone()
    };
    x[0] = image.replaced(tensor, ty);
    Ok((conv.into(), x))
}
