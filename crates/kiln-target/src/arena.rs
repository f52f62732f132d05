//! The arena of an artifact, call by call: which bytes hold what, and when.

use std::ops::Range;

/// The memory that an artifact plans, and what lies in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arena {
    /// Its size in bytes.
    pub bytes: u64,
    /// The fewest bytes that a plan of these calls in this order needs.
    pub lower_bound: u64,
    /// The calls, in order.
    pub calls: Vec<ArenaCall>,
    /// What lies in it.
    pub blocks: Vec<Block>,
}

/// A call, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaCall {
    /// The function.
    pub function: String,
    /// What it computes a part of; may be empty.
    pub layer: String,
    /// The user's line; may be empty.
    pub source: String,
}

/// A buffer, or the scratch memory of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its name.
    pub name: String,
    /// Its type and size, for people.
    pub text: String,
    /// What it is for.
    pub kind: BlockKind,
    /// The first call that writes it; inputs and state have none.
    pub maker: Option<usize>,
    /// The bytes that it holds, in order of calls.
    pub spans: Vec<Span>,
}

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// An input of the model.
    Input,
    /// An output of the model.
    Output,
    /// Kept from one run to the next.
    State,
    /// A value between calls.
    Value,
    /// Memory of one call.
    Scratch,
}

impl BlockKind {
    /// All.
    pub const ALL: [BlockKind; 5] = [
        BlockKind::Input,
        BlockKind::Output,
        BlockKind::State,
        BlockKind::Value,
        BlockKind::Scratch,
    ];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Input => "input",
            BlockKind::Output => "output",
            BlockKind::State => "state",
            BlockKind::Value => "value",
            BlockKind::Scratch => "scratch",
        }
    }
}

/// Bytes of the arena that a block holds during some calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The calls.
    pub calls: Range<usize>,
    /// The bytes, counted from the start of the arena.
    pub bytes: Range<u64>,
}

impl ArenaCall {
    /// The call with its layer and its source.
    pub fn text(&self) -> String {
        let mut text = self.function.clone();
        if !self.layer.is_empty() {
            text += &format!(" of {}", self.layer);
        }
        if !self.source.is_empty() {
            text += &format!(" ({})", self.source);
        }
        text
    }
}

impl Arena {
    /// The bytes that each block holds at a call, the most first.
    pub fn at(&self, call: usize) -> Vec<(&Block, Range<u64>)> {
        let of_block = |block: &'_ Block| {
            let span = block.spans.iter().find(|span| span.calls.contains(&call));
            span.map(|span| span.bytes.clone())
        };
        let held = self.blocks.iter();
        let mut held: Vec<_> = held.filter_map(|b| Some((b, of_block(b)?))).collect();
        held.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.end - bytes.start));
        held
    }

    /// The first call at which the most bytes are held, and how many. A byte that a result takes over from an operand counts once.
    pub fn peak(&self) -> Option<(usize, u64)> {
        let held = self.held().into_iter().enumerate();
        held.max_by_key(|&(call, bytes)| (bytes, std::cmp::Reverse(call)))
    }

    /// The bytes that are held at each call.
    fn held(&self) -> Vec<u64> {
        let mut ranges: Vec<Vec<Range<u64>>> = vec![Vec::new(); self.calls.len()];
        for span in self.blocks.iter().flat_map(|block| &block.spans) {
            for of_call in &mut ranges[span.calls.clone()] {
                of_call.push(span.bytes.clone());
            }
        }
        ranges.into_iter().map(union).collect()
    }
}

/// The bytes that are in at least one of some ranges.
fn union(mut ranges: Vec<Range<u64>>) -> u64 {
    ranges.sort_by_key(|range| range.start);
    let mut end = 0;
    let added = ranges.iter().map(|range| {
        let start = range.start.max(end);
        end = end.max(range.end);
        range.end.saturating_sub(start)
    });
    added.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str, calls: Range<usize>, bytes: Range<u64>) -> Block {
        Block {
            name: name.into(),
            text: String::new(),
            kind: BlockKind::Value,
            maker: None,
            spans: vec![Span { calls, bytes }],
        }
    }

    /// `c` takes over a half of `b` at call 1.
    #[test]
    fn a_byte_that_is_taken_over_counts_once() {
        let arena = Arena {
            calls: vec![ArenaCall::default(); 3],
            blocks: vec![
                block("a", 0..1, 0..40),
                block("b", 0..2, 40..72),
                block("c", 1..3, 56..120),
            ],
            ..Arena::default()
        };
        assert_eq!(arena.held(), [72, 80, 64]);
        assert_eq!(arena.peak(), Some((1, 80)));
        let names: Vec<&str> = arena.at(1).iter().map(|(b, _)| b.name.as_str()).collect();
        assert_eq!(names, ["c", "b"]);
        assert_eq!(Arena::default().peak(), None);
    }
}
