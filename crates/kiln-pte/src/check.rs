//! The rules for programs, whether they were read or built.
//!
//! Invariants of a program without fault
//! - The version is 0. Names of methods are distinct, and so are keys of named data.
//! - Every index (of values, operators, delegates, blobs, constants, initial data, arenas) is in range.
//! - A tensor has at most 16 dims, each below 2^31, and a dim order that is a permutation. At its largest shape it fits
//!   its constant, initial data or arena.
//! - Items of an `IntList` are `Int`s. Items of tensor lists are tensors (or `None`s) that come before the list.
//! - The key of a kernel has at most 99 characters.
//!
//! What the runtime does not check is not checked here either: overlap in arenas, and the number and types of
//! arguments.

use std::collections::HashSet;

use crate::fault::{Fault, Rule, at};
use crate::value::MAX_RANK;
use crate::{
    ArenaSlot, Delegate, Instruction, Method, Operator, Program, TensorStorage, TensorValue, Value,
    ValueIndex,
};

/// The longest kernel key that the runtime can look up.
const MAX_OPERATOR_KEY: usize = 99;

/// Checks the program against these rules. Returns the first violation.
pub fn check(program: &Program) -> Result<(), Fault> {
    at(|| "program".to_owned(), check_program(program))?;
    program
        .methods
        .iter()
        .try_for_each(|method| check_method(program, method))
}

fn check_program(program: &Program) -> Rule {
    if program.version != 0 {
        return Err(format!(
            "schema version {} is newer than 0, the only one that the runtime takes",
            program.version
        ));
    }
    let mut names = HashSet::new();
    if let Some(method) = program
        .methods
        .iter()
        .find(|method| !names.insert(method.name.as_str()))
    {
        return Err(format!("two methods are named {:?}", method.name));
    }
    let mut keys = HashSet::new();
    match program
        .named_data
        .iter()
        .find(|named| !keys.insert(named.key.as_str()))
    {
        Some(named) => Err(format!("two named data have the key {:?}", named.key)),
        None => Ok(()),
    }
}

fn check_method(program: &Program, method: &Method) -> Result<(), Fault> {
    let place = |what: &str, i: usize| format!("method {}, {what} {i}", method.name);
    for (i, &size) in method.arena_sizes.iter().enumerate() {
        at(|| place("arena", i), check_arena(size))?;
    }
    for (i, value) in method.values.iter().enumerate() {
        at(|| place("value", i), check_value(program, method, i, value))?;
    }
    for (i, &value) in method.inputs.iter().enumerate() {
        at(|| place("input", i), in_range(method, value))?;
    }
    for (i, &value) in method.outputs.iter().enumerate() {
        at(|| place("output", i), in_range(method, value))?;
    }
    for (i, operator) in method.operators.iter().enumerate() {
        at(|| place("operator", i), check_operator(operator))?;
    }
    for (i, delegate) in method.delegates.iter().enumerate() {
        at(|| place("delegate", i), check_delegate(program, delegate))?;
    }
    for (i, instruction) in method.instructions.iter().enumerate() {
        at(
            || place("instruction", i),
            check_instruction(method, instruction),
        )?;
    }
    Ok(())
}

fn in_range(method: &Method, value: ValueIndex) -> Rule {
    if value.index() < method.values.len() {
        return Ok(());
    }
    Err(format!(
        "refers to value {value}, but there are {}",
        method.values.len()
    ))
}

fn check_value(program: &Program, method: &Method, position: usize, value: &Value) -> Rule {
    match value {
        Value::None | Value::Int(_) | Value::Bool(_) | Value::Double(_) => Ok(()),
        Value::String(_) | Value::DoubleList(_) | Value::BoolList(_) => Ok(()),
        Value::Tensor(tensor) => check_tensor(program, method, tensor),
        Value::IntList(items) => items.iter().try_for_each(|&item| match method.value(item) {
            Some(Value::Int(_)) => Ok(()),
            Some(other) => Err(format!(
                "an IntList item is value {item}, which is {}, not Int",
                other.kind()
            )),
            None => in_range(method, item),
        }),
        Value::TensorList(items) => items
            .iter()
            .try_for_each(|&item| check_item(method, position, item, false)),
        Value::OptionalTensorList(items) => items
            .iter()
            .flatten()
            .try_for_each(|&item| check_item(method, position, item, true)),
    }
}

fn check_item(method: &Method, list: usize, item: ValueIndex, optional: bool) -> Rule {
    match method.value(item) {
        _ if item.index() >= list => Err(format!(
            "item {item} of a tensor list does not come before it"
        )),
        Some(Value::Tensor(_)) => Ok(()),
        Some(Value::None) if optional => Ok(()),
        Some(other) => Err(format!(
            "item {item} of a tensor list is {}, not Tensor",
            other.kind()
        )),
        None => in_range(method, item),
    }
}

