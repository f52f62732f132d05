//! Borders, and elements that are gathered or written by indices: `kiln_pad`, `kiln_gather`, `kiln_gather_elements`,
//! `kiln_scatter_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::float;
use crate::dialect::{Border, Gather, GatherElements, PadMode, Scatter, ScatterFunction};

/// The tensor with a border, or cut.
pub(super) fn bordered(border: &Border, arguments: &Arguments<'_>) -> Data {
    let (padding, x) = (&border.padding, arguments.data("input"));
    let sizes = padding.output_sizes();
    let count = sizes.iter().map(|&size| size as usize).product();
    let mut places = Vec::with_capacity(count);
    let mut at = vec![0; sizes.len()];
    for _ in 0..count {
        let mut axes = at.iter().zip(&padding.before.0).zip(&padding.sizes.0);
        // The place in the input, row-major, unless an axis is outside of it.
        let place = axes.try_fold(0, |place, ((&at, &before), &size)| {
            let along = source(at - before, size, border.mode)?;
            Some(place * size as usize + along as usize)
        });
        places.push(place);
        for (at, &size) in at.iter_mut().zip(&sizes).rev() {
            *at += 1;
            if *at < size {
                break;
            }
            *at = 0;
        }
    }
    x.picked(&places, arguments.get("value").unwrap_or(x))
}

/// The index in the input of a place of the output, along one axis. `None` stands for the value of the border.
fn source(place: i32, size: i32, mode: PadMode) -> Option<i32> {
    if (0..size).contains(&place) {
        return Some(place);
    }
    match mode {
        PadMode::Constant => None,
        PadMode::Reflect if place < 0 => Some(-place),
        PadMode::Reflect => Some(2 * (size - 1) - place),
        PadMode::Replicate => Some(place.clamp(0, size - 1)),
        PadMode::Circular => Some(place.rem_euclid(size)),
    }
}

/// The place that an index means along an axis. A negative index counts from the end. `None` if it is out of range.
fn along(index: i32, size: i32) -> Option<usize> {
    let is_index = (-size..size).contains(&index);
    is_index.then(|| (if index < 0 { index + size } else { index }) as usize)
}

/// The blocks at the indices of an axis. `None` if an index is out of range.
pub(super) fn blocks(gather: &Gather, arguments: &Arguments<'_>) -> Option<Data> {
    let x = arguments.data("input");
    let block = gather.inner_bytes as usize / x.dtype().bytes(1);
    let indices = arguments.i32("indices").unwrap_or(&[]);
    let chosen = indices.iter().map(|&index| along(index, gather.n));
    let chosen: Vec<usize> = chosen.collect::<Option<_>>()?;
    let mut places = Vec::with_capacity(gather.outer as usize * chosen.len() * block);
    for outer in 0..gather.outer as usize {
        for &index in &chosen {
            let first = (outer * gather.n as usize + index) * block;
            places.extend((first..first + block).map(Some));
        }
    }
    Some(x.picked(&places, x))
}

/// One element for each index. `None` if an index is out of range.
pub(super) fn elements(gather: &GatherElements, arguments: &Arguments<'_>) -> Option<Data> {
    let x = arguments.data("input");
    let indices = arguments.i32("indices").unwrap_or(&[]);
    let mut places = Vec::with_capacity(gather.strides.elements());
    gather.strides.each(|first, at| {
        let index = along(indices[at as usize], gather.axis_size);
        let stride = i64::from(gather.axis_stride);
        places.push(index.map(|index| (first + index as i64 * stride) as usize));
    });
    let is_whole = places.iter().all(Option::is_some);
    is_whole.then(|| x.picked(&places, x))
}

/// The output with values written to the places of indices, one after another. `None` if an index is out of range.
pub(super) fn scattered(of: &Scatter, arguments: &Arguments<'_>) -> Option<Data> {
    let indices = arguments.i32("indices").unwrap_or(&[]);
    let (mut from, mut to) = (Vec::new(), Vec::new());
    of.source_strides.each(|place, _| from.push(place as usize));
    of.strides.each(|first, at| {
        let index = along(indices[at as usize], of.axis_size);
        let stride = i64::from(of.axis_stride);
        to.push(index.map(|index| (first + index as i64 * stride) as usize));
    });
    let to: Vec<usize> = to.into_iter().collect::<Option<_>>()?;
    let pairs = || to.iter().copied().zip(from.iter().copied());
    Some(match (arguments.data("output"), arguments.data("source")) {
        (Data::F32(x), Data::F32(y)) => {
            let mut all = x.clone();
            for (to, from) in pairs() {
                all[to] = float::scattered(of.function, all[to], y[from]);
            }
            Data::F32(all)
        }
        (x, y) => {
            let (mut all, y) = (x.integers(), y.integers());
            for (to, from) in pairs() {
                // What is kept of a sum or a product does not depend on the upper bits of its parts.
                all[to] = changed(of.function, all[to], y[from]);
            }
            Data::of_integers(x.dtype(), &all)
        }
    })
}

fn changed(function: ScatterFunction, x: i64, y: i64) -> i64 {
    match function {
        ScatterFunction::Set => y,
        ScatterFunction::Add => x.wrapping_add(y),
        ScatterFunction::Mul => x.wrapping_mul(y),
        ScatterFunction::Max => x.max(y),
        ScatterFunction::Min => x.min(y),
    }
}
