//! The interpreter, compared with torch within the sensitivity of each op to rounding. `torch/*.txt` hold graphs of constants
//! that return pairs of computed and expected tensors. `torch/make.py` writes them from what torch 2.15 computes on a CPU.

use kiln_check::wobble::unit;
use kiln_check::{Close, Ran, Side, difference, difference_elsewhere, run, settled};
use kiln_eval::Tensor;
use kiln_ir::ops::{ResizeMode, Simple, UnaryFn};
use kiln_ir::text::parse;
use kiln_ir::{DType, Graph, Op, Rewriter, Scalar, ValueId};

/// True if all zeros have the same sign as torch's.
fn has_signs(got: &Tensor, expected: &Tensor) -> bool {
    let sign_of_zero = |s: &Scalar| match s {
        Scalar::Float(v) if *v == 0.0 => Some(v.is_sign_negative()),
        _ => None,
    };
    let (got, expected) = (got.scalars(), expected.scalars());
    let mut pairs = got.iter().zip(&expected);
    pairs.all(|(g, e)| {
        let (g, e) = (sign_of_zero(g), sign_of_zero(e));
        g.is_none() || e.is_none() || g == e
    })
}

/// The error of torch's own formula beyond the rounding of its result, for each element.
fn lost_by_torch(graph: &Graph, result: &Tensor) -> Option<Vec<f64>> {
    let mut nodes = graph.nodes_in(graph.root()).map(|(_, n)| n);
    let node = nodes.find(|n| !matches!(n.op, Op::Constant(_)))?;
    let x = node.operands[0];
    let magnitudes = |t: &Tensor| -> Vec<f64> {
        let scalars = t.scalars().into_iter();
        scalars.map(|s| s.as_f64().abs()).collect()
    };
    let by_operand = |times: f64| {
        let each = magnitudes(&given(graph, x)).into_iter();
        Some(each.map(|v| times * v).collect())
    };
    match &node.op {
        // Torch's positions are off by a unit of the position, which is below the size of the axis. The weights of the four
        // taps of a cubic change by at most 3.0 in total if the position moves by 1.
        Op::Resize(op) if op.mode == ResizeMode::Cubic => {
            let sizes = graph.ty(x).shape.as_static()?;
            let places: usize = sizes[2..].iter().map(|n| n - 1).sum();
            let greatest = magnitudes(result).into_iter().fold(0.0, f64::max);
            let lost = 3.0 * places as f64 * greatest * unit(result.dtype());
            Some(vec![lost; result.len()])
        }
        Op::Unary(op) => match op.f {
            // Computed as 1 minus an f32 number near 1.
            UnaryFn::Simple(Simple::Erf) if result.dtype() == DType::BF16 => {
                Some(vec![unit(DType::F32); result.len()])
            }
            // x / 2 times (1 + erf), where erf is off by a unit of 1.
            UnaryFn::Simple(Simple::Gelu) => by_operand(0.5 * unit(DType::F32)),
            // x times exp(x), which may be subnormal.
            UnaryFn::Simple(Simple::Mish) => by_operand(2f64.powi(-149)),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a constant.
fn given(graph: &Graph, value: ValueId) -> Tensor {
    let mut graph = graph.clone();
    let root = graph.root();
    Rewriter::new(&mut graph).set_results(root, vec![value, value]);
    run(&graph, &[]).expect("a constant is given").remove(0)
}

/// The expected value of both tensors of each pair: torch's. Where the error of torch's formula and rounding explain the
/// distance, the first one is the computed value.
fn expected(graph: &Graph, ran: &Ran) -> Result<Ran, String> {
    if ran.is_empty() || ran.len() % 2 == 1 {
        return Err(format!("{} results are no pairs", ran.len()));
    }
    let twice = |pair: &[Tensor]| {
        let [found, expected] = pair else {
            return Vec::new();
        };
        let unit = unit(expected.dtype());
        let settled = match lost_by_torch(graph, expected) {
            Some(lost) => settled(found, expected, |i, e| lost[i] + unit * e.abs()),
            None => expected.clone(),
        };
        vec![settled, expected.clone()]
    };
    Ok(ran.chunks(2).flat_map(twice).collect())
}

fn compare(graph: &Graph) -> Result<(), String> {
    let ran = run(graph, &[])?;
    let expected = expected(graph, &ran)?;
    let of = |ran| Side { graph, ran };
    let found = match graph.name.starts_with("exactly ") {
        true => difference(of(&ran), of(&expected), &[], Close::Bits),
        false => difference_elsewhere(of(&ran), &expected, &[]),
    };
    if let Some(difference) = found {
        return Err(format!("{difference} (found by torch)"));
    }
    let mut pairs = ran.chunks(2);
    match pairs.all(|pair| has_signs(&pair[0], &pair[1])) {
        true => Ok(()),
        false => Err("a zero has the other sign".into()),
    }
}

fn check(text: &str) {
    let (mut cases, mut wrong) = (0, Vec::new());
    for case in text.split("\n\n") {
        cases += 1;
        let graph = parse(case).unwrap_or_else(|e| panic!("{e}\n{case}"));
        if let Err(why) = compare(&graph) {
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
    check(include_str!("torch/elementwise.txt"));
}

#[test]
fn reduce() {
    check(include_str!("torch/reduce.txt"));
}

#[test]
fn contraction() {
    check(include_str!("torch/contraction.txt"));
}

#[test]
fn window() {
    check(include_str!("torch/window.txt"));
}

#[test]
fn resize() {
    check(include_str!("torch/resize.txt"));
}

#[test]
fn normalise() {
    check(include_str!("torch/normalise.txt"));
}

#[test]
fn data() {
    check(include_str!("torch/data.txt"));
}
