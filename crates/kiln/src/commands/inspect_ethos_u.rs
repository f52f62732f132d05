//! What `kiln inspect` says of the payload of an Ethos-U delegate.

use kiln_ethos::payload::{Data, Payload, Slot};
use serde_json::{Value, json};

/// A payload as a document: its blocks and its border.
pub fn payload_json(payload: &Payload, bytes: usize) -> Value {
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
