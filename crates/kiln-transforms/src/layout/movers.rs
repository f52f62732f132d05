//! A movement as a sequence of reshapes and transposes that a target's delegates have, or as a detour
//! (`detour.rs`). A movement that they cannot express has none.

use super::between::order_between;
use super::detour::{detour, sizes_behind};
use super::order::Rows;
use kiln_ir::Dim;
use kiln_ir::movement::{Composed, Factor, Movement};

/// One operator that moves elements. The moves of a movement are a list of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// Reshape to these sizes, of which at most one is unknown.
    Reshape(Vec<Dim>),
    /// Transpose: result dim `i` is dim `0[i]`.
    Transpose(Vec<usize>),
    /// Add this many leading axes of size 1.
    Raise(usize),
    /// Cut an axis of known size into parts, and join them along another axis.
    Deal {
        /// The axis that is cut.
        from: usize,
        /// The axis along which the parts are joined.
        to: usize,
        /// The number of parts.
        parts: usize,
    },
    /// Remove the two axes of size 1 in front of the last.
    Drop,
}

/// The composition of these movements, in as few movements as possible.
pub fn compose(first: Vec<Movement>, next: &Movement) -> Vec<Movement> {
    let mut all = first;
    match all.pop() {
        None => all.push(next.clone()),
        Some(last) => match last.compose(next) {
            Composed::One(both) => all.push(both),
            Composed::Two(a, b) => all.extend([a, b]),
        },
    }
    all
}

/// Which movements a target's delegates can do, and what these cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movers {
    /// The highest rank of a tensor.
    pub max_rank: usize,
    /// The most sizes of a reshape's result that may be unknown until run time.
    pub max_unknown: usize,
    /// The cost of a transpose, where a reshape costs 1. A transpose always writes; a reshape only if its operand has
    /// other readers.
    pub transpose: u64,
    /// True if the target has movers other than reshapes and transposes.
    pub has_detours: bool,
    /// How rows lie.
    pub rows: Rows,
    /// How long an element of one byte takes to move, in bytes of greater elements.
    pub byte: u64,
}

impl Movers {
    /// True if a reshape can produce these sizes.
    pub fn can_reshape(&self, to: &[Dim]) -> bool {
        let unknown = to.iter().filter(|d| d.as_const().is_none()).count();
        to.len() <= self.max_rank && unknown <= self.max_unknown
    }

    /// The cost of these moves.
    pub fn cost(&self, moves: &[Mover]) -> u64 {
        let cost = |mover: &Mover| match mover {
            Mover::Reshape(_) => 1,
            Mover::Transpose(_) | Mover::Raise(_) | Mover::Drop => self.transpose,
            // Parts are written when they are cut, and again when they are joined.
            Mover::Deal { .. } => 2 * self.transpose,
        };
        moves.iter().map(cost).sum()
    }

    /// The moves of consecutive movements from a tensor with these dims; `None` if they cannot be expressed. If a reshape may be
    /// first or last, it is first, in the tensor's own place, because the last tensor may be the caller's memory.
    pub fn moves_of(&self, movements: &[Movement], from: &[Dim]) -> Option<Vec<Mover>> {
        self.in_a_row(movements, from, false)
    }

    /// As [`Movers::moves_of`], but with the reshape last if that takes equally few moves: a reshape of a tensor that
    /// has other readers, or that is the caller's, is a copy.
    pub fn moves_from_shared(&self, movements: &[Movement], from: &[Dim]) -> Option<Vec<Mover>> {
        self.in_a_row(movements, from, true)
    }

    fn in_a_row(
        &self,
        movements: &[Movement],
        from: &[Dim],
        is_shared: bool,
    ) -> Option<Vec<Mover>> {
        let mut all: Vec<Mover> = Vec::new();
        let mut dims = from.to_vec();
        for movement in movements {
            let moves = self.fewest(movement, &dims, is_shared && all.is_empty())?;
            all.extend(moves);
            dims = movement.result_shape();
        }
        Some(all)
    }

    /// The moves of one movement from a tensor with these dims: none if every element stays where it is. `None` if the target's
    /// operators cannot express the movement.
    pub fn moves(&self, movement: &Movement, from: &[Dim]) -> Option<Vec<Mover>> {
        self.fewest(movement, from, false)
    }

