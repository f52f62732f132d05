//! Programs built by hand, executed on the stock runtime.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stock;

use bytes::Bytes;
use kiln_pte::{
    ArenaSlot, Dynamism, Instruction, Method, Operator, Program, ScalarType, TensorStorage,
    TensorValue, Value, ValueIndex,
};
use kiln_testing::part::STOCK_RUNTIME;
use stock::{bytes_of, run};

fn planned(offset: u64) -> TensorStorage {
    TensorStorage::Planned(ArenaSlot { arena: 0, offset })
}

fn vector(length: u32, storage: TensorStorage) -> Value {
    Value::Tensor(TensorValue::contiguous(
        ScalarType::F32,
        vec![length],
        storage,
    ))
}

fn call(method: &mut Method, key: &str, args: &[ValueIndex]) {
    let op = method.add_operator(Operator::from_key(key));
    method.instructions.push(Instruction::KernelCall {
        op,
        args: args.to_vec(),
    });
}

/// A kernel call for `y = x + alpha * other`.
fn add(method: &mut Method, x: ValueIndex, other: ValueIndex, y: ValueIndex) {
    let alpha = method.add_value(Value::Int(1));
    call(method, "aten::add.out", &[x, other, alpha, y, y]);
}

#[test]
fn adds_a_constant() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut program = Program::default();
    program.constants.intern(bytes_of(&[9.0; 7]));
    let constant = program
        .constants
        .intern(bytes_of(&[10.0, 20.0, 30.0, 40.0]));
    let mut method = Method {
        name: "forward".into(),
        arena_sizes: vec![32],
        ..Method::default()
    };
    let x = method.add_value(vector(3, planned(0)));
    // The tensor is a prefix of its constant.
    let other = method.add_value(vector(3, TensorStorage::Constant(constant)));
    let y = method.add_value(vector(3, planned(16)));
    add(&mut method, x, other, y);
    (method.inputs, method.outputs) = (vec![x], vec![y]);
    program.methods.push(method);
    assert_eq!(
        run(&runner, &program, &[&[1.0, 2.0, 3.0]]),
        [[11.0, 22.0, 33.0]]
    );
}

#[test]
fn runs_without_any_data() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut method = Method {
        name: "forward".into(),
        arena_sizes: vec![128, 16],
        ..Method::default()
    };
    let bounded = |storage| {
        let tensor = TensorValue::contiguous(ScalarType::F32, vec![32], storage);
        Value::Tensor(TensorValue {
            dynamism: Dynamism::Bounded,
            ..tensor
        })
    };
    let x = method.add_value(bounded(planned(0)));
    let y = method.add_value(bounded(TensorStorage::Unallocated));
    add(&mut method, x, x, y);
    (method.inputs, method.outputs) = (vec![x], vec![y]);
    let program = Program {
        methods: vec![method],
        ..Program::default()
    };
    assert_eq!(
        run(&runner, &program, &[&[1.0, 2.0], &[3.0]]),
        [vec![2.0, 4.0], vec![6.0]]
    );
}

#[test]
fn state_starts_with_its_initial_data() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut program = Program::default();
    let initial = program.initial_data.intern(bytes_of(&[100.0, 200.0]));
    let mut method = Method {
        name: "forward".into(),
        arena_sizes: vec![16, 16],
        ..Method::default()
    };
    let x = method.add_value(vector(2, planned(0)));
    let slot = ArenaSlot {
        arena: 1,
        offset: 0,
    };
    let state = method.add_value(vector(2, TensorStorage::PlannedWithInitial(slot, initial)));
    add(&mut method, state, x, state);
    (method.inputs, method.outputs) = (vec![x], vec![state]);
    program.methods.push(method);
    assert_eq!(
        run(&runner, &program, &[&[1.0, 2.0], &[3.0, 4.0]]),
        [[101.0, 202.0], [104.0, 206.0]]
    );
}

#[test]
fn named_data_alone_leaves_no_constants() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut method = Method {
        name: "forward".into(),
        arena_sizes: vec![32],
        ..Method::default()
    };
    let x = method.add_value(vector(4, planned(0)));
    let y = method.add_value(vector(4, planned(16)));
    add(&mut method, x, x, y);
    (method.inputs, method.outputs) = (vec![x], vec![y]);
    let named = |key: &str| kiln_pte::NamedData {
        key: key.into(),
        data: Bytes::from_static(b"weights").into(),
    };
    let program = Program {
        methods: vec![method],
        named_data: vec![named("a"), named("b")],
        ..Program::default()
    };
    assert_eq!(
        run(&runner, &program, &[&[1.0, 2.0, 3.0, 4.0]]),
        [[2.0, 4.0, 6.0, 8.0]]
    );
}
