//! The windowed Fourier transform: a convolution with the rows of the transform's matrix, each times the window.

use super::fourier::{Pair, given};
use crate::arguments::Args;
use crate::error::Problem;
use crate::importer::Importer;
use crate::table::Row;
use crate::variable::{Returns, one};
use kiln_ir::ops::{Conv, PadMode};
use kiln_ir::{DType, Dim, Scalar, TensorData, ValueId};
use std::f64::consts::TAU;

/// The rows.
pub(crate) const ROWS: &[Row] = &[Row::new(
    stft,
    &[
        "aten.stft.default(self, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=None, return_complex=None, align_to_window=None)",
    ],
)];

/// Elements of the matrix at most.
const MOST: i64 = 1 << 24;

fn stft(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, size) = (a.tensor("self")?, a.int("n_fft")?);
    let hop = a.optional_int("hop_length")?.unwrap_or(size / 4);
    let rank = cx.rank(x);
    if !(1..=2).contains(&rank) || !cx.dtype(x).is_float() || size < 1 || hop < 1 {
        return Err(Problem::unsupported(
            "takes one or several real signals, a size and a hop of at least 1",
        ));
    }
    if a.optional_bool("align_to_window")?.unwrap_or(false) {
        return Err(Problem::unsupported("frames aligned to the window"));
    }
    let kept = if a.optional_bool("onesided")?.unwrap_or(true) {
        size / 2 + 1
    } else {
        size
    };
    let filters = filters(cx, a, x, size, kept)?;
    let missing: &[usize] = if rank == 1 { &[0, 0] } else { &[1] };
    let signal = match missing {
        [0, 0] => cx.unsqueeze(x, &[0, 1])?,
        at => cx.unsqueeze(x, at)?,
    };
    let conv = Conv {
        stride: vec![hop],
        pad_low: vec![0],
        pad_high: vec![0],
        dilation: vec![1],
        groups: 1,
        transposed: false,
        output_padding: vec![0],
    };
    let both = cx.value(conv, &[signal, filters])?;
    let mut parts = [both; 2];
    for (i, part) in parts.iter_mut().enumerate() {
        *part = cx.slice(both, 1, &(i as i64 * kept).into(), &kept.into(), 1)?;
        if rank == 1 {
            *part = cx.squeeze(*part, &[0])?;
        }
    }
    if a.optional_bool("return_complex")?.unwrap_or(true) {
        let (real, imaginary) = (parts[0], Some(parts[1]));
        return given(cx, Pair { real, imaginary });
    }
    let last = cx.rank(parts[0]);
    for part in &mut parts {
        *part = cx.unsqueeze(*part, &[last])?;
    }
    one(cx.concat(last, &parts)?)
}

/// `[2 * kept, 1, size]`: cosines, then negative sines, times the window.
fn filters(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    x: ValueId,
    size: i64,
    kept: i64,
) -> Result<ValueId, Problem> {
    if size.checked_mul(2 * kept).is_none_or(|n| n > MOST) {
        return Err(Problem::unsupported(format!(
            "frames of {size} elements; the matrix of the transform has at most {MOST}"
        )));
    }
    let factor = if a.bool("normalized")? {
        (size as f64).sqrt().recip()
    } else {
        1.0
    };
    let dtype = cx.dtype(x);
    let matrix = cx.literal(matrix(dtype, size, kept, factor));
    match window(cx, a, dtype, size)? {
        Some(window) => {
            let window = cx.unsqueeze(window, &[0, 1])?;
            cx.mul(matrix, window)
        }
        None => Ok(matrix),
    }
}

fn matrix(dtype: DType, size: i64, kept: i64, factor: f64) -> TensorData {
    let places = |f: fn(f64) -> f64| {
        (0..kept).flat_map(move |k| {
            (0..size).map(move |j| {
                let step = (k * j).rem_euclid(size) as f64 / size as f64;
                Scalar::Float(factor * f(step))
            })
        })
    };
    let values = places(|step| (TAU * step).cos()).chain(places(|step| -(TAU * step).sin()));
    TensorData::from_scalars(dtype, vec![2 * kept as usize, 1, size as usize], values)
}

/// The window with zeros on both sides up to the size.
fn window(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    dtype: DType,
    size: i64,
) -> Result<Option<ValueId>, Problem> {
    let given = a.optional_tensor("window")?;
    let length = a.optional_int("win_length")?.unwrap_or(size);
    let window = match given {
        Some(window) => cx.cast(window, dtype)?,
        None if length == size => return Ok(None),
        None => cx.full(
            &[Dim::constant(length)].into_iter().collect(),
            dtype,
            Scalar::Int(1),
        )?,
    };
    let missing = size - length;
    if missing < 0 || !cx.size(window, 0).is(length) {
        return Err(Problem::unsupported(
            "a window that is not as long as win_length, or longer than a frame",
        ));
    }
    let low = missing / 2;
    let (low, high) = (vec![low.into()], vec![(missing - low).into()]);
    let zeros = PadMode::Constant(Scalar::Int(0));
    cx.pad(window, low, high, zeros).map(Some)
}