fn check_tensor(program: &Program, method: &Method, tensor: &TensorValue) -> Rule {
    check_shape(tensor)?;
    let bytes = tensor.nbytes().ok_or("its size in bytes exceeds 64 bits")?;
    let holds = |what: &str, data: Option<&kiln_ir::Content>, index: u32, count: usize| match data {
        None => Err(format!("refers to {what} {index}, but there are {count}")),
        Some(data) if bytes > data.len() as u64 => Err(format!(
            "needs {bytes} bytes, but {what} {index} has {}",
            data.len()
        )),
        Some(_) => Ok(()),
    };
    match tensor.storage {
        TensorStorage::Unallocated => Ok(()),
        TensorStorage::Planned(slot) => check_slot(method, slot, bytes),
        TensorStorage::Constant(index) => holds(
            "constant",
            program.constants.get(index),
            index.0,
            program.constants.len(),
        ),
        TensorStorage::PlannedWithInitial(slot, index) => {
            holds(
                "initial data",
                program.initial_data.get(index),
                index.0,
                program.initial_data.len(),
            )?;
            check_slot(method, slot, bytes)
        }
        TensorStorage::External(_) if tensor.name.as_deref().unwrap_or("").is_empty() => {
            Err("data outside of the file needs the tensor's name".to_owned())
        }
        TensorStorage::External(slot) => {
            slot.map_or(Ok(()), |slot| check_slot(method, slot, bytes))
        }
    }
}

fn check_shape(tensor: &TensorValue) -> Rule {
    let rank = tensor.sizes.len();
    if rank > MAX_RANK {
        return Err(format!("has {rank} dims; at most {MAX_RANK} are allowed"));
    }
    if let Some(size) = tensor
        .sizes
        .iter()
        .find(|&&size| i32::try_from(size).is_err())
    {
        return Err(format!(
            "has a dim of {size}; at most {} is allowed",
            i32::MAX
        ));
    }
    let mut seen = [false; MAX_RANK];
    let fresh = |&dim: &u8| {
        usize::from(dim) < rank && !std::mem::replace(&mut seen[usize::from(dim)], true)
    };
    if tensor.dim_order.len() != rank || !tensor.dim_order.iter().all(fresh) {
        return Err(format!(
            "dim order {:?} is not a permutation of its {rank} dims",
            tensor.dim_order
        ));
    }
    Ok(())
}

fn check_arena(size: u64) -> Rule {
    match i64::try_from(size) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "has {size} bytes; at most {} are allowed",
            i64::MAX
        )),
    }
}

fn check_slot(method: &Method, slot: ArenaSlot, bytes: u64) -> Rule {
    let Some(&size) = method.arena_sizes.get(slot.arena as usize) else {
        return Err(format!(
            "is planned into arena {}, but there are {}",
            slot.arena,
            method.arena_sizes.len()
        ));
    };
    match slot.offset.checked_add(bytes) {
        Some(end) if end <= size => Ok(()),
        _ => Err(format!(
            "needs {bytes} bytes at {} of arena {}, which has {size}",
            slot.offset, slot.arena
        )),
    }
}

fn check_operator(operator: &Operator) -> Rule {
    let length = operator.key().len();
    if operator.name.is_empty() || length > MAX_OPERATOR_KEY {
        return Err(format!(
            "its key has {length} characters; 1 to {MAX_OPERATOR_KEY} are allowed"
        ));
    }
    Ok(())
}

fn check_delegate(program: &Program, delegate: &Delegate) -> Rule {
    match program.delegate_blobs.get(delegate.blob) {
        Some(_) => Ok(()),
        None => Err(format!(
            "refers to blob {}, but there are {}",
            delegate.blob,
            program.delegate_blobs.len()
        )),
    }
}

fn check_instruction(method: &Method, instruction: &Instruction) -> Rule {
    match instruction {
        Instruction::KernelCall { op, .. } if op.index() >= method.operators.len() => {
            return Err(format!(
                "calls operator {op}, but there are {}",
                method.operators.len()
            ));
        }
        Instruction::DelegateCall { delegate, .. }
            if delegate.index() >= method.delegates.len() =>
        {
            return Err(format!(
                "calls delegate {delegate}, but there are {}",
                method.delegates.len()
            ));
        }
        Instruction::JumpFalse { dest, .. } if i32::try_from(*dest).is_err() => {
            return Err(format!("jumps to {dest}; at most {} is allowed", i32::MAX));
        }
        _ => {}
    }
    instruction
        .values()
        .try_for_each(|value| in_range(method, value))
}
