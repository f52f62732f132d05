//! The arguments of `kiln plan`.

use super::values::parse_amount;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct PlanArgs {
    /// Buffers as CSV.
    pub(super) problem: PathBuf,
    /// The memory there is, in bytes.
    #[arg(long, value_name = "N")]
    pub(super) capacity: Option<u64>,
    /// Search for so long at most [default: with a capacity 60, else about a tenth of a second's work].
    #[arg(long, value_name = "S", value_parser = parse_amount)]
    pub(super) seconds: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    pub(super) json: bool,
}
