//! Norms over the elements of a row or group, by the mean of the squares less the square of the mean.

use super::super::error::Fault;
use super::Arguments;
use super::rounding::{reals, single, step, stored, tensor};
use kiln_eval::Tensor;

type Results = Result<Option<Vec<Tensor>>, Fault>;

/// Rows of at least so many elements have their moments computed stably, as PyTorch does.
const LONG_ROW: usize = 256;

/// Both sums run up in f32, whatever the type of the elements.
fn sums(row: &[f64]) -> (f64, f64) {
    let add = |(sum, squares), &x: &f64| {
        // In f64 the factor that is converted to f32 is one of the two.
        let square = single(x) * x;
        let square = if single(x) == x {
            single(square)
        } else {
            square
        };
        (single(sum + x), single(squares + square))
    };
    row.iter().fold((0.0, 0.0), add)
}

/// Normalised rows; short ones with the variance as a difference in f32.
pub(super) fn layer(call: &Arguments<'_, '_>) -> Results {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    let sizes: Option<Vec<usize>> = call.ints(1)?.iter().map(|&n| n.try_into().ok()).collect();
    let row: usize = sizes.unwrap_or_default().iter().product();
    let Some(eps) = call.number(4).map(single) else {
        return Ok(None);
    };
    if x.is_empty() || row == 0 || row >= LONG_ROW || x.dtype() != dtype {
        return Ok(None);
    }
    let (weight, bias) = (factors(call, 2)?, factors(call, 3)?);
    let (mut out, mut means, mut scales) = (Vec::new(), Vec::new(), Vec::new());
    for elements in reals(&x)?.chunks(row) {
        let (sum, squares) = sums(elements);
        let count = single(row as f64);
        let mean = single(sum / count);
        let variance = single(single(squares / count) - single(mean * mean));
        let deviation = single(single(variance + eps).sqrt());
        for (i, x) in elements.iter().enumerate() {
            let normal = step(dtype, step(dtype, x - mean) / deviation);
            let scaled = step(dtype, normal * weight.as_ref().map_or(1.0, |w| w[i]));
            out.push(stored(dtype, scaled + bias.as_ref().map_or(0.0, |b| b[i])));
        }
        means.push(stored(dtype, mean));
        scales.push(stored(dtype, 1.0 / deviation));
    }
    normalised(call, [out, means, scales])
}

/// Rows or images of channels, normalised by given moments; each step is rounded to the tensors' type.
pub(super) fn batch(call: &Arguments<'_, '_>) -> Results {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    let (Some(eps), true) = (call.number(6), x.rank() >= 2 && x.dtype() == dtype) else {
        return Ok(None);
    };
    let (weight, bias) = (factors(call, 1)?, factors(call, 2)?);
    let (means, variances) = (reals(&call.tensor(3)?)?, reals(&call.tensor(4)?)?);
    let (channels, image) = (x.sizes()[1], x.sizes()[2..].iter().product::<usize>());
    let r = |x| stored(dtype, x);
    let normal = |(i, x): (usize, f64)| {
        let channel = i / image % channels;
        let scale = r(1.0 / (variances[channel] + eps).sqrt());
        let normal = r(r(x - means[channel]) * scale);
        let scaled = r(normal * weight.as_ref().map_or(1.0, |w| w[channel]));
        r(scaled + bias.as_ref().map_or(0.0, |b| b[channel]))
    };
    let numbers = reals(&x)?.into_iter().enumerate().map(normal).collect();
    let nothing = tensor(dtype, &[0], Vec::new())?;
    let out = tensor(dtype, x.sizes(), numbers)?;
    Ok(Some(vec![out, nothing.clone(), nothing]))
}

fn factors(call: &Arguments<'_, '_>, i: usize) -> Result<Option<Vec<f64>>, Fault> {
    let tensor = call.optional_tensor(i)?;
    tensor.map(|tensor| reals(&tensor)).transpose()
}

fn normalised(call: &Arguments<'_, '_>, results: [Vec<f64>; 3]) -> Results {
    let results = results.into_iter().zip(&call.sizes);
    let tensors = results.map(|(numbers, sizes)| tensor(call.dtype, sizes, numbers));
    tensors.collect::<Result<_, Fault>>().map(Some)
}

/// Normalised groups of channels: the sums in f32, all that follows in f64.
pub(super) fn group(call: &Arguments<'_, '_>) -> Results {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    let sizes = [3, 4, 5, 6].map(|i| call.int(i).and_then(|n| usize::try_from(n).ok()));
    let ([Some(count), Some(channels), Some(image), Some(groups @ 1..)], Some(eps)) =
        (sizes, call.number(7))
    else {
        return Ok(None);
    };
    let elements = [count, channels, image]
        .iter()
        .try_fold(1usize, |n, &m| n.checked_mul(m));
    if x.is_empty() || elements != Some(x.len()) || channels % groups != 0 || x.dtype() != dtype {
        return Ok(None);
    }
    let (weight, bias) = (factors(call, 1)?, factors(call, 2)?);
    let own = channels / groups;
    let (mut out, mut means, mut scales) = (Vec::new(), Vec::new(), Vec::new());
    for (g, elements) in reals(&x)?.chunks(own * image).enumerate() {
        let (sum, squares) = sums(elements);
        let count = elements.len() as f64;
        let mean = sum / count;
        let scale = 1.0 / (squares / count - mean * mean + eps).sqrt();
        for (i, x) in elements.iter().enumerate() {
            let channel = g % groups * own + i / image;
            let normal = match (&weight, &bias) {
                (None, None) => (x - mean) * scale,
                (weight, bias) => {
                    let scale = scale * weight.as_ref().map_or(1.0, |w| w[channel]);
                    scale * x + (-scale * mean + bias.as_ref().map_or(0.0, |b| b[channel]))
                }
            };
            out.push(stored(dtype, normal));
        }
        means.push(stored(dtype, mean));
        scales.push(stored(dtype, scale));
    }
    normalised(call, [out, means, scales])
}

#[cfg(test)]
mod tests {
    use super::sums;

    #[test]
    fn sums_overflow_and_lose_units_as_f32_does() {
        assert_eq!(sums(&[3e38f32.into(), 1.0]).1, f64::INFINITY);
        assert_eq!(sums(&[16_777_216.0, 1.0]).0, 16_777_216.0);
    }
}
