//! The reader of programs.
//!
//! Contract: the reader accepts all files that the stock runtime 1.5.1 loads (those of its own writer, with inline or
//! segment delegates, external and mutable data), and refuses others with a reason. The result satisfies
//! [`check`](crate::check()). Its bytes are shared with the input. Several chains are concatenated, and their jumps
//! adjusted.

mod error;
mod header;
mod method;
mod segment;
mod value;

use bytes::Bytes;

pub use error::ReadError;

use self::segment::{Segments, Uses};
use crate::flatbuffer::Budget;
use crate::program_fb::executorch as fb;
use crate::{BlobIndex, NamedData, Pool, Program, check};

/// Reads a whole `.pte` file.
pub fn read(file: Bytes) -> Result<Program, ReadError> {
    let frame = header::split(&file)?;
    let root = <fb::ProgramRef<'_> as planus::ReadAsRoot>::read_as_root(&frame.program)?;
    let version = root.version()?;
    if version != 0 {
        return Err(ReadError::Value {
            what: "Program.version",
            found: version.into(),
            allowed: "0",
        });
    }
    let mut reader = Reader {
        budget: Budget::new(frame.program.len() as u64),
        segments: Segments::new(&root, frame.segments)?,
        inline_blobs: present(root.backend_delegate_data()?),
        flatbuffer: &frame.program,
        blobs: Blobs::default(),
    };
    let program = reader.program(&root)?;
    check(&program)?;
    Ok(program)
}

/// The elements of a vector; none if the field is absent.
fn present<'a, T>(vector: Option<planus::Vector<'a, T>>) -> planus::Vector<'a, T> {
    vector.unwrap_or(planus::Vector::new_empty())
}

/// The state of reading a program.
struct Reader<'a> {
    budget: Budget,
    segments: Segments,
    inline_blobs: planus::Vector<'a, planus::Result<fb::BackendDelegateInlineDataRef<'a>>>,
    flatbuffer: &'a Bytes,
    blobs: Blobs,
}

/// The delegate blobs so far, with their origins: two delegates may refer to the same blob.
#[derive(Default)]
struct Blobs {
    pool: Pool<BlobIndex>,
    by_place: std::collections::HashMap<(bool, u32), BlobIndex>,
}

impl<'a> Reader<'a> {
    fn program(&mut self, root: &fb::ProgramRef<'a>) -> Result<Program, ReadError> {
        if root
            .constant_buffer()?
            .is_some_and(|buffers| !buffers.is_empty())
        {
            let reason = "constants inside the flatbuffer, of a writer before ExecuTorch 0.4; export the model again";
            return Err(ReadError::Unsupported(reason.to_owned()));
        }
        let plans = required("Program.execution_plan", root.execution_plan()?)?;
        let methods = self.list(Some(plans), |reader, plan| method::read(reader, &plan?))?;
        let mut program = Program {
            methods,
            ..Program::default()
        };
        self.data(root, &mut program)?;
        program.delegate_blobs = std::mem::take(&mut self.blobs.pool);
        program.named_data =
            self.list(root.named_data()?, |reader, named| reader.named(&named?))?;
        Ok(program)
    }

    /// Reads constants and initial data. The file has only their offsets; the tensors give their sizes.
    fn data(&mut self, root: &fb::ProgramRef<'a>, program: &mut Program) -> Result<(), ReadError> {
        let constants = required("Program.constant_segment", root.constant_segment()?)?;
        let offsets = required("Program.constant_segment.offsets", constants.offsets()?)?;
        if offsets.is_empty() {
            let (what, allowed) = (
                "the length of Program.constant_segment.offsets",
                "at least 1",
            );
            return Err(ReadError::Value {
                what,
                found: 0,
                allowed,
            });
        }
        let uses = Uses::of(&program.methods);
        program.constants = self.parts(&constants, "constant", &uses.constants)?;
        // The runtime reads the first entry, whichever entry a tensor names.
        if let Some(initial) = root
            .mutable_data_segments()?
            .and_then(|segments| segments.first())
        {
            program.initial_data = self.parts(&initial?, "initial data", &uses.initial_data)?;
        }
        Ok(())
    }

    fn named(&mut self, named: &fb::NamedDataRef<'a>) -> Result<NamedData, ReadError> {
        let key = required("NamedData.key", named.key()?)?;
        Ok(NamedData {
            key: self.string(key)?,
            data: self.segments.get(named.segment_index()?)?.into(),
        })
    }

    /// Maps a vector, after charging the budget for the result.
    fn list<T, R>(
        &mut self,
        vector: Option<planus::Vector<'a, T>>,
        mut map: impl FnMut(&mut Self, T) -> Result<R, ReadError>,
    ) -> Result<Vec<R>, ReadError>
    where
        planus::Vector<'a, T>: IntoIterator<Item = T>,
    {
        let vector = present(vector);
        self.budget.charge::<R>(vector.len())?;
        let mut items = Vec::with_capacity(vector.len());
        for item in vector {
            items.push(map(self, item)?);
        }
        Ok(items)
    }

    fn string(&mut self, text: &str) -> Result<String, ReadError> {
        self.budget.charge::<u8>(text.len())?;
        Ok(text.to_owned())
    }

