//! The stored bytes of contents, and their keepers.

use bytes::Bytes;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The keeper of bytes in a mapped file. Bytes that were read through the mapping occupy memory until it is given back.
pub trait Keeper: Send + Sync {
    /// Copies a few kept bytes to `out`, which has their length, if possible without reading them through the mapping.
    fn copy(&self, bytes: &[u8], out: &mut [u8]);

    /// Reports that kept bytes were read in place. The keeper may give their memory back. The bytes stay readable and
    /// unchanged.
    fn passed(&self, bytes: &[u8], then: Then);
}

/// What follows after bytes were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The bytes will be read once more.
    Again,
    /// The bytes will probably not be read again.
    Nothing,
}

/// Stored bytes, and their keeper if there is one.
#[derive(Clone)]
pub(super) struct Source {
    bytes: Bytes,
    keeper: Option<Arc<dyn Keeper>>,
    /// Clones share it: the steps of a recurrent layer all name the same weights.
    digest: Arc<OnceLock<blake3::Hash>>,
}

impl Source {
    /// Bytes with a keeper, which is told when they have been read.
    pub fn kept(bytes: Bytes, keeper: Arc<dyn Keeper>) -> Source {
        Source {
            keeper: Some(keeper),
            ..Source::from(bytes)
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// A digest of the bytes, which reads them once.
    pub fn digest(&self) -> blake3::Hash {
        *self.digest.get_or_init(|| {
            let digest = blake3::hash(&self.bytes);
            self.passed(Then::Again);
            digest
        })
    }

    /// The first `len` bytes.
    pub fn head(&self, len: usize) -> Source {
        Source {
            keeper: self.keeper.clone(),
            ..Source::from(self.bytes.slice(..len))
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
            digest: Arc::default(),
        }
    }
}

impl Deref for Source {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
