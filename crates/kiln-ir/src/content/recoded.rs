//! Contents whose elements are those of another content in another code: 4-bit integers, two to a byte, over contents with one integer to a
//! byte, and the other way; floats in another dtype.
//!
//! A packed nibble is the integer plus 8. Integers to a byte are from -8 to 7 in two's complement; only the lower 4 bits of others count.

use super::{Content, Pieces};
use crate::dtype::DType;
use bytes::Bytes;
use half::{bf16, f16};
use std::sync::OnceLock;

/// The bytes of a stored content that are recoded at once.
const PIECE_BYTES: usize = 64 << 10;

/// Which integer of a pair is in the lower half of its byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowHalf {
    /// The first one.
    First,
    /// The second one.
    Second,
}

/// What happens to each element of the inner content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// Two bytes become one.
    Pack(LowHalf),
    /// A byte becomes two.
    Unpack(LowHalf),
    /// A float becomes the nearest one of another dtype.
    Convert(Float, Float),
}

/// The floats that are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Float {
    F16,
    BF16,
    F32,
}

impl Float {
    fn of(dtype: DType) -> Option<Float> {
        match dtype {
            DType::F16 => Some(Float::F16),
            DType::BF16 => Some(Float::BF16),
            DType::F32 => Some(Float::F32),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Float::F16 | Float::BF16 => 2,
            Float::F32 => 4,
        }
    }

    /// The elements of whole groups of bytes.
    fn decode(self, bytes: &[u8]) -> impl Iterator<Item = f32> {
        bytes.chunks_exact(self.bytes()).map(move |b| match self {
            Float::F16 => f16::from_le_bytes([b[0], b[1]]).to_f32_const(),
            Float::BF16 => bf16::from_le_bytes([b[0], b[1]]).to_f32_const(),
            Float::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        })
    }

    fn encode(self, elements: impl Iterator<Item = f32>, out: &mut Vec<u8>) {
        match self {
            Float::F16 => out.extend(elements.flat_map(|x| f16::from_f32_const(x).to_le_bytes())),
            Float::BF16 => out.extend(elements.flat_map(|x| bf16::from_f32(x).to_le_bytes())),
            Float::F32 => out.extend(elements.flat_map(f32::to_le_bytes)),
        }
    }
}

/// A content that is recoded on demand.
pub(super) struct Recoded {
    pub inner: Content,
    pub code: Code,
    pub made: OnceLock<Bytes>,
}

impl Recoded {
    pub fn len(&self) -> usize {
        let (from, to) = self.code.bytes();
        self.inner.len() / from * to
    }

    /// A digest of the inner content's key and the code.
    pub fn key(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_derive_key("kiln: recoded elements");
        hasher.update(self.inner.key().as_bytes());
        hasher.update(&[match self.code {
            Code::Pack(LowHalf::First) => 0,
            Code::Pack(LowHalf::Second) => 1,
            Code::Unpack(LowHalf::First) => 2,
            Code::Unpack(LowHalf::Second) => 3,
            Code::Convert(from, to) => 4 + 3 * from as u8 + to as u8,
        }]);
        hasher.finalize()
    }

    /// Copies `out.len()` bytes from `start` on.
    pub fn read(&self, start: usize, out: &mut [u8]) {
        let (inner_bytes, own_bytes) = self.code.bytes();
        let (begin, end) = (start / own_bytes, (start + out.len()).div_ceil(own_bytes));
        let (from, to) = (begin * inner_bytes, end * inner_bytes);
        // A recipe is read by whole elements, of up to 8 bytes.
        let (first, last) = (from & !7, to.next_multiple_of(8).min(self.inner.len()));
        let mut inner = vec![0; last - first];
        self.inner.read(first, &mut inner);
        let mut made = Vec::with_capacity((end - begin) * own_bytes);
        self.code.apply(&inner[from - first..to - first], &mut made);
        let skipped = start % own_bytes;
        out.copy_from_slice(&made[skipped..skipped + out.len()]);
    }
}

