//! The warning about a program that is much larger than the weights of its archive.

use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::report::name_of;
use indexmap::IndexMap;
use kiln_aten::LITERAL;
use kiln_ir::content::Sample;
use kiln_ir::graph::Constant;
use kiln_ir::{ConstId, Graph, Id, Op};
use kiln_target::{Place, Placed};
use std::collections::HashSet;
use std::sync::Arc;

/// How much larger than its archive's weights a program may be without a warning.
const RATIO: f64 = 1.05;
/// Bytes of a program beside weights: for itself, and for each node that computes.
const FRAME_BYTES: u64 = 16 << 10;
const NODE_BYTES: u64 = 1 << 10;
/// The number of weights that the warning names.
const MAX_NAMES: usize = 4;

/// The constants of an imported graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// The bytes of each name. Constants of one name count together.
    named: IndexMap<Arc<str>, u64>,
    /// The bytes of each, and some of them, by which methods know what they have in common.
    glances: Vec<(u64, Sample)>,
}

impl Weights {
    /// The weights that a graph's nodes and state read. Integers that the import gave a quantisation count as the archive has them.
    pub fn of(graph: &Graph) -> Weights {
        let all = || graph.constants().map(|(_, constant)| constant);
        let plain = all().filter(|constant| constant.ty.quant.is_none());
        let plain: HashSet<&str> = plain.map(|constant| &*constant.name).collect();
        let is_own = |c: &&Constant| c.ty.quant.is_none() || !plain.contains(&*c.name);
        let mut weights = Weights::default();
        for constant in all().filter(is_own) {
            let content = constant.data.content();
            let bytes = content.len() as u64;
            *weights.named.entry(constant.name.clone()).or_default() += bytes;
            weights.glances.push((bytes, content.sample()));
        }
        weights
    }
}

/// The warning about an artifact of this size, if it is larger than the weights explain. It names what grew.
pub fn warning(compiled: &Compiled, size: u64) -> Option<String> {
    let of_source = compiled
        .methods
        .iter()
        .map(|m| m.figures.constants.as_deref());
    if let Some(of_source) = of_source.collect::<Option<Vec<_>>>() {
        // A folder of C has weights as text, whose bytes the firmware does not get.
        return of_constants(compiled, &of_source.concat());
    }
    let methods = &compiled.methods;
    let given = given(methods);
    let placed = methods.iter().flat_map(|method| &method.placements);
    let nodes = placed.filter(|placed| placed.place != Place::Free).count() as u64;
    let expected = (given as f64 * RATIO) as u64 + FRAME_BYTES;
    if given == 0
        || size <= expected
        || methods
            .iter()
            .any(|m| m.given.weights == Weights::default())
    {
        return None;
    }
    let ratio = size as f64 / given as f64;
    let said = format!(
        "the program has {size} bytes, {ratio:.2} times the {given} bytes of the archive's weights"
    );
    let kept = constants(methods);
    let named = named(methods);
    if size <= expected + NODE_BYTES * nodes && kept <= expected {
        let rest = size.saturating_sub(given.max(kept));
        let operators = counted(nodes as usize, "operator");
        let ahead = match kept.checked_sub(given) {
            Some(more) if more > 0 && !named.is_empty() => {
                format!(", constants computed ahead {more} bytes more: {named}")
            }
            _ => String::new(),
        };
        // Beside no weights to speak of, all is operators.
        return (given >= FRAME_BYTES)
            .then(|| format!("{said}: {operators} take {rest} bytes{ahead}"));
    }
    let why = match named.is_empty() {
        true => "operators keep copies of weights, or weights as floats".to_owned(),
        false => format!(
            "computed ahead, so that they are not computed at every run, or kept in wider numbers: {named}"
        ),
    };
    Some(format!("{said}: {why}"))
}

/// The warning about constants of source code, with the largest that the archive does not have.
fn of_constants(compiled: &Compiled, constants: &[(String, u64)]) -> Option<String> {
    let given = given(&compiled.methods);
    let all: u64 = constants.iter().map(|(_, bytes)| bytes).sum();
    if given == 0 || all <= (given as f64 * RATIO) as u64 + FRAME_BYTES {
        return None;
    }
    let mut largest = constants.to_vec();
    largest.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    Some(format!(
        "the project's constants have {all} bytes, {:.2} times the {given} bytes of the archive's weights; the largest: {}; tables of \
         functions, weights in wider numbers and what layers need beside weights count too",
        all as f64 / given as f64,
        first_of(&largest, |(name, bytes)| format!("{name} ({bytes} bytes)"))
    ))
}

/// The first of a list in words, and how many more there are.
fn first_of<T>(all: &[T], text: impl Fn(&T) -> String) -> String {
    let mut named: Vec<String> = all.iter().take(MAX_NAMES).map(text).collect();
    if let more @ 1.. = all.len().saturating_sub(MAX_NAMES) {
        named.push(format!("{more} more"));
    }
    named.join(", ")
}

