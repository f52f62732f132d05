//! XNNPACK as the driver sees it.

use crate::halves::{self, ASSUMED, Sums};
use crate::lower::dynamic::ROW;
use crate::{Options as XnnpackOptions, Xnnpack, XnnpackPayloads};
use half::bf16;
use kiln_ir::graph::Node;
use kiln_ir::types::QuantScheme;
use kiln_ir::{DynamicQuant, Graph, NodeId, Op, Quant};
use kiln_portable::program::{DelegateReader, PROGRAM, ProgramTarget, Regions, ToPrograms};
use kiln_target::{Choice, Entry, Error, Half, Integers, Options, Placed, Rates};
use kiln_transforms::framework::pass::{Pass, names};
use kiln_transforms::framework::target::Target;
use kiln_transforms::layout::Least;
use std::sync::Arc;

/// The number of layers that a note names.
const MAX_NAMES: usize = 3;

/// The target.
pub const TARGETS: &[Entry] = &[Entry {
    name: "xnnpack",
    help: "ExecuTorch with the XNNPACK delegate",
    kind: &PROGRAM,
    choices: &[Choice::StrictNan, Choice::FastNan, Choice::Half],
    integers: Integers::LayersAndRows,
    create: |_, options| Box::new(ToPrograms(Xnnpack::new(own_options(options)))),
}];

fn own_options(options: &Options) -> XnnpackOptions {
    XnnpackOptions {
        strict_nan: options.strict_nan,
        fast_nan: options.fast_nan,
        half: options.half.unwrap_or_default(),
        ..XnnpackOptions::default()
    }
}

impl ProgramTarget for Xnnpack {
    fn as_target(&self) -> &dyn Target {
        self
    }

    fn pipeline(&self) -> &'static [Pass] {
        crate::pipeline()
    }

    fn takes_loops(&self) -> bool {
        true
    }

    fn regions(&self, graph: &mut Graph) -> Result<Regions, Error> {
        let regions = crate::compile(graph, self.options()).map_err(Error::of)?;
        Ok(regions.into())
    }

    fn notes(&self, graph: &Graph, placements: &[Placed]) -> Vec<String> {
        let notes = [
            finer_layers(graph, placements),
            asymmetric_layers(graph, placements),
            rounded_scales(graph, placements),
            many_rows(graph, placements),
            great_sums(graph, placements, self.options().half()),
            assumed_sums(graph, placements, self.options().half()),
        ];
        notes.into_iter().flatten().collect()
    }

    fn delegates(&self) -> &'static [&'static dyn DelegateReader] {
        &[&XnnpackPayloads]
    }

    fn rates(&self) -> Option<&'static Rates> {
        Some(&crate::RATES)
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        crate::least_moved(graph, self.options())
    }
}

/// The number of layers whose input the model quantises with one scale for several rows or images, each of which has its own scale
/// in the library.
pub fn finer_layer_count(graph: &Graph, placements: &[Placed]) -> usize {
    let finer = placements.iter().filter(|p| is_finer(graph, p.node));
    finer.filter(|p| p.place.is_delegate()).count()
}

/// A note on layers whose input the model quantises with one scale for several rows or images, each of which has its own in the library.
fn finer_layers(graph: &Graph, placements: &[Placed]) -> Option<String> {
    let count = finer_layer_count(graph, placements);
    let layers = match count {
        1 => "1 layer quantises its input",
        _ => &format!("{count} layers quantise their inputs"),
    };
    (count > 0).then(|| {
        format!(
            "{layers} with a scale for each row (each image or place, for a convolution) instead of one for the whole tensor; \
             results are nearer to the float model's"
        )
    })
}

/// A note on layers whose input the model quantises about 0, while the library uses the range between its extremes.
fn asymmetric_layers(graph: &Graph, placements: &[Placed]) -> Option<String> {
    let symmetric = placements
        .iter()
        .filter(|p| activation_of(graph, p.node).is_some_and(|(_, quant)| quant.is_symmetric()));
    let count = symmetric.filter(|p| p.place.is_delegate()).count();
    let layers = match count {
        1 => "1 layer quantises its input",
        _ => &format!("{count} layers quantise their inputs"),
    };
    (count > 0).then(|| {
        format!(
            "{layers} between the least and the greatest element, where the archive does about 0: XNNPACK has no other way. Steps are as fine \
             as the archive's or finer, so results differ from the archive's by about a step of 8 bits and are nearer to the float model's"
        )
    })
}

/// A note on layers whose scales of groups the library has in bf16: those beside rows of integers.
fn rounded_scales(graph: &Graph, placements: &[Placed]) -> Option<String> {
    let layers = placements.iter().filter(|p| p.place.is_delegate());
    let count = layers.filter(|p| has_rounded_scales(graph, p.node)).count();
    let layers = match count {
        1 => "1 layer",
        _ => &format!("{count} layers"),
    };
    (count > 0).then(|| {
        format!(
            "{layers}: XNNPACK has the scales of groups in bf16, so weights differ by up to 2^-9 from the archive's; give scales of bf16 \
             (torchao: `weight_scale_dtype`) for the same weights in both"
        )
    })
}

/// The rows from which a layer for each group takes longer than one of floats (`docs/benchmarks.md`).
const MANY_ROWS: usize = 16;