    fn optional_string(&mut self, text: Option<&str>) -> Result<String, ReadError> {
        self.string(text.unwrap_or_default())
    }

    /// The parts of a segment, one for each offset after the reserved first one.
    fn parts<I: From<u32> + Into<u32>>(
        &mut self,
        subsegments: &fb::SubsegmentOffsetsRef<'_>,
        what: &str,
        needs: &[(u32, u64)],
    ) -> Result<Pool<I>, ReadError> {
        let mut pool = Pool::default();
        let offsets = present(subsegments.offsets()?);
        if offsets.len() < 2 {
            return Ok(pool);
        }
        self.budget.charge::<kiln_ir::Content>(offsets.len())?;
        let segment = self.segments.get(subsegments.segment_index()?)?;
        for part in segment::cut(&segment, offsets.iter().skip(1).collect(), what, needs)? {
            pool.push(part);
        }
        Ok(pool)
    }
}

/// A field that is a count or an index. Refuses negative numbers.
fn unsigned(what: &'static str, found: i32) -> Result<u32, ReadError> {
    u32::try_from(found).map_err(|_| ReadError::Value {
        what,
        found: found.into(),
        allowed: "0 or more",
    })
}

/// A required field.
fn required<T>(what: &'static str, field: Option<T>) -> Result<T, ReadError> {
    field.ok_or(ReadError::Missing(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Methods that share one list of values. Each costs 4 bytes in the file, but a whole list in memory.
    #[test]
    fn shared_tables_do_not_explode() {
        let mut builder = planus::Builder::new();
        let values: Vec<_> = std::iter::repeat_n(
            fb::EValue {
                val: Some(fb::KernelTypes::Null(Box::default())),
            },
            9,
        )
        .map(|value| planus::WriteAsOffset::prepare(&value, &mut builder))
        .collect();
        let values = builder.create_vector(values.repeat(1000));
        let chain = fb::Chain {
            instructions: Some(Vec::new()),
            ..fb::Chain::default()
        };
        let plan = fb::ExecutionPlan::create(
            &mut builder,
            "forward",
            None::<planus::Offset<fb::ContainerMetadata>>,
            values,
            Vec::<i32>::new(),
            Vec::<i32>::new(),
            vec![chain],
            Vec::<fb::Operator>::new(),
            Vec::<fb::BackendDelegate>::new(),
            vec![0i64],
            None::<planus::Offset<[planus::Offset<fb::NonConstBufferDevice>]>>,
        );
        let file = finished(&mut builder, vec![plan; 9000]);
        assert!(matches!(read(file), Err(ReadError::Expands(_))));
        assert!(read(finished(&mut builder, vec![plan])).is_ok());
    }

    #[test]
    fn chains_are_joined_with_their_jumps() {
        let jump = |destination_instruction| {
            let call = fb::JumpFalseCall {
                cond_value_index: 0,
                destination_instruction,
            };
            fb::Instruction {
                instr_args: Some(fb::InstructionArguments::JumpFalseCall(Box::new(call))),
            }
        };
        let chain = |destinations: &[i32]| fb::Chain {
            instructions: Some(destinations.iter().copied().map(jump).collect()),
            ..fb::Chain::default()
        };
        let plan = fb::ExecutionPlan {
            name: Some("forward".to_owned()),
            values: Some(vec![fb::EValue {
                val: Some(fb::KernelTypes::Bool(Box::default())),
            }]),
            inputs: Some(Vec::new()),
            outputs: Some(Vec::new()),
            chains: Some(vec![chain(&[1, 9]), chain(&[0, 2])]),
            operators: Some(Vec::new()),
            delegates: Some(Vec::new()),
            non_const_buffer_sizes: Some(vec![0]),
            ..fb::ExecutionPlan::default()
        };
        let mut builder = planus::Builder::new();
        let plan = planus::WriteAsOffset::prepare(&plan, &mut builder);
        let program = read(finished(&mut builder, vec![plan])).expect("the program is sound");
        let dest = |instruction: &crate::Instruction| match instruction {
            crate::Instruction::JumpFalse { dest, .. } => *dest,
            other => panic!("{other:?} is no jump"),
        };
        let dests: Vec<_> = program.methods[0].instructions.iter().map(dest).collect();
        assert_eq!(dests, [1, 2, 2, 4]);
    }

    fn finished(
        builder: &mut planus::Builder,
        plans: Vec<planus::Offset<fb::ExecutionPlan>>,
    ) -> Bytes {
        let offsets = fb::SubsegmentOffsets {
            segment_index: 0,
            offsets: Some(vec![0]),
        };
        let program = fb::Program::create(
            builder,
            0u32,
            plans,
            None::<planus::Offset<[planus::Offset<fb::Buffer>]>>,
            None::<planus::Offset<[planus::Offset<fb::BackendDelegateInlineData>]>>,
            None::<planus::Offset<[planus::Offset<fb::DataSegment>]>>,
            offsets,
            None::<planus::Offset<[planus::Offset<fb::SubsegmentOffsets>]>>,
            None::<planus::Offset<[planus::Offset<fb::NamedData>]>>,
        );
        crate::flatbuffer::finish_with(builder, program, *crate::frame::IDENTIFIER).into()
    }
}
