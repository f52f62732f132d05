//! Orders the calls of a program so that fewer bytes are live at once.
//!
//! What is live between calls depends on which calls are done, not on their order. So the best order to each set of done calls is found from
//! those to the sets of one call less. All sets are visited if there are few enough; else those of each size that need the fewest bytes.

use super::ALIGNMENT;
use crate::dialect::{Access, Build, Call, Program, Role};
use rustc_hash::FxHashMap;

/// The sets of one size that are visited at most.
const WIDTH: usize = 500;

/// Of long programs fewer sets are visited: so many calls in all are asked whether they are ready.
const QUESTIONS: usize = 20_000_000;

/// An order of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The calls, by their numbers in the program.
    pub calls: Vec<usize>,
    /// The bytes that are live at most.
    pub peak: u64,
    /// Whether no other order has fewer.
    pub is_least: bool,
}

/// What is known of a call.
struct Task {
    /// The calls that have to be done before.
    after: Vec<usize>,
    /// Buffers that it uses, without constants.
    uses: Vec<usize>,
    scratch: u64,
    /// The result that may take the place of an operand, and the operands.
    replaces: Option<(usize, Vec<usize>)>,
}

/// A set of done calls.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Done(Vec<u64>);

impl Done {
    fn has(&self, call: usize) -> bool {
        self.0[call / 64] >> (call % 64) & 1 == 1
    }

    fn with(&self, call: usize) -> Done {
        let mut more = self.clone();
        more.0[call / 64] |= 1 << (call % 64);
        more
    }
}

/// The best way to a set.
#[derive(Clone)]
struct Way {
    peak: u64,
    /// The bytes that are live after it.
    live: u64,
    /// The step before, and the call, by its place among all steps.
    from: usize,
    call: usize,
}

/// The order in which the fewest bytes are live at once; of equal ones, that which takes calls first that come first.
pub fn order(program: &Program, build: Build) -> Order {
    let search = Search::of(program, build);
    let count = search.tasks.len();
    let start = Way {
        peak: 0,
        live: search.at_start,
        from: 0,
        call: usize::MAX,
    };
    let mut steps = vec![start];
    let mut sets = vec![(Done(vec![0; count.div_ceil(64)]), 0)];
    let mut is_least = true;
    let width = (QUESTIONS / (count * count).max(1)).clamp(1, WIDTH);
    for _ in 0..count {
        let mut found: FxHashMap<Done, usize> = FxHashMap::default();
        let mut next: Vec<(Done, Way)> = Vec::new();
        for (done, at) in &sets {
            for call in search.ready(done) {
                let (more, way) = (done.with(call), search.way(done, &steps[*at], *at, call));
                match found.get(&more) {
                    Some(&known) if next[known].1.peak <= way.peak => {}
                    Some(&known) => next[known].1 = way,
                    None => {
                        found.insert(more.clone(), next.len());
                        next.push((more, way));
                    }
                }
            }
        }
        if next.len() > width {
            next.sort_by_key(|(_, way)| (way.peak, way.live));
            next.truncate(width);
            is_least = false;
        }
        sets = next
            .into_iter()
            .map(|(done, way)| {
                steps.push(way);
                (done, steps.len() - 1)
            })
            .collect();
    }
    let (_, last) = sets.swap_remove(0);
    let mut calls = Vec::with_capacity(count);
    let mut at = last;
    while steps[at].call != usize::MAX {
        calls.push(steps[at].call);
        at = steps[at].from;
    }
    calls.reverse();
    Order {
        calls,
        peak: steps[last].peak,
        is_least,
    }
}

/// A program with its calls in the order in which the fewest bytes are live at once. `None` if no order has fewer than its own, or if it
/// has branches or loops.
pub fn reordered(program: &Program, build: Build) -> Option<Program> {
    if !program.flows.is_empty() {
        return None;
    }
    let found = order(program, build);
    let search = Search::of(program, build);
    let is_better = found.peak < search.peak_of(0..program.calls.len());
    is_better.then(|| Program {
        buffers: program.buffers.clone(),
        calls: found
            .calls
            .iter()
            .map(|&call| program.calls[call].clone())
            .collect(),
        flows: Vec::new(),
    })
}

