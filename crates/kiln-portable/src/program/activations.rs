//! The numbers that a program rounds to what an output follows from.

use super::signature::is_rounding;
use kiln_pte::{Instruction, Method, ScalarType, Value, ValueIndex};
use kiln_target::Activations;
use std::ops::Range;

/// Parts of the names of kernels that give elements as they are.
const MOVING: [&str; 16] = [
    "_copy",
    "cat",
    "clone",
    "embedding",
    "expand",
    "flip",
    "gather",
    "index",
    "permute",
    "repeat",
    "reshape",
    "select",
    "slice",
    "split",
    "stack",
    "transpose",
];

/// What was written to a part of an arena.
struct Written {
    arena: u32,
    bytes: Range<u64>,
    activations: Activations,
}

/// What tensors follow from. In planned memory that is what was written there last: several values may name one place, or a part of it.
struct Found<'m> {
    method: &'m Method,
    /// By value, for those without a place.
    by_value: Vec<Activations>,
    written: Vec<Written>,
    /// Of two branches, the coarser one counts.
    has_branches: bool,
}

impl<'m> Found<'m> {
    fn new(method: &'m Method) -> Found<'m> {
        let mut instructions = method.instructions.iter();
        Found {
            method,
            by_value: vec![Activations::F64; method.values.len()],
            written: Vec::new(),
            has_branches: instructions.any(|i| matches!(i, Instruction::JumpFalse { .. })),
        }
    }

    fn place(&self, value: ValueIndex) -> Option<(u32, Range<u64>)> {
        let tensor = self.method.values[value.index()].as_tensor()?;
        let slot = tensor.storage.slot()?;
        let end = slot.offset.checked_add(tensor.nbytes()?)?;
        Some((slot.arena, slot.offset..end))
    }

    fn get(&self, value: ValueIndex) -> Activations {
        let Some((arena, bytes)) = self.place(value) else {
            return self.by_value[value.index()];
        };
        let here = self.written.iter().filter(|w| w.overlaps(arena, &bytes));
        here.map(|w| w.activations).max().unwrap_or_default()
    }

    fn set(&mut self, value: ValueIndex, activations: Activations) {
        let before = self.has_branches.then(|| self.get(value));
        let activations = activations.max(before.unwrap_or_default());
        self.by_value[value.index()] = activations;
        let Some((arena, bytes)) = self.place(value) else {
            return;
        };
        let (over, mut kept): (Vec<Written>, Vec<Written>) =
            (self.written.drain(..)).partition(|w| w.overlaps(arena, &bytes));
        kept.extend(over.into_iter().flat_map(|w| w.without(&bytes)));
        kept.push(Written {
            arena,
            bytes,
            activations,
        });
        self.written = kept;
    }

    fn coarsest(&self, arguments: &[ValueIndex]) -> Activations {
        let tensors = arguments.iter().flat_map(|&arg| tensors(self.method, arg));
        let all = tensors.map(|tensor| self.get(tensor));
        all.max().unwrap_or_default()
    }

    /// What the caller gives was rounded before.
    fn give_inputs(&mut self) {
        for &input in &self.method.inputs {
            for tensor in tensors(self.method, input) {
                self.set(tensor, Activations::F64);
            }
        }
    }
}

impl Written {
    fn overlaps(&self, arena: u32, bytes: &Range<u64>) -> bool {
        self.arena == arena && self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }

    /// What is left in front of a place and behind it.
    fn without(self, bytes: &Range<u64>) -> impl Iterator<Item = Written> {
        let parts = [self.bytes.start..bytes.start, bytes.end..self.bytes.end];
        let (arena, activations) = (self.arena, self.activations);
        let left = parts.into_iter().filter(|part| !part.is_empty());
        left.map(move |bytes| Written {
            arena,
            bytes,
            activations,
        })
    }
}

/// The coarsest numbers that an output follows from. `inside` tells it of the argument of a delegate.
pub(super) fn of_output(
    method: &Method,
    output: usize,
    inside: impl Fn(usize, usize) -> Option<Activations>,
) -> Activations {
    let Some(&output) = method.outputs.get(output) else {
        return Activations::F32;
    };
    let mut found = Found::new(method);
    // A loop reads what later instructions wrote: the second round has it.
    for _ in 0..2 {
        found.give_inputs();
        for instruction in &method.instructions {
            follow(&mut found, instruction, &inside);
        }
    }
    found.get(output)
}

/// Adds what an instruction writes.
fn follow(
    found: &mut Found<'_>,
    instruction: &Instruction,
    inside: &impl Fn(usize, usize) -> Option<Activations>,
) {
    let method = found.method;
    match instruction {
        Instruction::KernelCall { op, args } => {
            let name = &method.operators[op.index()].name;
            let Some((&last, read)) = args.split_last() else {
                return;
            };
            // The result stands twice in the arguments. A kernel that writes to its first operand reads what was there.
            let is_in_place = read.first() == Some(&last);
            let read: Vec<ValueIndex> = read
                .iter()
                .copied()
                .filter(|&v| is_in_place || v != last)
                .collect();
            let from = found.coarsest(&read);
            for result in tensors(method, last) {
                found.set(result, from.max(of_kernel(method, name, result, from)));
            }
        }
        Instruction::DelegateCall { delegate, args } => {
            let own = |position| inside(delegate.index(), position);
            let read: Vec<ValueIndex> = (0..args.len())
                .filter(|&position| own(position).is_none())
                .map(|position| args[position])
                .collect();
            let from = found.coarsest(&read);
            for (position, &arg) in args.iter().enumerate() {
                if let Some(own) = own(position) {
                    found.set(arg, from.max(own));
                }
            }
        }
        Instruction::Move { from, to } => found.set(*to, found.get(*from)),
        _ => {}
    }
}

/// The tensors of an argument: itself, or those of a list.
fn tensors(method: &Method, argument: ValueIndex) -> Vec<ValueIndex> {
    match &method.values[argument.index()] {
        Value::Tensor(_) => vec![argument],
        Value::TensorList(items) => items.clone(),
        _ => Vec::new(),
    }
}

/// What a kernel rounds its result to, whose operands follow from the numbers of `from`.
fn of_kernel(method: &Method, name: &str, result: ValueIndex, from: Activations) -> Activations {
    // A program that quantises in floats rounds so. Two right values beside a tie become two whole numbers; numbers that are given
    // or only moved are the same everywhere.
    let makes_whole = name == "aten::round" && from > Activations::F64;
    if is_rounding(name) || makes_whole {
        return Activations::Integers;
    }
    let moves = MOVING.iter().any(|part| name.contains(part)) && !name.contains("_to_");
    let tensor = method.values[result.index()].as_tensor();
    match tensor.map(|tensor| tensor.dtype) {
        Some(ScalarType::BF16) if !moves => Activations::BF16,
        Some(ScalarType::F16) if !moves => Activations::F16,
        Some(ScalarType::F32) => Activations::F32,
        _ => Activations::F64,
    }
}
