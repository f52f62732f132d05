//! If Vela has no command stream for a part of the graph, the node at fault is named where there is one. Refused nodes run
//! as kernels. All others stay in delegates.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_ethos::payload::Payload;
use kiln_ethos::{
    CommandStreams, Delegates, EthosU, StandIn, Vela, VelaError, compile, compile_or_fall_back,
};
use kiln_ir::{Graph, NodeId, Op};
use kiln_testing::part;
use kiln_tosa::dialect::{TosaGraph, TosaOp};
use kiln_transforms::framework::target::{Placement, Target};
use std::cell::Cell;

const MODEL: &str = r#"graph "forward" {
  input tensor "x" [0]
  output tensor
  source l0 "first" "aten.abs.default" "top" "model.py:3 in forward: x = x.abs()"
  source l1 "second" "aten.neg.default" "top" "model.py:4 in forward: x = -x"
  source l2 "third" "aten.add.Tensor" "top" "model.py:5 in forward: x = x + x"
  block b0 (%0 "x": i32[5]) {
    %1: i32[5] = unary %0 {f=abs} @ l0
    %2: i32[5] = unary %1 {f=neg} @ l1
    %3: i32[5] = binary %2, %2 {f=add} @ l2
    return %3
  }
}
"#;

/// A compiler that refuses negations.
struct Picky;

impl CommandStreams for Picky {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        let mut operators = file.main().operators.iter();
        match operators.any(|o| matches!(o.op, TosaOp::Negate(_))) {
            true => Err(VelaError::Refused("no negation".into())),
            false => StandIn.make(file),
        }
    }
}

#[test]
fn the_node_to_blame_is_named() {
    let graph = kiln_ir::text::parse(MODEL).unwrap();
    let target = EthosU::new("ethos-u55-32".parse().unwrap());
    assert_eq!(compile(&graph, &target, &StandIn).unwrap().len(), 1);
    let error = compile(&graph, &target, &Picky).unwrap_err().to_string();
    assert!(error.starts_with("second (unary)"), "{error}");
    assert!(
        error.contains("model.py:4") && error.contains("no negation"),
        "{error}"
    );
}

/// A compiler that refuses every graph, as Vela does if its arguments are wrong.
struct Broken;

impl CommandStreams for Broken {
    fn make(&self, _: &TosaGraph) -> Result<Payload, VelaError> {
        Err(VelaError::Refused("unrecognized arguments".into()))
    }
}

#[test]
fn no_node_is_to_blame_for_arguments() {
    let graph = kiln_ir::text::parse(MODEL).unwrap();
    let target = EthosU::new("ethos-u55-32".parse().unwrap());
    let error = compile(&graph, &target, &Broken).unwrap_err().to_string();
    assert!(error.contains("arguments or its installation"), "{error}");
    assert!(error.contains("unrecognized arguments"), "{error}");
    assert!(!error.contains("first"), "{error}");
}

/// A quantised image that is enlarged by repetition of its elements, behind a `tanh`.
const DOUBLED: &str = r#"graph "forward" {
  input tensor "x" [0, 1, 2, 3]
  output tensor
  source l0 "bent" "aten.tanh.default" "top" "model.py:3 in forward: x = x.tanh()"
  source l1 "doubled" "aten.upsample_nearest2d.vec" "top" "model.py:4 in forward: return upsample(x)"
  block b0 (%0 "x": i8[1, 8, 4, 6] as (per_tensor 0.5 3 in [-128, 127])) {
    %1: i8[1, 8, 4, 6] as (per_tensor 0.5 3 in [-128, 127]) = quantised %0 {op=unary {f=tanh}, quant=per_tensor 0.5 3 in [-128, 127], dtype=i8} @ l0
    %2: i8[1, 8, TALL, WIDE] as (per_tensor 0.5 3 in [-128, 127]) = resize %1 {mode=nearest, align_corners=false, output=[TALL, WIDE], scales=[none, none]} @ l1
    return %2
  }
}
"#;

fn repeated(times: usize) -> Graph {
    let text = DOUBLED.replace("TALL", &(4 * times).to_string());
    kiln_ir::text::parse(&text.replace("WIDE", &(6 * times).to_string())).unwrap()
}

/// The ops inside of delegates, and the ops outside with the reasons.
fn placed(
    graph: &Graph,
    delegates: &Delegates,
) -> (Vec<&'static str>, Vec<(&'static str, String)>) {
    let inside: Vec<NodeId> = delegates
        .regions
        .iter()
        .flat_map(|r| r.nodes.clone())
        .collect();
    let outside = graph
        .nodes_in(graph.root())
        .filter(|(id, node)| !inside.contains(id) && !matches!(node.op, Op::Constant(_)));
    let reasons = outside.map(|(id, node)| match delegates.target.placement(graph, id) {
        Placement::Kernel(reason) => (node.op.name(), reason.to_string()),
        other => panic!("{}: {other:?}", node.op.name()),
    });
    let reasons = reasons.collect();
    (
        inside.iter().map(|&n| graph.node(n).op.name()).collect(),
        reasons,
    )
}

fn core(name: &str) -> EthosU {
    EthosU::new(name.parse().unwrap())
}

