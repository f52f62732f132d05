//! Ops on quantised values in a wobbly run.

use super::fixed_point::{Computation, Element};
use super::reals::{Reals, evaluated, reals};
use super::{Magnitudes, UNITS, Wobble, magnitudes};
use crate::random::Random;
use kiln_eval::Tensor;
use kiln_ir::ops::{Quantize, Unary, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashSet;

/// Which way fixed-point arithmetic errs in a run. Where one scale is half of another, every second integer is between two, and
/// all of these are rounded the same way. Sums show that.
#[derive(Clone, Copy)]
pub(super) enum Errs {
    EachItsOwn,
    Up,
    /// As the parts of a softmax do whose sum is too great.
    Down,
    AwayFromZero,
    /// As the library computes: with factors as most layers have them, or in the form that rounds once, or each op with one of both.
    AsLibrary,
    AsLibraryOnce,
    AsLibraryMixed,
    /// One way in one op and another way in the next, or not at all.
    EachOpItsOwn,
    Nowhere,
}

impl Errs {
    pub fn of_run(seed: u64) -> Errs {
        match (seed % 6, seed / 6 % 3) {
            (0, _) => Errs::AwayFromZero,
            (1, 0) => Errs::AsLibrary,
            (1, 1) => Errs::AsLibraryOnce,
            (1, _) => Errs::AsLibraryMixed,
            (2, _) => Errs::EachItsOwn,
            (3, _) => Errs::EachOpItsOwn,
            (4, _) => Errs::Up,
            _ => Errs::Down,
        }
    }

    fn of_op(self, random: &mut Random) -> Errs {
        use Errs::*;
        match self {
            EachOpItsOwn => {
                let all = [EachItsOwn, Up, Down, AwayFromZero, AsLibraryMixed, Nowhere];
                *random.pick(&all)
            }
            of_run => of_run,
        }
    }

    /// Whether the library's factors have the form that rounds once.
    fn is_once(self, random: &mut Random) -> bool {
        match self {
            Errs::AsLibraryOnce => true,
            Errs::AsLibraryMixed => random.chance(50),
            _ => false,
        }
    }

    /// The real of an element that errs this way, by a part of its error at most.
    fn real(self, random: &mut Random, element: Element, part: f64) -> f64 {
        match self {
            Errs::AsLibrary | Errs::AsLibraryOnce | Errs::AsLibraryMixed => element.of_library(),
            Errs::EachItsOwn => element.moved(part * *random.pick(&[-1.0, 0.0, 1.0])),
            Errs::Up => element.moved(part),
            Errs::Down => element.moved(-part),
            Errs::AwayFromZero => element.moved(part.copysign(element.exact)),
            Errs::EachOpItsOwn | Errs::Nowhere => element.exact,
        }
    }
}

impl Wobble<'_> {
    /// The integers of an op whose reals move as far as fixed-point arithmetic errs; `None` if it does not.
    pub(super) fn in_fixed_point(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        result: &Tensor,
    ) -> Option<Tensor> {
        if !self.is_fixed_point {
            return None;
        }
        let mut computation = Computation::of(graph, graph.node(node), operands, result)?;
        let errs = self.errs.of_op(&mut self.random);
        computation.is_once = errs.is_once(&mut self.random);
        let elements = computation.elements()?;
        // Smaller errors move only what lies nearer between two integers.
        let part = *self.random.pick(&[1.0, 0.5, 0.125, 1e-3]);
        let random = &mut self.random;
        let reals = elements
            .into_iter()
            .map(|element| errs.real(random, element, part));
        Some(computation.integers(reals))
    }

    /// What an op on quantised values gives whose reals are rounded before they are quantised, as where it is taken apart: a
    /// real in the middle of two integers becomes either. `None` where the integers stay as they are.
    pub(super) fn of_moved_reals(
        &mut self,
        graph: &Graph,
        op: &Op,
        operands: &[Tensor],
    ) -> Option<Tensor> {
        let (quant, dtype) = match op {
            Op::Quantised(own) => (own.quant.clone(), own.dtype),
            Op::Requantize(own) => (own.quant.clone(), own.dtype),
            _ => return None,
        };
        let is_exact =
            matches!(op, Op::Requantize(_)) || op.computing().facts().rounding.is_exact();
        let stays = |t: &Tensor| t.quant().is_some_and(|own| *own == quant);
        if !self.has_single_factors && is_exact && operands.iter().all(stays) {
            return None;
        }
        let Reals {
            operands: own,
            result,
        } = reals(graph, op, operands)?;
        // Reals that are only picked are rounded where they are dequantised and quantised, in one way. Of integers of 16 bits f32 decides
        // so many ties otherwise that graphs show them.
        let is_wide = matches!(dtype, DType::I16 | DType::I32);
        let mut moved = match is_exact {
            true if is_wide => self.moved(&result, &Magnitudes::Own),
            true => result,
            false => {
                let magnitudes = magnitudes(graph, op.computing(), &own, &result);
                self.moved(&result, &magnitudes)
            }
        };
        if self.has_single_factors {
            moved = self.moved_by_kernels(op.computing(), operands, &moved, &quant);
        }
        evaluated(graph, &Quantize { quant, dtype }.into(), &[moved])
    }

    /// What a quantisation gives by a reciprocal of the scale that is rounded to f32. `None` where it is computed so anyway, and where numbers
    /// move in the ops that compute them.
    pub(super) fn of_single_scale(
        &mut self,
        (graph, node): (&Graph, NodeId),
        op: &Quantize,
        operands: &[Tensor],
    ) -> Option<Tensor> {
        let (x, from) = (operands.first()?, *graph.node(node).operands.first()?);
        let moved = if self.has_single_factors || is_whole(graph, from) {
            self.moved(x, &Magnitudes::Own)
        } else {
            let known = known_numbers(graph, from);
            let is_known = |value: f64| known.contains(&(value as f32).to_bits());
            if known.is_empty() || x.dtype() != DType::F32 {
                return None;
            }
            let part = OF_A_QUOTIENT / UNITS;
            self.moved_by(x, |_, value| match is_known(value) {
                true => part * value.abs(),
                false => 0.0,
            })
        };
        evaluated(graph, &op.clone().into(), &[moved])
    }
}

