//! `--custom-op`: ops that become calls of kernels which the user registers with the runtime.

use crate::usage::UsageError;
use anyhow::Result;
use kiln_aten::CustomOps;
use kiln_ir::{Graph, Op};
use std::collections::BTreeSet;

/// The ops that the user names, by namespace or schema.
///
/// # Errors
/// A text is neither.
pub fn parsed(texts: &[String]) -> Result<CustomOps> {
    let parsed = CustomOps::parse(texts.iter().map(String::as_str));
    Ok(parsed.map_err(|why| UsageError::new(format!("--custom-op {why}")))?)
}

/// A note about kernels whose arguments the archive may not hold.
pub fn without_schema(graph: &Graph, custom: &CustomOps) -> Option<String> {
    let kernels = kernels(graph).filter(|kernel| !custom.tells_arguments_of(kernel));
    let kernels: BTreeSet<&str> = kernels.collect();
    let op = kernels.first()?.split('.').next()?;
    let all = Vec::from_iter(kernels.iter().copied()).join(", ");
    Some(format!(
        "{all}: arguments at their defaults are not passed, because PyTorch leaves them out of archives; give the schema: \
         --custom-op \"{op}(Tensor x, ..)\""
    ))
}

/// Warnings about texts of which no graph calls a kernel.
pub fn unused<'g>(texts: &[String], graphs: impl Iterator<Item = &'g Graph>) -> Vec<String> {
    let called: BTreeSet<&str> = graphs.flat_map(kernels).collect();
    let unused = texts.iter().filter(|text| {
        let named = text.split_once("::").map(|(namespace, _)| namespace);
        if named.is_some_and(|namespace| texts.iter().any(|own| own == namespace)) {
            // Python gives the schemas of all ops of a namespace.
            return false;
        }
        let schema = CustomOps::parse([text.as_str()]).unwrap_or_default();
        let is_of = |kernel: &&str| match kernel.split_once("::") {
            Some((namespace, _)) => namespace == *text || schema.tells_arguments_of(kernel),
            None => false,
        };
        !called.iter().any(is_of)
    });
    let warning = |text: &String| {
        let named = text.split('(').next().unwrap_or(text);
        format!("--custom-op {named} changes nothing: no op of {named} is left to a kernel")
    };
    unused.map(warning).collect()
}

fn kernels(graph: &Graph) -> impl Iterator<Item = &str> {
    let nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.filter_map(|(_, node)| match &node.op {
        Op::Foreign(foreign) => Some(foreign.kernel.0.as_str()),
        _ => None,
    })
}
