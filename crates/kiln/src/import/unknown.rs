//! The calls of ops that Kiln does not know, all of them before the first is imported.

use super::source::describe;
use crate::counted::counted;
use anyhow::{Result, bail};
use indexmap::IndexMap;
use kiln_pt2::{self as pt2, Argument};

/// The number of ops that the error names; it counts the others.
const MAX_OPS: usize = 24;

/// The namespaces of calls that the import takes without the table of ops.
const OWN: [&str; 2] = ["higher_order", "export"];

/// What is called that no table has: the first call of each op, and their number.
type Unknown<'p> = IndexMap<&'p str, (&'p pt2::Node, usize)>;

/// Refuses a program that calls unknown ops, in branches and loops too.
///
/// # Errors
/// Each unknown op with its number of calls, the user's line of the first one, and what to do.
pub(super) fn check(program: &pt2::ExportedProgram, custom: &[String]) -> Result<()> {
    let mut unknown = Unknown::new();
    collect(&program.graph, custom, &mut unknown);
    if unknown.is_empty() {
        return Ok(());
    }
    let line = |(op, (node, calls)): (&&str, &(&pt2::Node, usize))| {
        let more = match calls {
            1 => String::new(),
            calls => format!(" and {} more", counted(calls - 1, "node")),
        };
        format!("{op}, by {}{more}: {}", describe(node), advice(op))
    };
    let mut lines: Vec<String> = unknown.iter().take(MAX_OPS).map(line).collect();
    if unknown.len() > lines.len() {
        lines.push(format!("and {} more", unknown.len() - lines.len()));
    }
    let what = match unknown.len() {
        1 => "an op is not known".to_owned(),
        count => format!("{count} ops are not known"),
    };
    bail!("{what}\n  {}", lines.join("\n  "))
}

fn collect<'p>(graph: &'p pt2::Graph, custom: &[String], unknown: &mut Unknown<'p>) {
    for node in &graph.nodes {
        if let Some(op) = node.target.strip_prefix("torch.ops.") {
            // The archive states the sizes that `aten.sym_*` give.
            let namespace = namespace(op);
            let is_custom = custom.iter().any(|own| own == namespace);
            let is_own = OWN.contains(&namespace) || is_custom || op.starts_with("aten.sym_");
            if !is_own && kiln_aten::table::lookup(op).is_none() {
                unknown.entry(op).or_insert((node, 0)).1 += 1;
            }
        }
        for input in &node.inputs {
            if let Argument::Graph(inner) = &input.arg {
                collect(&inner.graph, custom, unknown);
            }
        }
    }
}

fn namespace(op: &str) -> &str {
    op.split('.').next().unwrap_or(op)
}

/// What a user can do about an unknown op.
fn advice(op: &str) -> String {
    match namespace(op) {
        "aten" if is_algebra(op) => {
            "PyTorch does not decompose it into core ATen ops; compute it outside of the model, or rewrite this part".into()
        }
        "aten" => {
            "export with `exported.run_decompositions()`, which replaces most such ops by core ATen ops; if it stays, rewrite this part".into()
        }
        library => format!(
            "an op of the library {library}, which ATen's ops do not express; register a kernel for it with the runtime and give --custom-op {library}, \
             or give it a decomposition (`exported.run_decompositions({{op: function}})`), or compute it outside of the model"
        ),
    }
}

/// True for linear algebra, which has no decomposition.
fn is_algebra(op: &str) -> bool {
    const WORDS: [&str; 7] = [
        "linalg",
        "cholesky",
        "lu_",
        "qr",
        "svd",
        "eig",
        "triangular_solve",
    ];
    let name = op.split('.').nth(1).unwrap_or_default();
    let name = name.trim_start_matches('_');
    WORDS.iter().any(|word| name.starts_with(word))
}
