//! Numbers of a program from which the runtime computes sizes: any that does not fit is an error.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_eval::Tensor;
use kiln_ir::TensorData;
use kiln_pte::runtime::{Item, Options, Runtime};
use kiln_pte::{
    ArenaSlot, Dynamism, Instruction, Method, Operator, Program, ScalarType, TensorStorage,
    TensorValue, Value, ValueIndex,
};

/// The bytes of the arena that each tensor gets.
const ROOM: u64 = 256;

fn tensor(method: &mut Method, sizes: &[u32]) -> ValueIndex {
    let offset = method.values.len() as u64 * ROOM;
    method.arena_sizes = vec![offset + ROOM];
    method.add_value(Value::Tensor(TensorValue {
        dtype: ScalarType::F32,
        sizes: sizes.to_vec(),
        dim_order: (0..sizes.len() as u8).collect(),
        dynamism: Dynamism::Bounded,
        storage: TensorStorage::Planned(ArenaSlot { arena: 0, offset }),
        name: None,
    }))
}

/// Calls the op once on inputs of their greatest sizes, which hold 1, 2, 3 and so on.
fn run(
    mut method: Method,
    key: &str,
    args: Vec<ValueIndex>,
    out: ValueIndex,
) -> Result<Tensor, String> {
    let op = method.add_operator(Operator::from_key(key));
    let sizes = |&index: &ValueIndex| match &method.values[index.index()] {
        Value::Tensor(tensor) => tensor.sizes.iter().map(|&n| n as usize).collect(),
        _ => Vec::new(),
    };
    let sizes: Vec<Vec<usize>> = method.inputs.iter().map(sizes).collect();
    method.name = "forward".to_owned();
    method.outputs = vec![out];
    method.instructions = vec![Instruction::KernelCall { op, args }];
    let program = Program {
        methods: vec![method],
        ..Program::default()
    };
    let options = Options { poison: None };
    let mut runtime = Runtime::load(&program, "forward", &[], &options).unwrap();
    let counted = |sizes: Vec<usize>| {
        let count: usize = sizes.iter().product();
        let numbers: Vec<f32> = (1..=count).map(|n| n as f32).collect();
        Some(Tensor::from(&TensorData::from_f32(sizes, &numbers)))
    };
    let inputs: Vec<Option<Tensor>> = sizes.into_iter().map(counted).collect();
    match runtime
        .execute(&inputs)
        .map_err(|e| e.to_string())?
        .remove(0)
    {
        Item::Tensor(tensor) => Ok(tensor),
        other => panic!("{other:?}"),
    }
}

/// Writes a row of this size at an index of an accumulator.
fn copied(row: &[u32], index: i64, accumulator: &[u32]) -> Result<Tensor, String> {
    let mut method = Method::default();
    let slice = tensor(&mut method, row);
    let into = tensor(&mut method, accumulator);
    method.inputs = vec![slice, into];
    let index = method.add_value(Value::Int(index));
    let key = "executorch_prim::et_copy_index.tensor";
    run(method, key, vec![into, slice, index], into)
}

#[test]
fn a_row_is_copied_into_an_accumulator() {
    let copied = copied(&[2], 1, &[3, 2]).unwrap();
    assert_eq!(
        TensorData::from(copied),
        TensorData::from_f32(vec![2, 2], &[1., 2., 1., 2.])
    );
}

#[test]
fn a_row_beyond_the_accumulator_is_an_error() {
    for index in [3, 1 << 40, i64::MAX / 8, i64::MAX, -1, i64::MIN] {
        assert!(copied(&[2], index, &[3, 2]).is_err(), "{index}");
    }
    // Rows of no elements fit at any index, a slice with elements does not.
    for (row, index) in [(&[2][..], i64::MAX / 16), (&[2], 1 << 40)] {
        assert!(copied(row, index, &[3, 0]).is_err(), "{index}");
    }
    assert!(copied(&[3], 1, &[3, 2]).is_err());
}

#[test]
fn a_view_of_more_elements_is_an_error() {
    let viewed = |to: &[i64]| {
        let mut method = Method::default();
        let x = tensor(&mut method, &[2, 3]);
        method.inputs = vec![x];
        let items = to
            .iter()
            .map(|&n| method.add_value(Value::Int(n)))
            .collect();
        let sizes = method.add_value(Value::IntList(items));
        // Room for 6 elements, with as many axes.
        let mut room = vec![1; to.len()];
        room[0] = 6;
        let out = tensor(&mut method, &room);
        let key = "executorch_prim::et_view.default";
        run(method, key, vec![x, sizes, out], out)
    };
    assert_eq!(viewed(&[-1, 2]).unwrap().sizes(), [3, 2]);
    for to in [
        &[1 << 40, 1 << 40, -1][..],
        &[1 << 40, 1 << 40],
        &[i64::MAX, 3, i64::MAX],
        &[-2, -3],
        &[7, -1],
    ] {
        assert!(viewed(to).is_err(), "{to:?}");
    }
}
