//! The arguments of `kiln inspect`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct InspectArgs {
    /// An archive (.pt2), a text graph, a program (.pte), a TOSA file (.tosa), the folder of a C project or an XNNPACK payload.
    pub(super) file: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    pub(super) json: bool,
}
