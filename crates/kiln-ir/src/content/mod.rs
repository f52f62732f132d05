//! The bytes of constants: stored, or arranged from stored bytes on demand.
//!
//! A weight is often needed in another order of elements, scaled by channel, or packed. Such a content is a recipe over the
//! bytes of a source, which usually lie in the mapped archive. The recipe picks elements by a loop nest and multiplies
//! them by factors. [`Content::pieces`] computes the bytes in pieces of bounded size, so that a program is hashed and
//! written without a copy of its weights. [`Content::bytes`] computes them once and keeps them.
//!
//! # Invariants
//! - Two contents are equal if their bytes are, whether they are stored or arranged.
//! - Arranging an arranged content gives one recipe over the same source, if the loops have a common refinement.
//!   Otherwise the inner content is computed first, and becomes the source.

mod distinct;
mod fill;
mod nest;
mod pieces;
mod recoded;
mod source;

pub use distinct::Distinct;
pub use pieces::Pieces;
pub use recoded::LowHalf;
pub use source::{Keeper, Then};

use crate::dtype::DType;
use crate::movement::CopyPlan;
use bytes::Bytes;
use fill::Factors;
use nest::Nest;
use recoded::{Code, Recoded};
use smallvec::SmallVec;
use source::Source;
use std::sync::{Arc, OnceLock};

/// Immutable bytes. Clones share them.
#[derive(Clone)]
pub struct Content(Form);

#[derive(Clone)]
enum Form {
    Dense(Source),
    Arranged(Arc<Arranged>),
    Recoded(Arc<Recoded>),
}

struct Arranged {
    recipe: Recipe,
    made: OnceLock<Bytes>,
}

/// The elements of a source in the order of a loop nest, each multiplied by a factor if there are factors.
#[derive(Clone)]
struct Recipe {
    source: Source,
    /// The bytes of an element: 1, 2, 4 or 8.
    unit: usize,
    nest: Nest,
    factors: Option<Factors>,
}

/// Factors for the elements of a tensor, by a loop nest over the elements.
pub struct Scale<'a> {
    /// The sizes of the loops, outermost first. Together they visit every element once, in row-major order.
    pub sizes: &'a [usize],
    /// For each loop, the distance of its steps in `factors`.
    pub strides: &'a [usize],
    /// The factors. They are rounded to the dtype of the multiplication: f32, or f64 for f64.
    pub factors: &'a [f64],
}

/// A sample of the bytes: all of them if there are few, otherwise the first and the last.
pub type Sample = SmallVec<[u8; SAMPLE_BYTES]>;

const SAMPLE_BYTES: usize = 128;

impl Content {
    /// Stored bytes with a keeper, which is told when they have been read.
    pub fn kept(bytes: Bytes, keeper: Arc<dyn Keeper>) -> Content {
        Content(Form::Dense(Source::kept(bytes, keeper)))
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Dense(bytes) => bytes.len(),
            Form::Arranged(arranged) => arranged.recipe.len(),
            Form::Recoded(recoded) => recoded.len(),
        }
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes. Those of an arranged or recoded content are computed by the first call and kept.
    pub fn bytes(&self) -> &Bytes {
        match &self.0 {
            Form::Dense(source) => source.bytes(),
            Form::Arranged(arranged) => arranged.made.get_or_init(|| self.make().into()),
            Form::Recoded(recoded) => recoded.made.get_or_init(|| self.make().into()),
        }
    }

    fn make(&self) -> Vec<u8> {
        let mut made = Vec::with_capacity(self.len());
        let mut pieces = self.pieces();
        while let Some(piece) = pieces.next() {
            made.extend_from_slice(piece);
        }
        made
    }

