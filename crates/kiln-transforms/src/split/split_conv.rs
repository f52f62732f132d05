//! Splits a convolution whose result is only read as ranges of channels.
//!
//! Some targets let a producer write its result at its place in a concatenation ([`Target::bytes_per_join`]), but copy
//! a slice of a larger value. The pass does this if all readers take ranges that do not overlap, and if the copies cost
//! more than the additional operators.
//!
//! ```kiln
//! split_conv
//! graph "ranges" {
//!   constant c0 "w" f32[4, 1, 1, 1] = [1.0, 2.0, 3.0, 4.0]
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 4, 4]) {
//!     %1: f32[4, 1, 1, 1] = constant {value=c0}
//!     %2: f32[1, 4, 4, 4] = conv %0, %1 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %3: f32[1, 1, 4, 4] = slice %2 {axis=1, start=0, len=1, step=1}
//!     %4: f32[1, 3, 4, 4] = slice %2 {axis=1, start=1, len=3, step=1}
//!     %5: f32[1, 2, 4, 4] = concat %3, %0 {axis=1}
//!     %6: f32[1, 4, 4, 4] = concat %4, %0 {axis=1}
//!     return %5, %6
//!   }
//! }
//! ---
//! graph "ranges" {
//!   constant c0 "w" f32[1, 1, 1, 1] = [1.0]
//!   constant c1 "w" f32[3, 1, 1, 1] = [2.0, 3.0, 4.0]
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 4, 4]) {
//!     %1: f32[1, 1, 1, 1] = constant {value=c0}
//!     %2: f32[1, 1, 4, 4] = conv %0, %1 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %3: f32[3, 1, 1, 1] = constant {value=c1}
//!     %4: f32[1, 3, 4, 4] = conv %0, %3 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %5: f32[1, 2, 4, 4] = concat %2, %0 {axis=1}
//!     %6: f32[1, 4, 4, 4] = concat %4, %0 {axis=1}
//!     return %5, %6
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::{Reason, Target};
use crate::guards;
use crate::joins::route_channels::is_dense;
use kiln_ir::graph::Use;
use kiln_ir::ops::Slice;
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, ValueId};

guards! {
    /// A range has neighbouring channels.
    NEIGHBOURS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "split_conv",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "range_of_conv",
    rewrite,
}];

/// A convolution with more readers is not split.
const MAX_READERS: usize = 32;

/// Splits convolutions; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    if target.bytes_per_join().is_some() {
        run_pass(rewriter, target, report, RULES);
    }
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((start, len)) = range(graph, id) else {
        return Ok(None);
    };
    let value = graph.node(id).operands[0];
    let Some(layer) = graph.producer(value).map(|id| graph.node(id)) else {
        return Ok(None);
    };
    if !is_dense(graph, layer) || graph.value(value).uses().len() > MAX_READERS {
        return Ok(None);
    }
    let Some(ranges) = ranges(graph, value) else {
        return Err(Reason::new(
            "all readers of the convolution take ranges of channels that do not overlap",
            "another reader",
        ));
    };
    let copied = ranges
        .iter()
        .filter(|range| range.is_joined)
        .map(|range| range.bytes);
    let copied = copied.fold(0, u64::saturating_add);
    let cost = emitter.bytes_per_join().unwrap_or(0);
    if copied <= cost.saturating_mul(ranges.len() as u64 - 1) {
        return Err(Reason::new(
            "the copies cost more than the additional operators",
            format!("{copied} bytes against {} operators", ranges.len() - 1),
        ));
    }
    let (op, mut operands) = (layer.op.clone(), layer.operands.to_vec());
    for weight in &mut operands[1..] {
        *weight = emitter.slice(*weight, 0, start, len, 1)?;
    }
    emitter.value(op, &operands).map(Some)
}

/// The first channel and the number of channels, for a node that slices channels.
fn range(graph: &Graph, id: NodeId) -> Option<(i64, i64)> {
    let Op::Slice(Slice {
        axis: 1,
        start,
        len,
        step,
    }) = &graph.node(id).op
    else {
        return None;
    };
    let range = (start.as_const()?, len.as_const()?);
    NEIGHBOURS.holds(*step == 1).then_some(range)
}

/// A range of channels that a reader takes.
struct Range {
    start: i64,
    end: i64,
    bytes: u64,
    /// True if the range is copied to its place in a concatenation.
    is_joined: bool,
}

/// The ranges that the readers of a value take, in ascending order; `None` if a reader takes no range, or if ranges
/// overlap.
fn ranges(graph: &Graph, value: ValueId) -> Option<Vec<Range>> {
    let mut ranges: Vec<Range> = Vec::new();
    for read in graph.value(value).uses() {
        let Use::Operand(reader, _) = *read else {
            return None;
        };
        let (start, len) = range(graph, reader)?;
        let part = graph.node(reader).result();
        let bytes = graph.ty(part).max_bytes(&graph.symbols);
        ranges.push(Range {
            start,
            end: start + len,
            bytes: bytes.and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
            is_joined: is_joined(graph, part),
        });
    }
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup_by_key(|range| (range.start, range.end));
    let apart = ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
    apart.then_some(ranges)
}

fn is_joined(graph: &Graph, value: ValueId) -> bool {
    graph.value(value).uses().iter().any(|read| {
        matches!(*read, Use::Operand(reader, _) if matches!(graph.node(reader).op, Op::Concat(_)))
    })
}
