//! The grammar of the command line: the commands, and a file for the arguments of each. `commands` has the work.

mod check;
mod compile;
mod explain;
mod inspect;
mod opt;
mod plan;
mod quantize;
mod run;
mod values;

use crate::commands::{self, bench, pages};
use anyhow::Result;
use check::CheckArgs;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use compile::CompileArgs;
use explain::ExplainArgs;
use inspect::InspectArgs;
use opt::OptArgs;
use plan::PlanArgs;
use quantize::QuantizeArgs;
use run::RunArgs;
use std::ffi::OsString;
use std::path::PathBuf;

/// The version, with the commit that it was built from where that is known.
fn version() -> &'static str {
    env!("KILN_VERSION")
}

/// An ahead-of-time compiler for edge inference: torch.export archives (.pt2) to ExecuTorch programs (.pte), TOSA files
/// (.tosa) and C projects for microcontrollers.
#[derive(Parser)]
#[command(name = "kiln", version = version(), arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say nothing but errors.
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Compile an archive to an ExecuTorch program (.pte), a TOSA file (.tosa) or a C project (a folder).
    #[command(
        after_help = "Example:\n  kiln compile models/mobilenet_v3_small.pt2 -o mobilenet.pte --verify"
    )]
    Compile(CompileArgs),
    /// Run an archive, a text graph, a program, a TOSA file or a C project, and compare with golden outputs.
    #[command(
        after_help = "Tensors in .safetensors files are named by the number of the run, from 0, and the position among the flattened inputs \
            or outputs: 0.in.0, 0.in.1, 0.out.0; 1.in.0 is of a second run, which finds the state that the first left. A None has \
            no tensor but keeps its position; Python numbers are tensors without axes.\n\n\
            Without a tolerance, f32 passes at 80 dB of signal to noise or within rtol 1e-4 and atol 1e-5 (f16: 45 dB, 3e-3; bf16: 30 dB, \
            1e-2), what is quantised within one step, and other integers if equal. A float of a program that rounds activations to \
            integers passes at 20 dB. The exit status is 3 if a value is wrong, 1 if the run fails.\n\n\
            Example:\n  kiln run models/mobilenet_v3_small.pt2 --expect models/mobilenet_v3_small.safetensors"
    )]
    Run(RunArgs),
    /// Describe an archive, a program, a TOSA file, a C project or the payload of a delegate.
    #[command(after_help = "Example:\n  kiln inspect models/mobilenet_v3_small.pt2")]
    Inspect(InspectArgs),
    /// Run passes on an archive or a text graph, and print the graph as text.
    #[command(after_help = "Example:\n  kiln opt models/mobilenet_v3_small.pt2 --passes clean")]
    Opt(OptArgs),
    /// Say why each node is where it is.
    #[command(
        after_help = "Example:\n  kiln explain models/mobilenet_v3_small.pt2 --html explained.html"
    )]
    Explain(ExplainArgs),
    /// Quantise an archive of floats, and write an archive that PyTorch loads and `compile` takes.
    #[command(
        after_help = "PyTorch runs the archive after `import torchao`, which has the ops of quantisation. `kiln compile` makes the same \
            integers of it as `kiln compile --quantize` makes of the model. A model of f16 or bf16 is widened to f32 first; \
            `kiln compile` does so with `--precision f32`.\n\n\
            Example:\n  kiln quantize models/mobilenet_v3_small.pt2 --data models/mobilenet_v3_small.safetensors -o quantised.pt2"
    )]
    Quantize(QuantizeArgs),
    /// Plan memory for buffers given as CSV (id,lower,upper,size).
    #[command(after_help = "Example:\n  kiln plan models/buffers.csv --capacity 1048576")]
    Plan(PlanArgs),
    /// Compile many models, and compare them with budgets and golden outputs.
    #[command(
        after_help = "The file, with paths relative to its folder:\n  [defaults]                 # what every model has that does not say otherwise\n  \
            target = \"xnnpack\"\n  max-delegates = 1\n\n  [[model]]\n  path = \"mobilenet_v3_small.pt2\"\n  \
            expect = \"mobilenet_v3_small.safetensors\"\n  max-kernel-calls = 0\n  max-arena = 28500\n  max-bytes = 190000\n  \
            min-sqnr = 100\n\nThe table on stdout is Markdown. The exit status is 1 if a model fails.\n\n\
            Example:\n  kiln check models/kiln.toml"
    )]
    Check(CheckArgs),
    /// Print what completes commands in a shell.
    #[command(
        after_help = "Example:\n  kiln completions bash > ~/.local/share/bash-completion/completions/kiln"
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write a manual page for each command into a folder.
    #[command(after_help = "Example:\n  kiln man ~/.local/share/man/man1")]
    Man {
        /// The folder, which is made if it is not there.
        folder: PathBuf,
    },
    /// Run the project's benchmarks: compile, latency, passes, movement, cortex-m.
    #[command(disable_help_flag = true, after_help = "Example:\n  kiln bench passes")]
    Bench {
        /// What the benchmarks take; `kiln bench --help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

impl Cli {
    /// True if the command prints nothing but errors.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Runs the command.
    ///
    /// # Errors
    /// The input is refused or a check fails.
    pub fn run(self) -> Result<()> {
        let quiet = self.quiet;
        match self.command {
            Command::Compile(args) => commands::compile::run(&args.into_options(quiet)?),
            Command::Run(args) => commands::run::run(&args.into_options(quiet)),
            Command::Inspect(args) => commands::inspect::run(&args.file, args.json),
            Command::Opt(args) => commands::opt::run(&args.into_options(quiet)),
            Command::Explain(args) => commands::explain::run(&args.into_options(quiet)?),
            Command::Bench { arguments } => bench::run(&arguments),
            Command::Check(args) => commands::check::run(&args.into_options(quiet)),
            Command::Quantize(args) => commands::quantize::run(&args.into_options(quiet)),
            Command::Completions { shell } => pages::completions(shell, &mut Cli::command()),
            Command::Man { folder } => pages::manual(&folder, Cli::command()),
            Command::Plan(args) => {
                commands::plan::run(&args.problem, args.capacity, args.seconds, args.json)
            }
        }
    }
}
