//! Where results are rounded once, and where they keep the library's own bits.
//!
//! The library's functions of sums of products round twice, and biases are whole units of the sums. Other compilers call the same
//! functions with the usual factors: of a model that is given in integers throughout, with weights of 8 bits and biases of whole units,
//! all of them give the same bits. Kiln gives these, too, except where a reader makes two steps of one ([`super::gain`]).
//!
//! Biases of other models are floats, or their weights have 4 bits, for which ExecuTorch calls nothing of the library. No bits are
//! common then, so the results are the nearest ones to the model's: the factors and biases of layers are chosen so that the library
//! rounds once, from the exact bias ([`kiln_quantised::line`]), and those of products so that it rounds once
//! ([`kiln_quantised::cmsis::rounded_once`]). Neither adds an instruction.
//!
//! A sum that no layer of the model is, such as a resize or an average by a convolution, is always rounded once: no other compiler
//! calls the function for it.

use super::Lowering;
use super::conv::OUTPUTS;
use super::conv::OUTPUTS_OF_TRANSPOSED;
use super::goal::Goal;
use crate::dialect::Dtype;
use crate::linked::Linked;
use kiln_ir::graph::Node;
use kiln_ir::ops::Quantised;
use kiln_ir::{DType, Graph, Op};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::bias::UnitBias;
use kiln_quantised::channel::limited;
use kiln_quantised::line::{Fixed, Line, lifted};
use kiln_quantised::multiplier::Multiplier;
use kiln_target::operands;

/// The most that the integers of a narrow weight are apart.
const NARROW: i64 = 15;

/// Whether a model is given in the library's integers: the weights of its layers have 8 bits, and their biases are whole units of sums.
pub(super) fn is_in_integers(graph: &Graph) -> bool {
    let mut nodes = graph
        .blocks()
        .flat_map(|(block, _)| graph.nodes_in(block).map(|(_, node)| node));
    nodes.all(|node| match &node.op {
        Op::Quantised(q) => is_layer_in_integers(graph, node, q).unwrap_or(true),
        _ => true,
    })
}

/// `None` for what is no layer, or is not known.
fn is_layer_in_integers(graph: &Graph, node: &Node, q: &Quantised) -> Option<bool> {
    let axis = match &*q.op {
        Op::Conv(conv) if conv.transposed => OUTPUTS_OF_TRANSPOSED,
        Op::Conv(_) | Op::Linear(_) => OUTPUTS,
        _ => return None,
    };
    let weight = graph.ty(node.operands[1]);
    let range = weight.quant.as_ref()?;
    if weight.dtype == DType::I8 && range.max - range.min <= NARROW {
        return Some(false);
    }
    let reals = operands::reals(graph, *node.operands.get(2)?).ok()?;
    let outputs = weight.shape[axis].as_const()?;
    let outputs = usize::try_from(outputs).ok()?;
    let input = operands::step(graph, node.operands[0]).ok()?;
    let scales = operands::weight_scales(graph, node.operands[1], axis, outputs).ok()?;
    let result = operands::step_of(&q.quant).ok()?;
    let (units, factors) = (scales.of_sums(input), scales.factors(input, result));
    // Scales along the axis of a weight of groups repeat for each group.
    let repeated = |all: &[f64]| all.iter().copied().cycle().take(reals.len()).collect();
    let (units, factors): (Vec<f64>, Vec<f64>) = (repeated(&units), repeated(&factors));
    Some(!UnitBias::of(&reals, &units, i64::MIN, i64::MAX).matters(factors))
}

/// Layers whose bias and factors were chosen.
pub(super) struct Chosen {
    pub(super) bias: Option<Vec<i64>>,
    pub(super) factors: Vec<Multiplier>,
    /// How many steps greater the sums' results are.
    pub(super) lift: i32,
}

impl Lowering<'_> {
    /// Whether the results of a node are rounded once where the library has a form for it.
    pub(super) fn is_exact(&self, node: &Node, q: &Quantised) -> bool {
        !self.keeps_bits || self.is_enlarged(node, q)
    }

    /// The biases and the factors of 8-bit results whose sums have such units: the usual ones, or those that round once. `reals` are
    /// the biases, which `usual` has in whole units; the reaches are without them.
    pub(super) fn chosen(
        &self,
        (units, reals): (&[f64], Option<&[f64]>),
        reaches: &[Reach],
        usual: (Option<Vec<i64>>, Vec<Multiplier>),
        to: &Goal,
    ) -> Chosen {
        let (bias, factors) = usual;
        let usual = Chosen {
            bias,
            factors,
            lift: 0,
        };
        let is_wanted = to.is_exact && to.dtype == Dtype::I8;
        if !is_wanted || self.parts.linked() == Linked::Runtime {
            return usual;
        }
        let line = |(channel, unit): (usize, &f64)| Line {
            // Results have 8 bits. Where a factor is limited, every sum but 0 saturates, with the factor and without the limit.
            factor: limited(unit / to.step.scale, true),
            bias: reals.map_or(0.0, |reals| reals[channel] / unit),
        };
        let lines: Vec<Line> = units.iter().enumerate().map(line).collect();
        let range = [to.range.min, to.range.max].map(|end| end - to.step.zero_point);
        let error = |(channel, line): (usize, &Line)| {
            let bias = usual.bias.as_ref().map_or(0, |bias| bias[channel]);
            let by = usual.factors[channel];
            line.error(Fixed { bias, by }, range)
        };
        let error = lines.iter().enumerate().map(error).fold(0.0, f64::max);
        let nearer = lifted(&lines, reaches, range).filter(|found| found.error < error);
        nearer.map_or(usual, |found| Chosen {
            bias: Some(found.channels.iter().map(|one| one.bias).collect()),
            factors: found.channels.iter().map(|one| one.by).collect(),
            lift: found.lift,
        })
    }
}
