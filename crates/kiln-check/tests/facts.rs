//! What families declare of themselves holds of what they compute, in random graphs of all families.

use kiln_check::{Recipe, generate, inputs, situations};
use kiln_eval::{Bindings, Observer, Options, State, Tensor, evaluate_observed, evaluate_op};
use kiln_ir::ops::{Meaning, PadMode, Rounding, TABLE, UnaryFn};
use kiln_ir::{Graph, NodeId, Op, Scalar};
use std::collections::{BTreeMap, BTreeSet};

const GRAPHS: u64 = 400;

/// Compares each node's results with its facts.
#[derive(Default)]
struct Facts {
    faults: BTreeSet<String>,
    /// How many results were compared by the rounding of their family.
    compared: BTreeMap<String, usize>,
    families: BTreeSet<&'static str>,
}

/// The numbers of a tensor by their bits, with one NaN and one zero.
fn numbers(tensor: &Tensor) -> impl Iterator<Item = u64> + '_ {
    let bits = |number: f64| match number.is_nan() {
        true => f64::NAN.to_bits(),
        false => (number + 0.0).to_bits(),
    };
    tensor.scalars().into_iter().map(move |s| bits(s.as_f64()))
}

/// The numbers in the op's attributes, converted to the result's float type, and both infinities if the op takes an extreme,
/// which is infinite over nothing.
fn of_attributes(op: &Op, result: &Tensor) -> Vec<Scalar> {
    let numbers = match op {
        Op::Unary(op) => match op.f {
            UnaryFn::Clamp { min, max } => min.into_iter().chain(max).collect(),
            _ => Vec::new(),
        },
        Op::Pad(op) => match op.mode {
            PadMode::Constant(number) => vec![number],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let mut all: Vec<Scalar> = numbers
        .into_iter()
        .map(|n| result.dtype().saturated(n))
        .collect();
    if op.facts().rounding == Rounding::Extreme {
        all.extend([f64::INFINITY, f64::NEG_INFINITY].map(Scalar::Float));
    }
    all
}

impl Facts {
    fn check(&mut self, holds: bool, op: &Op, what: &str) {
        if !holds {
            self.faults.insert(format!("{what}: {} {op:?}", op.name()));
        }
    }

    fn picked(&mut self, op: &Op, operands: &[Tensor], result: &Tensor) {
        let attributes = of_attributes(op, result);
        let attributes =
            kiln_ir::TensorData::from_scalars(result.dtype(), vec![attributes.len()], attributes);
        let given: BTreeSet<u64> = operands
            .iter()
            .flat_map(|t| numbers(t).collect::<Vec<_>>())
            .chain(numbers(&Tensor::from(&attributes)))
            .collect();
        let holds = numbers(result).all(|n| given.contains(&n));
        self.check(holds, op, "gives a number that it was not given");
    }
}

impl Observer for Facts {
    fn observe(&mut self, _: &Graph, _: NodeId, _: &[Tensor]) {}

    fn alters(&self) -> bool {
        true
    }

    fn alter(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        results: Vec<Tensor>,
    ) -> Vec<Tensor> {
        let op = &graph.node(node).op;
        let facts = op.facts();
        self.families.insert(op.name());
        let same = op.map_dims(&mut |dim| dim.clone());
        self.check(same.as_ref() == Ok(op), op, "changes with the same sizes");
        let is_carried = facts.quantised == Meaning::Carried;
        self.check(
            !is_carried || facts.rounding.picks(),
            op,
            "carries integers but does not pick",
        );
        let Some(first) = results.first() else {
            return results;
        };
        if facts.rounding.picks() && first.dtype().is_float() {
            *self
                .compared
                .entry(format!("{:?}", facts.rounding))
                .or_default() += 1;
            self.picked(op, operands, first);
        }
        let has_sizes = {
            let mut found = false;
            op.for_each_dim(&mut |dim| found |= dim.as_const().is_none());
            found
        };
        if !has_sizes {
            let mut bindings = Bindings::new(&graph.symbols);
            let alone = evaluate_op(op, operands, &mut bindings, 1 << 30);
            if facts.folds {
                *self.compared.entry("folds".into()).or_default() += 1;
                let bits = |all: &[Tensor]| -> Vec<Vec<u64>> {
                    all.iter().map(|t| numbers(t).collect()).collect()
                };
                let holds = alone.is_ok_and(|alone| bits(&alone) == bits(&results));
                self.check(holds, op, "folds, but not to what it computes");
            } else if !matches!(op, Op::NonZero(_)) {
                self.check(alone.is_err(), op, "computes from its operands alone");
            }
        }
        results
    }
}

#[test]
fn facts_hold_of_what_is_computed() {
    let mut facts = Facts::default();
    for seed in 0..GRAPHS {
        let graph = generate(seed, &Recipe::ANY);
        for situation in situations(&graph).into_iter().take(3) {
            let Some(inputs) = inputs(&graph, situation, seed) else {
                continue;
            };
            let mut state = State::new(&graph);
            let options = Options {
                max_bytes: 1 << 30,
                max_iterations: 64,
            };
            // An op may have no value there.
            let _ = evaluate_observed(&graph, &inputs, &mut state, &options, &mut facts);
        }
    }
    println!("{:?}", facts.compared);
    assert!(facts.faults.is_empty(), "{:#?}", facts.faults);
    // No generator binds a symbol to a value, and nothing runs a kernel of the user's.
    facts.families.extend(["bind_symbol", "foreign"]);
    let unseen = |row: &&kiln_ir::ops::Row| !facts.families.contains(row.name);
    let unseen: Vec<&str> = TABLE.iter().filter(unseen).map(|row| row.name).collect();
    assert!(unseen.is_empty(), "no graph has {unseen:?}");
    for what in ["Picked", "Extreme", "folds"] {
        assert!(facts.compared.get(what).is_some_and(|&n| n > 500), "{what}");
    }
}
