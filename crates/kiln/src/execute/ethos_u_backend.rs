//! Ethos-U delegates on the builtin runtime, which executes no command streams: only the TOSA files that stand in for them.

use bytes::Bytes;
use kiln_ethos::{payload, stood_in};
use kiln_eval::Tensor;
use kiln_ir::TensorData;
use kiln_pte::runtime::{Backend, LoadedDelegate};
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::evaluate::evaluate;

/// Executes what stands in for command streams.
pub struct EthosUBackend;

struct Delegate(TosaGraph);

impl Backend for EthosUBackend {
    fn id(&self) -> &'static str {
        kiln_ethos::BACKEND
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
