//! A movement of concrete sizes as a loop nest over the result.

use super::{Factor, Movement};
use crate::arena::SymbolId;

/// Loops in row-major order of the result, outermost first. The body copies the next element of the result.
///
/// Loops that step through the source like a single loop are merged, and no loop has only one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyPlan {
    /// The number of steps of each loop.
    pub sizes: Vec<usize>,
    /// The distance of two steps of each loop in the source, in elements.
    pub source_strides: Vec<usize>,
}

impl Movement {
    /// The sizes of the factors for an assignment of symbols. `None` if a symbol is missing or a size is negative.
    pub fn factor_sizes(&self, value_of: &dyn Fn(SymbolId) -> Option<i64>) -> Option<Vec<usize>> {
        let value = |size: &crate::dim::Dim| usize::try_from(size.evaluate(value_of)?).ok();
        self.sizes.iter().map(value).collect()
    }

    /// The loop nest for these sizes of the factors.
    ///
    /// # Panics
    /// If the number of sizes is not that of the factors.
    pub fn copy_plan(&self, factor_sizes: &[usize]) -> CopyPlan {
        assert_eq!(factor_sizes.len(), self.sizes.len(), "one size per factor");
        let mut strides = vec![1usize; factor_sizes.len()];
        for factor in (1..factor_sizes.len()).rev() {
            strides[factor - 1] = strides[factor].saturating_mul(factor_sizes[factor]);
        }
        let mut plan = CopyPlan {
            sizes: Vec::new(),
            source_strides: Vec::new(),
        };
        for factor in self.result_order().map(Factor::index) {
            plan.push(factor_sizes[factor], strides[factor]);
        }
        plan
    }
}

impl CopyPlan {
    /// Adds an innermost loop.
    fn push(&mut self, size: usize, stride: usize) {
        if size == 1 {
            return;
        }
        if let (Some(outer), Some(step)) = (self.sizes.last_mut(), self.source_strides.last_mut())
            && *step == size.saturating_mul(stride)
            && let Some(joined) = outer.checked_mul(size)
        {
            *outer = joined;
            *step = stride;
            return;
        }
        self.sizes.push(size);
        self.source_strides.push(stride);
    }

    /// The number of elements of the result; saturates.
    pub fn len(&self) -> usize {
        if self.sizes.contains(&0) {
            return 0;
        }
        self.sizes.iter().fold(1, |n, &size| n.saturating_mul(size))
    }

    /// True if the result has no elements.
    pub fn is_empty(&self) -> bool {
        self.sizes.contains(&0)
    }

    /// The index in the source of element `index` of the result, both in row-major order.
    pub fn source_index(&self, mut index: usize) -> usize {
        let mut source = 0;
        for (&size, &stride) in self.sizes.iter().zip(&self.source_strides).rev() {
            source += index % size * stride;
            index /= size;
        }
        source
    }

    /// The elements of the result, for these elements of the source.
    ///
    /// # Panics
    /// If `source` has fewer elements than the plan reads.
    pub fn apply<T: Clone>(&self, source: &[T]) -> Vec<T> {
        if self.is_empty() {
            return Vec::new();
        }
        assert!(source.len() >= self.len(), "the source has every element");
        let mut result = Vec::with_capacity(self.len());
        let Some(outer) = self.sizes.len().checked_sub(1) else {
            result.extend_from_slice(&source[..1]);
            return result;
        };
        let (steps, stride) = (self.sizes[outer], self.source_strides[outer]);
        let mut counters = vec![0usize; outer];
        let mut start = 0;
        loop {
            if stride == 1 {
                result.extend_from_slice(&source[start..start + steps]);
            } else {
                result.extend((0..steps).map(|i| source[start + i * stride].clone()));
            }
            if !self.advance(&mut counters, &mut start) {
                return result;
            }
        }
    }

    /// Advances the loops around the innermost one. False when they are done.
    fn advance(&self, counters: &mut [usize], start: &mut usize) -> bool {
        for (axis, counter) in counters.iter_mut().enumerate().rev() {
            *counter += 1;
            *start += self.source_strides[axis];
            if *counter < self.sizes[axis] {
                return true;
            }
            *start -= self.source_strides[axis] * self.sizes[axis];
            *counter = 0;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::*;
    use super::*;
    use crate::arena::Id;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn plan_copies_what_the_index_map_says(d in any_sizes().prop_flat_map(drawn), v in values()) {
            let movement = d.movement();
            let sizes = movement.factor_sizes(&|id| v.get(id.index()).copied()).unwrap();
            let plan = movement.copy_plan(&sizes);
            let map = d.index_map(v);
            prop_assert_eq!(plan.len(), map.len());
            let source: Vec<usize> = (0..map.len()).collect();
            prop_assert_eq!(&plan.apply(&source), &map);
            prop_assert!((0..map.len()).map(|i| plan.source_index(i)).eq(map.iter().copied()));
            if !map.is_empty() {
                prop_assert_eq!(plan.sizes.len(), nest(&map).unwrap().len());
            }
        }
    }

    #[test]
    fn unknown_symbols_have_no_plan() {
        let shape = [crate::dim::Dim::symbol(SymbolId::new(0))];
        assert_eq!(Movement::identity(&shape).factor_sizes(&|_| None), None);
        assert_eq!(Movement::identity(&shape).factor_sizes(&|_| Some(-1)), None);
    }
}
