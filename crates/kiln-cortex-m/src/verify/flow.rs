//! The rules of branches and loops.

use super::Fault;
use crate::dialect::{Dtype, Flow, Program};
use std::ops::Range;

/// A branch or a loop has calls that follow one another. It lies within one range of an outer one, or beside it. It decides by
/// one byte.
pub(super) fn check(program: &Program, faults: &mut Vec<Fault>) {
    for (i, flow) in program.flows.iter().enumerate() {
        let mut rule = |holds: bool, text: &str| {
            if !holds {
                faults.push(Fault {
                    place: format!("branch or loop {i}"),
                    rule: text.to_owned(),
                });
            }
        };
        let [first, second] = flow.ranges();
        let own = flow.calls();
        let follow = first.start <= first.end
            && first.end == second.start
            && second.start <= second.end
            && second.end <= program.calls.len();
        rule(follow, "its calls do not follow one another");
        rule(!own.is_empty(), "it has no calls");
        let has_body = match flow {
            Flow::If { .. } => true,
            Flow::While { body, .. } => !body.is_empty(),
        };
        rule(has_body, "nothing changes what decides on the loop");
        let is_byte = program
            .buffer(flow.condition())
            .is_some_and(|buffer| buffer.dtype == Dtype::U8 && buffer.elements == 1);
        rule(is_byte, "it does not decide by a byte");
        let fits = |outer: &Flow| {
            let within = |range: &Range<usize>| range.start <= own.start && own.end <= range.end;
            let calls = outer.calls();
            outer.ranges().into_iter().any(within)
                || calls.end <= own.start
                || own.end <= calls.start
        };
        let outer = &program.flows[i + 1..];
        let is_loop = |flow: &Flow| matches!(flow, Flow::While { .. });
        let ends = |other: &Flow| is_loop(other) && other.calls().end == own.end;
        rule(
            !is_loop(flow) || !outer.iter().any(ends),
            "an outer loop ends with the same call",
        );
        rule(
            outer.iter().all(fits),
            "it crosses another, or comes behind an outer one's",
        );
    }
}