    fn fewest(&self, movement: &Movement, from: &[Dim], is_shared: bool) -> Option<Vec<Mover>> {
        let to = movement.result_shape();
        if movement.is_view()
            && let Some(moves) = self.chain(from, None, &to)
        {
            return Some(moves);
        }
        let forms = [
            whole_source(movement),
            whole_result(movement),
            Some(least_rank(movement)),
        ];
        let possible = forms.into_iter().flatten();
        let begins = |moves: &[Mover]| matches!(moves.first(), Some(Mover::Reshape(_)));
        possible
            .filter_map(|(split, permutation)| self.chain(from, Some((split, permutation)), &to))
            .min_by_key(|moves| (moves.len(), begins(moves) == is_shared))
            .or_else(|| self.two_transposes(movement, from))
            .or_else(|| self.detour(movement, from))
    }

    /// Two transposes in place of one that has too many axes.
    fn two_transposes(&self, movement: &Movement, from: &[Dim]) -> Option<Vec<Mover>> {
        let (sizes, permutation) = least_rank(movement);
        let between = order_between(&permutation, self.max_rank)?;
        let place = |axis| between.iter().position(|&a| a == axis);
        let second: Vec<usize> = permutation
            .iter()
            .map(|&a| place(a))
            .collect::<Option<_>>()?;
        let sizes_between: Vec<Dim> = between.iter().map(|&a| sizes[a].clone()).collect();
        let to = movement.result_shape();
        let [first, second] = [(sizes, between), (sizes_between, second)]
            .map(|(sizes, permutation)| Movement::permute(&sizes, &permutation));
        let (first, second) = (least_rank(&first.ok()?), least_rank(&second.ok()?));
        let mut moves = self.chain(from, Some(first), &second.0)?;
        moves.extend(self.chain(&second.0.clone(), Some(second), &to)?);
        Some(moves)
    }

    /// Moves that keep several unknown sizes, at ranks that the target has.
    fn detour(&self, movement: &Movement, from: &[Dim]) -> Option<Vec<Mover>> {
        if !self.has_detours || from != movement.source_shape() {
            return None;
        }
        let moves = detour(movement)?;
        let mut dims = from.to_vec();
        for mover in &moves {
            dims = sizes_behind(mover, &dims);
            let is_possible = match mover {
                Mover::Reshape(to) => self.can_reshape(to),
                _ => dims.len() <= self.max_rank,
            };
            if !is_possible {
                return None;
            }
        }
        Some(moves)
    }

    /// Reshape, transpose, reshape; each only where it is needed.
    fn chain(&self, from: &[Dim], permuted: Option<Permuted>, to: &[Dim]) -> Option<Vec<Mover>> {
        let mut moves = Vec::new();
        let mut dims = from.to_vec();
        if let Some((split, permutation)) = permuted {
            if split != dims {
                moves.push(Mover::Reshape(split.clone()));
            }
            dims = permutation.iter().map(|&p| split[p].clone()).collect();
            moves.push(Mover::Transpose(permutation));
        }
        if dims != to {
            moves.push(Mover::Reshape(to.to_vec()));
        }
        let possible = |mover: &Mover| match mover {
            Mover::Reshape(to) => self.can_reshape(to),
            Mover::Transpose(permutation) => permutation.len() <= self.max_rank,
            Mover::Raise(_) | Mover::Deal { .. } | Mover::Drop => self.has_detours,
        };
        moves.iter().all(possible).then_some(moves)
    }
}

type Permuted = (Vec<Dim>, Vec<usize>);

/// If no source axis is split: a permutation of the source's own axes, then a reshape.
fn whole_source(movement: &Movement) -> Option<Permuted> {
    if let Some(permutation) = movement.as_permutation() {
        return Some((movement.source_shape(), permutation));
    }
    let source = movement.source();
    if source.iter().any(|factors| factors.len() > 1) {
        return None;
    }
    let axis_of = |f: Factor| source.iter().position(|factors| factors.contains(&f));
    let units = (0..source.len()).filter(|&axis| source[axis].is_empty());
    let moved = movement.result_order().filter_map(axis_of);
    Some((movement.source_shape(), units.chain(moved).collect()))
}

/// If no result axis is merged: a reshape, then a permutation to the result's axes.
fn whole_result(movement: &Movement) -> Option<Permuted> {
    let result = movement.result();
    if result.iter().any(|factors| factors.len() > 1) {
        return None;
    }
    let units = result.iter().filter(|factors| factors.is_empty()).count();
    let sizes = std::iter::repeat_n(Dim::constant(1), units);
    let split = sizes.chain(movement.sizes().iter().cloned()).collect();
    let mut unit = 0..units;
    let place = |factors: &kiln_ir::movement::AxisFactors| match factors.first() {
        Some(factor) => units + factor.index(),
        None => unit.next().expect("as many units as were counted"),
    };
    Some((split, result.iter().map(place).collect()))
}

