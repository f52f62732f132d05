//! Checks that passes keep what a graph computes.
//!
//! [`check_passes`] runs passes one by one. Behind each the verifier lists broken invariants, and the
//! evaluator compares results on [`situations`] that are awkward: NaN, infinities, zeros of both signs,
//! large and small numbers, symbolic dims at both ends and alike. A failure is traced to one
//! application of one rule, and the graph is cut down to the smallest region that still shows it.
//!
//! [`generate()`] makes random well-typed graphs of all op families to drive passes with.
//!
//! # What counts as equal
//! A pass that keeps bits must keep them ([`Close::Bits`]); any NaN equals any NaN. Other passes may round
//! differently ([`Close::Rounding`]): results differ by no more than what rounding each intermediate a
//! little differently does to them, which [`wobble`] measures.

mod close;
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
pub use fake_target::FakeTarget;
pub use generate::{Recipe, generate};
pub use inputs::{Situation, Sizes, Values, inputs, noise, situations};
pub use passes::{Baseline, Failure, Fault, check_passes, check_passes_from, fault_alone, guarded};
pub use random::Random;
pub use region::region;
pub use run::{Ran, run};
pub use settled::settled;
pub use shrink::shrink;
