//! Reshapes: movements from one factorisation of the elements to another.
//!
//! Both shapes are cut into stretches at their common boundaries. A stretch whose inner boundaries refine becomes
//! factors of one movement. A stretch whose boundaries do not (`6 4` and `4 6`) is merged into one axis by a first
//! movement and split by a second one.

use super::parts::Parts;
use super::refine::{Part, Shared, refine};
use super::size::{axis_size, checked_product, product, refuse_negative};
use super::{Composed, Movement, MovementError};
use crate::dim::{Dim, Symbols};
use rustc_hash::FxHashMap;

/// A reshape as one or two movements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reshape {
    /// One movement, or a merge followed by a split.
    pub steps: Composed,
    /// Pairs of sizes that the reshape assumes to be equal, although this cannot be proven. If they are not, the tensor
    /// is empty or the program is wrong. If such pairs exist, the merge's result shape has one size of each pair and the
    /// split's source shape the other. (If the merge moves nothing, the reshape's source shape stands for its result.)
    pub assumed: Vec<(Dim, Dim)>,
}

/// A stretch of elements, or a unit axis that both shapes have.
enum Piece {
    Shared(Shared),
    Merged { from: Vec<Part>, to: Vec<Part> },
}

/// The numbers of axes of both shapes, without unit axes, before a common boundary.
type Cut = (usize, usize);

impl Movement {
    /// The reshape from one shape to another.
    ///
    /// # Errors
    /// If the shapes have provably different numbers of elements, a size is negative, or the number of elements is too
    /// large.
    pub fn reshape(from: &[Dim], to: &[Dim], symbols: &Symbols) -> Result<Reshape, MovementError> {
        refuse_negative(from)?;
        refuse_negative(to)?;
        let counts = (checked_product(from)?, checked_product(to)?);
        if symbols.equal(&counts.0, &counts.1) == Some(false) {
            let (from, to) = counts;
            return Err(MovementError::ElementCounts { from, to });
        }
        let (left, right) = (axes_with_elements(from), axes_with_elements(to));
        let cuts = cuts(&left, &right, symbols);
        let mut pieces = unit_pieces(from, to, &left, &right, cuts[0]);
        for pair in cuts.windows(2) {
            let stretch = (
                left[pair[0].0..pair[1].0].to_vec(),
                right[pair[0].1..pair[1].1].to_vec(),
            );
            pieces.extend(stretch_pieces(stretch.0, stretch.1));
            pieces.extend(unit_pieces(from, to, &left, &right, pair[1]));
        }
        Ok(assemble(pieces, from.len(), to.len()))
    }
}

fn axes_with_elements(shape: &[Dim]) -> Vec<Part> {
    let axes = shape.iter().enumerate().filter(|(_, size)| !size.is(1));
    axes.map(|(owner, size)| Part {
        size: size.clone(),
        owner,
    })
    .collect()
}

/// The common boundaries in order, including both ends.
fn cuts(left: &[Part], right: &[Part], symbols: &Symbols) -> Vec<Cut> {
    let end = (left.len(), right.len());
    let mut cuts = vec![(0, 0)];
    cuts.extend(common_prefixes(left.iter(), right.iter()));
    let (i, j) = *cuts.last().expect("the start is a boundary");
    if (i, j) == end {
        return cuts;
    }
    let tail = common_prefixes(left[i..].iter().rev(), right[j..].iter().rev());
    let tail: Vec<Cut> = tail
        .into_iter()
        .rev()
        .map(|(a, b)| (end.0 - a, end.1 - b))
        .collect();
    let (k, l) = *tail.first().unwrap_or(&end);
    let (open_left, open_right) = (&left[i..k], &right[j..l]);
    if sizes(open_left).eq(sizes(open_right)) {
        cuts.extend((1..open_left.len()).map(|n| (i + n, j + n)));
    } else if provably_differ(open_left, open_right, symbols) {
        // The shapes have equal numbers of elements only because they are empty, so boundaries mean nothing.
        return vec![(0, 0), end];
    }
    cuts.extend(tail);
    cuts.dedup();
    if cuts.last() != Some(&end) {
        cuts.push(end);
    }
    cuts
}

