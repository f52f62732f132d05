//! The reader of payloads. It trusts nothing that it reads.

use super::{
    ALIGNMENT, COMMANDS, Data, FIRST, HEADER, INPUTS, LAST, MAGIC, NAME, OUTPUTS, Payload, SCRATCH,
    Slot, WEIGHTS, WORDS,
};
use bytes::Bytes;

/// Why bytes are not a payload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no command stream for Ethos-U: {0}")]
pub struct ReadError(String);

fn refused<T>(what: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError(what.into()))
}

/// Reads a payload.
///
/// # Errors
/// If the runtime's backend would not read these bytes: what is wrong with them.
pub fn read(bytes: &Bytes) -> Result<Payload, ReadError> {
    let mut blocks = Blocks::default();
    let mut at = 0;
    let first = next_block(bytes, &mut at)?;
    if first.name != FIRST || !first.bytes.is_empty() {
        return refused(format!("begins with the block {:?}", first.name));
    }
    loop {
        let block = next_block(bytes, &mut at)?;
        if block.name == LAST {
            if !block.bytes.is_empty() || at != bytes.len() {
                return refused("goes on behind its end");
            }
            return blocks.payload();
        }
        blocks.put(block)?;
    }
}

/// A block: its name and its data.
struct Block {
    name: String,
    bytes: Bytes,
    is_elsewhere: bool,
}

fn next_block(bytes: &Bytes, at: &mut usize) -> Result<Block, ReadError> {
    let rest = bytes.len() - *at;
    if rest < HEADER {
        return refused(format!("cut off at byte {}", bytes.len()));
    }
    let header = &bytes[*at..*at + HEADER];
    let name = header[..NAME].split(|&b| b == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name).into_owned();
    let length = &header[NAME..NAME + 4];
    let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
    let is_elsewhere = match header[NAME + 4] {
        0 => false,
        1 => true,
        other => return refused(format!("the block {name:?} is at the place {other}")),
    };
    let start = *at + HEADER;
    let stored = length.next_multiple_of(ALIGNMENT);
    if stored > bytes.len() - start {
        return refused(format!("the block {name:?} has {length} bytes, cut off"));
    }
    *at = start + stored;
    Ok(Block {
        name,
        bytes: bytes.slice(start..start + length),
        is_elsewhere,
    })
}

/// The blocks by name.
#[derive(Default)]
struct Blocks {
    commands: Option<Data>,
    weights: Option<Data>,
    scratch_bytes: Option<u32>,
    inputs: Option<Vec<Slot>>,
    outputs: Option<Vec<Slot>>,
}

impl Blocks {
    fn put(&mut self, block: Block) -> Result<(), ReadError> {
        let is_data = [COMMANDS, WEIGHTS].contains(&block.name.as_str());
        if block.is_elsewhere && !is_data {
            return refused(format!("the block {:?} is not in the payload", block.name));
        }
        let is_new = match block.name.as_str() {
            COMMANDS => self.commands.replace(commands(block)?).is_none(),
            WEIGHTS => self.weights.replace(data(block)?).is_none(),
            SCRATCH => self.scratch_bytes.replace(word(&block.bytes)?).is_none(),
            INPUTS => self.inputs.replace(slots(&block)?).is_none(),
            OUTPUTS => self.outputs.replace(slots(&block)?).is_none(),
            other => return refused(format!("has an unknown block {other:?}")),
        };
        match is_new {
            true => Ok(()),
            false => refused("has a block twice"),
        }
    }

    fn payload(self) -> Result<Payload, ReadError> {
        fn there<T>(found: Option<T>, name: &str) -> Result<T, ReadError> {
            found.ok_or_else(|| ReadError(format!("has no block {name:?}")))
        }
        Ok(Payload {
            commands: there(self.commands, COMMANDS)?,
            weights: there(self.weights, WEIGHTS)?,
            scratch_bytes: there(self.scratch_bytes, SCRATCH)?,
            inputs: there(self.inputs, INPUTS)?,
            outputs: there(self.outputs, OUTPUTS)?,
        })
    }
}

fn data(block: Block) -> Result<Data, ReadError> {
    if !block.is_elsewhere {
        return Ok(Data::Here(block.bytes));
    }
    let is_key = block.bytes.len() == 64 && block.bytes.iter().all(u8::is_ascii_hexdigit);
    match is_key {
        true => Ok(Data::Named(
            String::from_utf8_lossy(&block.bytes).into_owned(),
        )),
        false => refused(format!("the key of the block {:?} is none", block.name)),
    }
}

fn commands(block: Block) -> Result<Data, ReadError> {
    let data = data(block)?;
    match &data {
        Data::Here(bytes) if !MAGIC.iter().any(|m| bytes.starts_with(m)) => {
            refused("its commands begin with neither COP1 nor COP2")
        }
        _ => Ok(data),
    }
}

fn word(bytes: &[u8]) -> Result<u32, ReadError> {
    match <[u8; 4]>::try_from(bytes) {
        Ok(word) => Ok(u32::from_le_bytes(word)),
        Err(_) => refused(format!("a word of {} bytes", bytes.len())),
    }
}

fn slots(block: &Block) -> Result<Vec<Slot>, ReadError> {
    let words = block.bytes.chunks_exact(4);
    if !words.remainder().is_empty() {
        return refused(format!("the block {:?} ends within a word", block.name));
    }
    let words: Vec<i32> = words
        .map(|w| i32::from_le_bytes(w.try_into().expect("chunks of four bytes")))
        .collect();
    let found = words.len().saturating_sub(1) / WORDS;
    match words.split_first() {
        Some((&count, tensors))
            if usize::try_from(count) == Ok(found) && tensors.len() == found * WORDS =>
        {
            Ok(tensors.chunks_exact(WORDS).map(slot).collect())
        }
        _ => refused(format!(
            "the block {:?} has another number of tensors than it says",
            block.name
        )),
    }
}

/// Reads a tensor from its words.
fn slot(words: &[i32]) -> Slot {
    let mut dims = [0; 6];
    dims.copy_from_slice(&words[..6]);
    Slot {
        dims,
        element_bytes: words[6],
        offset: words[7],
        region: words[8],
    }
}
