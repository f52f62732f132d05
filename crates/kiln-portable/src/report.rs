//! What came of a method, in figures.

use indexmap::IndexMap;

/// Figures of an emitted method; what each counts is the contract of `--report`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodReport {
    /// The method.
    pub name: String,
    /// Kernel calls by kernel, in order of name; primitive ops are not counted.
    pub kernel_calls: IndexMap<String, usize>,
    /// Delegates that the method loads.
    pub delegates: usize,
    /// Calls of delegates.
    pub delegate_calls: usize,
    /// All instructions, primitive ops and jumps included.
    pub instructions: usize,
    /// Bytes of the arena, inputs and outputs included.
    pub planned_bytes: u64,
    /// The largest live load in the emitted order: no plan of these buffers takes less.
    pub planned_lower_bound: u64,
    /// Bytes written by kernels that only reorder elements, at the largest sizes.
    pub transposed_bytes: u64,
    /// Bounds that nothing in the model gives, and that were chosen.
    pub assumed_bounds: Vec<AssumedBound>,
}

/// An upper bound of a size that the model leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedBound {
    /// The symbol's name.
    pub symbol: String,
    /// The greatest value that the program takes.
    pub max: i64,
}
