//! Near misses: patterns that meet every condition of a rule but one.
//!
//! Passes must leave these alone, so no rule is reached by them. `tests/guards.rs` takes the conditions away one by one, and
//! expects that results are wrong then. Each pattern has several forms, one of which is drawn; some forms miss nothing.

mod clean;
mod decomposed;
mod dynamic;
mod elementwise;
mod empty;
mod joins;
mod layers;
mod moves;
mod quantised;
mod raised;
mod recurrent;

use super::{Plant, plant};
use crate::generate::Grower;
use kiln_ir::{DType, Dim, Movement, Symbol, ValueId};

/// Every near miss.
pub fn near_misses() -> impl Iterator<Item = &'static Plant> {
    const ALL: [&[Plant]; 11] = [
        clean::PLANTS,
        decomposed::PLANTS,
        dynamic::PLANTS,
        elementwise::PLANTS,
        empty::PLANTS,
        joins::PLANTS,
        layers::PLANTS,
        moves::PLANTS,
        quantised::PLANTS,
        raised::PLANTS,
        recurrent::PLANTS,
    ];
    ALL.into_iter().flatten()
}

impl Grower<'_> {
    fn some_float(&mut self) -> DType {
        use DType::*;
        *self.random.pick(&[F32, F32, F32, F16, F64])
    }

    /// Sizes of a few elements.
    fn few(&mut self, rank: usize) -> Vec<i64> {
        (0..rank).map(|_| self.random.between(1, 4)).collect()
    }

    /// A size that may be this small.
    fn size_from(&mut self, name: &str, min: i64) -> Dim {
        let max = Some(min + self.random.between(2, 4));
        let hint = Some(min + self.random.between(1, 2));
        let name = name.into();
        let symbol = Symbol {
            name,
            min,
            max,
            hint,
        };
        Dim::symbol(self.rewriter.add_symbol(symbol))
    }

    /// One movement that does what the two do one after the other.
    fn moved_twice(
        &mut self,
        x: ValueId,
        first: Movement,
        second: impl FnOnce(&[Dim]) -> Option<Movement>,
    ) -> Option<ValueId> {
        let second = second(&first.result_shape())?;
        let both = first.compose(&second).one()?;
        self.moved(x, both)
    }
}
