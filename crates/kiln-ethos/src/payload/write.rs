//! The writer of payloads.

use super::{
    ALIGNMENT, COMMANDS, Data, FIRST, HEADER, INPUTS, LAST, NAME, OUTPUTS, Payload, SCRATCH, Slot,
    WEIGHTS,
};
use bytes::Bytes;

/// Why a payload cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the block {name} of a command stream has {bytes} bytes, which its header cannot say")]
pub struct WriteError {
    /// The name of the block.
    pub name: &'static str,
    /// Its length in bytes.
    pub bytes: usize,
}

/// The bytes of a payload.
///
/// # Errors
/// If a block has 4 GiB or more.
pub fn write(payload: &Payload) -> Result<Bytes, WriteError> {
    let mut stream = Vec::new();
    let scratch = payload.scratch_bytes.to_le_bytes();
    block(&mut stream, FIRST, &[], false)?;
    data(&mut stream, COMMANDS, &payload.commands)?;
    data(&mut stream, WEIGHTS, &payload.weights)?;
    block(&mut stream, SCRATCH, &scratch, false)?;
    block(&mut stream, INPUTS, &slots(&payload.inputs), false)?;
    block(&mut stream, OUTPUTS, &slots(&payload.outputs), false)?;
    block(&mut stream, LAST, &[], false)?;
    Ok(stream.into())
}

fn data(stream: &mut Vec<u8>, name: &'static str, data: &Data) -> Result<(), WriteError> {
    match data {
        Data::Here(bytes) => block(stream, name, bytes, false),
        Data::Named(key) => block(stream, name, key.as_bytes(), true),
    }
}

fn block(
    stream: &mut Vec<u8>,
    name: &'static str,
    bytes: &[u8],
    is_elsewhere: bool,
) -> Result<(), WriteError> {
    let length = u32::try_from(bytes.len()).map_err(|_| WriteError {
        name,
        bytes: bytes.len(),
    })?;
    let mut header = [0; HEADER];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[NAME..NAME + 4].copy_from_slice(&length.to_le_bytes());
    header[NAME + 4] = u8::from(is_elsewhere);
    stream.extend(header);
    stream.extend_from_slice(bytes);
    stream.resize(stream.len().next_multiple_of(ALIGNMENT), 0);
    Ok(())
}

/// Writes a count, and the words of each tensor.
fn slots(slots: &[Slot]) -> Vec<u8> {
    let count = i32::try_from(slots.len()).unwrap_or(i32::MAX);
    let words = slots.iter().flat_map(|slot| {
        let rest = [slot.element_bytes, slot.offset, slot.region];
        slot.dims.into_iter().chain(rest)
    });
    let words = std::iter::once(count).chain(words);
    words.flat_map(i32::to_le_bytes).collect()
}
