//! A problem reduced to what the solver needs: the buffers that occupy memory, and time as *sections*.
//!
//! A section is a maximal set of buffers that are live together (a maximal clique of the interval graph). So two
//! buffers overlap exactly if their ranges of sections do, and the live load is a sum over one section. There are at
//! most as many sections as items. Sections are sorted by time, items have the order of the problem.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{Buffer, Problem, ProblemError};

/// A buffer that occupies memory, without its name.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its index in the problem.
    pub buffer: usize,
    pub size: u64,
    pub alignment: u64,
    pub pin: Option<u64>,
    /// The length of its live range in steps, for heuristics.
    pub length: u64,
    /// The sections in which it is live: `first..end`, never empty.
    pub first: u32,
    pub end: u32,
}

impl Item {
    pub fn sections(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }

    /// The lowest aligned offset at or above `floor`.
    pub fn raise(&self, floor: u64) -> u64 {
        raise(floor, self.alignment)
    }
}

/// The lowest multiple of `alignment` at or above `floor`.
pub(crate) fn raise(floor: u64, alignment: u64) -> u64 {
    if alignment.is_power_of_two() {
        (floor + (alignment - 1)) & !(alignment - 1)
    } else {
        floor.div_ceil(alignment) * alignment
    }
}

/// A problem in the form on which the solver works.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub items: Vec<Item>,
    /// The number of sections.
    pub sections: usize,
}

impl Instance {
    /// The instance of `problem`, which must have been checked.
    pub fn new(problem: &Problem) -> Self {
        let mut items: Vec<Item> = Vec::new();
        let mut events = Vec::new();
        for (buffer, b) in problem
            .buffers
            .iter()
            .enumerate()
            .filter(|(_, b)| b.occupies())
        {
            let item = items.len();
            events.push((b.lower, true, item));
            events.push((b.upper, false, item));
            let &Buffer {
                size,
                alignment,
                pin,
                ..
            } = b;
            items.push(Item {
                buffer,
                size,
                alignment,
                pin,
                length: b.upper - b.lower,
                first: 0,
                end: 0,
            });
        }
        events.sort_unstable();
        let sections = number_sections(&mut items, &events);
        Instance { items, sections }
    }

    /// Checks that pinned items do not overlap. `problem` must be the one of which the instance was made.
    ///
    /// # Errors
    /// The first two items that overlap.
    pub fn check_pins(&self, problem: &Problem) -> Result<(), ProblemError> {
        let mut events: Vec<(u32, bool, u64, usize)> = Vec::new();
        for (i, pin) in self
            .items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| Some((i, item.pin?)))
        {
            events.push((self.items[i].first, true, pin, i));
            events.push((self.items[i].end, false, pin, i));
        }
        events.sort_unstable();
        let mut live: BTreeMap<u64, usize> = BTreeMap::new();
        for (_, starts, pin, i) in events {
            if !starts {
                live.remove(&pin);
                continue;
            }
            let below = live.range(..pin + self.items[i].size).next_back();
            if let Some((_, &other)) = below.filter(|&(at, &j)| at + self.items[j].size > pin) {
                let id = |i: usize| problem.buffers[self.items[i].buffer].id.clone();
                return Err(ProblemError::PinsCollide {
                    first: id(i.min(other)),
                    second: id(i.max(other)),
                });
            }
            live.insert(pin, i);
        }
        Ok(())
    }

    /// The instance of `members` alone, with sections numbered from 0. The members must be all items of the sections
    /// `range`.
    pub fn part(&self, members: &[usize], range: Range<usize>) -> Self {
        let base = range.start as u32;
        let items = members
            .iter()
            .map(|&i| {
                let item = &self.items[i];
                Item {
                    first: item.first - base,
                    end: item.end - base,
                    ..item.clone()
                }
            })
            .collect();
        Instance {
            items,
            sections: range.len(),
        }
    }

    /// The groups of items that no common section links. Each group can be placed separately.
    pub fn partitions(&self) -> Vec<(Vec<usize>, Range<usize>)> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by_key(|&i| self.items[i].first);
        let mut groups: Vec<(Vec<usize>, Range<usize>)> = Vec::new();
        for i in order {
            let range = self.items[i].sections();
            match groups.last_mut() {
                Some((members, reach)) if range.start < reach.end => {
                    members.push(i);
                    reach.end = reach.end.max(range.end);
                }
                _ => groups.push((vec![i], range)),
            }
        }
        for (members, _) in &mut groups {
            members.sort_unstable();
        }
        groups
    }
}

/// Sets the section range of each item. `events` are sorted, with ends before starts at the same step. A section closes
/// at the first end after a start.
fn number_sections(items: &mut [Item], events: &[(u64, bool, usize)]) -> usize {
    let (mut section, mut grew) = (0, false);
    for &(_, starts, item) in events {
        if starts {
            items[item].first = section;
        } else {
            section += u32::from(grew);
            items[item].end = section;
        }
        grew = starts;
    }
    section as usize
}
