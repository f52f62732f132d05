//! The cost model of the machine that a file is for: data, for choices between forms that compute the same.

/// A machine. That of [`Default`] is none in particular: it has no limits but TOSA's, except where a form that one known
/// machine runs costs the others nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The greatest stride of a convolution that it runs as it is. A convolution with a greater one whose windows lie side
    /// by side is one of stride 1 on reshaped operands.
    pub greatest_stride: usize,
    /// How many bytes' worth of moving one more transpose costs, beside the bytes that it moves.
    pub bytes_per_transpose: u64,
    /// How many bytes are copied while one more operator reads its operand and starts; `None` where joins copy nothing.
    pub bytes_per_join: Option<u64>,
    /// The greatest axis of what it transposes at once; more goes in parts.
    pub greatest_axis: Option<usize>,
    /// The same for elements of 32 bits.
    pub greatest_axis_of_words: Option<usize>,
    /// A transpose of fewer axes costs less: neighbours that stay neighbours are joined.
    pub joins_axes: bool,
    /// Arithmetic of words costs more than layers do: biases are whole units of sums, and ties of averages go up.
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
    /// The greatest axis of what it transposes at once, of elements of 32 bits or fewer.
    pub(crate) fn most_along_an_axis(&self, is_word: bool) -> usize {
        let most = match is_word {
            true => self.greatest_axis_of_words,
            false => self.greatest_axis,
        };
        most.unwrap_or(usize::MAX)
    }
}
