//! The grammar of the command line. The library does the work of each command.

mod quantize;

use crate::budgets::Budgets;
use crate::commands::{self, bench, check, compile, explain, inspect, opt, pages, plan, run};
use crate::compiler::DimChoice;
use crate::quantisation::{Quantisation, SamplesFile};
use crate::target::TargetName;
use crate::usage::UsageError;
use anyhow::Result;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use kiln_ir::DType;
use kiln_quantiser::Mode;
use kiln_target::{Choice, Half};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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
            integers of it as `kiln compile --quantize` makes of the model.\n\n\
            Example:\n  kiln quantize models/mobilenet_v3_small.pt2 --data models/mobilenet_v3_small.safetensors -o quantised.pt2"
    )]
    Quantize(quantize::QuantizeArgs),
    /// Plan memory for buffers given as CSV (id,lower,upper,size).
    #[command(after_help = "Example:\n  kiln plan models/buffers.csv --capacity 1048576")]
    Plan(PlanArgs),
    /// Compile many models, and compare them with budgets and golden outputs.
    #[command(
        after_help = "The file, with paths relative to its folder:\n  [defaults]                 # what every model has that does not say otherwise\n  \
            target = \"xnnpack\"\n  max-delegates = 1\n\n  [[model]]\n  path = \"mobilenet_v3_small.pt2\"\n  \
            expect = \"mobilenet_v3_small.safetensors\"\n  max-kernel-calls = 0\n  max-arena = 12000000\n  max-bytes = 10300000\n  \
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

