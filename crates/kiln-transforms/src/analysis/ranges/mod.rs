//! Value ranges: interval analysis over the graph.
//!
//! [`Ranges::of`] gives the [`Range`] of a value: its least and greatest possible element, and for floats whether an
//! element may be NaN. It derives them from types, constants, sizes of axes and ops. A range contains every possible
//! element and may be wider than necessary. The range of a quantised value is that of its integers; [`Ranges::reals`]
//! gives the range of the reals that these represent.
//!
//! # Guarantees
//! - A range contains every element that the reference interpreter computes, for all inputs, states and sizes.
//! - Ends that come from arithmetic are widened by some units in the last place of the dtype, so that other orders of
//!   summation and other roundings stay within. Rounding never changes the sign of a number, so an end keeps its sign.
//! - Ends that come from saturation (a clamp, a sigmoid, a softmax) are exact, and so are ends of integers.
//! - The range of a value without elements is arbitrary.
//!
//! # Cost
//! A query visits at most the [`MAX_VALUES_PER_QUERY`] nearest values. It does not visit operands of ops that compute
//! from one quantisation to another, whose integers are bounded by the quantisation itself, nor those of layers whose weights it
//! does not read. A value that is not visited has the range of
//! its type. The elements of a constant that is a float or quantised are read only if there are few
//! ([`Ranges::reading`]). Results are cached in `Ranges`, unless they depend on where the query stopped.
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

mod entries;
mod floats;
mod folds;
mod functions;
mod integers;
mod pairs;
mod reals;
mod rule;

pub use floats::Floats;
pub use integers::Integers;

use entries::{Entry, Owners};
use kiln_ir::dim::Symbols;
use kiln_ir::graph::{Def, Node};
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use rule::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::collections::VecDeque;

/// The most values that one query visits.
pub const MAX_VALUES_PER_QUERY: usize = 256;

/// The most elements of a constant that are read, unless [`Ranges::reading`] sets another limit. Vectors by channel
/// have fewer elements, weights have more.
const DEFAULT_MAX_READ: usize = 1 << 10;

/// The numbers that a value's elements may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Of an integer dtype or bool, where false is 0 and true is 1.
    Integers(Integers),
    /// Of a float dtype.
    Floats(Floats),
}

impl Range {
    /// The range of all elements of a dtype.
    pub fn of_dtype(dtype: DType) -> Range {
        match dtype {
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Range::Floats(Floats::ANY),
            _ => Range::Integers(Integers::of_dtype(dtype)),
        }
    }

    /// The range if it is one of integers.
    pub fn integers(self) -> Option<Integers> {
        match self {
            Range::Integers(range) => Some(range),
            Range::Floats(_) => None,
        }
    }

    /// The range if it is one of floats.
    pub fn floats(self) -> Option<Floats> {
        match self {
            Range::Floats(range) => Some(range),
            Range::Integers(_) => None,
        }
    }

    /// True if no element is negative. NaN is ignored.
    pub fn is_not_negative(self) -> bool {
        match self {
            Range::Integers(range) => range.low >= 0,
            Range::Floats(range) => range.low >= 0.0,
        }
    }

    /// The union; `None` if one range is of integers and the other of floats.
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

/// The treatment of integers that do not fit their dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overflow {
    /// They wrap, so the result may be any integer.
    Wraps,
    /// They do not occur: the caller guarantees that such numbers are refused elsewhere.
    Excluded,
}

/// The ranges of one graph's values, computed on demand.
pub struct Ranges<'g> {
    graph: &'g Graph,
    symbols: &'g Symbols,
    overflow: Overflow,
    /// The range that i64 values from outside have.
    wide: Integers,
    max_elements_read: usize,
    known: FxHashMap<ValueId, Range>,
    owners: OnceCell<Owners>,
}

impl<'g> Ranges<'g> {
    /// An empty cache. Integers wrap as the ops' documents say.
    pub fn new(graph: &'g Graph) -> Ranges<'g> {
        Ranges {
            graph,
            symbols: &graph.symbols,
            overflow: Overflow::Wraps,
            wide: Integers::of_dtype(DType::I64),
            max_elements_read: DEFAULT_MAX_READ,
            known: FxHashMap::default(),
            owners: OnceCell::new(),
        }
    }

    /// For a target that holds 64-bit integers in 32 bits: assumes that integers from outside fit into 32 bits.
    pub fn of_words(graph: &'g Graph) -> Ranges<'g> {
        Ranges {
            wide: Integers::of_dtype(DType::I32),
            ..Ranges::new(graph)
        }
    }

    /// For indices: uses other bounds of the graph's symbols, and assumes that integers do not wrap, because an index
    /// that wraps is out of range and refused where it is used.
    pub fn of_indices(graph: &'g Graph, symbols: &'g Symbols) -> Ranges<'g> {
        Ranges {
            symbols,
            overflow: Overflow::Excluded,
            ..Ranges::new(graph)
        }
    }

    /// Sets the most elements of a constant that are read. Results of layers need their weights, which takes a
    /// millisecond for a million elements.
    pub fn reading(mut self, elements: usize) -> Ranges<'g> {
        self.max_elements_read = elements;
        self
    }

