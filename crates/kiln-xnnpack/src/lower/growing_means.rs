//! Declares the results of means of integers with the least sizes.
//!
//! The library's mean of integers (and of f16, which Kiln takes in f32) adds up in memory beside its result, as large as the number of results. It plans that memory anew only
//! when the result grows beyond its largest size so far, which begins with the declared one (`reshape_reduce_operator` in
//! `src/subgraph/static-reduce.c`). So if the greatest size is declared and the first call has fewer images, a later call with more
//! writes beyond the memory, and ends the process or spoils other values (measured). Declared sizes are only hints elsewhere. With several
//! such sizes that is not enough, so means of integers are then taken in floats (`lower/integers/mean.rs`).

use super::Lowered;
use crate::payload::{Datatype, XnnOp};

/// The least size of a dim that is known only when running.
const LEAST: u32 = 1;

/// Declares sizes that may grow as [`LEAST`].
pub(super) fn declare(lowered: &mut Lowered) {
    for node in &lowered.graph.nodes {
        let XnnOp::GlobalAveragePool { input, output, .. } = &node.op else {
            continue;
        };
        if lowered.graph.values[input.index()].datatype == Datatype::Fp32 {
            continue;
        }
        let dims = lowered.dims[output.index()].iter();
        let declared = &mut lowered.graph.values[output.index()].dims;
        for (size, dim) in declared.iter_mut().zip(dims) {
            if dim.as_const().is_none() {
                *size = LEAST;
            }
        }
    }
}
