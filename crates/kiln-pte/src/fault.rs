//! A broken rule, and where: what the checkers of our flatbuffer formats say.

/// A rule that a file breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct Fault {
    /// Where: `method forward, value 12`.
    pub place: String,
    /// What is wrong there, and what is allowed.
    pub rule: String,
}

/// Nothing, or what is wrong and what is allowed.
pub type Rule = Result<(), String>;

/// Attaches a place to a broken rule.
///
/// # Errors
/// If the rule is broken.
pub fn at(place: impl FnOnce() -> String, rule: Rule) -> Result<(), Fault> {
    rule.map_err(|rule| Fault {
        place: place(),
        rule,
    })
}
