//! Compares the distance of Kiln's results from the golden outputs with that of ExecuTorch's own programs, which the index of some
//! suites has.

use crate::case_run::{CaseResult, Executor, Settings, name, run_program};
use crate::judge::judge;
use crate::suite::{Case, Suite};
use crate::table::Results;
use crate::twins::without_rounding;
use anyhow::{Context, Result, bail};
use kiln::evaluator::run_graph;
use kiln::model::Model;
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
    /// The cases that are farther from the golden outputs than allowed.
    pub farther: Vec<Farther>,
}

/// A case that is farther from the golden outputs than allowed.
#[derive(Debug, PartialEq)]
pub struct Farther {
    /// The case's name.
    pub case: String,
    /// The SQNR of Kiln's program, in dB.
    pub ours: f64,
    /// The SQNR of ExecuTorch's program, in dB.
    pub theirs: f64,
    /// The distances from the model in floats, if the program quantises activations by row where the model does by tensor.
    pub from_floats: Option<FromFloats>,
}

impl Farther {
    /// True if finer scales bring the results nearer to the model in floats than the archive's own.
    fn is_finer(&self) -> bool {
        self.from_floats.is_some_and(|it| it.ours >= it.archive)
    }
}

/// Distances from the model whose activations are not rounded, as SQNR in dB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FromFloats {
    /// The SQNR of Kiln's program.
    pub ours: f64,
    /// The SQNR of the golden outputs.
    pub archive: f64,
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
    /// If one is farther without being nearer to the model in floats by finer scales, or if nothing was compared.
    pub fn check(&self) -> Result<()> {
        for farther in &self.farther {
            let Farther {
                case, ours, theirs, ..
            } = farther;
            print!("  {case}: {ours:.1} dB, ExecuTorch's program {theirs:.1} dB");
            if let Some(FromFloats { ours, archive }) = farther.from_floats {
                print!(
                    "; by row, {ours:.1} dB from the model in floats, the archive {archive:.1} dB"
                );
            }
            println!();
        }
        let finer = self.farther.iter().filter(|it| it.is_finer()).count();
        let (compared, farther) = (self.compared, self.farther.len() - finer);
        println!(
            "beside ExecuTorch's programs: {compared} cases compared, {farther} farther, {finer} nearer to the model in floats instead"
        );
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
/// most; a case that is wrong or does not run is below any. Cases without a figure of ExecuTorch's are not compared. Cases that are
/// farther are compared with the model in floats too.
///
/// # Errors
/// If a case that is farther cannot be compared with the model in floats.
pub fn beside_peer(
    suite: &Suite,
    results: &Results,
    allowed: f64,
    settings: &Settings,
) -> Result<BesidePeer> {
    let mut found = beside_golden(suite, results, allowed);
    for farther in found.farther.iter_mut().filter(|it| it.ours.is_finite()) {
        let mut cases = suite.cases.iter();
        let case = cases.find(|case| case.name == farther.case);
        let case = case.context("a case of the suite")?;
        farther.from_floats = from_floats(case, settings).with_context(|| case.name.clone())?;
    }
    Ok(found)
}

fn beside_golden(suite: &Suite, results: &Results, allowed: f64) -> BesidePeer {
    let mut found = BesidePeer::default();
    for case in &suite.cases {
        let ours = results.get(&case.name).and_then(sqnr);
        let (Some(ours), Some(theirs)) = (ours, case.sqnr_of_peer()) else {
            continue;
        };
        found.compared += 1;
        if ours < (theirs - allowed).min(ENOUGH) {
            found.farther.push(Farther {
                case: case.name.clone(),
                ours,
                theirs,
                from_floats: None,
            });
        }
    }
    found
}

/// How far the results on the stock runtime and the golden outputs are from the model whose activations are not rounded. `None` unless the
/// program quantises activations by row where the model does by tensor, in ops for it.
fn from_floats(case: &Case, settings: &Settings) -> Result<Option<FromFloats>> {
    let ran = run_program(case, Executor::Stock, settings)?;
    let method = &ran.compiled.methods[0];
    if kiln_xnnpack::finer_layer_count(&method.graph, &method.placements) == 0 {
        return Ok(None);
    }
    let path = case.archive();
    let graph = Model::open(&path)?.graph(&path, "forward")?;
    let Some(floats) = without_rounding(&graph)? else {
        return Ok(None);
    };
    let floats = run_graph(&floats, &ran.golden, ran.golden.count())?;
    let sqnr = |results| {
        let verdict = judge(case, &floats, results);
        match (verdict.sqnr, verdict.fault) {
            (Some(sqnr), _) => Ok(sqnr),
            (None, None) => Ok(EQUAL),
            (None, Some(fault)) => bail!("beside the model in floats: {fault}"),
        }
    };
    Ok(Some(FromFloats {
        ours: sqnr(&ran.results)?,
        archive: sqnr(&ran.golden)?,
    }))
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
        let found = beside_golden(&suite, &results.into_iter().collect(), 0.5);
        assert_eq!(found.compared, 6);
        let below = |case: &str, ours| Farther {
            case: case.to_owned(),
            ours,
            theirs: 40.0,
            from_floats: None,
        };
        let lost = f64::NEG_INFINITY;
        let all = [
            below("far", 39.4),
            below("nan", lost),
            below("crashed", lost),
        ];
        assert_eq!(found.farther, all);
    }

    #[test]
    fn finer_scales_excuse_only_what_is_nearer_to_the_floats() {
        let check = |from_floats| {
            let farther = Farther {
                case: "rows".to_owned(),
                ours: 40.0,
                theirs: 60.0,
                from_floats,
            };
            let found = BesidePeer {
                compared: 1,
                farther: vec![farther],
            };
            found.check().is_ok()
        };
        let distances = |ours, archive| Some(FromFloats { ours, archive });
        assert!(check(distances(42.0, 41.0)));
        assert!(!check(distances(41.0, 42.0)));
        assert!(!check(None));
    }
}