fn sizes(parts: &[Part]) -> impl Iterator<Item = &Dim> + Clone {
    parts.iter().map(|part| &part.size)
}

fn provably_differ(left: &[Part], right: &[Part], symbols: &Symbols) -> bool {
    match (product(sizes(left)), product(sizes(right))) {
        (Some(a), Some(b)) => symbols.equal(&a, &b) == Some(false),
        _ => false,
    }
}

/// The non-empty prefixes of equal product, up to the first size that is known to be 0.
fn common_prefixes<'a>(
    left: impl Iterator<Item = &'a Part>,
    right: impl Iterator<Item = &'a Part>,
) -> Vec<Cut> {
    let ends: FxHashMap<Dim, usize> = prefix_products(right).into_iter().zip(1..).collect();
    let mut cuts: Vec<Cut> = Vec::new();
    for (product, i) in prefix_products(left).into_iter().zip(1..) {
        if let Some(&j) = ends.get(&product)
            && cuts.last().is_none_or(|&(_, before)| before < j)
        {
            cuts.push((i, j));
        }
    }
    cuts
}

fn prefix_products<'a>(parts: impl Iterator<Item = &'a Part>) -> Vec<Dim> {
    let mut total = Dim::constant(1);
    let mut products = Vec::new();
    for part in parts.take_while(|part| !part.size.is(0)) {
        match product([&total, &part.size]) {
            Some(next) => total = next,
            None => break,
        }
        products.push(total.clone());
    }
    products
}

/// The unit axes at a boundary. They correspond if both shapes have equally many there.
fn unit_pieces(from: &[Dim], to: &[Dim], left: &[Part], right: &[Part], cut: Cut) -> Vec<Piece> {
    let units = (gap(left, cut.0, from.len()), gap(right, cut.1, to.len()));
    if units.0.len() != units.1.len() {
        return Vec::new();
    }
    let unit = |(left, right)| {
        Piece::Shared(Shared {
            size: Dim::constant(1),
            left,
            right,
        })
    };
    units.0.zip(units.1).map(unit).collect()
}

/// The unit axes between the axes `before - 1` and `before` of those that are no unit axes.
fn gap(axes: &[Part], before: usize, rank: usize) -> std::ops::Range<usize> {
    let start = before.checked_sub(1).map_or(0, |last| axes[last].owner + 1);
    start..axes.get(before).map_or(rank, |next| next.owner)
}

fn stretch_pieces(from: Vec<Part>, to: Vec<Part>) -> Vec<Piece> {
    let (before, after) = (axis_size(sizes(&from)), axis_size(sizes(&to)));
    if before != after {
        return vec![Piece::Merged { from, to }];
    }
    let refined = refine(from.clone(), to.clone());
    if before.is(0) && !refined.is_complete() {
        // Dividing 0 says nothing about the rest.
        return vec![Piece::Merged { from, to }];
    }
    let complete = refined.is_complete();
    let mut pieces: Vec<Piece> = refined.head.into_iter().map(Piece::Shared).collect();
    if !complete {
        pieces.push(Piece::Merged {
            from: refined.left,
            to: refined.right,
        });
    }
    pieces.extend(refined.tail.into_iter().map(Piece::Shared));
    pieces
}

fn assemble(pieces: Vec<Piece>, from_rank: usize, to_rank: usize) -> Reshape {
    if pieces.iter().all(|p| matches!(p, Piece::Shared(_))) {
        let mut parts = Parts::new(from_rank, to_rank);
        for piece in pieces {
            if let Piece::Shared(shared) = piece {
                parts.join(shared.size, shared.left, shared.right);
            }
        }
        return Reshape {
            steps: Composed::One(parts.finish()),
            assumed: Vec::new(),
        };
    }
    let mut assumed = Vec::new();
    let (merge, split) = merge_and_split(pieces, from_rank, to_rank, &mut assumed);
    let steps = if merge.is_identity() {
        Composed::One(split)
    } else {
        Composed::Two(merge, split)
    };
    Reshape { steps, assumed }
}

