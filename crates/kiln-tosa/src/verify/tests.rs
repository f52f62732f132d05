use super::*;
use crate::dialect::{Builder, Clamp, Conv, NanMode, Rescale, TosaDtype};
use kiln_ir::Scalar;

fn faults(graph: &TosaGraph, spec: &str) -> Vec<String> {
    let faults = verify(graph, spec.parse().unwrap());
    let faults = faults.err().unwrap_or_default();
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn dtypes_need_their_profile() {
    let mut b = Builder::new();
    let x = b.input("x", TosaDtype::I16, &[1, 4, 4, 2]);
    let weight = b.integers(TosaDtype::I8, &[1, 1, 1, 2], &[1; 2]).unwrap();
    let bias = b.integers(TosaDtype::I48, &[1], &[0]).unwrap();
    let conv = TosaOp::Conv2d(Conv::new(TosaDtype::I48));
    let y = b.op(conv, &[x, weight, bias]).unwrap();
    let graph = b.finish(&[y]);
    assert_eq!(needed(&graph).to_string(), "TOSA-1.0+INT+int16");
    assert_eq!(faults(&graph, "TOSA-1.0+INT+int16"), [""; 0]);
    let found = faults(&graph, "TOSA-1.0+INT");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].contains("needs int16"), "{found:?}");
}

#[test]
fn every_fault_is_listed() {
    let mut b = Builder::new();
    let x = b.input("x", TosaDtype::I8, &[1, 1, 1, 1, 1, 1, 3]);
    let rescale = Rescale {
        input_zp: 200,
        ..Rescale::new(TosaDtype::I8, vec![-1, 1], vec![63, 2])
    };
    let y = b.op(TosaOp::Rescale(rescale), &[x]).unwrap();
    let clamp = Clamp {
        min: Scalar::Int(3),
        max: Scalar::Int(-300),
        nan_mode: NanMode::Propagate,
    };
    let z = b.op(TosaOp::Clamp(clamp), &[y]).unwrap();
    let found = faults(&b.finish(&[z]), "TOSA-1.0+INT");
    // Three tensors of rank 7; count, sign, shift and zero point; bound and range.
    assert_eq!(found.len(), 9, "{found:#?}");
}

#[test]
fn order_and_declared_types_are_checked() {
    let mut b = Builder::new();
    let x = b.input("x", TosaDtype::F32, &[2]);
    let y = b.op(TosaOp::Exp, &[x]).unwrap();
    let z = b.op(TosaOp::Log, &[y]).unwrap();
    let mut graph = b.finish(&[z]);
    graph.regions[0].operators.swap(0, 1);
    graph.regions[0].tensors[1].shape = vec![3];
    let found = faults(&graph, "TOSA-1.0+FP");
    assert!(found.iter().any(|f| f.contains("read before")), "{found:?}");
    assert!(found.iter().any(|f| f.contains("not f32[3]")), "{found:?}");
}
