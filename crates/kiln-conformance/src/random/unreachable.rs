//! Rules that cannot be applied on a target whose pipeline lists them.

/// A rule that is never applied on some targets.
pub struct Never {
    /// The pass.
    pub pass: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// The targets.
    pub targets: &'static [&'static str],
    /// What of the target, or of the rule, makes it so.
    pub why: &'static str,
}

/// All of them.
pub const NEVER: &[Never] = &[];