/// A note on layers of floats and integers by group that compute many rows.
fn many_rows(graph: &Graph, placements: &[Placed]) -> Option<String> {
    let layers = placements.iter().filter(|p| p.place.is_delegate());
    let rows = layers.filter_map(|p| rows_by_groups(graph, p.node));
    let many: Vec<usize> = rows.filter(|&rows| rows >= MANY_ROWS).collect();
    let most = many.iter().max()?;
    let layers = match many.len() {
        1 => "1 layer multiplies",
        _ => &format!("{} layers multiply", many.len()),
    };
    Some(format!(
        "{layers} floats by integers with scales by group, for up to {most} rows at once. With many rows that takes longer than with weights of \
         floats (1.4 times for 128 rows in groups of 32); rows of 8 bits (8da4w) take less"
    ))
}

/// The rows of a layer of floats whose weights have scales by group, if they are known.
fn rows_by_groups(graph: &Graph, id: NodeId) -> Option<usize> {
    let node = graph.node(id);
    let Op::Dequantised(op) = &node.op else {
        return None;
    };
    let quant = graph.ty(node.operands[1]).quant.as_ref()?;
    let has_groups = matches!(quant.scheme, QuantScheme::PerGroup { .. });
    let sizes = graph.ty(node.operands[0]).shape.as_static()?;
    let rows = sizes.split_last()?.1.iter().product();
    (has_groups && op.activation.is_none()).then_some(rows)
}

/// A note on layers of f16 that are computed in f32, because sums in f16 may overflow.
fn great_sums(graph: &Graph, placements: &[Placed], half: Half) -> Option<String> {
    let is_great = |node: &Node| halves::overflows(graph, node, half);
    let (count, listed) = layers(graph, placements, is_great)?;
    let (layers, them) = match count {
        1 => ("1 layer of f16 is".to_owned(), "it"),
        _ => (format!("{count} layers of f16 are"), "them"),
    };
    Some(format!(
        "{layers} computed in f32 ({listed}), because sums of products may exceed 65504 before they are complete; --half native computes {them} \
         in f16, in about half the time where the processor has f16 arithmetic"
    ))
}

/// A note on layers of f16 whose sums are numbers of f16 if their operands are as small as is assumed.
fn assumed_sums(graph: &Graph, placements: &[Placed], half: Half) -> Option<String> {
    let is_assumed = |node: &Node| {
        half == Half::Fitting
            && halves::is_native(graph, node, half)
            && halves::sums(graph, node) == Sums::FitAssumed
    };
    let (count, listed) = layers(graph, placements, is_assumed)?;
    let (layers, their, them) = match count {
        1 => ("1 layer of f16 adds".to_owned(), "its", "it"),
        _ => (format!("{count} layers of f16 add"), "their", "them"),
    };
    Some(format!(
        "{layers} up in f16 ({listed}): {their} sums stay below 65504 for operands of at most {ASSUMED}, which is assumed where no range is known; \
         --half f32 computes {them} in f32"
    ))
}

/// The number of the delegates' nodes that a condition holds for, and the names of the first ones; `None` if there is none.
fn layers(
    graph: &Graph,
    placements: &[Placed],
    condition: impl Fn(&Node) -> bool,
) -> Option<(usize, String)> {
    let delegated = placements.iter().filter(|p| p.place.is_delegate());
    let found = delegated.filter(|p| condition(graph.node(p.node)));
    let named: Vec<String> = found.map(|p| name(graph, p.node)).collect();
    let (count, more) = (
        named.len(),
        if named.len() > MAX_NAMES { ", .." } else { "" },
    );
    let listed = named[..count.min(MAX_NAMES)].join(", ");
    (count > 0).then(|| (count, listed + more))
}

/// The exporter's name of a node, else its op's.
fn name(graph: &Graph, node: NodeId) -> String {
    let names = names(graph, node);
    let op = graph.node(node).op.name();
    names.into_iter().next().unwrap_or_else(|| op.to_owned())
}

fn has_rounded_scales(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let weight = node.operands.get(1).map(|&v| graph.ty(v));
    let quant = weight.and_then(|ty| ty.quant.as_ref());
    let is_of_groups = |quant: &&Arc<Quant>| matches!(quant.scheme, QuantScheme::PerGroup { .. });
    let is_held = |&scale: &f64| f64::from(bf16::from_f64(scale)) == scale;
    let is_of_rows = matches!(&node.op, Op::Dequantised(op) if op.activation.is_some());
    is_of_rows
        && quant
            .filter(is_of_groups)
            .is_some_and(|quant| !quant.scheme.scales().iter().all(is_held))
}

fn is_finer(graph: &Graph, id: NodeId) -> bool {
    let Some((op, quant)) = activation_of(graph, id) else {
        return false;
    };
    let sizes = &graph.ty(graph.node(id).operands[0]).shape;
    let weight = &graph.ty(graph.node(id).operands[1]).shape;
    let own = match op {
        // The channels of a place.
        Op::Conv(conv) if conv.is_of_places(weight) => ROW,
        // All but the batch: an image, or a row of channels and places.
        Op::Conv(_) => sizes.len().saturating_sub(1),
        _ => ROW,
    };
    let several = sizes.len().saturating_sub(quant.axes)..sizes.len().saturating_sub(own);
    sizes[several].iter().any(|size| !size.is(1))
}

/// A layer on an input that is quantised when running, and how.
fn activation_of(graph: &Graph, id: NodeId) -> Option<(&Op, &DynamicQuant)> {
    match &graph.node(id).op {
        Op::Dequantised(own) => Some((&*own.op, own.activation.as_ref()?)),
        _ => None,
    }
}
