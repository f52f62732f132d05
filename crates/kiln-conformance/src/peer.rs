//! Compares the distance of Kiln's results from the golden outputs with that of ExecuTorch's own programs, which the index of some
//! suites has.

use crate::case_run::{CaseResult, Executor, name};
use crate::suite::Suite;
use crate::table::Results;
use anyhow::{Result, bail};
use std::ops::AddAssign;

/// The SQNR of equal outputs, in dB: more than f32 can show.
const EQUAL: f64 = 200.0;
/// Beyond this SQNR, in dB, the differences are those of the order of additions.
const ENOUGH: f64 = 100.0;

/// The comparison of a suite.
#[derive(Debug, Default, PartialEq)]
pub struct BesidePeer {
    /// The number of cases that were compared.
    pub compared: usize,
    /// The cases that are farther from the golden outputs than allowed: name, dB of Kiln's program, dB of ExecuTorch's.
    pub farther: Vec<(String, f64, f64)>,
}

impl AddAssign for BesidePeer {
    fn add_assign(&mut self, other: BesidePeer) {
        self.compared += other.compared;
        self.farther.extend(other.farther);
    }
}

impl BesidePeer {
    /// Prints the cases that are farther.
    ///
    /// # Errors
    /// If there is one, or if nothing was compared.
    pub fn check(&self) -> Result<()> {
        for (case, ours, theirs) in &self.farther {
            println!("  {case}: {ours:.1} dB, ExecuTorch's program {theirs:.1} dB");
        }
        let (compared, farther) = (self.compared, self.farther.len());
        println!("beside ExecuTorch's programs: {compared} cases compared, {farther} farther");
        match (compared, farther) {
            (0, _) => bail!("no case has a figure of ExecuTorch's program"),
            (_, 0) => Ok(()),
            _ => bail!(
                "{farther} cases are farther from the golden outputs than ExecuTorch's programs"
            ),
        }
    }
}

/// Compares the results on the stock runtime. A case may be `allowed` dB below ExecuTorch's program, and must reach [`ENOUGH`] dB at
/// most; a case that is wrong or does not run is below any. Cases without a figure of ExecuTorch's are not compared.
pub fn beside_peer(suite: &Suite, results: &Results, allowed: f64) -> BesidePeer {
    let mut found = BesidePeer::default();
    for case in &suite.cases {
        let ours = results.get(&case.name).and_then(sqnr);
        let (Some(ours), Some(theirs)) = (ours, case.sqnr_of_peer()) else {
            continue;
        };
        found.compared += 1;
        if ours < (theirs - allowed).min(ENOUGH) {
            found.farther.push((case.name.clone(), ours, theirs));
        }
    }
    found
}

/// The SQNR of a case on the stock runtime, in dB; minus infinity if it is not right. `None` if the stock runtime was not asked.
///
/// A wrong outcome may lack a ratio, as that of NaN does, so only a right one without a ratio is equal.
fn sqnr(result: &CaseResult) -> Option<f64> {
    let outcome = result.outcomes.get(name(Executor::Stock))?;
    Some(match outcome.status.as_str() {
        "ok" => outcome.sqnr.unwrap_or(EQUAL),
        _ => f64::NEG_INFINITY,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case_run::Outcome;
    use crate::suite::Case;

    #[test]
    fn half_a_decibel_is_allowed_and_a_hundred_is_enough() {
        let case = |name: &str, peer: f64| Case {
            name: name.to_owned(),
            sqnr_peer: Some(peer),
            ..Case::default()
        };
        let of = |status: &str, sqnr: Option<f64>| {
            let outcome = Outcome {
                status: status.to_owned(),
                detail: String::new(),
                sqnr,
            };
            CaseResult {
                outcomes: [("stock".to_owned(), outcome)].into_iter().collect(),
                ..CaseResult::default()
            }
        };
        let unknown = Case {
            name: "unknown".to_owned(),
            ..Case::default()
        };
        let suite = Suite {
            name: String::new(),
            cases: vec![
                case("equal", 200.0),
                case("enough", 200.0),
                case("near", 40.0),
                case("far", 40.0),
                case("nan", 40.0),
                case("crashed", 40.0),
                unknown,
            ],
            listed: 7,
        };
        let found = [
            ("equal", "ok", None),
            ("enough", "ok", Some(100.5)),
            ("near", "ok", Some(39.6)),
            ("far", "ok", Some(39.4)),
            ("nan", "wrong", None),
            ("crashed", "failed", None),
            ("unknown", "ok", Some(3.0)),
        ];
        let results = found.map(|(name, status, sqnr)| (name.to_owned(), of(status, sqnr)));
        let found = beside_peer(&suite, &results.into_iter().collect(), 0.5);
        assert_eq!(found.compared, 6);
        let below = |name: &str, db| (name.to_owned(), db, 40.0);
        let lost = f64::NEG_INFINITY;
        let all = [
            below("far", 39.4),
            below("nan", lost),
            below("crashed", lost),
        ];
        assert_eq!(found.farther, all);
    }
}
