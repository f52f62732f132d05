//! XNNPACK payloads: executed on the builtin runtime, described, and as files of their own.

use crate::payload::{
    self, BinaryOp, ConstantData, Datatype, UnaryOp, ValueId, XnnGraph, XnnOp, XnnValue,
};
use crate::support::rounding;
use crate::{BACKEND, Loaded};
use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_files::Pending;
use kiln_portable::program::DelegateReader;
use kiln_pte::runtime::{Backend, LoadedDelegate};
use kiln_target::{
    Activations, Artifact, Error, Executor, Explain, Format, Found, Kind, Loading, Signature,
    read_mapped,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Executes XNNPACK payloads by their meaning in core ops.
pub struct XnnpackPayloads;

struct Delegate {
    loaded: Loaded,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl Backend for XnnpackPayloads {
    fn id(&self) -> &'static str {
        BACKEND
    }

    fn load(
        &self,
        blob: &Bytes,
        named: &dyn Fn(&str) -> Option<Bytes>,
    ) -> Result<Box<dyn LoadedDelegate>, String> {
        let graph = payload::read(blob.clone()).map_err(|e| e.to_string())?;
        payload::check(&graph).map_err(|e| e.to_string())?;
        let positions = |ids: Vec<payload::ValueId>| -> Vec<usize> {
            let external = |id| graph.value(id).and_then(|v| v.external);
            ids.into_iter()
                .filter_map(external)
                .map(|e| e.position as usize)
                .collect()
        };
        let (inputs, outputs) = (positions(graph.inputs()), positions(graph.outputs()));
        let loaded = Loaded::new(blob, named).map_err(|e| e.to_string())?;
        Ok(Box::new(Delegate {
            loaded,
            inputs,
            outputs,
        }))
    }
}

impl LoadedDelegate for Delegate {
    fn is_output(&self, position: usize) -> bool {
        self.outputs.contains(&position)
    }

    fn execute(&self, args: &[Option<Tensor>]) -> Result<Vec<(usize, Tensor)>, String> {
        let argument = |&p: &usize| {
            args.get(p)
                .cloned()
                .flatten()
                .ok_or(format!("argument {p} is missing"))
        };
        let inputs: Result<Vec<Tensor>, String> = self.inputs.iter().map(argument).collect();
        let results = self.loaded.execute(&inputs?).map_err(|e| e.to_string())?;
        Ok(self.outputs.iter().copied().zip(results).collect())
    }
}

impl DelegateReader for XnnpackPayloads {
    fn inspect(&self, payload: &Bytes) -> Result<Value, String> {
        let graph = payload::read(payload.clone()).map_err(|e| e.to_string())?;
        Ok(payload_json(&graph, payload.len()))
    }

    fn gives_quantised(&self, payload: &Bytes, position: usize) -> bool {
        let is_it = |value: &XnnValue| {
            let crossing = value.external.as_ref();
            let is_given = crossing.is_some_and(|e| e.output && e.position as usize == position);
            is_given && matches!(value.datatype, Datatype::QInt8 | Datatype::QUInt8)
        };
        payload::read(payload.clone()).is_ok_and(|graph| graph.values.iter().any(is_it))
    }

    fn activations(&self, payload: &Bytes, position: usize) -> Option<Activations> {
        activations(&payload::read(payload.clone()).ok()?, position)
    }
}

/// The coarsest numbers that an output follows from. What the caller gives was rounded before, and what is only moved too.
fn activations(graph: &XnnGraph, position: usize) -> Option<Activations> {
    let own = |datatype: Datatype, moves: bool, sums: bool| match datatype {
        Datatype::QdInt8 => Activations::IntegersByRow,
        Datatype::QInt8 | Datatype::QUInt8 if !moves => Activations::Integers,
        Datatype::Bf16 if !moves => Activations::BF16,
        Datatype::Fp16 if sums => Activations::SumsOfF16,
        Datatype::Fp16 if !moves => Activations::F16,
        _ if moves => Activations::F64,
        _ => Activations::F32,
    };
    let shift = rounding::shift_name();
    let mut found = vec![Activations::F64; graph.values.len()];
    for node in &graph.nodes {
        let moves = matches!(
            node.op,
            XnnOp::Transpose { .. }
                | XnnOp::Reshape { .. }
                | XnnOp::Slice { .. }
                | XnnOp::Concat { .. }
        );
        let sums = matches!(
            node.op,
            XnnOp::FullyConnected { .. } | XnnOp::BatchMatMul { .. } | XnnOp::Conv { .. }
        );
        let from = node
            .op
            .inputs()
            .into_iter()
            .map(|input| found[input.index()]);
        let from = from.max().unwrap_or_default();
        // Numbers that are given are the same everywhere. Two right values beside a tie become two whole numbers.
        let whole = rounded(graph, &node.op, &shift);
        let makes_whole = whole.is_some_and(|v| found[v.index()] > Activations::F64);
        let own_of = |datatype| match makes_whole {
            true => Activations::Integers,
            false => own(datatype, moves, sums),
        };
        for output in node.op.outputs() {
            let datatype = graph.values[output.index()].datatype;
            found[output.index()] = from.max(own_of(datatype));
        }
    }
    let is_output = |value: &XnnValue| {
        let external = value.external.as_ref();
        external.is_some_and(|e| e.output && e.position as usize == position)
    };
    let output = graph.values.iter().position(is_output);
    output.map(|output| found[output])
}

/// What an operator rounds to whole numbers, if it is the last one of such a rounding: it subtracts the shift that was added, or converts
/// floats to plain integers.
fn rounded(graph: &XnnGraph, op: &XnnOp, shift: &str) -> Option<ValueId> {
    if let XnnOp::Unary {
        op: UnaryOp::Convert,
        input,
        output,
        ..
    } = op
    {
        let [from, to] = [input, output].map(|value| graph.values[value.index()].datatype);
        let is_float = matches!(from, Datatype::Fp32 | Datatype::Fp16);
        return (is_float && to == Datatype::Int32).then_some(*input);
    }
    let [sum, number] = pair(op, BinaryOp::Subtract)?;
    let constant = graph.values[number.index()].constant?;
    let is_shift = |data: &ConstantData| matches!(data, ConstantData::Named(name) if name == shift);
    let constant = graph.constants.get(constant.0 as usize);
    let writer = |value| graph.nodes.iter().find(|n| n.op.outputs().contains(&value));
    let [limited, _] = pair(
        &writer(sum).filter(|_| constant.is_some_and(is_shift))?.op,
        BinaryOp::Add,
    )?;
    let limit = writer(limited).filter(|node| node.clamp == Some(rounding::LIMITS));
    Some(limit.map_or(limited, |node| node.op.inputs()[0]))
}

fn pair(op: &XnnOp, of: BinaryOp) -> Option<[ValueId; 2]> {
    match op {
        XnnOp::Binary { op, inputs, .. } if *op == of => Some(*inputs),
        _ => None,
    }
}

/// Whether XNNPACK's kernels of f16 add up in f16 on this processor (docs/special_values.md). Its source files say so:
/// `src/configs/gemm-config.c` takes kernels of `avx512fp16` and of `neonfp16arith` where the processor has these instructions.
pub fn adds_up_in_f16() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx512fp16");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("fp16");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    false
}

