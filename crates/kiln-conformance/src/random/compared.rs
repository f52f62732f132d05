//! How much random graphs compare.
//!
//! A graph without values, or a program that no inputs give a value, shows nothing. Each is counted apart, and a run
//! fails if there are many of them.

use kiln_check::{Baseline, Compared};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Of 100 graphs, how many have a value in at least one situation.
const LEAST_WITH_VALUES: u64 = 95;

/// The elements that are compared for each graph, on average.
const LEAST_ELEMENTS: u64 = 5000;

/// Of 100 programs, how many give a value on at least one kind of inputs.
const LEAST_PROGRAMS: u64 = 95;

/// Graphs, or programs, below which their shares say nothing.
const FEW: u64 = 50;

/// What a run compared.
#[derive(Default)]
pub struct Tally {
    graphs: AtomicU64,
    with_values: AtomicU64,
    passes: Mutex<Compared>,
    programs: AtomicU64,
    programs_with_values: AtomicU64,
    of_programs: Mutex<Compared>,
}

impl Tally {
    /// Counts a graph with its values.
    pub fn graph(&self, known: &[Baseline]) {
        count_one(&self.graphs);
        if known.iter().any(|b| b.elements() > 0) {
            count_one(&self.with_values);
        }
    }

    /// Counts what was compared behind passes.
    pub fn add(&self, compared: Compared) {
        *self.passes.lock().expect(NO_PANIC) += compared;
    }

    /// Counts a program that agrees with the evaluator as far as it was compared.
    pub fn program(&self, compared: Compared) {
        count_one(&self.programs);
        if !compared.is_blind() {
            count_one(&self.programs_with_values);
        }
        *self.of_programs.lock().expect(NO_PANIC) += compared;
    }

    /// What was compared, in two lines, and what of it is too little.
    pub fn report(&self) -> (String, Vec<String>) {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (graphs, with_values) = (load(&self.graphs), load(&self.with_values));
        let (programs, run) = (load(&self.programs), load(&self.programs_with_values));
        let passes = *self.passes.lock().expect(NO_PANIC);
        let of_programs = *self.of_programs.lock().expect(NO_PANIC);
        let text = format!(
            "{with_values} graphs with values; behind {} passes that changed them, {} elements compared in {} situations\n\
             {run} programs compared with the evaluator, {} elements in {} situations; {} more compiled, which no inputs give a value\n",
            passes.changes,
            passes.elements,
            passes.situations,
            of_programs.elements,
            of_programs.situations,
            programs - run,
        );
        let mut faults = Vec::new();
        if passes.elements == 0 {
            faults.push("nothing was compared".to_owned());
        }
        if graphs >= FEW && 100 * with_values < LEAST_WITH_VALUES * graphs {
            faults.push(format!(
                "{with_values} of {graphs} graphs have values, at least {LEAST_WITH_VALUES} % are wanted"
            ));
        }
        if graphs >= FEW && (passes.elements as u64) < LEAST_ELEMENTS * graphs {
            faults.push(format!(
                "{} elements were compared, at least {LEAST_ELEMENTS} for each of {graphs} graphs are wanted",
                passes.elements
            ));
        }
        if programs >= FEW && 100 * run < LEAST_PROGRAMS * programs {
            faults.push(format!(
                "{run} of {programs} programs were compared, at least {LEAST_PROGRAMS} % are wanted"
            ));
        }
        (text, faults)
    }
}

const NO_PANIC: &str = "no thread panics while it holds the lock";

fn count_one(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compares_nothing_is_too_little() {
        let tally = Tally::default();
        assert_eq!(tally.report().1, ["nothing was compared"]);
        (0..FEW).for_each(|_| tally.graph(&[]));
        let faults = tally.report().1;
        assert_eq!(faults.len(), 3, "{faults:?}");
        let blind = Compared {
            changes: 1,
            ..Compared::default()
        };
        (0..FEW).for_each(|_| tally.program(blind));
        let (text, faults) = tally.report();
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(text.contains("50 more compiled"), "{text}");
    }
}
