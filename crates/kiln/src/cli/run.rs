//! The arguments of `kiln run`.

use super::values::{or_stdout, parse_amount, parse_decibels, parse_positive};
use crate::commands::run::Options;
use crate::compare::Tolerance;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct RunArgs {
    /// An archive (.pt2), a text graph, a program (.pte), a TOSA file (.tosa) or the folder of a C project.
    file: PathBuf,
    /// Which method of a program.
    #[arg(long, default_value = "forward")]
    method: String,
    /// Inputs: tensors `<run>.in.<i>`, as `0.in.0`.
    #[arg(long, value_name = "IN.safetensors")]
    inputs: Option<PathBuf>,
    /// Where to write the outputs; `-` is stdout.
    #[arg(long, value_name = "OUT.safetensors")]
    outputs: Option<PathBuf>,
    /// Golden outputs `<run>.out.<i>`, as `0.out.0`, and the inputs unless given apart.
    #[arg(long, value_name = "GOLDEN.safetensors")]
    expect: Option<PathBuf>,
    /// Tolerance relative to the golden value [default: by dtype, 1e-4 for f32, or 80 dB].
    #[arg(long, value_name = "R", value_parser = parse_amount, requires = "expect")]
    rtol: Option<f64>,
    /// Absolute tolerance [default: by dtype, 1e-5 for f32, or 80 dB].
    #[arg(long, value_name = "A", value_parser = parse_amount, requires = "expect")]
    atol: Option<f64>,
    /// Judge by signal-to-noise ratio instead: at least so many dB.
    #[arg(long, value_name = "DB", value_parser = parse_decibels, requires = "expect")]
    sqnr: Option<f64>,
    /// What executes a program.
    #[arg(long, value_enum, default_value = "builtin")]
    runtime: Runtime,
    /// Fill planned memory with garbage first.
    #[arg(long)]
    poison: bool,
    /// Threads that execute [default: 1 on the stock runtime, else all processors].
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    threads: Option<usize>,
    /// A folder of CMSIS-NN, whose kernels C projects are linked with in place of kiln_nn's [default: $CMSIS_NN_PATH, if it is set and the core's functions run there].
    #[arg(long, value_name = "DIR")]
    cmsis_nn: Option<PathBuf>,
    /// Time so many further executions of the last run.
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    repeat: Option<usize>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Runtime {
    /// Kiln's own.
    Builtin,
    /// The stock ExecuTorch runtime, by its runner, which scripts/stock-runtime installs.
    Executorch,
    /// A board of QEMU, for C projects; scripts/arm-tools installs compiler and QEMU.
    Qemu,
}

impl RunArgs {
    /// What the command takes.
    pub(super) fn into_options(self, quiet: bool) -> Options {
        Options {
            file: self.file,
            method: self.method,
            inputs: self.inputs,
            outputs: self.outputs.map(or_stdout),
            expect: self.expect,
            tolerance: Tolerance {
                rtol: self.rtol,
                atol: self.atol,
                sqnr: self.sqnr,
            },
            runtime: match self.runtime {
                Runtime::Builtin => kiln_target::Runtime::Builtin,
                Runtime::Executorch => kiln_target::Runtime::Executorch,
                Runtime::Qemu => kiln_target::Runtime::Qemu,
            },
            poison: self.poison,
            threads: self.threads,
            cmsis_nn: self.cmsis_nn,
            repeat: self.repeat,
            json: self.json,
            quiet,
        }
    }
}
