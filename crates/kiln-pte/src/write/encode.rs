//! Writes the flatbuffer of a program.
//!
//! The program must have passed [`check`](crate::check()): indices and dims fit the schema's signed 32 bits.

use super::segment::{Layout, Parts};
use crate::flatbuffer;
use crate::frame::IDENTIFIER;
use crate::program_fb::executorch as fb;
use crate::{
    ArenaSlot, Delegate, Dynamism, Instruction, Method, Operator, Program, TensorStorage,
    TensorValue, Value, ValueIndex,
};

/// The flatbuffer, without the extended header.
pub(super) fn encode(program: &Program, layout: &Layout) -> Vec<u8> {
    let tables = fb::Program {
        version: program.version,
        execution_plan: Some(
            program
                .methods
                .iter()
                .map(|method| plan(method, layout))
                .collect(),
        ),
        constant_buffer: None,
        backend_delegate_data: Some(Vec::new()),
        segments: Some(segments(layout)),
        constant_segment: Some(Box::new(constants(layout.constants.as_ref()))),
        mutable_data_segments: layout
            .initial_data
            .as_ref()
            .map(|parts| vec![constants(Some(parts))]),
        named_data: Some(named_data(program, layout)),
    };
    flatbuffer::finish(tables, *IDENTIFIER)
}

fn segments(layout: &Layout) -> Vec<fb::DataSegment> {
    let segment = |segment: &super::segment::Segment| fb::DataSegment {
        offset: segment.offset,
        size: segment.size,
    };
    layout.segments.iter().map(segment).collect()
}

/// Offset 0 is reserved, and written even if there are no other offsets.
fn constants(parts: Option<&Parts>) -> fb::SubsegmentOffsets {
    let offsets = parts.map_or(&[][..], |parts| &parts.offsets);
    fb::SubsegmentOffsets {
        segment_index: parts.map_or(0, |parts| parts.segment),
        offsets: Some(std::iter::once(0).chain(offsets.iter().copied()).collect()),
    }
}

fn named_data(program: &Program, layout: &Layout) -> Vec<fb::NamedData> {
    let entry = |(named, &segment_index): (&crate::NamedData, &u32)| fb::NamedData {
        key: Some(named.key.clone()),
        segment_index,
    };
    program
        .named_data
        .iter()
        .zip(&layout.named_data)
        .map(entry)
        .collect()
}

fn plan(method: &Method, layout: &Layout) -> fb::ExecutionPlan {
    let chain = fb::Chain {
        inputs: Some(Vec::new()),
        outputs: Some(Vec::new()),
        instructions: Some(method.instructions.iter().map(instruction).collect()),
        stacktrace: None,
    };
    fb::ExecutionPlan {
        name: Some(method.name.clone()),
        container_meta_type: method.container.as_ref().map(|meta| {
            Box::new(fb::ContainerMetadata {
                encoded_inp_str: Some(meta.inputs.clone()),
                encoded_out_str: Some(meta.outputs.clone()),
            })
        }),
        values: Some(
            method
                .values
                .iter()
                .map(|v| fb::EValue {
                    val: Some(value(v)),
                })
                .collect(),
        ),
        inputs: Some(indices(&method.inputs)),
        outputs: Some(indices(&method.outputs)),
        chains: Some(vec![chain]),
        operators: Some(method.operators.iter().map(operator).collect()),
        delegates: Some(
            method
                .delegates
                .iter()
                .map(|d| delegate(d, layout))
                .collect(),
        ),
        non_const_buffer_sizes: Some(
            std::iter::once(0)
                .chain(method.arena_sizes.iter().map(|&s| s as i64))
                .collect(),
        ),
        non_const_buffer_device: None,
    }
}

fn index(value: ValueIndex) -> i32 {
    value.0 as i32
}

fn indices(values: &[ValueIndex]) -> Vec<i32> {
    values.iter().copied().map(index).collect()
}

fn operator(operator: &Operator) -> fb::Operator {
    fb::Operator {
        name: Some(operator.name.clone()),
        overload: Some(operator.overload.clone()),
    }
}

fn delegate(delegate: &Delegate, layout: &Layout) -> fb::BackendDelegate {
    let place = fb::BackendDelegateDataReference {
        location: fb::DataLocation::Segment,
        index: layout.first_blob + delegate.blob.0,
    };
    let specs = delegate.compile_specs.iter();
    fb::BackendDelegate {
        id: Some(delegate.id.clone()),
        processed: Some(Box::new(place)),
        compile_specs: Some(
            specs
                .map(|s| fb::CompileSpec {
                    key: Some(s.key.clone()),
                    value: Some(s.value.to_vec()),
                })
                .collect(),
        ),
    }
}

