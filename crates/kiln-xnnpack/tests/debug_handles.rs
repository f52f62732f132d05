//! Operators of a payload name the node of the graph from which they stem, and so profilers of programs do.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph};
use device::{compiled, payloads};
use kiln_ir::ops::{Binary, BinaryFn, Move, Simple, Unary};
use kiln_ir::{DType, Graph, Movement, ValueId};
use kiln_xnnpack::payload::{UnaryOp, XnnOp};

fn function(b: &mut Build<'_>, f: Simple, x: ValueId) -> ValueId {
    b.op(Unary { f: f.into() }, &[x])
}

fn turned(b: &mut Build<'_>, x: ValueId) -> ValueId {
    let movement = Movement::permute(&dims(&[2, 3, 4]), &[0, 2, 1]).unwrap();
    b.op(Move { movement }, &[x])
}

/// The nodes of the only operators of these kinds.
fn handles<const N: usize>(model: &Graph, kinds: [fn(&XnnOp) -> bool; N]) -> [u32; N] {
    let (_, regions) = compiled(model);
    let payloads = payloads(&regions);
    assert_eq!(payloads.len(), 1);
    let nodes = &payloads[0].nodes;
    kinds.map(|is| {
        let mut found = nodes.iter().filter(|node| is(&node.op));
        let handle = found.next().map(|node| node.debug_handle);
        assert!(found.next().is_none(), "{nodes:?}");
        handle.unwrap()
    })
}

fn is_transpose(op: &XnnOp) -> bool {
    matches!(op, XnnOp::Transpose { .. })
}

fn is_tanh(op: &XnnOp) -> bool {
    matches!(
        op,
        XnnOp::Unary {
            op: UnaryOp::Tanh,
            ..
        }
    )
}

/// The library transposes what the sum reads, so the transpose stems from the sum.
#[test]
fn a_movement_stems_from_its_reader() {
    let model = graph(|b| {
        let x = b.input(DType::F32, dims(&[2, 3, 4]));
        let y = b.input(DType::F32, dims(&[2, 4, 3]));
        let x = function(b, Simple::Abs, x);
        let x = turned(b, x);
        let y = function(b, Simple::Tanh, y);
        vec![b.op(Binary { f: BinaryFn::Add }, &[x, y])]
    });
    let is_sum = |op: &XnnOp| matches!(op, XnnOp::Binary { .. });
    let [transpose, sum, tanh] = handles(&model, [is_transpose, is_sum, is_tanh]);
    assert_eq!(transpose, sum);
    assert_ne!(tanh, sum);
}

/// What moves an output stems from what computes it, not from the last node.
#[test]
fn a_moved_output_stems_from_its_producer() {
    let model = graph(|b| {
        let x = b.input(DType::F32, dims(&[2, 3, 4]));
        let y = b.input(DType::F32, dims(&[5]));
        let x = function(b, Simple::Abs, x);
        let x = turned(b, x);
        let y = function(b, Simple::Tanh, y);
        vec![x, y]
    });
    let [transpose, tanh] = handles(&model, [is_transpose, is_tanh]);
    assert_ne!(transpose, tanh);
}
