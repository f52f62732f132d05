//! Payloads that hold a TOSA graph in place of commands: for checks where there is no NPU.
//!
//! No core runs such a payload. Behind `COP1` stands the TOSA file.

use crate::compile::CommandStreams;
use crate::payload::{Data, Payload, Slot};
use crate::vela::VelaError;
use bytes::Bytes;
use kiln_tosa::dialect::{TensorId, TosaGraph};
use kiln_tosa::file::{is_tosa, write};

const MAGIC: &[u8] = b"COP1";

/// Makes payloads that hold TOSA files.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandIn;

impl CommandStreams for StandIn {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        let mut commands = MAGIC.to_vec();
        commands.extend(write(file)?.to_bytes());
        let slots = |tensors: &[TensorId]| tensors.iter().map(|&t| slot(file, t)).collect();
        let main = file.main();
        Ok(Payload {
            commands: Data::Here(commands.into()),
            weights: Data::Here(Bytes::new()),
            scratch_bytes: 0,
            inputs: slots(&main.inputs),
            outputs: slots(&main.outputs),
        })
    }
}

/// The TOSA file of a payload, if it holds one.
pub fn stood_in(payload: &Payload) -> Option<Bytes> {
    let Data::Here(commands) = &payload.commands else {
        return None;
    };
    let file = commands.get(MAGIC.len()..)?;
    is_tosa(file).then(|| commands.slice(MAGIC.len()..))
}

/// The payload's entry of a tensor, with ones in front of its sizes.
fn slot(file: &TosaGraph, id: TensorId) -> Slot {
    let mut dims = [1; 6];
    let mut element_bytes = 0;
    if let Some(tensor) = file.main().tensor(id) {
        let sizes = tensor.shape.iter().rev();
        for (dim, &size) in dims.iter_mut().rev().zip(sizes) {
            *dim = i32::try_from(size).unwrap_or(i32::MAX);
        }
        element_bytes = (tensor.dtype.bits() / 8) as i32;
    }
    Slot {
        dims,
        element_bytes,
        offset: 0,
        region: 1,
    }
}
