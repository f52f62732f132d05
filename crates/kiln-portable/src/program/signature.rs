//! The inputs and outputs of a program's method.

use kiln_ir::{DType, Scalar};
use kiln_pte::{Dynamism, Instruction, Method, TensorValue, Value, ValueIndex};
use kiln_target::{Declared, Expected, Role, Runs, Signature, Size, scalar_tensor};

/// The tensors of a method. A program has no names for them.
pub(super) fn signature(method: &Method) -> Signature {
    let mut outputs = declared(method.output_values());
    for output in &mut outputs {
        output.step = step(method, method.outputs[output.position]);
    }
    Signature {
        inputs: declared(method.input_values()),
        outputs,
        input_count: Some(method.inputs.len()),
        has_fixed_sizes: false,
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
        order: None,
        reals: None,
        step: None,
    }
}

/// The kernels that give the floats of quantised tensors, and the place of the scale among their arguments.
const DEQUANTISE: [&str; 2] = [
    "cortex_m::dequantize_per_tensor",
    "quantized_decomposed::dequantize_per_tensor",
];
const SCALE: usize = 1;

/// The kernels that round floats to integers.
const QUANTISE: [&str; 2] = [
    "cortex_m::quantize_per_tensor",
    "quantized_decomposed::quantize_per_tensor",
];

/// The start of the names of Cortex-M's kernels, all of which take or give quantised integers.
const CORTEX_M: &str = "cortex_m::";

/// True for a kernel whose integers are rounded reals.
pub(super) fn is_rounding(name: &str) -> bool {
    QUANTISE.contains(&name) || name.starts_with(CORTEX_M) && !DEQUANTISE.contains(&name)
}

/// What writes a value last.
pub(super) enum Writer<'m> {
    /// The kernel of this name.
    Kernel(&'m str),
    /// The delegate of this number, as the argument at a position.
    Delegate(usize, usize),
}

/// What writes an output last.
pub(super) fn writer(method: &Method, output: ValueIndex) -> Option<Writer<'_>> {
    let is_output = is_in_place_of(method, output);
    let mut calls = method.instructions.iter().rev();
    calls.find_map(|instruction| match instruction {
        Instruction::KernelCall { op, args } if args.last().is_some_and(|&arg| is_output(arg)) => {
            Some(Writer::Kernel(&method.operators[op.index()].name))
        }
        Instruction::DelegateCall { delegate, args } => {
            let position = args.iter().rposition(|&arg| arg == output)?;
            Some(Writer::Delegate(delegate.index(), position))
        }
        _ => None,
    })
}

/// True for values in an output's memory: the kernels of a region write tensors of their own there.
fn is_in_place_of(method: &Method, output: ValueIndex) -> impl Fn(ValueIndex) -> bool {
    let place = |index: ValueIndex| {
        let tensor = method.values[index.index()].as_tensor();
        tensor.and_then(|tensor| tensor.storage.slot())
    };
    let own = place(output);
    move |index| index == output || own.is_some() && place(index) == own
}

/// The scale of an output, if the kernel that writes it last gives the floats of a quantised tensor.
fn step(method: &Method, output: ValueIndex) -> Option<f64> {
    let is_output = is_in_place_of(method, output);
    let writes_it = |args: &[ValueIndex]| args.last().is_some_and(|&last| is_output(last));
    let writers = method.instructions.iter().rev();
    let mut writers = writers.filter_map(|instruction| match instruction {
        Instruction::KernelCall { op, args } if writes_it(args) => Some((op, args)),
        _ => None,
    });
    let (op, args) = writers.next()?;
    let name = method.operators[op.index()].name.as_str();
    let scale = args.get(SCALE).filter(|_| DEQUANTISE.contains(&name));
    match method.values[scale?.index()] {
        Value::Double(scale) if scale > 0.0 && scale.is_finite() => Some(scale),
        _ => None,
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
