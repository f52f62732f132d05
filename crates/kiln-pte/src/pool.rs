//! Byte strings, each stored once.
//!
//! Equality is by content. A weight is hashed whole only when another one of its length begins and ends alike, so
//! that interning a model's weights costs far less than copying them.

use std::collections::HashMap;
use std::marker::PhantomData;

use bytes::Bytes;

/// An append-only table of byte strings, indexed by `I`.
#[derive(Clone)]
pub struct Pool<I> {
    items: Vec<Bytes>,
    by_probe: HashMap<Probe, Candidates>,
    index: PhantomData<I>,
}

/// Length, and digest of both ends.
type Probe = (usize, [u8; 32]);

/// The items of one probe. The first is hashed whole only when a second arrives.
#[derive(Clone)]
struct Candidates {
    first: u32,
    by_content: HashMap<[u8; 32], u32>,
}

/// How much of each end a probe looks at.
const PROBE_BYTES: usize = 1024;

fn probe(data: &[u8]) -> Probe {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&data[..data.len().min(PROBE_BYTES)]);
    hasher.update(&data[data.len().saturating_sub(PROBE_BYTES)..]);
    (data.len(), hasher.finalize().into())
}

fn digest(data: &[u8]) -> [u8; 32] {
    blake3::hash(data).into()
}

impl<I: From<u32> + Into<u32>> Pool<I> {
    /// The index of these bytes: of an equal item that is there, else of a new one. Nothing is copied.
    pub fn intern(&mut self, data: Bytes) -> I {
        let next = self.next();
        let candidates = match self.by_probe.entry(probe(&data)) {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(Candidates {
                    first: next,
                    by_content: HashMap::new(),
                });
                self.items.push(data);
                return next.into();
            }
            std::collections::hash_map::Entry::Occupied(slot) => slot.into_mut(),
        };
        let first = &self.items[candidates.first as usize];
        if data.len() <= PROBE_BYTES || first.as_ptr() == data.as_ptr() {
            return candidates.first.into();
        }
        if candidates.by_content.is_empty() {
            candidates
                .by_content
                .insert(digest(first), candidates.first);
        }
        let found = *candidates.by_content.entry(digest(&data)).or_insert(next);
        if found == next {
            self.items.push(data);
        }
        found.into()
    }

    /// Appends without looking for an equal item; later calls of [`intern`](Self::intern) do not find it.
    pub fn push(&mut self, data: Bytes) -> I {
        let next = self.next();
        self.items.push(data);
        next.into()
    }

    /// The bytes at an index; None beyond the end.
    pub fn get(&self, index: I) -> Option<&Bytes> {
        self.items.get(index.into() as usize)
    }

    /// Every item with its index, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, &Bytes)> {
        self.items
            .iter()
            .enumerate()
            .map(|(i, data)| (I::from(i as u32), data))
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn next(&self) -> u32 {
        u32::try_from(self.items.len()).expect("a pool has fewer than 2^32 items")
    }
}

impl<I> Default for Pool<I> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            by_probe: HashMap::new(),
            index: PhantomData,
        }
    }
}

impl<I> PartialEq for Pool<I> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<I> std::fmt::Debug for Pool<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(
                self.items
                    .iter()
                    .map(|data| format!("{} bytes", data.len())),
            )
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConstantIndex;

    fn filled(len: usize, at: usize) -> Bytes {
        let mut data = vec![7u8; len];
        data[at] = 1;
        Bytes::from(data)
    }

    #[test]
    fn equal_bytes_are_one_item() {
        let mut pool = Pool::<ConstantIndex>::default();
        let items = [
            filled(5000, 2500),
            filled(5000, 2501),
            filled(5000, 2502),
            filled(100, 3),
            Bytes::new(),
        ];
        let first: Vec<_> = items.iter().map(|i| pool.intern(i.clone())).collect();
        let again: Vec<_> = items
            .iter()
            .map(|i| pool.intern(Bytes::copy_from_slice(i)))
            .collect();
        assert_eq!(first, again);
        assert_eq!(first, (0..5).map(ConstantIndex).collect::<Vec<_>>());
        assert_eq!(pool.len(), 5);
    }
}
