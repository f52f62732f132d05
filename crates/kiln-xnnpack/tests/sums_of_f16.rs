//! What the reader of payloads says of the numbers that an output follows from: sums of f16 are told from other f16.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph};
use device::compiled;
use kiln_ir::ops::{Linear, MatMul, Simple, Unary};
use kiln_ir::{DType, ValueId};
use kiln_portable::program::DelegateReader;
use kiln_target::Activations;
use kiln_xnnpack::XnnpackPayloads;

fn activations(dtype: DType, make: impl FnOnce(&mut Build<'_>, ValueId) -> ValueId) -> Activations {
    let graph = graph(|b| {
        let x = b.input(dtype, dims(&[4, 8]));
        vec![make(b, x)]
    });
    let (_, regions) = compiled(&graph);
    assert_eq!(regions.len(), 1);
    let blob = regions[0].blob().unwrap().clone();
    // The input is argument 0.
    XnnpackPayloads.activations(&blob, 1).unwrap()
}

fn linear(b: &mut Build<'_>, x: ValueId, dtype: DType) -> ValueId {
    let weight = b.weights(dtype, &[5, 8]);
    b.op(Linear {}, &[x, weight])
}

#[test]
fn products_of_f16_are_sums() {
    let f16 = DType::F16;
    assert_eq!(
        activations(f16, |b, x| linear(b, x, f16)),
        Activations::SumsOfF16
    );
    let behind = activations(f16, |b, x| {
        let y = linear(b, x, f16);
        b.op(
            Unary {
                f: Simple::Sigmoid.into(),
            },
            &[y],
        )
    });
    assert_eq!(behind, Activations::SumsOfF16);
    let matrices = activations(f16, |b, x| {
        let other = b.weights(f16, &[8, 3]);
        b.op(MatMul {}, &[x, other])
    });
    assert_eq!(matrices, Activations::SumsOfF16);
}

#[test]
fn other_floats_are_none() {
    let sigmoid = |b: &mut Build<'_>, x| {
        b.op(
            Unary {
                f: Simple::Sigmoid.into(),
            },
            &[x],
        )
    };
    assert_eq!(activations(DType::F16, sigmoid), Activations::F16);
    let single = DType::F32;
    assert_eq!(
        activations(single, |b, x| linear(b, x, single)),
        Activations::F32
    );
}
