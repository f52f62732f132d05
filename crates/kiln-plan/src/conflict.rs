//! Explains why a problem does not fit its capacity, by buffers that do not fit together. Finds as few as it can.

use crate::bound::{gcd, section_loads};
use crate::instance::{Instance, raise};
use crate::limits::Budget;
use crate::portfolio::Part;
use crate::{Limits, Problem, ProblemError, Tricks};

/// Buffers that do not fit the capacity together, wherever the other buffers lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Their indices in the problem, ascending.
    pub buffers: Vec<usize>,
    /// How this is known.
    pub cause: Cause,
    /// True if it is known that the others fit without any one of them.
    pub irreducible: bool,
}

/// How a conflict is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A single buffer is larger than the capacity, or its pin puts it beyond.
    Alone {
        /// The peak of this buffer alone.
        needs: u64,
    },
    /// The buffers are live at the same time, and their sum exceeds the capacity.
    LiveLoad {
        /// A step at which all of them are live.
        step: u64,
        /// Their sum, including what alignment adds.
        needs: u64,
    },
    /// No single step explains it, but the search has tried all placements.
    Search,
}

/// A conflict of `problem`. `None` if the problem fits or has no capacity, or if `limits` do not suffice to prove that
/// it does not fit.
///
/// # Errors
/// If the problem is invalid; see [`ProblemError`].
///
/// ```
/// use kiln_plan::{Buffer, Cause, Limits, Problem, conflict};
/// let buffers = vec![Buffer::new("a", 0, 2, 64), Buffer::new("b", 1, 3, 8), Buffer::new("c", 1, 4, 64)];
/// let problem = Problem { buffers, capacity: Some(100) };
/// let found = conflict(&problem, &Limits::default()).unwrap().unwrap();
/// assert_eq!((found.buffers, found.cause), (vec![0, 2], Cause::LiveLoad { step: 1, needs: 128 }));
/// ```
pub fn conflict(problem: &Problem, limits: &Limits) -> Result<Option<Conflict>, ProblemError> {
    problem.check()?;
    let Some(capacity) = problem.capacity else {
        return Ok(None);
    };
    if let Some(found) = alone(problem, capacity) {
        return Ok(Some(found));
    }
    let instance = Instance::new(problem);
    instance.check_pins(problem)?;
    if let Some(found) = at_once(problem, &instance, capacity) {
        return Ok(Some(found));
    }
    let mut budget = Budget::new(limits);
    let partitions = instance.partitions();
    let unfit = partitions.iter().find(|(members, range)| {
        Part::new(&instance, members, range.clone(), capacity).fits(
            capacity,
            &mut budget,
            limits.tricks,
        ) == Some(false)
    });
    Ok(unfit.map(|(members, _)| {
        reduce(
            &instance,
            members.clone(),
            capacity,
            &mut budget,
            limits.tricks,
        )
    }))
}

fn alone(problem: &Problem, capacity: u64) -> Option<Conflict> {
    let reach = |i: usize| problem.buffers[i].pin.unwrap_or(0) + problem.buffers[i].size;
    let worst = (0..problem.buffers.len())
        .max_by_key(|&i| reach(i))
        .filter(|&i| reach(i) > capacity)?;
    Some(Conflict {
        buffers: vec![worst],
        cause: Cause::Alone {
            needs: reach(worst),
        },
        irreducible: true,
    })
}

/// The largest buffers of the fullest section: the fewest that exceed the capacity.
fn at_once(problem: &Problem, instance: &Instance, capacity: u64) -> Option<Conflict> {
    let loads = section_loads(instance);
    let fullest = (0..loads.len())
        .max_by_key(|&s| (loads[s], usize::MAX - s))
        .filter(|&s| loads[s] > capacity)?;
    let g = instance
        .items
        .iter()
        .fold(0, |g, item| gcd(g, item.alignment));
    let mut live: Vec<_> = instance
        .items
        .iter()
        .filter(|item| item.sections().contains(&fullest))
        .collect();
    live.sort_by_key(|item| std::cmp::Reverse(item.size));
    let (mut sum, mut relief) = (0, 0);
    let enough = live.iter().position(|item| {
        sum += raise(item.size, g);
        relief = relief.max(raise(item.size, g) - item.size);
        sum - relief > capacity
    })?;
    live.truncate(enough + 1);
    let irreducible = relief == 0
        && live
            .iter()
            .all(|item| item.alignment == g && item.pin.is_none());
    let mut buffers: Vec<usize> = live.iter().map(|item| item.buffer).collect();
    buffers.sort_unstable();
    let step = buffers.iter().map(|&i| problem.buffers[i].lower).max()?;
    Some(Conflict {
        buffers,
        cause: Cause::LiveLoad {
            step,
            needs: sum - relief,
        },
        irreducible,
    })
}

/// The approximate work of greedy plans per item.
const WORK_PER_ITEM: u64 = 64;

/// Removes one item after the other, as long as the rest does not fit.
fn reduce(
    instance: &Instance,
    mut members: Vec<usize>,
    capacity: u64,
    budget: &mut Budget,
    tricks: Tricks,
) -> Conflict {
    let mut irreducible = true;
    for item in members.clone() {
        if !budget.spend(WORK_PER_ITEM * members.len() as u64) {
            irreducible = false;
            break;
        }
        let rest: Vec<usize> = members.iter().copied().filter(|&i| i != item).collect();
        match subset_fits(instance, &rest, capacity, budget, tricks) {
            Some(true) => {}
            Some(false) => members = rest,
            None => irreducible = false,
        }
    }
    let buffers = members.iter().map(|&i| instance.items[i].buffer).collect();
    Conflict {
        buffers,
        cause: Cause::Search,
        irreducible,
    }
}

/// True if `members` alone fit; `None` if the budget runs out.
fn subset_fits(
    instance: &Instance,
    members: &[usize],
    capacity: u64,
    budget: &mut Budget,
    tricks: Tricks,
) -> Option<bool> {
    let subset = instance.part(members, 0..instance.sections);
    let mut unknown = false;
    for (members, range) in subset.partitions() {
        match Part::new(&subset, &members, range, capacity).fits(capacity, budget, tricks) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => unknown = true,
        }
    }
    (!unknown).then_some(true)
}
