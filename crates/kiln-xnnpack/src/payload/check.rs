//! The rules that a payload obeys, whoever made it.
//!
//! Invariants that hold of a graph without fault
//! - Every value id and constant index is in range; external positions are below `num_externs` (at most 4096) and
//!   differ; an external value is no constant.
//! - A value has at most 6 dims and the quantisation that its datatype needs; inline constants hold as many bytes as
//!   their values and scales need; there are as many scales as channels or groups.
//! - A value is written by at most one node and not if it is constant; what a node reads is an external input, a
//!   constant, or written by a node.
//! - Shapes, permutations, offsets and paddings have at most 6 dims; a concatenation has 2 to 5 inputs.

use super::graph::{ConstantData, ConstantIndex, ValueId, XnnGraph, XnnValue};
use super::node::{XnnNode, XnnOp};
use super::quant::{Datatype, Quant, Scales};
use kiln_pte::fault::{Fault, Rule, at};

/// The largest rank of XNNPACK.
pub(crate) const MAX_RANK: usize = 6;
/// The most call arguments that the runtime takes.
const MAX_EXTERNS: u32 = 4096;

/// Checks the graph against the rules above, and returns the first that it breaks.
pub fn check(graph: &XnnGraph) -> Result<(), Fault> {
    check_tables(graph)?;
    check_flow(graph)
}

/// Every rule that speaks of one value or node.
pub(super) fn check_tables(graph: &XnnGraph) -> Result<(), Fault> {
    at(|| "payload".to_owned(), check_externs(graph))?;
    for (i, constant) in graph.constants.iter().enumerate() {
        at(|| format!("constant {i}"), check_constant(constant))?;
    }
    for (i, value) in graph.values.iter().enumerate() {
        at(|| format!("value {i}"), check_value(graph, value))?;
    }
    for (i, node) in graph.nodes.iter().enumerate() {
        let ids = node.op.inputs().into_iter().chain(node.op.outputs());
        let rule = ids.into_iter().try_for_each(|id| check_id(graph, id));
        at(
            || node_place(i, node),
            rule.and_then(|()| check_attributes(&node.op)),
        )?;
    }
    Ok(())
}

fn check_id(graph: &XnnGraph, id: ValueId) -> Rule {
    match graph.value(id) {
        Some(_) => Ok(()),
        None => Err(format!(
            "refers to {id}, but there are {} values",
            graph.values.len()
        )),
    }
}

fn node_place(position: usize, node: &XnnNode) -> String {
    format!("node {position} ({})", node.op.name())
}

fn check_externs(graph: &XnnGraph) -> Rule {
    if graph.num_externs > MAX_EXTERNS {
        return Err(format!(
            "has {} externals; at most {MAX_EXTERNS} are allowed",
            graph.num_externs
        ));
    }
    let mut taken = vec![false; graph.num_externs as usize];
    for external in graph.values.iter().filter_map(|value| value.external) {
        match taken.get_mut(external.position as usize) {
            None => {
                return Err(format!(
                    "external position {} of {}",
                    external.position, graph.num_externs
                ));
            }
            Some(true) => {
                return Err(format!(
                    "two values have the external position {}",
                    external.position
                ));
            }
            Some(free) => *free = true,
        }
        if !external.input && !external.output {
            return Err(format!(
                "the external value at {} is neither input nor output",
                external.position
            ));
        }
    }
    Ok(())
}

fn check_constant(constant: &ConstantData) -> Rule {
    match constant {
        ConstantData::Named(key) if key.is_empty() => Err("its key is empty".to_owned()),
        ConstantData::Named(_) | ConstantData::Inline(_) => Ok(()),
    }
}

fn check_value(graph: &XnnGraph, value: &XnnValue) -> Rule {
    if value.dims.len() > MAX_RANK {
        return Err(format!(
            "has {} dims; at most {MAX_RANK} are allowed",
            value.dims.len()
        ));
    }
    if value.constant.is_some() && value.external.is_some() {
        return Err("is both constant and external".to_owned());
    }
    let bytes = value.nbytes().ok_or("its size in bytes exceeds 64 bits")?;
    if let Some(constant) = value.constant {
        check_holds(graph, constant, bytes)?;
    }
    check_quant(graph, value)
}

fn check_holds(graph: &XnnGraph, index: ConstantIndex, bytes: u64) -> Rule {
    match graph.constants.get(index.index()) {
        None => Err(format!(
            "refers to constant {}, but there are {}",
            index.0,
            graph.constants.len()
        )),
        Some(ConstantData::Inline(data)) if (data.len() as u64) < bytes => Err(format!(
            "needs {bytes} bytes, but constant {} has {}",
            index.0,
            data.len()
        )),
        Some(_) => Ok(()),
    }
}

