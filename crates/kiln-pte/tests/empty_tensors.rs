//! The builtin runtime treats tensors without elements as the stock runtime's kernels do, not as ATen does.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_eval::Tensor;
use kiln_ir::{DType, TensorData};
use kiln_pte::runtime::{Item, Options, Runtime};
use kiln_pte::{
    ArenaSlot, Dynamism, Instruction, Method, Operator, Program, ScalarType, TensorStorage,
    TensorValue, Value, ValueIndex,
};

/// The bytes of the arena that each tensor gets.
const ROOM: u64 = 256;
/// The initial content of memory: -1.2339e37 as f32.
const POISON: u8 = 0xFC;

struct Call {
    method: Method,
}

impl Call {
    fn new() -> Call {
        let name = "forward".to_owned();
        Call {
            method: Method {
                name,
                ..Method::default()
            },
        }
    }

    fn value(&mut self, value: Value) -> ValueIndex {
        self.method.add_value(value)
    }

    fn tensor(&mut self, sizes: &[u32]) -> ValueIndex {
        let offset = self.method.values.len() as u64 * ROOM;
        self.method.arena_sizes = vec![offset + ROOM];
        self.value(Value::Tensor(TensorValue {
            dtype: ScalarType::F32,
            sizes: sizes.to_vec(),
            dim_order: (0..sizes.len() as u8).collect(),
            dynamism: Dynamism::Bounded,
            storage: TensorStorage::Planned(ArenaSlot { arena: 0, offset }),
            name: None,
        }))
    }

    fn input(&mut self, sizes: &[u32]) -> ValueIndex {
        let index = self.tensor(sizes);
        self.method.inputs.push(index);
        index
    }

    /// Executes the kernel on zeros of these sizes. `out` is its last argument.
    fn run(
        mut self,
        kernel: &str,
        args: &[ValueIndex],
        sizes: &[&[usize]],
    ) -> Result<Tensor, String> {
        let op = self.method.add_operator(Operator::from_key(kernel));
        let args = [args, &args[args.len() - 1..]].concat();
        self.method.outputs.push(args[args.len() - 1]);
        self.method.instructions = vec![Instruction::KernelCall { op, args }];
        let program = Program {
            methods: vec![self.method],
            ..Program::default()
        };
        let options = Options {
            poison: Some(POISON),
        };
        let mut runtime = Runtime::load(&program, "forward", &[], &options).unwrap();
        let inputs: Vec<Option<Tensor>> = sizes.iter().map(|s| Some(zeros(s))).collect();
        match runtime
            .execute(&inputs)
            .map_err(|e| e.to_string())?
            .remove(0)
        {
            Item::Tensor(tensor) => Ok(tensor),
            other => panic!("{other:?}"),
        }
    }
}

fn zeros(sizes: &[usize]) -> Tensor {
    let count = sizes.iter().product();
    Tensor::from(&TensorData::from_f32(sizes.to_vec(), &vec![0.0; count]))
}

fn is_poison(tensor: &Tensor) -> bool {
    tensor.dtype() == DType::F32 && tensor.bytes().iter().all(|&b| b == POISON)
}

#[test]
fn a_product_of_nothing_is_not_written() {
    let product = |kernel, batch: &[u32], k: usize| {
        let mut call = Call::new();
        let a = call.input(&[batch, &[2, 5]].concat());
        let b = call.input(&[batch, &[5, 3]].concat());
        let out = call.tensor(&[batch, &[2, 3]].concat());
        let batch: Vec<usize> = batch.iter().map(|&b| b as usize).collect();
        let sizes = [
            [&batch[..], &[2, k]].concat(),
            [&batch[..], &[k, 3]].concat(),
        ];
        call.run(kernel, &[a, b, out], &[&sizes[0], &sizes[1]])
            .unwrap()
    };
    for (kernel, batch) in [("aten::mm.out", &[][..]), ("aten::bmm.out", &[4][..])] {
        assert!(is_poison(&product(kernel, batch, 0)), "{kernel}");
        assert!(!is_poison(&product(kernel, batch, 1)), "{kernel}");
    }
}

#[test]
fn a_layer_of_nothing_is_its_bias() {
    let layer = |with_bias: bool| {
        let mut call = Call::new();
        let (x, weight) = (call.input(&[2, 5]), call.input(&[3, 5]));
        let bias = match with_bias {
            true => call.input(&[3]),
            false => call.value(Value::None),
        };
        let out = call.tensor(&[2, 3]);
        let sizes: [&[usize]; 3] = [&[2, 0], &[3, 0], &[3]];
        let sizes = &sizes[..2 + usize::from(with_bias)];
        call.run("aten::linear.out", &[x, weight, bias, out], sizes)
    };
    assert!(is_poison(&layer(false).unwrap()));
    assert!(!is_poison(&layer(true).unwrap()));
}

#[test]
fn kernels_that_end_the_process_are_faults() {
    let extreme = |kernel, rows: usize| {
        let mut call = Call::new();
        let x = call.input(&[5, 4]);
        let one = call.value(Value::Int(1));
        let axes = call.value(Value::IntList(vec![one]));
        let keep = call.value(Value::Bool(true));
        let out = call.tensor(&[5, 1]);
        call.run(kernel, &[x, axes, keep, out], &[&[rows, 4]])
    };
    for kernel in ["aten::amax.out", "aten::amin.out"] {
        assert!(extreme(kernel, 0).unwrap_err().contains("ends the process"));
        assert!(extreme(kernel, 2).is_ok());
    }
    let softmax = |axis: i64| {
        let mut call = Call::new();
        let x = call.input(&[5, 4]);
        let axis = call.value(Value::Int(axis));
        let half = call.value(Value::Bool(false));
        let out = call.tensor(&[5, 4]);
        call.run("aten::_log_softmax.out", &[x, axis, half, out], &[&[0, 4]])
    };
    assert!(softmax(0).unwrap_err().contains("ends the process"));
    assert!(softmax(1).is_ok());
}

#[test]
fn what_is_joined_of_nothing_forgets_a_size() {
    let join = |axis: i64, rows: usize| {
        let mut call = Call::new();
        let parts = vec![call.input(&[5, 4]), call.input(&[5, 4])];
        let list = call.value(Value::TensorList(parts));
        let axis = call.value(Value::Int(axis));
        let out = call.tensor(&[10, 8]);
        let sizes: &[usize] = &[rows, 4];
        let joined = call.run("aten::cat.out", &[list, axis, out], &[sizes, sizes]);
        joined.unwrap().sizes().to_vec()
    };
    assert_eq!(join(1, 0), [0, 0]);
    assert_eq!(join(0, 0), [0, 4]);
    assert_eq!(join(1, 2), [2, 8]);
}
