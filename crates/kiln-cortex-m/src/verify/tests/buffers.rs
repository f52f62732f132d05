//! Programs that break a rule of buffers.

use super::{fails, faults, passes};
use crate::dialect::*;
use bytes::Bytes;

fn relu(size: i32) -> Relu {
    Relu { size }
}

#[test]
fn buffers_and_their_order() {
    let mut program = Program::default();
    let x = program.add(Buffer::new("x", Dtype::I8, 4, Role::Temporary));
    program.call(Function::ReluQ7, relu(4), &[Some(x)]);
    fails(&program, Build::Dsp, "x is read before it is written");

    program.buffers[0].role = Role::Constant(Bytes::from_static(&[1; 4]));
    fails(&program, Build::Dsp, "x is written, and is a constant");
    program.buffers[0].role = Role::State(Bytes::from_static(&[1; 3]));
    fails(&program, Build::Dsp, "3 bytes, not 4");
    program.buffers[0].role = Role::Input;
    passes(&program, Build::Dsp);
    program.calls[0].parameters = relu(5).into();
    fails(&program, Build::Dsp, "data has 4 elements, not 5");
    program.calls[0].parameters = Reshape { total_size: 4 }.into();
    fails(&program, Build::Dsp, "parameters of Reshape, not Relu");
    program.calls[0].parameters = relu(4).into();
    program.calls[0].buffers = vec![];
    fails(&program, Build::Dsp, "0 buffers, not 1");
    program.calls[0].buffers = vec![Some(BufferId(7))];
    fails(&program, Build::Dsp, "there is no buffer %7");
    program.calls.clear();
    program.add(Buffer::new("x", Dtype::I4, 3, Role::Output));
    assert_eq!(
        faults(&program, Build::Dsp),
        [
            "another buffer has its name",
            "4-bit integers that are no constant",
            "0 of its 3 elements are written"
        ]
    );
}

#[test]
fn a_result_takes_over_only_what_its_row_allows() {
    let mut program = Program::default();
    let x = program.add(Buffer::new("x", Dtype::I8, 4, Role::Input));
    let copy = Reshape { total_size: 4 };
    program.call(Function::ReshapeS8, copy, &[Some(x), Some(x)]);
    fails(&program, Build::Dsp, "input and output are the same buffer");
    let twice = Add {
        out_activation_min: -128,
        out_activation_max: 127,
        block_size: 4,
        ..Add::default()
    };
    program.calls.clear();
    program.call(Function::ElementwiseAddS8, twice, &[Some(x); 3]);
    passes(&program, Build::Dsp);
}

/// A concatenation is whole when its parts are.
#[test]
fn parts_make_up_a_whole() {
    let mut program = Program::default();
    let x = program.add(Buffer::new("x", Dtype::I8, 4, Role::Input));
    let y = program.add(Buffer::new("y", Dtype::I8, 8, Role::Output));
    let part = |offset| Concat {
        input_x: 2,
        input_y: 2,
        input_z: 1,
        input_w: 1,
        output_size: Some(4),
        offset,
    };
    program.call(Function::ConcatenationS8X, part(0), &[Some(x), Some(y)]);
    fails(&program, Build::Dsp, "4 of its 8 elements are written");
    program.call(Function::ConcatenationS8X, part(2), &[Some(x), Some(y)]);
    passes(&program, Build::Dsp);
}