/// The constants that grew most, with the bytes that were added.
fn named(methods: &[CompiledMethod]) -> String {
    let mut grown: Vec<(String, u64)> = methods.iter().flat_map(grown).collect();
    grown.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    first_of(&grown, |(what, bytes)| format!("{what} ({bytes} bytes)"))
}

/// The bytes of the methods' weights. What several have counts once, as a program holds it.
fn given(methods: &[CompiledMethod]) -> u64 {
    let mut counted: IndexMap<&(u64, Sample), usize> = IndexMap::new();
    for method in methods {
        let mut own: IndexMap<&(u64, Sample), usize> = IndexMap::new();
        for glance in &method.given.weights.glances {
            *own.entry(glance).or_default() += 1;
        }
        for (glance, times) in own {
            let most = counted.entry(glance).or_default();
            *most = times.max(*most);
        }
    }
    let bytes = counted
        .iter()
        .map(|((bytes, _), &times)| bytes * times as u64);
    bytes.sum()
}

/// The bytes of the constants that the largest of the compiled methods reads. Methods may share some.
fn constants(methods: &[CompiledMethod]) -> u64 {
    let of_method =
        |method: &CompiledMethod| now(method).into_values().map(|own| own.bytes).sum::<u64>();
    methods.iter().map(of_method).max().unwrap_or(0)
}

/// The constants of one name that a compiled graph reads.
#[derive(Default)]
struct Named {
    bytes: u64,
    /// The bytes of the largest of them, and its first reader.
    largest: (u64, String),
    count: usize,
}

/// The constants that a compiled graph reads, by name.
fn now(method: &CompiledMethod) -> IndexMap<Arc<str>, Named> {
    let graph = &method.graph;
    let mut now: IndexMap<Arc<str>, Named> = IndexMap::new();
    let mut seen = vec![
        false;
        graph
            .constants()
            .map(|(id, _)| id.index() + 1)
            .max()
            .unwrap_or(0)
    ];
    for placed in &method.placements {
        for &operand in &graph.node(placed.node).operands {
            let Some(Op::Constant(constant)) = graph.producer_op(operand) else {
                continue;
            };
            if std::mem::replace(&mut seen[constant.value.index()], true) {
                continue;
            }
            let data = graph.constant(constant.value);
            let named = now.entry(data.name.clone()).or_default();
            // Programs hold integers of 4 bits in pairs.
            let is_nibbles = data
                .ty
                .quant
                .as_ref()
                .is_some_and(|quant| quant.min >= -8 && quant.max <= 7);
            let length = data.data.content().len() as u64;
            let bytes = match is_nibbles {
                true => length.div_ceil(2),
                false => length,
            };
            named.bytes += bytes;
            named.count += 1;
            if bytes > named.largest.0 {
                named.largest = (bytes, name_of(graph, placed.node));
            }
        }
    }
    now
}

/// What a graph has more of than its archive: constants, each by its name or by its first reader, with the bytes that were added.
fn grown(method: &CompiledMethod) -> Vec<(String, u64)> {
    let graph = &method.graph;
    // A mask is held once, whatever reads it.
    let mut masks: IndexMap<ConstId, (String, u64)> = IndexMap::new();
    for placed in &method.placements {
        if let Some((mask, bytes)) = mask_bytes(graph, placed) {
            masks.entry(mask).or_insert_with(|| {
                (
                    format!("the mask of {}", name_of(graph, placed.node)),
                    bytes,
                )
            });
        }
    }
    let added = now(method).into_iter().filter_map(|(name, own)| {
        let before = method.given.weights.named.get(&name).copied().unwrap_or(0);
        // The user knows the names of weights, and not those of numbers that the import or a pass made.
        let is_weight =
            |name: &str| name != LITERAL && method.given.weights.named.contains_key(name);
        let is_known = name.split('+').any(is_weight);
        let what = match is_known {
            true => name.to_string(),
            false => match (own.largest.1, own.count) {
                (reader, 1) => format!("a constant of {reader}"),
                (reader, count) => format!("{count} constants, the largest of {reader}"),
            },
        };
        (own.bytes > before).then(|| (what, own.bytes - before))
    });
    added.chain(masks.into_values()).collect()
}

/// A constant mask that a delegate holds as floats, and their bytes, about: the library hides elements by a minimum and a maximum.
fn mask_bytes(graph: &Graph, placed: &Placed) -> Option<(ConstId, u64)> {
    let node = graph.node(placed.node);
    if !matches!(node.op, Op::Select(_)) || !placed.place.is_delegate() {
        return None;
    }
    let Some(Op::Constant(mask)) = graph.producer_op(node.operands[0]) else {
        return None;
    };
    let sizes = graph.constant(mask.value).data.sizes();
    let elements: usize = sizes.iter().product();
    Some((mask.value, (2 * elements * size_of::<f32>()) as u64))
}
