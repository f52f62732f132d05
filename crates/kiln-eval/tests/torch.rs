//! The interpreter, compared with torch. `torch/*.txt` hold graphs of constants that return pairs of computed and
//! expected tensors. `torch/make.py` writes them from what torch 2.15 computes on a CPU.

use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::text::parse;
use kiln_ir::{DType, Scalar};

/// The allowed difference from torch.
#[derive(Clone, Copy)]
enum Near {
    /// Relative to the value.
    Value,
    /// Relative to the greatest element of the tensor, for sums of terms that cancel.
    Tensor,
    /// As `Tensor`, three times as much: the difference between weights in f32, as in torch, and in f64.
    Samples,
}

/// Half a unit in the last place for half types; for others, the error of torch's vector functions.
fn relative(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 1e-3,
        DType::BF16 => 8e-3,
        DType::F32 => 1e-6,
        DType::F64 => 1e-13,
        DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0.0,
    }
}

fn differs(got: Scalar, expected: Scalar, allowed: f64) -> bool {
    let (Scalar::Float(got), Scalar::Float(expected)) = (got, expected) else {
        return got != expected;
    };
    let same = got == expected || (got.is_nan() && expected.is_nan());
    let zeros_differ =
        got == 0.0 && expected == 0.0 && got.is_sign_negative() != expected.is_sign_negative();
    let near = (got - expected).abs() <= allowed;
    !(same || near) || zeros_differ
}

fn compare(got: &Tensor, expected: &Tensor, near: Near, exactly: bool) -> Result<(), String> {
    if got.dtype() != expected.dtype() || got.sizes() != expected.sizes() {
        return Err(format!("{got:?} for {expected:?}"));
    }
    let relative = if exactly {
        0.0
    } else {
        relative(expected.dtype())
    };
    let expected = expected.scalars();
    let finite = |s: &&Scalar| s.as_f64().is_finite();
    let greatest = expected
        .iter()
        .filter(finite)
        .map(|s| s.as_f64().abs())
        .fold(0.0, f64::max);
    for (i, (&g, &e)) in got.scalars().iter().zip(&expected).enumerate() {
        let allowed = match near {
            Near::Value => relative * (e.as_f64().abs() + 0.2),
            Near::Tensor => relative * greatest,
            Near::Samples => 3.0 * relative * greatest,
        };
        if differs(g, e, allowed) {
            return Err(format!("element {i} is {g:?}, torch has {e:?}"));
        }
    }
    Ok(())
}

fn check(text: &str, near: Near) {
    let (mut cases, mut wrong) = (0, Vec::new());
    for case in text.split("\n\n") {
        cases += 1;
        let graph = parse(case).unwrap_or_else(|e| panic!("{e}\n{case}"));
        let exactly = graph.name.starts_with("exactly ");
        let found = evaluate(&graph, &[], &mut State::new(&graph), &Options::default())
            .map_err(|e| e.to_string())
            .and_then(|o| {
                o.outputs
                    .chunks(2)
                    .try_for_each(|p| compare(&p[0], &p[1], near, exactly))
            });
        if let Err(why) = found {
            wrong.push(format!("{}: {why}", graph.name));
        }
    }
    assert!(cases > 50, "only {cases} cases");
    assert!(
        wrong.is_empty(),
        "{} of {cases} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn elementwise() {
    check(include_str!("torch/elementwise.txt"), Near::Value);
}

#[test]
fn reduce() {
    check(include_str!("torch/reduce.txt"), Near::Value);
}

#[test]
fn contraction() {
    check(include_str!("torch/contraction.txt"), Near::Tensor);
}

#[test]
fn window() {
    check(include_str!("torch/window.txt"), Near::Value);
}

#[test]
fn resize() {
    check(include_str!("torch/resize.txt"), Near::Samples);
}

#[test]
fn normalise() {
    check(include_str!("torch/normalise.txt"), Near::Tensor);
}

#[test]
fn data() {
    check(include_str!("torch/data.txt"), Near::Value);
}
