//! The bytes that contents are made from, and who keeps them.

use bytes::Bytes;
use std::ops::Deref;
use std::sync::Arc;

/// Who keeps bytes in a file that is mapped: what is read through the mapping takes memory until it is given back.
pub trait Keeper: Send + Sync {
    /// Copies a few kept bytes to `out`, which has their length, without touching them in place where that can be.
    fn copy(&self, bytes: &[u8], out: &mut [u8]);

    /// Kept bytes were read in place. Memory that they take may be given back; they stay readable, and the same.
    fn passed(&self, bytes: &[u8], then: Then);
}

/// What comes after bytes were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// They are read once more.
    Again,
    /// Nothing.
    Nothing,
}

/// Bytes, and their keeper if they have one.
#[derive(Clone)]
pub(super) struct Source {
    pub bytes: Bytes,
    pub keeper: Option<Arc<dyn Keeper>>,
}

impl Source {
    /// The first bytes.
    pub fn head(&self, len: usize) -> Source {
        Source {
            bytes: self.bytes.slice(..len),
            keeper: self.keeper.clone(),
        }
    }

    /// Copies `out.len()` bytes from `start` on.
    pub fn copy(&self, start: usize, out: &mut [u8]) {
        let bytes = &self.bytes[start..start + out.len()];
        match &self.keeper {
            Some(keeper) => keeper.copy(bytes, out),
            None => out.copy_from_slice(bytes),
        }
    }

    pub fn passed(&self, then: Then) {
        if let Some(keeper) = &self.keeper {
            keeper.passed(&self.bytes, then);
        }
    }
}

impl From<Bytes> for Source {
    fn from(bytes: Bytes) -> Source {
        Source {
            bytes,
            keeper: None,
        }
    }
}

impl Deref for Source {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
