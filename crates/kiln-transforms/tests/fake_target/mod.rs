//! The target of the tests, whose support table is a line of words.

pub use kiln_check::FakeTarget;