impl Code {
    /// The bytes that are recoded together, and those that they become.
    fn bytes(self) -> (usize, usize) {
        match self {
            Code::Pack(_) => (2, 1),
            Code::Unpack(_) => (1, 2),
            Code::Convert(from, to) => (from.bytes(), to.bytes()),
        }
    }

    /// Appends the recoded bytes of whole elements.
    fn apply(self, bytes: &[u8], out: &mut Vec<u8>) {
        let pairs = bytes.as_chunks().0.iter().copied();
        match self {
            Code::Pack(low) => out.extend(pairs.map(|pair| packed(pair, low))),
            Code::Unpack(low) => out.extend(bytes.iter().flat_map(|&byte| unpacked(byte, low))),
            Code::Convert(from, to) => to.encode(from.decode(bytes), out),
        }
    }
}

fn packed([first, second]: [u8; 2], low: LowHalf) -> u8 {
    let raised = |integer: u8| integer.wrapping_add(8) & 0xF;
    match low {
        LowHalf::First => raised(first) | raised(second) << 4,
        LowHalf::Second => raised(first) << 4 | raised(second),
    }
}

fn unpacked(byte: u8, low: LowHalf) -> [u8; 2] {
    let [lower, upper] = [byte & 0xF, byte >> 4].map(|nibble| nibble.wrapping_sub(8));
    match low {
        LowHalf::First => [lower, upper],
        LowHalf::Second => [upper, lower],
    }
}

/// Recodes a content piece by piece.
pub(super) struct Recoding<'c> {
    inner: Box<Pieces<'c>>,
    code: Code,
    /// The start of an element whose end is in the next piece.
    started: Vec<u8>,
    buffer: Vec<u8>,
}

impl<'c> Recoding<'c> {
    pub fn of(recoded: &'c Recoded) -> Recoding<'c> {
        Recoding {
            inner: Box::new(recoded.inner.pieces()),
            code: recoded.code,
            started: Vec::new(),
            buffer: Vec::new(),
        }
    }

    pub fn next(&mut self) -> Option<&[u8]> {
        self.buffer.clear();
        let (together, _) = self.code.bytes();
        while self.buffer.is_empty() {
            let mut piece = self.inner.next_within(PIECE_BYTES)?;
            if !self.started.is_empty() {
                let missing = (together - self.started.len()).min(piece.len());
                let (end, rest) = piece.split_at(missing);
                self.started.extend(end);
                piece = rest;
            }
            if self.started.len() == together {
                self.code.apply(&self.started, &mut self.buffer);
                self.started.clear();
            }
            let (whole, rest) = piece.split_at(piece.len() / together * together);
            self.code.apply(whole, &mut self.buffer);
            self.started.extend(rest);
        }
        Some(&self.buffer)
    }
}

impl Content {
    /// Pairs of integers from -8 to 7, of a byte each, in one byte. `None` if a byte has no partner.
    pub fn packed(&self, low: LowHalf) -> Option<Content> {
        match &self.0 {
            super::Form::Recoded(own) if own.code == Code::Unpack(low) => Some(own.inner.clone()),
            _ if self.len() % 2 == 1 => None,
            _ => Some(Content::recoded(self, Code::Pack(low))),
        }
    }

    /// The nearest floats of another dtype: between f16, bf16 and f32. `None` for other dtypes.
    pub fn converted(&self, from: DType, to: DType) -> Option<Content> {
        let (from, to) = (Float::of(from)?, Float::of(to)?);
        Some(match from == to {
            true => self.clone(),
            false => Content::recoded(self, Code::Convert(from, to)),
        })
    }

    /// The integers of packed bytes, of a byte each.
    pub fn unpacked(&self, low: LowHalf) -> Content {
        Content::recoded(self, Code::Unpack(low))
    }
}
