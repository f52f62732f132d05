//! What `--verify` checked.

use crate::counted::counted;
use kiln_check::Compared;
use std::time::Duration;

/// The check of a method's passes.
#[derive(Clone, Copy, Debug)]
pub struct Verified {
    /// How long the passes and their checks took.
    pub time: Duration,
    /// How much was compared.
    pub compared: Compared,
}

impl Verified {
    /// The line that says that so many passes were checked, and by what.
    pub fn text(&self, passes: usize) -> String {
        let (passes, seconds) = (counted(passes, "pass"), self.time.as_secs_f64());
        let elements = self.compared.elements;
        let how = match self.compared.changes {
            0 => "none of which changes the graph".to_owned(),
            _ if self.compared.is_blind() => {
                "by the verifier alone: no inputs give the graph a value".to_owned()
            }
            _ => format!(
                "each checked against the graph before it ({})",
                counted(elements, "element")
            ),
        };
        format!("verified: {passes}, {how}, in {seconds:.2} s")
    }
}
