//! Layers of integers whose parameters are all constants, as torchao's `Int8StaticActivationInt8WeightConfig` writes them.
//!
//! The calls multiply integers, and multiply the sums by the scales of the activations, subtract what zero points add to them, multiply by the
//! scales of the weights, and add the bias. Each call becomes the layer of dequantised activations and weights as far as it is known then.
//! Sums of products of integers are exact, so results differ by rounding alone, except that sums beyond f16 are infinite in an archive
//! that casts them to f16, and finite here.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::chosen::IntegerLayer;
use crate::ops::behind::{behind_casts, behind_views, factors, integers_of};
use crate::ops::matmul::{linear_of, matmul};
use crate::ops::quantised::typed;
use kiln_ir::ops::Dequantize;
use kiln_ir::{Builder, DType, Dim, Movement, Quant, QuantScheme, Scalar, ValueId};

type Made = Result<Option<ValueId>, Problem>;

/// The integers of weights.
const BYTES: (i64, i64) = (-128, 127);

/// The product of dequantised rows and of constant integers, if `sums` are products of integers and `scale` holds the constant scales of the
/// rows, whose zero points are 0.
///
/// # Errors
/// If the product cannot be built.
pub(super) fn product(cx: &mut Importer<'_>, sums: ValueId, scale: ValueId) -> Made {
    match Sums::of(cx, sums, scale) {
        Some(sums) if sums.zero_points(cx).iter().all(|&z| z == 0) => sums.build(cx).map(Some),
        _ => Ok(None),
    }
}

/// The product of dequantised rows and of constant integers, if `x` less `y` are scaled sums of integers less what the rows' zero points add
/// to them.
///
/// # Errors
/// If the product cannot be built.
pub(super) fn less_zero_points(cx: &mut Importer<'_>, x: ValueId, y: ValueId) -> Made {
    let dtype = cx.dtype(x);
    let Some([a, b]) = factors(cx, behind_casts(cx, x)) else {
        return Ok(None);
    };
    let mut orders = [(a, b), (b, a)].into_iter();
    let found = orders.find_map(|(sums, scale)| Sums::of(cx, sums, scale));
    match found {
        Some(sums) if sums.is_offset(cx, y) => {
            let product = sums.build(cx)?;
            cx.cast(product, dtype).map(Some)
        }
        _ => Ok(None),
    }
}

/// Sums of products of integers, times the constant scales of the left factor's rows.
struct Sums {
    left: ValueId,
    right: ValueId,
    scale: ValueId,
    scales: Vec<f64>,
    dtype: DType,
}

impl Sums {
    fn of(cx: &Importer<'_>, sums: ValueId, scale: ValueId) -> Option<Sums> {
        let dtype = cx.dtype(sums);
        let [left, right] = cx.chosen.product(integers_of(cx, sums)?)?;
        let (rows, shape) = (cx.shape(left), cx.shape(scale));
        let is_whole = shape.len() <= 2 && shape.iter().all(|size| size.is(1));
        let is_by_row = rows
            .first()
            .is_some_and(|rows| shape[..] == [rows.clone(), 1.into()]);
        let is_small = [DType::F32, DType::F16, DType::BF16].contains(&dtype);
        let are_bytes = [left, right].iter().all(|&v| cx.dtype(v) == DType::I8);
        let are_matrices = rows.len() == 2 && cx.shape(right).len() == 2;
        let fits = are_matrices
            && (is_whole || is_by_row)
            && is_small
            && are_bytes
            && dtype == cx.dtype(scale);
        let scales = positive(cx, scale).filter(|_| fits)?;
        cx.known_value(right)?;
        Some(Sums {
            left,
            right,
            scale,
            scales,
            dtype,
        })
    }

    /// The quantisation of the left factor, if its scales are these.
    fn quant<'c>(&self, cx: &'c Importer<'_>) -> Option<&'c Quant> {
        let quant = cx.ty(self.left).quant.as_deref()?;
        let is_same = match &quant.scheme {
            QuantScheme::PerTensor { scale, .. } => self.scales.iter().all(|own| own == scale),
            QuantScheme::PerChannel {
                axis: 0, scales, ..
            } => self.scales[..] == scales[..],
            QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => false,
        };
        is_same.then_some(quant)
    }

    /// The zero points of the left factor's quantisation; none for integers that stand for themselves.
    fn zero_points<'c>(&self, cx: &'c Importer<'_>) -> &'c [i64] {
        match self.quant(cx) {
            Some(quant) => quant.scheme.zero_points(),
            None => &[],
        }
    }

    /// The product of the dequantised rows.
    fn build(self, cx: &mut Importer<'_>) -> Result<ValueId, Problem> {
        let dtype = DType::F32;
        let rows = match self.quant(cx).is_some() {
            true => cx.value(Dequantize { dtype }, &[self.left])?,
            false => {
                let steps = cx.cast(self.left, dtype)?;
                let scale = cx.cast(self.scale, dtype)?;
                cx.mul(steps, scale)?
            }
        };
        let integers = self.right;
        let right = cx.cast(integers, dtype)?;
        let product = matmul(cx, rows, right)?;
        let layer = IntegerLayer::Product { rows, integers };
        cx.chosen.note_layer(product, layer);
        cx.cast(product, self.dtype)
    }

