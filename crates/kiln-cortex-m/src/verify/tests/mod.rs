//! Programs that break one rule each.

mod buffers;
mod convolution;
mod flow;
mod functions;

use super::verify;
use crate::dialect::*;
use bytes::Bytes;

/// A program of one call: the buffers that the row asks for, what is read as inputs except weights, which are constants of 1.
fn program(function: Function, parameters: impl Into<Parameters>) -> Program {
    let parameters = parameters.into();
    let mut program = Program::default();
    let mut buffers = Vec::new();
    for slot in function.row().slots {
        if slot.is_optional {
            buffers.push(None);
            continue;
        }
        let elements = slot
            .extent
            .elements(&parameters)
            .map_or(0, |(elements, _)| elements);
        let dtype = slot.dtypes[0];
        let ones = || Bytes::from(vec![1; dtype.bytes(elements)]);
        let role = match slot.access {
            Access::Write => Role::Output,
            Access::Update | Access::Part => Role::State(ones()),
            Access::Read if slot.name.contains("weights") || slot.name.contains("filter") => {
                Role::Constant(ones())
            }
            Access::Read => Role::Input,
        };
        buffers.push(Some(
            program.add(Buffer::new(slot.name, dtype, elements, role)),
        ));
    }
    program.call(function, parameters, &buffers);
    program
}

/// The faults of a program on a build, without their place.
fn faults(program: &Program, build: Build) -> Vec<String> {
    match verify(program, build) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.rule).collect(),
    }
}

/// The program passes on the build.
#[track_caller]
fn passes(program: &Program, build: Build) {
    assert_eq!(faults(program, build), Vec::<String>::new());
}

/// The program has this one fault on the build.
#[track_caller]
fn fails(program: &Program, build: Build, expected: &str) {
    assert_eq!(faults(program, build), [expected]);
}

const RANGE: Activation = Activation {
    min: -128,
    max: 127,
};

fn tile(h: i32, w: i32) -> Tile {
    Tile { w, h }
}

fn per_channel(channels: usize) -> PerChannel {
    PerChannel {
        multiplier: vec![1 << 30; channels].into(),
        shift: vec![-7; channels].into(),
    }
}
