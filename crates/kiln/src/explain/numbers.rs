//! The numbers in which a method computes, in a few lines.

use super::MAX_NAMES;
use crate::arithmetic::{Causes, computes, why_floats};
use crate::compiler::CompiledMethod;
use crate::counted::counted;
use crate::report::name_of;
use indexmap::{IndexMap, IndexSet};
use kiln_target::Placed;

/// The nodes that compute in the same numbers, by the reason why these are floats.
type Kinds<'m> = IndexMap<String, IndexMap<Option<String>, Vec<&'m Placed>>>;

/// The summary.
pub(super) fn text(method: &CompiledMethod) -> String {
    let causes = Causes::of(&method.passes);
    let mut kinds = Kinds::new();
    for placed in &method.placements {
        if let Some(numbers) = computes(&method.graph, placed) {
            let reasons = kinds.entry(numbers).or_default();
            let reason = why_floats(method, &causes, placed);
            reasons.entry(reason).or_default().push(placed);
        }
    }
    let mut text = String::new();
    if !kinds.is_empty() {
        text += "\n  Computes in:\n";
    }
    for (numbers, reasons) in &kinds {
        let nodes = reasons.values().map(Vec::len).sum();
        text += &format!("    {numbers}: {}\n", counted(nodes, "node"));
        for (reason, placed) in reasons {
            if let Some(reason) = reason {
                text += &format!("      {reason}: {}\n", kinds_of(method, placed));
            }
        }
    }
    text
}

/// The exporter's names of nodes, each without its number and once.
fn kinds_of(method: &CompiledMethod, placed: &[&Placed]) -> String {
    let names = placed.iter().map(|p| name_of(&method.graph, p.node));
    let names: Vec<String> = names.collect();
    let parts = names.iter().flat_map(|name| name.split(", "));
    let kinds: IndexSet<&str> = parts.map(without_number).collect();
    let listed: Vec<&str> = kinds.iter().take(MAX_NAMES).copied().collect();
    let more = match kinds.len() > MAX_NAMES {
        true => ", ...",
        false => "",
    };
    format!("{}{more}", listed.join(", "))
}

fn without_number(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((kind, number)) if number.bytes().all(|b| b.is_ascii_digit()) => kind,
        _ => name,
    }
}
