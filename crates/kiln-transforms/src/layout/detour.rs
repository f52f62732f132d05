//! Movements between shapes with several unknown sizes, which a single reshape cannot express.
//!
//! A target without such reshapes can still do three things that keep unknown sizes: add leading axes of size 1 (by a
//! product with a one of higher rank), cut an axis of known size into parts and join them along another axis (a deal),
//! and remove two axes of size 1 (by a mean over them). A split is a deal of the axis onto an axis of size 1, a merge
//! is a deal of one axis onto another, and a permutation puts the axes in place.

use super::movers::Mover;
use kiln_ir::Dim;
use kiln_ir::movement::{Factor, Movement};

/// The moves of a movement that starts at its source's shape. All factors of split axes and of merged axes must have a
/// known size. A merge of unknown sizes is a reshape as the last mover, which the caller has to allow.
pub(super) fn detour(movement: &Movement) -> Option<Vec<Mover>> {
    let axes: Vec<Vec<Factor>> = movement.source().iter().map(|a| a.to_vec()).collect();
    let mut way = Way {
        movement,
        axes,
        moves: Vec::new(),
    };
    way.split()?;
    let to = movement.result_shape();
    if way.merge().is_none() {
        way.settle(&way.ordered())?;
        way.moves.push(Mover::Reshape(to));
        return Some(way.moves);
    }
    let units = |axes: &[Vec<Factor>]| axes.iter().filter(|a| a.is_empty()).count();
    let wanted: Vec<Vec<Factor>> = movement.result().iter().map(|a| a.to_vec()).collect();
    let (found, needed) = (units(&way.axes), units(&wanted));
    let (more, drops) = match found.checked_sub(needed) {
        None => (needed - found, 0),
        Some(rest) => (rest % 2, rest.div_ceil(2)),
    };
    way.raise(more);
    let mut last = wanted.clone();
    let before_last = last.len().checked_sub(1).filter(|_| drops > 0);
    if let Some(place) = before_last {
        let surplus = std::iter::repeat_n(Vec::new(), 2 * drops);
        last.splice(place..place, surplus);
    } else if drops > 0 {
        return None;
    }
    way.settle(&last)?;
    way.moves.extend(std::iter::repeat_n(Mover::Drop, drops));
    Some(way.moves)
}

/// The axis of each factor while the moves are built. An axis without a factor has size 1.
struct Way<'m> {
    movement: &'m Movement,
    axes: Vec<Vec<Factor>>,
    moves: Vec<Mover>,
}

impl Way<'_> {
    fn parts(&self, factor: Factor) -> Option<usize> {
        usize::try_from(self.movement.size(factor).as_const()?).ok()
    }

    fn raise(&mut self, more: usize) {
        if more > 0 {
            self.moves.push(Mover::Raise(more));
            self.axes
                .splice(0..0, std::iter::repeat_n(Vec::new(), more));
        }
    }

    /// Puts each factor on an axis of its own, the outer factors of an axis first.
    fn split(&mut self) -> Option<()> {
        let needed: usize = self.axes.iter().map(|a| a.len().saturating_sub(1)).sum();
        let units = self.axes.iter().filter(|a| a.is_empty()).count();
        self.raise(needed.saturating_sub(units));
        while let Some(from) = self.axes.iter().position(|a| a.len() > 1) {
            let known = self.axes[from].iter().all(|&f| self.parts(f).is_some());
            let parts = self.parts(self.axes[from][0]).filter(|_| known)?;
            let to = self.axes.iter().position(Vec::is_empty)?;
            let outer = self.axes[from].remove(0);
            self.axes[to].push(outer);
            self.moves.push(Mover::Deal { from, to, parts });
        }
        Some(())
    }

    /// Puts the factors of each result axis on one axis, the inner ones first. `None`, without a mover, if a merged axis
    /// has an unknown size.
    fn merge(&mut self) -> Option<()> {
        let merged = self.movement.result().iter().filter(|a| a.len() > 1);
        let merged: Vec<Vec<Factor>> = merged.map(|a| a.to_vec()).collect();
        let mut factors = merged.iter().flatten();
        if factors.any(|&f| self.parts(f).is_none()) {
            return None;
        }
        for factors in merged {
            let (last, outer) = factors.split_last()?;
            let to = self.axes.iter().position(|a| a.contains(last))?;
            for &factor in outer.iter().rev() {
                let from = self.axes.iter().position(|a| *a == [factor])?;
                let parts = self.parts(factor)?;
                self.axes[from].clear();
                self.axes[to].insert(0, factor);
                self.moves.push(Mover::Deal { from, to, parts });
            }
        }
        Some(())
    }

    /// The axes that have factors in the result's order, then the axes without.
    fn ordered(&self) -> Vec<Vec<Factor>> {
        let units = self.axes.iter().filter(|a| a.is_empty()).cloned();
        let factors = self.movement.result_order().map(|f| vec![f]);
        units.chain(factors).collect()
    }

    /// Adds a transpose to this order of axes, unless they have it.
    fn settle(&mut self, to: &[Vec<Factor>]) -> Option<()> {
        let mut units = (0..self.axes.len()).filter(|&a| self.axes[a].is_empty());
        let place = |axis: &Vec<Factor>| match axis.is_empty() {
            true => units.next(),
            false => self.axes.iter().position(|a| a == axis),
        };
        let permutation: Vec<usize> = to.iter().map(place).collect::<Option<_>>()?;
        if !permutation.iter().copied().eq(0..to.len()) {
            self.moves.push(Mover::Transpose(permutation));
            self.axes = to.to_vec();
        }
        Some(())
    }
}

