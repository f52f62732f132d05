//! What the machine charges that a file is for: data, for choices between forms that compute the same.

/// A machine; that of [`Default`] is none in particular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The greatest axis of what it transposes at once; more goes in parts.
    pub greatest_axis: Option<usize>,
    /// A transpose of fewer axes costs less: neighbours that stay neighbours are joined.
    pub joins_axes: bool,
}
