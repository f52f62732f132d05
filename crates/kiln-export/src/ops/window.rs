//! Pools and resizes.

use super::{Tensors, operand, result, single};
use crate::call::Call;
use crate::error::Unwritten;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn, Resize, ResizeMode};
use kiln_ir::{DType, Dim, TensorType};
use kiln_pt2::Argument;

/// The axes behind the first two, of which ATen has ops for one to three.
fn check_spatial(spatial: usize) -> Result<(), Unwritten> {
    match spatial {
        1..=3 => Ok(()),
        _ => Err(Unwritten::new(format!(
            "ATen has no such op over {spatial} axes"
        ))),
    }
}

/// Writes a call that gives elements and their indices.
fn with_indices(w: &mut Writer<'_>, call: Call, ty: &TensorType) -> [String; 2] {
    w.emit_all(call, [ty, &ty.with_dtype(DType::I64)])
}

pub(super) fn pool(w: &mut Writer<'_>, op: &Pool, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (spatial, ty) = (op.spatial(), result(y)?);
    check_spatial(spatial)?;
    if op.pad_low != op.pad_high {
        return Err(Unwritten::new("its padding before and behind differs"));
    }
    let target = match op.f {
        PoolFn::Max => format!("aten.max_pool{spatial}d.default"),
        PoolFn::MaxWithIndices => format!("aten.max_pool{spatial}d_with_indices.default"),
        PoolFn::Avg { .. } => format!("aten.avg_pool{spatial}d.default"),
    };
    let call = Call::new(target)
        .arg("self", w.tensor(operand(x, 0)?)?)
        .arg("kernel_size", op.kernel.as_slice())
        .arg("stride", op.stride.as_slice())
        .arg("padding", op.pad_low.as_slice());
    let call = match op.f {
        PoolFn::Max | PoolFn::MaxWithIndices => call
            .arg("dilation", op.dilation.as_slice())
            .arg("ceil_mode", op.ceil),
        PoolFn::Avg {
            count_include_pad,
            divisor,
        } => {
            if op.dilation.iter().any(|&step| step != 1) {
                return Err(Unwritten::new("ATen's averages have no dilation"));
            }
            let call = call
                .arg("ceil_mode", op.ceil)
                .arg("count_include_pad", count_include_pad);
            match divisor {
                Some(_) if spatial == 1 => {
                    return Err(Unwritten::new(
                        "ATen's average over one axis has no divisor",
                    ));
                }
                Some(divisor) => call.arg("divisor_override", divisor),
                None => call,
            }
        }
    };
    Ok(match op.f {
        PoolFn::MaxWithIndices => with_indices(w, call, ty).into(),
        PoolFn::Max | PoolFn::Avg { .. } => vec![w.emit(call, ty)],
    })
}

pub(super) fn adaptive_pool(
    w: &mut Writer<'_>,
    op: &AdaptivePool,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (spatial, ty) = (op.output.len(), result(y)?);
    check_spatial(spatial)?;
    let word = match op.f {
        PoolFn::Avg { .. } => "avg",
        PoolFn::Max | PoolFn::MaxWithIndices => "max",
    };
    let (tensor, output) = (w.tensor(operand(x, 0)?)?, w.sizes(&op.output)?);
    let call = Call::new(format!("aten.adaptive_{word}_pool{spatial}d.default"))
        .arg("self", tensor)
        .arg("output_size", output);
    Ok(match op.f {
        PoolFn::Avg { .. } => vec![w.emit(call, ty)],
        PoolFn::MaxWithIndices => with_indices(w, call, ty).into(),
        PoolFn::Max => {
            let [values, _] = with_indices(w, call, ty);
            vec![values]
        }
    })
}

pub(super) fn resize(w: &mut Writer<'_>, op: &Resize, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let spatial = op.output.len();
    let word = match (op.mode, spatial) {
        (ResizeMode::Nearest, 1..=3) => format!("nearest{spatial}d"),
        (ResizeMode::Linear, 1) => "linear1d".to_owned(),
        (ResizeMode::Linear, 2) => "bilinear2d".to_owned(),
        (ResizeMode::Linear, 3) => "trilinear3d".to_owned(),
        (ResizeMode::Cubic, 2) => "bicubic2d".to_owned(),
        _ => {
            return Err(Unwritten::new(format!(
                "ATen has no such op over {spatial} axes"
            )));
        }
    };
    let form = Form::of(op, operand(x, 0)?);
    let output = match form {
        Form::Factors => Argument::None,
        Form::Sizes | Form::Both => w.sizes(&op.output)?,
    };
    let (overload, name) = match form {
        Form::Both => ("default", "self"),
        Form::Sizes | Form::Factors => ("vec", "input"),
    };
    let mut call = Call::new(format!("aten.upsample_{word}.{overload}"))
        .arg(name, tensor)
        .arg("output_size", output);
    if op.mode != ResizeMode::Nearest {
        call = call.arg("align_corners", op.align_corners);
    }
    call = match form {
        Form::Sizes => call.arg("scale_factors", Argument::None),
        Form::Factors => {
            let factors = op.scales.iter().flatten().copied().collect();
            call.arg("scale_factors", Argument::Floats(factors))
        }
        Form::Both => {
            let names = ["scales_d", "scales_h", "scales_w"];
            let names = if spatial == 1 {
                &["scales"]
            } else {
                &names[3 - spatial..]
            };
            for (name, scale) in names.iter().zip(&op.scales) {
                call = call.arg(name, scale.map_or(Argument::None, Argument::Float));
            }
            call
        }
    };
    Ok(vec![w.emit(call, ty)])
}

/// How a resize is told. Exporters give sizes or factors; only what the decomposition of an exporter wrote has both.
#[derive(Clone, Copy)]
enum Form {
    Sizes,
    Factors,
    Both,
}

impl Form {
    fn of(op: &Resize, x: &Operand) -> Form {
        if op.scales.iter().all(Option::is_none) {
            return Form::Sizes;
        }
        let axes = op
            .scales
            .iter()
            .zip(&op.output)
            .zip(x.ty.shape.iter().skip(2));
        let follows = |((factor, output), size): ((&Option<f64>, &Dim), &Dim)| match (
            factor,
            size.as_const(),
        ) {
            (Some(factor), Some(size)) => output.is((size as f64 * factor) as i64),
            _ => false,
        };
        match axes.into_iter().all(follows) {
            true => Form::Factors,
            false => Form::Both,
        }
    }
}
