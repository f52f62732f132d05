//! Delegates in emitted programs: the places and arguments of their calls, and the data that they share.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use kiln_ir::{BlockId, Graph, NodeId, Op, ValueId};
use kiln_portable::region::{Body, Boundary, Delegated, Region};
use kiln_portable::{EmitError, Emitted, Method, Options, emit};
use kiln_pte::{Instruction, TensorStorage};
use kiln_target::Operators;

fn parse(text: &str) -> Graph {
    let graph = kiln_ir::text::parse(text).unwrap();
    assert_eq!(kiln_ir::verify::verify(&graph), Ok(()));
    graph
}

fn nodes(graph: &Graph, block: BlockId) -> Vec<NodeId> {
    graph.nodes_in(block).map(|(id, _)| id).collect()
}

fn boundary(value: ValueId, dim_order: &[u8]) -> Boundary {
    Boundary {
        value,
        dim_order: dim_order.to_vec(),
    }
}

fn region(nodes: &[NodeId], inputs: Vec<Boundary>, outputs: Vec<Boundary>) -> Region {
    Region {
        nodes: nodes.to_vec(),
        inputs,
        outputs,
        body: Body::Delegate(Delegated {
            backend: "XnnpackBackend",
            blob: Bytes::from_static(b"blob"),
            named_data: vec![("key".into(), Bytes::from_static(b"weights").into())],
            operators: Operators::default(),
        }),
        reordered: Vec::new(),
    }
}

fn emit_one(graph: &Graph, regions: Vec<Region>) -> Result<Emitted, EmitError> {
    let method = Method {
        regions,
        ..Method::new(graph)
    };
    emit(&[method], &Options::default())
}

/// The instructions of a program: the key of the kernel, or `delegate`.
fn calls(emitted: &Emitted) -> Vec<String> {
    let method = &emitted.program.methods[0];
    let instructions = method.instructions.iter();
    instructions
        .map(|i| match i {
            Instruction::KernelCall { op, .. } => method.operators[op.index()].key(),
            Instruction::DelegateCall { .. } => "delegate".into(),
            other => format!("{other:?}"),
        })
        .collect()
}

const THREE: &str = r#"graph "forward" {
  constant c0 "w" f32[1, 2, 3, 4] = splat 2.0
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0: f32[1, 2, 3, 4]) {
    %1: f32[1, 2, 3, 4] = constant {value=c0}
    %2: f32[1, 2, 3, 4] = binary %0, %1 {f=mul}
    %3: f32[1, 2, 3, 4] = unary %2 {f=erf}
    %4: f32[1, 2, 3, 4] = binary %3, %1 {f=mul}
    return %4
  }
}
"#;

#[test]
fn calls_delegates_between_kernels_in_the_orders_that_they_want() {
    let graph = parse(THREE);
    let all = nodes(&graph, graph.root());
    let result = |i: usize| graph.node(all[i]).results[0];
    let input = graph.block(graph.root()).params[0];
    let (plain, last): (&[u8], &[u8]) = (&[0, 1, 2, 3], &[0, 2, 3, 1]);
    let first = region(
        &all[1..2],
        vec![boundary(input, last)],
        vec![boundary(result(1), last)],
    );
    let second = region(
        &all[3..4],
        vec![boundary(result(2), plain)],
        vec![boundary(result(3), plain)],
    );
    let emitted = emit_one(&graph, vec![first, second]).unwrap();
    let convert = "dim_order_ops::_to_dim_order_copy.out";
    assert_eq!(
        calls(&emitted),
        [convert, "delegate", convert, "aten::erf.out", "delegate"]
    );
    let report = &emitted.reports[0];
    assert_eq!(
        (report.delegates, report.delegate_calls),
        (1, 2),
        "equal blobs are one delegate"
    );
    assert_eq!(report.transposed_bytes, 2 * 96);
    assert_eq!(emitted.program.named_data.len(), 1);
    assert_eq!(
        emitted.program.constants.len(),
        0,
        "only delegates read the constant"
    );
    let method = &emitted.program.methods[0];
    let output = method.tensor(method.outputs[0]).unwrap();
    assert!(output.is_contiguous() && matches!(output.storage, TensorStorage::Planned(_)));
}

#[test]
fn regions_that_need_each_other_are_refused() {
    let graph = parse(
        r#"graph "forward" {
  input tensor "x" [0]
  input tensor "y" [0]
  output tensor
  output tensor
  block b0 (%0: f32[2], %1: f32[2]) {
    %2: f32[2] = unary %0 {f=exp}
    %3: f32[2] = unary %1 {f=exp}
    %4: f32[2] = unary %3 {f=neg}
    %5: f32[2] = unary %2 {f=neg}
    return %4, %5
  }
}
"#,
    );
    let all = nodes(&graph, graph.root());
    let result = |i: usize| graph.node(all[i]).results[0];
    let params = graph.block(graph.root()).params.clone();
    let one = |i| boundary(result(i), &[0]);
    let a = region(
        &[all[0], all[2]],
        vec![boundary(params[0], &[0]), one(1)],
        vec![one(0), one(2)],
    );
    let b = region(
        &[all[1], all[3]],
        vec![boundary(params[1], &[0]), one(0)],
        vec![one(1), one(3)],
    );
    assert!(emit_one(&graph, vec![a.clone(), b]).is_err());
    assert!(
        emit_one(&graph, vec![a]).is_ok(),
        "one of them alone is fine"
    );
}

#[test]
fn what_kernels_cannot_run_is_refused_with_node_and_reason() {
    let graph = parse(&THREE.replace("f=erf", "f=erfinv"));
    let unary = |id: &NodeId| matches!(graph.node(*id).op, Op::Unary(_));
    let node = nodes(&graph, graph.root()).into_iter().find(unary).unwrap();
    let reason = kiln_portable::support(&graph, node).unwrap_err();
    match emit_one(&graph, Vec::new()) {
        Err(EmitError::Node {
            node,
            reason: found,
            ..
        }) => {
            assert_eq!((node.as_str(), found), ("unary", Box::new(reason)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_graph_gives_the_same_program() {
    let graph = parse(THREE);
    let [a, b] = [0, 1].map(|_| emit_one(&graph, Vec::new()).unwrap());
    assert_eq!(a.program, b.program);
    assert_eq!(a.reports, b.reports);
}

#[test]
fn state_of_two_methods_is_refused_where_one_changes_it() {
    let graph = parse(
        r#"graph "a" {
  constant c0 "" f32[2] = [0.0, 0.0]
  state m0 "cache" f32[2] = c0
  input tensor "x" [0]
  output tensor
  block b0 (%0: f32[2]) {
    %1: f32[2] = read_state {cell=m0}
    %2: f32[2] = binary %0, %1 {f=add}
    return %2
  }
  update m0 = %2
}
"#,
    );
    let mut other = graph.clone();
    other.name = "b".into();
    let methods = [Method::new(&graph), Method::new(&other)];
    let error = emit(&methods, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("cache"), "{error}");
    assert!(emit(&methods[..1], &Options::default()).is_ok());
}
