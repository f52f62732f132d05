//! `kiln plan`: runs the memory planner on buffers from a CSV file.

use anyhow::{Context, Result, bail};
use kiln_plan::{Limits, Problem, Proof, Solution, conflict, read_csv, solve, validate, write_csv};
use kiln_target::progress;
use std::path::Path;

/// The wall-clock limit of a search for a plan within a capacity. Such a search ends once a plan fits, or none can.
const SECONDS: f64 = 60.0;

/// Plans the buffers in the file at `path`. Prints them with their offsets as CSV, or a summary as JSON.
///
/// # Errors
/// The file is not such a CSV, or no plan within the capacity was found.
pub fn run(path: &Path, capacity: Option<u64>, seconds: Option<f64>, json: bool) -> Result<()> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut problem = read_csv(&text).with_context(|| path.display().to_string())?;
    problem.capacity = capacity.or(problem.capacity);
    let seconds = seconds.or(problem.capacity.map(|_| SECONDS));
    let limits = seconds.map_or_else(Limits::default, Limits::within_seconds);
    let solution = {
        let _stage = progress::stage(format!("plan {} buffers", problem.buffers.len()));
        solve(&problem, &limits).with_context(|| path.display().to_string())?
    };
    if let Err(faults) = validate(&problem, &solution)
        && problem.capacity.is_none_or(|c| solution.peak <= c)
    {
        bail!("the plan is wrong (a bug in Kiln): {faults:?}");
    }
    if json {
        crate::output::print(&format!("{}\n", summary(&problem, &solution)))?;
    } else {
        crate::output::print(&write_csv(&problem, Some(&solution.offsets)))?;
        crate::output::say(format_args!(
            "{} bytes, at least {} needed: {}",
            solution.peak,
            solution.lower_bound,
            proof_text(solution.proof)
        ));
    }
    match problem.capacity {
        Some(capacity) if solution.peak > capacity => {
            bail!("{}", shortfall(&problem, &solution, &limits, capacity)?)
        }
        _ => Ok(()),
    }
}

fn proof_text(proof: Proof) -> String {
    match proof {
        Proof::LiveLoadMet => "optimal, the largest live load".into(),
        Proof::SearchExhausted => "optimal, all plans searched".into(),
        Proof::Gap { bytes } => format!("{bytes} bytes above what is proven"),
    }
}

fn summary(problem: &Problem, solution: &Solution) -> serde_json::Value {
    let proof = match solution.proof {
        Proof::LiveLoadMet => "live_load_met",
        Proof::SearchExhausted => "search_exhausted",
        Proof::Gap { .. } => "gap",
    };
    let offsets: serde_json::Map<String, serde_json::Value> = problem
        .buffers
        .iter()
        .zip(&solution.offsets)
        .map(|(b, &o)| (b.id.clone(), o.into()))
        .collect();
    serde_json::json!({
        "peak": solution.peak,
        "lower_bound": solution.lower_bound,
        "proof": proof,
        "fits": problem.capacity.is_none_or(|c| solution.peak <= c),
        "offsets": offsets,
    })
}

fn shortfall(
    problem: &Problem,
    solution: &Solution,
    limits: &Limits,
    capacity: u64,
) -> Result<String> {
    let mut text = format!(
        "the best plan found takes {} of {capacity} bytes",
        solution.peak
    );
    let found = {
        let _stage = progress::stage("find buffers that do not fit together".to_owned());
        conflict(problem, limits)?
    };
    if let Some(conflict) = found {
        let names: Vec<&str> = conflict
            .buffers
            .iter()
            .take(8)
            .map(|&i| problem.buffers[i].id.as_str())
            .collect();
        let more = conflict.buffers.len().saturating_sub(names.len());
        text.push_str(&format!(
            "; these do not fit together: {}",
            names.join(", ")
        ));
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
    }
    Ok(text)
}
