//! Specifications: the profiles and extensions of an implementation.

use std::fmt;
use std::str::FromStr;

/// A profile or an extension of TOSA 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// Integers.
    Int,
    /// Floats.
    Fp,
    /// 16-bit activations and 48-bit accumulators.
    Int16,
    /// 4-bit weights.
    Int4,
    /// bfloat16.
    Bf16,
    /// 8-bit floats with 4 bits of exponent.
    Fp8E4M3,
    /// 8-bit floats with 5 bits of exponent.
    Fp8E5M2,
    /// Fourier transforms.
    Fft,
    /// Variables.
    Variable,
    /// Branches and loops.
    ControlFlow,
    /// Double rounding in `RESCALE`.
    DoubleRound,
    /// Inexact rounding in `RESCALE`.
    InexactRound,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Feature; 12] = [
        Feature::Int,
        Feature::Fp,
        Feature::Int16,
        Feature::Int4,
        Feature::Bf16,
        Feature::Fp8E4M3,
        Feature::Fp8E5M2,
        Feature::Fft,
        Feature::Variable,
        Feature::ControlFlow,
        Feature::DoubleRound,
        Feature::InexactRound,
    ];

    /// The name in a specification's string.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::Int => "INT",
            Feature::Fp => "FP",
            Feature::Int16 => "int16",
            Feature::Int4 => "int4",
            Feature::Bf16 => "bf16",
            Feature::Fp8E4M3 => "fp8e4m3",
            Feature::Fp8E5M2 => "fp8e5m2",
            Feature::Fft => "fft",
            Feature::Variable => "var",
            Feature::ControlFlow => "cf",
            Feature::DoubleRound => "doubleround",
            Feature::InexactRound => "inexactround",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of profiles and extensions of TOSA 1.0 at level 8K, for example `TOSA-1.0+INT+int16+cf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    features: u16,
}

/// The string is not a specification of TOSA 1.0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found:?} is no TOSA specification: expected TOSA-1.0, then +INT or +FP or both, then extensions of {}",
    Feature::ALL.map(Feature::name).join(", ")
)]
pub struct SpecError {
    /// The string that was found.
    pub found: String,
}

impl Spec {
    /// The specification with these features.
    pub fn new(features: &[Feature]) -> Spec {
        Spec {
            features: features.iter().fold(0, |set, f| set | f.bit()),
        }
    }

    /// All features: what a file may use if no target is given.
    pub fn all() -> Spec {
        Spec::new(&Feature::ALL)
    }

    /// True if the specification has the feature.
    pub const fn has(self, feature: Feature) -> bool {
        self.features & feature.bit() != 0
    }

    /// True if the specification has one of these features.
    pub fn has_any(self, features: &[Feature]) -> bool {
        features.iter().any(|&f| self.has(f))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    /// Reads a specification such as `TOSA-1.0+INT+int16`. It may name a patch version, and the level `8k`.
    fn from_str(text: &str) -> Result<Spec, SpecError> {
        let wrong = || SpecError {
            found: text.to_owned(),
        };
        let mut parts = text.split('+');
        let version = parts.next().and_then(|v| v.strip_prefix("TOSA-1.0"));
        if !version.is_some_and(|patch| patch.is_empty() || patch.starts_with('.')) {
            return Err(wrong());
        }
        let mut features = Vec::new();
        for part in parts.filter(|p| !p.eq_ignore_ascii_case("8k")) {
            let known = Feature::ALL.into_iter().find(|f| f.name() == part);
            features.push(known.ok_or_else(wrong)?);
        }
        let spec = Spec::new(&features);
        spec.has_any(&[Feature::Int, Feature::Fp])
            .then_some(spec)
            .ok_or_else(wrong)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TOSA-1.0")?;
        let offered = Feature::ALL.into_iter().filter(|&x| self.has(x));
        offered
            .into_iter()
            .try_for_each(|x| write!(f, "+{}", x.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_come_back_from_their_text() {
        let spec: Spec = "TOSA-1.0+INT+int16+int4+cf".parse().unwrap();
        assert!(spec.has(Feature::Int4) && !spec.has(Feature::Fp));
        assert_eq!(spec.to_string().parse(), Ok(spec));
        for wrong in [
            "TOSA-2.0+FP",
            "TOSA-1.0",
            "TOSA-1.0+FP+nothing",
            "TOSA-1.05+FP",
        ] {
            assert!(wrong.parse::<Spec>().is_err(), "{wrong}");
        }
    }
}
