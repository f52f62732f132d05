//! Raises arithmetic that quantises or dequantises to the ops that say so.
//!
//! Archives hold such arithmetic where the exporter took quantisation apart (`run_decompositions()` does so with torchao's ops), and where
//! authors of models wrote it out.
//!
//! # Contract
//! - Integers that are computed from constants of integers, and that bytes hold, become constants of bytes where they are cast to
//!   floats (module `bytes`).
//! - `(q - z) * s` of constants becomes `dequantize` of a constant that has these parameters in its type (module `weights`).
//! - A look-up in such a constant whose zero points are no whole numbers becomes one in integers about whole numbers, and one in what the
//!   rows lack (module `tables`).
//! - Rows that are quantised to bytes with parameters from their own extremes, and dequantised again for a layer, become `fake_quantize`
//!   (module `rows`).
//! - A product of such rows in integers with a constant, times the rows' scales, becomes a product of their reals.
//! - All results keep their bits, with these exceptions: products, and rows of tables without whole zero points, are rounded in
//!   another order; integers of halves may be one off, since
//!   `fake_quantize` divides in f32; rows with NaN or infinities become NaN, where the archive casts NaN to integers.
//!
//! ```kiln
//! raise_quantisation
//! graph "raise_quantisation" {
//!   constant c0 "w" i8[2, 4] = [1, 2, 3, 4, 5, 6, 7, 8]
//!   constant c1 "s" f32[2, 1] = [0.5, 0.25]
//!   constant c2 "z" i8[2, 1] = [1, 2]
//!   output tensor
//!   block b0 () {
//!     %0: i8[2, 4] = constant {value=c0}
//!     %1: f32[2, 1] = constant {value=c1}
//!     %2: i8[2, 1] = constant {value=c2}
//!     %3: f32[2, 4] = cast %0 {to=f32}
//!     %4: f32[2, 1] = cast %2 {to=f32}
//!     %5: f32[2, 4] = binary %3, %4 {f=sub}
//!     %6: f32[2, 4] = binary %5, %1 {f=mul}
//!     return %6
//!   }
//! }
//! ---
//! graph "raise_quantisation" {
//!   constant c0 "w" i8[2, 4] as (per_channel 0 [0.5, 0.25] [1, 2] in [-128, 127]) = [1, 2, 3, 4, 5, 6, 7, 8]
//!   output tensor
//!   block b0 () {
//!     %0: i8[2, 4] as (per_channel 0 [0.5, 0.25] [1, 2] in [-128, 127]) = constant {value=c0}
//!     %1: f32[2, 4] = dequantize %0 {dtype=f32}
//!     return %1
//!   }
//! }
//! ```

mod bytes;
mod parameters;
mod product;
mod rows;
mod tables;
mod weights;
mod whole;

use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rule, names, run_pass};
use crate::framework::target::Target;
use kiln_ir::ops::{BinaryFn, UnaryFn};
use kiln_ir::{DType, Graph, Op, Rewriter, Scalar, TensorData, ValueId};
use smallvec::SmallVec;

/// The pass.
pub const PASS: Pass = Pass {
    name: "raise_quantisation",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[
        bytes::GUARDS,
        parameters::GUARDS,
        product::GUARDS,
        rows::GUARDS,
        weights::GUARDS,
    ],
};

const RULES: &[Rule] = &[
    Rule {
        name: "unpack_integers",
        rewrite: bytes::rewrite,
    },
    Rule {
        name: "raise_dequantize",
        rewrite: weights::rewrite,
    },
    Rule {
        name: "join_views_of_weights",
        rewrite: weights::join_views,
    },
    Rule {
        name: "rows_of_table",
        rewrite: tables::rewrite,
    },
    Rule {
        name: "raise_fake_quantize",
        rewrite: rows::rewrite,
    },
    Rule {
        name: "raise_integer_product",
        rewrite: product::rewrite,
    },
];

/// Raises; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// The operands of a binary op.
fn binary(graph: &Graph, value: ValueId, f: BinaryFn) -> Option<[ValueId; 2]> {
    let node = graph.node(graph.producer(value)?);
    match &node.op {
        Op::Binary(op) if op.f == f => Some([node.operands[0], node.operands[1]]),
        _ => None,
    }
}

/// The operands of a binary op in both orders.
fn in_both_orders([a, b]: [ValueId; 2]) -> [[ValueId; 2]; 2] {
    [[a, b], [b, a]]
}

/// The operand of a unary op.
fn unary(graph: &Graph, value: ValueId, f: UnaryFn) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    matches!(&node.op, Op::Unary(op) if op.f == f).then(|| node.operands[0])
}

/// The operand of a cast.
fn cast(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    matches!(&node.op, Op::Cast(_)).then(|| node.operands[0])
}

/// The number that all elements equal, also through casts that keep it.
fn number(graph: &Graph, mut value: ValueId) -> Option<f64> {
    let mut types = SmallVec::<[DType; 4]>::new();
    let number = loop {
        if let Some(number) = graph.as_number(value) {
            break number.as_f64();
        }
        let node = graph.node(graph.producer(value)?);
        match &node.op {
            Op::Cast(op) => types.push(op.to),
            Op::Broadcast(_) | Op::Move(_) => {}
            _ => return None,
        }
        value = node.operands[0];
    };
    let keeps = |&dtype: &DType| match dtype.int_range() {
        Some((min, max)) => number.fract() == 0.0 && min as f64 <= number && number <= max as f64,
        None => rounded(dtype, number) == Some(number),
    };
    types.iter().all(keeps).then_some(number)
}

/// The nearest number of a type of floats.
fn rounded(dtype: DType, number: f64) -> Option<f64> {
    let nearest = TensorData::splat(dtype, vec![1], Scalar::Float(number));
    let nearest = nearest.as_splat().filter(|_| dtype.is_float());
    nearest.map(Scalar::as_f64)
}

/// The value whose elements these are, in the same order: behind views, casts of halves to f32, and products with 1.
fn origin(graph: &Graph, value: ValueId) -> ValueId {
    origin_and_readers(graph, value).0
}

/// The most ops in a row that [`origin`] follows.
const MAX_VIEWS: usize = 16;

/// As [`origin`], and whether every value on the way, the first and the last one included, has a single reader.
fn origin_and_readers(graph: &Graph, mut value: ValueId) -> (ValueId, bool) {
    let is_read_once = |value| graph.value(value).uses().len() == 1;
    let mut are_read_once = is_read_once(value);
    for _ in 0..MAX_VIEWS {
        let Some(behind) = source(graph, value) else {
            break;
        };
        value = behind;
        are_read_once &= is_read_once(value);
    }
    (value, are_read_once)
}

/// The value that has the same elements one op earlier.
fn source(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    match &node.op {
        Op::Move(op) => op.movement.is_view().then(|| node.operands[0]),
        Op::Cast(_) => is_widened(graph, value).then(|| node.operands[0]),
        Op::Binary(op) if op.f == BinaryFn::Mul => {
            let orders = in_both_orders([node.operands[0], node.operands[1]]);
            let is_same = |[a, b]: &[ValueId; 2]| {
                number(graph, *b) == Some(1.0) && graph.ty(*a).shape == graph.ty(value).shape
            };
            orders.into_iter().find(is_same).map(|[a, _]| a)
        }
        _ => None,
    }
}

/// True for halves that are cast to f32.
fn is_widened(graph: &Graph, value: ValueId) -> bool {
    let is_half = |inner| graph.ty(inner).dtype.is_half();
    graph.ty(value).dtype == DType::F32 && cast(graph, value).is_some_and(is_half)
}
