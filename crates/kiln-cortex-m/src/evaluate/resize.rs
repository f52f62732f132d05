//! Images of another size: `kiln_resize_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::Stage;
use crate::dialect::{Dims, Resize};

/// One place of the result along an axis: the index of its first neighbour, and the weights.
struct Place<'t> {
    first: usize,
    weights: &'t [i32],
}

/// The places of an axis. `None` if neighbours lie beyond the input.
fn places<'t>(table: &'t [i32], taps: i32, size: usize) -> Option<Vec<Place<'t>>> {
    let taps = usize::try_from(taps).ok()?;
    let rows = table.chunks(taps + 1);
    let place = |row: &'t [i32]| match row {
        [first, weights @ ..] => {
            let first = usize::try_from(*first).ok()?;
            (first + taps <= size).then_some(Place { first, weights })
        }
        [] => None,
    };
    rows.map(place).collect()
}

/// Weighted sums, requantised and rounded once. They wrap. `None` if neighbours lie beyond the input.
pub(super) fn resized(of: &Resize, arguments: &Arguments<'_>) -> Option<Data> {
    let [batches, height, width, channels] = of.input_dims.sizes();
    let x = arguments.data("input").raised(of.scaling.input_offset);
    let rows = places(arguments.i32("rows")?, of.row_taps, height)?;
    let columns = places(arguments.i32("columns")?, of.column_taps, width)?;
    let stage = Stage::of_scaling(&of.scaling);
    let mut results = Vec::with_capacity(Dims::sizes(&of.output_dims).iter().product());
    for batch in 0..batches {
        for (row, column) in rows
            .iter()
            .flat_map(|r| columns.iter().map(move |c| (r, c)))
        {
            for channel in 0..channels {
                let element = |y: usize, x: usize| {
                    ((batch * height + row.first + y) * width + column.first + x) * channels
                        + channel
                };
                let along = |y: usize| {
                    let weights = column.weights.iter().enumerate();
                    weights.fold(0i32, |sum, (i, &w)| {
                        sum.wrapping_add(x[element(y, i)].wrapping_mul(w))
                    })
                };
                let weights = row.weights.iter().enumerate();
                let sum = weights.fold(0i32, |sum, (i, &w)| {
                    sum.wrapping_add(along(i).wrapping_mul(w))
                });
                results.push(stage.of_own(sum));
            }
        }
    }
    Some(Data::narrowed(arguments.result(), results))
}
