//! Payloads that are built by hand, on the stock runtime.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../kiln-pte/tests/stock/mod.rs"]
mod stock;

use bytes::Bytes;
use kiln_pte::{
    ArenaSlot, Delegate, DelegateIndex, Instruction, Method, NamedData, Program, ScalarType,
    TensorStorage, TensorValue, Value,
};
use kiln_testing::part::STOCK_RUNTIME;
use kiln_xnnpack::payload::{
    self, BinaryOp, Clamp, ConstantData, Datatype, External, Quant, Scales, ValueId, XnnGraph,
    XnnNode, XnnOp, XnnValue,
};
use stock::{bytes_of, run};

/// A float vector at a position of the delegate's call.
fn external(position: u32, output: bool, dims: &[u32]) -> XnnValue {
    let external = External {
        position,
        input: !output,
        output,
    };
    XnnValue {
        external: Some(external),
        ..XnnValue::internal(Datatype::Fp32, dims.to_vec())
    }
}

fn constant(graph: &mut XnnGraph, value: XnnValue, data: ConstantData) -> ValueId {
    let constant = Some(graph.add_constant(data));
    graph.add_value(XnnValue { constant, ..value })
}

/// A program that only calls the delegate, from one vector to another.
fn program(graph: &XnnGraph, input: &[u32], output: &[u32], named_data: Vec<NamedData>) -> Program {
    let mut program = Program {
        named_data,
        ..Program::default()
    };
    let blob = program
        .delegate_blobs
        .intern(payload::write(graph).unwrap());
    let mut method = Method {
        name: "forward".into(),
        arena_sizes: vec![256],
        ..Method::default()
    };
    let [x, y] = [(input, 0), (output, 128)].map(|(sizes, offset)| {
        let storage = TensorStorage::Planned(ArenaSlot { arena: 0, offset });
        method.add_value(Value::Tensor(TensorValue::contiguous(
            ScalarType::F32,
            sizes.to_vec(),
            storage,
        )))
    });
    method.delegates.push(Delegate {
        id: "XnnpackBackend".into(),
        blob,
        compile_specs: Vec::new(),
    });
    method.instructions.push(Instruction::DelegateCall {
        delegate: DelegateIndex(0),
        args: vec![x, y],
    });
    (method.inputs, method.outputs) = (vec![x], vec![y]);
    program.methods.push(method);
    program
}

#[test]
fn adds_a_named_constant_and_clamps() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut graph = XnnGraph {
        num_externs: 2,
        ..XnnGraph::default()
    };
    let x = graph.add_value(external(0, false, &[3]));
    let y = graph.add_value(external(1, true, &[3]));
    let shape = XnnValue::internal(Datatype::Fp32, vec![3]);
    let c = constant(&mut graph, shape, ConstantData::Named("offset".into()));
    let add = XnnOp::Binary {
        op: BinaryOp::Add,
        inputs: [x, c],
        output: y,
        flags: 0,
    };
    graph.nodes.push(XnnNode {
        clamp: Some(Clamp {
            min: 0.0,
            max: 25.0,
        }),
        ..XnnNode::new(add)
    });
    let named = NamedData {
        key: "offset".into(),
        data: bytes_of(&[10.0, 20.0, 30.0]).into(),
    };
    let program = program(&graph, &[3], &[3], vec![named]);
    let outputs = run(&runner, &program, &[&[1.0, -25.0, 3.0], &[0.5, 4.0, -30.0]]);
    assert_eq!(outputs, [[11.0, 0.0, 25.0], [10.5, 24.0, 0.0]]);
}

/// Weights of 8 bits with a scale per channel, activations quantised at run time.
#[test]
fn multiplies_by_inline_weights() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let mut graph = XnnGraph {
        num_externs: 2,
        ..XnnGraph::default()
    };
    let x = graph.add_value(external(0, false, &[1, 2]));
    let y = graph.add_value(external(1, true, &[1, 2]));
    let dynamic = Quant::PerTokenDynamic {
        num_nonbatch_dims: 1,
    };
    let rows = XnnValue {
        quant: Some(dynamic),
        ..XnnValue::internal(Datatype::QdInt8, vec![1, 2])
    };
    let rows = graph.add_value(rows);
    let scales = Quant::PerChannel {
        scales: Scales::Inline(vec![0.5, 2.0]),
        channel_dim: 0,
    };
    let filter = XnnValue {
        quant: Some(scales),
        ..XnnValue::internal(Datatype::QcInt8, vec![2, 2])
    };
    let filter = constant(
        &mut graph,
        filter,
        ConstantData::Inline(Bytes::from_static(&[2, 4, 1, 255])),
    );
    let bias = XnnValue::internal(Datatype::Fp32, vec![2]);
    let bias = constant(
        &mut graph,
        bias,
        ConstantData::Inline(bytes_of(&[100.0, 200.0])),
    );
    let convert = XnnOp::Unary {
        op: payload::UnaryOp::Convert,
        input: x,
        output: rows,
        flags: 0,
    };
    graph.nodes.push(XnnNode::new(convert));
    let product = XnnOp::FullyConnected {
        input: rows,
        filter,
        bias: Some(bias),
        output: y,
        flags: 0,
    };
    graph.nodes.push(XnnNode::new(product));
    let program = program(&graph, &[1, 2], &[1, 2], Vec::new());
    let output = &run(&runner, &program, &[&[1.0, 3.0]])[0];
    // (1, 3) times ((1, 2), (2, -2)) is (7, -4). Activations are rounded to 255 steps between 0 and 3, each by half a step
    // at most, which weights of 1 + 2 and of 2 + 2 in all carry on.
    let half_step = 0.5 * 3.0 / 255.0;
    let expected = [(107.0, 3.0), (196.0, 4.0)];
    assert_eq!(output.len(), expected.len());
    for (got, (wanted, weights)) in output.iter().zip(expected) {
        assert!((got - wanted).abs() <= half_step * weights, "{output:?}");
    }
}
