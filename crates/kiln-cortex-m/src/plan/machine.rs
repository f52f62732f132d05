//! Runs a program in one arena, as the target does: the check of a plan that no planner is part of.
//!
//! Every buffer is bytes of the arena at the plan's offset. Scratch memory is filled with other bytes at each call. So what a plan
//! wrongly overlaps gives other results than [`evaluate`](crate::evaluate::evaluate()), which has memory of its own for each buffer. That a call does not
//! write what it still reads is checked by itself, because the evaluator reads everything first.

use super::Plan;
use super::accesses::bytes_of;
use crate::dialect::{BufferId, Call, Role, Runner};
use crate::evaluate::{Data, results, written};
use crate::verify::Verified;
use std::ops::Range;

/// A fault of a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// A buffer or scratch memory has no place in the arena.
    #[error("call {call}: bytes {start} to {end} are not in the arena of {arena}")]
    Outside {
        /// The call.
        call: usize,
        /// The first byte.
        start: usize,
        /// The byte behind the last.
        end: usize,
        /// The size of the arena.
        arena: usize,
    },
    /// A call writes bytes that it reads as another operand.
    #[error("call {call}: {written} lies over {other}")]
    Overlap {
        /// The call.
        call: usize,
        /// What it writes.
        written: String,
        /// What it uses too.
        other: String,
    },
    /// A function refuses an operand, and the run ends.
    #[error("call {call}: an operand is refused")]
    Refused {
        /// The call.
        call: usize,
    },
}

/// An arena between runs.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    verified: Verified<'p>,
    plan: &'p Plan,
    arena: Vec<u8>,
}

/// Memory that a call uses.
struct Used {
    name: String,
    bytes: Range<usize>,
    is_written: bool,
    may_be_replaced: bool,
}

impl<'p> Machine<'p> {
    /// The arena before the first run.
    pub fn new(verified: Verified<'p>, plan: &'p Plan) -> Machine<'p> {
        let mut machine = Machine {
            verified,
            plan,
            arena: vec![0x5A; plan.arena_bytes as usize],
        };
        for (i, buffer) in verified.program().buffers.iter().enumerate() {
            if let Role::State(bytes) = &buffer.role {
                machine.put(BufferId(i as u32), 0, bytes);
            }
        }
        machine
    }

    /// The outputs of the next run.
    ///
    /// # Errors
    /// If the plan makes a call use memory that it must not.
    ///
    /// # Panics
    /// If inputs or outputs lie outside of the arena, or the inputs are not those of the program.
    pub fn run(&mut self, inputs: &[Data]) -> Result<Vec<Data>, MachineError> {
        let program = self.verified.program();
        for (id, input) in program.inputs().into_iter().zip(inputs) {
            self.put(id, 0, &input.bytes());
        }
        self.run_steps(&program.steps())?;
        let outputs = program.outputs().into_iter();
        Ok(outputs.map(|id| self.buffer(id)).collect())
    }

    /// What lies at the place of a buffer.
    ///
    /// # Panics
    /// If it is a constant, or lies outside of the arena.
    pub fn buffer(&self, id: BufferId) -> Data {
        let buffer = &self.verified.program().buffers[id.index()];
        let at = self.offset(id);
        let bytes = &self.arena[at..at + buffer.bytes()];
        Data::of_bytes(buffer.dtype, buffer.elements, bytes)
    }

    fn make(&mut self, number: usize, call: &Call) -> Result<(), MachineError> {
        let program = self.verified.program();
        let used = self.used(number, call);
        self.check(number, &used)?;
        let held = call.buffers.iter().enumerate().map(|(place, id)| {
            let buffer = program.buffer((*id)?)?;
            let view = program.used(call, place)?;
            if let Some(bytes) = buffer.constant() {
                return Some(Data::of_bytes(buffer.dtype, buffer.elements, bytes).part(view));
            }
            let bytes = bytes_of(program, call, place)?;
            let at = self.offset((*id)?);
            let bytes = &self.arena[at + bytes.start as usize..at + bytes.end as usize];
            Some(Data::of_bytes(buffer.dtype, view.elements, bytes))
        });
        let held: Vec<Option<Data>> = held.collect();
        let slots = held.iter().map(Option::as_ref).collect();
        let results = results(call, slots, self.verified.build());
        let results = results.ok_or(MachineError::Refused { call: number })?;
        for scratch in used.iter().filter(|u| u.name == SCRATCH) {
            self.arena[scratch.bytes.clone()].fill(0xA5);
        }
        for ((place, id), result) in written(call).zip(results) {
            let first = bytes_of(program, call, place).map_or(0, |bytes| bytes.start);
            self.put(id, first as usize, &result.bytes());
        }
        Ok(())
    }

    /// The memory of a call, with its scratch memory.
    fn used(&self, number: usize, call: &Call) -> Vec<Used> {
        let (program, row) = (self.verified.program(), call.function.row());
        let slots = row.slots.iter().enumerate().filter_map(|(place, slot)| {
            let id = call.buffers[place]?;
            let offset = self.plan.offsets[id.index()]? as usize;
            let bytes = bytes_of(program, call, place)?;
            Some(Used {
                name: format!("{} ({})", slot.name, program.name_of(id)),
                bytes: offset + bytes.start as usize..offset + bytes.end as usize,
                is_written: slot.access.writes(),
                may_be_replaced: row.overwritable.contains(&slot.name),
            })
        });
        let scratch = row.scratch.iter().zip(&self.plan.scratch[number]);
        let scratch = scratch.map(|(scratch, &at)| {
            let size = (scratch.bytes)(&call.parameters, self.verified.build());
            Used {
                name: SCRATCH.to_owned(),
                bytes: at as usize..at as usize + size,
                is_written: true,
                may_be_replaced: false,
            }
        });
        slots.chain(scratch).collect()
    }

    /// All memory is in the arena, and what is written lies over nothing else.
    fn check(&self, call: usize, used: &[Used]) -> Result<(), MachineError> {
        let arena = self.arena.len();
        for (i, one) in used.iter().enumerate() {
            let Range { start, end } = one.bytes;
            if end > arena {
                return Err(MachineError::Outside {
                    call,
                    start,
                    end,
                    arena,
                });
            }
            for other in &used[i + 1..] {
                let meets = start < other.bytes.end
                    && other.bytes.start < end
                    && !one.bytes.is_empty()
                    && !other.bytes.is_empty();
                let replaces = one.bytes == other.bytes
                    && (one.is_written != other.is_written)
                    && (one.may_be_replaced || other.may_be_replaced);
                if meets && (one.is_written || other.is_written) && !replaces {
                    let (written, other) = (one.name.clone(), other.name.clone());
                    return Err(MachineError::Overlap {
                        call,
                        written,
                        other,
                    });
                }
            }
        }
        Ok(())
    }

    fn offset(&self, id: BufferId) -> usize {
        self.plan.offsets[id.index()].map_or(self.arena.len(), |at| at as usize)
    }

    fn put(&mut self, id: BufferId, first: usize, bytes: &[u8]) {
        let at = self.offset(id) + first;
        self.arena[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

impl Runner for Machine<'_> {
    type Error = MachineError;

    fn call(&mut self, number: usize) -> Result<(), MachineError> {
        let program = self.verified.program();
        self.make(number, &program.calls[number])
    }

    fn holds(&self, condition: BufferId) -> bool {
        match self.verified.program().buffers[condition.index()].constant() {
            Some(bytes) => bytes[0] != 0,
            None => self.arena[self.offset(condition)] != 0,
        }
    }
}

/// The name of scratch memory.
const SCRATCH: &str = "scratch memory";
