//! Calls of layers and bands of rows, told apart.

use crate::dialect::{Call, Program};
use indexmap::IndexMap;
use kiln_target::Bands;

/// How many calls are those of layers, and how many are bands of layers that are computed by rows. Bands of a layer are calls of one function
/// on parts of the same buffers; a call from a buffer to itself moves rows that are kept.
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
