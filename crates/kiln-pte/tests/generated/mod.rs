//! Random programs that satisfy all rules of the format.

use bytes::Bytes;
use kiln_pte::{
    ArenaSlot, BlobIndex, CompileSpec, ConstantIndex, ContainerMeta, Delegate, DelegateIndex,
    Dynamism, InitialIndex, Instruction, Method, NamedData, Operator, OperatorIndex, Pool, Program,
    ScalarType, TensorStorage, TensorValue, Value, ValueIndex,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// The bytes of every generated arena; enough for all generated tensors.
const ARENA: u64 = 1 << 40;

fn bytes() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..300).prop_map(Bytes::from)
}

fn pool<I: From<u32> + Into<u32> + std::fmt::Debug + Clone>() -> impl Strategy<Value = Pool<I>> {
    vec(bytes(), 1..4).prop_map(|items| {
        let mut pool = Pool::default();
        for item in items {
            pool.intern(item);
        }
        pool
    })
}

/// A value that refers to no others. The numbers choose among existing items once these are known.
fn leaf() -> impl Strategy<Value = Value> {
    let number = prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::INFINITE;
    prop_oneof![
        Just(Value::None),
        any::<i64>().prop_map(Value::Int),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(Value::Double),
        ".{0,12}".prop_map(Value::String),
        vec(number, 0..5).prop_map(Value::DoubleList),
        vec(any::<bool>(), 0..5).prop_map(Value::BoolList),
        tensor().prop_map(Value::Tensor),
    ]
}

fn tensor() -> impl Strategy<Value = TensorValue> {
    let sizes = vec(0u32..9, 0..5);
    let shape = sizes.prop_flat_map(|sizes| {
        let order: Vec<u8> = (0..sizes.len() as u8).collect();
        (Just(sizes), Just(order).prop_shuffle())
    });
    let slot = (0u32..2, 0..ARENA / 2).prop_map(|(arena, offset)| ArenaSlot { arena, offset });
    let storage = prop_oneof![
        Just(TensorStorage::Unallocated),
        slot.clone().prop_map(TensorStorage::Planned),
        prop::option::of(slot).prop_map(TensorStorage::External),
    ];
    let dynamism = prop_oneof![Just(Dynamism::Static), Just(Dynamism::Bounded)];
    let dtype = prop::sample::select(ScalarType::ALL);
    (
        dtype,
        shape,
        dynamism,
        storage,
        prop::option::of("[a-z.]{1,9}"),
    )
        .prop_map(|(dtype, (sizes, dim_order), dynamism, storage, name)| {
            let external = matches!(storage, TensorStorage::External(_));
            let name = name.or(external.then(|| "w".to_owned()));
            TensorValue {
                dtype,
                sizes,
                dim_order,
                dynamism,
                storage,
                name,
            }
        })
}

/// A list or an instruction. The numbers are indices modulo the number of existing items.
type Raw = (u8, Vec<u32>);

fn raw() -> impl Strategy<Value = Raw> {
    (any::<u8>(), vec(any::<u32>(), 0..6))
}

fn list(values: &[Value], (kind, picks): &Raw) -> Value {
    let among = |wanted: fn(&Value) -> bool| {
        let found: Vec<_> = (0..)
            .zip(values)
            .filter(|(_, v)| wanted(v))
            .map(|(i, _)| ValueIndex(i))
            .collect();
        let pick = |p: &u32| found.get(*p as usize % found.len().max(1)).copied();
        picks.iter().filter_map(pick).collect::<Vec<_>>()
    };
    match kind % 3 {
        0 => Value::IntList(among(|v| matches!(v, Value::Int(_)))),
        1 => Value::TensorList(among(|v| matches!(v, Value::Tensor(_)))),
        _ => Value::OptionalTensorList(
            among(|v| matches!(v, Value::Tensor(_)))
                .into_iter()
                .map(|i| (i.0 % 3 != 0).then_some(i))
                .collect(),
        ),
    }
}

