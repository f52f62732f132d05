//! Writing a payload.
//!
//! Layout: 30-byte header, padding to 32, flatbuffer, and inline constants, each at a multiple of 16.

use bytes::Bytes;

use super::graph::{ConstantData, XnnGraph};
use super::{ALIGNMENT, Fault, HEADER_LENGTH, MAGIC, check, encode};

/// The payload's bytes, for a delegate of backend `XnnpackBackend`. The same graph gives the same bytes; [`read`]
/// gives the graph back.
///
/// Fails if the graph breaks a rule of [`check`](super::check()).
///
/// [`read`]: super::read()
pub fn write(graph: &XnnGraph) -> Result<Bytes, Fault> {
    check(graph)?;
    let (offsets, constant_size) = place(graph);
    let flatbuffer = encode::encode(graph, &offsets);
    let start = usize::from(HEADER_LENGTH).next_multiple_of(ALIGNMENT);
    let constant_start = (start + flatbuffer.len()).next_multiple_of(ALIGNMENT);
    let mut blob = Vec::with_capacity(constant_start + constant_size);
    blob.extend([0; 4]);
    blob.extend(MAGIC);
    blob.extend(HEADER_LENGTH.to_le_bytes());
    for number in [start, flatbuffer.len(), constant_start] {
        blob.extend((number as u32).to_le_bytes());
    }
    blob.extend((constant_size as u64).to_le_bytes());
    blob.resize(start, 0);
    blob.extend(flatbuffer);
    for (constant, offset) in graph.constants.iter().zip(offsets) {
        if let (ConstantData::Inline(data), Some(offset)) = (constant, offset) {
            blob.resize(constant_start + offset as usize, 0);
            blob.extend_from_slice(data);
        }
    }
    blob.resize(constant_start + constant_size, 0);
    Ok(blob.into())
}

/// The place of each inline constant, from the first one's start, and where the last ends.
fn place(graph: &XnnGraph) -> (Vec<Option<u64>>, usize) {
    let mut end = 0u64;
    let offset = |constant: &ConstantData| match constant {
        ConstantData::Named(_) => None,
        ConstantData::Inline(data) => {
            let offset = end.next_multiple_of(ALIGNMENT as u64);
            end = offset + data.len() as u64;
            Some(offset)
        }
    };
    let offsets = graph.constants.iter().map(offset).collect();
    (offsets, end as usize)
}
