//! The verifier: lists every fault of a graph.
//!
//! What it checks:
//! 1. Names: regions have different ones.
//! 2. Order: a tensor is an input or made once, before it is read; ids are in range.
//! 3. Types: results have the types that are inferred; dtypes go together as the operator's row says, and a feature of
//!    the specification offers them.
//! 4. Attributes: every rule of the operator.
//! 5. Limits of level 8K: ranks, sizes, kernels, strides, scales, lists, nesting.
//! 6. Branches and loops: regions take and give the types of operands and results, and do not contain themselves.
//! 7. Variables: declared once, before they are read or written, with the type that they are used with.

mod arguments;
mod control;
mod level;

use crate::dialect::{
    Feature, Misfit, Operator, Region, Spec, TensorId, TensorType, TosaDtype, TosaGraph, TosaOp,
    infer, table,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct Fault {
    /// The region, and the operator or tensor.
    pub place: String,
    /// What was found, and what is allowed.
    pub rule: String,
}

/// Checks a graph against a specification at level 8K.
///
/// # Errors
/// All faults, not only the first.
pub fn verify(graph: &TosaGraph, spec: Spec) -> Result<(), Vec<Fault>> {
    let mut check = Check {
        graph,
        spec,
        faults: Vec::new(),
        variables: FxHashMap::default(),
    };
    if graph.regions.is_empty() {
        check.fault("graph", "there is no region");
    }
    let mut names = FxHashSet::default();
    for region in &graph.regions {
        if !names.insert(&region.name) {
            check.fault(&region.name, "another region has its name");
        }
        check.region(region);
    }
    check.nesting();
    if check.faults.is_empty() {
        Ok(())
    } else {
        Err(check.faults)
    }
}

/// The least specification that a graph needs for its dtypes and operators.
///
/// What both profiles offer is counted as the integer profile's, unless the graph needs the other one anyway.
pub fn needed(graph: &TosaGraph) -> Spec {
    let mut found: Vec<Feature> = Vec::new();
    let mut either = false;
    for region in &graph.regions {
        for operator in &region.operators {
            let operands = operator.inputs.iter().map(|&id| region.tensor(id));
            let operands: Option<Vec<TensorType>> =
                operands.map(|t| t.map(TensorType::from)).collect();
            for features in needs(&operator.op, &operands.unwrap_or_default()) {
                match features {
                    [only] => found.push(*only),
                    many => either |= !many.is_empty(),
                }
            }
        }
    }
    let spec = Spec::new(&found);
    let is_real = [
        Feature::Bf16,
        Feature::Fp8E4M3,
        Feature::Fp8E5M2,
        Feature::Fft,
    ];
    if !spec.has(Feature::Fp) && spec.has_any(&is_real) {
        found.push(Feature::Fp);
    }
    let is_whole = [Feature::Int16, Feature::Int4];
    let has_profile = Spec::new(&found).has_any(&[Feature::Int, Feature::Fp]);
    if !spec.has(Feature::Int) && (spec.has_any(&is_whole) || either && !has_profile) {
        found.push(Feature::Int);
    }
    if !Spec::new(&found).has_any(&[Feature::Int, Feature::Fp]) {
        found.push(Feature::Int);
    }
    Spec::new(&found)
}

/// Lists of features. An operator needs one feature of each list.
fn needs(op: &TosaOp, operands: &[TensorType]) -> [&'static [Feature]; 2] {
    let row = table::row(op.kind());
    let dtypes = crate::dialect::combination(op, &row, operands);
    let of_dtypes = match dtypes {
        Ok(dtypes) if !row.dtypes.is_empty() => dtypes.features,
        _ => &[],
    };
    [row.features, of_dtypes]
}

struct Check<'g> {
    graph: &'g TosaGraph,
    spec: Spec,
    faults: Vec<Fault>,
    /// The types of variables, by name.
    variables: FxHashMap<&'g str, (TosaDtype, &'g [usize])>,
}

impl<'g> Check<'g> {
    fn fault(&mut self, place: impl Into<String>, rule: impl Into<String>) {
        self.faults.push(Fault {
            place: place.into(),
            rule: rule.into(),
        });
    }

    fn all(&mut self, place: &str, rules: Vec<String>) {
        rules.into_iter().for_each(|rule| self.fault(place, rule));
    }

    fn region(&mut self, region: &'g Region) {
        for tensor in &region.tensors {
            let mut found = Vec::new();
            level::of_tensor(&TensorType::from(tensor), &mut found);
            self.all(&format!("{}, tensor {}", region.name, tensor.name), found);
        }
        let mut made = vec![false; region.tensors.len()];
        for &id in &region.inputs {
            self.make(&region.name, region, &mut made, id);
        }
        for (i, operator) in region.operators.iter().enumerate() {
            let place = place(region, i, operator);
            let operands = self.operands(&place, region, &made, &operator.inputs);
            if let Some(operands) = operands {
                self.operator(&place, region, operator, &operands);
            }
            for &id in &operator.outputs {
                self.make(&place, region, &mut made, id);
            }
        }
        self.operands(
            &format!("{}, outputs", region.name),
            region,
            &made,
            &region.outputs,
        );
    }

