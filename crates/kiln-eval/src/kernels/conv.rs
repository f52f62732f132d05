//! `conv`. A normal convolution is the product of the weight and a matrix whose columns are windows. A transposed one
//! is the product of weight and input, added up at the positions of the windows. Convolutions with one input channel
//! per group are computed directly.

use super::matrix::{Matrix, Product, lowered, multiply, raised};
use super::spatial::{Axes, Windows, three};
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::ops::Conv;
use rayon::prelude::*;

/// The most elements of the matrix of windows in one task.
const TILE: usize = 1 << 22;

/// The sizes of a convolution.
struct Geometry {
    groups: usize,
    /// The number of input channels per group.
    inputs: usize,
    /// The number of output channels per group.
    outputs: usize,
    /// The spatial sizes of the input.
    from: Axes<usize>,
    /// The spatial sizes of the result.
    to: Axes<usize>,
    windows: Windows,
}

/// The convolution.
///
/// # Errors
/// If there are more than three spatial axes, or the groups do not divide the channels.
pub fn conv<T: Number>(op: &Conv, operands: &[Tensor], sizes: &[usize]) -> Result<Tensor, Cause> {
    let (x, weight, bias) = (&operands[0], &operands[1], operands.get(2));
    let geometry = geometry(op, x, weight, sizes)?;
    let pixels: usize = sizes[2..].iter().product();
    let mut out = vec![T::Compute::ZERO; sizes.iter().product()];
    if !x.is_empty() && !weight.is_empty() {
        let (from, by) = (raised::<T>(x), raised::<T>(weight));
        let batch_size = from.len() / sizes[0];
        for (from, out) in from
            .chunks(batch_size)
            .zip(out.chunks_mut(sizes[1] * pixels))
        {
            if op.transposed {
                transposed(&geometry, from, &by, out);
            } else if geometry.inputs == 1 {
                direct(&geometry, from, &by, out);
            } else {
                plain(&geometry, from, &by, out);
            }
        }
    }
    if let Some(bias) = bias {
        let bias = raised::<T>(bias);
        out.par_chunks_mut(pixels)
            .enumerate()
            .for_each(|(i, plane)| {
                let bias = bias[i % bias.len()];
                plane.iter_mut().for_each(|o| *o = o.add(bias));
            });
    }
    Ok(lowered::<T>(sizes, out))
}

fn geometry(op: &Conv, x: &Tensor, weight: &Tensor, sizes: &[usize]) -> Result<Geometry, Cause> {
    let (channels, groups) = (x.sizes()[1], op.groups as usize);
    if !channels.is_multiple_of(groups) || !sizes[1].is_multiple_of(groups) {
        misfit!(
            "{groups} groups do not divide {channels} input and {} output channels",
            sizes[1]
        );
    }
    Ok(Geometry {
        groups,
        inputs: channels / groups,
        outputs: sizes[1] / groups,
        from: three(&x.sizes()[2..], 1)?,
        to: three(&sizes[2..], 1)?,
        windows: Windows {
            kernel: three(&weight.sizes()[2..], 1)?,
            stride: three(&op.stride, 1)?,
            pad: three(&op.pad_low, 0)?,
            dilation: three(&op.dilation, 1)?,
        },
    })
}

fn volume(sizes: &Axes<usize>) -> usize {
    sizes.iter().product()
}

/// The convolution of one sample by the matrix of windows.
fn plain<C: Product>(g: &Geometry, from: &[C], weight: &[C], out: &mut [C]) {
    let (taps, pixels) = (g.inputs * volume(&g.windows.kernel), volume(&g.to));
    let input_size = g.inputs * volume(&g.from);
    let tile = (TILE / taps).clamp(1, pixels);
    for group in 0..g.groups {
        let from = &from[group * input_size..(group + 1) * input_size];
        let weight = &weight[group * g.outputs * taps..(group + 1) * g.outputs * taps];
        let weight = Matrix::dense(weight, g.outputs, taps);
        let out = &mut out[group * g.outputs * pixels..(group + 1) * g.outputs * pixels];
        if g.windows.are_points() && g.from == g.to {
            multiply(weight, Matrix::dense(from, taps, pixels), out, pixels);
            continue;
        }
        for start in (0..pixels).step_by(tile) {
            let len = tile.min(pixels - start);
            let columns = columns(g, from, start, len);
            multiply(
                weight,
                Matrix::dense(&columns, taps, len),
                &mut out[start..],
                pixels,
            );
        }
    }
}

