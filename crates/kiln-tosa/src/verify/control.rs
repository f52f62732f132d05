//! The rules of regions of branches and loops.

use super::Check;
use super::level::MAX_NESTING;
use crate::dialect::{Region, RegionId, TensorType, TosaDtype, TosaOp};

impl Check<'_> {
    /// Regions have to take the operands and to give the results. Inference has compared the results of the first
    /// region.
    pub(super) fn control(&mut self, place: &str, op: &TosaOp, operands: &[TensorType]) {
        match op {
            TosaOp::CondIf(branch) => {
                let given = &operands[1..];
                if !is_one(&operands[0]) {
                    self.fault(place, format!("the condition is {}", operands[0]));
                }
                self.takes(place, branch.then, given);
                self.takes(place, branch.otherwise, given);
                let arms = [branch.then, branch.otherwise].map(|id| self.gives(id));
                if arms[0] != arms[1] {
                    self.fault(place, "the two regions give different types");
                }
            }
            TosaOp::WhileLoop(looped) => {
                self.takes(place, looped.cond, operands);
                self.takes(place, looped.body, operands);
                let is_condition = |types: &[TensorType]| matches!(types, [ty] if ty.dtype == TosaDtype::Bool && is_one(ty));
                if !self.gives(looped.cond).is_some_and(|t| is_condition(&t)) {
                    self.fault(place, "the condition does not give one bool");
                }
                if self.gives(looped.body).is_some_and(|t| t != operands) {
                    self.fault(place, "the body gives other types than it takes");
                }
            }
            _ => {}
        }
    }

    fn takes(&mut self, place: &str, id: RegionId, operands: &[TensorType]) {
        let Some(region) = self.graph.region(id) else {
            return self.fault(place, format!("there is no region {id:?}"));
        };
        if types(region, &region.inputs).is_none_or(|types| types != operands) {
            let rule = format!("region {} does not take the operands", region.name);
            self.fault(place, rule);
        }
    }

    fn gives(&self, id: RegionId) -> Option<Vec<TensorType>> {
        let region = self.graph.region(id)?;
        types(region, &region.outputs)
    }

    /// The depth to which regions are nested, from `main` on.
    pub(super) fn nesting(&mut self) {
        let mut level = vec![RegionId::MAIN];
        for _ in 0..=MAX_NESTING {
            let inner = level.iter().flat_map(|&id| self.inner(id));
            level = inner.collect();
            level.sort_unstable();
            level.dedup();
            if level.is_empty() {
                return;
            }
        }
        self.fault(
            "graph",
            format!("regions lie in each other deeper than {MAX_NESTING}"),
        );
    }

    fn inner(&self, id: RegionId) -> Vec<RegionId> {
        let operators = self.graph.region(id).map_or(&[][..], |r| &r.operators);
        let ids = operators.iter().flat_map(|operator| match &operator.op {
            TosaOp::CondIf(branch) => vec![branch.then, branch.otherwise],
            TosaOp::WhileLoop(looped) => vec![looped.cond, looped.body],
            _ => Vec::new(),
        });
        ids.collect()
    }
}

/// True for a tensor of one element.
fn is_one(ty: &TensorType) -> bool {
    ty.shape.iter().all(|&size| size == 1)
}

fn types(region: &Region, ids: &[crate::dialect::TensorId]) -> Option<Vec<TensorType>> {
    let types = ids
        .iter()
        .map(|&id| region.tensor(id).map(TensorType::from));
    types.collect()
}
