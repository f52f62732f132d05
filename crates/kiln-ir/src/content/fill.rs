//! The inner loops that compute arranged contents; they run over every byte of a model's weights.

use super::Recipe;
use super::nest::{At, Loop};
use crate::dtype::DType;
use half::{bf16, f16};
use std::sync::Arc;

/// The number of columns that are transposed together. The lines of the source that they need stay in the first-level
/// cache.
const COLUMNS: usize = 8;

/// The number of rows that are transposed together, in registers.
const ROWS: usize = 8;

/// Factors in the dtype in which they multiply.
#[derive(Clone)]
pub(super) enum Factors {
    F32(Arc<[f32]>),
    F16(Arc<[f32]>),
    BF16(Arc<[f32]>),
    F64(Arc<[f64]>),
}

impl Factors {
    /// `None` for a dtype that is not floating.
    pub fn new(dtype: DType, factors: &[f64]) -> Option<Factors> {
        let narrow = || factors.iter().map(|&f| f as f32).collect();
        match dtype {
            DType::F32 => Some(Factors::F32(narrow())),
            DType::F16 => Some(Factors::F16(narrow())),
            DType::BF16 => Some(Factors::BF16(narrow())),
            DType::F64 => Some(Factors::F64(factors.into())),
            DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => None,
        }
    }
}

impl Factors {
    /// Hashes dtype and factors, after a marker that differs from the size of any loop.
    pub fn hash(&self, hasher: &mut blake3::Hasher) {
        let (dtype, numbers): (u64, Vec<u8>) = match self {
            Factors::F32(f) => (0, f.iter().flat_map(|f| f.to_le_bytes()).collect()),
            Factors::F16(f) => (1, f.iter().flat_map(|f| f.to_le_bytes()).collect()),
            Factors::BF16(f) => (2, f.iter().flat_map(|f| f.to_le_bytes()).collect()),
            Factors::F64(f) => (3, f.iter().flat_map(|f| f.to_le_bytes()).collect()),
        };
        hasher.update(&0u64.to_le_bytes());
        hasher.update(&dtype.to_le_bytes());
        hasher.update(&numbers);
    }
}

/// Computes an element of `N` bytes from one of the source.
trait Make<const N: usize> {
    type Factor: Copy;
    fn factor(&self, at: usize) -> Self::Factor;
    fn make(element: [u8; N], factor: Self::Factor) -> [u8; N];
}

struct Copied;

impl<const N: usize> Make<N> for Copied {
    type Factor = ();
    fn factor(&self, _: usize) {}
    fn make(element: [u8; N], (): ()) -> [u8; N] {
        element
    }
}

struct TimesF32<'a>(&'a [f32]);

impl Make<4> for TimesF32<'_> {
    type Factor = f32;
    fn factor(&self, at: usize) -> f32 {
        self.0[at]
    }
    fn make(element: [u8; 4], factor: f32) -> [u8; 4] {
        (f32::from_le_bytes(element) * factor).to_le_bytes()
    }
}

struct TimesF64<'a>(&'a [f64]);

impl Make<8> for TimesF64<'_> {
    type Factor = f64;
    fn factor(&self, at: usize) -> f64 {
        self.0[at]
    }
    fn make(element: [u8; 8], factor: f64) -> [u8; 8] {
        (f64::from_le_bytes(element) * factor).to_le_bytes()
    }
}

struct TimesF16<'a>(&'a [f32]);

impl Make<2> for TimesF16<'_> {
    type Factor = f32;
    fn factor(&self, at: usize) -> f32 {
        self.0[at]
    }
    fn make(element: [u8; 2], factor: f32) -> [u8; 2] {
        f16::from_f32(f16::from_le_bytes(element).to_f32() * factor).to_le_bytes()
    }
}

struct TimesBF16<'a>(&'a [f32]);

impl Make<2> for TimesBF16<'_> {
    type Factor = f32;
    fn factor(&self, at: usize) -> f32 {
        self.0[at]
    }
    fn make(element: [u8; 2], factor: f32) -> [u8; 2] {
        bf16::from_f32(bf16::from_le_bytes(element).to_f32() * factor).to_le_bytes()
    }
}