/// The elements at each tap of each channel for `len` pixels of the result: `[taps, len]`.
fn columns<C: Product>(g: &Geometry, from: &[C], start: usize, len: usize) -> Vec<C> {
    let (taps, plane) = (volume(&g.windows.kernel), volume(&g.from));
    filled_rows(g.inputs * taps, len, |row, out| {
        let from = &from[row / taps * plane..(row / taps + 1) * plane];
        let tap = g.windows.tap(row % taps);
        g.windows
            .seen(tap, &g.to, &g.from, start, len, |at, place, run, step| {
                (0..run).for_each(|i| out[at + i] = from[place + i * step]);
            });
    })
}

/// The convolution of one sample with one input channel per group: each plane of the result is a sum of shifted inputs.
fn direct<C: Product>(g: &Geometry, from: &[C], weight: &[C], out: &mut [C]) {
    let (taps, pixels, plane) = (volume(&g.windows.kernel), volume(&g.to), volume(&g.from));
    out.par_chunks_mut(pixels)
        .enumerate()
        .for_each(|(channel, out)| {
            let from = &from[channel / g.outputs * plane..][..plane];
            for (tap, &factor) in weight[channel * taps..(channel + 1) * taps]
                .iter()
                .enumerate()
            {
                let tap = g.windows.tap(tap);
                g.windows
                    .seen(tap, &g.to, &g.from, 0, pixels, |at, place, run, step| {
                        let out = out[at..at + run].iter_mut();
                        out.enumerate()
                            .for_each(|(i, o)| *o = o.add(factor.mul(from[place + i * step])));
                    });
            }
        });
}

/// The transposed convolution of one sample.
fn transposed<C: Product>(g: &Geometry, from: &[C], weight: &[C], out: &mut [C]) {
    let (taps, pixels, plane) = (volume(&g.windows.kernel), volume(&g.to), volume(&g.from));
    let rows = g.outputs * taps;
    let tile = (TILE / rows).clamp(1, plane);
    for group in 0..g.groups {
        let from = &from[group * g.inputs * plane..(group + 1) * g.inputs * plane];
        let weight = &weight[group * g.inputs * rows..(group + 1) * g.inputs * rows];
        let weight = Matrix::dense(weight, g.inputs, rows).transposed();
        let out = &mut out[group * g.outputs * pixels..(group + 1) * g.outputs * pixels];
        for start in (0..plane).step_by(tile) {
            let len = tile.min(plane - start);
            let mut products = vec![C::ZERO; rows * len];
            let from = Matrix {
                elements: &from[start..],
                rows: g.inputs,
                columns: len,
                row_step: plane,
                column_step: 1,
            };
            multiply(weight, from, &mut products, len);
            out.par_chunks_mut(pixels)
                .zip(products.par_chunks(taps * len))
                .for_each(|(out, products)| spread(g, products, start, len, out));
        }
    }
}

/// Adds the products of each tap for `len` pixels of the input to the pixels of the result that the tap reaches.
fn spread<C: Product>(g: &Geometry, products: &[C], start: usize, len: usize, out: &mut [C]) {
    for (tap, products) in products.chunks(len).enumerate() {
        let tap = g.windows.tap(tap);
        g.windows
            .seen(tap, &g.from, &g.to, start, len, |at, place, run, step| {
                for (i, &product) in products[at..at + run].iter().enumerate() {
                    let o = &mut out[place + i * step];
                    *o = o.add(product);
                }
            });
    }
}
