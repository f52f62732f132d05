//! Ops on the reals of quantised operands: how far they round, and how far rows that XNNPACK quantises lie from those of the graph.
//!
//! The library has parameters of its own for each row, and rounds its zero point otherwise. Both integers are within a step of their real,
//! and no step is greater than that of the graph's block, whose range holds the row's. Scales of groups are rounded to bf16.

use super::{UNITS, Wobble, unit};
use crate::numbers::{numbers, with_numbers};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Cast, Dequantised, Dequantize};
use kiln_ir::types::QuantScheme;
use kiln_ir::{DType, DynamicQuant, Graph, NodeId, Op};

/// The most steps between an integer's real in the graph and in the library.
const STEPS: f64 = 2.0;

/// The relative error of a scale in bf16, with some room.
const OF_BF16: f64 = 1.0 / 256.0;

impl Wobble<'_> {
    /// Moves the result of an op on reals.
    pub(super) fn on_reals(
        &mut self,
        graph: &Graph,
        (node, op): (NodeId, &Dequantised),
        operands: &[Tensor],
        result: &mut Tensor,
    ) {
        let Some(reals) = reals(graph, op, operands) else {
            return;
        };
        if !op.op.facts().rounding.is_exact() {
            self.round(graph, (node, &op.op), &reals, result);
        }
        if !self.has_single_factors {
            return;
        }
        if let Some(errors) = errors(graph, op, operands, &reals) {
            let whole = UNITS * unit(result.dtype());
            *result = self.moved_by(result, |i, _| errors[i] / whole);
        }
    }
}

fn one(graph: &Graph, op: impl Into<Op>, operands: &[Tensor]) -> Option<Tensor> {
    let mut bindings = Bindings::new(&graph.symbols);
    let found = evaluate_op(&op.into(), operands, &mut bindings, 4 << 30).ok()?;
    found.into_iter().next()
}

/// The operands of the inner op.
fn reals(graph: &Graph, op: &Dequantised, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let dtype = op.dtype;
    let real = |(i, operand): (usize, &Tensor)| match (op.rounding(), operand.quant()) {
        (Some(rounding), _) if i == 0 => one(graph, rounding, std::slice::from_ref(operand)),
        (_, Some(_)) => one(graph, Dequantize { dtype }, std::slice::from_ref(operand)),
        (_, None) => Some(operand.clone()),
    };
    operands.iter().enumerate().map(real).collect()
}

/// How far the library's result may lie from the graph's, for each element; `None` for ops that it computes as the graph does.
fn errors(
    graph: &Graph,
    op: &Dequantised,
    operands: &[Tensor],
    reals: &[Tensor],
) -> Option<Vec<f64>> {
    let weight = operands.get(1)?;
    let has_groups = matches!(weight.quant()?.scheme, QuantScheme::PerGroup { .. });
    // Beside floats, a group is a layer by channel, whose scales are f32.
    let by_group = has_groups && op.activation.is_some();
    let magnitudes = |t: &Tensor| {
        let wide = one(graph, Cast { to: DType::F64 }, std::slice::from_ref(t))?;
        Some(with_numbers(
            &wide,
            numbers(&wide).into_iter().map(f64::abs),
        ))
    };
    let (x, w) = (magnitudes(&reals[0])?, magnitudes(&reals[1])?);
    let mut off = numbers(&x);
    for off in &mut off {
        *off *= if by_group { OF_BF16 } else { 0.0 };
    }
    if let Some(quant) = &op.activation {
        let steps = steps(&operands[0], quant);
        off.iter_mut()
            .zip(steps)
            .for_each(|(off, step)| *off += step);
    }
    let off = with_numbers(&x, off.into_iter());
    one(graph, (*op.op).clone(), &[off, w]).map(|found| numbers(&found))
}

/// The distance of an element's real in the graph from that in the library.
fn steps(x: &Tensor, quant: &DynamicQuant) -> Vec<f64> {
    let shared = x.rank().saturating_sub(quant.axes);
    let length = x.sizes()[shared..].iter().product::<usize>().max(1);
    let elements = numbers(x);
    let of_block = |block: &[f64]| {
        let reach = block.iter().fold(0f64, |most, v| most.max(v.abs()));
        let step = (2.0 * reach / (quant.levels() - 2).max(1) as f64).max(quant.eps);
        vec![STEPS * step; block.len()]
    };
    elements.chunks(length).flat_map(of_block).collect()
}
