//! `kiln bench`: calls the benchmarks, which are a separate program, so that the compiler does not carry them.

use crate::usage::UsageError;
use anyhow::{Context, Result, bail};
use kiln_process::Tool;
use std::ffi::OsString;
use std::process::Command;

const BENCHMARKS: Tool = Tool {
    name: "bench",
    variable: "KILN_BENCH",
    installed: None,
    remedy: "the benchmarks; `cargo build --release --workspace --bins` builds them beside kiln",
};

/// Runs the benchmarks with these arguments. They print their own output.
///
/// # Errors
/// The program is missing, refuses the arguments, or fails.
pub fn run(arguments: &[OsString]) -> Result<()> {
    let program = BENCHMARKS.find()?;
    let mut command = Command::new(&program);
    let status = command
        .args(arguments)
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(UsageError::new("the benchmarks do not take these arguments").into()),
        _ => bail!("the benchmark failed: {status}"),
    }
}
