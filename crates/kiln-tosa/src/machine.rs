//! The cost model of the machine that a file is for. It chooses among forms with the same results.

/// A cost model. [`Default`] is that of no machine in particular: its only limits are TOSA's, but it prefers a form
/// that one known machine needs if it costs the others nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The greatest stride of a convolution that the machine runs directly. A convolution with a greater stride whose
    /// windows lie side by side becomes one of stride 1 on reshaped operands.
    pub greatest_stride: usize,
    /// The cost of one more transpose, in bytes, beside the bytes that it moves.
    pub bytes_per_transpose: u64,
    /// The cost of one more operator that reads an operand, in bytes copied. `None` if joins copy nothing.
    pub bytes_per_join: Option<u64>,
    /// The greatest axis of a transpose. Larger tensors are transposed in parts.
    pub greatest_axis: Option<usize>,
    /// The same for elements of 32 bits.
    pub greatest_axis_of_words: Option<usize>,
    /// A transpose of fewer axes costs less, so neighbouring axes that stay neighbours are joined.
    pub joins_axes: bool,
    /// Arithmetic on 32-bit integers costs more than layers do. So biases are rounded to whole units of sums, and ties
    /// of averages are rounded up.
    pub spares_words: bool,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            greatest_stride: 3,
            bytes_per_transpose: 4096,
            bytes_per_join: Some(1024),
            greatest_axis: None,
            greatest_axis_of_words: None,
            joins_axes: false,
            spares_words: false,
        }
    }
}

impl Machine {
    /// The greatest axis of a transpose, for elements of 32 bits or of fewer.
    pub(crate) fn most_along_an_axis(&self, is_word: bool) -> usize {
        let most = match is_word {
            true => self.greatest_axis_of_words,
            false => self.greatest_axis,
        };
        most.unwrap_or(usize::MAX)
    }
}
