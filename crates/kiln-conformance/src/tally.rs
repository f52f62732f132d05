//! Counts the cases that ran and lists what was skipped. A run that checked nothing is an error.

use anyhow::{Result, bail};
use std::fmt;

/// The number of cases that ran, and what was skipped for which reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    cases: usize,
    /// The number of cases of the suites, including those that this machine lacks.
    listed: usize,
    suites: usize,
    executors: Vec<&'static str>,
    skipped: Vec<String>,
}

impl Tally {
    /// An empty tally for runs on these executors.
    pub fn on(executors: Vec<&'static str>) -> Tally {
        Tally {
            executors,
            ..Tally::default()
        }
    }

    /// Records something as skipped.
    pub fn skip(&mut self, what: impl fmt::Display) {
        self.skipped.push(what.to_string());
    }

    /// Adds what was skipped to the report that `scripts/test` prints at its end.
    pub fn note_skips(&self) {
        for what in &self.skipped {
            kiln_testing::part::note(&format!("conformance: {what}"));
        }
    }

    /// Removes an executor and records the reason as skipped.
    pub fn skip_executor(&mut self, name: &str, what: impl fmt::Display) {
        self.executors.retain(|&executor| executor != name);
        self.skip(what);
    }

    /// Counts a suite of `listed` cases, of which `cases` ran.
    pub fn ran(&mut self, cases: usize, listed: usize) {
        self.suites += 1;
        self.cases += cases;
        self.listed += listed;
    }

    /// Checks that the run counts.
    ///
    /// # Errors
    /// If no case ran, or if something was skipped although `require` is true.
    pub fn check(&self, require: bool) -> Result<()> {
        if self.cases == 0 || self.executors.is_empty() {
            bail!("nothing was checked; give suites that exist with --corpus or $KILN_CORPUS");
        }
        if require && !self.skipped.is_empty() {
            bail!(
                "{} skipped, and --require is given: {}",
                self.skipped.len(),
                self.skipped.join("; ")
            );
        }
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        write!(
            f,
            "ran {} of {} case{} of {} suite{} on {}; ",
            self.cases,
            self.listed,
            plural(self.listed),
            self.suites,
            plural(self.suites),
            match self.executors.as_slice() {
                [] => "no executor".to_owned(),
                some => some.join(", "),
            }
        )?;
        match self.skipped.as_slice() {
            [] => f.write_str("skipped nothing"),
            some => write!(f, "skipped {}", some.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_not_enough() {
        let mut tally = Tally::on(vec!["evaluator", "stock"]);
        assert!(tally.check(false).is_err());
        tally.ran(0, 3);
        assert!(tally.check(false).is_err());
        tally.ran(3, 3);
        assert!(tally.check(true).is_ok());
        assert_eq!(
            tally.to_string(),
            "ran 3 of 6 cases of 2 suites on evaluator, stock; skipped nothing"
        );
    }

    #[test]
    fn what_is_required_is_not_skipped() {
        let mut tally = Tally::on(vec!["evaluator", "stock"]);
        tally.ran(1, 1);
        tally.skip_executor("stock", "the stock runtime");
        assert!(tally.check(false).is_ok());
        assert!(tally.check(true).is_err());
        assert_eq!(
            tally.to_string(),
            "ran 1 of 1 case of 1 suite on evaluator; skipped the stock runtime"
        );
        let mut none = Tally::on(vec!["stock"]);
        none.ran(1, 1);
        none.skip_executor("stock", "the stock runtime");
        assert!(none.check(false).is_err());
    }
}
