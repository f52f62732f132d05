//! Functions of one integer: `kiln_requantize_*`, `kiln_table_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::Stage;
use crate::dialect::{Function, Scaling};

impl Stage {
    /// The stage of a kernel of Kiln's own.
    pub fn of_scaling(scaling: &Scaling) -> Stage {
        Stage::new(
            &[scaling.multiplier],
            &[scaling.shift],
            scaling.output_offset,
            &scaling.activation,
        )
    }
}

/// Integers requantised to another scale, zero point or type.
pub(super) fn requantised(scaling: &Scaling, arguments: &Arguments<'_>) -> Data {
    let stage = Stage::of_scaling(scaling);
    let x = arguments.data("input").raised(scaling.input_offset);
    Data::narrowed(
        arguments.result(),
        x.into_iter().map(|x| stage.of_own(x)).collect(),
    )
}

/// The entries of a table that requantises 8-bit integers, from the least on.
pub(crate) fn requantised_bytes(scaling: &Scaling) -> Vec<i8> {
    let stage = Stage::of_scaling(scaling);
    let integers = (-128..=127i32).map(|x| x.wrapping_add(scaling.input_offset));
    integers.map(|x| stage.of_own(x) as i8).collect()
}

/// The entry for each integer. The table has all integers of a type, or 513 of 16 bits, between which the result is interpolated.
pub(super) fn looked_up(function: Function, arguments: &Arguments<'_>) -> Data {
    let table = arguments.data("table");
    if function == Function::KilnTableInterpolatedS16 {
        let entries = arguments.i16("table");
        let x = arguments.i16("input").iter();
        return Data::I16(x.map(|&x| interpolated(entries, x)).collect());
    }
    let entries = table.raised(0);
    // The least integer of the type has the first entry.
    let x = arguments.data("input").raised(entries.len() as i32 / 2);
    Data::narrowed(
        arguments.result(),
        x.into_iter().map(|x| entries[x as usize]).collect(),
    )
}

/// The result between two entries, halves up. Entries may be as far apart as 16 bits allow.
fn interpolated(entries: &[i16], x: i16) -> i16 {
    let (place, fraction) = ((256 + (i32::from(x) >> 7)) as usize, i32::from(x) & 0x7F);
    let (base, next) = (i32::from(entries[place]), i32::from(entries[place + 1]));
    (base + (((next - base) * fraction + 64) >> 7)) as i16
}
