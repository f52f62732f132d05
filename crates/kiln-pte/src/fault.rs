//! A violated rule and its place, for the checkers of all flatbuffer formats.

/// A rule that a file violates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct Fault {
    /// The place, such as `method forward, value 12`.
    pub place: String,
    /// What is wrong there, and what is allowed.
    pub rule: String,
}

/// The outcome of checking a rule: an error says what is wrong and what is allowed.
pub type Rule = Result<(), String>;

/// Adds the place to a violated rule.
///
/// # Errors
/// If the rule is violated.
pub fn at(place: impl FnOnce() -> String, rule: Rule) -> Result<(), Fault> {
    rule.map_err(|rule| Fault {
        place: place(),
        rule,
    })
}
