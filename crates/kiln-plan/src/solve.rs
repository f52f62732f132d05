//! The solver: check, split into partitions, plan greedily, then search where a gap remains.

use crate::bound::lower_bound;
use crate::instance::Instance;
use crate::limits::Budget;
use crate::portfolio::{Goal, Part};
use crate::{Limits, Problem, ProblemError, Proof, Solution};

/// Places all buffers. The plan is valid whatever the limits; a larger budget may only improve it or prove it optimal.
///
/// With a capacity, the solver stops at the first plan that fits; without, it minimises the peak. The plan fits if
/// `solution.peak <= capacity`. If it does not, [`conflict`](crate::conflict()) says why.
///
/// # Errors
/// If the problem is invalid; see [`ProblemError`].
///
/// ```
/// use kiln_plan::{Buffer, Limits, Problem, Proof, solve, validate};
/// let problem = Problem::new(vec![Buffer::new("a", 0, 2, 64), Buffer::new("b", 1, 3, 32), Buffer::new("c", 2, 4, 64)]);
/// let solution = solve(&problem, &Limits::default()).unwrap();
/// assert_eq!((solution.peak, solution.proof), (96, Proof::LiveLoadMet));
/// assert!(validate(&problem, &solution).is_ok());
/// ```
pub fn solve(problem: &Problem, limits: &Limits) -> Result<Solution, ProblemError> {
    problem.check()?;
    let instance = Instance::new(problem);
    instance.check_pins(problem)?;
    let bound = lower_bound(problem, &instance);
    let enough = problem
        .capacity
        .map_or(bound, |capacity| capacity.max(bound));
    let mut parts: Vec<Part> = instance
        .partitions()
        .into_iter()
        .map(|(members, range)| Part::new(&instance, &members, range, enough))
        .collect();
    let goal = Goal {
        enough,
        is_capacity: problem.capacity.is_some(),
    };
    let searched = improve(&mut parts, bound, goal, limits);
    Ok(assemble(problem, &parts, bound, searched))
}

/// Improves the partition with the largest peak, until the peak is at most `goal.enough` or cannot get lower. Returns the
/// proven lower bound of the whole.
fn improve(parts: &mut [Part], bound: u64, goal: Goal, limits: &Limits) -> u64 {
    let mut budget = Budget::new(limits);
    let mut floor = bound;
    while let Some(worst) = parts.iter_mut().max_by_key(|part| part.peak()) {
        let before = worst.peak();
        let enough = goal.enough.max(floor);
        if before <= enough || budget.is_spent() {
            break;
        }
        worst.improve(Goal { enough, ..goal }, &mut budget, limits.tricks);
        floor = floor.max(worst.lower_bound());
        if worst.peak() == before && !worst.is_optimal() {
            break;
        }
    }
    floor
}

fn assemble(problem: &Problem, parts: &[Part], bound: u64, searched: u64) -> Solution {
    let mut offsets: Vec<u64> = problem.buffers.iter().map(|b| b.pin.unwrap_or(0)).collect();
    for part in parts {
        part.offsets().for_each(|(buffer, at)| offsets[buffer] = at);
    }
    let peak = problem
        .buffers
        .iter()
        .zip(&offsets)
        .map(|(b, at)| at + b.size)
        .max()
        .unwrap_or(0);
    let lower_bound = searched.max(bound);
    let proof = match peak {
        _ if peak == bound => Proof::LiveLoadMet,
        _ if peak == lower_bound => Proof::SearchExhausted,
        _ => Proof::Gap {
            bytes: peak - lower_bound,
        },
    };
    Solution {
        offsets,
        peak,
        lower_bound,
        proof,
    }
}
