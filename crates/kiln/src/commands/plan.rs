//! `kiln plan`: runs the memory planner on buffers from a CSV file.

use anyhow::{Context, Result, bail};
use kiln_plan::{
    Cause, Conflict, Limits, Problem, ProblemError, Proof, Solution, conflict, read_csv, solve,
    validate, write_csv,
};
use kiln_target::progress;
use std::path::Path;

/// The wall-clock limit of a search for a plan within a capacity. Such a search ends once a plan fits, or none can.
const SECONDS: f64 = 60.0;

/// The number of buffers that an error names; it counts the others.
const MAX_NAMES: usize = 8;

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
        planned(&problem, &limits).with_context(|| path.display().to_string())?
    };
    if let Err(faults) = validate(&problem, &solution)
        && problem.capacity.is_none_or(|c| solution.peak <= c)
    {
        bail!("the plan is wrong (a bug in Kiln): {faults:?}");
    }
    let over = problem
        .capacity
        .filter(|&capacity| solution.peak > capacity);
    let found = match over {
        Some(_) => {
            let _stage = progress::stage("find buffers that do not fit together".to_owned());
            conflict(&problem, &limits)?
        }
        None => None,
    };
    if json {
        let mut document = summary(&problem, &solution);
        document["conflict"] = found
            .as_ref()
            .map(|found| conflict_json(&problem, found))
            .into();
        crate::output::print(&format!("{document}\n"))?;
    } else {
        crate::output::print(&write_csv(&problem, Some(&solution.offsets)))?;
        crate::output::say(format_args!(
            "{} bytes, at least {} needed: {}",
            solution.peak,
            solution.lower_bound,
            proof_text(solution.proof)
        ));
    }
    match over {
        Some(capacity) => bail!(
            "{}",
            shortfall(&problem, &solution, capacity, found.as_ref())
        ),
        None => Ok(()),
    }
}

/// A plan. Where none can fit, it is not searched for longer than without a capacity.
fn planned(problem: &Problem, limits: &Limits) -> Result<Solution, ProblemError> {
    let first = solve(problem, &Limits::within_seconds(0.0))?;
    let needs_more = |capacity: u64| first.lower_bound > capacity;
    match problem.capacity.is_some_and(needs_more) {
        true => solve(problem, &Limits::default()),
        false => solve(problem, limits),
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

fn conflict_json(problem: &Problem, found: &Conflict) -> serde_json::Value {
    let ids = found
        .buffers
        .iter()
        .map(|&i| problem.buffers[i].id.as_str());
    let mut document = serde_json::json!({
        "buffers": ids.collect::<Vec<_>>(),
        "irreducible": found.irreducible,
    });
    match found.cause {
        Cause::Alone { needs } => document["needs"] = needs.into(),
        Cause::LiveLoad { step, needs } => {
            document["needs"] = needs.into();
            document["step"] = step.into();
        }
        Cause::Search => {}
    }
    document
}

fn shortfall(
    problem: &Problem,
    solution: &Solution,
    capacity: u64,
    found: Option<&Conflict>,
) -> String {
    let mut text = match solution.lower_bound {
        least if least > capacity => {
            format!("every plan takes at least {least} bytes, and the capacity is {capacity}")
        }
        _ => format!(
            "the best plan found takes {} of {capacity} bytes",
            solution.peak
        ),
    };
    let Some(found) = found else {
        return text;
    };
    let names = found.buffers.iter().take(MAX_NAMES);
    let names: Vec<&str> = names.map(|&i| problem.buffers[i].id.as_str()).collect();
    text.push_str("; these do not fit together: ");
    text.push_str(&names.join(", "));
    match found.buffers.len() - names.len() {
        0 => {}
        more => text.push_str(&format!(" and {more} more (--json lists all)")),
    }
    text
}
