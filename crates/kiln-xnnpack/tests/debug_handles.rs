//! Operators of a payload name the node of the graph from which they stem, and so profilers of programs do.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{dims, graph};
use device::{compiled, payloads};
use kiln_ir::ops::{Binary, BinaryFn, Move, Simple, Unary};
use kiln_ir::{DType, Movement};
use kiln_xnnpack::payload::XnnOp;

/// The library transposes what the sum reads, so the transpose stems from the sum.
#[test]
fn a_movement_stems_from_its_reader() {
    let model = graph(|b| {
        let x = b.input(DType::F32, dims(&[2, 3, 4]));
        let y = b.input(DType::F32, dims(&[2, 4, 3]));
        let x = b.op(
            Unary {
                f: Simple::Abs.into(),
            },
            &[x],
        );
        let shape = dims(&[2, 3, 4]);
        let movement = Movement::permute(&shape, &[0, 2, 1]).unwrap();
        let turned = b.op(Move { movement }, &[x]);
        let y = b.op(
            Unary {
                f: Simple::Tanh.into(),
            },
            &[y],
        );
        vec![b.op(Binary { f: BinaryFn::Add }, &[turned, y])]
    });
    let (_, regions) = compiled(&model);
    let payloads = payloads(&regions);
    assert_eq!(payloads.len(), 1);
    let nodes = &payloads[0].nodes;
    let handle = |is: fn(&XnnOp) -> bool| {
        let mut found = nodes.iter().filter(|node| is(&node.op));
        let handle = found.next().map(|node| node.debug_handle);
        assert!(found.next().is_none(), "{nodes:?}");
        handle.unwrap()
    };
    let sum = handle(|op| matches!(op, XnnOp::Binary { .. }));
    let transpose = handle(|op| matches!(op, XnnOp::Transpose { .. }));
    assert_eq!(transpose, sum);
    let functions = nodes
        .iter()
        .filter(|node| matches!(node.op, XnnOp::Unary { .. }));
    assert!(functions.clone().count() == 2);
    assert!(functions.into_iter().all(|node| node.debug_handle != sum));
}
