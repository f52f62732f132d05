//! The numbers that a program rounds to what an output follows from.

use super::signature::{is_in_place_of, is_rounding};
use kiln_pte::{Instruction, Method, ScalarType, Value, ValueIndex};
use kiln_target::Activations;

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

/// The coarsest numbers that an output follows from. `inside` tells it of the argument of a delegate.
pub(super) fn of_output(
    method: &Method,
    output: usize,
    inside: impl Fn(usize, usize) -> Option<Activations>,
) -> Activations {
    let mut found = vec![Activations::F64; method.values.len()];
    let coarsest = |found: &[Activations], args: &[ValueIndex]| {
        let tensors = args.iter().flat_map(|&arg| tensors(method, arg));
        tensors
            .map(|tensor| found[tensor.index()])
            .max()
            .unwrap_or_default()
    };
    // A loop reads what later instructions wrote: the second round has it.
    for instruction in method.instructions.iter().chain(&method.instructions) {
        match instruction {
            Instruction::KernelCall { op, args } => {
                let name = &method.operators[op.index()].name;
                let from = coarsest(&found, args);
                for result in args
                    .last()
                    .into_iter()
                    .flat_map(|&last| tensors(method, last))
                {
                    found[result.index()] = from.max(of_kernel(method, name, result, from));
                }
            }
            Instruction::DelegateCall { delegate, args } => {
                let own = |position| inside(delegate.index(), position);
                let (read, made): (Vec<usize>, Vec<usize>) =
                    (0..args.len()).partition(|&position| own(position).is_none());
                let read: Vec<ValueIndex> =
                    read.into_iter().map(|position| args[position]).collect();
                let from = coarsest(&found, &read);
                for position in made {
                    let own = own(position).unwrap_or_default();
                    found[args[position].index()] = from.max(own);
                }
            }
            Instruction::Move { from, to } => found[to.index()] = found[from.index()],
            _ => {}
        }
    }
    let Some(&output) = method.outputs.get(output) else {
        return Activations::F32;
    };
    // An output may be another name for what lies in its memory, which the last instruction to write there has.
    let is_output = is_in_place_of(method, output);
    let written = method.instructions.iter().rev().find_map(|instruction| {
        let written = match instruction {
            Instruction::KernelCall { args, .. } => tensors(method, *args.last()?),
            Instruction::DelegateCall { delegate, args } => {
                let is_made = |position: &usize| inside(delegate.index(), *position).is_some();
                let made = (0..args.len()).filter(is_made);
                made.map(|position| args[position]).collect()
            }
            Instruction::Move { to, .. } => vec![*to],
            _ => return None,
        };
        written.into_iter().find(|&value| is_output(value))
    });
    found[written.unwrap_or(output).index()]
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
