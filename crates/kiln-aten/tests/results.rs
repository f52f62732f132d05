//! Imports compute what torch computes.

mod numbers;
mod program;

use kiln_aten::Arg;
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::{Graph, Scalar, TensorData};
use numbers::{Case, Expected, Inputs, cases};

/// Imports a case: the graph of what is expected, and the inputs.
fn import<'t>(case: &Case<'t>) -> (Graph, Vec<TensorData>) {
    let mut inputs = Inputs::default();
    let imported = program::try_graph(|p| {
        let mut args: Vec<(&str, Arg)> = Vec::new();
        let mut then: Vec<(&str, Arg)> = Vec::new();
        for &(name, text) in &case.args {
            let arg = inputs.arg(p, text);
            match name.strip_prefix("then.") {
                Some(name) => then.push((name, arg)),
                None => args.push((name, arg)),
            }
        }
        let mut results = Vec::new();
        for (i, target) in case.targets.iter().enumerate() {
            let given = match i {
                0 => args.clone(),
                _ => [("", Arg::clone(&results[0]))]
                    .into_iter()
                    .chain(then.clone())
                    .collect(),
            };
            results = flat(p.try_call(target, &given, Vec::new())?);
        }
        let expected = case.results.iter().enumerate();
        let found = expected.filter_map(|(i, e)| match e {
            Expected::Skipped => None,
            Expected::Result(_) => Some(results[i].clone()),
            Expected::Argument(name, _) => {
                args.iter().find(|(n, _)| n == name).map(|(_, a)| a.clone())
            }
        });
        Ok(found.collect())
    });
    (imported.unwrap_or_else(|e| panic!("{e}")), inputs.data)
}

fn flat(results: Vec<Arg>) -> Vec<Arg> {
    match results.as_slice() {
        [Arg::Tensors(list)] => list.iter().map(|&t| Arg::Tensor(t)).collect(),
        _ => results,
    }
}

fn is_close(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => {
            a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-5 * b.abs() + 2e-6
        }
        _ => a == b,
    }
}

fn difference(found: &Tensor, expected: &TensorData) -> Option<String> {
    let same_type = found.dtype() == expected.dtype() && found.sizes() == expected.sizes();
    let close = found
        .scalars()
        .into_iter()
        .zip(expected.scalars())
        .all(|(a, b)| is_close(a, b));
    (!same_type || !close).then(|| {
        let expected = Tensor::from(expected.clone());
        format!(
            "found    {}{:?} {:?}\nexpected {}{:?} {:?}",
            found.dtype(),
            found.sizes(),
            found.scalars(),
            expected.dtype(),
            expected.sizes(),
            expected.scalars()
        )
    })
}

fn run(case: &Case<'_>) -> Option<String> {
    let (graph, inputs) = import(case);
    let inputs: Vec<Tensor> = inputs.into_iter().map(Tensor::from).collect();
    let outcome = evaluate(
        &graph,
        &inputs,
        &mut State::new(&graph),
        &Options::default(),
    );
    let outputs = match outcome {
        Ok(outcome) => outcome.outputs,
        Err(e) => return Some(e.to_string()),
    };
    let expected = case.results.iter().filter_map(|e| match e {
        Expected::Skipped => None,
        Expected::Result(t) | Expected::Argument(_, t) => Some(t),
    });
    outputs
        .iter()
        .zip(expected)
        .find_map(|(f, e)| difference(f, e))
}

/// Every case of a text computes what stands there; there are at least `least`.
fn check(text: &str, least: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases(text) {
        count += 1;
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&case)));
        let problem =
            found.unwrap_or_else(|e| Some(e.downcast_ref::<String>().cloned().unwrap_or_default()));
        if let Some(problem) = problem {
            let line: String = case.line.chars().take(300).collect();
            wrong.push(format!("{line}\n{problem}"));
        }
    }
    assert!(count >= least, "only {count} cases were read");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}

#[test]
fn basic_ops_compute_what_torch_computes() {
    check(include_str!("numbers/basic.txt"), 600);
}

#[test]
fn composite_ops_compute_what_torch_computes() {
    check(include_str!("numbers/composite.txt"), 300);
}