    fn make(&mut self, place: &str, region: &Region, made: &mut [bool], id: TensorId) {
        let Some(made) = made.get_mut(id.index()) else {
            return self.fault(place, format!("there is no tensor {id:?}"));
        };
        if std::mem::replace(made, true) {
            let name = &region.tensors[id.index()].name;
            self.fault(place, format!("{name} is made a second time"));
        }
    }

    /// The types of the tensors that exist when they are read.
    fn operands(
        &mut self,
        place: &str,
        region: &Region,
        made: &[bool],
        ids: &[TensorId],
    ) -> Option<Vec<TensorType>> {
        let mut types = Vec::with_capacity(ids.len());
        for &id in ids {
            let Some(tensor) = region.tensor(id) else {
                self.fault(place, format!("there is no tensor {id:?}"));
                continue;
            };
            if !made[id.index()] {
                self.fault(place, format!("{} is read before it is made", tensor.name));
            }
            types.push(TensorType::from(tensor));
        }
        (types.len() == ids.len()).then_some(types)
    }

    fn operator(
        &mut self,
        place: &str,
        region: &Region,
        operator: &'g Operator,
        operands: &[TensorType],
    ) {
        let op = &operator.op;
        match infer(op, operands, &self.graph.regions) {
            Err(Misfit { what, .. }) => return self.fault(place, what),
            Ok(results) => {
                let found = operator.outputs.iter().map(|&id| region.tensor(id));
                let found: Vec<_> = found.map(|t| t.map(TensorType::from)).collect();
                let expected: Vec<_> = results.into_iter().map(Some).collect();
                if found != expected {
                    let list = |types: &[Option<TensorType>]| {
                        let texts = types.iter().flatten().map(ToString::to_string);
                        texts.collect::<Vec<_>>().join(", ")
                    };
                    let rule = format!("the result is {}, not {}", list(&found), list(&expected));
                    self.fault(place, rule);
                }
            }
        }
        self.features(place, op, operands);
        let mut found = Vec::new();
        arguments::check(op, operands, self.spec, &mut found);
        level::of_op(op, operands, &mut found);
        if operator.outputs.len() > level::MAX_TENSOR_LIST_SIZE {
            found.push(format!("{} results", operator.outputs.len()));
        }
        self.all(place, found);
        self.control(place, op, operands);
        self.variable(place, op, operands);
    }

    /// One feature of each list has to be offered.
    fn features(&mut self, place: &str, op: &TosaOp, operands: &[TensorType]) {
        for features in needs(op, operands) {
            if !features.is_empty() && !self.spec.has_any(features) {
                let names: Vec<&str> = features.iter().map(|f| f.name()).collect();
                let dtypes: Vec<&str> = operands.iter().map(|o| o.dtype.name()).collect();
                let rule = format!(
                    "with ({}) it needs {}, which {} has not",
                    dtypes.join(", "),
                    names.join(" or "),
                    self.spec
                );
                self.fault(place, rule);
            }
        }
    }

    fn variable(&mut self, place: &str, op: &'g TosaOp, operands: &[TensorType]) {
        let (name, used) = match op {
            TosaOp::Variable(v) => {
                let ty = (v.dtype, v.shape.as_slice());
                if self.variables.insert(&v.name, ty).is_some() {
                    self.fault(place, format!("{} is declared a second time", v.name));
                }
                return;
            }
            TosaOp::VariableRead { name, dtype, shape } => (name, (*dtype, shape.as_slice())),
            TosaOp::VariableWrite { name } => {
                (name, (operands[0].dtype, operands[0].shape.as_slice()))
            }
            _ => return,
        };
        match self.variables.get(name.as_str()) {
            None => self.fault(place, format!("{name} is not declared in front of it")),
            Some(declared) if *declared == used => {}
            Some((dtype, shape)) => {
                let rule = format!("{name} is {dtype}{shape:?}, used as {}{:?}", used.0, used.1);
                self.fault(place, rule);
            }
        }
    }
}

fn place(region: &Region, i: usize, operator: &Operator) -> String {
    let made = operator.outputs.first().and_then(|&id| region.tensor(id));
    let name = made.map_or(String::new(), |tensor| format!(", makes {}", tensor.name));
    format!(
        "{}, operator {i} ({}{name})",
        region.name,
        operator.op.kind()
    )
}

#[cfg(test)]
mod tests;
