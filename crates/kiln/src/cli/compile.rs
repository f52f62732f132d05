//! The arguments of `kiln compile`.

use super::values::{or_stdout, parse_bytes, parse_method, parse_stop};
use crate::budgets::Budgets;
use crate::commands::compile::Options;
use crate::compiler::{Job, PassOptions};
use crate::model_options::ModelOptions;
use crate::usage::UsageError;
use anyhow::Result;
use clap::{Args, ValueEnum};
use kiln_target::{Choice, Options as TargetOptions};
use kiln_transforms::framework::pass::StopAfter;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct CompileArgs {
    /// The archive (.pt2) of the method `forward`.
    model: PathBuf,
    /// The file to write; for targets ethos-* a program, or, if its name ends in .tosa, the TOSA file. For targets cortex-* and
    /// host-c a folder, which ends in / if it is new, or, if its name ends in .pte, a program. A file that is there is replaced.
    /// A folder that is there is replaced if it is empty or has an earlier project as Kiln wrote it. It is refused, and stays as it
    /// is, if it has any other file or one that was changed. `-` is stdout.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    options: ModelOptions,
    /// Another method from another archive.
    #[arg(long = "method", value_name = "NAME=OTHER.pt2", value_parser = parse_method)]
    methods: Vec<(String, PathBuf)>,
    /// Check every pass by verifier and evaluator; what fails is cut down and printed as text.
    #[arg(long)]
    verify: bool,
    /// End the pipeline after the first run of a pass, or after its N-th rewrite, counted over all its runs; `list` names those
    /// of the target.
    #[arg(long, value_name = "PASS[:N]", value_parser = parse_stop)]
    stop_after: Option<StopAfter>,
    /// Write what was done and why as JSON.
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Keep quantised inputs and outputs as floats (for targets with an integer border; in programs they are floats anyway).
    #[arg(long)]
    float_io: bool,
    /// The model's name in C, for targets that write C projects [default: the folder's name].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// One more argument for Vela (for targets ethos-*), such as --vela=--memory-mode=Shared_Sram; the last of a kind
    /// counts.
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    vela: Vec<String>,
    /// The kernels for what the NPU does not take (for targets ethos-*) [default: cortex-m].
    #[arg(long, value_enum)]
    kernels: Option<KernelsBeside>,
    /// Fail if a method has more delegates.
    #[arg(long, value_name = "N")]
    max_delegates: Option<u64>,
    /// Fail if a method calls more kernels.
    #[arg(long, value_name = "N")]
    max_kernel_calls: Option<u64>,
    /// Fail if a method reorders more bytes.
    #[arg(long, value_name = "N", value_parser = parse_bytes)]
    max_transposed_bytes: Option<u64>,
    /// Fail if a method plans more bytes; C projects compute by rows as far as that asks.
    #[arg(long, value_name = "N", value_parser = parse_bytes)]
    max_arena: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KernelsBeside {
    /// The cortex_m kernels of ExecuTorch, which compute in 8-bit integers.
    CortexM,
    /// The stock runtime's, which compute in floats.
    Portable,
}

impl CompileArgs {
    /// What the command takes.
    pub(super) fn into_options(self, quiet: bool) -> Result<Options> {
        let target = self.options.target;
        if !self.vela.is_empty() && !target.has(Choice::Vela) {
            let message =
                format!("--vela is for targets ethos-*; {target} is compiled without Vela");
            return Err(UsageError::new(message).into());
        }
        if self.kernels.is_some() && !target.has(Choice::Kernels) {
            let message =
                format!("--kernels is for targets ethos-*; {target} has one set of kernels");
            return Err(UsageError::new(message).into());
        }
        let output = or_stdout(self.output);
        let mut methods = vec![("forward".to_owned(), self.model)];
        methods.extend(self.methods);
        let job = self.options.job(methods)?;
        Ok(Options {
            job: Job {
                target_options: TargetOptions {
                    float_io: self.float_io,
                    name: self.name,
                    arena: self.max_arena,
                    output: Some(output.clone()),
                    arguments: self.vela,
                    stock_kernels: self.kernels == Some(KernelsBeside::Portable),
                    ..job.target_options
                },
                passes: PassOptions {
                    verify: self.verify,
                    stop_after: self.stop_after,
                },
                ..job
            },
            output,
            report: self.report.map(or_stdout),
            budgets: Budgets {
                delegates: self.max_delegates,
                kernel_calls: self.max_kernel_calls,
                transposed_bytes: self.max_transposed_bytes,
                arena: self.max_arena,
            },
            quiet,
        })
    }
}
