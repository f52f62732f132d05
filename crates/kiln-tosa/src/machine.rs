//! What the machine charges that a file is for: data, for choices between forms that compute the same.

/// A machine; that of [`Default`] is none in particular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The greatest axis of what it transposes at once; more goes in parts.
    pub greatest_axis: Option<usize>,
    /// The same for elements of 32 bits.
    pub greatest_axis_of_words: Option<usize>,
    /// A transpose of fewer axes costs less: neighbours that stay neighbours are joined.
    pub joins_axes: bool,
    /// Arithmetic of words costs more than layers do: biases are whole units of sums, and ties of averages go up.
    pub spares_words: bool,
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
