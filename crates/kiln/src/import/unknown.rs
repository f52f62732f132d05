//! The calls of ops that Kiln does not know, all of them before the first is imported.

use super::source::describe;
use crate::counted::counted;
use indexmap::IndexMap;
use kiln_aten::CustomOps;
use kiln_pt2::{self as pt2, Argument};
use serde::Serialize;
use std::fmt::{self, Display};

/// The number of ops that the error names; it counts the others.
const MAX_OPS: usize = 24;

/// The namespaces of calls that the import takes without the table of ops.
const OWN: [&str; 2] = ["higher_order", "export"];

/// What is called that no table has: the first call of each op, and their number.
type Unknown<'p> = IndexMap<&'p str, (&'p pt2::Node, usize)>;

/// The unknown ops that a program calls, in branches and loops too: each with its number of calls, the user's line of the first one, and
/// what to do.
pub(super) fn of(program: &pt2::ExportedProgram, custom: &CustomOps) -> UnknownOps {
    let mut unknown = Unknown::new();
    collect(&program.graph, custom, &mut unknown);
    let ops = unknown.iter().map(|(op, (node, calls))| UnknownOp {
        op: (*op).to_owned(),
        calls: *calls,
        first: describe(node),
        advice: advice(op),
    });
    UnknownOps { ops: ops.collect() }
}

/// Ops that no table has, for an error, and for the report of a compilation that they end.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UnknownOps {
    #[serde(rename = "unknown_ops")]
    ops: Vec<UnknownOp>,
}

#[derive(Clone, Debug, Serialize)]
struct UnknownOp {
    /// The op's name with its overload.
    op: String,
    /// The number of nodes that call it.
    calls: usize,
    /// The first of these nodes, with the user's line.
    first: String,
    /// What to do.
    advice: String,
}

impl Display for UnknownOps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ops.len() {
            1 => f.write_str("an op is not known")?,
            count => write!(f, "{count} ops are not known")?,
        }
        for UnknownOp {
            op,
            calls,
            first,
            advice,
        } in self.ops.iter().take(MAX_OPS)
        {
            write!(f, "\n  {op}, by {first}")?;
            if *calls > 1 {
                write!(f, " and {} more", counted(calls - 1, "node"))?;
            }
            write!(f, ": {advice}")?;
        }
        match self.ops.len().saturating_sub(MAX_OPS) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl UnknownOps {
    /// True if the op is one of them.
    pub(super) fn holds(&self, op: &str) -> bool {
        self.ops.iter().any(|known| known.op == op)
    }

    /// True if all ops are known.
    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }
}

fn collect<'p>(graph: &'p pt2::Graph, custom: &CustomOps, unknown: &mut Unknown<'p>) {
    for node in &graph.nodes {
        if let Some(op) = node.target.strip_prefix("torch.ops.") {
            // The archive states the sizes that `aten.sym_*` give.
            let namespace = namespace(op);
            let is_custom = custom.holds(op);
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
        "aten" if stays(op) => {
            "PyTorch does not decompose it into core ATen ops; compute it outside of the model, or rewrite this part".into()
        }
        "aten" => {
            "export with `exported.run_decompositions()`, which replaces most such ops by core ATen ops; if it stays, rewrite this part".into()
        }
        library => format!(
            "an op of the library {library}, which ATen's ops do not express; register a kernel for it with the runtime and compile with --custom-op {library}, \
             or give it a decomposition (`exported.run_decompositions({{op: function}})`), or compute it outside of the model"
        ),
    }
}

/// True for ops without a decomposition into ops that Kiln knows: linear algebra, and functions that only a library computes. These are the
/// ops that `run_decompositions()` of torch 2.15 leaves as they are, or as others of the list.
fn stays(op: &str) -> bool {
    const WORDS: [&str; 30] = [
        "linalg",
        "cholesky",
        "lu_",
        "qr",
        "svd",
        "eig",
        "triangular_solve",
        "det",
        "logdet",
        "slogdet",
        "inverse",
        "pinverse",
        "matrix_exp",
        "geqrf",
        "orgqr",
        "ormqr",
        "igamma",
        "polygamma",
        "nextafter",
        "frexp",
        "zeta",
        "erfcx",
        "ndtri",
        "log_ndtr",
        "gammainc",
        "airy",
        "bessel",
        "chebyshev",
        "hermite",
        "laguerre",
    ];
    const DECOMPOSED: [&str; 2] = ["linalg_vander", "linalg_vecdot"];
    let name = op.split('.').nth(1).unwrap_or_default();
    let name = name.trim_start_matches('_');
    let mut short = name;
    for prefix in ["special_", "scaled_", "modified_", "spherical_", "shifted_"] {
        short = short.strip_prefix(prefix).unwrap_or(short);
    }
    !DECOMPOSED.contains(&name) && WORDS.iter().any(|word| short.starts_with(word))
}