fn payload_json(graph: &XnnGraph, bytes: usize) -> Value {
    let mut nodes = BTreeMap::<&str, usize>::new();
    let names = graph.nodes.iter().map(|n| n.op.name());
    names.for_each(|name| *nodes.entry(name).or_default() += 1);
    let lines: Vec<String> = graph.to_string().lines().map(str::to_string).collect();
    json!({ "kind": "XNNPACK payload", "bytes": bytes, "nodes": nodes, "payload": lines })
}

/// As messages speak of payloads in files.
pub const PAYLOAD: Kind = Kind {
    name: "an XNNPACK payload",
    extension: "",
    runtimes: &[],
    advice: "run the program that calls it",
    ignores: &[],
};

/// A payload in a file of its own, to be inspected.
struct PayloadArtifact(Bytes);

impl Artifact for PayloadArtifact {
    fn kind(&self) -> &'static Kind {
        &PAYLOAD
    }

    fn methods(&self) -> Vec<String> {
        Vec::new()
    }

    /// Its tensors are those of the program that calls it.
    fn signature(&self, _: &str) -> Option<Signature> {
        None
    }

    fn prepare(&self, path: &Path) -> Result<(Pending, u64), Error> {
        let prepared = kiln_files::prepare(path, &self.0);
        let file = prepared.explain(|| format!("cannot write {}", path.display()))?;
        Ok((Pending::File(file), self.0.len() as u64))
    }

    fn size(&self) -> Result<u64, Error> {
        Ok(self.0.len() as u64)
    }

    fn inspect(&self) -> Result<Value, Error> {
        XnnpackPayloads.inspect(&self.0).map_err(Error::new)
    }

    fn load<'a>(&'a self, _: &str, _: &Loading) -> Result<Box<dyn Executor + 'a>, Error> {
        let message = "the payload of a delegate does not run alone; run the program that calls it";
        Err(Error::new(message))
    }
}

impl Format for XnnpackPayloads {
    fn kind(&self) -> &'static Kind {
        &PAYLOAD
    }

    fn recognises(&self, found: &Found<'_>) -> bool {
        payload::is_payload(found.head())
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Artifact>, Error> {
        Ok(Box::new(PayloadArtifact(read_mapped(path)?)))
    }
}