fn instruction(values: u32, count: u32, (kind, picks): &Raw) -> Instruction {
    let value = |p: u32| ValueIndex(p % values);
    let args: Vec<_> = picks.iter().map(|&p| value(p)).collect();
    let first = picks.first().copied().unwrap_or(0);
    match kind % 5 {
        0 => Instruction::KernelCall {
            op: OperatorIndex(first % 2),
            args,
        },
        1 => Instruction::DelegateCall {
            delegate: DelegateIndex(0),
            args,
        },
        2 => Instruction::Move {
            from: value(first),
            to: value(first / 7),
        },
        3 => Instruction::JumpFalse {
            cond: value(first),
            dest: first % (count + 1),
        },
        _ => Instruction::Free {
            value: value(first),
        },
    }
}

fn method() -> impl Strategy<Value = Method> {
    let data = (vec(leaf(), 1..20), vec(raw(), 0..5), vec(raw(), 0..12));
    let container = prop::option::of(("[a-z()]{0,9}", "[a-z()]{0,9}"));
    (data, container, bytes()).prop_map(|((mut values, lists, raws), container, spec)| {
        let lists: Vec<_> = lists.iter().map(|raw| list(&values, raw)).collect();
        values.extend(lists);
        let count = values.len() as u32;
        let instructions = raws
            .iter()
            .map(|raw| instruction(count, raws.len() as u32, raw))
            .collect();
        let delegate = Delegate {
            id: "XnnpackBackend".into(),
            blob: BlobIndex(0),
            compile_specs: vec![CompileSpec {
                key: "k".into(),
                value: spec,
            }],
        };
        Method {
            name: String::new(),
            container: container.map(|(inputs, outputs)| ContainerMeta { inputs, outputs }),
            values,
            inputs: vec![ValueIndex(0)],
            outputs: vec![ValueIndex(count - 1); 2],
            instructions,
            operators: vec![
                Operator::from_key("aten::add.out"),
                Operator::from_key("plain"),
            ],
            delegates: vec![delegate],
            arena_sizes: vec![ARENA, ARENA],
        }
    })
}

/// A program in which every blob has a delegate, and every constant and initial datum has a tensor of the same length,
/// because the file does not record them otherwise.
pub fn program() -> impl Strategy<Value = Program> {
    let pools = (
        pool::<ConstantIndex>(),
        pool::<InitialIndex>(),
        pool::<BlobIndex>(),
    );
    (vec(method(), 1..3), pools, vec(bytes(), 0..3)).prop_map(|(mut methods, pools, named)| {
        let (constants, initial_data, delegate_blobs) = pools;
        let mut whole = |length: usize, storage| {
            let tensor = TensorValue::contiguous(ScalarType::U8, vec![length as u32], storage);
            methods[0].values.push(Value::Tensor(tensor));
        };
        for (index, data) in constants.iter() {
            whole(data.len(), TensorStorage::Constant(index));
        }
        for (index, data) in initial_data.iter() {
            whole(
                data.len(),
                TensorStorage::PlannedWithInitial(
                    ArenaSlot {
                        arena: 1,
                        offset: 64,
                    },
                    index,
                ),
            );
        }
        for (blob, _) in delegate_blobs.iter().skip(1) {
            methods[0].delegates.push(Delegate {
                id: "Other".into(),
                blob,
                compile_specs: Vec::new(),
            });
        }
        for (i, method) in methods.iter_mut().enumerate() {
            method.name = format!("method{i}");
        }
        let named = named.into_iter().enumerate();
        let named_data = named
            .map(|(i, data)| NamedData {
                key: format!("key{i}"),
                data: data.into(),
            })
            .collect();
        Program {
            version: 0,
            methods,
            constants,
            initial_data,
            delegate_blobs,
            named_data,
        }
    })
}
