//! The frame of a file: identifier, extended header, and the positions of the flatbuffer and the segments.

use bytes::Bytes;

use super::ReadError;
use crate::frame::{EXTENDED_MAGIC, IDENTIFIER};

/// The length of the shortest extended header, which has no `segment_data_size`.
const MIN_HEADER: u32 = 24;
/// The length of the shortest extended header with `segment_data_size`.
const SIZED_HEADER: u32 = 32;

/// The two parts of a file. Both lie within it.
pub(super) struct Frame {
    /// The flatbuffer, including the extended header.
    pub program: Bytes,
    /// The segments; empty if there are none.
    pub segments: Bytes,
}

/// Splits a file by its header.
pub(super) fn split(file: &Bytes) -> Result<Frame, ReadError> {
    let found: [u8; 4] = field(file, 4, "the file identifier")?;
    if found != *IDENTIFIER {
        return Err(ReadError::Identifier { found });
    }
    match file.get(8..12) {
        Some(magic) if magic == EXTENDED_MAGIC => split_extended(file),
        _ => Ok(Frame {
            program: file.clone(),
            segments: Bytes::new(),
        }),
    }
}

fn split_extended(file: &Bytes) -> Result<Frame, ReadError> {
    let length = u32::from_le_bytes(field(file, 12, "the extended header")?);
    if length < MIN_HEADER {
        return Err(ReadError::Header(format!(
            "its length is {length}; at least {MIN_HEADER} is needed"
        )));
    }
    let program_size = u64::from_le_bytes(field(file, 16, "the extended header")?);
    let base = u64::from_le_bytes(field(file, 24, "the extended header")?);
    let segments_size = match length {
        SIZED_HEADER.. => u64::from_le_bytes(field(file, 32, "the extended header")?),
        _ => 0,
    };
    if program_size < 8 + u64::from(length) {
        return Err(ReadError::Header(format!(
            "the flatbuffer's size {program_size} leaves no room for it"
        )));
    }
    Ok(Frame {
        program: part(file, "the flatbuffer", 0, program_size)?,
        segments: segments(file, base, segments_size)?,
    })
}

/// The segments. They end with the file if an old header has no size.
fn segments(file: &Bytes, base: u64, size: u64) -> Result<Bytes, ReadError> {
    match (base, size) {
        (0, 0) => Ok(Bytes::new()),
        (0, _) => Err(ReadError::Header(format!(
            "it has {size} bytes of segments, but no place for them"
        ))),
        (_, 0) => part(
            file,
            "the part of the segments",
            base,
            (file.len() as u64).saturating_sub(base),
        ),
        _ => part(file, "the part of the segments", base, size),
    }
}

/// `size` bytes from `start` on, shared with the whole.
pub(super) fn part(whole: &Bytes, what: &str, start: u64, size: u64) -> Result<Bytes, ReadError> {
    let found = whole.len() as u64;
    match start.checked_add(size) {
        Some(end) if end <= found => Ok(whole.slice(start as usize..end as usize)),
        end => Err(ReadError::Truncated {
            what: what.to_owned(),
            needed: end.unwrap_or(u64::MAX),
            found,
        }),
    }
}

fn field<const N: usize>(file: &Bytes, start: usize, what: &str) -> Result<[u8; N], ReadError> {
    let bytes = part(file, what, start as u64, N as u64)?;
    Ok(bytes[..].try_into().expect("a part has the size asked for"))
}