fn check_quant(graph: &XnnGraph, value: &XnnValue) -> Rule {
    use Datatype as D;
    match (value.datatype, &value.quant) {
        (D::Fp32 | D::Fp16 | D::Bf16 | D::Int32 | D::PFp32, None) => Ok(()),
        (D::QInt8 | D::QUInt8 | D::QInt32, Some(Quant::PerTensor { .. })) => Ok(()),
        (D::QdInt8 | D::QpInt8, Some(Quant::PerTokenDynamic { .. })) => Ok(()),
        (
            D::QcInt8 | D::QcInt32 | D::QcInt4,
            Some(Quant::PerChannel {
                scales,
                channel_dim,
            }),
        ) => {
            let channels = dim(value, *channel_dim)?;
            check_scales(graph, scales, channels, size_of::<f32>() as u64)
        }
        (
            D::QbInt4,
            Some(Quant::PerGroup {
                scales,
                channel_dim,
                group_size,
            }),
        ) => {
            dim(value, *channel_dim)?;
            let group = u64::try_from(*group_size)
                .ok()
                .filter(|&group| group > 0 && group % 32 == 0);
            let group = group.ok_or(format!(
                "group size {group_size} is not a positive multiple of 32"
            ))?;
            let elements = value
                .dims
                .iter()
                .try_fold(1u64, |n, &dim| n.checked_mul(dim.into()));
            let elements = elements.ok_or("its number of elements exceeds 64 bits")?;
            check_scales(graph, scales, elements / group, size_of::<u16>() as u64)
        }
        (datatype, quant) => Err(format!(
            "{datatype} does not go with the quantisation {quant:?}"
        )),
    }
}

fn dim(value: &XnnValue, axis: i32) -> Result<u64, String> {
    let found = usize::try_from(axis)
        .ok()
        .and_then(|axis| value.dims.get(axis));
    found
        .map(|&dim| dim.into())
        .ok_or(format!("channel dim {axis} of {} dims", value.dims.len()))
}

fn check_scales(graph: &XnnGraph, scales: &Scales, needed: u64, bytes_each: u64) -> Rule {
    if (scales.count() as u64) < needed {
        return Err(format!("has {} scales, but needs {needed}", scales.count()));
    }
    match scales {
        Scales::Inline(_) => Ok(()),
        Scales::Constant { data, count } => {
            check_holds(graph, *data, u64::from(*count) * bytes_each)
        }
    }
}

/// The rule on who writes what. Ids are in range.
fn check_flow(graph: &XnnGraph) -> Result<(), Fault> {
    let mut written = vec![false; graph.values.len()];
    for (i, node) in graph.nodes.iter().enumerate() {
        for output in node.op.outputs() {
            let twice = std::mem::replace(&mut written[output.index()], true);
            let rule = match graph.values[output.index()].constant {
                Some(_) => Err(format!("writes the constant {output}")),
                None if twice => Err(format!("writes {output}, as another node does")),
                None => Ok(()),
            };
            at(|| node_place(i, node), rule)?;
        }
    }
    let given = |value: &XnnValue| {
        value.constant.is_some() || value.external.is_some_and(|external| external.input)
    };
    for (i, node) in graph.nodes.iter().enumerate() {
        let missing = |id: &ValueId| !written[id.index()] && !given(&graph.values[id.index()]);
        if let Some(id) = node.op.inputs().into_iter().find(missing) {
            at(
                || node_place(i, node),
                Err(format!("reads {id}, which nothing writes")),
            )?;
        }
    }
    Ok(())
}

fn check_attributes(op: &XnnOp) -> Rule {
    let rank = |dims: &[u32]| match dims.len() {
        rank if rank > MAX_RANK => Err(format!("has {rank} dims; at most {MAX_RANK} are allowed")),
        _ => Ok(()),
    };
    let same = |a: &[u32], b: &[u32]| match a.len() == b.len() {
        true => rank(a),
        false => Err(format!(
            "its two lists have {} and {} dims",
            a.len(),
            b.len()
        )),
    };
    match op {
        XnnOp::Reshape { shape, .. } => rank(shape),
        XnnOp::Transpose { perm, .. } => {
            let mut sorted = perm.clone();
            sorted.sort_unstable();
            match sorted.iter().copied().eq(0..perm.len() as u32) {
                true => rank(perm),
                false => Err(format!("{perm:?} is not a permutation")),
            }
        }
        XnnOp::Slice { offsets, sizes, .. } => same(offsets, sizes),
        XnnOp::ConstantPad { before, after, .. } => same(before, after),
        XnnOp::Concat { inputs, .. } if !(2..=5).contains(&inputs.len()) => {
            Err(format!("has {} inputs; 2 to 5 are allowed", inputs.len()))
        }
        _ => Ok(()),
    }
}
