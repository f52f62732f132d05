//! Contents of 4-bit integers, two to a byte, over contents with one integer to a byte, and the other way.
//!
//! A packed nibble is the integer plus 8. Integers to a byte are from -8 to 7 in two's complement; only the lower 4 bits of others count.

use super::{Content, Pieces};
use bytes::Bytes;
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

/// What happens to each byte of the inner content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// Two bytes become one.
    Pack(LowHalf),
    /// A byte becomes two.
    Unpack(LowHalf),
}

/// A content that is recoded on demand.
pub(super) struct Recoded {
    pub inner: Content,
    pub code: Code,
    pub made: OnceLock<Bytes>,
}

impl Recoded {
    pub fn len(&self) -> usize {
        match self.code {
            Code::Pack(_) => self.inner.len() / 2,
            Code::Unpack(_) => self.inner.len() * 2,
        }
    }

    /// A digest of the inner content's key and the code.
    pub fn key(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_derive_key("kiln: recoded nibbles");
        hasher.update(self.inner.key().as_bytes());
        hasher.update(&[match self.code {
            Code::Pack(LowHalf::First) => 0,
            Code::Pack(LowHalf::Second) => 1,
            Code::Unpack(LowHalf::First) => 2,
            Code::Unpack(LowHalf::Second) => 3,
        }]);
        hasher.finalize()
    }

    /// Copies `out.len()` bytes from `start` on.
    pub fn read(&self, start: usize, out: &mut [u8]) {
        let (from, to) = match self.code {
            Code::Pack(_) => (start * 2, (start + out.len()) * 2),
            Code::Unpack(_) => (start / 2, (start + out.len()).div_ceil(2)),
        };
        // A recipe is read by whole elements, of up to 8 bytes.
        let (first, last) = (from & !7, to.next_multiple_of(8).min(self.inner.len()));
        let mut inner = vec![0; last - first];
        self.inner.read(first, &mut inner);
        let mut made = Vec::with_capacity(out.len() + 1);
        self.code.apply(&inner[from - first..to - first], &mut made);
        let skipped = match self.code {
            Code::Pack(_) => 0,
            Code::Unpack(_) => start % 2,
        };
        out.copy_from_slice(&made[skipped..skipped + out.len()]);
    }
}

impl Code {
    /// Appends the recoded bytes. Those to be packed are even in number.
    fn apply(self, from: &[u8], out: &mut Vec<u8>) {
        match self {
            Code::Pack(low) => out.extend(from.as_chunks().0.iter().map(|&pair| packed(pair, low))),
            Code::Unpack(low) => out.extend(from.iter().flat_map(|&byte| unpacked(byte, low))),
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
    /// The first byte of a pair whose second is in the next piece.
    first: Option<u8>,
    buffer: Vec<u8>,
}

impl<'c> Recoding<'c> {
    pub fn of(recoded: &'c Recoded) -> Recoding<'c> {
        Recoding {
            inner: Box::new(recoded.inner.pieces()),
            code: recoded.code,
            first: None,
            buffer: Vec::new(),
        }
    }

    pub fn next(&mut self) -> Option<&[u8]> {
        self.buffer.clear();
        while self.buffer.is_empty() {
            let mut piece = self.inner.next_within(PIECE_BYTES)?;
            if let (Some(first), [second, rest @ ..]) = (self.first, piece) {
                self.code.apply(&[first, *second], &mut self.buffer);
                (self.first, piece) = (None, rest);
            }
            self.code.apply(piece, &mut self.buffer);
            if let (Code::Pack(_), [.., last]) = (self.code, piece)
                && piece.len() % 2 == 1
            {
                self.first = Some(*last);
            }
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

    /// The integers of packed bytes, of a byte each.
    pub fn unpacked(&self, low: LowHalf) -> Content {
        Content::recoded(self, Code::Unpack(low))
    }
}
