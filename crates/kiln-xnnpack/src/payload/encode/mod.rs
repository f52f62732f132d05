//! The flatbuffer of a payload.
//!
//! Only called on graphs that [`check`](super::check()) passed.

mod nodes;
mod values;

use super::graph::{ConstantData, ValueId, XnnGraph};
use super::payload_fb::xnnpack as fb;
use super::{IDENTIFIER, NONE};
use planus::WriteAsOffset;
use rustc_hash::FxHashMap;

/// The flatbuffer; `offsets` has the place of each inline constant.
pub(super) fn encode(graph: &XnnGraph, offsets: &[Option<u64>]) -> Vec<u8> {
    let ids = |ids: Vec<ValueId>| Some(ids.into_iter().map(|id| id.0).collect::<Vec<u32>>());
    let mut encoder = Encoder::default();
    let values = graph.values.iter().zip(0..);
    let xvalues: Vec<_> = values.map(|(v, id)| encoder.value(v, id)).collect();
    let xnodes: Vec<_> = graph.nodes.iter().map(|node| encoder.node(node)).collect();
    let builder = &mut encoder.builder;
    let root = fb::XnnGraph::create(
        builder,
        "0",
        xnodes,
        xvalues,
        graph.num_externs,
        ids(graph.inputs()),
        ids(graph.outputs()),
        None::<Vec<fb::Buffer>>,
        None::<Vec<u32>>,
        constants(graph, offsets),
    );
    kiln_pte::flatbuffer::finish_with(builder, root, *IDENTIFIER)
}

/// A flatbuffer under way. It holds equal lists and equal scales of tensors once: a layer in groups of a row is many operators that differ
/// in little.
#[derive(Default)]
struct Encoder<'a> {
    builder: planus::Builder,
    lists: FxHashMap<&'a [u32], planus::Offset<[u32]>>,
    /// By the bits of the scale, and the zero point.
    per_tensor: FxHashMap<(u32, i32), planus::Offset<fb::PerTensorQuant>>,
    no_scales: Option<planus::Offset<[f32]>>,
}

impl<'a> Encoder<'a> {
    fn list(&mut self, list: &'a [u32]) -> planus::Offset<[u32]> {
        let builder = &mut self.builder;
        let known = self.lists.entry(list);
        *known.or_insert_with_key(|list| WriteAsOffset::prepare(*list, builder))
    }
}

/// A number whose absence is zero; negative zero, which equals it, stays.
fn unless_zero(value: f32) -> Option<f32> {
    (value.to_bits() != 0).then_some(value)
}

fn optional(id: Option<ValueId>) -> u32 {
    id.map_or(NONE, |id| id.0)
}

/// Entry 0 means "not constant", and is there even if nothing else is.
fn constants(graph: &XnnGraph, offsets: &[Option<u64>]) -> Vec<fb::ConstantDataOffset> {
    let entry = |(constant, offset): (&ConstantData, &Option<u64>)| match constant {
        ConstantData::Inline(data) => fb::ConstantDataOffset {
            offset: offset.unwrap_or_default(),
            size: data.len() as u64,
            named_key: None,
        },
        ConstantData::Named(key) => fb::ConstantDataOffset {
            offset: u64::MAX,
            size: 0,
            named_key: Some(key.clone()),
        },
    };
    let reserved = fb::ConstantDataOffset {
        offset: 0,
        size: 0,
        named_key: None,
    };
    std::iter::once(reserved)
        .chain(graph.constants.iter().zip(offsets).map(entry))
        .collect()
}
