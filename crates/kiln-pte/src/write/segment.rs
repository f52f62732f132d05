//! The layout of the bytes after the flatbuffer.

use std::collections::HashMap;
use std::io::{self, Write};

use kiln_ir::Content;
use kiln_ir::content::{Distinct, Then};

use crate::Program;
use crate::frame::{CONSTANT_ALIGNMENT, SEGMENT_ALIGNMENT};

/// What first brought a content into the program, by its position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Constant(usize),
    Named(usize),
}

/// All data after the flatbuffer.
#[derive(Default)]
pub(super) struct Layout {
    /// The segments, in the order of the file.
    pub segments: Vec<Segment>,
    /// The constants, if there are any.
    pub constants: Option<Parts>,
    /// The initial data of mutable buffers, if there are any.
    pub initial_data: Option<Parts>,
    /// The index of the first delegate blob's segment. Those of the others follow.
    pub first_blob: u32,
    /// The segment of each named datum, in the order of the program.
    pub named_data: Vec<u32>,
}

/// Parts of a segment to which the flatbuffer refers separately.
pub(super) struct Parts {
    /// The index of the segment.
    pub segment: u32,
    /// The offset of each part in the segment.
    pub offsets: Vec<u64>,
}

/// A contiguous range of bytes.
pub(super) struct Segment {
    /// The offset from the start of the first segment.
    pub offset: u64,
    /// The size, without the padding that follows.
    pub size: u64,
    /// The parts in order, each with its offset in the segment.
    parts: Vec<(u64, Content)>,
}

impl Layout {
    /// Lays out the data of a program.
    pub fn of(program: &Program) -> Self {
        let mut layout = Layout::default();
        layout.constants = layout.push_parts(program.constants.iter().map(|(_, data)| data));
        layout.initial_data = layout.push_parts(program.initial_data.iter().map(|(_, data)| data));
        layout.first_blob = layout.segments.len() as u32;
        for (_, blob) in program.delegate_blobs.iter() {
            layout.push(vec![(0, blob.clone())]);
        }
        layout.push_named(program);
        layout
    }

    /// Equal named data share a segment. If they equal a constant too, their segment is the constant's place: the runtime reads each
    /// segment for itself, so segments may overlap.
    fn push_named(&mut self, program: &Program) {
        let (mut first, mut segments) = (Distinct::default(), HashMap::new());
        for (i, (_, constant)) in program.constants.iter().enumerate() {
            first.first(constant, Owner::Constant(i));
        }
        for (i, named) in program.named_data.iter().enumerate() {
            let owner = match named.data.is_empty() {
                true => Owner::Named(i),
                false => first.first(&named.data, Owner::Named(i)),
            };
            let segment = *segments.entry(owner).or_insert_with(|| {
                let place = self.place_of(owner, named.data.len());
                place.unwrap_or_else(|| self.push(vec![(0, named.data.clone())]))
            });
            self.named_data.push(segment);
        }
    }

    /// A new segment in the place of a constant of this length.
    fn place_of(&mut self, owner: Owner, length: usize) -> Option<u32> {
        let (Owner::Constant(i), Some(constants)) = (owner, &self.constants) else {
            return None;
        };
        let around = &self.segments[constants.segment as usize];
        self.segments.push(Segment {
            offset: around.offset + constants.offsets[i],
            size: length as u64,
            parts: Vec::new(),
        });
        Some(self.segments.len() as u32 - 1)
    }

    /// The number of bytes from the start of the first segment to the end of the last one.
    pub fn size(&self) -> u64 {
        let ends = self.segments.iter().map(|s| s.offset + s.size);
        ends.max().unwrap_or(0)
    }

    /// Writes the segments.
    pub fn emit(&self, out: &mut impl Write) -> io::Result<()> {
        let mut written = 0;
        for segment in &self.segments {
            for (offset, data) in &segment.parts {
                super::zeros(out, segment.offset + offset - written)?;
                let mut pieces = data.pieces();
                while let Some(piece) = pieces.next() {
                    out.write_all(piece)?;
                }
                data.passed(Then::Nothing);
                written = segment.offset + offset + data.len() as u64;
            }
        }
        Ok(())
    }

    fn push(&mut self, parts: Vec<(u64, Content)>) -> u32 {
        let offset = self.size().next_multiple_of(SEGMENT_ALIGNMENT);
        let size = parts
            .last()
            .map_or(0, |(offset, data)| offset + data.len() as u64);
        self.segments.push(Segment {
            offset,
            size,
            parts,
        });
        self.segments.len() as u32 - 1
    }

    fn push_parts<'a>(&mut self, items: impl Iterator<Item = &'a Content>) -> Option<Parts> {
        let mut end = 0u64;
        let place = |data: &Content| {
            let offset = end.next_multiple_of(CONSTANT_ALIGNMENT);
            end = offset + data.len() as u64;
            (offset, data.clone())
        };
        let mut parts: Vec<_> = items.map(place).collect();
        if parts.is_empty() {
            return None;
        }
        let offsets = parts.iter().map(|(offset, _)| *offset).collect();
        if end == 0 {
            // The runtime treats an empty segment as absent.
            parts.push((0, Content::from(bytes::Bytes::from_static(&[0]))));
        }
        Some(Parts {
            segment: self.push(parts),
            offsets,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_without_bytes_have_a_segment() {
        let mut program = Program::default();
        program.constants.intern(Content::from(bytes::Bytes::new()));
        let layout = Layout::of(&program);
        let parts = layout.constants.as_ref().expect("there is a constant");
        assert_eq!(parts.offsets, [0]);
        assert_eq!(layout.segments[parts.segment as usize].size, 1);
        let mut written = Vec::new();
        layout.emit(&mut written).expect("memory takes bytes");
        assert_eq!(written, [0]);
    }

    /// A weight that a kernel and a delegate read is stored once, and every other datum has a segment of its own.
    #[test]
    fn named_data_lie_over_equal_constants() {
        let content = |byte: u8| Content::from(bytes::Bytes::from(vec![byte; 300]));
        let mut program = Program::default();
        program.constants.intern(content(1));
        program.constants.intern(content(2));
        for (key, data) in [("a", content(2)), ("b", content(3)), ("c", content(2))] {
            let key = key.into();
            program.named_data.push(crate::NamedData { key, data });
        }
        let layout = Layout::of(&program);
        let mut written = Vec::new();
        layout.emit(&mut written).expect("memory takes bytes");
        assert_eq!(written.len() as u64, layout.size());
        let read = |i: usize| {
            let segment = &layout.segments[layout.named_data[i] as usize];
            &written[segment.offset as usize..][..segment.size as usize]
        };
        assert_eq!([read(0), read(1), read(2)], [[2; 300], [3; 300], [2; 300]]);
        assert_eq!(layout.named_data[0], layout.named_data[2]);
        assert_eq!(written.iter().filter(|&&byte| byte == 2).count(), 300);
    }
}
