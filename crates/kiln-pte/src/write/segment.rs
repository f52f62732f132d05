//! The layout of the bytes after the flatbuffer.

use std::io::{self, Write};

use kiln_ir::Content;
use kiln_ir::content::Then;

use crate::frame::{CONSTANT_ALIGNMENT, SEGMENT_ALIGNMENT};
use crate::{Pool, Program};

/// An index into [`Layout::segments`].
#[derive(Clone, Copy)]
pub(super) struct SegmentIndex(pub u32);

impl From<u32> for SegmentIndex {
    fn from(position: u32) -> Self {
        Self(position)
    }
}

impl From<SegmentIndex> for u32 {
    fn from(index: SegmentIndex) -> u32 {
        index.0
    }
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
        let first_named = layout.segments.len() as u32;
        let mut shared = Pool::<SegmentIndex>::default();
        for named in &program.named_data {
            let index = shared.intern(named.data.clone());
            layout.named_data.push(first_named + index.0);
        }
        for (_, data) in shared.iter() {
            layout.push(vec![(0, data.clone())]);
        }
        layout
    }

    /// The number of bytes from the start of the first segment to the end of the last one.
    pub fn size(&self) -> u64 {
        self.segments
            .last()
            .map_or(0, |last| last.offset + last.size)
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
}
