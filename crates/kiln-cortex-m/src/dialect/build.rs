//! Builds of the library.

use std::fmt;

/// The instructions for which the library is compiled. Its functions take other scratch memory and other operands on each build,
/// and give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Build {
    /// Plain C: Cortex-M0 to M3, and hosts.
    Scalar,
    /// The DSP extension: Cortex-M4, M7, M33.
    Dsp,
    /// Helium: Cortex-M52, M55, M85.
    Mve,
}

impl Build {
    /// All builds.
    pub const ALL: [Build; 3] = [Build::Scalar, Build::Dsp, Build::Mve];

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Build::Scalar => "scalar",
            Build::Dsp => "dsp",
            Build::Mve => "mve",
        }
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
