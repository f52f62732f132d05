//! `bench`: compares Kiln with ExecuTorch's own flow. All figures of a comparison are measured in the same run.

mod bench;

use anyhow::Result;
use clap::{Parser, Subcommand};
use kiln::target::TargetName;
use std::path::PathBuf;

/// Measures compile time, memory and latency of models, beside those of the peer, ExecuTorch's own flow.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures time and memory of the process `kiln compile`, of a copy of the archive, and of the peer's lowering.
    Compile {
        /// A folder of archives.
        models: PathBuf,
        /// A Python with torch and executorch, to measure the peer in the same run. Without it, its figures come from --peer.
        #[arg(long)]
        peer_python: Option<PathBuf>,
        /// Figures of the peer that were measured before (peer_models.json of the corpus).
        #[arg(long)]
        peer: Option<PathBuf>,
        /// Measure only models whose name contains this text.
        #[arg(long)]
        filter: Option<String>,
        /// What Kiln compiles for.
        #[arg(long, default_value_t = named("xnnpack"))]
        target: TargetName,
    },
    /// Measures latency on the stock runtime. Kiln's programs and the peer's run in turn.
    Latency {
        /// A folder of archives with golden tensors.
        models: PathBuf,
        /// A folder of the peer's programs with the same names.
        peer: PathBuf,
        /// The number of rounds, in each of which both programs run.
        #[arg(long, default_value_t = 30)]
        rounds: usize,
        /// Measure wall time instead of the CPU time of the one thread.
        #[arg(long)]
        wall: bool,
        /// Measure only models whose name contains this text.
        #[arg(long)]
        filter: Option<String>,
    },
    /// Counts the bytes that programs only move, beside the lower bound for any program.
    Movement {
        /// Folders of archives.
        #[arg(required = true)]
        models: Vec<PathBuf>,
        /// Measure only models whose name contains this text.
        #[arg(long)]
        filter: Option<String>,
    },
    /// Measures C projects on boards of QEMU: instructions, arena and flash.
    CortexM {
        /// A folder of archives of quantised models.
        models: PathBuf,
        /// The cores.
        #[arg(long = "target", default_values_t = [named("cortex-m4"), named("cortex-m55")])]
        targets: Vec<TargetName>,
        /// A checkout of CMSIS-NN, whose kernels run in place of Kiln's.
        #[arg(long)]
        cmsis_nn: Option<PathBuf>,
        /// Measure only models whose name contains this text.
        #[arg(long)]
        filter: Option<String>,
    },
    /// Measures how the time of every stage and pass grows with the number of ops. Fails if one grows faster than n log n.
    Passes {
        /// The number of ops of the largest model.
        #[arg(long, default_value_t = 50_000)]
        ops: usize,
        /// Measure only models of this shape.
        #[arg(long)]
        shape: Option<bench::Shape>,
        /// Measure only this target.
        #[arg(long)]
        target: Option<TargetName>,
    },
}

fn named(name: &str) -> TargetName {
    name.parse().expect("the target is listed")
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Compile {
            models,
            peer_python,
            peer,
            filter,
            target,
        } => bench::compile::run(
            &models,
            peer_python.as_deref(),
            peer.as_deref(),
            filter.as_deref(),
            target,
        ),
        Command::Latency {
            models,
            peer,
            rounds,
            wall,
            filter,
        } => bench::latency::run(&models, &peer, rounds, wall, filter.as_deref()),
        Command::Movement { models, filter } => bench::movement::run(&models, filter.as_deref()),
        Command::CortexM {
            models,
            targets,
            cmsis_nn,
            filter,
        } => bench::cortex_m::run(&models, &targets, cmsis_nn.as_deref(), filter.as_deref()),
        Command::Passes { ops, shape, target } => bench::passes::run(ops, shape, target),
    }
}
