//! Branches and loops of a program. Which calls run, and how often, is decided when it runs.

use super::program::{BufferId, Program};
use std::ops::Range;

/// A branch or a loop. Its calls follow one another. They lie within one range of an outer branch or loop, or outside of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// A branch: one of two ranges of calls runs. The second lies directly behind the first.
    If {
        /// The byte that decides: the first range runs if it is not 0.
        condition: BufferId,
        /// The calls of the first range.
        then: Range<usize>,
        /// The calls of the second range.
        otherwise: Range<usize>,
    },
    /// A loop: the first range runs, then, if the condition holds, the second, and so on from the start.
    While {
        /// The byte that decides: the loop ends behind the first range if it is 0.
        condition: BufferId,
        /// The calls in front of the decision.
        test: Range<usize>,
        /// The calls behind it.
        body: Range<usize>,
    },
}

/// A step of a program, in the order in which it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A call, by its number.
    Call(usize),
    /// A branch.
    If {
        /// The byte that decides.
        condition: BufferId,
        /// The steps that run if it is not 0.
        then: Vec<Step>,
        /// The steps that run if it is 0.
        otherwise: Vec<Step>,
    },
    /// A loop.
    While {
        /// The byte that decides.
        condition: BufferId,
        /// The steps in front of each decision.
        test: Vec<Step>,
        /// The steps that run if it is not 0.
        body: Vec<Step>,
    },
}

impl Flow {
    /// The byte that decides.
    pub const fn condition(&self) -> BufferId {
        match self {
            Flow::If { condition, .. } | Flow::While { condition, .. } => *condition,
        }
    }

    pub(crate) fn condition_mut(&mut self) -> &mut BufferId {
        match self {
            Flow::If { condition, .. } | Flow::While { condition, .. } => condition,
        }
    }

    /// Its two ranges of calls.
    pub fn ranges(&self) -> [&Range<usize>; 2] {
        match self {
            Flow::If {
                then, otherwise, ..
            } => [then, otherwise],
            Flow::While { test, body, .. } => [test, body],
        }
    }

    /// All its calls.
    pub fn calls(&self) -> Range<usize> {
        let [first, second] = self.ranges();
        first.start..second.end
    }
}

impl Program {
    /// The steps of the program.
    pub fn steps(&self) -> Vec<Step> {
        self.steps_of(0..self.calls.len(), &self.flows)
    }

    /// The steps of some calls, with the branches and loops that lie among them. `flows` has an inner one before an outer one.
    fn steps_of(&self, calls: Range<usize>, flows: &[Flow]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = calls.start;
        while at < calls.end {
            let begins = |flow: &Flow| {
                let own = flow.calls();
                own.start == at && own.end <= calls.end && own.end > at
            };
            let Some(place) = flows.iter().rposition(begins) else {
                steps.push(Step::Call(at));
                at += 1;
                continue;
            };
            let (flow, inner) = (&flows[place], &flows[..place]);
            let [first, second] = flow.ranges();
            let (first, second) = (
                self.steps_of(first.clone(), inner),
                self.steps_of(second.clone(), inner),
            );
            steps.push(match flow {
                Flow::If { condition, .. } => Step::If {
                    condition: *condition,
                    then: first,
                    otherwise: second,
                },
                Flow::While { condition, .. } => Step::While {
                    condition: *condition,
                    test: first,
                    body: second,
                },
            });
            at = flow.calls().end;
        }
        steps
    }
}

/// What can run steps: an evaluator or a machine.
pub(crate) trait Runner {
    /// Why a run ends early.
    type Error;

    /// Makes a call.
    fn call(&mut self, number: usize) -> Result<(), Self::Error>;

    /// Whether a byte is not 0.
    fn holds(&self, condition: BufferId) -> bool;

    /// Runs steps in order.
    fn run_steps(&mut self, steps: &[Step]) -> Result<(), Self::Error> {
        steps.iter().try_for_each(|step| match step {
            Step::Call(number) => self.call(*number),
            Step::If {
                condition,
                then,
                otherwise,
            } => match self.holds(*condition) {
                true => self.run_steps(then),
                false => self.run_steps(otherwise),
            },
            Step::While {
                condition,
                test,
                body,
            } => loop {
                self.run_steps(test)?;
                if !self.holds(*condition) {
                    return Ok(());
                }
                self.run_steps(body)?;
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Function, Reshape};

    #[test]
    fn an_inner_loop_may_begin_with_the_outer_one() {
        let mut program = Program::default();
        for _ in 0..6 {
            program.call(
                Function::ReshapeS8,
                Reshape { total_size: 1 },
                &[None, None],
            );
        }
        let condition = BufferId(0);
        let inner = Flow::While {
            condition,
            test: 1..1,
            body: 1..3,
        };
        let outer = Flow::If {
            condition,
            then: 1..4,
            otherwise: 4..5,
        };
        program.flows = vec![inner, outer];
        let looped = Step::While {
            condition,
            test: vec![],
            body: vec![Step::Call(1), Step::Call(2)],
        };
        let branch = Step::If {
            condition,
            then: vec![looped, Step::Call(3)],
            otherwise: vec![Step::Call(4)],
        };
        assert_eq!(program.steps(), [Step::Call(0), branch, Step::Call(5)]);
    }
}
