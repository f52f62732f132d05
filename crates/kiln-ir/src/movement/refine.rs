//! The common refinement of two factorisations of one size.

use super::size::axis_size;
use crate::dim::Dim;

/// A part of a size, and its owner: an axis or a factor, in the caller's numbering.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) size: Dim,
    pub(super) owner: usize,
}

/// A factor of the common refinement, with its owner in each factorisation.
pub(super) struct Shared {
    pub(super) size: Dim,
    pub(super) left: usize,
    pub(super) right: usize,
}

/// The common factors, outermost first, and the rest in the middle that does not refine.
pub(super) struct Refined {
    pub(super) head: Vec<Shared>,
    /// The rest of the left factorisation, whose boundaries do not refine with those of `right`.
    pub(super) left: Vec<Part>,
    pub(super) right: Vec<Part>,
    pub(super) tail: Vec<Shared>,
}

impl Refined {
    pub(super) fn is_complete(&self) -> bool {
        self.left.is_empty() && self.right.is_empty()
    }
}

/// Refines two factorisations of one size from both ends, as far as their boundaries allow.
pub(super) fn refine(mut left: Vec<Part>, mut right: Vec<Part>) -> Refined {
    // This must be first, because dividing by 0 would lose the factors of a zero size.
    let mut head = split_single(&mut left, &mut right);
    let mut tail = peel(&mut left, &mut right);
    tail.reverse();
    left.reverse();
    right.reverse();
    head.extend(peel(&mut left, &mut right));
    left.reverse();
    right.reverse();
    // The rest may be a sum, by which nothing can be divided.
    head.extend(split_single(&mut left, &mut right));
    Refined {
        head,
        left,
        right,
        tail,
    }
}

/// If one of the two is a single part, the other one is its split. No division is needed.
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

/// Takes common factors off both ends, until the parts at the ends do not divide each other.
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
