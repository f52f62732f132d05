//! A table of byte strings, each stored once.
//!
//! Byte strings are equal if their content is. A weight is read as a whole only if another one has the same length and
//! sample, so interning a model's weights costs much less than copying them.

use std::marker::PhantomData;

use kiln_ir::Content;
use kiln_ir::content::Distinct;

/// An append-only table of byte strings with indices of type `I`.
#[derive(Clone)]
pub struct Pool<I> {
    items: Vec<Content>,
    distinct: Distinct<u32>,
    index: PhantomData<I>,
}

impl<I: From<u32> + Into<u32>> Pool<I> {
    /// The index of an equal item, which is appended if there is none. Copies nothing.
    pub fn intern(&mut self, data: impl Into<Content>) -> I {
        let (data, next) = (data.into(), self.next());
        let index = self.distinct.first(&data, next);
        if index == next {
            self.items.push(data);
        }
        index.into()
    }

    /// Appends an item without looking for an equal one. Later calls of [`intern`](Self::intern) do not find it.
    pub fn push(&mut self, data: impl Into<Content>) -> I {
        let next = self.next();
        self.items.push(data.into());
        next.into()
    }

    /// The bytes at an index; `None` out of range.
    pub fn get(&self, index: I) -> Option<&Content> {
        self.items.get(index.into() as usize)
    }

    /// All items with their indices, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, &Content)> {
        self.items
            .iter()
            .enumerate()
            .map(|(i, data)| (I::from(i as u32), data))
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there are no items.
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
            distinct: Distinct::default(),
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
        f.debug_list().entries(&self.items).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConstantIndex;
    use bytes::Bytes;

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
