//! Why a program does not run.

use crate::{Instruction, Method};

/// Why a method was not loaded or executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct RuntimeError {
    /// The place of the error.
    pub place: String,
    /// The error.
    pub message: String,
}

impl RuntimeError {
    pub(super) fn load(message: String) -> RuntimeError {
        RuntimeError {
            place: "the program".into(),
            message,
        }
    }

    pub(super) fn input(position: usize, message: String) -> RuntimeError {
        RuntimeError {
            place: format!("input {position}"),
            message,
        }
    }
}

/// An error in an instruction.
#[derive(Clone, Debug)]
pub(super) struct Fault(pub String);

impl Fault {
    pub(super) fn of(error: impl std::fmt::Display) -> Fault {
        Fault(error.to_string())
    }
}

/// Adds the place to an error.
pub(super) fn at(
    method: &Method,
    position: usize,
    instruction: &Instruction,
    fault: Fault,
) -> RuntimeError {
    let what = match instruction {
        Instruction::KernelCall { op, .. } => method.operators[op.index()].key(),
        Instruction::DelegateCall { delegate, .. } => format!("delegate {}", delegate.index()),
        Instruction::Move { .. } => "move".into(),
        Instruction::JumpFalse { .. } => "jump".into(),
        Instruction::Free { .. } => "free".into(),
    };
    RuntimeError {
        place: format!("instruction {position} ({what})"),
        message: fault.0,
    }
}