    /// The bytes in order, in pieces. What is computed is not kept.
    pub fn pieces(&self) -> Pieces<'_> {
        match &self.0 {
            Form::Dense(source) => Pieces::whole(source),
            Form::Arranged(arranged) => match arranged.made.get() {
                Some(made) => Pieces::whole(made),
                None => Pieces::of(&arranged.recipe),
            },
            Form::Recoded(recoded) => match recoded.made.get() {
                Some(made) => Pieces::whole(made),
                None => Pieces::recoded(recoded),
            },
        }
    }

    /// Tells the keeper of the stored bytes, or of the recipe's source, that they have been read.
    pub fn passed(&self, then: Then) {
        match &self.0 {
            Form::Dense(source) => source.passed(then),
            Form::Arranged(arranged) => arranged.recipe.source.passed(then),
            Form::Recoded(recoded) => recoded.inner.passed(then),
        }
    }

    /// A digest of the bytes.
    pub fn digest(&self) -> blake3::Hash {
        if let Form::Dense(source) = &self.0 {
            return source.digest();
        }
        let mut hasher = blake3::Hasher::new();
        let mut pieces = self.pieces();
        while let Some(piece) = pieces.next() {
            hasher.update(piece);
        }
        self.passed(Then::Again);
        hasher.finalize()
    }

    /// A digest of the recipe and its source, or of stored bytes. Contents with equal keys have equal bytes. Contents
    /// with equal bytes have equal keys only if they have the same recipe. Arranged bytes are not computed.
    pub fn key(&self) -> blake3::Hash {
        match &self.0 {
            Form::Dense(_) => self.digest(),
            Form::Arranged(arranged) => arranged.recipe.key(),
            Form::Recoded(recoded) => recoded.key(),
        }
    }

    /// The elements of `unit` bytes in the order of a copy plan. `None` if their number differs from the plan's, or for
    /// another unit than 1, 2, 4 or 8.
    pub fn arranged(&self, unit: usize, plan: &CopyPlan) -> Option<Content> {
        if plan.len().checked_mul(unit) != Some(self.len()) || !matches!(unit, 1 | 2 | 4 | 8) {
            return None;
        }
        if plan.is_empty() {
            return Some(self.clone());
        }
        let recipe = self.recipe(unit);
        let composed = recipe
            .nest
            .after(plan)
            .map(|nest| Recipe { nest, ..recipe });
        Some(Content::from(composed.unwrap_or_else(|| Recipe {
            source: self.source(),
            unit,
            nest: Nest::from(plan),
            factors: None,
        })))
    }

    /// The elements of a floating dtype, each multiplied by its factor and rounded once. `None` if the loops of the
    /// scale visit another number of elements, or index beyond the factors.
    pub fn scaled(&self, dtype: DType, scale: &Scale<'_>) -> Option<Content> {
        let elements = scale
            .sizes
            .iter()
            .try_fold(1usize, |n, &s| n.checked_mul(s))?;
        let last = scale
            .sizes
            .iter()
            .zip(scale.strides)
            .try_fold(0usize, |at, (n, s)| {
                at.checked_add(n.saturating_sub(1).checked_mul(*s)?)
            })?;
        if elements.checked_mul(dtype.size()) != Some(self.len())
            || scale.sizes.len() != scale.strides.len()
        {
            return None;
        }
        if elements == 0 {
            return Some(self.clone());
        }
        let factors = Factors::new(dtype, scale.factors).filter(|_| last < scale.factors.len())?;
        let recipe = self.recipe(dtype.size());
        // Each product rounds, so the factors of two scales cannot be merged.
        let composed = match recipe.factors {
            None => recipe.nest.scaled(scale),
            Some(_) => None,
        };
        let (source, nest) = match composed {
            Some(nest) => (recipe.source, nest),
            None => {
                let dense = Nest::row_major(elements);
                (self.source(), dense.scaled(scale)?)
            }
        };
        let factors = Some(factors);
        Some(Content::from(Recipe {
            source,
            nest,
            factors,
            ..recipe
        }))
    }

    fn recoded(inner: &Content, code: Code) -> Content {
        let (inner, made) = (inner.clone(), OnceLock::new());
        Content(Form::Recoded(Arc::new(Recoded { inner, code, made })))
    }

    /// True for stored contents that start at the same address, and for contents that share one recipe.
    fn is_one_with(&self, other: &Content) -> bool {
        match (&self.0, &other.0) {
            (Form::Dense(a), Form::Dense(b)) => a.as_ptr() == b.as_ptr(),
            (Form::Arranged(a), Form::Arranged(b)) => Arc::ptr_eq(a, b),
            (Form::Recoded(a), Form::Recoded(b)) => {
                Arc::ptr_eq(a, b) || a.code == b.code && a.inner.is_one_with(&b.inner)
            }
            _ => false,
        }
    }

    /// The bytes as a source; an arranged content is computed.
    fn source(&self) -> Source {
        match &self.0 {
            Form::Dense(source) => source.clone(),
            Form::Arranged(_) | Form::Recoded(_) => Source::from(self.bytes().clone()),
        }
    }

    fn recipe(&self, unit: usize) -> Recipe {
        match &self.0 {
            Form::Arranged(arranged)
                if arranged.recipe.unit == unit && arranged.made.get().is_none() =>
            {
                arranged.recipe.clone()
            }
            _ => {
                let source = self.source();
                let nest = Nest::row_major(source.len() / unit);
                Recipe {
                    source,
                    unit,
                    nest,
                    factors: None,
                }
            }
        }
    }

    /// Copies `out.len()` bytes from `start` on. Both must be multiples of the element size.
    fn read(&self, start: usize, out: &mut [u8]) {
        match &self.0 {
            Form::Dense(source) => source.copy(start, out),
            Form::Arranged(arranged) => match arranged.made.get() {
                Some(made) => out.copy_from_slice(&made[start..start + out.len()]),
                None => arranged.recipe.read(start, out),
            },
            Form::Recoded(recoded) => match recoded.made.get() {
                Some(made) => out.copy_from_slice(&made[start..start + out.len()]),
                None => recoded.read(start, out),
            },
        }
    }

    /// The element of `unit` bytes at a position; `None` beyond the end.
    pub(crate) fn element(&self, unit: usize, position: usize) -> Option<SmallVec<[u8; 8]>> {
        let start = position.checked_mul(unit)?;
        if start.checked_add(unit)? > self.len() {
            return None;
        }
        let mut element = SmallVec::from_elem(0, unit);
        self.read(start, &mut element);
        Some(element)
    }

    /// All bytes of a small content, the first and the last of a larger one: equal for equal contents.
    pub fn sample(&self) -> Sample {
        if self.len() <= SAMPLE_BYTES {
            let mut all = Sample::from_elem(0, self.len());
            self.read(0, &mut all);
            return all;
        }
        let mut ends = Sample::from_elem(0, SAMPLE_BYTES);
        let (first, last) = ends.split_at_mut(SAMPLE_BYTES / 2);
        self.read(0, first);
        self.read(self.len() - last.len(), last);
        ends
    }
}

