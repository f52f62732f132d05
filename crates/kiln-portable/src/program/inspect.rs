//! Describes a program as a JSON document.

use super::DelegateReader;
use bytes::Bytes;
use kiln_ir::DType;
use kiln_pte::{Instruction, Method, Program, TensorValue, Value as ProgramValue};
use serde_json::{Value, json};

/// Readers of delegates' payloads.
type Delegates<'d> = &'d [&'static dyn DelegateReader];

/// A program: the kernels and delegates that must be linked, its segments and its methods.
pub(super) fn program_json(program: &Program, delegates: Delegates<'_>) -> Value {
    let constants: u64 = program.constants.iter().map(|(_, b)| b.len() as u64).sum();
    let named: u64 = program.named_data.iter().map(|n| n.data.len() as u64).sum();
    let blobs: u64 = program
        .delegate_blobs
        .iter()
        .map(|(_, b)| b.len() as u64)
        .sum();
    json!({
        "kind": "ExecuTorch program",
        "version": program.version,
        "operators_to_link": program.operators().iter().map(kiln_pte::Operator::key).collect::<Vec<_>>(),
        "segments": {"constants": constants, "named_data": named, "delegate_blobs": blobs,
                     "initial_data": program.initial_data.iter().map(|(_, b)| b.len() as u64).sum::<u64>()},
        "methods": program.methods.iter().map(|m| method_json(program, m, delegates)).collect::<Vec<_>>(),
    })
}

fn method_json(program: &Program, method: &Method, delegates: Delegates<'_>) -> Value {
    let described: Vec<Value> = method
        .delegates_with_blobs(program)
        .map(|(delegate, blob)| delegate_json(&delegate.id, blob, delegates))
        .collect();
    let count = |f: fn(&Instruction) -> bool| method.instructions.iter().filter(|i| f(i)).count();
    json!({
        "name": method.name,
        "inputs": method.input_values().map(value_json).collect::<Vec<_>>(),
        "outputs": method.output_values().map(value_json).collect::<Vec<_>>(),
        "arenas": method.arena_sizes,
        "planned_bytes": method.planned_bytes(),
        "kernel_calls": method.kernel_calls(),
        "delegate_calls": count(|i| matches!(i, Instruction::DelegateCall { .. })),
        "instructions": method.instructions.len(),
        "delegates": described,
    })
}

fn delegate_json(id: &str, blob: Option<&Bytes>, delegates: Delegates<'_>) -> Value {
    let Some(blob) = blob else {
        return json!({ "backend": id });
    };
    let Some(reader) = delegates.iter().find(|reader| reader.id() == id) else {
        return json!({ "backend": id, "bytes": blob.len() });
    };
    match reader.inspect(blob) {
        Ok(mut described) => {
            described["backend"] = id.into();
            described
        }
        Err(error) => json!({ "backend": id, "bytes": blob.len(), "unreadable": error }),
    }
}

fn value_json(value: &ProgramValue) -> Value {
    match value {
        ProgramValue::Tensor(tensor) => tensor_json(tensor),
        ProgramValue::Int(v) => json!({ "int": v }),
        ProgramValue::Bool(v) => json!({ "bool": v }),
        ProgramValue::Double(v) => json!({ "double": v }),
        ProgramValue::String(v) => json!({ "string": v }),
        ProgramValue::None => Value::Null,
        other => json!({ "kind": other.kind() }),
    }
}

fn tensor_json(tensor: &TensorValue) -> Value {
    let dtype = DType::from_name(tensor.dtype.name()).map_or("other", DType::name);
    json!({
        "dtype": dtype,
        "shape": tensor.sizes,
        "dim_order": tensor.dim_order,
        "dynamic": tensor.dynamism == kiln_pte::Dynamism::Bounded,
        "bytes": tensor.nbytes(),
    })
}
