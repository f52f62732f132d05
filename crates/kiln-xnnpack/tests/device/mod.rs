//! Runs graphs on the stock runtime, by its runner.

#![allow(dead_code, reason = "each test file uses a part")]

use kiln_eval::Tensor;
use kiln_ir::{DType, Graph, TensorData};
use kiln_portable::region::Region;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize_to_file};
use std::path::PathBuf;
use std::process::Command;

const DTYPES: [(DType, Dtype); 8] = [
    (DType::Bool, Dtype::BOOL),
    (DType::I8, Dtype::I8),
    (DType::I32, Dtype::I32),
    (DType::I64, Dtype::I64),
    (DType::F16, Dtype::F16),
    (DType::BF16, Dtype::BF16),
    (DType::F32, Dtype::F32),
    (DType::F64, Dtype::F64),
];

fn view(tensor: &Tensor) -> TensorView<'_> {
    let (_, dtype) = DTYPES.iter().find(|(d, _)| *d == tensor.dtype()).unwrap();
    TensorView::new(*dtype, tensor.sizes().to_vec(), tensor.bytes()).unwrap()
}

/// The results of the program of a graph and its regions.
pub fn run(
    runner: &PathBuf,
    graph: &Graph,
    regions: Vec<Region>,
    inputs: &[Tensor],
) -> Vec<Tensor> {
    let runs = [inputs.to_vec()];
    run_all(runner, graph, regions, &runs).remove(0)
}

/// The results of the program for each list of inputs. All runs are in one process, one after the other.
pub fn run_all(
    runner: &PathBuf,
    graph: &Graph,
    regions: Vec<Region>,
    runs: &[Vec<Tensor>],
) -> Vec<Vec<Tensor>> {
    let method = kiln_portable::Method {
        graph,
        regions,
        container: None,
    };
    let emitted = kiln_portable::emit(&[method], &kiln_portable::Options::default()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let [pte, fed, out] =
        ["p.pte", "in.safetensors", "out.safetensors"].map(|name| directory.path().join(name));
    kiln_pte::write_file(&emitted.program, &pte).unwrap();
    let mut views = Vec::new();
    for (run, inputs) in runs.iter().enumerate() {
        views.extend(
            inputs
                .iter()
                .enumerate()
                .map(|(i, t)| (format!("{run}.in.{i}"), view(t))),
        );
    }
    serialize_to_file(views, None, &fed).unwrap();
    let mut command = Command::new(runner);
    command
        .arg(&pte)
        .arg("--in")
        .arg(&fed)
        .arg("--out")
        .arg(&out);
    let done = command.output().unwrap();
    assert!(
        done.status.success(),
        "{:?}\n{}",
        done.status,
        String::from_utf8_lossy(&done.stderr)
    );
    let written = std::fs::read(&out).unwrap();
    let tensors = SafeTensors::deserialize(&written).unwrap();
    let read = |run: usize, i: usize| {
        let tensor = tensors.tensor(&format!("{run}.out.{i}")).unwrap();
        let (dtype, _) = DTYPES.iter().find(|(_, d)| *d == tensor.dtype()).unwrap();
        let bytes = bytes::Bytes::copy_from_slice(tensor.data());
        Tensor::from(TensorData::new(*dtype, tensor.shape().to_vec(), bytes).unwrap())
    };
    let outputs = graph.block(graph.root()).results.len();
    (0..runs.len())
        .map(|run| (0..outputs).map(|i| read(run, i)).collect())
        .collect()
}
