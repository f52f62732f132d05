//! The lower bound: the live load, including what alignment adds to it.
//!
//! All offsets of a section are multiples of the greatest common divisor `g` of its alignments. So between the starts
//! of two buffers that are neighbours in memory are at least the lower buffer's bytes, rounded up to `g`. Only the
//! topmost buffer is not rounded; at best it is the one with the largest rounding.

use crate::instance::{Instance, raise};
use crate::{Buffer, Problem};

/// The lower bound of a problem that has been checked.
pub(crate) fn lower_bound(problem: &Problem, instance: &Instance) -> u64 {
    let alone = problem.buffers.iter().map(reach).max().unwrap_or(0);
    alone.max(live_load(instance))
}

/// The peak of one buffer alone.
fn reach(buffer: &Buffer) -> u64 {
    buffer.pin.unwrap_or(0) + buffer.size
}

/// The largest load of any section; 0 without items.
pub(crate) fn live_load(instance: &Instance) -> u64 {
    section_loads(instance).into_iter().max().unwrap_or(0)
}

/// The load of each section. Linear in items and sections; `g` is that of the whole instance.
pub(crate) fn section_loads(instance: &Instance) -> Vec<u64> {
    let g = instance
        .items
        .iter()
        .fold(0, |g, item| gcd(g, item.alignment));
    let mut deltas = vec![0i128; instance.sections + 1];
    for item in &instance.items {
        let rounded = i128::from(raise(item.size, g));
        deltas[item.first as usize] += rounded;
        deltas[item.end as usize] -= rounded;
    }
    let relief = largest_rounding(instance, g);
    let mut sum = 0i128;
    deltas
        .iter()
        .zip(relief)
        .map(|(delta, relief)| {
            sum += delta;
            u64::try_from(sum)
                .expect("a checked problem's sizes and alignments add up to less than 2^62")
                - relief
        })
        .collect()
}

/// For each section, the largest number of bytes by which one of its items is rounded up.
pub(crate) fn largest_rounding(instance: &Instance, g: u64) -> Vec<u64> {
    let mut order: Vec<(u64, usize)> = instance
        .items
        .iter()
        .enumerate()
        .map(|(i, item)| (raise(item.size, g) - item.size, i))
        .collect();
    order.sort_unstable_by(|a, b| b.cmp(a));
    let mut relief = vec![0; instance.sections];
    let mut unset: Vec<u32> = (0..=instance.sections as u32).collect();
    for (rounding, i) in order {
        let item = &instance.items[i];
        let mut section = find(&mut unset, item.first);
        while section < item.end {
            relief[section as usize] = rounding;
            unset[section as usize] = section + 1;
            section = find(&mut unset, section);
        }
    }
    relief
}

/// The first unset section from `section` on. Shortens the path to it.
fn find(unset: &mut [u32], mut section: u32) -> u32 {
    while unset[section as usize] != section {
        let next = unset[section as usize];
        unset[section as usize] = unset[next as usize];
        section = unset[section as usize];
    }
    section
}

/// The greatest common divisor; that of 0 and `b` is `b`.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if a == 0 { b } else { gcd(b % a, a) }
}
