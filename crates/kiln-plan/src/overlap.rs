//! The overlapping pairs of items as one flat list. Takes `O(n log n)` time plus the number of pairs.

use crate::instance::Instance;

/// The overlap graph of an instance.
pub(crate) struct Overlaps {
    starts: Vec<usize>,
    others: Vec<u32>,
}

impl Overlaps {
    /// `None` if there are more than `most` overlapping pairs, because the lists would cost more than they save.
    pub fn new(instance: &Instance, most: usize) -> Option<Self> {
        let items = &instance.items;
        let mut order: Vec<u32> = (0..items.len() as u32).collect();
        order.sort_by_key(|&i| items[i as usize].first);
        let mut pairs = Vec::new();
        for (at, &i) in order.iter().enumerate() {
            let end = items[i as usize].end;
            let later = order[at + 1..].partition_point(|&j| items[j as usize].first < end);
            if pairs.len() + later > most {
                return None;
            }
            pairs.extend(order[at + 1..][..later].iter().map(|&j| (i, j)));
        }
        Some(Overlaps::from_pairs(items.len(), &pairs))
    }

    fn from_pairs(items: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; items + 1];
        for &(i, j) in pairs {
            starts[i as usize + 1] += 1;
            starts[j as usize + 1] += 1;
        }
        for i in 0..items {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut others = vec![0; 2 * pairs.len()];
        for &(i, j) in pairs {
            others[next[i as usize]] = j;
            others[next[j as usize]] = i;
            next[i as usize] += 1;
            next[j as usize] += 1;
        }
        Overlaps { starts, others }
    }

    /// The items that overlap `item`, without itself.
    pub fn of(&self, item: usize) -> &[u32] {
        &self.others[self.starts[item]..self.starts[item + 1]]
    }
}
