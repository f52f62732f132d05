//! Reads execution plans.

use super::{ReadError, Reader, required, unsigned};
use crate::program_fb::executorch as fb;
use crate::{
    BlobIndex, CompileSpec, ContainerMeta, Delegate, DelegateIndex, Instruction, Method, Operator,
    OperatorIndex, ValueIndex,
};

type IntVector<'a> = Option<planus::Vector<'a, i32>>;

/// Reads an execution plan.
pub(super) fn read<'a>(
    reader: &mut Reader<'a>,
    plan: &fb::ExecutionPlanRef<'a>,
) -> Result<Method, ReadError> {
    check_devices(plan)?;
    let name = required("ExecutionPlan.name", plan.name()?)?;
    let values = required("ExecutionPlan.values", plan.values()?)?;
    let inputs = required("ExecutionPlan.inputs", plan.inputs()?)?;
    let outputs = required("ExecutionPlan.outputs", plan.outputs()?)?;
    let operators = required("ExecutionPlan.operators", plan.operators()?)?;
    let delegates = required("ExecutionPlan.delegates", plan.delegates()?)?;
    Ok(Method {
        name: reader.string(name)?,
        container: container(reader, plan)?,
        values: reader.list(Some(values), |reader, value| reader.value(&value?))?,
        inputs: reader.indices("an input", Some(inputs))?,
        outputs: reader.indices("an output", Some(outputs))?,
        instructions: instructions(reader, plan)?,
        operators: reader.list(Some(operators), |reader, operator| {
            reader.operator(&operator?)
        })?,
        delegates: reader.list(Some(delegates), |reader, delegate| {
            reader.delegate(&delegate?)
        })?,
        arena_sizes: arena_sizes(reader, plan)?,
    })
}

fn check_devices(plan: &fb::ExecutionPlanRef<'_>) -> Result<(), ReadError> {
    for device in plan.non_const_buffer_device()?.into_iter().flatten() {
        let device = device?.device_type()?;
        if device != fb::DeviceType::Cpu {
            return Err(ReadError::Unsupported(format!(
                "an arena on the device {device:?}"
            )));
        }
    }
    Ok(())
}

fn container<'a>(
    reader: &mut Reader<'a>,
    plan: &fb::ExecutionPlanRef<'a>,
) -> Result<Option<ContainerMeta>, ReadError> {
    let Some(meta) = plan.container_meta_type()? else {
        return Ok(None);
    };
    Ok(Some(ContainerMeta {
        inputs: reader.optional_string(meta.encoded_inp_str()?)?,
        outputs: reader.optional_string(meta.encoded_out_str()?)?,
    }))
}

/// The sizes of the arenas. The first entry in the file is reserved.
fn arena_sizes<'a>(
    reader: &mut Reader<'a>,
    plan: &fb::ExecutionPlanRef<'a>,
) -> Result<Vec<u64>, ReadError> {
    let sizes = required(
        "ExecutionPlan.non_const_buffer_sizes",
        plan.non_const_buffer_sizes()?,
    )?;
    reader.budget.charge::<u64>(sizes.len())?;
    let size = |found: i64| {
        let (what, allowed) = ("an arena's size", "0 or more");
        u64::try_from(found).map_err(|_| ReadError::Value {
            what,
            found: found.into(),
            allowed,
        })
    };
    sizes.iter().skip(1).map(size).collect()
}

/// The chains, concatenated. A jump stays in its chain: one beyond the end of a chain continues with the next chain.
fn instructions<'a>(
    reader: &mut Reader<'a>,
    plan: &fb::ExecutionPlanRef<'a>,
) -> Result<Vec<Instruction>, ReadError> {
    let chains = required("ExecutionPlan.chains", plan.chains()?)?;
    if chains.is_empty() {
        let (what, allowed) = ("the number of chains", "at least 1");
        return Err(ReadError::Value {
            what,
            found: 0,
            allowed,
        });
    }
    let mut all = Vec::new();
    for chain in chains {
        let listed = required("Chain.instructions", chain?.instructions()?)?;
        let mut chain = reader.list(Some(listed), |reader, instruction| {
            reader.instruction(&instruction?)
        })?;
        let (start, length) = (all.len() as u32, chain.len() as u32);
        for instruction in &mut chain {
            if let Instruction::JumpFalse { dest, .. } = instruction {
                *dest = start + length.min(*dest);
            }
        }
        all.append(&mut chain);
    }
    Ok(all)
}

