//! Loops over the elements of a result, with the place of each in the source.

use super::Scale;
use crate::movement::CopyPlan;
use smallvec::SmallVec;

/// A loop over elements of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub size: usize,
    /// Elements of the source that a step passes.
    pub stride: usize,
    /// Factors that a step passes.
    pub factor: usize,
}

/// Where an element comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub source: usize,
    pub factor: usize,
}

impl At {
    /// The place some steps of a loop further on.
    pub fn step(self, by: &Loop, steps: usize) -> At {
        At {
            source: self.source + steps * by.stride,
            factor: self.factor + steps * by.factor,
        }
    }
}

/// Loops in result order, outermost first.
///
/// # Invariants
/// - No loop has fewer than two steps, and none could be one with the next.
/// - The number of elements and every place fit a `usize`.
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
    /// The elements in the order of the source.
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

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|l| l.size).product()
    }

    /// True if the elements come in the order of the source, from its first on.
    pub fn is_plain(&self) -> bool {
        matches!(self.0.as_slice(), [] | [Loop { stride: 1, .. }])
    }

    /// The place of an element.
    pub fn place(&self, index: usize) -> At {
        let (mut rest, mut at) = (index, At::default());
        for l in self.0.iter().rev() {
            at = at.step(l, rest % l.size);
            rest /= l.size;
        }
        at
    }

    /// Adds a loop inside the others.
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

    /// This nest's result in the order of a plan, as one nest; `None` if a loop of the plan steps across the borders of
    /// this nest's loops. The plan copies as many elements as there are, each once.
    pub fn after(&self, plan: &CopyPlan) -> Option<Nest> {
        let mut composed = Nest::default();
        for (&size, &stride) in plan.sizes.iter().zip(&plan.source_strides) {
            let parts = self.parts(size, stride)?;
            parts.into_iter().rev().for_each(|part| composed.push(part));
        }
        Some(composed)
    }

    /// This nest, which has no factors, with those of a scale of its result; `None` as for [`Nest::after`].
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

    /// A loop over this nest's result as loops over its source, innermost first.
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
