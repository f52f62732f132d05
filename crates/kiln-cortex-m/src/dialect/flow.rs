//! Branches and loops of a program: which calls run, and how often, is decided while running.

use super::program::{BufferId, Program};
use std::ops::Range;

/// A branch or a loop. Its calls are neighbours, and lie in a range of an outer one or in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// One of two ranges of calls runs, the second directly behind the first.
    If {
        /// A byte: the first range runs if it is not 0.
        condition: BufferId,
        /// The calls of the first range.
        then: Range<usize>,
        /// Those of the second.
        otherwise: Range<usize>,
    },
    /// The first range runs, then the second if the condition holds, and so on from the start.
    While {
        /// A byte: the loop ends behind the first range if it is 0.
        condition: BufferId,
        /// The calls in front of the decision.
        test: Range<usize>,
        /// The calls behind it.
        body: Range<usize>,
    },
}

/// What a program does, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A call, by its number.
    Call(usize),
    /// A branch.
    If {
        /// The byte that decides.
        condition: BufferId,
        /// What is done if it is not 0.
        then: Vec<Step>,
        /// What is done if it is 0.
        otherwise: Vec<Step>,
    },
    /// A loop.
    While {
        /// The byte that decides.
        condition: BufferId,
        /// What is done in front of each decision.
        test: Vec<Step>,
        /// What is done if it is not 0.
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
    /// What the program does.
    pub fn steps(&self) -> Vec<Step> {
        self.steps_of(0..self.calls.len(), &self.flows)
    }

    /// The steps of some calls, with those branches and loops that lie in them. An inner one comes before an outer one.
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

/// What runs steps.
pub(crate) trait Runner {
    /// Why a run ends.
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
