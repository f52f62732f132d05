//! Compares emitted programs on the builtin runtime, with poisoned memory, with the evaluator.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;

use cases::{Case, inputs_of};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::DType;
use kiln_portable::{Method, Options, emit};
use kiln_pte::runtime::{self, Item, Runtime};

fn run(case: &Case) -> Result<(), String> {
    let graph = case.graph();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).map_err(|e| e.to_string())?;
    let options = runtime::Options { poison: Some(0xA5) };
    let mut loaded = Runtime::load(&emitted.program, "forward", &[], &options)
        .map_err(|error| error.to_string())?;
    let mut state = State::new(&graph);
    for (run, sizes) in case.runs.iter().enumerate() {
        let inputs = inputs_of(&graph, sizes, run as u64);
        let wanted = evaluate(&graph, &inputs, &mut state, &kiln_eval::Options::default())
            .map_err(|error| error.to_string())?;
        let inputs: Vec<_> = inputs.into_iter().map(Some).collect();
        let found = loaded.execute(&inputs).map_err(|e| e.to_string())?;
        let counts = [found.len(), wanted.outputs.len()];
        if counts[0] != counts[1] {
            return Err(format!(
                "run {run}: {} outputs, not {}",
                counts[0], counts[1]
            ));
        }
        for (i, (found, wanted)) in found.iter().zip(&wanted.outputs).enumerate() {
            let Item::Tensor(found) = found else {
                return Err(format!("run {run} output {i}: {found:?}"));
            };
            if found.sizes() != wanted.sizes() || !is_near(found, wanted) {
                return Err(format!("run {run} output {i}: {found:?}, not {wanted:?}"));
            }
        }
    }
    Ok(())
}

/// The number of terms of the longest sum of any case.
const TERMS: f64 = 64.0;

/// True for the same bits, or for floats as far apart as rounding allows: the runtime rounds each term of a sum to f32 as
/// the stock kernels do, the evaluator computes in f64, and both round once to a half type.
fn is_near(found: &Tensor, wanted: &Tensor) -> bool {
    if found.bytes() == wanted.bytes() || !wanted.dtype().is_float() {
        return found.bytes() == wanted.bytes();
    }
    let result = match wanted.dtype() {
        DType::F16 => 1.0 / 1024.0,
        DType::BF16 => 1.0 / 128.0,
        _ => 0.0,
    };
    let step = match wanted.dtype() {
        DType::F64 => f64::EPSILON,
        _ => f64::from(f32::EPSILON),
    };
    let numbers = |tensor: &Tensor| tensor.scalars().into_iter().map(|s| s.as_f64());
    let greatest = numbers(wanted).filter(|x| x.is_finite());
    let greatest = greatest.fold(0.0, |most: f64, x| most.max(x.abs()));
    let bound = (TERMS * step + result) * greatest;
    let mut pairs = numbers(found).zip(numbers(wanted));
    pairs.all(|(a, b)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= bound)
}

#[test]
fn agrees_with_the_evaluator() {
    let failures: Vec<String> = cases::all()
        .iter()
        .filter_map(|case| run(case).err().map(|e| format!("{}: {e}", case.name)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
