//! Calls of kernels that a target brings for a region.

use super::context::Lower;
use super::region::output_tensor;
use crate::calls::{Argument, Call, Calls, Place, Tensor};
use crate::draft::{TensorSpec, Written};
use crate::memory::{Buffer, BufferId, InPlace};
use crate::region::{Region, Reordered};
use indexmap::IndexMap;
use kiln_ir::{Content, DType};
use kiln_pte::{Instruction, Operator, TensorStorage, ValueIndex};
use kiln_transforms::framework::target::Reason;

/// A place in the method.
enum Memory {
    /// A tensor at an index, which has a buffer.
    Tensor(ValueIndex),
    /// A buffer of a region's own.
    Buffer(BufferId),
    Constant(Content),
}

/// The places, and the tensors that were made of them.
struct Places {
    memory: Vec<Memory>,
    known: IndexMap<Tensor, ValueIndex>,
}

/// Emits the calls, and binds the region's outputs.
pub(super) fn emit(cx: &mut Lower<'_, '_>, region: &Region, calls: &Calls) -> Result<(), Reason> {
    let mut inputs = Vec::with_capacity(region.inputs.len());
    for input in &region.inputs {
        inputs.push(cx.tensor_in_order(input.value, &input.dim_order)?);
    }
    let mut outputs = Vec::with_capacity(region.outputs.len());
    for output in &region.outputs {
        outputs.push(output_tensor(cx, output)?);
    }
    let memory: Vec<Memory> = calls
        .places
        .iter()
        .map(|place| match place {
            Place::Input(i) => Memory::Tensor(inputs[*i]),
            Place::Output(i) => Memory::Tensor(outputs[*i]),
            Place::Temporary(bytes) => Memory::Buffer(cx.draft.buffer(Buffer::of(*bytes))),
            Place::Constant(content) => Memory::Constant(content.clone()),
        })
        .collect();
    let first = cx.draft.at;
    let mut places = Places {
        memory,
        known: IndexMap::new(),
    };
    for call in &calls.calls {
        cx.draft.at = call.node.or(first);
        emit_call(cx, &mut places, call)?;
    }
    cx.draft.at = first;
    Ok(())
}

fn emit_call(cx: &mut Lower<'_, '_>, places: &mut Places, call: &Call) -> Result<(), Reason> {
    let (mut args, mut scratch) = (Vec::new(), Vec::new());
    for argument in &call.arguments {
        args.push(match argument {
            Argument::None => cx.draft.none(),
            Argument::Int(v) => cx.draft.int(*v),
            Argument::Double(v) => cx.draft.double(*v),
            Argument::Bool(v) => cx.draft.bool(*v),
            Argument::Ints(v) => cx.draft.ints(v),
            Argument::DType(v) => cx.draft.dtype(*v),
            Argument::Tensor(v) => places.tensor(cx, v)?,
            Argument::Tensors(all) => {
                let all = all.iter().map(|v| places.tensor(cx, v));
                let all = all.collect::<Result<Vec<ValueIndex>, Reason>>()?;
                cx.draft.add(kiln_pte::Value::TensorList(all))
            }
            Argument::Scratch(bytes) => {
                let own = scratch_tensor(cx, *bytes)?;
                scratch.push(own);
                own
            }
        });
    }
    let out = places.tensor(cx, &call.out)?;
    args.extend([out, out]);
    let op = cx
        .draft
        .method
        .add_operator(Operator::from_key(call.kernel));
    cx.draft.push(Instruction::KernelCall {
        op,
        args: args.clone(),
    });
    let written = scratch.into_iter().chain([out]);
    cx.draft.note_written(written.map(|tensor| Written {
        tensor,
        is_read: false,
    }));
    for &number in &call.overwrites {
        let operand = args[number];
        let instruction = cx.draft.here() - 1;
        cx.draft.in_place.push(InPlace {
            instruction,
            out,
            operand,
        });
    }
    if call.reorders {
        let bytes = cx.draft.tensor_value(out).nbytes().unwrap_or(u64::MAX);
        let node = cx.draft.at;
        cx.draft.reordered.push(Reordered { node, bytes });
    }
    Ok(())
}

impl Places {
    fn tensor(&mut self, cx: &mut Lower<'_, '_>, of: &Tensor) -> Result<ValueIndex, Reason> {
        if let Some(&known) = self.known.get(of) {
            return Ok(known);
        }
        let made = self.made(cx, of)?;
        self.known.insert(of.clone(), made);
        Ok(made)
    }

    /// The place as a tensor: the tensor that is there, if it is the same, or another in its memory.
    fn made(&self, cx: &mut Lower<'_, '_>, of: &Tensor) -> Result<ValueIndex, Reason> {
        let spec = TensorSpec {
            dtype: of.dtype,
            sizes: of.sizes.clone(),
            dynamic: false,
            dim_order: of.dim_order.clone(),
        };
        let index = match &self.memory[of.place] {
            Memory::Buffer(buffer) => return Ok(cx.draft.tensor_in(&spec, *buffer, of.offset)),
            Memory::Constant(content) => {
                let data = cx.draft.program.constants.intern(content.clone());
                return Ok(cx.draft.constant(&spec, data));
            }
            Memory::Tensor(index) => *index,
        };
        if of.offset == 0 && cx.spec_of_tensor(index) == spec {
            return Ok(index);
        }
        match (
            cx.draft.memory[index.index()],
            cx.draft.tensor_value(index).storage,
        ) {
            (Some((buffer, start)), _) => Ok(cx.draft.tensor_in(&spec, buffer, start + of.offset)),
            (None, TensorStorage::Constant(data)) if of.offset == 0 => {
                Ok(cx.draft.constant(&spec, data))
            }
            _ => Err(Reason::new(
                "kernels see planned memory",
                "a tensor that is not planned (a bug in Kiln)",
            )),
        }
    }
}

fn scratch_tensor(cx: &mut Lower<'_, '_>, bytes: u64) -> Result<ValueIndex, Reason> {
    let size = u32::try_from(bytes);
    let size = size.map_err(|_| Reason::new("scratch memory fits 32 bits", bytes.to_string()))?;
    Ok(cx.draft.tensor(&TensorSpec {
        dtype: DType::U8,
        sizes: vec![size],
        dynamic: false,
        dim_order: vec![0],
    }))
}
