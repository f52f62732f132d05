//! The short-time Fourier transform and its inverse. The transform is a convolution with the rows of the transform's
//! matrix, each times the window. The inverse is a transposed convolution, divided by the sum of the windows.

use super::fourier::{Pair, given};
use super::pad::pad_mode;
use super::turns;
use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, Conv, PadMode};
use kiln_ir::{Builder, DType, Dim, Scalar, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        stft,
        &[
            "aten.stft.default(self, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=None, return_complex=None, align_to_window=None)",
            "aten.stft.center(self, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode=\"reflect\", normalized=False, onesided=None, return_complex=None, align_to_window=None)",
        ],
    ),
    Row::new(
        inverse,
        &[
            "aten.istft.default(self, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False)",
        ],
    ),
];

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
    let mut signal = match missing {
        [0, 0] => cx.unsqueeze(x, &[0, 1])?,
        at => cx.unsqueeze(x, at)?,
    };
    if a.has("center") && a.bool("center")? {
        // The middle of the first frame is the first element.
        let mode = pad_mode(a.text("pad_mode")?, Scalar::Int(0))?;
        let beside = vec![0.into(), 0.into(), Dim::constant(size / 2)];
        signal = cx.pad(signal, beside.clone(), beside, mode)?;
    }
    let both = cx.value(conv(hop, false), &[signal, filters])?;
    let mut parts = [both; 2];
    for (i, part) in parts.iter_mut().enumerate() {
        *part = cx.slice(both, 1, i as i64 * kept, kept, 1)?;
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
    one(cx.concat(&parts, last)?)
}

fn conv(hop: i64, transposed: bool) -> Conv {
    Conv {
        stride: vec![hop],
        pad_low: vec![0],
        pad_high: vec![0],
        dilation: vec![1],
        groups: 1,
        transposed,
        output_padding: vec![0],
    }
}

/// The frames of one or several signals, summed where they overlap.
fn inverse(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let ((real, imaginary), size) = (a.complex("self")?, a.int("n_fft")?);
    let hop = a.optional_int("hop_length")?.unwrap_or(size / 4);
    let (rank, half) = (cx.rank(real), size / 2 + 1);
    let Some(imaginary) = imaginary.filter(|_| matches!(rank, 2 | 3) && size > 0 && hop > 0) else {
        return Err(Problem::unsupported(
            "takes one or several complex spectra, a size and a hop of at least 1",
        ));
    };
    let bins = cx.size(real, rank - 2)?;
    if a.bool("return_complex")? || !(bins.is(half) || bins.is(size)) {
        return Err(Problem::unsupported(
            "gives real signals, of n_fft or n_fft / 2 + 1 frequencies",
        ));
    }
    let mut parts = [real, imaginary];
    for part in &mut parts {
        // The transform takes the other half to mirror this one.
        *part = cx.slice(*part, rank - 2, 0, half, 1)?;
        *part = cx.with_rank(*part, 3)?;
    }
    let frames = cx.concat(&parts, 1)?;
    let dtype = cx.dtype(real);
    let window = match window(cx, a, dtype, size)? {
        Some(window) => window,
        None => cx.full(
            &[Dim::constant(size)].into_iter().collect(),
            dtype,
            Scalar::Int(1),
        )?,
    };
    let window = cx.unsqueeze(window, &[0, 1])?;
    let (filters, square) = (back(cx, a, dtype, size)?, cx.mul(window, window)?);
    let filters = cx.mul(filters, window)?;
    let sum = cx.value(conv(hop, true), &[frames, filters])?;
    let times = [1.into(), 1.into(), cx.size(real, rank - 1)?]
        .into_iter()
        .collect();
    let ones = cx.full(&times, dtype, Scalar::Int(1))?;
    let weight = cx.value(conv(hop, true), &[ones, square])?;
    let signal = kept(cx, a, [sum, weight], size)?;
    let units: &[usize] = if rank == 2 { &[0, 1] } else { &[1] };
    one(cx.squeeze(signal, units)?)
}

