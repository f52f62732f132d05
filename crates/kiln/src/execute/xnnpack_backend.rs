//! XNNPACK delegates on the builtin runtime.

use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_pte::runtime::{Backend, LoadedDelegate};
use kiln_xnnpack::Loaded;
use kiln_xnnpack::payload;

/// Executes XNNPACK payloads by their meaning in core ops.
pub struct XnnpackBackend;

struct Delegate {
    loaded: Loaded,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl Backend for XnnpackBackend {
    fn id(&self) -> &'static str {
        kiln_xnnpack::BACKEND
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
