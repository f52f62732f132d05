//! Which numbers a value may hold: interval analysis over the graph.
//!
//! [`Ranges::of`] gives a [`Range`] for a value: the least and the greatest element, and for floats whether an element
//! may be NaN. It follows from types, constants, sizes of axes and what the ops compute, and is a superset of the truth.
//! Of a quantised value it is the range of the integers; [`Ranges::reals`] gives the reals for which they stand.
//!
//! # What a range promises
//! - Every element that the reference interpreter computes lies within, for all inputs, states and sizes.
//! - Ends that stem from arithmetic are widened by some units in the last place of the dtype, so that another order of
//!   sums and other roundings stay within. The sign of an end is kept, since no rounding changes the sign of a number.
//! - Ends that stem from saturation (a clamp, a sigmoid, a softmax) are exact, as are ends of integers.
//! - The range of a value without elements may be anything.
//!
//! # Work
//! A question looks at the [`REACH`] values nearest to the one asked for, and not behind what rounds to a quantisation,
//! which says itself what it holds; what lies further away is whatever its type holds. Constants of floats, and quantised
//! ones, are read up to so many elements ([`Ranges::reading`]). Answers are kept for as long as the `Ranges` lives, unless
//! they depend on where the look ended.
//!
//! ```
//! use kiln_transforms::analysis::ranges::{Floats, Range, Ranges};
//!
//! let graph = kiln_ir::text::parse(
//!     "graph \"g\" {
//!   input tensor \"x\" [0]
//!   output tensor
//!   block b0 (%0 \"x\": f32[4]) {
//!     %1: f32[4] = unary %0 {f=clamp[0, 6.0]}
//!     %2: f32[4] = binary %1, %1 {f=mul}
//!     return %2
//!   }
//! }
//! ",
//! )?;
//! let result = graph.block(graph.root()).results[0];
//! let Range::Floats(range) = Ranges::new(&graph).of(result) else { panic!("a float") };
//! assert!(range.low == 0.0 && range.high > 35.99 && range.high < 36.01 && range.nan);
//! # Ok::<(), kiln_ir::text::ParseError>(())
//! ```

mod floats;
mod folds;
mod functions;
mod integers;
mod pairs;
mod reals;
mod rule;

pub use floats::Floats;
pub use integers::Integers;

use kiln_ir::dim::Symbols;
use kiln_ir::graph::Def;
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use rule::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The most values that one question looks at.
pub const REACH: usize = 256;

/// Elements of a constant that are read unless [`Ranges::reading`] says otherwise: vectors by channel, but no weights.
const FEW: usize = 1 << 10;

/// The numbers that elements of a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Of an integer dtype or bool: false is 0, true is 1.
    Integers(Integers),
    /// Of a float dtype.
    Floats(Floats),
}

impl Range {
    /// Everything that the dtype holds.
    pub fn of_dtype(dtype: DType) -> Range {
        match dtype {
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Range::Floats(Floats::ANY),
            _ => Range::Integers(Integers::of_dtype(dtype)),
        }
    }

    /// The range of integers, if it is one.
    pub fn integers(self) -> Option<Integers> {
        match self {
            Range::Integers(range) => Some(range),
            Range::Floats(_) => None,
        }
    }

    /// The range of floats, if it is one.
    pub fn floats(self) -> Option<Floats> {
        match self {
            Range::Floats(range) => Some(range),
            Range::Integers(_) => None,
        }
    }

    /// True if no element is below 0, NaN aside.
    pub fn is_not_negative(self) -> bool {
        match self {
            Range::Integers(range) => range.low >= 0,
            Range::Floats(range) => range.low >= 0.0,
        }
    }

    /// The numbers of either; `None` if one are integers and the others floats.
    fn joined(self, other: Range) -> Option<Range> {
        Some(match (self, other) {
            (Range::Integers(a), Range::Integers(b)) => Range::Integers(a.joined(b)),
            (Range::Floats(a), Range::Floats(b)) => Range::Floats(a.joined(b)),
            _ => return None,
        })
    }
}

impl From<Integers> for Range {
    fn from(range: Integers) -> Range {
        Range::Integers(range)
    }
}

impl From<Floats> for Range {
    fn from(range: Floats) -> Range {
        Range::Floats(range)
    }
}

/// What becomes of an integer that does not fit its dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overflow {
    /// It wraps, and may be anything.
    Wraps,
    /// There is none: whoever asks refuses such numbers elsewhere.
    Excluded,
}

/// Ranges of one graph's values, found when they are asked for.
pub struct Ranges<'g> {
    graph: &'g Graph,
    symbols: &'g Symbols,
    overflow: Overflow,
    /// The range of i64.
    wide: Integers,
    most_read: usize,
    known: FxHashMap<ValueId, Range>,
}

impl<'g> Ranges<'g> {
    /// Nothing is known yet. Integers wrap as the ops' documents say.
    pub fn new(graph: &'g Graph) -> Ranges<'g> {
        Ranges {
            graph,
            symbols: &graph.symbols,
            overflow: Overflow::Wraps,
            wide: Integers::of_dtype(DType::I64),
            most_read: FEW,
            known: FxHashMap::default(),
        }
    }

    /// For a target that holds 64-bit integers in 32 bits: what comes from outside fits in them.
    pub fn of_words(graph: &'g Graph) -> Ranges<'g> {
        Ranges {
            wide: Integers::of_dtype(DType::I32),
            ..Ranges::new(graph)
        }
    }

    /// With other bounds of the graph's symbols, and no overflow of integers: for indices, of which one that wrapped
    /// is out of range and refused where it is used.
    pub fn of_indices(graph: &'g Graph, symbols: &'g Symbols) -> Ranges<'g> {
        Ranges {
            symbols,
            overflow: Overflow::Excluded,
            ..Ranges::new(graph)
        }
    }

    /// With constants of up to so many elements read. What is computed with weights needs that; it takes a millisecond for
    /// a million.
    pub fn reading(mut self, elements: usize) -> Ranges<'g> {
        self.most_read = elements;
        self
    }

