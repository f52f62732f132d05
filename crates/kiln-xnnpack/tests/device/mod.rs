//! Runs graphs on the stock runtime, by its runner.

#![allow(dead_code, reason = "each test file uses a part")]

use kiln_eval::Tensor;
use kiln_ir::{Graph, TensorData};
use kiln_portable::region::Region;
use kiln_target::{Role, Runs};
use kiln_transforms::framework::pass::{Options, run_pipeline};
use kiln_xnnpack::Xnnpack;
use kiln_xnnpack::payload::{XnnGraph, read};
use std::path::PathBuf;
use std::process::Command;

/// The graph behind the target's passes, and the regions of its delegates.
pub fn compiled(graph: &Graph) -> (Graph, Vec<Region>) {
    let (mut made, target) = (graph.clone(), Xnnpack::default());
    let passes = kiln_xnnpack::pipeline();
    run_pipeline(&mut made, &target, passes, &Options::default()).unwrap();
    let regions = kiln_xnnpack::compile(&made, target.options()).unwrap();
    (made, regions)
}

/// The payloads of regions.
pub fn payloads(regions: &[Region]) -> Vec<XnnGraph> {
    let blobs = regions.iter().map(|region| region.blob().unwrap().clone());
    blobs.map(|blob| read(blob).unwrap()).collect()
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
    let mut tensors = Runs::default();
    for (run, inputs) in runs.iter().enumerate() {
        for (i, input) in inputs.iter().enumerate() {
            tensors.insert(run, Role::Input, i, TensorData::from(input.clone()));
        }
    }
    tensors.write(&fed).unwrap();
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
    let written = Runs::read(&out).unwrap();
    let read = |run, i| Tensor::from(written.get(run, Role::Output, i).unwrap().clone());
    let outputs = graph.block(graph.root()).results.len();
    (0..runs.len())
        .map(|run| (0..outputs).map(|i| read(run, i)).collect())
        .collect()
}
