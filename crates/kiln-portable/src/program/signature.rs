//! The inputs and outputs of a program's method.

use kiln_ir::{DType, Scalar};
use kiln_pte::{Dynamism, Method, TensorValue, Value};
use kiln_target::{Declared, Expected, Role, Runs, Signature, Size, scalar_tensor};

/// The tensors of a method. A program has no names for them.
pub(super) fn signature(method: &Method) -> Signature {
    Signature {
        inputs: declared(method.input_values()),
        outputs: declared(method.output_values()),
        input_count: method.inputs.len(),
        keeps_positions: true,
    }
}

fn declared<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<Declared> {
    let tensors = values
        .enumerate()
        .filter_map(|(i, value)| Some((i, value.as_tensor()?)));
    tensors.map(|(i, tensor)| planned(i, tensor)).collect()
}

fn planned(position: usize, tensor: &TensorValue) -> Declared {
    let sizes = tensor.sizes.iter().map(|&size| size as usize);
    let is_static = tensor.dynamism == Dynamism::Static;
    Declared {
        position,
        name: None,
        dtype: DType::from_name(tensor.dtype.name()),
        text: format!("{:?}", tensor.dtype),
        room: sizes
            .clone()
            .try_fold(1usize, usize::checked_mul)
            .filter(|_| !is_static),
        sizes: match is_static {
            true => sizes.map(Size::Exactly).collect(),
            false => sizes.map(Size::Room).collect(),
        },
        reals: None,
    }
}

/// What the export recorded for an input.
pub(super) fn expected(value: &Value) -> Expected {
    match (value, number(value)) {
        (_, Some(number)) => Expected::Number(number),
        (Value::Tensor(_), None) => Expected::Tensor,
        (_, None) => Expected::Nothing,
    }
}

fn number(value: &Value) -> Option<Scalar> {
    match value {
        Value::Int(v) => Some(Scalar::Int(*v)),
        Value::Double(v) => Some(Scalar::Float(*v)),
        Value::Bool(v) => Some(Scalar::Bool(*v)),
        _ => None,
    }
}

/// The inputs, completed by the numbers that the export made constant: the stock runtime must be given them.
pub(super) fn with_frozen(method: &Method, inputs: &Runs, runs: usize) -> Runs {
    let mut inputs = inputs.clone();
    for run in 0..runs {
        for (i, value) in method.input_values().enumerate() {
            if let Some(number) = number(value)
                && inputs.get(run, Role::Input, i).is_none()
            {
                inputs.insert(run, Role::Input, i, scalar_tensor(number));
            }
        }
    }
    inputs
}
