//! The kernel calls of ExecuTorch programs, each imported as Kiln's runtime imports it: a graph that the verifier takes,
//! or a refusal that says something.

use super::calls;
use bytes::Bytes;
use kiln_aten::{Arg, Importer, Tensor, import_call, kernel, kernel_call};
use kiln_ir::{DType, Dim, Graph, Rewriter, TensorType, verify};
use kiln_pte::{Instruction, Method, Value, ValueIndex};

/// Of each program, so many calls are imported.
const MAX_CALLS: usize = 64;

/// Reads a program and imports the calls of its methods.
pub fn law(data: &[u8]) {
    let program = match kiln_pte::read(Bytes::copy_from_slice(data)) {
        Ok(program) => program,
        Err(error) => return super::refused(error),
    };
    let calls = program.methods.iter().flat_map(|method| {
        let instructions = method.instructions.iter();
        instructions.filter_map(move |instruction| match instruction {
            Instruction::KernelCall { op, args } => {
                Some((method, method.operators[op.index()].key(), args))
            }
            _ => None,
        })
    });
    for (method, key, args) in calls.take(MAX_CALLS) {
        call(method, &key, args);
    }
}

fn call(method: &Method, key: &str, args: &[ValueIndex]) {
    let Some(kernel) = kernel::kernel(key) else {
        return;
    };
    let inputs = kernel.inputs().count();
    let (Some(inputs), out) = (args.get(..inputs), args.get(inputs)) else {
        return;
    };
    let out = out.and_then(|&out| dtype_of(value(method, out)));
    let mut graph = Graph::new("kernel");
    let root = graph.root();
    let mut importer = Importer::new(Rewriter::new(&mut graph), root);
    let args: Option<Vec<Arg>> = inputs
        .iter()
        .map(|&index| argument(&mut importer, method, index))
        .collect();
    let Some(args) = args else { return };
    let call = match kernel_call(key, &args, out) {
        Ok(call) => call,
        Err(error) => return super::refused(error),
    };
    match import_call(&mut importer, &call) {
        Ok(results) => {
            let results = results.iter().flat_map(calls::tensors_of);
            let values: Result<Vec<_>, _> = results.map(|t| importer.current(t)).collect();
            let values = values.expect("a result that was just made has a value");
            calls::give(&mut importer, values);
            drop(importer);
            if let Err(faults) = verify::verify(&graph) {
                panic!("{call:?} makes a broken graph: {faults:?}");
            }
        }
        Err(error) => super::refused(error),
    }
}

fn value(method: &Method, index: ValueIndex) -> &Value {
    &method.values[index.index()]
}

fn dtype_of(value: &Value) -> Option<DType> {
    DType::from_name(value.as_tensor()?.dtype.name())
}

/// What the runtime gives the importer for a value; `None` where it has no such dtype.
fn argument(importer: &mut Importer<'_>, method: &Method, index: ValueIndex) -> Option<Arg> {
    Some(match value(method, index) {
        Value::None => Arg::None,
        Value::Int(v) => Arg::Int(Dim::constant(*v)),
        Value::Bool(v) => Arg::Bool(*v),
        Value::Double(v) => Arg::Float(*v),
        Value::String(v) => Arg::Str(v.clone()),
        Value::IntList(items) => {
            let items = items.iter().map(|&i| match value(method, i) {
                Value::Int(v) => Some(Dim::constant(*v)),
                _ => None,
            });
            Arg::Ints(items.collect::<Option<_>>()?)
        }
        Value::DoubleList(v) => Arg::Floats(v.clone()),
        Value::BoolList(v) => Arg::Bools(v.clone()),
        Value::TensorList(items) => {
            let items = items.iter().map(|&i| tensor(importer, method, i));
            Arg::Tensors(items.collect::<Option<_>>()?)
        }
        Value::OptionalTensorList(items) => {
            let mut list = Vec::new();
            for item in items {
                list.push(match item {
                    Some(item) => Some(tensor(importer, method, *item)?),
                    None => None,
                });
            }
            Arg::OptionalTensors(list)
        }
        Value::Tensor(_) => Arg::Tensor(tensor(importer, method, index)?),
    })
}

fn tensor(importer: &mut Importer<'_>, method: &Method, index: ValueIndex) -> Option<Tensor> {
    let found = value(method, index);
    let sizes: Vec<Dim> = found
        .as_tensor()?
        .sizes
        .iter()
        .map(|&size| Dim::constant(i64::from(size)))
        .collect();
    let ty = TensorType::new(dtype_of(found)?, sizes);
    let value = calls::parameter(importer, ty);
    Some(importer.bind_ordered(value, Some(true)))
}
