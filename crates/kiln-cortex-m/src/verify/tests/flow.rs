//! Programs that break a rule of branches and loops.

use super::{fails, faults, passes};
use crate::dialect::*;

/// A program of three copies, in which a branch or a loop may be.
fn copies() -> (Program, [BufferId; 4]) {
    let mut program = Program::default();
    let add = |program: &mut Program, name: &str, dtype, elements, role| {
        program.add(Buffer::new(name, dtype, elements, role))
    };
    let decides = add(&mut program, "decides", Dtype::U8, 1, Role::Input);
    let x = add(&mut program, "x", Dtype::I8, 4, Role::Input);
    let t = add(&mut program, "t", Dtype::I8, 4, Role::Temporary);
    let y = add(&mut program, "y", Dtype::I8, 4, Role::Output);
    for [from, to] in [[x, t], [t, y], [x, y]] {
        let copy = Reshape { total_size: 4 };
        program.call(Function::ReshapeS8, copy, &[Some(from), Some(to)]);
    }
    (program, [decides, x, t, y])
}

/// Behind a branch only those parts of a buffer are written that both sides write.
#[test]
fn branches_that_write_parts() {
    let (mut program, [condition, ..]) = copies();
    let copies = program.calls.split_off(0);
    let part = |first, elements| {
        let mut call = copies[2].clone();
        let copy = Reshape {
            total_size: elements,
        };
        let elements = elements as usize;
        call.parameters = copy.into();
        call.views = vec![Some(View { first, elements }); call.buffers.len()];
        call
    };
    program.flows = vec![Flow::If {
        condition,
        then: 0..1,
        otherwise: 1..2,
    }];
    program.calls = vec![part(0, 2), part(2, 2)];
    fails(&program, Build::Dsp, "0 of its 4 elements are written");
    program.calls.push(part(2, 2));
    fails(&program, Build::Dsp, "2 of its 4 elements are written");
    program.calls = vec![part(0, 3), part(1, 3)];
    fails(&program, Build::Dsp, "2 of its 4 elements are written");
    program.calls = vec![part(0, 2), part(0, 2), part(2, 2)];
    passes(&program, Build::Dsp);
    program.calls = vec![part(0, 4), part(0, 2), part(2, 2)];
    passes(&program, Build::Dsp);
}

/// What is read behind a branch is written by both sides, and behind a loop by more than its body.
#[test]
fn branches_and_loops() {
    let (mut program, [condition, x, t, _]) = copies();
    let branch = |then, otherwise| Flow::If {
        condition,
        then,
        otherwise,
    };
    program.flows = vec![branch(0..2, 2..3)];
    passes(&program, Build::Dsp);
    program.flows = vec![branch(0..1, 1..3)];
    assert_eq!(
        faults(&program, Build::Dsp),
        [
            "t is read before it is written",
            "0 of its 4 elements are written"
        ]
    );
    program.flows = vec![branch(0..3, 3..3)];
    fails(&program, Build::Dsp, "0 of its 4 elements are written");
    let looped = |condition| Flow::While {
        condition,
        test: 0..1,
        body: 1..3,
    };
    program.flows = vec![looped(condition)];
    fails(&program, Build::Dsp, "0 of its 4 elements are written");
    program.flows = vec![looped(x)];
    fails(&program, Build::Dsp, "it does not decide by a byte");
    program.buffers[t.index()] = Buffer::new("t", Dtype::U8, 1, Role::Temporary);
    program.flows = vec![branch(0..1, 2..3)];
    fails(&program, Build::Dsp, "its calls do not follow one another");
    program.flows = vec![branch(0..2, 2..2), branch(1..2, 2..3)];
    fails(
        &program,
        Build::Dsp,
        "it crosses another, or comes behind an outer one's",
    );
    let nested = |test| Flow::While {
        condition,
        test,
        body: 2..3,
    };
    program.flows = vec![nested(1..2), nested(0..2)];
    assert!(faults(&program, Build::Dsp)[0].contains("ends with the same call"));
    program.flows = vec![branch(1..1, 1..1)];
    fails(&program, Build::Dsp, "it has no calls");
    let empty = Flow::While {
        condition,
        test: 0..1,
        body: 1..1,
    };
    program.flows = vec![empty];
    fails(
        &program,
        Build::Dsp,
        "nothing changes what decides on the loop",
    );
}