    /// The range of the value's elements; of the integers, if the value is quantised.
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
        // A value whose range depends on where this query stopped is not cached; a query that starts nearer to it finds
        // a narrower range.
        let whole = |(value, range)| (!look.is_cut.contains(&value)).then_some((value, range));
        self.known.extend(found.into_iter().filter_map(whole));
        answer
    }

    /// The range of the reals that the value's elements represent: the dequantised integers of a quantised value,
    /// otherwise the elements themselves.
    pub fn reals(&mut self, value: ValueId) -> Floats {
        let range = self.of(value);
        reals::of(range, self.graph.ty(value).quant.as_deref())
    }

    /// The range of the integers that the op computes before they wrap to the dtype; `None` if nothing is known.
    pub fn before_wrapping(&mut self, value: ValueId) -> Option<Integers> {
        let operands = self.dependencies(value);
        let found = operands.iter().map(|&v| (v, self.of(v))).collect();
        self.made(value, &found)?.integers()
    }

    /// The values from whose ranges this value's range follows.
    fn dependencies(&self, value: ValueId) -> Vec<ValueId> {
        let Def::Result(id, slot) = self.graph.value(value).def else {
            let entry = self.entry(value);
            return entry.iter().map(|entry| entry.source()).collect();
        };
        let node = self.graph.node(id);
        match &node.op {
            Op::If(op) => [op.then, op.otherwise]
                .iter()
                .filter_map(|&b| self.graph.block(b).results.get(slot as usize).copied())
                .collect(),
            Op::Requantize(_) | Op::Quantised(_) => Vec::new(),
            Op::Conv(_) | Op::Linear(_) | Op::MatMul(_) if self.has_unread_weights(node) => {
                Vec::new()
            }
            _ => node.operands.to_vec(),
        }
    }

    /// What a parameter of a branch or loop holds.
    fn entry(&self, value: ValueId) -> Option<Entry> {
        match self.graph.value(value).def {
            Def::Param(block, _) if block != self.graph.root() => {}
            _ => return None,
        }
        let owners = self.owners.get_or_init(|| Owners::of(self.graph));
        owners.entry(self.graph, value)
    }

    /// True if the second operand is a constant of floats with too many elements to be read. Products with it may be
    /// any floats, whatever the first operand is.
    fn has_unread_weights(&self, node: &Node) -> bool {
        let weights = node
            .operands
            .get(1)
            .and_then(|&v| self.graph.as_constant(v));
        weights.is_some_and(|weights| {
            let data = &weights.data;
            let is_long = data.elements() > self.max_elements_read;
            is_long && data.dtype().is_float() && data.as_splat().is_none()
        })
    }

    /// The range of a node's result, given the ranges that were found for operands. An operand that was not visited has
    /// the range of its type.
    fn made(&self, value: ValueId, found: &FxHashMap<ValueId, Range>) -> Option<Range> {
        let range = |v: &ValueId| {
            let seen = found.get(v).or_else(|| self.known.get(v)).copied();
            seen.unwrap_or_else(|| self.limits(self.graph.ty(*v).dtype))
        };
        let Def::Result(node, slot) = self.graph.value(value).def else {
            let entry = self.entry(value)?;
            let limits = self.limits(self.graph.ty(value).dtype);
            return entry.range(range(&entry.source()), limits, self.overflow);
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
            max_elements_read: self.max_elements_read,
        }
    }

    /// The range after it is fitted into the value's dtype, with the treatment of [`Overflow`].
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

/// The values that one query visits.
struct Look {
    /// In topological order: operands first.
    order: Vec<ValueId>,
    /// The values whose range depends on a value that the query does not visit.
    is_cut: FxHashSet<ValueId>,
}

impl Look {
    fn around(ranges: &Ranges<'_>, value: ValueId) -> Look {
        let mut reached: FxHashMap<ValueId, Vec<ValueId>> = FxHashMap::default();
        let mut next = VecDeque::from([value]);
        while let Some(value) = next.pop_front() {
            if reached.len() == MAX_VALUES_PER_QUERY || reached.contains_key(&value) {
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
