//! What the device gives, against what the interpreter gives: as near as rounding, and as what XNNPACK's formulas lose.

use kiln_check::wobble::unit;
use kiln_check::{FakeTarget, Ran, check_elsewhere, run, settled};
use kiln_eval::Tensor;
use kiln_ir::ops::{ResizeMode, Simple, UnaryFn};
use kiln_ir::{Graph, Op, ValueId};
use kiln_transforms::framework::pass::{Options, run_pipeline};
use kiln_transforms::passes::decompose;

/// Compares what the device found with what the interpreter gives.
pub fn check(graph: &Graph, inputs: &[Tensor], found: &Ran) -> Result<(), String> {
    let spelled = spelled(graph);
    let ran = run(&spelled, inputs)?;
    let results = &graph.block(graph.root()).results;
    if found.len() != ran.len() || ran.len() != results.len() {
        return Err(format!("{} results, not {}", found.len(), ran.len()));
    }
    let each = results.iter().zip(found).zip(&ran);
    let found = each.map(
        |((&value, found), own)| match lost(graph, inputs, value, own) {
            Some(lost) => settled(own, found, |i, _| lost[i]),
            None => found.clone(),
        },
    );
    check_elsewhere(&spelled, inputs, &found.collect())
}

/// The graph with the functions that the device computes by steps which cancel, by those steps.
fn spelled(graph: &Graph) -> Graph {
    let mut spelled = graph.clone();
    let target = FakeTarget::parse(["none", "unary.gelu"]);
    run_pipeline(
        &mut spelled,
        &target,
        &[decompose::PASS],
        &Options::default(),
    )
    .unwrap();
    spelled
}

/// How far each element of a result may be off by the formula of the op that makes it.
fn lost(graph: &Graph, inputs: &[Tensor], result: ValueId, own: &Tensor) -> Option<Vec<f64>> {
    let node = graph.node(graph.producer(result)?);
    let x = *node.operands.first()?;
    let magnitudes = |t: &Tensor| -> Vec<f64> {
        let scalars = t.scalars().into_iter();
        scalars.map(|s| s.as_f64().abs()).collect()
    };
    let unit = unit(own.dtype());
    match &node.op {
        // Weights at places that are off by a unit of a place, which is below the size of its axis: those of two taps
        // change by 2 together for each 1 that a place moves.
        Op::Resize(op) if op.mode == ResizeMode::Linear => {
            let sizes = given(graph, inputs, x)?.sizes();
            let places: usize = sizes[2..].iter().map(|n| n - 1).sum();
            let finite = magnitudes(own).into_iter().filter(|v| v.is_finite());
            let lost = 2.0 * places as f64 * finite.fold(0.0, f64::max) * unit;
            Some(vec![lost; own.len()])
        }
        // The angle without its whole turns is off by a unit of the angle, and terms of up to 1 by a unit of theirs.
        Op::Unary(op) if matches!(op.f, UnaryFn::Simple(Simple::Sin | Simple::Cos)) => {
            let angles = magnitudes(given(graph, inputs, x)?).into_iter();
            Some(angles.map(|v| (v + 1.0) * unit).collect())
        }
        // x / 2 times 1 plus an erf, which is off by a unit of 1 and rounded with it.
        Op::Unary(op) if op.f == UnaryFn::Simple(Simple::Gelu) => {
            let each = magnitudes(given(graph, inputs, x)?).into_iter();
            Some(each.map(|v| 0.5 * v * unit).collect())
        }
        _ => None,
    }
}

/// What stands for a parameter.
fn given<'t>(graph: &Graph, inputs: &'t [Tensor], value: ValueId) -> Option<&'t Tensor> {
    let params = &graph.block(graph.root()).params;
    inputs.get(params.iter().position(|&p| p == value)?)
}