impl Recipe {
    fn len(&self) -> usize {
        self.nest.len() * self.unit
    }

    fn key(&self) -> blake3::Hash {
        // The key of a recipe never equals that of stored bytes, because they are hashed under different contexts.
        let mut hasher = blake3::Hasher::new_derive_key("kiln: arranged content");
        hasher.update(self.source.digest().as_bytes());
        hasher.update(&(self.unit as u64).to_le_bytes());
        let loops = self.nest.loops().iter();
        for number in loops.flat_map(|l| [l.size, l.stride, l.factor]) {
            hasher.update(&(number as u64).to_le_bytes());
        }
        if let Some(factors) = &self.factors {
            factors.hash(&mut hasher);
        }
        hasher.finalize()
    }

    fn read(&self, start: usize, out: &mut [u8]) {
        for (i, element) in out.chunks_mut(self.unit).enumerate() {
            let at = self.nest.place(start / self.unit + i);
            fill::fill(self, &[], at, element);
        }
    }
}

impl From<Recipe> for Content {
    fn from(recipe: Recipe) -> Content {
        if recipe.nest.is_plain() && recipe.factors.is_none() {
            let len = recipe.len();
            return Content(Form::Dense(recipe.source.head(len)));
        }
        if recipe.nest.len() == 1 {
            let mut only = vec![0; recipe.unit];
            recipe.read(0, &mut only);
            return Content::from(Bytes::from(only));
        }
        Content(Form::Arranged(Arc::new(Arranged {
            recipe,
            made: OnceLock::new(),
        })))
    }
}

impl From<Bytes> for Content {
    fn from(bytes: Bytes) -> Content {
        Content(Form::Dense(bytes.into()))
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.len() == other.len()
            && (self.is_one_with(other) || pieces::are_equal(self.pieces(), other.pieces()))
    }
}

impl Eq for Content {}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

#[cfg(test)]
mod tests;
