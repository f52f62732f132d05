//! Finding equal contents.
//!
//! Most of a model's weights differ in length or in a few elements, so a content is read whole only when another of
//! its length looks the same at a glance.

use super::{Content, Sample};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The first owner of each content that was met.
#[derive(Clone)]
pub struct Distinct<I> {
    by_glance: HashMap<(usize, Sample), Alike<I>>,
}

/// Contents that look the same. The first is digested only when a second arrives.
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
    /// The owner of an equal content that was met before; else `owner` becomes that of this one.
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
