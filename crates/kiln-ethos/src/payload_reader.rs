//! Payloads of Ethos-U delegates, executed and described. The builtin runtime executes no command streams: only the TOSA
//! files that stand in for them.

use crate::payload::{self, Data, Payload, Slot};
use crate::{BACKEND, stood_in};
use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_ir::TensorData;
use kiln_portable::program::DelegateReader;
use kiln_pte::runtime::{Backend, LoadedDelegate};
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::evaluate::evaluate;
use serde_json::{Value, json};

/// Executes what stands in for command streams, and describes both.
pub struct EthosUPayloads;

struct Delegate(TosaGraph);

impl Backend for EthosUPayloads {
    fn id(&self) -> &'static str {
        BACKEND
    }

    fn load(
        &self,
        blob: &Bytes,
        _: &dyn Fn(&str) -> Option<Bytes>,
    ) -> Result<Box<dyn LoadedDelegate>, String> {
        let payload = payload::read(blob).map_err(|e| e.to_string())?;
        let Some(file) = stood_in(&payload) else {
            return Err(
                "the command stream of an Ethos-U runs on that NPU only; to see what it computes, compile with \
                 -o FILE.tosa and run that"
                    .into(),
            );
        };
        let graph = kiln_tosa::file::read(&file).map_err(|e| e.to_string())?;
        Ok(Box::new(Delegate(graph)))
    }
}

impl LoadedDelegate for Delegate {
    fn is_output(&self, position: usize) -> bool {
        position >= self.0.main().inputs.len()
    }

    fn execute(&self, args: &[Option<Tensor>]) -> Result<Vec<(usize, Tensor)>, String> {
        let main = self.0.main();
        let inputs = main.inputs.iter().enumerate().map(|(p, &id)| {
            let given = args.get(p).cloned().flatten();
            let given = given.ok_or(format!("argument {p} is missing"))?;
            let declared = main.tensor(id).ok_or("an input is not declared")?;
            let data = TensorData::from(given);
            let data = data.reshaped(declared.shape.clone());
            data.map(Tensor::from).map_err(|e| e.to_string())
        });
        let inputs: Vec<Tensor> = inputs.collect::<Result<_, String>>()?;
        let first = inputs.len();
        let made = evaluate(&self.0, &inputs).map_err(|e| e.to_string())?;
        let numbered = made.into_iter().enumerate();
        Ok(numbered.map(|(i, tensor)| (first + i, tensor)).collect())
    }
}

impl DelegateReader for EthosUPayloads {
    fn inspect(&self, payload: &Bytes) -> Result<Value, String> {
        let read = payload::read(payload).map_err(|e| e.to_string())?;
        Ok(payload_json(&read, payload.len()))
    }
}

/// A payload as a document: its blocks and its border.
fn payload_json(payload: &Payload, bytes: usize) -> Value {
    let slots = |slots: &[Slot]| -> Vec<Value> { slots.iter().map(slot_json).collect() };
    json!({
        "kind": "Ethos-U command stream",
        "bytes": bytes,
        "commands": data_json(&payload.commands),
        "weights": data_json(&payload.weights),
        "scratch_bytes": payload.scratch_bytes,
        "inputs": slots(&payload.inputs),
        "outputs": slots(&payload.outputs),
    })
}

/// How many bytes, or the key of those that are elsewhere.
fn data_json(data: &Data) -> Value {
    match data {
        Data::Here(bytes) => bytes.len().into(),
        Data::Named(key) => key.as_str().into(),
    }
}

fn slot_json(slot: &Slot) -> Value {
    json!({
        "dims": slot.dims,
        "element_bytes": slot.element_bytes,
        "offset": slot.offset,
        "region": slot.region,
    })
}
