//! Runs programs on both runtimes.

use kiln_eval::Tensor;
use kiln_ir::TensorData;
use kiln_pte::Program;
use kiln_pte::runtime::{self, Item, Runtime};
use kiln_target::{Role, Runs};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

/// Why a runtime gives no results.
#[derive(Debug)]
pub enum Failure {
    /// A kernel refuses what it is called with.
    Refuses(String),
    /// A division of integers that the machine refuses (SIGFPE), or a kernel that has no other way to refuse (SIGABRT), ends the process.
    Traps,
    /// The program does not get as far, or the runtime ends without a word.
    Breaks(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refuses(said) => write!(f, "refuses: {said}"),
            Failure::Traps => f.write_str("is ended by a division or a check"),
            Failure::Breaks(said) => write!(f, "breaks: {said}"),
        }
    }
}

/// The signal of a division by zero, and of the least integer by -1.
const SIGFPE: i32 = 8;

/// The signal of a kernel's check that fails.
const SIGABRT: i32 = 6;

/// The runner's exit code for a call that a kernel refuses (see the head of `tools/et_run/et_run.cpp`).
const REFUSED: i32 = 6;

/// The results of the stock runtime, or what it says.
pub fn on_stock(
    runner: &Path,
    program: &Program,
    inputs: &[Tensor],
    outputs: usize,
) -> Result<Vec<Tensor>, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let [pte, fed, out] =
        ["p.pte", "in.safetensors", "out.safetensors"].map(|n| folder.path().join(n));
    kiln_pte::write_file(program, &pte).unwrap();
    let mut runs = Runs::default();
    for (i, input) in inputs.iter().enumerate() {
        runs.insert(0, Role::Input, i, TensorData::from(input.clone()));
    }
    runs.write(&fed).unwrap();
    let mut command = Command::new(runner);
    let done = command
        .arg(&pte)
        .arg("--in")
        .arg(&fed)
        .arg("--out")
        .arg(&out)
        .output();
    let done = done.unwrap();
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(match done.status.code() {
            Some(REFUSED) => Failure::Refuses(said),
            None if matches!(done.status.signal(), Some(SIGFPE | SIGABRT)) => Failure::Traps,
            _ => Failure::Breaks(format!("{}: {said}", done.status)),
        });
    }
    let written = Runs::read(&out).unwrap();
    let read = |i: usize| Tensor::from(written.get(0, Role::Output, i).unwrap().clone());
    Ok((0..outputs).map(read).collect())
}

/// The results of the builtin runtime, or what it says.
pub fn on_builtin(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
    let options = runtime::Options { poison: Some(0xA5) };
    let loaded = Runtime::load(program, "forward", &[], &options);
    let mut loaded = loaded.map_err(|e| Failure::Breaks(e.to_string()))?;
    let inputs: Vec<_> = inputs.iter().cloned().map(Some).collect();
    let found = loaded.execute(&inputs);
    let found = found.map_err(|e| Failure::Refuses(e.to_string()))?;
    let tensor = |item: Item| match item {
        Item::Tensor(tensor) => tensor,
        other => panic!("{other:?}"),
    };
    Ok(found.into_iter().map(tensor).collect())
}
