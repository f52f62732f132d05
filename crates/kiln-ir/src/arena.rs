//! Typed ids and the arenas that they index.
//!
//! An id is a `u32` newtype that is valid for one arena only. Ids are never reused, so a stale id is detected by its
//! empty slot, and never names another item.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`Arena`].
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug + fmt::Display {
    /// The id of slot `index`.
    fn new(index: u32) -> Self;
    /// The number of the slot.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);
        impl Id for $name {
            fn new(index: u32) -> Self { $name(index) }
            fn index(self) -> usize { self.0 as usize }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($prefix, "{}"), self.0) }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { fmt::Display::fmt(self, f) }
        }
    )*};
}

ids! {
    /// A value: a block parameter or a node's result. Prints as `%7`.
    ValueId "%";
    /// A node. Prints as `n7`.
    NodeId "n";
    /// A block: a graph's root, or the body of a branch or loop. Prints as `b1`.
    BlockId "b";
    /// A constant tensor. Prints as `c3`.
    ConstId "c";
    /// A state cell. Prints as `m0`.
    CellId "m";
    /// A symbol of symbolic dims. Prints as `d2` (its name is the exporter's).
    SymbolId "d";
    /// A place in the user's program. Prints as `l4`.
    SourceId "l";
}

/// Append-only storage addressed by a typed id; slots can be vacated.
#[derive(Clone)]
pub struct Arena<I, T> {
    slots: Vec<Option<T>>,
    id: PhantomData<I>,
}

impl<I: Id, T> Arena<I, T> {
    /// An empty arena.
    pub fn new() -> Self {
        Arena {
            slots: Vec::new(),
            id: PhantomData,
        }
    }

    /// Stores `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = self.next_id();
        self.slots.push(Some(item));
        id
    }

    /// The id that the next [`Arena::push`] returns.
    pub fn next_id(&self) -> I {
        I::new(u32::try_from(self.slots.len()).expect("an arena holds fewer than 2^32 items"))
    }

    /// The item, unless it was removed or never existed.
    pub fn get(&self, id: I) -> Option<&T> {
        self.slots.get(id.index())?.as_ref()
    }

    /// As [`Arena::get`], mutably.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.slots.get_mut(id.index())?.as_mut()
    }

    /// Vacates the slot.
    pub fn remove(&mut self, id: I) -> Option<T> {
        self.slots.get_mut(id.index())?.take()
    }

    /// Live items in id order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(i, t)| Some((I::new(i as u32), t.as_ref()?)))
    }

    /// Live ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<'_, I, T> {
        self.iter().map(|(id, _)| id)
    }

    /// One more than the greatest id ever given: the length of a table indexed by id.
    pub fn bound(&self) -> usize {
        self.slots.len()
    }

    /// Number of live items.
    pub fn len(&self) -> usize {
        self.slots.iter().flatten().count()
    }

    /// True when no item is live.
    pub fn is_empty(&self) -> bool {
        self.slots.iter().all(Option::is_none)
    }
}

impl<I: Id, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena::new()
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        self.get(id)
            .expect("an id names a live item of its own arena")
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        self.get_mut(id)
            .expect("an id names a live item of its own arena")
    }
}

impl<I: Id + fmt::Debug, T: fmt::Debug> fmt::Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
