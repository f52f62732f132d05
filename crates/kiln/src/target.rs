//! The targets by name.

use std::fmt;
use std::str::FromStr;

/// A target that this build compiles for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetName {
    /// ExecuTorch with the XNNPACK delegate.
    Xnnpack,
    /// ExecuTorch with kernels only.
    Portable,
}

impl TargetName {
    /// True if the program's inputs and outputs may be integers that stand for reals.
    pub fn has_integer_border(self) -> bool {
        match self {
            TargetName::Xnnpack | TargetName::Portable => false,
        }
    }
}

impl FromStr for TargetName {
    type Err = String;
    fn from_str(text: &str) -> Result<TargetName, String> {
        match text {
            "xnnpack" => Ok(TargetName::Xnnpack),
            "portable" => Ok(TargetName::Portable),
            _ => Err("expected xnnpack or portable".into()),
        }
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TargetName::Xnnpack => "xnnpack",
            TargetName::Portable => "portable",
        })
    }
}