/// The shape in between has the result's axes where stretches refine, and one axis for each merged stretch.
fn merge_and_split(
    pieces: Vec<Piece>,
    from_rank: usize,
    to_rank: usize,
    assumed: &mut Vec<(Dim, Dim)>,
) -> (Movement, Movement) {
    let (mut merge, mut split) = (Parts::new(from_rank, 0), Parts::new(0, to_rank));
    // The result axis that takes the factors of the last axis of the intermediate shape.
    let mut open = None;
    for piece in pieces {
        let continues = matches!(&piece, Piece::Shared(s) if open == Some(s.right));
        if !continues {
            merge.result.push(Vec::new());
            split.source.push(Vec::new());
        }
        let middle = merge.result.len() - 1;
        match piece {
            Piece::Shared(shared) => {
                open = Some(shared.right);
                merge.join(shared.size.clone(), shared.left, middle);
                split.join(shared.size, middle, shared.right);
            }
            Piece::Merged { from, to } => {
                open = None;
                let counts = (axis_size(sizes(&from)), axis_size(sizes(&to)));
                if counts.0 != counts.1 {
                    assumed.push(counts);
                }
                for part in from {
                    merge.join(part.size, part.owner, middle);
                }
                for part in to {
                    split.join(part.size, middle, part.owner);
                }
            }
        }
    }
    (merge.finish(), split.finish())
}

#[cfg(test)]
mod tests {
    use super::super::oracle::*;
    use super::*;
    use proptest::prelude::*;

    fn reshape(from: &[Dim], to: &[Dim]) -> Reshape {
        Movement::reshape(from, to, &symbols()).unwrap()
    }

    fn check_shapes(reshape: &Reshape, from: &[Dim], to: &[Dim]) {
        let steps = reshape.steps.steps();
        assert_eq!(steps[steps.len() - 1].result_shape(), to);
        if reshape.assumed.is_empty() {
            assert_eq!(steps[0].source_shape(), from);
            assert!(
                steps
                    .windows(2)
                    .all(|w| w[0].result_shape() == w[1].source_shape())
            );
        }
        assert!(steps.iter().all(|step| step.is_view()));
    }

    fn two_groupings(which: Sizes, shuffled: bool) -> impl Strategy<Value = (Vec<Dim>, Vec<Dim>)> {
        prop::collection::vec(size(which), 0..6).prop_flat_map(move |factors| {
            let again = if shuffled {
                Just(factors.clone()).prop_shuffle().boxed()
            } else {
                Just(factors.clone()).boxed()
            };
            (grouping(factors), again.prop_flat_map(grouping))
        })
    }

    proptest! {
        #[test]
        fn reshape_is_one_movement_where_boundaries_refine(
            (from, to) in two_groupings(Sizes::Positive, true)
        ) {
            let reshape = reshape(&from, &to);
            check_shapes(&reshape, &from, &to);
            prop_assert!(reshape.assumed.is_empty());
            let (a, b) = (at(&from, [0, 0]), at(&to, [0, 0]));
            let map: Vec<usize> = (0..a.iter().product()).collect();
            prop_assert_eq!(reshape.steps.one().is_some(), has_normal_form(&map, &a, &b));
        }

        #[test]
        fn reshape_moves_nothing((from, to) in any_sizes().prop_flat_map(|w| two_groupings(w, true)), v in values()) {
            let reshape = reshape(&from, &to);
            check_shapes(&reshape, &from, &to);
            prop_assert!(reshape.assumed.is_empty());
            let count = at(&from, v).into_iter().product();
            prop_assert!(map_of_steps(&reshape.steps, v).into_iter().eq(0..count));
        }

        #[test]
        fn groupings_of_monomials_are_one_movement((from, to) in two_groupings(Sizes::Monomials, false)) {
            prop_assert!(reshape(&from, &to).steps.one().is_some());
        }

        #[test]
        fn reshapes_compose((from, to) in two_groupings(Sizes::Positive, false), third in 0usize..6) {
            let total = from.iter().cloned().product::<Dim>();
            let last = if third == 0 { vec![total] } else { from[..].to_vec() };
            let (Some(a), Some(b)) = (reshape(&from, &to).steps.one(), reshape(&to, &last).steps.one()) else {
                return Ok(());
            };
            prop_assert_eq!(a.compose(&b), reshape(&from, &last).steps);
        }
    }

