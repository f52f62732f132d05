//! Laws of blocks whose live bytes move.

use kiln_plan::sliding::{Block, Distances, Holds, Pair, check, place};
use proptest::prelude::*;
use std::ops::Range;

/// What a block holds at each instant: nothing before and after its life.
type Life = Vec<Range<u64>>;

fn life() -> impl Strategy<Value = (u64, Life)> {
    (
        1u64..60,
        0usize..6,
        prop::collection::vec((0u64..60, 0u64..60), 1..8),
    )
        .prop_map(|(size, first, holds)| {
            let clamped = |(a, b): (u64, u64)| a.min(b).min(size)..a.max(b).min(size);
            let mut life = vec![0..0; first];
            life.extend(holds.into_iter().map(clamped));
            (size, life)
        })
}

fn holds_of(life: &Life) -> Holds {
    let mut holds = Holds::default();
    for (instant, bytes) in life.iter().enumerate() {
        holds.add(instant..instant + 1, bytes.clone());
    }
    holds
}

proptest! {
    /// At no instant do two blocks hold the same byte of the arena.
    #[test]
    fn no_byte_is_held_twice(lives in prop::collection::vec(life(), 1..9), rounds in 0usize..20) {
        let blocks: Vec<Block> = lives.iter().enumerate().map(|(i, (size, _))| Block { size: *size, alignment: [1, 4, 16][i % 3] }).collect();
        let holds: Vec<Holds> = lives.iter().map(|(_, life)| holds_of(life)).collect();
        let mut pairs = Vec::new();
        for first in 0..holds.len() {
            for second in first + 1..holds.len() {
                let mut distances = Distances::default();
                holds[first].forbid(&holds[second], |_| false, &mut distances);
                pairs.push(Pair { first, second, distances });
            }
        }
        let found = place(&blocks, &pairs, 0, rounds);
        prop_assert_eq!(check(&blocks, &pairs, &found.offsets), None);
        prop_assert_eq!(found.peak, blocks.iter().zip(&found.offsets).map(|(b, at)| b.size + at).max().unwrap_or(0));
        for instant in 0..20 {
            let mut bytes = vec![false; found.peak as usize];
            for ((_, life), at) in lives.iter().zip(&found.offsets) {
                let Some(held) = life.get(instant) else { continue };
                for byte in held.clone() {
                    let byte = &mut bytes[(at + byte) as usize];
                    prop_assert!(!*byte, "a byte is held twice at {instant}");
                    *byte = true;
                }
            }
        }
    }

    /// What is held where a distance is forbidden meets, and nowhere else.
    #[test]
    fn forbidden_is_what_meets(a in life(), b in life(), offsets in (0u64..120, 0u64..120)) {
        let mut distances = Distances::default();
        holds_of(&a.1).forbid(&holds_of(&b.1), |_| false, &mut distances);
        let blocks = [Block { size: a.0, alignment: 1 }, Block { size: b.0, alignment: 1 }];
        let pairs = [Pair { first: 0, second: 1, distances }];
        let (at, other) = offsets;
        let meets = a.1.iter().zip(&b.1).any(|(x, y)| {
            !x.is_empty() && !y.is_empty() && at + x.start < other + y.end && other + y.start < at + x.end
        });
        prop_assert_eq!(check(&blocks, &pairs, &[at, other]).is_some(), meets);
    }
}
