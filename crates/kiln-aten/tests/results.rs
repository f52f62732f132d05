//! Imported calls compute what torch computes.

mod numbers;
mod program;

use kiln_aten::Arg;
use kiln_check::wobble::unit;
use kiln_check::{Ran, Side, difference_elsewhere, settled};
use kiln_eval::Tensor;
use kiln_ir::{DType, Graph, TensorData};
use numbers::{Case, Expected, Inputs, cases};
use std::f64::consts::TAU;

/// Imports a case: its graph and its inputs.
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

/// The errors of torch's formulas in f32: in units in the last place of 1, of the element, and of the greatest element.
/// Kiln computes these ops in f64 or by another formula.
const LOST_BY_TORCH: [(&str, [f64; 3]); 8] = [
    // A sum of angles of up to 2 pi that cancel. Each is rounded to a unit of its own size.
    ("aten.hann_window", [TAU, 0.0, 0.0]),
    ("aten.hamming_window", [TAU, 0.0, 0.0]),
    ("aten.blackman_window", [TAU, 0.0, 0.0]),
    ("aten.bartlett_window", [TAU, 0.0, 0.0]),
    ("aten.digamma", [TAU, 0.0, 0.0]),
    ("aten.special_psi", [TAU, 0.0, 0.0]),
    // The quotient of two exponentials of up to 12 (beta), whose relative error is a unit of the exponent.
    ("aten.kaiser_window", [0.0, 24.0, 0.0]),
    // The weights of four taps change by at most 3 in total if the position moves by 1. Positions reach 5.
    ("aten._upsample_bicubic2d_aa", [0.0, 0.0, 15.0]),
];

/// The error of torch's recorded result: that of torch's formula, and half a unit of the ninth digit, because an f64 is
/// recorded with nine digits.
fn lost(case: &Case<'_>, expected: &Tensor) -> impl Fn(usize, f64) -> f64 {
    let is_lossy = |(name, _): &&(&str, _)| case.targets.iter().any(|t| t.starts_with(name));
    let found = LOST_BY_TORCH.iter().find(is_lossy);
    let [of_one, of_own, of_greatest] = found.map_or([0.0; 3], |(_, units)| *units);
    let finite = expected.scalars().into_iter().map(|s| s.as_f64().abs());
    let greatest = finite.filter(|v| v.is_finite()).fold(0.0, f64::max);
    let digits = match expected.dtype() {
        DType::F64 => 0.5e-8,
        _ => 0.0,
    };
    let unit = unit(DType::F32);
    move |_, e| (of_one + of_own * e.abs() + of_greatest * greatest) * unit + digits * e.abs()
}

fn run(case: &Case<'_>) -> Result<(), String> {
    let (graph, inputs) = import(case);
    let inputs: Vec<Tensor> = inputs.into_iter().map(Tensor::from).collect();
    let ran = kiln_check::run(&graph, &inputs)?;
    let expected = case.results.iter().filter_map(|e| match e {
        Expected::Skipped => None,
        Expected::Result(t) | Expected::Argument(_, t) => Some(Tensor::from(t.clone())),
    });
    let settle = |(i, e): (usize, Tensor)| match ran.get(i) {
        Some(own) => settled(own, &e, lost(case, &e)),
        None => e,
    };
    let expected: Ran = expected.enumerate().map(settle).collect();
    let own = Side {
        graph: &graph,
        ran: &ran,
    };
    match difference_elsewhere(own, &expected, &inputs) {
        None => Ok(()),
        Some(difference) => Err(format!("{difference} (found by torch)")),
    }
}

/// Checks every case of a text. There must be at least `least` cases.
fn check(text: &str, least: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases(text) {
        count += 1;
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&case)));
        let outcome =
            found.unwrap_or_else(|e| Err(e.downcast_ref::<String>().cloned().unwrap_or_default()));
        if let Err(problem) = outcome {
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

#[test]
fn ops_of_torchvision_and_transformers_compute_what_they_compute_there() {
    check(include_str!("numbers/vision.txt"), 30);
}