    fn text(from: &[Dim], to: &[Dim]) -> Vec<String> {
        let names = |m: &&Movement| super::super::MovementNames(m, &symbols()).to_string();
        reshape(from, to).steps.steps().iter().map(names).collect()
    }

    #[test]
    fn only_the_stretch_that_does_not_refine_is_merged() {
        assert_eq!(
            text(&known(&[6, 4]), &known(&[4, 6])),
            ["a:6 b:4 -> (a b)", "(a:4 b:6) -> a b"]
        );
        assert_eq!(
            text(&known(&[1, 10, 6, 4, 7]), &known(&[1, 2, 5, 4, 6, 7])),
            [
                "f:1 (a:2 b:5) c:6 d:4 e:7 -> f a b (c d) e",
                "f:1 a:2 b:5 (c:4 d:6) e:7 -> f a b c d e"
            ]
        );
    }

    #[test]
    fn unit_axes_at_one_boundary_are_the_same_when_equally_many() {
        assert_eq!(
            text(&known(&[1, 3, 4]), &known(&[1, 12])),
            ["c:1 a:3 b:4 -> c (a b)"]
        );
    }

    #[test]
    fn unknown_counts_are_assumed_equal() {
        let (s0, s1) = (
            Dim::symbol(crate::arena::Id::new(0)),
            Dim::symbol(crate::arena::Id::new(1)),
        );
        let (from, to) = ([s0.clone(), 4.into(), 7.into()], [s1.clone(), 7.into()]);
        let open = reshape(&from, &to);
        check_shapes(&open, &from, &to);
        assert_eq!(open.assumed, [(&s0 * 4, s1.clone())]);
        assert_eq!(
            text(&from, &to),
            ["a:{s0} b:4 c:7 -> (a b) c", "a:{s1} b:7 -> a b"]
        );
        // Only an empty tensor has both shapes.
        let odd = reshape(&[s0.clone(), 3.into()], &[s0.clone(), 5.into()]);
        assert_eq!(odd.assumed, [(&s0 * 3, &s0 * 5)]);
    }

    #[test]
    fn empty_tensors_reshape() {
        for (from, to) in [
            (vec![0, 3], vec![5, 0]),
            (vec![0, 3], vec![0, 5]),
            (vec![3, 0], vec![0]),
            (vec![2, 0, 3], vec![2, 0, 3]),
        ] {
            let (from, to) = (known(&from), known(&to));
            let reshape = reshape(&from, &to);
            check_shapes(&reshape, &from, &to);
            assert!(reshape.assumed.is_empty());
        }
    }

    #[test]
    fn refuses_provably_different_counts() {
        let symbols = symbols();
        let of = |from: &[i64], to: &[i64]| Movement::reshape(&known(from), &known(to), &symbols);
        assert!(matches!(
            of(&[2, 3], &[7]),
            Err(MovementError::ElementCounts { .. })
        ));
        assert!(matches!(
            of(&[0, 3], &[3]),
            Err(MovementError::ElementCounts { .. })
        ));
        assert!(matches!(
            of(&[-2, -3], &[6]),
            Err(MovementError::NegativeSize(_))
        ));
        assert!(matches!(
            of(&[i64::MAX, 2], &[i64::MAX]),
            Err(MovementError::TooLarge(2))
        ));
    }
}
