//! Patterns planted for one rule of one pass, and near misses of them.
//!
//! A graph that grows by chance hardly ever contains what a pass looks for. So every rule of every pass has a pattern
//! here, at sizes for which cost models accept the rewrite. Random steps grow around the pattern and read its values.
//! Sometimes it is planted twice. Parts of a pattern vary, so that some graphs just miss a condition of the rule.

mod clean;
mod decomposed;
pub(super) mod dynamic;
mod elementwise;
mod index;
mod joins;
mod layers;
mod moves;
mod near;
mod products;
mod quantised;
mod raised;
mod recurrent;
mod second_rounding;
mod splits;

pub use near::near_misses;

use super::{Grower, Grown, Recipe};
use crate::random::Random;
use kiln_ir::ops::{Binary, BinaryFn, Concat, Slice, Unary, UnaryFn};
use kiln_ir::{DType, Graph, Shape, TensorType, ValueId};

/// A pattern for a rule.
#[derive(Clone, Copy)]
pub struct Plant {
    /// The pass.
    pub pass: &'static str,
    /// Its rule.
    pub rule: &'static str,
    /// What a fake target lacks so that the rule applies, in the syntax of [`crate::FakeTarget::parse`].
    pub lacks: &'static str,
    grow: fn(&mut Grower<'_>) -> Grown,
}

const fn plant(
    pass: &'static str,
    rule: &'static str,
    lacks: &'static str,
    grow: fn(&mut Grower<'_>) -> Grown,
) -> Plant {
    Plant {
        pass,
        rule,
        lacks,
        grow,
    }
}

/// Every pattern.
pub fn plants() -> impl Iterator<Item = &'static Plant> {
    const ALL: [&[Plant]; 14] = [
        clean::PLANTS,
        decomposed::PLANTS,
        dynamic::PLANTS,
        elementwise::PLANTS,
        index::PLANTS,
        joins::PLANTS,
        layers::PLANTS,
        moves::PLANTS,
        products::PLANTS,
        quantised::PLANTS,
        raised::PLANTS,
        recurrent::PLANTS,
        second_rounding::PLANTS,
        splits::PLANTS,
    ];
    ALL.into_iter().flatten()
}

/// Tries to plant a pattern. It may fail while the graph lacks a value that the pattern reads.
const TRIES: usize = 4;

/// The graph of a seed, with a pattern in it.
pub fn planted(seed: u64, plant: &Plant) -> Graph {
    let mut graph = Graph::new("planted");
    let mut choice = Random::new(seed ^ 0x0070_6c61_6e74);
    let recipe = match choice.chance(70) {
        true => Recipe::ANY,
        false => Recipe::DENSE,
    };
    let mut grower = Grower::new(&mut graph, seed, recipe);
    grower.inputs();
    // Some patterns need a graph of their own.
    let is_alone = choice.chance(if plant.pass == "repeat_blocks" {
        90
    } else {
        15
    });
    let steps = if is_alone { 1 } else { 3 };
    for _ in 0..choice.below(steps) {
        grower.step();
    }
    for _ in 0..if choice.chance(20) && !is_alone { 2 } else { 1 } {
        grower.most_elements = super::MAX_ELEMENTS;
        for _ in 0..TRIES {
            if (plant.grow)(&mut grower).is_some() {
                break;
            }
        }
    }
    grower.most_elements = super::MAX_ELEMENTS;
    for _ in 0..choice.below(steps) {
        grower.step();
    }
    grower.finish();
    graph
}

impl Grower<'_> {
    fn unary(&mut self, f: impl Into<UnaryFn>, x: ValueId) -> Option<ValueId> {
        let f = f.into();
        self.put(Unary { f }, &[x])
    }

    fn binary(&mut self, f: BinaryFn, a: ValueId, b: ValueId) -> Option<ValueId> {
        self.put(Binary { f }, &[a, b])
    }

    fn join(&mut self, parts: &[ValueId], axis: usize) -> Option<ValueId> {
        self.put(Concat { axis }, parts)
    }

    /// A slice of neighbouring elements along an axis.
    fn cut(&mut self, x: ValueId, axis: usize, start: i64, len: i64) -> Option<ValueId> {
        let (start, len, step) = (start.into(), len.into(), 1);
        let slice = Slice {
            axis,
            start,
            len,
            step,
        };
        self.put(slice, &[x])
    }

    /// A new input of f32.
    pub(super) fn fresh(&mut self, sizes: &[i64]) -> ValueId {
        self.fresh_of(DType::F32, sizes)
    }

    pub(super) fn fresh_of(&mut self, dtype: DType, sizes: &[i64]) -> ValueId {
        self.input(TensorType::new(
            dtype,
            sizes.iter().copied().collect::<Shape>(),
        ))
    }

    /// A float value of known sizes, with at least this rank.
    fn still(&mut self, least_rank: usize) -> Option<ValueId> {
        self.any(|ty| {
            let is_plain = ty.dtype.is_float() && ty.quant.is_none();
            is_plain && ty.rank() >= least_rank && ty.shape.as_static().is_some()
        })
    }

    /// A random function of floats.
    fn some_function(&mut self, x: ValueId) -> Option<ValueId> {
        let f = self.function(self.ty(x).dtype);
        self.put(Unary { f }, &[x])
    }

    /// The value; sometimes another node reads it too.
    fn sometimes_read(&mut self, x: ValueId, percent: u64) -> Grown {
        if self.random.chance(percent) {
            self.some_function(x)?;
        }
        Some(())
    }
}