struct Search {
    tasks: Vec<Task>,
    /// The bytes of each buffer; 0 for constants.
    bytes: Vec<u64>,
    /// The calls that use each buffer.
    users: Vec<Vec<usize>>,
    is_given: Vec<bool>,
    is_kept: Vec<bool>,
    at_start: u64,
}

impl Search {
    fn of(program: &Program, build: Build) -> Search {
        let round = |bytes: usize| (bytes as u64).next_multiple_of(ALIGNMENT);
        let bytes = program.buffers.iter().map(|b| match b.constant() {
            Some(_) => 0,
            None => round(b.bytes()),
        });
        let role = |holds: fn(&Role) -> bool| -> Vec<bool> {
            program.buffers.iter().map(|b| holds(&b.role)).collect()
        };
        let mut search = Search {
            tasks: Vec::new(),
            bytes: bytes.collect(),
            users: vec![Vec::new(); program.buffers.len()],
            is_given: role(Role::is_given),
            is_kept: role(Role::is_kept),
            at_start: 0,
        };
        let mut writers = vec![Vec::new(); program.buffers.len()];
        for (at, call) in program.calls.iter().enumerate() {
            let scratch = call.function.row().scratch.iter();
            let mut task = Task {
                after: Vec::new(),
                uses: Vec::new(),
                scratch: scratch
                    .map(|s| round((s.bytes)(&call.parameters, build)))
                    .sum(),
                replaces: None,
            };
            search.note(program, at, call, &mut writers, &mut task);
            search.tasks.push(task);
        }
        let given = (0..search.bytes.len())
            .filter(|&i| search.is_given[i] && (search.is_kept[i] || !search.users[i].is_empty()));
        search.at_start = given.map(|i| search.bytes[i]).sum();
        search
    }

    /// Notes what a call uses, and what has to be done before it.
    fn note(
        &mut self,
        program: &Program,
        at: usize,
        call: &Call,
        writers: &mut [Vec<usize>],
        task: &mut Task,
    ) {
        let row = call.function.row();
        for (slot, id) in row.slots.iter().zip(&call.buffers) {
            let id = id.map(|id| id.index());
            let Some(id) = id.filter(|&id| program.buffers[id].constant().is_none()) else {
                continue;
            };
            // Readers follow writers, and writers follow all that came before.
            let before = match slot.access.writes() {
                true => &self.users[id],
                false => &writers[id],
            };
            task.after
                .extend(before.iter().filter(|&&other| other != at));
            if !task.uses.contains(&id) {
                task.uses.push(id);
                self.users[id].push(at);
            }
            if slot.access.writes() {
                writers[id].push(at);
            }
            if slot.access == Access::Write {
                let over = row.overwritable.iter();
                let over = over.filter_map(|name| Some(call.buffers[row.slot(name)?]?.index()));
                let over = over.filter(|&o| o != id && self.bytes[o] == self.bytes[id]);
                task.replaces = Some((id, over.collect()));
            }
        }
    }

    fn ready<'s>(&'s self, done: &'s Done) -> impl Iterator<Item = usize> + 's {
        let is_ready = |&call: &usize| {
            !done.has(call)
                && self.tasks[call]
                    .after
                    .iter()
                    .all(|&before| done.has(before))
        };
        (0..self.tasks.len()).filter(is_ready)
    }

    /// Whether a buffer is dead after a call, the last of its users.
    fn dies(&self, buffer: usize, done: &Done, call: usize) -> bool {
        !self.is_kept[buffer]
            && self.users[buffer]
                .iter()
                .all(|&user| user == call || done.has(user))
    }

    fn way(&self, done: &Done, before: &Way, from: usize, call: usize) -> Way {
        let task = &self.tasks[call];
        let is_new = |buffer: usize| {
            !self.is_given[buffer] && self.users[buffer].iter().all(|&user| !done.has(user))
        };
        let new: u64 = task
            .uses
            .iter()
            .filter(|&&b| is_new(b))
            .map(|&b| self.bytes[b])
            .sum();
        let dead: u64 = task
            .uses
            .iter()
            .filter(|&&b| self.dies(b, done, call))
            .map(|&b| self.bytes[b])
            .sum();
        let saved = task
            .replaces
            .as_ref()
            .filter(|(_, over)| over.iter().any(|&o| self.dies(o, done, call)));
        let saved = saved.map_or(0, |(out, _)| self.bytes[*out]);
        Way {
            peak: before.peak.max(before.live + new + task.scratch - saved),
            live: before.live + new - dead,
            from,
            call,
        }
    }