    /// True if these are the rows' zero points times their scales, times the sums of the right factor's columns, as far as the dtype tells.
    fn is_offset(&self, cx: &Importer<'_>, offset: ValueId) -> bool {
        let (Some(offset), Some(right)) = (cx.known_value(offset), cx.known_value(self.right))
        else {
            return false;
        };
        let &[_, columns] = right.sizes() else {
            return false;
        };
        let zero_points = self.zero_points(cx).iter();
        let rows: Vec<f64> = (zero_points.zip(self.scales.iter().cycle()))
            .map(|(&z, scale)| z as f64 * scale)
            .collect();
        let is_one_row = offset.sizes().iter().rev().skip(1).all(|&size| size == 1);
        let fits = match offset.sizes() {
            // An axis more would be one of the result.
            [.., last] if is_one_row && offset.sizes().len() <= 2 => {
                *last == columns && rows.len() == 1
            }
            sizes => *sizes == [rows.len(), columns],
        };
        if !fits || columns == 0 {
            return false;
        }
        let mut sums = vec![0.0; columns];
        for (position, number) in right.scalars().enumerate() {
            sums[position % columns] += number.as_f64();
        }
        // Three roundings, each of half a step.
        let step = 2.0 * step_of(offset.dtype());
        offset.scalars().enumerate().all(|(position, number)| {
            let own = rows[position / columns] * sums[position % columns];
            (number.as_f64() - own).abs() <= step * own.abs()
        })
    }
}

/// The distance between 1 and the next number of a float dtype.
fn step_of(dtype: DType) -> f64 {
    match dtype {
        DType::BF16 => 1.0 / 128.0,
        DType::F16 => 1.0 / 1024.0,
        _ => f64::from(f32::EPSILON),
    }
}

/// The layer, if `x` is a product with its integers and `y` holds the constant scales of its channels.
///
/// # Errors
/// If the layer cannot be built.
pub(super) fn scaled(cx: &mut Importer<'_>, x: ValueId, y: ValueId) -> Made {
    let layer = cx.chosen.layer(behind_casts(cx, x));
    let Some(IntegerLayer::Product { rows, integers }) = layer else {
        return Ok(None);
    };
    let Some(quant) = quant_of(cx, integers, y) else {
        return Ok(None);
    };
    let integers = cx.transpose(integers, 0, 1)?;
    let Some(weight) = typed(cx, integers, quant) else {
        return Ok(None);
    };
    let dtype = DType::F32;
    let weight = cx.value(Dequantize { dtype }, &[weight])?;
    let result = linear_of(cx, rows, weight, None)?;
    cx.chosen
        .note_layer(result, IntegerLayer::Layer { rows, weight });
    cx.cast(result, cx.dtype(x)).map(Some)
}

/// The quantisation of weights with these scales: one for all, or one for each column of the integers.
fn quant_of(cx: &Importer<'_>, integers: ValueId, scale: ValueId) -> Option<Quant> {
    let (shape, columns) = (cx.shape(scale), cx.shape(integers)[1].as_const()?);
    let (last, before) = shape.split_last()?;
    let scales = positive(cx, scale)?;
    let fits = before.len() <= 1 && before.iter().all(|size| size.is(1));
    let (min, max) = BYTES;
    let scheme = match scales.as_slice() {
        &[scale] if fits => QuantScheme::PerTensor {
            scale,
            zero_point: 0,
        },
        _ if fits && last.is(columns) => QuantScheme::PerChannel {
            axis: 0,
            zero_points: vec![0; scales.len()].into(),
            scales: scales.into(),
        },
        _ => return None,
    };
    Some(Quant { scheme, min, max })
}

/// The numbers of a constant, if all are scales that quantisations hold, about whose reciprocals f32 knows.
fn positive(cx: &Importer<'_>, scale: ValueId) -> Option<Vec<f64>> {
    let known = cx.known_value(scale)?;
    let scales: Vec<f64> = known.scalars().map(Scalar::as_f64).collect();
    let is_scale = |&s: &f64| s > 0.0 && (s as f32).is_normal();
    scales.iter().all(is_scale).then_some(scales)
}

/// The layer with a bias, if one operand is a layer without one, perhaps moved, and the other has a constant number for each of its channels.
///
/// # Errors
/// If the layer cannot be built.
pub(super) fn with_bias(cx: &mut Importer<'_>, x: ValueId, y: ValueId) -> Made {
    for (x, bias) in [(x, y), (y, x)] {
        let mut sources = behind_views(cx, x);
        let source = sources.pop().map_or(x, |(source, _)| source);
        let layer = cx.chosen.layer(behind_casts(cx, source));
        let Some(IntegerLayer::Layer { rows, weight }) = layer else {
            continue;
        };
        let views: Vec<Movement> = sources.into_iter().filter_map(|(_, view)| view).collect();
        let channels = cx.shape(weight)[0].clone();
        // An axis more of the bias would be one of the result.
        let adds_axes = cx.shape(bias).len() > cx.shape(x).len();
        if adds_axes || !views.iter().all(keeps_last_axis) || !is_row(cx, bias, &channels) {
            continue;
        }
        let bias = cx.flatten(bias)?;
        let bias = cx.cast(bias, DType::F32)?;
        let result = linear_of(cx, rows, weight, Some(bias))?;
        let mut result = cx.cast(result, cx.dtype(x))?;
        for view in views.into_iter().rev() {
            result = cx.movement(result, view)?;
        }
        return Ok(Some(result));
    }
    Ok(None)
}

/// True for a constant of one row of this width.
fn is_row(cx: &Importer<'_>, value: ValueId, width: &Dim) -> bool {
    let shape = cx.shape(value);
    let is_of_width = shape.last() == Some(width) && shape.elements() == *width;
    is_of_width && cx.known_value(value).is_some()
}

fn keeps_last_axis(view: &Movement) -> bool {
    let (from, to) = (view.source_shape().len(), view.result_shape().len());
    from > 0 && to > 0 && view.is_axis_kept(from - 1) == Some(to - 1)
}