impl<'a> Reader<'a> {
    pub(super) fn indices(
        &mut self,
        what: &'static str,
        items: IntVector<'a>,
    ) -> Result<Vec<ValueIndex>, ReadError> {
        self.list(items, |_, item| unsigned(what, item).map(ValueIndex))
    }

    fn instruction(
        &mut self,
        instruction: &fb::InstructionRef<'a>,
    ) -> Result<Instruction, ReadError> {
        let value = |found| unsigned("an instruction's value", found).map(ValueIndex);
        Ok(
            match required("Instruction.instr_args", instruction.instr_args()?)? {
                fb::InstructionArgumentsRef::KernelCall(call) => Instruction::KernelCall {
                    op: OperatorIndex(unsigned("KernelCall.op_index", call.op_index()?)?),
                    args: self.arguments(call.args()?)?,
                },
                fb::InstructionArgumentsRef::DelegateCall(call) => Instruction::DelegateCall {
                    delegate: DelegateIndex(unsigned(
                        "DelegateCall.delegate_index",
                        call.delegate_index()?,
                    )?),
                    args: self.arguments(call.args()?)?,
                },
                fb::InstructionArgumentsRef::MoveCall(call) => Instruction::Move {
                    from: value(call.move_from()?)?,
                    to: value(call.move_to()?)?,
                },
                fb::InstructionArgumentsRef::JumpFalseCall(call) => Instruction::JumpFalse {
                    cond: value(call.cond_value_index()?)?,
                    dest: unsigned(
                        "JumpFalseCall.destination_instruction",
                        call.destination_instruction()?,
                    )?,
                },
                fb::InstructionArgumentsRef::FreeCall(call) => Instruction::Free {
                    value: value(call.value_index()?)?,
                },
            },
        )
    }

    fn arguments(&mut self, args: IntVector<'a>) -> Result<Vec<ValueIndex>, ReadError> {
        self.indices("an argument", Some(required("the args of a call", args)?))
    }

    fn operator(&mut self, operator: &fb::OperatorRef<'a>) -> Result<Operator, ReadError> {
        Ok(Operator {
            name: self.string(required("Operator.name", operator.name()?)?)?,
            overload: self.optional_string(operator.overload()?)?,
        })
    }

    fn delegate(&mut self, delegate: &fb::BackendDelegateRef<'a>) -> Result<Delegate, ReadError> {
        let place = required("BackendDelegate.processed", delegate.processed()?)?;
        Ok(Delegate {
            id: self.string(required("BackendDelegate.id", delegate.id()?)?)?,
            blob: self.blob(&place)?,
            compile_specs: self.list(delegate.compile_specs()?, |reader, spec| {
                reader.compile_spec(&spec?)
            })?,
        })
    }

    fn blob(
        &mut self,
        place: &fb::BackendDelegateDataReferenceRef<'a>,
    ) -> Result<BlobIndex, ReadError> {
        let inline = place.location()? == fb::DataLocation::Inline;
        let index = place.index()?;
        if let Some(&known) = self.blobs.by_place.get(&(inline, index)) {
            return Ok(known);
        }
        let data = match inline {
            true => {
                let found = self.inline_blobs.get(index as usize).transpose()?;
                let data = required("the inline data of a delegate", found)?
                    .data()?
                    .unwrap_or_default();
                self.flatbuffer.slice_ref(data)
            }
            false => self.segments.get(index)?,
        };
        let blob = self.blobs.pool.push(data);
        self.blobs.by_place.insert((inline, index), blob);
        Ok(blob)
    }

    fn compile_spec(&mut self, spec: &fb::CompileSpecRef<'a>) -> Result<CompileSpec, ReadError> {
        Ok(CompileSpec {
            key: self.optional_string(spec.key()?)?,
            value: self.flatbuffer.slice_ref(spec.value()?.unwrap_or_default()),
        })
    }
}
