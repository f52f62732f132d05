//! Which calls of a program are whole layers, and which are row tiles.

use crate::dialect::{Call, Program};
use indexmap::IndexMap;
use kiln_target::Bands;

/// Counts the calls by what they compute: a whole layer; a row tile of a layer, called a band in reports; or the rows that a
/// sliding window keeps. The tiles of one layer are calls of one function on parts of the same buffers. A call from a buffer to
/// itself moves kept rows.
pub fn bands(program: &Program) -> Bands {
    let moves_rows = |call: &&Call| {
        matches!(call.buffers.as_slice(), [Some(from), Some(to)] if from == to)
            && call.views.iter().all(Option::is_some)
            && !call.views.is_empty()
    };
    let mut layers: IndexMap<_, usize> = IndexMap::new();
    let mut whole = 0;
    let moves = program.calls.iter().filter(moves_rows).count();
    for call in program.calls.iter().filter(|call| !moves_rows(call)) {
        match call.views.is_empty() {
            true => whole += 1,
            false => *layers.entry((call.function, &call.buffers)).or_default() += 1,
        }
    }
    let split = layers.values().filter(|&&count| count > 1);
    Bands {
        layers: whole + layers.len(),
        by_rows: split.clone().count(),
        bands: split.sum(),
        moves,
    }
}