#[test]
fn what_is_refused_runs_as_a_kernel() {
    let mut graph = kiln_ir::text::parse(MODEL).unwrap();
    let made = compile_or_fall_back(&mut graph, &core("ethos-u55-32"), &Picky).unwrap();
    let (inside, outside) = placed(&graph, &made);
    assert_eq!(inside, ["unary", "binary"]);
    assert_eq!(made.regions.len(), 2);
    let [(op, reason)] = &outside[..] else {
        panic!("{outside:?}");
    };
    assert_eq!(*op, "unary");
    for part in [
        "Vela",
        "ethos-u55-32",
        "second (unary)",
        "model.py:4",
        "no negation",
    ] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
}

/// A compiler that refuses look-ups, and counts its calls.
#[derive(Default)]
struct NoTables(Cell<usize>);

impl CommandStreams for NoTables {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        self.0.set(self.0.get() + 1);
        let mut operators = file.main().operators.iter();
        match operators.any(|o| matches!(o.op, TosaOp::Table { .. })) {
            true => Err(VelaError::Refused("no tables".into())),
            false => StandIn.make(file),
        }
    }
}

#[test]
fn what_is_refused_of_integers_runs_in_floats() {
    let target = core("ethos-u55-32");
    let mut graph = repeated(2);
    let before = compile(&graph, &target, &StandIn).unwrap();
    assert_eq!(before.len(), 1);
    assert_eq!(before[0].nodes.len(), 2);
    let streams = NoTables::default();
    let made = compile_or_fall_back(&mut graph, &target, &streams).unwrap();
    let (inside, outside) = placed(&graph, &made);
    assert_eq!(inside, ["resize"]);
    assert_eq!(
        outside.iter().map(|o| o.0).collect::<Vec<_>>(),
        ["dequantize", "unary", "quantize"]
    );
    assert!(
        outside.iter().all(|o| o.1.contains("no tables")),
        "{outside:?}"
    );
    // At most five calls: the region, the smallest refused graph, both halves, and the rest. A graph that was accepted is
    // not compiled again.
    assert!(streams.0.get() <= 5, "{} runs", streams.0.get());
}

/// A compiler that accepts absolute values and additions, but refuses a graph that has both.
struct NotBoth;

impl CommandStreams for NotBoth {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        let has = |wanted: fn(&TosaOp) -> bool| file.main().operators.iter().any(|o| wanted(&o.op));
        match has(|op| matches!(op, TosaOp::Abs)) && has(|op| matches!(op, TosaOp::Add)) {
            true => Err(VelaError::Refused("not both".into())),
            false => StandIn.make(file),
        }
    }
}

#[test]
fn a_region_of_which_no_node_is_to_blame_falls_back() {
    let mut graph = kiln_ir::text::parse(MODEL).unwrap();
    let made = compile_or_fall_back(&mut graph, &core("ethos-u55-32"), &NotBoth).unwrap();
    let (inside, outside) = placed(&graph, &made);
    assert!(inside.is_empty(), "{inside:?}");
    assert_eq!(outside.len(), 3);
    assert!(
        outside.iter().all(|o| o.1.contains("not both")),
        "{outside:?}"
    );
}

#[test]
fn wrong_arguments_are_no_reason_to_fall_back() {
    let mut graph = kiln_ir::text::parse(MODEL).unwrap();
    let error = compile_or_fall_back(&mut graph, &core("ethos-u55-32"), &Broken).unwrap_err();
    assert!(
        error.to_string().contains("unrecognized arguments"),
        "{error}"
    );
}

/// One core of each family, and a second one of U55.
const CORES: [&str; 4] = [
    "ethos-u55-128",
    "ethos-u55-256",
    "ethos-u65-256",
    "ethos-u85-256",
];

#[test]
fn vela_takes_repeated_images() {
    if part::VELA.find().is_none() {
        return;
    }
    for name in CORES {
        for times in [2, 4, 8] {
            let target = core(name);
            let vela = Vela::new(target.core(), Vec::new());
            let made = compile(&repeated(times), &target, &vela);
            let regions = made.unwrap_or_else(|error| panic!("{name} by {times}: {error}"));
            assert_eq!(regions.len(), 1);
            assert_eq!(regions[0].nodes.len(), 2, "{name} by {times}");
        }
    }
}

/// Vela, on look-ups in a form for which it has no command stream.
struct OtherForm(Vela);

impl CommandStreams for OtherForm {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        let mut file = file.clone();
        for operator in &mut file.regions[0].operators {
            if let TosaOp::Resize(op) = &mut operator.op {
                (op.offset, op.border) = ([-2, -2], [0, 0]);
            }
        }
        self.0.make(&file)
    }
}

#[test]
fn what_vela_refuses_runs_as_a_kernel() {
    if part::VELA.find().is_none() {
        return;
    }
    let target = core("ethos-u55-128");
    let vela = OtherForm(Vela::new(target.core(), Vec::new()));
    let mut graph = repeated(2);
    let made = compile_or_fall_back(&mut graph, &target, &vela).unwrap();
    let (inside, outside) = placed(&graph, &made);
    assert_eq!(inside, ["quantised"]);
    assert!(
        outside.iter().all(|o| o.1.contains("(Resize)")),
        "{outside:?}"
    );
}
