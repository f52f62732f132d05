//! The stock runtime, started through its runner.

use std::path::Path;
use std::process::Command;

use bytes::Bytes;
use kiln_ir::{DType, TensorData};
use kiln_pte::Program;
use kiln_target::{Role, Runs};

/// The values as little-endian bytes.
pub fn bytes_of(values: &[f32]) -> Bytes {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Executes the program on each input in one loaded method. Returns the first output of each execution.
pub fn run(runner: &Path, program: &Program, inputs: &[&[f32]]) -> Vec<Vec<f32>> {
    let directory = tempfile::tempdir().unwrap();
    let [pte, fed, out] =
        ["p.pte", "in.safetensors", "out.safetensors"].map(|name| directory.path().join(name));
    kiln_pte::write_file(program, &pte).unwrap();
    let mut fed_runs = Runs::default();
    for (run, values) in inputs.iter().enumerate() {
        let sizes = shape(program, values.len());
        let data = TensorData::new(DType::F32, sizes, bytes_of(values)).unwrap();
        fed_runs.insert(run, Role::Input, 0, data);
    }
    fed_runs.write(&fed).unwrap();
    let done = Command::new(runner)
        .arg(&pte)
        .arg("--in")
        .arg(&fed)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{:?}\n{}",
        done.status,
        String::from_utf8_lossy(&done.stderr)
    );
    let written = Runs::read(&out).unwrap();
    let floats = |run| {
        let data = written.get(run, Role::Output, 0).unwrap();
        let floats = data.bytes().chunks_exact(4);
        floats
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
            .collect()
    };
    (0..inputs.len()).map(floats).collect()
}

/// The declared shape of the first input, or a vector if the shape is a bound that the input does not reach.
fn shape(program: &Program, length: usize) -> Vec<usize> {
    let method = &program.methods[0];
    let tensor = method.tensor(method.inputs[0]).unwrap();
    match tensor.numel() {
        Some(n) if n == length as u64 => tensor.sizes.iter().map(|&size| size as usize).collect(),
        _ => vec![length],
    }
}
