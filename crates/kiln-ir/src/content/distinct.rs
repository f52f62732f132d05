//! Deduplication of contents.
//!
//! Most weights of a model differ in length or in a few sampled elements. So a content is read as a whole only if
//! another content has the same length and the same sample.

use super::{Content, Sample};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The owner of the first occurrence of each content.
#[derive(Clone)]
pub struct Distinct<I> {
    by_glance: HashMap<(usize, Sample), Alike<I>>,
}

/// Contents with the same length and sample. The first one is hashed only when a second one arrives.
#[derive(Clone)]
struct Alike<I> {
    first: (Content, I),
    by_digest: HashMap<[u8; 32], I>,
}

impl<I> Default for Distinct<I> {
    fn default() -> Self {
        Distinct {
            by_glance: HashMap::new(),
        }
    }
}

impl<I: Copy> Distinct<I> {
    /// The owner that was recorded for an equal content. If there is none, records `owner` and returns it.
    pub fn first(&mut self, content: &Content, owner: I) -> I {
        let glance = content.sample();
        let is_all = glance.len() == content.len();
        let alike = match self.by_glance.entry((content.len(), glance)) {
            Entry::Vacant(slot) => {
                slot.insert(Alike {
                    first: (content.clone(), owner),
                    by_digest: HashMap::new(),
                });
                return owner;
            }
            Entry::Occupied(slot) => slot.into_mut(),
        };
        let (first, first_owner) = &alike.first;
        if is_all || first.is_one_with(content) {
            return *first_owner;
        }
        if alike.by_digest.is_empty() {
            alike.by_digest.insert(first.digest().into(), *first_owner);
        }
        *alike
            .by_digest
            .entry(content.digest().into())
            .or_insert(owner)
    }
}