fn least_rank(movement: &Movement) -> Permuted {
    let realised = movement.realise();
    (realised.split_shape, realised.permutation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_ir::{Symbol, Symbols};

    const MOVERS: Movers = Movers {
        max_rank: 6,
        max_unknown: 1,
        transpose: 16,
        has_detours: false,
        rows: Rows::WidthOne,
        byte: 1,
    };

    fn known(sizes: &[i64]) -> Vec<Dim> {
        sizes.iter().map(|&n| Dim::constant(n)).collect()
    }

    #[test]
    fn a_permutation_is_one_transpose() {
        let shape = known(&[1, 3, 8, 8]);
        let movement = Movement::permute(&shape, &[0, 2, 3, 1]).unwrap();
        let moves = MOVERS.moves(&movement, &shape);
        assert_eq!(moves, Some(vec![Mover::Transpose(vec![0, 2, 3, 1])]));
    }

    #[test]
    fn more_axes_than_a_transpose_has_take_two() {
        // Windows in windows in windows of an image, in the order of places in them.
        let sizes = known(&[7, 2, 2, 2, 7, 2, 2, 2, 8]);
        let image = vec![vec![], vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8]];
        let rows = vec![vec![], vec![3, 7, 2, 6, 1, 5, 0, 4], vec![8]];
        let windows = Movement::from_parts(sizes, image, rows).unwrap();
        let moves = MOVERS.moves(&windows, &windows.source_shape()).unwrap();
        let ranks: Vec<(&str, usize)> = moves
            .iter()
            .map(|mover| match mover {
                Mover::Reshape(to) => ("reshape", to.len()),
                Mover::Transpose(permutation) => ("transpose", permutation.len()),
                _ => panic!("{mover:?}"),
            })
            .collect();
        let names: Vec<&str> = ranks.iter().map(|(name, _)| *name).collect();
        assert_eq!(
            names,
            ["reshape", "transpose", "reshape", "transpose", "reshape"]
        );
        assert!(ranks.iter().all(|(_, rank)| *rank <= 6), "{ranks:?}");
    }

    #[test]
    fn heads_merge_behind_their_transpose() {
        let shape = known(&[1, 4, 9, 16]);
        let heads = Movement::permute(&shape, &[0, 2, 1, 3]).unwrap();
        let merge = Movement::merge(&heads.result_shape(), 2..4).unwrap();
        let all = compose(vec![heads], &merge);
        let expected = vec![
            Mover::Transpose(vec![0, 2, 1, 3]),
            Mover::Reshape(known(&[1, 9, 64])),
        ];
        assert_eq!(MOVERS.moves_of(&all, &shape), Some(expected));
    }

    #[test]
    fn what_others_read_is_reshaped_last() {
        let shape = known(&[4, 5, 6]);
        let split = Movement::split(&shape, 2, &known(&[2, 3])).unwrap();
        let permute = Movement::permute(&split.result_shape(), &[0, 2, 3, 1]).unwrap();
        let all = compose(vec![split], &permute);
        let (reshape, transpose) = (Mover::Reshape, Mover::Transpose);
        let alone = vec![reshape(known(&[4, 5, 2, 3])), transpose(vec![0, 2, 3, 1])];
        assert_eq!(MOVERS.moves_of(&all, &shape), Some(alone));
        let shared = vec![transpose(vec![0, 2, 1]), reshape(known(&[4, 2, 3, 5]))];
        assert_eq!(MOVERS.moves_from_shared(&all, &shape), Some(shared));
    }

    fn unknown_sizes() -> [Dim; 2] {
        let mut symbols = Symbols::default();
        ["a", "b"].map(|name| {
            let (min, max, hint) = (2, Some(9), None);
            Dim::symbol(symbols.add(Symbol {
                name: name.into(),
                min,
                max,
                hint,
            }))
        })
    }

    #[test]
    fn two_unknown_sizes_do_not_reshape() {
        let [a, b] = unknown_sizes();
        let shape = vec![a, b, Dim::constant(4)];
        let movement = Movement::unsqueeze(&shape, &[1]).unwrap();
        assert_eq!(MOVERS.moves(&movement, &shape), None);
        let transpose = Movement::permute(&shape, &[1, 0, 2]).unwrap();
        assert!(MOVERS.moves(&transpose, &shape).is_some());
    }

    #[test]
    fn a_unit_axis_moves_between_unknown_sizes() {
        let [a, b] = unknown_sizes();
        let shape = vec![a, Dim::constant(1), b];
        let movement = Movement::permute(&shape, &[0, 2, 1]).unwrap();
        let expected = Some(vec![Mover::Transpose(vec![0, 2, 1])]);
        assert_eq!(MOVERS.moves(&movement, &shape), expected);
    }
}
