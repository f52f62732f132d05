//! `bench`: Kiln beside ExecuTorch's own flow, as ratios within one run.

mod bench;

use anyhow::Result;
use clap::{Parser, Subcommand};
use kiln::target::TargetName;
use std::path::PathBuf;

/// Compile time, memory and latency of models, beside the peer's.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Time and memory of `kiln compile` as a whole process, beside a copy of the archive and the peer's lowering.
    Compile {
        /// A folder of archives.
        models: PathBuf,
        /// Python with torch and executorch, to time the peer in the same run; else its figures come from --peer.
        #[arg(long)]
        peer_python: Option<PathBuf>,
        /// Figures of the peer measured before (the corpus's peer_models.json).
        #[arg(long)]
        peer: Option<PathBuf>,
        /// Only models whose name contains this.
        #[arg(long)]
        filter: Option<String>,
    },
    /// Latency on the stock runtime, our programs and the peer's interleaved.
    Latency {
        /// A folder of archives with golden tensors.
        models: PathBuf,
        /// A folder of the peer's programs of the same names.
        peer: PathBuf,
        /// Interleaved rounds.
        #[arg(long, default_value_t = 30)]
        rounds: usize,
        /// Wall time instead of CPU time of the one thread.
        #[arg(long)]
        wall: bool,
        /// Only models whose name contains this.
        #[arg(long)]
        filter: Option<String>,
    },
    /// Bytes that programs only move, beside what any program moves at least.
    Movement {
        /// Folders of archives.
        #[arg(required = true)]
        models: Vec<PathBuf>,
        /// Only models whose name contains this.
        #[arg(long)]
        filter: Option<String>,
    },
    /// How the time of every stage and pass grows with the number of ops; fails where one grows faster than n log n.
    Passes {
        /// The most ops.
        #[arg(long, default_value_t = 50_000)]
        ops: usize,
        /// Only models of this shape.
        #[arg(long)]
        shape: Option<bench::Shape>,
        /// Only this target.
        #[arg(long)]
        target: Option<TargetName>,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Compile {
            models,
            peer_python,
            peer,
            filter,
        } => bench::compile::run(
            &models,
            peer_python.as_deref(),
            peer.as_deref(),
            filter.as_deref(),
        ),
        Command::Latency {
            models,
            peer,
            rounds,
            wall,
            filter,
        } => bench::latency::run(&models, &peer, rounds, wall, filter.as_deref()),
        Command::Movement { models, filter } => bench::movement::run(&models, filter.as_deref()),
        Command::Passes { ops, shape, target } => bench::passes::run(ops, shape, target),
    }
}
