//! The bytes of constants: there already, or arranged from others when they are wanted.
//!
//! A weight is often only wanted in another order of elements, or scaled by channel. What is arranged so is a recipe over
//! the source's bytes, which mostly are those of the mapped archive: elements are picked by a nest of loops and
//! multiplied by factors. [`Content::pieces`] makes the bytes in pieces of bounded size, so that a program is hashed
//! and written without a copy of its weights; [`Content::bytes`] makes them once and keeps them.
//!
//! # Invariants
//! - Two contents are equal when their bytes are, however they come about.
//! - Arranging what is arranged gives one recipe over the same source where the loops have a common refinement, else a
//!   recipe over bytes that are made first.

mod distinct;
mod fill;
mod nest;
mod pieces;
mod source;

pub use distinct::Distinct;
pub use pieces::Pieces;
pub use source::{Keeper, Then};

use crate::dtype::DType;
use crate::movement::CopyPlan;
use bytes::Bytes;
use fill::Factors;
use nest::Nest;
use smallvec::SmallVec;
use source::Source;
use std::sync::{Arc, OnceLock};

/// Immutable bytes; clones share them.
#[derive(Clone)]
pub struct Content(Form);

#[derive(Clone)]
enum Form {
    Dense(Source),
    Arranged(Arc<Arranged>),
}

struct Arranged {
    recipe: Recipe,
    made: OnceLock<Bytes>,
}

/// Elements of a source in the order of a nest, each times a factor if there are factors.
#[derive(Clone)]
struct Recipe {
    source: Source,
    /// Bytes of an element: 1, 2, 4 or 8.
    unit: usize,
    nest: Nest,
    factors: Option<Factors>,
}

/// One factor for each step of some loops over the elements of a tensor.
pub struct Scale<'a> {
    /// Sizes of the loops, outermost first; together they pass every element once, in order.
    pub sizes: &'a [usize],
    /// Factors that one step of each loop passes.
    pub strides: &'a [usize],
    /// The factors, rounded to the type in which they multiply: f32, or f64 for f64.
    pub factors: &'a [f64],
}

/// A glance at bytes: all of them if they are few, else the first and the last.
type Sample = SmallVec<[u8; SAMPLE_BYTES]>;

const SAMPLE_BYTES: usize = 128;

impl Content {
    /// Bytes that someone keeps, who is told when they have been read.
    pub fn kept(bytes: Bytes, keeper: Arc<dyn Keeper>) -> Content {
        let keeper = Some(keeper);
        Content(Form::Dense(Source { bytes, keeper }))
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Dense(bytes) => bytes.len(),
            Form::Arranged(arranged) => arranged.recipe.len(),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes. What is arranged is made now, and kept.
    pub fn bytes(&self) -> &Bytes {
        match &self.0 {
            Form::Dense(source) => &source.bytes,
            Form::Arranged(arranged) => arranged.made.get_or_init(|| self.make().into()),
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

    /// The bytes in order, piece by piece; nothing is kept.
    pub fn pieces(&self) -> Pieces<'_> {
        match &self.0 {
            Form::Dense(source) => Pieces::whole(source),
            Form::Arranged(arranged) => match arranged.made.get() {
                Some(made) => Pieces::whole(made),
                None => Pieces::of(&arranged.recipe),
            },
        }
    }

    /// Tells the keeper of the bytes, or of those that they are made from, that they have been read.
    pub fn passed(&self, then: Then) {
        match &self.0 {
            Form::Dense(source) => source.passed(then),
            Form::Arranged(arranged) => arranged.recipe.source.passed(then),
        }
    }

    /// The digest of the bytes.
    pub fn digest(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let mut pieces = self.pieces();
        while let Some(piece) = pieces.next() {
            hasher.update(piece);
        }
        self.passed(Then::Again);
        hasher.finalize()
    }

    /// A digest of how the bytes come about: of a source and of what is done to it. Equal keys have equal bytes; equal
    /// bytes have equal keys if they come about in the same way. Arranged bytes are not made.
    pub fn key(&self) -> blake3::Hash {
        match &self.0 {
            Form::Dense(_) => self.digest(),
            Form::Arranged(arranged) => arranged.recipe.key(),
        }
    }

    /// The elements of `unit` bytes in the order of a plan; `None` if there are not as many as it copies.
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

    /// The elements of a floating dtype, each times its factor and rounded once; `None` if there are not as many
    /// elements as the scale's loops pass, or a loop leads beyond the factors.
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
        // A product rounds, so the factors of two scales do not become one.
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

    /// True for contents of the same length that begin at the same place, or are one recipe.
    fn is_one_with(&self, other: &Content) -> bool {
        match (&self.0, &other.0) {
            (Form::Dense(a), Form::Dense(b)) => a.as_ptr() == b.as_ptr(),
            (Form::Arranged(a), Form::Arranged(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The bytes, made now if they are not there.
    fn source(&self) -> Source {
        match &self.0 {
            Form::Dense(source) => source.clone(),
            Form::Arranged(_) => Source::from(self.bytes().clone()),
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

    /// Copies `out.len()` bytes from `start` on, both multiples of an element's size.
    fn read(&self, start: usize, out: &mut [u8]) {
        match &self.0 {
            Form::Dense(source) => source.copy(start, out),
            Form::Arranged(arranged) => match arranged.made.get() {
                Some(made) => out.copy_from_slice(&made[start..start + out.len()]),
                None => arranged.recipe.read(start, out),
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

    fn sample(&self) -> Sample {
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
        // No content has the key of a recipe: they are hashed in different ways.
        let mut hasher = blake3::Hasher::new_derive_key("kiln: arranged content");
        hasher.update(blake3::hash(&self.source).as_bytes());
        self.source.passed(Then::Again);
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