/// Computes the elements of a loop nest that starts at `at`. `out` must have as many bytes as these elements.
pub(super) fn fill(recipe: &Recipe, loops: &[Loop], at: At, out: &mut [u8]) {
    let source = &recipe.source;
    match (&recipe.factors, recipe.unit) {
        (Some(Factors::F32(f)), _) => Filling::run(TimesF32(f), source, loops, at, out),
        (Some(Factors::F64(f)), _) => Filling::run(TimesF64(f), source, loops, at, out),
        (Some(Factors::F16(f)), _) => Filling::run(TimesF16(f), source, loops, at, out),
        (Some(Factors::BF16(f)), _) => Filling::run(TimesBF16(f), source, loops, at, out),
        (None, 1) => Filling::<1, _>::run(Copied, source, loops, at, out),
        (None, 2) => Filling::<2, _>::run(Copied, source, loops, at, out),
        (None, 4) => Filling::<4, _>::run(Copied, source, loops, at, out),
        (None, _) => Filling::<8, _>::run(Copied, source, loops, at, out),
    }
}

struct Filling<'s, const N: usize, M> {
    source: &'s [[u8; N]],
    make: M,
}

impl<const N: usize, M: Make<N>> Filling<'_, N, M> {
    fn run(make: M, source: &[u8], loops: &[Loop], at: At, out: &mut [u8]) {
        let (source, (out, _)) = (source.as_chunks::<N>().0, out.as_chunks_mut::<N>());
        Filling { source, make }.fill(loops, at, out);
    }

    fn fill(&self, loops: &[Loop], at: At, out: &mut [[u8; N]]) {
        match loops {
            [] => out[0] = M::make(self.source[at.source], self.make.factor(at.factor)),
            [only] => self.row(only, at, out),
            [first, inner @ ..] => {
                let width: usize = inner.iter().map(|l| l.size).product();
                if inner.iter().all(|l| first.stride < l.stride) {
                    return self.turned(first, inner, at, width, out);
                }
                for (i, part) in out.chunks_exact_mut(width).enumerate() {
                    self.fill(inner, at.step(first, i), part);
                }
            }
        }
    }

    fn row(&self, l: &Loop, at: At, out: &mut [[u8; N]]) {
        let steps = out.iter_mut().zip(0..l.size);
        if l.factor != 0 {
            for (to, i) in steps {
                let from = at.step(l, i);
                *to = M::make(self.source[from.source], self.make.factor(from.factor));
            }
            return;
        }
        let factor = self.make.factor(at.factor);
        if l.stride == 1 {
            let from = &self.source[at.source..at.source + l.size];
            for (to, &element) in out.iter_mut().zip(from) {
                *to = M::make(element, factor);
            }
            return;
        }
        for (to, i) in steps {
            *to = M::make(self.source[at.source + i * l.stride], factor);
        }
    }

    /// Computes a transpose: rows of `width` elements, where neighbours in the source lie in the same column. Works on
    /// groups of columns.
    fn turned(&self, rows: &Loop, inner: &[Loop], at: At, width: usize, out: &mut [[u8; N]]) {
        let [first, rest @ ..] = inner else {
            return;
        };
        if !rest.is_empty() {
            let part: usize = rest.iter().map(|l| l.size).product();
            for i in 0..first.size {
                self.turned(rows, rest, at.step(first, i), width, &mut out[i * part..]);
            }
            return;
        }
        for start in (0..first.size).step_by(COLUMNS) {
            let columns = Loop {
                size: COLUMNS.min(first.size - start),
                ..*first
            };
            let from = at.step(first, start);
            let whole = columns.size == COLUMNS && rows.stride == 1 && rows.factor == 0;
            let tiled = if whole { rows.size / ROWS * ROWS } else { 0 };
            for row in (0..tiled).step_by(ROWS) {
                let to = &mut out[start + row * width..];
                self.tile(&columns, from.step(rows, row), width, to);
            }
            let parts = out[start..].chunks_mut(width).take(rows.size).enumerate();
            for (row, part) in parts.skip(tiled) {
                self.row(&columns, from.step(rows, row), &mut part[..columns.size]);
            }
        }
    }

    fn tile(&self, columns: &Loop, at: At, width: usize, out: &mut [[u8; N]]) {
        let column = |c: usize| &self.source[at.source + c * columns.stride..][..ROWS];
        let source: [&[[u8; N]]; COLUMNS] = std::array::from_fn(column);
        let factor = |c: usize| self.make.factor(at.factor + c * columns.factor);
        let factors: [M::Factor; COLUMNS] = std::array::from_fn(factor);
        for (row, part) in out.chunks_mut(width).take(ROWS).enumerate() {
            for c in 0..COLUMNS {
                part[c] = M::make(source[c][row], factors[c]);
            }
        }
    }
}