    /// The bytes that are live at most in an order.
    fn peak_of(&self, calls: impl Iterator<Item = usize>) -> u64 {
        let mut done = Done(vec![0; self.tasks.len().div_ceil(64)]);
        let mut way = Way {
            peak: 0,
            live: self.at_start,
            from: 0,
            call: usize::MAX,
        };
        for call in calls {
            way = self.way(&done, &way, 0, call);
            done = done.with(call);
        }
        way.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Buffer, Dtype, Function, Reshape};

    /// Two branches that become small: one is done before the other begins.
    #[test]
    fn a_branch_is_finished_first() {
        let mut program = Program::default();
        let mut add = |name: &str, elements: usize, role: Role| {
            program.add(Buffer::new(name, Dtype::I8, elements, role))
        };
        let x = add("x", 16, Role::Input);
        let wide = [
            add("a", 512, Role::Temporary),
            add("b", 512, Role::Temporary),
        ];
        let small = [add("c", 16, Role::Output), add("d", 16, Role::Output)];
        let mut call = |from, to| {
            let parameters = Reshape { total_size: 1 };
            program.call(Function::ReshapeS8, parameters, &[Some(from), Some(to)]);
        };
        wide.into_iter().for_each(|w| call(x, w));
        wide.into_iter().zip(small).for_each(|(w, s)| call(w, s));
        let found = order(&program, Build::Dsp);
        assert_eq!(
            (found.calls, found.peak, found.is_least),
            (vec![0, 2, 1, 3], 16 + 512 + 16, true)
        );
        let after = reordered(&program, Build::Dsp).expect("an order with fewer bytes");
        assert_eq!(after.calls[1], program.calls[2]);
        assert_eq!(reordered(&after, Build::Dsp), None);
    }

    /// Of random programs, no order has fewer live bytes than the one that is found.
    #[test]
    fn no_order_is_better() {
        let mut state = 1u64;
        let mut below = |end: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        let mut improved = 0;
        for _ in 0..200 {
            let mut program = Program::default();
            let count = 2 + below(5);
            for i in 0..=count {
                let role = match i {
                    0 => Role::Input,
                    i if i == count => Role::Output,
                    _ => Role::Temporary,
                };
                program.add(Buffer::new(
                    i.to_string(),
                    Dtype::I8,
                    16 * (1 + below(9)),
                    role,
                ));
            }
            for i in 1..=count {
                let add = crate::dialect::Add::default();
                let [a, b] = [below(i), below(i)].map(|i| Some(crate::dialect::BufferId(i as u32)));
                let out = Some(crate::dialect::BufferId(i as u32));
                program.call(Function::ElementwiseAddS8, add, &[a, b, out]);
            }
            let found = order(&program, Build::Dsp);
            let search = Search::of(&program, Build::Dsp);
            let mut least = u64::MAX;
            all_orders(&search, &mut Vec::new(), &mut |calls| {
                least = least.min(search.peak_of(calls.iter().copied()))
            });
            assert!(found.is_least);
            assert_eq!(found.peak, least);
            assert_eq!(found.peak, search.peak_of(found.calls.iter().copied()));
            improved += usize::from(reordered(&program, Build::Dsp).is_some());
        }
        assert_eq!(improved, 63);
    }

    fn all_orders(search: &Search, calls: &mut Vec<usize>, found: &mut impl FnMut(&[usize])) {
        if calls.len() == search.tasks.len() {
            return found(calls);
        }
        let mut done = Done(vec![0; 1]);
        calls.iter().for_each(|&call| done = done.with(call));
        for call in search.ready(&done).collect::<Vec<_>>() {
            calls.push(call);
            all_orders(search, calls, found);
            calls.pop();
        }
    }
}
