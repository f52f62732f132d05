//! Patterns for reals that are rounded twice.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};

pub(super) const PLANTS: &[Plant] = &[plant("fold_quantised", "drop_second_rounding", "", alike)];

fn alike(g: &mut Grower<'_>) -> Grown {
    rounded_twice(g, true)
}

/// Reals that are rounded, moved, and rounded again for the caller, in the same way or in another.
pub(super) fn rounded_twice(g: &mut Grower<'_>, is_alike: bool) -> Grown {
    let (first, other) = (g.per_tensor(), g.per_tensor());
    let sizes = [g.random.between(1, 3), g.random.between(2, 4)];
    let x = g.real_of(&first, &sizes)?;
    let movement = g.some_movement(&g.shape(x))?;
    let moved = g.moved(x, movement)?;
    let second = if is_alike { &first } else { &other };
    g.there_and_back(second, moved).map(|_| ())
}
