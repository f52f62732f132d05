//! Durations of executions, with the same figures for every runtime.

use crate::counted::counted;
use serde_json::{Value, json};
use std::time::Duration;

/// The durations of the repeated last run, in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    runs: u64,
    repeat: u64,
    threads: u64,
    median: f64,
    least: f64,
    p90: f64,
}

impl Timing {
    /// Durations that Kiln measured, at least one.
    pub fn of(times: &[Duration], runs: usize) -> Timing {
        let mut micros: Vec<f64> = times.iter().map(|t| t.as_secs_f64() * 1e6).collect();
        micros.sort_by(f64::total_cmp);
        let at = |i: usize| micros.get(i).copied().unwrap_or(0.0);
        Timing {
            runs: runs as u64,
            repeat: micros.len() as u64,
            threads: rayon::current_num_threads() as u64,
            median: at(micros.len() / 2),
            least: at(0),
            p90: at(micros.len() * 9 / 10),
        }
    }

    /// The same, of what executes on one thread.
    pub fn on_one_thread(self) -> Timing {
        Timing { threads: 1, ..self }
    }

    /// Durations as the stock runner reports them.
    pub fn of_runner(report: &Value) -> Option<Timing> {
        Some(Timing {
            runs: report["runs"].as_u64()?,
            repeat: report["repeat"].as_u64()?,
            threads: report["threads"].as_u64()?,
            median: report["median_us"].as_f64()?,
            least: report["min_us"].as_f64()?,
            p90: report["p90_us"].as_f64()?,
        })
    }

    /// The figures as JSON.
    pub fn json(&self) -> Value {
        json!({
            "runs": self.runs,
            "repeat": self.repeat,
            "threads": self.threads,
            "median_us": self.median,
            "min_us": self.least,
            "p90_us": self.p90,
        })
    }

    /// The figures as text.
    pub fn text(&self) -> String {
        format!(
            "the last run {} again on {}: median {:.1} us, least {:.1} us, 90 % within {:.1} us",
            counted(self.repeat as usize, "time"),
            counted(self.threads as usize, "thread"),
            self.median,
            self.least,
            self.p90
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_runtimes_have_the_same_figures() {
        let times = [30, 10, 20].map(Duration::from_micros);
        let ours = Timing::of(&times, 2);
        let threads = rayon::current_num_threads();
        let report = json!({"runs": 2, "repeat": 3, "threads": threads, "median_us": 20.0, "min_us": 10.0, "p90_us": 30.0});
        assert_eq!(Timing::of_runner(&report), Some(ours.clone()));
        assert_eq!(ours.json(), report);
    }
}
