//! The use list of a value.
//!
//! Most values have one or two uses. Some have one in every layer, such as a scalar constant or an attention mask.
//! Adding and removing a use takes constant time: a long list has a map from uses to positions, which is made when the
//! first use is removed.

use crate::graph::Use;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The uses, each once, in no particular order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    list: SmallVec<[Use; 2]>,
    /// The position of each use in the list. Present after a use was removed from a list longer than [`SHORT`].
    places: Option<Box<FxHashMap<Use, u32>>>,
}

/// A list of up to this length is searched faster than a map.
const SHORT: usize = 16;

impl Uses {
    pub fn as_slice(&self) -> &[Use] {
        &self.list
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a use that is not in the list.
    pub fn push(&mut self, added: Use) {
        if let Some(places) = &mut self.places {
            places.insert(added, self.list.len() as u32);
        }
        self.list.push(added);
    }

    /// Removes a use. The last one takes its position.
    pub fn remove(&mut self, removed: Use) {
        let Some(at) = self.place(removed) else {
            return;
        };
        self.list.swap_remove(at);
        if let Some(places) = &mut self.places {
            places.remove(&removed);
            if let Some(&moved) = self.list.get(at) {
                places.insert(moved, at as u32);
            }
        }
    }

    fn place(&mut self, wanted: Use) -> Option<usize> {
        if self.places.is_none() && self.list.len() <= SHORT {
            return self.list.iter().rposition(|&u| u == wanted);
        }
        let places = self
            .places
            .get_or_insert_with(|| Box::new(self.list.iter().copied().zip(0..).collect()));
        places.get(&wanted).map(|&at| at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Id, NodeId};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_a_plain_list(steps in prop::collection::vec((any::<bool>(), 0u32..60), 0..400)) {
            let (mut uses, mut plain) = (Uses::default(), Vec::new());
            for (adds, number) in steps {
                let slot = Use::Operand(NodeId::new(number / 3), number % 3);
                match plain.iter().rposition(|&u| u == slot) {
                    None if adds => {
                        uses.push(slot);
                        plain.push(slot);
                    }
                    Some(at) if !adds => {
                        uses.remove(slot);
                        plain.swap_remove(at);
                    }
                    _ => {}
                }
                prop_assert_eq!(uses.as_slice(), plain.as_slice());
            }
        }
    }
}
