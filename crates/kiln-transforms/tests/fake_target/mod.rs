//! The target of the tests. Its support table is a line of words.

pub use kiln_check::FakeTarget;
