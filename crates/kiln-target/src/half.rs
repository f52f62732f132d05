//! In which floats f16 is computed.

use std::str::FromStr;

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

impl Half {
    /// What users can ask for, by name. Without a wish it is [`Half::Fitting`].
    pub const CHOICES: [(&'static str, Half); 2] =
        [("native", Half::Native), ("f32", Half::Single)];
}

/// There is no choice of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected native or f32")]
pub struct UnknownHalf;

impl FromStr for Half {
    type Err = UnknownHalf;

    fn from_str(name: &str) -> Result<Half, UnknownHalf> {
        let mut choices = Half::CHOICES.into_iter();
        let found = choices.find(|(choice, _)| *choice == name);
        found.map(|(_, half)| half).ok_or(UnknownHalf)
    }
}
