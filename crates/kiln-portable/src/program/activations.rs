//! The numbers that a program rounds to what an output follows from.

use super::signature::is_rounding;
use kiln_pte::{ArenaSlot, Instruction, Method, ScalarType, Value, ValueIndex};
use kiln_target::Activations;
use std::collections::HashMap;

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

/// What tensors follow from, by what wrote their memory last: several values may name the same memory.
struct Found<'m> {
    method: &'m Method,
    by_value: Vec<Activations>,
    by_slot: HashMap<ArenaSlot, Activations>,
}

impl Found<'_> {
    fn slot(&self, value: ValueIndex) -> Option<ArenaSlot> {
        let tensor = self.method.values[value.index()].as_tensor();
        tensor.and_then(|tensor| tensor.storage.slot())
    }

    fn get(&self, value: ValueIndex) -> Activations {
        let slot = self.slot(value).and_then(|slot| self.by_slot.get(&slot));
        slot.copied().unwrap_or(self.by_value[value.index()])
    }

    fn set(&mut self, value: ValueIndex, activations: Activations) {
        self.by_value[value.index()] = activations;
        if let Some(slot) = self.slot(value) {
            self.by_slot.insert(slot, activations);
        }
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

/// The coarsest numbers that an output follows from. `inside` tells it of the argument of a delegate.
pub(super) fn of_output(
    method: &Method,
    output: usize,
    inside: impl Fn(usize, usize) -> Option<Activations>,
) -> Activations {
    let Some(&output) = method.outputs.get(output) else {
        return Activations::F32;
    };
    let mut found = Found {
        method,
        by_value: vec![Activations::F64; method.values.len()],
        by_slot: HashMap::new(),
    };
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
            let Some(&last) = args.last() else {
                return;
            };
            // A kernel in place reads what it writes. Others find there what is no longer used.
            let is_read = |&&arg: &&ValueIndex| arg != last || name.ends_with('_');
            let read: Vec<ValueIndex> = args.iter().filter(is_read).copied().collect();
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