/// The sizes after a mover.
pub(super) fn sizes_behind(mover: &Mover, dims: &[Dim]) -> Vec<Dim> {
    let mut dims = dims.to_vec();
    match mover {
        Mover::Reshape(to) => dims.clone_from(to),
        Mover::Transpose(permutation) => {
            dims = permutation.iter().map(|&p| dims[p].clone()).collect()
        }
        Mover::Raise(more) => {
            dims.splice(0..0, std::iter::repeat_n(Dim::constant(1), *more));
        }
        Mover::Deal { from, to, parts } => {
            let parts = *parts as i64;
            let left = dims[*from].as_const().map_or(0, |n| n / parts);
            dims[*from] = Dim::constant(left);
            dims[*to] = dims[*to].clone() * Dim::constant(parts);
        }
        Mover::Drop => {
            dims.drain(dims.len() - 3..dims.len() - 1);
        }
    }
    dims
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_ir::Symbols;
    use kiln_ir::movement::parse_movement;

    /// A row-major tensor of numbers.
    fn done(mover: &Mover, sizes: &[usize], numbers: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let dims: Vec<Dim> = sizes.iter().map(|&n| Dim::constant(n as i64)).collect();
        let behind: Vec<usize> = sizes_behind(mover, &dims)
            .iter()
            .map(|d| d.as_const().unwrap() as usize)
            .collect();
        let at = |index: &[usize]| {
            let offset = index.iter().zip(sizes).fold(0, |o, (i, n)| o * n + i);
            numbers[offset]
        };
        let source = |index: &[usize]| -> Vec<usize> {
            let mut index = index.to_vec();
            match mover {
                Mover::Reshape(_) => unreachable!("no element moves"),
                Mover::Transpose(p) => {
                    let mut from = vec![0; p.len()];
                    p.iter().zip(&index).for_each(|(&p, &i)| from[p] = i);
                    from
                }
                Mover::Raise(more) => index.split_off(*more),
                Mover::Deal { from, to, .. } => {
                    let (part, place) = (index[*to] / sizes[*to], index[*to] % sizes[*to]);
                    index[*to] = place;
                    index[*from] += part * behind[*from];
                    index
                }
                Mover::Drop => {
                    index.splice(index.len() - 1..index.len() - 1, [0, 0]);
                    index
                }
            }
        };
        if matches!(mover, Mover::Reshape(_)) {
            return (behind, numbers.to_vec());
        }
        let count = behind.iter().product();
        let all = (0..count).map(|mut offset| {
            let mut index = vec![0; behind.len()];
            for (place, n) in index.iter_mut().zip(&behind).rev() {
                (*place, offset) = (offset % n, offset / n);
            }
            at(&source(&index))
        });
        (behind.clone(), all.collect())
    }

    /// The moves compute what the movement computes, and reshapes come last.
    #[test]
    fn moves_do_what_the_movement_does() {
        let texts = [
            "a:3 b:5 (c:4 d:2) -> b c a d",
            "a:3 c:4 b:5 d:2 -> a b (c d)",
            "a:3 b:5 -> a 1 1 b",
            "1 a:3 1 b:5 -> b a",
            "1 a:3 b:5 (c:2 d:3 e:2) -> d a c e b",
            "a:3 b:5 c:2 d:2 -> (b a) (c d)",
            "a:3 b:2 c:2 d:5 -> d (c b a)",
            "a:3 1 -> a",
            "a:3 1 1 b:5 c:2 -> b c a",
        ];
        for text in texts {
            let (movement, _) = parse_movement(text, &Symbols::default()).unwrap();
            let factors = movement.factor_sizes(&|_| None).unwrap();
            let known = |dims: &[Dim]| -> Vec<usize> {
                dims.iter()
                    .map(|d| d.as_const().unwrap() as usize)
                    .collect()
            };
            let mut sizes = known(&movement.source_shape());
            let mut numbers: Vec<usize> = (0..sizes.iter().product()).collect();
            let expected = movement.copy_plan(&factors).apply(&numbers);
            let moves = detour(&movement).unwrap_or_else(|| panic!("{text}"));
            for mover in &moves {
                (sizes, numbers) = done(mover, &sizes, &numbers);
            }
            assert_eq!(sizes, known(&movement.result_shape()), "{text}: {moves:?}");
            assert_eq!(numbers, expected, "{text}: {moves:?}");
        }
    }

    #[test]
    fn unknown_sizes_neither_split_nor_merge_but_by_a_last_reshape() {
        let mut symbols = Symbols::default();
        for name in ["a", "b"] {
            symbols.add(kiln_ir::Symbol {
                name: name.into(),
                min: 2,
                max: Some(9),
                hint: None,
            });
        }
        let moves = |text: &str| detour(&parse_movement(text, &symbols).unwrap().0);
        assert_eq!(moves("(x:{a} y:{b}) z:4 -> y x z"), None);
        let merged = moves("x:{a} y:{b} (z:4 w:2) -> z w (y x)").unwrap();
        assert!(
            matches!(merged.last(), Some(Mover::Reshape(_))),
            "{merged:?}"
        );
    }
}
