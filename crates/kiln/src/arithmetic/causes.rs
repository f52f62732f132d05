//! Why nodes were not computed in integers, as the passes reported it.

use kiln_transforms::decompose;
use kiln_transforms::framework::pass::PassRun;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::passes::{fold_dequantised, fold_quantised};
use std::collections::HashMap;

/// Reasons by the exporter's names of nodes: the nodes themselves are rewritten until a graph is lowered.
#[derive(Default)]
pub struct Causes<'r> {
    by_name: HashMap<&'r str, &'r Reason>,
}

impl<'r> Causes<'r> {
    /// What passes said. What the target said of a form in integers goes before what the archive lacks for one.
    pub fn of(runs: &'r [PassRun]) -> Causes<'r> {
        let mut causes = Causes::of_weights(runs);
        causes.note_declined(runs, fold_quantised::PASS.name);
        causes
    }

    /// What passes said of layers whose weights alone are integers.
    pub fn of_weights(runs: &'r [PassRun]) -> Causes<'r> {
        let mut causes = Causes::default();
        for run in runs {
            let given_up = run.report.applied.iter();
            let given_up = given_up.filter(|a| decompose::gives_up_integers(a.rule));
            causes.note(given_up.filter_map(|a| Some((&a.nodes, a.why.as_ref()?))));
        }
        causes.note_declined(runs, fold_dequantised::PASS.name);
        causes
    }

    fn note_declined(&mut self, runs: &'r [PassRun], pass: &str) {
        for run in runs.iter().filter(|run| run.pass == pass) {
            let declined = run.report.declined.iter();
            self.note(declined.map(|d| (&d.nodes, &d.reason)));
        }
    }

    fn note(&mut self, reasons: impl Iterator<Item = (&'r Vec<String>, &'r Reason)>) {
        for (names, reason) in reasons {
            for name in names {
                self.by_name.entry(name).or_insert(reason);
            }
        }
    }

    /// The reason for the first of these names that has one.
    pub fn of_names(&self, names: &[String]) -> Option<&'r Reason> {
        names
            .iter()
            .find_map(|name| self.by_name.get(name.as_str()).copied())
    }
}
