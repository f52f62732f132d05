//! The sections in which the search failed lately. Most failures repeat the last ones, and one section is examined much
//! faster than all.

use crate::instance::Item;
use crate::search::Waiting;

/// The number of sections that are kept. Measured on the puzzles: 4 find nine of ten nodes that fail. 8 and 16 find more,
/// but take longer.
const KEPT: usize = 4;

/// The sections that did not fit the capacity, the latest first.
pub(crate) struct Crowded {
    sections: Vec<usize>,
    /// Of the section under examination, the earliest offsets and the sizes of the items above the floor.
    column: Vec<(u64, u64)>,
}

impl Crowded {
    pub fn new() -> Self {
        Crowded {
            sections: Vec::with_capacity(KEPT),
            column: Vec::new(),
        }
    }

    /// Adds a section that did not fit.
    pub fn add(&mut self, section: usize) {
        self.sections.retain(|&s| s != section);
        self.sections.truncate(KEPT - 1);
        self.sections.insert(0, section);
    }

    /// The peak of the first kept section whose waiting items, stacked, exceed `capacity`. `rounded` and `relief` are
    /// those of the search. No plan below the node has a lower peak.
    pub fn excess(
        &mut self,
        items: &[Item],
        waiting: &[Waiting],
        (rounded, relief): (&[u64], &[u64]),
        (floor, capacity): (u64, u64),
    ) -> Option<u64> {
        let mut found = None;
        for (place, &section) in self.sections.iter().enumerate() {
            let covering = waiting
                .iter()
                .filter(|w| items[w.item as usize].sections().contains(&section));
            let sized = covering.map(|w| (w.earliest, rounded[w.item as usize]));
            let peak = stack(&mut self.column, sized, floor);
            let peak = peak.saturating_sub(relief[section]);
            if peak > capacity {
                found = Some((place, peak));
                break;
            }
        }
        let (place, peak) = found?;
        self.sections[..=place].rotate_right(1);
        Some(peak)
    }
}

/// The top of items with these earliest offsets and sizes, stacked in the order of the offsets. None is below `floor`.
fn stack(column: &mut Vec<(u64, u64)>, items: impl Iterator<Item = (u64, u64)>, floor: u64) -> u64 {
    column.clear();
    // Most items lie at the floor, and need no order.
    let mut top = floor;
    for (earliest, size) in items {
        if earliest == floor {
            top += size;
        } else {
            column.push((earliest, size));
        }
    }
    column.sort_unstable();
    let raised = column.iter();
    raised.fold(top, |top, &(earliest, size)| top.max(earliest) + size)
}