/// The filters `[2 * (size / 2 + 1), 1, size]`: the contribution of each frequency, and of its mirror image, to each
/// element.
fn back(cx: &mut Importer<'_>, a: &Args<'_>, dtype: DType, size: i64) -> Result<ValueId, Problem> {
    let half = size / 2 + 1;
    limits::elements(&[2, half, size])?;
    let count = size as f64;
    let factor = if a.bool("normalized")? {
        count.sqrt().recip()
    } else {
        count.recip()
    };
    let bins = (0..half).map(|k| {
        let is_alone = k == 0 || 2 * k == size;
        (
            k,
            if is_alone {
                [factor, 0.0]
            } else {
                [2.0 * factor, -2.0 * factor]
            },
        )
    });
    let cosines = bins.clone().flat_map(|(k, [share, _])| {
        (0..size).map(move |j| Scalar::Float(share * turns::cosine(k * j, size)))
    });
    let sines = bins.clone().flat_map(|(k, [_, share])| {
        (0..size).map(move |j| Scalar::Float(share * turns::sine(k * j, size)))
    });
    let sizes = vec![2 * half as usize, 1, size as usize];
    let data = TensorData::from_scalars(dtype, sizes, cosines.chain(sines));
    Ok(cx.literal(data))
}

/// The part of the sum of the frames that the call asks for, divided by the sum of the windows. Zeros follow beyond the
/// end.
fn kept(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    sums: [ValueId; 2],
    size: i64,
) -> Result<ValueId, Problem> {
    let all = cx.size(sums[0], 2)?;
    let start = if a.bool("center")? { size / 2 } else { 0 };
    let (mut len, mut missing) = (all.clone() - 2 * start, 0);
    if let Some(length) = a.optional_int("length")? {
        let have = (all - start)
            .as_const()
            .ok_or_else(|| Problem::unsupported("a length for frames whose number is not known"))?;
        missing = (length - have).max(0);
        len = Dim::constant(length.min(have));
    }
    let mut parts = sums;
    for part in &mut parts {
        *part = cx.slice(*part, 2, start, &len, 1)?;
    }
    let signal = cx.binary(BinaryFn::Div, parts[0], parts[1])?;
    if missing == 0 {
        return Ok(signal);
    }
    let (low, high) = ([0; 3], [0, 0, missing]);
    let sizes = |list: [i64; 3]| list.map(Dim::constant).to_vec();
    let zeros = PadMode::Constant(Scalar::Int(0));
    cx.pad(signal, sizes(low), sizes(high), zeros)
}

/// The filters `[2 * kept, 1, size]`: cosines, then negative sines, times the window.
fn filters(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    x: ValueId,
    size: i64,
    kept: i64,
) -> Result<ValueId, Problem> {
    limits::elements(&[2, kept, size])?;
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
    let places = |f: fn(i64, i64) -> f64, sign: f64| {
        (0..kept).flat_map(move |k| {
            // Plus 0, so that no entry is -0.
            (0..size).map(move |j| Scalar::Float(sign * factor * f(k * j, size) + 0.0))
        })
    };
    let values = places(turns::cosine, 1.0).chain(places(turns::sine, -1.0));
    TensorData::from_scalars(dtype, vec![2 * kept as usize, 1, size as usize], values)
}

/// The window, padded with zeros on both sides to the size.
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
    if missing < 0 || !cx.size(window, 0)?.is(length) {
        return Err(Problem::unsupported(
            "a window that is not as long as win_length, or longer than a frame",
        ));
    }
    let low = missing / 2;
    let (low, high) = (vec![low.into()], vec![(missing - low).into()]);
    let zeros = PadMode::Constant(Scalar::Int(0));
    cx.pad(window, low, high, zeros).map(Some)
}
