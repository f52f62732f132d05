//! The commands, one file each. Data goes to stdout, messages go to stderr.

pub mod bench;
pub mod check;
pub mod compile;
pub mod explain;
pub mod inspect;
pub mod opt;
pub mod pages;
pub mod plan;
pub mod quantize;
pub mod run;

use anyhow::Result;
use indexmap::IndexSet;
use kiln_check::Failure;
use kiln_ir::text::{Data, print};
use kiln_transforms::framework::pass::Pass;

/// In place of the name of a pass: a question for the names.
const LIST: &str = "list";

/// Prints the names of passes on stdout, each once, in order.
fn print_passes(passes: &[Pass]) -> Result<()> {
    let names: IndexSet<&str> = passes.iter().map(|pass| pass.name).collect();
    let lines: Vec<String> = names.iter().map(|name| format!("{name}\n")).collect();
    crate::output::print(&lines.concat())
}

/// Prints the smallest region that shows a wrong pass on stdout, as text that `kiln opt` loads.
fn print_region(error: &anyhow::Error) {
    let Some(failure) = error.downcast_ref::<Box<Failure>>() else {
        return;
    };
    let text = print(&failure.region, Data::Full);
    let head = format!(
        "# kiln opt FILE --passes {} --verify shows it\n",
        failure.pass
    );
    // The caller must see the pass's error even if stdout is closed.
    let _ = crate::output::print(&(head + &text));
}