    /// The numbers that the value's elements may be; of a quantised value the integers.
    pub fn of(&mut self, value: ValueId) -> Range {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let look = Look::around(self, value);
        let mut found = FxHashMap::default();
        for &value in &look.order {
            let range = self.settled(value, self.made(value, &found));
            found.insert(value, range);
        }
        let answer = found[&value];
        // What depends on where the look ended is found anew by a question that begins nearer to it.
        let whole = |(value, range)| (!look.is_cut.contains(&value)).then_some((value, range));
        self.known.extend(found.into_iter().filter_map(whole));
        answer
    }

    /// The reals for which the value's elements stand: of a quantised value those of its integers, of others the
    /// numbers themselves.
    pub fn reals(&mut self, value: ValueId) -> Floats {
        let range = self.of(value);
        reals::of(range, self.graph.ty(value).quant.as_deref())
    }

    /// The integers that the op computes before they have to fit the dtype; `None` where nothing is known of them.
    pub fn before_wrapping(&mut self, value: ValueId) -> Option<Integers> {
        let operands = self.dependencies(value);
        let found = operands.iter().map(|&v| (v, self.of(v))).collect();
        self.made(value, &found)?.integers()
    }

    /// What the value's range is made of.
    fn dependencies(&self, value: ValueId) -> Vec<ValueId> {
        let Def::Result(id, slot) = self.graph.value(value).def else {
            return Vec::new();
        };
        let node = self.graph.node(id);
        match &node.op {
            Op::If(op) => [op.then, op.otherwise]
                .iter()
                .filter_map(|&b| self.graph.block(b).results.get(slot as usize).copied())
                .collect(),
            Op::Quantize(_) | Op::Requantize(_) | Op::Quantised(_) => Vec::new(),
            _ => node.operands.to_vec(),
        }
    }

    /// What the node makes of operands that are found; those further away are what their types hold.
    fn made(&self, value: ValueId, found: &FxHashMap<ValueId, Range>) -> Option<Range> {
        let Def::Result(node, slot) = self.graph.value(value).def else {
            return None;
        };
        let range = |v: &ValueId| {
            let seen = found.get(v).or_else(|| self.known.get(v)).copied();
            seen.unwrap_or_else(|| self.limits(self.graph.ty(*v).dtype))
        };
        let operands: Vec<Range> = self.dependencies(value).iter().map(range).collect();
        self.rule(node, value, &operands).result(slot)
    }

    fn rule<'r>(&'r self, node: NodeId, value: ValueId, operands: &'r [Range]) -> Rule<'r> {
        let node = self.graph.node(node);
        let result = self.graph.ty(value);
        Rule {
            graph: self.graph,
            symbols: self.symbols,
            op: &node.op,
            values: &node.operands,
            operands,
            result,
            dtype: result.dtype,
            most_read: self.most_read,
        }
    }

    /// The range where the dtype holds it.
    fn settled(&self, value: ValueId, made: Option<Range>) -> Range {
        let limits = self.limits(self.graph.ty(value).dtype);
        match (made, limits) {
            (Some(Range::Integers(made)), Range::Integers(limits)) => {
                if limits.holds(made) {
                    return made.into();
                }
                let met = made.met(limits);
                let met = met.filter(|_| self.overflow == Overflow::Excluded);
                met.unwrap_or(limits).into()
            }
            (Some(made @ Range::Floats(_)), Range::Floats(_)) => made,
            _ => limits,
        }
    }

    fn limits(&self, dtype: DType) -> Range {
        match dtype {
            DType::I64 => self.wide.into(),
            _ => Range::of_dtype(dtype),
        }
    }
}

/// The values that one question looks at.
struct Look {
    /// Operands before what is made of them.
    order: Vec<ValueId>,
    /// Those whose range follows from a value that is not looked at.
    is_cut: FxHashSet<ValueId>,
}

impl Look {
    fn around(ranges: &Ranges<'_>, value: ValueId) -> Look {
        let mut reached: FxHashMap<ValueId, Vec<ValueId>> = FxHashMap::default();
        let mut next = VecDeque::from([value]);
        while let Some(value) = next.pop_front() {
            if reached.len() == REACH || reached.contains_key(&value) {
                continue;
            }
            let mut operands = ranges.dependencies(value);
            operands.retain(|v| !ranges.known.contains_key(v));
            next.extend(&operands);
            reached.insert(value, operands);
        }
        Look::sorted(value, &reached)
    }

    fn sorted(value: ValueId, reached: &FxHashMap<ValueId, Vec<ValueId>>) -> Look {
        let mut look = Look {
            order: Vec::with_capacity(reached.len()),
            is_cut: FxHashSet::default(),
        };
        let mut done = FxHashSet::default();
        let mut open = vec![(value, 0)];
        while let Some((value, at)) = open.pop() {
            let operands = &reached[&value];
            match operands.get(at) {
                Some(operand) => {
                    open.push((value, at + 1));
                    if reached.contains_key(operand) && !done.contains(operand) {
                        open.push((*operand, 0));
                    }
                }
                None if done.insert(value) => {
                    let is_cut = |v| !reached.contains_key(v) || look.is_cut.contains(v);
                    if operands.iter().any(is_cut) {
                        look.is_cut.insert(value);
                    }
                    look.order.push(value);
                }
                None => {}
            }
        }
        look
    }
}