#[derive(Args)]
struct CompileArgs {
    /// The archive (.pt2) of the method `forward`.
    model: PathBuf,
    /// The file to write; for targets ethos-* a program, or, if its name ends in .tosa, the TOSA file. For targets cortex-* and
    /// host-c a folder, which ends in / if it is new, or, if its name ends in .pte, a program. A file that is there is replaced.
    /// A folder that is there is replaced if it is empty or has an earlier project as Kiln wrote it. It is refused, and stays as it
    /// is, if it has any other file or one that was changed. `-` is stdout.
    #[arg(short, long)]
    output: PathBuf,
    /// What the program runs on.
    #[arg(long, value_enum, default_value = "xnnpack")]
    target: TargetName,
    /// Another method from another archive.
    #[arg(long = "method", value_name = "NAME=OTHER.pt2", value_parser = parse_method)]
    methods: Vec<(String, PathBuf)>,
    /// Check every pass by verifier and evaluator; what fails is cut down and printed as text.
    #[arg(long)]
    verify: bool,
    /// End the pipeline after the first run of a pass, or after its N-th rewrite, counted over all its runs; `list` names those
    /// of the target.
    #[arg(long, value_name = "PASS[:N]", value_parser = parse_stop)]
    stop_after: Option<kiln_transforms::framework::pass::StopAfter>,
    /// Write what was done and why as JSON.
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Keep quantised inputs and outputs as floats (for targets with an integer border; in programs they are floats anyway).
    #[arg(long)]
    float_io: bool,
    /// The model's name in C, for targets that write C projects [default: the folder's name].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Refuse delegate ops that differ from PyTorch on NaN, infinity or an empty batch (for target xnnpack).
    #[arg(long)]
    strict_nan: bool,
    /// Leave out the guards that keep NaN and infinity as in PyTorch, where XNNPACK's own operators differ (for target xnnpack); `explain` names the nodes.
    #[arg(long, conflicts_with = "strict_nan")]
    fast_nan: bool,
    /// In which floats f16 is computed (for target xnnpack) [default: f16 where there is a kernel and sums do not overflow, else f32].
    #[arg(long, value_enum)]
    half: Option<HalfFloats>,
    /// Compute a model of floats in these, whatever it was exported in. Inputs, outputs and state keep their types; a note says what stays.
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    /// Quantise a model of floats.
    #[arg(long, value_enum)]
    quantize: Option<Quantize>,
    /// Inputs on which `--quantize int8` finds the ranges of activations: tensors `<sample>.in.<position>`; for one method with its name in front [default: the archive's sample inputs].
    #[arg(long, value_name = "[METHOD=]FILE.safetensors", requires = "quantize", value_parser = parse_samples)]
    samples: Vec<SamplesFile>,
    /// One more argument for Vela (for targets ethos-*), such as --vela=--memory-mode=Shared_Sram; the last of a kind
    /// counts.
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    vela: Vec<String>,
    /// The kernels for what the NPU does not take (for targets ethos-*) [default: cortex-m].
    #[arg(long, value_enum)]
    kernels: Option<KernelsBeside>,
    /// Take ops that Kiln does not know for kernels that you register with the runtime: those of a namespace, or one by its schema, such as
    /// "mine::scale(Tensor x, float by=2.0) -> Tensor". `mine::scale` is a call of `mine::scale.out`. PyTorch leaves arguments at their
    /// defaults out of the archive, so only a schema tells them.
    #[arg(long = "custom-op", value_name = "NAMESPACE|SCHEMA")]
    custom_ops: Vec<String>,
    /// The greatest value of a symbol that nothing bounds, or, with ==, the size that it has; `kiln inspect` lists symbols.
    #[arg(long = "dim", value_name = "SYMBOL<=MAX|SYMBOL==SIZE", value_parser = DimChoice::from_str)]
    dims: Vec<DimChoice>,
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

#[derive(Clone, Copy, ValueEnum)]
enum HalfFloats {
    /// The library's kernels of f16, where it has them: fastest on processors with arithmetic of f16, but sums may overflow beyond 65504, and NaN
    /// may become a number.
    Native,
    /// f32 inside delegates, with weights of f16 in the file.
    F32,
}

impl From<HalfFloats> for Half {
    fn from(choice: HalfFloats) -> Half {
        match choice {
            HalfFloats::Native => Half::Native,
            HalfFloats::F32 => Half::Single,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Precision {
    /// IEEE half, up to 65504: half the size.
    F16,
    /// bfloat16, with the range of f32 and 8 bits of precision: half the size; computed in f32.
    Bf16,
    /// IEEE single, for models of halves.
    F32,
}

impl From<Precision> for DType {
    fn from(precision: Precision) -> DType {
        match precision {
            Precision::F16 => DType::F16,
            Precision::Bf16 => DType::BF16,
            Precision::F32 => DType::F32,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Quantize {
    /// Weights of 8 bits by channel and activations of 8 bits, whose ranges are found on samples.
    Int8,
    /// Weights of 8 bits by channel; rows of activations are rounded when running.
    Int8Dynamic,
    /// Weights of 4 bits in groups of 32; rows of activations are rounded to 8 bits when running.
    Int4,
}

impl From<Quantize> for Mode {
    fn from(choice: Quantize) -> Mode {
        match choice {
            Quantize::Int8 => Mode::Static,
            Quantize::Int8Dynamic => Mode::Dynamic,
            Quantize::Int4 => Mode::FourBit,
        }
    }
}

/// A path, or stdout for `-`.
fn or_stdout(path: PathBuf) -> PathBuf {
    match path.as_os_str() == "-" {
        true => PathBuf::from(crate::output::STDOUT),
        false => path,
    }
}

/// The quantisation that the options ask for.
fn quantisation(mode: Option<Quantize>, samples: &[SamplesFile]) -> Result<Option<Quantisation>> {
    let of = |mode| Quantisation::with(mode, samples);
    mode.map(|mode| of(Mode::from(mode))).transpose()
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KernelsBeside {
    /// The cortex_m kernels of ExecuTorch, which compute in 8-bit integers.
    CortexM,
    /// The stock runtime's, which compute in floats.
    Portable,
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

#[derive(Args)]
struct RunArgs {
    /// An archive (.pt2), a text graph, a program (.pte), a TOSA file (.tosa) or the folder of a C project.
    file: PathBuf,
    /// Which method of a program.
    #[arg(long, default_value = "forward")]
    method: String,
    /// Inputs: tensors `<run>.in.<i>`, as `0.in.0`.
    #[arg(long, value_name = "IN.safetensors")]
    inputs: Option<PathBuf>,
    /// Where to write the outputs.
    #[arg(long, value_name = "OUT.safetensors")]
    outputs: Option<PathBuf>,
    /// Golden outputs `<run>.out.<i>`, as `0.out.0`, and the inputs unless given apart.
    #[arg(long, value_name = "GOLDEN.safetensors")]
    expect: Option<PathBuf>,
    /// Tolerance relative to the golden value [default: by dtype, 1e-4 for f32, or 80 dB].
    #[arg(long, value_name = "R", value_parser = parse_tolerance, requires = "expect")]
    rtol: Option<f64>,
    /// Absolute tolerance [default: by dtype, 1e-5 for f32, or 80 dB].
    #[arg(long, value_name = "A", value_parser = parse_tolerance, requires = "expect")]
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

#[derive(Args)]
struct InspectArgs {
    /// An archive (.pt2), a text graph, a program (.pte), a TOSA file (.tosa), the folder of a C project or an XNNPACK payload.
    file: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct OptArgs {
    /// An archive or a text graph.
    file: PathBuf,
    /// Passes in order, separated by commas [default: the target's]; `--passes list` names all.
    #[arg(long, value_delimiter = ',')]
    passes: Option<Vec<String>>,
    /// Whose support and pipeline.
    #[arg(long, value_enum, default_value = "xnnpack")]
    target: TargetName,
    /// Run the verifier and the evaluator behind each pass; what fails is cut down and printed.
    #[arg(long)]
    verify: bool,
    /// End the passes after the first run of one, or after its N-th rewrite, counted over all its runs.
    #[arg(long, value_name = "PASS[:N]", value_parser = parse_stop)]
    stop_after: Option<kiln_transforms::framework::pass::StopAfter>,
    /// Print all constants in full, so that the text stands alone: without, no command can read it.
    #[arg(long)]
    full: bool,
}

#[derive(Args)]
struct ExplainArgs {
    /// The archive (.pt2) of the method `forward`.
    model: PathBuf,
    /// What it is to run on.
    #[arg(long, value_enum, default_value = "xnnpack")]
    target: TargetName,
    /// Print the report of `compile --report`.
    #[arg(long)]
    json: bool,
    /// Write a page that shows the graph; no text then.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Also say what the passes did, and which rewrites were declined and why.
    #[arg(short, long)]
    verbose: bool,
    /// Refuse delegate ops that differ from PyTorch on NaN, infinity or an empty batch (for target xnnpack).
    #[arg(long)]
    strict_nan: bool,
    /// Leave out the guards that keep NaN and infinity as in PyTorch, where XNNPACK's own operators differ (for target xnnpack); `explain` names the nodes.
    #[arg(long, conflicts_with = "strict_nan")]
    fast_nan: bool,
    /// In which floats f16 is computed (for target xnnpack) [default: f16 where there is a kernel and sums do not overflow, else f32].
    #[arg(long, value_enum)]
    half: Option<HalfFloats>,
    /// Compute a model of floats in these, whatever it was exported in. Inputs, outputs and state keep their types; a note says what stays.
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    /// Quantise a model of floats.
    #[arg(long, value_enum)]
    quantize: Option<Quantize>,
    /// Inputs on which `--quantize int8` finds the ranges of activations: tensors `<sample>.in.<position>` [default: the archive's sample inputs].
    #[arg(long, value_name = "FILE.safetensors", requires = "quantize")]
    samples: Option<PathBuf>,
    /// Take ops that Kiln does not know for kernels that you register with the runtime: those of a namespace, or one by its schema, such as
    /// "mine::scale(Tensor x, float by=2.0) -> Tensor". `mine::scale` is a call of `mine::scale.out`. PyTorch leaves arguments at their
    /// defaults out of the archive, so only a schema tells them.
    #[arg(long = "custom-op", value_name = "NAMESPACE|SCHEMA")]
    custom_ops: Vec<String>,
    /// The greatest value of a symbol that nothing bounds, or, with ==, the size that it has; `kiln inspect` lists symbols.
    #[arg(long = "dim", value_name = "SYMBOL<=MAX|SYMBOL==SIZE", value_parser = DimChoice::from_str)]
    dims: Vec<DimChoice>,
}

#[derive(Args)]
struct CheckArgs {
    /// The models and their budgets.
    #[arg(default_value = "kiln.toml")]
    file: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct PlanArgs {
    /// Buffers as CSV.
    problem: PathBuf,
    /// The memory there is, in bytes.
    #[arg(long, value_name = "N")]
    capacity: Option<u64>,
    /// Search for so long at most [default: with a capacity 60, else about a tenth of a second's work].
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
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
            Command::Compile(args) => compile::run(&args.into_options(quiet)?),
            Command::Run(args) => run::run(&args.into_options(quiet)),
            Command::Inspect(args) => inspect::run(&args.file, args.json),
            Command::Opt(args) => opt::run(&opt::Options {
                file: args.file,
                passes: args.passes,
                target: args.target,
                verify: args.verify,
                stop_after: args.stop_after,
                full: args.full,
                quiet,
            }),
            Command::Explain(args) => explain::run(&explain::Options {
                model: args.model,
                target: args.target,
                json: args.json,
                html: args.html.map(or_stdout),
                verbose: args.verbose,
                strict_nan: args.strict_nan,
                fast_nan: args.fast_nan,
                half: args.half.map(Half::from),
                precision: args.precision.map(DType::from),
                quantisation: quantisation(args.quantize, &for_all(args.samples))?,
                custom_ops: args.custom_ops,
                dims: args.dims,
                quiet,
            }),
            Command::Bench { arguments } => bench::run(&arguments),
            Command::Check(args) => check::run(&check::Options {
                file: args.file,
                json: args.json,
                quiet,
            }),
            Command::Quantize(args) => commands::quantize::run(&args.into_options(quiet)),
            Command::Completions { shell } => pages::completions(shell, &mut Cli::command()),
            Command::Man { folder } => pages::manual(&folder, Cli::command()),
            Command::Plan(args) => plan::run(&args.problem, args.capacity, args.seconds, args.json),
        }
    }
}

impl CompileArgs {
    fn into_options(self, quiet: bool) -> Result<compile::Options> {
        if !self.vela.is_empty() && !self.target.has(Choice::Vela) {
            let message = format!(
                "--vela is for targets ethos-*; {} is compiled without Vela",
                self.target
            );
            return Err(UsageError::new(message).into());
        }
        if self.kernels.is_some() && !self.target.has(Choice::Kernels) {
            let message = format!(
                "--kernels is for targets ethos-*; {} has one set of kernels",
                self.target
            );
            return Err(UsageError::new(message).into());
        }
        Ok(compile::Options {
            model: self.model,
            output: or_stdout(self.output),
            target: self.target,
            methods: self.methods,
            verify: self.verify,
            stop_after: self.stop_after,
            report: self.report.map(or_stdout),
            strict_nan: self.strict_nan,
            fast_nan: self.fast_nan,
            half: self.half.map(Half::from),
            precision: self.precision.map(DType::from),
            quantisation: quantisation(self.quantize, &self.samples)?,
            float_io: self.float_io,
            vela: self.vela,
            stock_kernels: self.kernels == Some(KernelsBeside::Portable),
            name: self.name,
            custom_ops: self.custom_ops,
            dims: self.dims,
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

impl RunArgs {
    fn into_options(self, quiet: bool) -> run::Options {
        run::Options {
            file: self.file,
            method: self.method,
            inputs: self.inputs,
            outputs: self.outputs,
            expect: self.expect,
            tolerance: crate::compare::Tolerance {
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

fn parse_method(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.into(), path.into()))
        }
        _ => Err("expected NAME=OTHER.pt2".into()),
    }
}

/// Samples of one method, or of all. A file whose own name has an equals sign is taken as it is.
fn parse_samples(text: &str) -> Result<SamplesFile, String> {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    match text.split_once('=') {
        _ if text.is_empty() => Err("expected a file, or METHOD=FILE".into()),
        Some((name, path)) if is_name(name) && !path.is_empty() && !Path::new(text).exists() => {
            Ok((Some(name.into()), path.into()))
        }
        _ => Ok((None, text.into())),
    }
}

fn for_all(samples: Option<PathBuf>) -> Vec<SamplesFile> {
    samples.into_iter().map(|path| (None, path)).collect()
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|v: &f64| v.is_finite() && *v >= 0.0)
        .ok_or_else(|| "expected a finite number, 0 or more".into())
}

fn parse_decibels(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|v: &f64| v.is_finite())
        .ok_or_else(|| "expected a finite number".into())
}

fn parse_positive(text: &str) -> Result<usize, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|&n| n > 0)
        .ok_or_else(|| "expected a whole number, 1 or more".into())
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let parsed = text.parse::<u64>();
    parsed.map_err(|_| "expected a number of bytes, as 8192".into())
}

fn parse_stop(text: &str) -> Result<kiln_transforms::framework::pass::StopAfter, String> {
    let (pass, application) = match text.split_once(':') {
        None => (text, None),
        Some((pass, n)) => (
            pass,
            Some(n.parse().map_err(|_| "expected PASS or PASS:N")?),
        ),
    };
    Ok(kiln_transforms::framework::pass::StopAfter {
        pass: pass.into(),
        application,
    })
}
