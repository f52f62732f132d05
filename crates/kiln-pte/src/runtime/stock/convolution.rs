//! Convolutions of images and lines.

use super::super::error::Fault;
use super::Arguments;
use kiln_eval::{Element, Tensor};
use kiln_ir::DType;
use std::ops::{AddAssign, Mul};

/// A row of sizes, strides and the like: one number for each axis of an image.
type Both = [usize; 2];

/// The places and sizes of one convolution; a line is an image of one row.
struct Geometry {
    batch: usize,
    groups: usize,
    /// Channels of a group.
    from: usize,
    to: usize,
    image: Both,
    out: Both,
    kernel: Both,
    stride: Both,
    padding: Both,
    dilation: Both,
}

/// Sums run up in the tensors' type, channel by channel and row by row, with the bias last; a transposed convolution begins with
/// it. What lies in the padding is left out.
pub(super) fn convolution(call: &Arguments<'_, '_>) -> Result<Option<Vec<Tensor>>, Fault> {
    let (x, weight, bias) = (call.tensor(0)?, call.tensor(1)?, call.optional_tensor(2)?);
    let Some(geometry) = geometry(call, &x, &weight)? else {
        return Ok(None);
    };
    let of_one_dtype = bias.iter().chain([&weight]).all(|t| t.dtype() == x.dtype());
    if !of_one_dtype || x.is_empty() || weight.is_empty() {
        return Ok(None);
    }
    let is_transposed = call.int(6) == Some(1);
    let sizes = &call.sizes[0];
    let operands = [Some(&x), Some(&weight), bias.as_ref()];
    Ok(match x.dtype() {
        DType::F32 => computed::<f32>(&geometry, is_transposed, operands, sizes),
        DType::F64 => computed::<f64>(&geometry, is_transposed, operands, sizes),
        _ => None,
    })
}

fn geometry(
    call: &Arguments<'_, '_>,
    x: &Tensor,
    weight: &Tensor,
) -> Result<Option<Geometry>, Fault> {
    let (sizes, kernel, out) = (x.sizes(), weight.sizes(), &call.sizes[0]);
    let spatial = sizes.len().wrapping_sub(2);
    let groups = call.int(8).and_then(|g| usize::try_from(g).ok());
    let (1 | 2, Some(groups @ 1..)) = (spatial, groups) else {
        return Ok(None);
    };
    let image = |sizes: &[usize]| match spatial {
        1 => [1, sizes[2]],
        _ => [sizes[2], sizes[3]],
    };
    let list = |i: usize, alone: usize| {
        let list = call.ints(i)?;
        // The import of the call refuses negative numbers.
        let number = |i: usize| usize::try_from(list[i.min(list.len() - 1)]).map_err(Fault::of);
        Ok::<Both, Fault>(match (spatial, list.is_empty()) {
            (_, true) => [alone, alone],
            (1, false) => [alone, number(0)?],
            (_, false) => [number(0)?, number(1)?],
        })
    };
    Ok(Some(Geometry {
        batch: sizes[0],
        groups,
        from: sizes[1] / groups,
        to: out[1] / groups,
        image: image(sizes),
        out: image(out),
        kernel: image(kernel),
        stride: list(3, 1)?,
        padding: list(4, 0)?,
        dilation: list(5, 1)?,
    }))
}

impl Geometry {
    /// `place * stride + tap * dilation - padding`, where that is within `sizes`.
    fn reached(&self, place: Both, tap: Both, sizes: Both) -> Option<Both> {
        let along = |i: usize| {
            let place = place[i] * self.stride[i] + tap[i] * self.dilation[i];
            place.checked_sub(self.padding[i]).filter(|&p| p < sizes[i])
        };
        Some([along(0)?, along(1)?])
    }

    /// Each batch with each channel of the result, by its group and its place in the group.
    fn planes(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let (groups, to) = (self.groups, self.to);
        let of = move |batch| (0..groups).flat_map(move |g| (0..to).map(move |c| (batch, g, c)));
        (0..self.batch).flat_map(of)
    }
}

fn places(sizes: Both) -> impl Iterator<Item = Both> {
    (0..sizes[0]).flat_map(move |y| (0..sizes[1]).map(move |x| [y, x]))
}

fn at(plane: usize, sizes: Both, place: Both) -> usize {
    (plane * sizes[0] + place[0]) * sizes[1] + place[1]
}

fn computed<T: Element + AddAssign + Mul<Output = T>>(
    geometry: &Geometry,
    is_transposed: bool,
    [x, weight, bias]: [Option<&Tensor>; 3],
    sizes: &[usize],
) -> Option<Vec<Tensor>> {
    let (x, weight) = (x?.elements::<T>()?, weight?.elements::<T>()?);
    let bias = match bias {
        Some(bias) => Some(bias.elements::<T>()?),
        None => None,
    };
    let mut out = vec![T::default(); sizes.iter().product()];
    let channels = geometry.groups * geometry.to;
    let plane = geometry.out[0] * geometry.out[1];
    for (batch, group, channel) in geometry.planes() {
        let to = batch * channels + group * geometry.to + channel;
        let own = bias.map(|bias| bias[group * geometry.to + channel]);
        let out = &mut out[to * plane..(to + 1) * plane];
        match is_transposed {
            false => plain(geometry, [batch, group, channel], [x, weight], own, out),
            true => transposed(geometry, [batch, group, channel], [x, weight], own, out),
        }
    }
    Some(vec![Tensor::new(sizes, out)])
}

fn plain<T: Element + AddAssign + Mul<Output = T>>(
    g: &Geometry,
    [batch, group, channel]: [usize; 3],
    [x, weight]: [&[T]; 2],
    bias: Option<T>,
    out: &mut [T],
) {
    for (place, out) in places(g.out).zip(out) {
        let mut sum = T::default();
        for from in 0..g.from {
            let image = batch * g.groups * g.from + group * g.from + from;
            let taps = (group * g.to + channel) * g.from + from;
            for tap in places(g.kernel) {
                if let Some(there) = g.reached(place, tap, g.image) {
                    sum += x[at(image, g.image, there)] * weight[at(taps, g.kernel, tap)];
                }
            }
        }
        if let Some(bias) = bias {
            sum += bias;
        }
        *out = sum;
    }
}

fn transposed<T: Element + AddAssign + Mul<Output = T>>(
    g: &Geometry,
    [batch, group, channel]: [usize; 3],
    [x, weight]: [&[T]; 2],
    bias: Option<T>,
    out: &mut [T],
) {
    out.fill(bias.unwrap_or_default());
    for place in places(g.image) {
        for from in group * g.from..(group + 1) * g.from {
            let x = x[at(batch * g.groups * g.from + from, g.image, place)];
            for tap in places(g.kernel) {
                if let Some(there) = g.reached(place, tap, g.out) {
                    out[at(0, g.out, there)] +=
                        x * weight[at(from * g.to + channel, g.kernel, tap)];
                }
            }
        }
    }
}
