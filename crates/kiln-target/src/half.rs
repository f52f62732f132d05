//! In which floats f16 is computed.

/// The choice for f16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Half {
    /// In f16 where the library has a kernel and sums stay finite, else in f32.
    #[default]
    Fitting,
    /// In f16 where the library has a kernel. Sums may overflow beyond 65504.
    Native,
    /// In f32. No sum overflows, and NaN stays.
    Single,
}
