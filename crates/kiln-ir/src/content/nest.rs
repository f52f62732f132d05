//! Loop nests over the elements of a result, with the index of each element in the source.

use super::Scale;
use crate::movement::CopyPlan;
use smallvec::SmallVec;

/// A loop over elements of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub size: usize,
    /// The distance of two steps in the source, in elements.
    pub stride: usize,
    /// The distance of two steps in the factors.
    pub factor: usize,
}

/// The index of an element in the source and of its factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub source: usize,
    pub factor: usize,
}

impl At {
    /// The position after `steps` steps of a loop.
    pub fn step(self, by: &Loop, steps: usize) -> At {
        At {
            source: self.source + steps * by.stride,
            factor: self.factor + steps * by.factor,
        }
    }
}

/// Loops in row-major order of the result, outermost first.
///
/// # Invariants
/// - Every loop has at least two steps, and no loop can be merged with the next one.
/// - The number of elements and every index fit a `usize`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Nest(SmallVec<[Loop; 6]>);

impl FromIterator<Loop> for Nest {
    fn from_iter<T: IntoIterator<Item = Loop>>(loops: T) -> Nest {
        let mut nest = Nest::default();
        loops.into_iter().for_each(|inner| nest.push(inner));
        nest
    }
}

impl From<&CopyPlan> for Nest {
    fn from(plan: &CopyPlan) -> Nest {
        let loops = plan.sizes.iter().zip(&plan.source_strides);
        loops
            .map(|(&size, &stride)| Loop {
                size,
                stride,
                factor: 0,
            })
            .collect()
    }
}

impl Nest {
    /// The nest that visits the elements in the order of the source.
    pub fn row_major(elements: usize) -> Nest {
        let all = Loop {
            size: elements,
            stride: 1,
            factor: 0,
        };
        [all].into_iter().collect()
    }

    /// The loops.
    pub fn loops(&self) -> &[Loop] {
        &self.0
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.0.iter().map(|l| l.size).product()
    }

    /// True if the nest visits the elements of the source in order, from the first one on.
    pub fn is_plain(&self) -> bool {
        matches!(self.0.as_slice(), [] | [Loop { stride: 1, .. }])
    }

    /// The position of an element.
    pub fn place(&self, index: usize) -> At {
        let (mut rest, mut at) = (index, At::default());
        for l in self.0.iter().rev() {
            at = at.step(l, rest % l.size);
            rest /= l.size;
        }
        at
    }

    /// Adds an innermost loop, merging it with the loop around it if possible.
    fn push(&mut self, inner: Loop) {
        if inner.size == 1 {
            return;
        }
        if let Some(outer) = self.0.last_mut()
            && outer.stride == inner.size * inner.stride
            && outer.factor == inner.size * inner.factor
        {
            *outer = Loop {
                size: outer.size * inner.size,
                ..inner
            };
            return;
        }
        self.0.push(inner);
    }

    /// Composes this nest with a copy plan over its result. `None` if a loop of the plan crosses the borders of this
    /// nest's loops. The plan must copy every element once.
    pub fn after(&self, plan: &CopyPlan) -> Option<Nest> {
        let mut composed = Nest::default();
        for (&size, &stride) in plan.sizes.iter().zip(&plan.source_strides) {
            let parts = self.parts(size, stride)?;
            parts.into_iter().rev().for_each(|part| composed.push(part));
        }
        Some(composed)
    }

    /// Composes this nest, which must have no factors, with a scale of its result. `None` as for [`Nest::after`].
    pub fn scaled(&self, scale: &Scale<'_>) -> Option<Nest> {
        let (mut composed, mut stride) = (Nest::default(), self.len());
        for (&size, &step) in scale.sizes.iter().zip(scale.strides) {
            stride /= size;
            let mut parts = self.parts(size, stride)?;
            let mut passed = 1;
            for part in &mut parts {
                part.factor = passed * step;
                passed *= part.size;
            }
            parts.into_iter().rev().for_each(|part| composed.push(part));
        }
        Some(composed)
    }

    /// Rewrites one loop over this nest's result as loops over its source, innermost first.
    fn parts(&self, mut size: usize, mut stride: usize) -> Option<SmallVec<[Loop; 6]>> {
        let mut parts = SmallVec::new();
        let mut passed = 1;
        for l in self.0.iter().rev() {
            let whole = passed * l.size;
            if size > 1 && stride < whole {
                let steps = stride / passed;
                if !stride.is_multiple_of(passed) || !l.size.is_multiple_of(steps) {
                    return None;
                }
                let taken = size.min(l.size / steps);
                if !size.is_multiple_of(taken) {
                    return None;
                }
                parts.push(Loop {
                    size: taken,
                    stride: steps * l.stride,
                    factor: steps * l.factor,
                });
                (size, stride) = (size / taken, stride * taken);
            }
            passed = whole;
        }
        (size == 1).then_some(parts)
    }
}