fn instruction(instruction: &Instruction) -> fb::Instruction {
    use fb::InstructionArguments as Kind;
    let instr_args = match instruction {
        Instruction::KernelCall { op, args } => Kind::KernelCall(Box::new(fb::KernelCall {
            op_index: op.0 as i32,
            args: Some(indices(args)),
        })),
        Instruction::DelegateCall { delegate, args } => {
            Kind::DelegateCall(Box::new(fb::DelegateCall {
                delegate_index: delegate.0 as i32,
                args: Some(indices(args)),
            }))
        }
        Instruction::Move { from, to } => Kind::MoveCall(Box::new(fb::MoveCall {
            move_from: index(*from),
            move_to: index(*to),
        })),
        Instruction::JumpFalse { cond, dest } => Kind::JumpFalseCall(Box::new(fb::JumpFalseCall {
            cond_value_index: index(*cond),
            destination_instruction: *dest as i32,
        })),
        Instruction::Free { value } => Kind::FreeCall(Box::new(fb::FreeCall {
            value_index: index(*value),
        })),
    };
    fb::Instruction {
        instr_args: Some(instr_args),
    }
}

fn value(value: &Value) -> fb::KernelTypes {
    use fb::KernelTypes as Kind;
    let optional = |item: &Option<ValueIndex>| item.map_or(-1, index);
    match value {
        Value::None => Kind::Null(Box::default()),
        Value::Int(int_val) => Kind::Int(Box::new(fb::Int { int_val: *int_val })),
        Value::Bool(bool_val) => Kind::Bool(Box::new(fb::Bool {
            bool_val: *bool_val,
        })),
        Value::Double(double_val) => Kind::Double(Box::new(fb::Double {
            // An absent field is zero. Negative zero equals zero, but must be written.
            double_val: (double_val.to_bits() != 0).then_some(*double_val),
        })),
        Value::Tensor(t) => Kind::Tensor(Box::new(tensor(t))),
        Value::String(text) => Kind::String(Box::new(fb::String {
            string_val: Some(text.clone()),
        })),
        Value::IntList(items) => Kind::IntList(Box::new(fb::IntList {
            items: Some(items.iter().map(|item| item.0.into()).collect()),
        })),
        Value::DoubleList(items) => Kind::DoubleList(Box::new(fb::DoubleList {
            items: Some(items.clone()),
        })),
        Value::BoolList(items) => Kind::BoolList(Box::new(fb::BoolList {
            items: Some(items.clone()),
        })),
        Value::TensorList(items) => Kind::TensorList(Box::new(fb::TensorList {
            items: Some(indices(items)),
        })),
        Value::OptionalTensorList(items) => {
            Kind::OptionalTensorList(Box::new(fb::OptionalTensorList {
                items: Some(items.iter().map(optional).collect()),
            }))
        }
    }
}

fn tensor(tensor: &TensorValue) -> fb::Tensor {
    let code = tensor.dtype.code() as i8;
    fb::Tensor {
        scalar_type: code
            .try_into()
            .expect("ScalarType's codes are the schema's"),
        storage_offset: 0,
        sizes: Some(tensor.sizes.iter().map(|&size| size as i32).collect()),
        dim_order: Some(tensor.dim_order.clone()),
        requires_grad: false,
        data_buffer_idx: match tensor.storage {
            TensorStorage::Constant(index) => index.0 + 1,
            TensorStorage::PlannedWithInitial(_, index) => index.0 + 1,
            TensorStorage::Unallocated | TensorStorage::Planned(_) | TensorStorage::External(_) => {
                0
            }
        },
        allocation_info: tensor.storage.slot().map(allocation),
        layout: 0,
        shape_dynamism: match tensor.dynamism {
            Dynamism::Static => fb::TensorShapeDynamism::Static,
            Dynamism::Bounded => fb::TensorShapeDynamism::DynamicBound,
        },
        extra_tensor_info: extra(tensor),
    }
}

fn allocation(slot: ArenaSlot) -> Box<fb::AllocationDetails> {
    Box::new(fb::AllocationDetails {
        memory_id: slot.arena + 1,
        memory_offset_low: slot.offset as u32,
        memory_offset_high: (slot.offset >> 32) as u32,
    })
}

fn extra(tensor: &TensorValue) -> Option<Box<fb::ExtraTensorInfo>> {
    let external = matches!(tensor.storage, TensorStorage::External(_));
    let location = match external {
        true => fb::TensorDataLocation::External,
        false => fb::TensorDataLocation::Segment,
    };
    let info = || fb::ExtraTensorInfo {
        fully_qualified_name: tensor.name.clone(),
        location,
        ..fb::ExtraTensorInfo::default()
    };
    (external || tensor.name.is_some()).then(|| Box::new(info()))
}
