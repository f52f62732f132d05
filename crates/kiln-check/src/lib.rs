//! Checks that passes preserve what a graph computes.
//!
//! [`check_passes`] runs passes one by one. Behind each pass the verifier checks the graph's invariants, and the
//! evaluator compares results in awkward [`situations`]: NaN, infinities, zeros of both signs, large and small numbers,
//! and symbolic dims at their least, greatest and equal sizes. A failure is traced to one application of one rule. Then
//! the graph is reduced to the smallest region that shows the failure.
//!
//! [`generate()`] makes random well-typed graphs of all op families for testing passes.
//!
//! # What counts as equal
//!
//! A pass that keeps bits must keep them ([`Close::Bits`]); all NaN are equal. Any other pass may round differently
//! ([`Close::Rounding`]): results may differ by as much as they change when each intermediate result is rounded a
//! little differently, which [`wobble`] measures.

mod close;
mod compared;
mod fake_target;
mod generate;
mod inputs;
mod numbers;
mod passes;
mod random;
mod region;
mod run;
mod settled;
mod shrink;
pub mod wobble;

pub use close::{Close, Difference, Side, check_elsewhere, difference, difference_elsewhere};
pub use compared::Compared;
pub use fake_target::FakeTarget;
pub use generate::{Plant, Recipe, generate, near_misses, network, planted, plants};
pub use inputs::{Noise, Situation, Sizes, Values, inputs, noise, situations};
pub use passes::{
    Baseline, Checked, Failure, Fault, check_passes, check_passes_from, fault_alone, guarded,
};
pub use random::Random;
pub use region::region;
pub use run::{Ran, run};
pub use settled::settled;
pub use shrink::shrink;
pub use wobble::Given;
pub use wobble::stepwise::within_kernels;
