//! Reshape: from one factorisation of the elements to another.
//!
//! Axes of both shapes are cut into stretches at the boundaries that both have. A stretch whose inner
//! boundaries refine is shared factors; one where they do not (`6 4` and `4 6`) is merged into one
//! axis by a first movement and split again by a second.

use super::parts::Parts;
use super::refine::{Part, Shared, refine};
use super::size::{axis_size, checked_product, product, refuse_negative};
use super::{Composed, Movement, MovementError};
use crate::dim::{Dim, Symbols};
use rustc_hash::FxHashMap;

/// A reshape as movements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reshape {
    /// One movement, or a merge and a split.
    pub steps: Composed,
    /// Pairs of sizes that the reshape takes to be equal although that is not provable; where they
    /// are not, the tensor is empty or the reshape is a fault of the program. When there are any,
    /// the result shape of the merge and the source shape of the split (the source shape itself, when
    /// the merge moves nothing) differ by them.
    pub assumed: Vec<(Dim, Dim)>,
}

/// A stretch of elements, or a unit axis that both shapes have.
enum Piece {
    Shared(Shared),
    Merged { from: Vec<Part>, to: Vec<Part> },
}

/// Numbers of axes (unit axes not counted) of both shapes before a common boundary.
type Cut = (usize, usize);

impl Movement {
    /// The reshape from one shape to another.
    ///
    /// # Errors
    /// When the shapes provably differ in the number of elements, a size is negative, or the number
    /// of elements is too large.
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

/// The common boundaries in order, both ends included.
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
        // Equal only because the tensor is empty: no boundary means anything.
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

/// Non-empty prefixes of equal product, up to the first size that is known to be 0.
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

/// The unit axes at a boundary; they are the same axes where both shapes have equally many there.
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

/// The unit axes between axis `before - 1` and axis `before` of those with elements.
fn gap(axes: &[Part], before: usize, rank: usize) -> std::ops::Range<usize> {
    let start = before.checked_sub(1).map_or(0, |last| axes[last].owner + 1);
    start..axes.get(before).map_or(rank, |next| next.owner)
}

fn stretch_pieces(from: Vec<Part>, to: Vec<Part>) -> Vec<Piece> {
    if let ([a], [b]) = (from.as_slice(), to.as_slice())
        && a.size == b.size
    {
        return vec![Piece::Shared(Shared {
            size: a.size.clone(),
            left: a.owner,
            right: b.owner,
        })];
    }
    let (before, after) = (axis_size(sizes(&from)), axis_size(sizes(&to)));
    if before != after {
        return vec![Piece::Merged { from, to }];
    }
    let refined = refine(from.clone(), to.clone());
    if before.is(0) && !refined.is_complete() {
        // Quotients of 0 say nothing about what is left over.
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

/// The shape between has the result's axes where the stretches refine, and an axis per merged stretch.
fn merge_and_split(
    pieces: Vec<Piece>,
    from_rank: usize,
    to_rank: usize,
    assumed: &mut Vec<(Dim, Dim)>,
) -> (Movement, Movement) {
    let (mut merge, mut split) = (Parts::new(from_rank, 0), Parts::new(0, to_rank));
    // The result axis whose factors the last axis between collects.
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