/// How many units a quotient in f32 is off by: half a unit for the reciprocal of the scale, and half a unit for the product by it.
const OF_A_QUOTIENT: f64 = 2.0;

/// True for whole numbers. Their quotient by the scale rounds in f32, and does not where integers are requantised: in the middle of two
/// integers these differ.
fn is_whole(graph: &Graph, value: ValueId) -> bool {
    let maker = graph.producer(value).map(|id| graph.node(id));
    maker.is_some_and(|node| {
        matches!(node.op, Op::Cast(_)) && graph.ty(node.operands[0]).dtype.is_int()
    })
}

/// How many ops that pick elements may stand between a constant and its quantisation.
const MOST_PICKS: usize = 4;

/// The bits of the known numbers of f32 among which a value's elements are picked: those of constants, and the bounds of clamps. An op
/// computes on integers without rounding them to f32, so one in the middle of two integers may become the other one.
fn known_numbers(graph: &Graph, value: ValueId) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    let mut open = vec![(value, MOST_PICKS)];
    while let Some((value, most)) = open.pop() {
        let Some(node) = graph.producer(value).map(|id| graph.node(id)) else {
            continue;
        };
        if graph.ty(value).dtype != DType::F32 {
            continue;
        }
        match &node.op {
            Op::Constant(op) => {
                let numbers = graph.constant(op.value).data.scalars();
                found.extend(numbers.map(|n| (n.as_f64() as f32).to_bits()));
            }
            Op::Unary(Unary {
                f: UnaryFn::Clamp { min, max },
            }) => found.extend(
                [min, max]
                    .into_iter()
                    .flatten()
                    .map(|n| (n.as_f64() as f32).to_bits()),
            ),
            _ => {}
        }
        if most > 0 && node.op.facts().rounding.picks() {
            open.extend(node.operands.iter().map(|&operand| (operand, most - 1)));
        }
    }
    found
}
