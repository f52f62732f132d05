//! Computes the bytes of a content piece by piece, in one reused buffer.

use super::Recipe;
use super::fill::fill;
use super::nest::{At, Loop};
use super::recoded::{Recoded, Recoding};

/// The approximate bytes of a piece. It stays in cache between being computed and being read.
const PIECE_BYTES: usize = 64 << 10;

/// The bytes of a cache line.
const LINE_BYTES: usize = 64;

/// The bytes of a content in order.
pub struct Pieces<'c>(Kind<'c>);

enum Kind<'c> {
    Whole(Option<&'c [u8]>),
    Made(Making<'c>),
    Recoded(Recoding<'c>),
}

impl<'c> Pieces<'c> {
    pub(super) fn whole(bytes: &'c [u8]) -> Pieces<'c> {
        Pieces(Kind::Whole((!bytes.is_empty()).then_some(bytes)))
    }

    pub(super) fn of(recipe: &'c Recipe) -> Pieces<'c> {
        Pieces(Kind::Made(Making::new(recipe)))
    }

    pub(super) fn recoded(recoded: &'c Recoded) -> Pieces<'c> {
        Pieces(Kind::Recoded(Recoding::of(recoded)))
    }

    /// The next piece, which is never empty; `None` after the last one.
    #[expect(clippy::should_implement_trait, reason = "a piece borrows the buffer")]
    pub fn next(&mut self) -> Option<&[u8]> {
        match &mut self.0 {
            Kind::Whole(rest) => rest.take(),
            Kind::Made(making) => making.next(),
            Kind::Recoded(recoding) => recoding.next(),
        }
    }

    /// The next piece, of stored bytes at most `bytes`.
    pub(super) fn next_within(&mut self, bytes: usize) -> Option<&[u8]> {
        match &mut self.0 {
            Kind::Whole(rest) => {
                let whole = (*rest)?;
                let (piece, more) = whole.split_at(bytes.min(whole.len()));
                *rest = (!more.is_empty()).then_some(more);
                Some(piece)
            }
            _ => self.next(),
        }
    }
}

/// A recipe that is computed in pieces. A piece is as many steps of the loop `split` as fit, with all inner loops.
struct Making<'c> {
    recipe: &'c Recipe,
    split: usize,
    /// The number of steps of the loop `split` in one piece.
    block: usize,
    /// The bytes of one step of the loop `split`.
    step_bytes: usize,
    /// The number of computed elements.
    done: usize,
    buffer: Vec<u8>,
}

impl<'c> Making<'c> {
    fn new(recipe: &'c Recipe) -> Making<'c> {
        let (loops, unit) = (recipe.nest.loops(), recipe.unit);
        let mut step_bytes = unit;
        let mut split = loops.len() - 1;
        let least = (0..loops.len()).min_by_key(|&i| loops[i].stride);
        let turned = least.filter(|&i| i + 1 < loops.len());
        while split > 0
            && (step_bytes * loops[split].size <= PIECE_BYTES || turned.is_some_and(|t| split > t))
        {
            step_bytes *= loops[split].size;
            split -= 1;
        }
        // If neighbours in the source are not neighbours in the result, a piece takes at least one cache line of them.
        let lines = if turned == Some(split) {
            LINE_BYTES / unit
        } else {
            1
        };
        let block = (PIECE_BYTES / step_bytes).max(lines).min(loops[split].size);
        Making {
            recipe,
            split,
            block,
            step_bytes,
            done: 0,
            buffer: Vec::new(),
        }
    }

    fn next(&mut self) -> Option<&[u8]> {
        let loops = self.recipe.nest.loops();
        if self.done == self.recipe.nest.len() {
            return None;
        }
        let at: At = self.recipe.nest.place(self.done);
        let step = self.step_bytes / self.recipe.unit;
        let passed = self.done / step % loops[self.split].size;
        let steps = self.block.min(loops[self.split].size - passed);
        let block = Loop {
            size: steps,
            ..loops[self.split]
        };
        let inside: smallvec::SmallVec<[Loop; 6]> = [block]
            .into_iter()
            .chain(loops[self.split + 1..].iter().copied())
            .collect();
        self.buffer.resize(steps * self.step_bytes, 0);
        fill(self.recipe, &inside, at, &mut self.buffer);
        self.done += steps * step;
        Some(&self.buffer)
    }
}

/// True if two contents of the same length have the same bytes.
pub(super) fn are_equal(mut left: Pieces<'_>, mut right: Pieces<'_>) -> bool {
    let (mut a, mut b): (&[u8], &[u8]) = (&[], &[]);
    loop {
        if a.is_empty() {
            a = left.next().unwrap_or_default();
        }
        if b.is_empty() {
            b = right.next().unwrap_or_default();
        }
        let common = a.len().min(b.len());
        if common == 0 {
            return a.len() == b.len();
        }
        if a[..common] != b[..common] {
            return false;
        }
        (a, b) = (&a[common..], &b[common..]);
    }
}
