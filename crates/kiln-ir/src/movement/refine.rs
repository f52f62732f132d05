//! The common refinement of two factorings of one size.

use super::size::axis_size;
use crate::dim::Dim;

/// A part of a size, and whose it is (an axis or a factor: the caller's numbering).
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) size: Dim,
    pub(super) owner: usize,
}

/// A factor that both factorings have, with its owner in each.
pub(super) struct Shared {
    pub(super) size: Dim,
    pub(super) left: usize,
    pub(super) right: usize,
}

/// What two factorings share, outermost first, and what is between and does not refine.
pub(super) struct Refined {
    pub(super) head: Vec<Shared>,
    /// The stretch of the left factoring whose boundaries and those of `right` do not refine.
    pub(super) left: Vec<Part>,
    pub(super) right: Vec<Part>,
    pub(super) tail: Vec<Shared>,
}

impl Refined {
    pub(super) fn is_complete(&self) -> bool {
        self.left.is_empty() && self.right.is_empty()
    }
}

/// Refines two factorings of one size from both ends as far as their boundaries allow.
pub(super) fn refine(mut left: Vec<Part>, mut right: Vec<Part>) -> Refined {
    // First, because quotients of 0 lose what a zero was the product of.
    let mut head = split_single(&mut left, &mut right);
    let mut tail = peel(&mut left, &mut right);
    tail.reverse();
    left.reverse();
    right.reverse();
    head.extend(peel(&mut left, &mut right));
    left.reverse();
    right.reverse();
    // What is left may be a sum, by which nothing is divided.
    head.extend(split_single(&mut left, &mut right));
    Refined {
        head,
        left,
        right,
        tail,
    }
}

/// Where one of them is a single part, the other is how it splits; no division is needed.
fn split_single(left: &mut Vec<Part>, right: &mut Vec<Part>) -> Vec<Shared> {
    let shared = |size, left, right| Shared { size, left, right };
    match (left.as_slice(), right.as_slice()) {
        ([whole], parts) if is_product(whole, parts) => {
            let (owner, parts) = (whole.owner, std::mem::take(right));
            left.clear();
            let split = parts.into_iter();
            split.map(|p| shared(p.size, owner, p.owner)).collect()
        }
        (parts, [whole]) if is_product(whole, parts) => {
            let (owner, parts) = (whole.owner, std::mem::take(left));
            right.clear();
            let split = parts.into_iter();
            split.map(|p| shared(p.size, p.owner, owner)).collect()
        }
        _ => Vec::new(),
    }
}

fn is_product(whole: &Part, parts: &[Part]) -> bool {
    !parts.is_empty() && axis_size(parts.iter().map(|part| &part.size)) == whole.size
}

/// Takes shared factors off the ends of both, until the ends do not divide one another.
fn peel(left: &mut Vec<Part>, right: &mut Vec<Part>) -> Vec<Shared> {
    let mut shared = Vec::new();
    while let (Some(l), Some(r)) = (left.last_mut(), right.last_mut()) {
        let (l_owner, r_owner) = (l.owner, r.owner);
        let size = if l.size == r.size {
            right.pop();
            left.pop().map(|part| part.size)
        } else if let Some(rest) = l.size.exact_div(&r.size) {
            l.size = rest;
            right.pop().map(|part| part.size)
        } else if let Some(rest) = r.size.exact_div(&l.size) {
            r.size = rest;
            left.pop().map(|part| part.size)
        } else {
            break;
        };
        shared.push(Shared {
            size: size.expect("both lists have an end"),
            left: l_owner,
            right: r_owner,
        });
    }
    shared
}
