//! Turns float ops between dequantisation and quantisation into ops on integers.
//!
//! # Contract
//! - Dequantisations sink through all ops that pick and move elements, if the operands have the same quantisation.
//!   Quantisations rise through these ops, through maxima and minima, and through clamps. The clamp is then one of
//!   integers, without the bounds that the range implies. Elements of different quantisations are requantised to a
//!   common one. A constant that a value is compared with becomes the integer that separates the same reals. Two values of different
//!   quantisations are compared as reals where a kernel does so, else requantised to i32, within 2^22 finer steps from zero.
//! - If a reader needs floats, a dequantisation also sinks through a product with a number, which becomes a new scale
//!   (several scales only where the target computes with them), and through a clamp whose bounds the integers represent exactly.
//! - Reals that the caller reads, and that are rounded again in the same way behind ops that pick and move them, are rounded once.
//! - `quantize(op(dequantize(..)..))` becomes `quantised(op)`, if the op's float operands are dequantisations, or
//!   constants that are no factor of a product of matrices, and if nothing reads the float result.
//! - A product with a dequantised constant matrix becomes a linear layer if the matrix is about 0, or is repeated. A
//!   constant that is added to the result of a layer on such weights becomes its bias.
//! - Integers pass into branches and loops, and out of branches. If all readers of a branch's result quantise it in the
//!   same way, they move into the blocks.
//! - A quantisation that rises to an input stays next to the input. A dequantisation that sinks to a result stays next
//!   to the result.
//! - A value is quantised only once in each way. Slices of a tensor that stays in floats are quantised behind the slices if they
//!   have fewer elements together than the tensor.
//! - The report names what stays in floats: each quantisation of a computed value, and each op that computes with
//!   dequantised values, unless nothing reads it or `fold_dequantised` takes it. [`islands`] lists those that are a
//!   function of one integer.
//!
//! # Differences of results
//! Ops that pick, move, compare and clamp keep their bits, but comparisons in i32: reals less than half a finer step apart count as
//! equal there. So does the round trip through f32 of integers less than
//! 2^20 steps from their zero point. NaN may become another integer than before, since it is quantised before a clamp
//! or a maximum instead of after; its integer is machine-dependent anyway. An op that computes rounds its exact result
//! once. In f32 the result before quantisation has an error of some `e` steps of the result's scale, so the integers
//! differ by at most `floor(e) + 1`: by one, at ties, if f32 errs by less than a step. `requantize` differs by at most
//! one.
//!
//! ```kiln
//! fold_quantised
//! graph "fold_quantised" {
//!   constant c0 "w" i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = [1, 2, 3, 4]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2]) {
//!     %1: i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %2: f32[2, 2] = dequantize %1 {dtype=f32}
//!     %3: i8[1, 2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %4: f32[1, 2] = dequantize %3 {dtype=f32}
//!     %5: f32[1, 2] = linear %4, %2 {}
//!     %6: f32[1, 2] = unary %5 {f=clamp[0, none]}
//!     %7: f32[2, 1] = move %6 {movement=(a:1 b:2 -> b a)}
//!     %8: i8[2, 1] as (per_tensor 0.25 -100 in [-128, 127]) = quantize %7 {quant=per_tensor 0.25 -100 in [-128, 127], dtype=i8}
//!     %9: f32[2, 1] = dequantize %8 {dtype=f32}
//!     return %9
//!   }
//! }
//! ---
//! graph "fold_quantised" {
//!   constant c0 "w" i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = [1, 2, 3, 4]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2]) {
//!     %1: i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %2: i8[1, 2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %3: i8[1, 2] as (per_tensor 0.25 -100 in [-128, 127]) = quantised %2, %1 {op=linear {}, quant=per_tensor 0.25 -100 in [-128, 127], dtype=i8}
//!     %4: i8[1, 2] as (per_tensor 0.25 -100 in [-128, 127]) = unary %3 {f=clamp[0.0, none]}
//!     %5: i8[2, 1] as (per_tensor 0.25 -100 in [-128, 127]) = move %4 {movement=(b:1 a:2 -> a b)}
//!     %6: f32[2, 1] = dequantize %5 {dtype=f32}
//!     return %6
//!   }
//! }
//! ```

mod carry;
mod comparison;
mod control;
mod island;
mod meeting;
mod pieces;
mod prepare;
mod products;
mod reach;
mod second_rounding;

pub use island::{Island, islands};

use super::fold_dequantised;
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{
    Applied, PassContext, Rewritten, is_unread, nodes_in_use, nodes_read,
};
use crate::framework::target::{Placement, Reason, Target};
use carry::{
    Stored, carries, clamped, integers_of, is_clamp, is_extreme, is_float, is_for_floats, is_given,
    quantised_pad, sunk,
};
use kiln_ir::graph::ValueList;
use kiln_ir::ops::{Meaning, Quantised, Requantize};
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, ValueId};
use pieces::Pieces;
use reach::{Reach, Stuck};
use rustc_hash::FxHashMap;

const NAME: &str = "fold_quantised";
const DEAD: &str = "dead_readers";
const FOLD_CONSTANTS: &str = "fold_constants";
const LAYER: &str = "layer_of_product";
const BIAS: &str = "bias_of_sum";
const SINK: &str = "sink_dequantize";

/// The pass.
pub const PASS: Pass = Pass {
    name: NAME,
    keeps_bits: false,
    run,
    rules: &[
        DEAD,
        FOLD_CONSTANTS,
        LAYER,
        BIAS,
        SINK,
        second_rounding::NAME,
        control::ENTER,
        control::LEAVE,
        NAME,
    ],
    guards: &[
        carry::GUARDS,
        comparison::GUARDS,
        control::GUARDS,
        meeting::GUARDS,
        prepare::GUARDS,
        second_rounding::GUARDS,
    ],
};

/// Folds; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    if prepare(&mut cx).and_then(|()| sink_all(&mut cx)).is_some() {
        let reach = Reach::of(cx.graph());
        let pieces = Pieces::of(cx.graph(), &reach);
        let mut fold = Fold {
            cx,
            reach,
            pieces,
            known: FxHashMap::default(),
        };
        if fold.all().is_some() {
            erase_unread(&mut fold.cx);
            fold.report();
        }
    }
    rewriter.remove_unused_constants();
}

/// Folds nodes over constants, makes layers of products, and drops second roundings; `None` once the rewriter's limit is reached.
fn prepare(cx: &mut PassContext<'_, '_>) -> Option<()> {
    dead_readers(cx)?;
    if layers(cx, LAYER, products::layer)? {
        // Repeated matrices, which nothing reads any more, would be folded.
        erase_unread(cx);
    }
    for node in nodes_in_use(cx.graph()) {
        if !prepare::is_of_constants(cx.graph(), node) {
            continue;
        }
        let mark = cx.mark();
        match cx.emit(node, |emitter| prepare::constants(emitter, node)) {
            None => cx.take_back(mark),
            Some(values) => put(cx, FOLD_CONSTANTS, node, values, mark)?,
        }
    }
    layers(cx, BIAS, products::bias)?;
    second_rounding::drop_all(cx)
}

/// Applies a rule about layers to each node, and says if it applied to any; `None` once the rewriter's limit is reached.
fn layers(
    cx: &mut PassContext<'_, '_>,
    name: &'static str,
    rule: fn(&mut Emitter<'_, '_>, NodeId) -> Rewritten,
) -> Option<bool> {
    let mut is_any = false;
    for node in nodes_in_use(cx.graph()) {
        let mark = cx.mark();
        match cx.emit(node, |emitter| rule(emitter, node)) {
            Ok(Some(layer)) => {
                put(cx, name, node, ValueList::from_iter([layer]), mark)?;
                is_any = true;
            }
            Ok(None) | Err(_) => cx.take_back(mark),
        }
    }
    // What is inserted next has other origins.
    cx.rewriter.set_sources_of(&[]);
    Some(is_any)
}

/// Replaces a node's results; `None` once the rewriter's limit is reached.
fn put(
    cx: &mut PassContext<'_, '_>,
    rule: &'static str,
    node: NodeId,
    values: ValueList,
    mark: u32,
) -> Option<()> {
    let values: Vec<_> = values.into_iter().map(Some).collect();
    match cx.commit(rule, node, &values, mark) {
        Applied::Stopped => None,
        Applied::Yes(_) | Applied::No => Some(()),
    }
}

/// Sinks dequantisations, also into blocks and out of them; `None` once the rewriter's limit is reached.
fn sink_all(cx: &mut PassContext<'_, '_>) -> Option<()> {
    loop {
        sink(cx)?;
        let mut is_any = false;
        for node in nodes_in_use(cx.graph()).into_iter().rev() {
            is_any |= control::leave(cx, node)?;
        }
        if !is_any {
            return Some(());
        }
    }
}

/// Sinks dequantisations, also into blocks; `None` once the rewriter's limit is reached.
fn sink(cx: &mut PassContext<'_, '_>) -> Option<()> {
    for node in nodes_in_use(cx.graph()) {
        control::enter(cx, node)?;
        let found = cx.graph().node(node);
        let takes = carries(cx.graph(), node) || found.op.on_quantised() == Meaning::Compared;
        let is_real = |&v: &ValueId| integers_of(cx.graph(), v).is_some();
        let is_product = prepare::is_product(cx.graph(), node);
        let is_limited = prepare::is_limited(cx.graph(), node);
        if !(is_product || is_limited || takes && found.operands.iter().any(is_real)) {
            continue;
        }
        let only = |v: ValueId| ValueList::from_iter([v]);
        let mark = cx.mark();
        let sunk = cx.emit(node, |emitter| match (is_product, is_limited) {
            (true, _) => prepare::rescaled(emitter, node).ok().map(only),
            (_, true) => prepare::limited(emitter, node).ok().map(only),
            _ => sunk(emitter, node),
        });
        match sunk {
            None => cx.take_back(mark),
            Some(values) => put(cx, SINK, node, values, mark)?,
        }
    }
    Some(())
}

/// The state while quantisations rise.
struct Fold<'c, 'g> {
    cx: PassContext<'c, 'g>,
    reach: Reach,
    pieces: Pieces,
    /// The integers that are known to represent a float value, each with its quantisation.
    known: FxHashMap<ValueId, Vec<(Stored, ValueId)>>,
}

/// What happens to a quantisation.
enum Lifted {
    /// The quantisation stays.
    No,
    /// Existing integers replace it.
    Shared(ValueId),
    /// Integers computed from other integers replace it. They have to be emitted.
    Made,
}

impl Fold<'_, '_> {
    fn all(&mut self) -> Option<()> {
        for node in nodes_in_use(self.cx.graph()) {
            let mut open = vec![node];
            while let Some(node) = open.pop() {
                let found = self.cx.graph().try_node(node);
                if !found.is_some_and(|n| matches!(n.op, Op::Quantize(_))) {
                    continue;
                }
                match self.one(node) {
                    Applied::No => {}
                    Applied::Yes(new) => open.extend(new.into_iter().rev()),
                    Applied::Stopped => return None,
                }
            }
        }
        Some(())
    }

    fn one(&mut self, node: NodeId) -> Applied {
        let graph = self.cx.graph();
        let found = graph.node(node);
        let (real, result) = (found.operands[0], found.result());
        let Some(stored) = Stored::of(graph, result) else {
            return Applied::No;
        };
        if control::is_only_quantised(graph, real, &stored) {
            return self.inside(node, real, &stored);
        }
        let mark = self.cx.mark();
        let value = match self.lifted(real, result, &stored) {
            Lifted::No => {
                self.know(real, &stored, result);
                return Applied::No;
            }
            Lifted::Shared(value) => Ok(value),
            Lifted::Made => {
                let replaced = self.replaced(node, real);
                let known = &self.known;
                self.cx.emit_for(node, &replaced, |emitter| {
                    lift(emitter, known, real, &stored)
                })
            }
        };
        match value {
            Ok(value) => {
                let applied = self.cx.commit(NAME, node, &[Some(value)], mark);
                if let Applied::Yes(_) = &applied {
                    self.know(real, &stored, value);
                }
                applied
            }
            Err(reason) => {
                self.cx.take_back(mark);
                self.cx.report.declined(NAME, node, reason);
                Applied::No
            }
        }
    }

    /// The nodes that an op on integers stands for: what computes the real, what clamps or moves it, and its quantisation. Users know
    /// the first of them.
    fn replaced(&self, quantize: NodeId, real: ValueId) -> Vec<NodeId> {
        let graph = self.cx.graph();
        let mut nodes = vec![quantize];
        let mut real = real;
        while let Some(producer) = graph.producer(real) {
            let node = graph.node(producer);
            if matches!(node.op, Op::Dequantize(_) | Op::Constant(_)) {
                break;
            }
            nodes.push(producer);
            match node.operands.first() {
                Some(&operand) if is_clamp(&node.op) || carries(graph, producer) => real = operand,
                _ => break,
            }
        }
        nodes.reverse();
        nodes
    }

    /// Moves the quantisation of a branch's result into the blocks.
    fn inside(&mut self, node: NodeId, real: ValueId, stored: &Stored) -> Applied {
        if !self.cx.rewriter.may_apply() {
            return Applied::Stopped;
        }
        let graph = self.cx.rewriter.graph();
        self.cx.report.applied(control::ENTER, graph, node);
        self.cx.rewriter.set_sources_of(&[node]);
        let made = control::quantise_inside(&mut self.cx, real, stored);
        Applied::Yes(made)
    }

    /// Records integers that represent `real`. They must dominate all nodes that are still to be visited.
    fn know(&mut self, real: ValueId, stored: &Stored, integers: ValueId) {
        let all = self.known.entry(real).or_default();
        all.retain(|(other, _)| other != stored);
        all.push((stored.clone(), integers));
    }

    fn lifted(&self, real: ValueId, result: ValueId, stored: &Stored) -> Lifted {
        let graph = self.cx.graph();
        if let Some(integers) = found(graph, &self.known, real, stored)
            && integers != result
        {
            return Lifted::Shared(integers);
        }
        let Some(producer) = graph.producer(real) else {
            return Lifted::No;
        };
        if self.reach.stuck(real).is_some() {
            return Lifted::No;
        }
        let op = &graph.node(producer).op;
        let is_whole = stored.whole().is_some();
        match op {
            Op::Dequantize(_) | Op::Constant(_) => Lifted::Made,
            Op::Cast(_) if is_float(graph, graph.node(producer).operands[0]) => Lifted::No,
            op if is_clamp(op) && !stored.fits_f32() => Lifted::No,
            // The kernel would run twice, the second time on integers.
            _ if self.reach.is_read_as_float(real) && self.is_kernel(producer) => Lifted::No,
            _ if is_for_floats(graph, producer) && self.is_kernel(producer) => Lifted::No,
            Op::Slice(_) if self.pieces.are_apart(producer, stored) => Lifted::No,
            op if is_clamp(op) || carries(graph, producer) => match is_whole {
                true => Lifted::Made,
                false => Lifted::No,
            },
            op if op.computes_reals() => Lifted::Made,
            _ => Lifted::No,
        }
    }

    /// True for an op that picks elements by a kernel beside delegates. Views are kernels that cost nothing.
    fn is_kernel(&self, id: NodeId) -> bool {
        let graph = self.cx.graph();
        let has_delegates = || {
            let mut nodes = nodes_in_use(graph).into_iter();
            let quantise = nodes.find(|&id| matches!(graph.node(id).op, Op::Quantize(_)));
            quantise.is_some_and(|id| self.cx.target.placement(graph, id) == Placement::Delegate)
        };
        carries(graph, id)
            && !matches!(graph.node(id).op, Op::Move(_))
            && matches!(self.cx.target.placement(graph, id), Placement::Kernel(_))
            && has_delegates()
    }

    /// Reports the ops that stay in floats, with reasons.
    fn report(&mut self) {
        for id in nodes_read(self.cx.graph()) {
            if let Some(reason) = self.stays(id)
                && !fold_dequantised::is_taken(&mut self.cx, id)
            {
                self.cx.report.declined(NAME, id, reason);
            }
        }
    }

    /// Why a node stays in floats, if it is between floats and integers.
    fn stays(&self, id: NodeId) -> Option<Reason> {
        let graph = self.cx.graph();
        let node = graph.node(id);
        let takes_reals = |&v: &ValueId| integers_of(graph, v).is_some();
        let stuck = match &node.op {
            Op::Quantize(_) => self.reach.stuck(node.operands[0]),
            _ if node.operands.iter().any(takes_reals) => Some(match self.reach.kept(graph, id) {
                Stuck::Read(value)
                    if !self.reach.is_read_as_float(value)
                        && is_for_floats(graph, id)
                        && self.is_kernel(id) =>
                {
                    Stuck::Kernel(id)
                }
                why => why,
            }),
            _ => None,
        };
        let computed = || {
            Reason::new(
                "scale and zero point are known at compile time",
                "a scale or zero point that is computed at run time",
            )
            .advise("quantise with ranges that are calibrated before the export")
        };
        match stuck {
            Some(stuck) => Some(stuck.reason(graph)),
            None => is_dynamic(graph, id).then(computed),
        }
    }
}

/// True for a float node, or a comparison, that nothing reads.
fn is_dead(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let computes = node.op.computes_reals() || carries(graph, id);
    let is_float = node.results.first().is_some_and(|&v| is_float(graph, v));
    let is_real = matches!(node.op, Op::Dequantize(_) | Op::Constant(_));
    (is_float && (computes || is_real) || matches!(node.op, Op::Compare(_))) && is_unread(graph, id)
}

/// Erases what nothing reads, such as an unread mask of what a quantisation clamps: it would count as a reader in floats. `None` once the
/// rewriter's limit is reached.
fn dead_readers(cx: &mut PassContext<'_, '_>) -> Option<()> {
    for id in nodes_in_use(cx.graph()).into_iter().rev() {
        let is_constant = matches!(cx.graph().node(id).op, Op::Constant(_));
        if is_constant || !is_dead(cx.graph(), id) {
            continue;
        }
        if !cx.rewriter.may_apply() {
            return None;
        }
        cx.report.applied(DEAD, cx.rewriter.graph(), id);
        cx.rewriter.erase(id);
    }
    Some(())
}

/// Erases what nothing reads after other rewrites.
fn erase_unread(cx: &mut PassContext<'_, '_>) {
    for id in nodes_in_use(cx.graph()).into_iter().rev() {
        if is_dead(cx.graph(), id) {
            cx.rewriter.erase(id);
        }
    }
}

/// Recorded integers of this quantisation that represent a value, if they still exist.
fn found(
    graph: &Graph,
    known: &FxHashMap<ValueId, Vec<(Stored, ValueId)>>,
    real: ValueId,
    stored: &Stored,
) -> Option<ValueId> {
    let (_, integers) = known
        .get(&real)?
        .iter()
        .find(|(other, _)| other == stored)?;
    graph.is_live(*integers).then_some(*integers)
}

/// Moves a quantisation one step up: emits the integers of `real`, given by its producer on quantised operands.
fn lift(
    emitter: &mut Emitter<'_, '_>,
    known: &FxHashMap<ValueId, Vec<(Stored, ValueId)>>,
    real: ValueId,
    stored: &Stored,
) -> Emitted {
    let graph = emitter.graph();
    let gone = || Reason::new("the value is the result of an op", "an input");
    let id = graph.producer(real).ok_or_else(gone)?;
    let (op, mut operands) = (graph.node(id).op.clone(), graph.node(id).operands.clone());
    let quantised = |emitter: &mut Emitter<'_, '_>, value: ValueId| -> Emitted {
        match found(emitter.graph(), known, value, stored) {
            Some(integers) => Ok(integers),
            None => emitter.value(stored.quantize(), &[value]),
        }
    };
    let dtype = graph.ty(real).dtype;
    match op {
        Op::Constant(_) => emitter.value(stored.quantize(), &[real]),
        Op::Dequantize(_) => requantised(emitter, operands[0], stored),
        op if is_clamp(&op) => {
            let integers = quantised(emitter, operands[0])?;
            clamped(emitter, &op, integers, dtype)
        }
        mut op if carries(graph, id) => {
            for i in (0..operands.len()).filter(|&i| op.meets(i)) {
                operands[i] = quantised(emitter, operands[i])?;
            }
            if let Op::Pad(pad) = &mut op {
                let padded = quantised_pad(emitter.graph(), pad, stored, dtype);
                *pad = padded.ok_or_else(|| {
                    Reason::new("the quantisation of a padding has one scale", "several")
                })?;
            }
            emitter.value(op, &operands)
        }
        op => {
            let rises = is_extreme(&op) && !operands.iter().all(|&v| is_given(graph, v));
            for operand in &mut operands {
                if let Some(integers) = integers_of(emitter.graph(), *operand) {
                    *operand = integers;
                } else if rises {
                    *operand = quantised(emitter, *operand)?;
                }
            }
            let quant = stored.quant.clone();
            let (op, dtype) = (Box::new(op), stored.dtype);
            emitter.value(Quantised { op, quant, dtype }, &operands)
        }
    }
}

/// Integers requantised to another quantisation; unchanged if they have it.
fn requantised(emitter: &mut Emitter<'_, '_>, integers: ValueId, stored: &Stored) -> Emitted {
    if Stored::of(emitter.graph(), integers).as_ref() == Some(stored) {
        return Ok(integers);
    }
    let (quant, dtype) = (stored.quant.clone(), stored.dtype);
    emitter.value(Requantize { quant, dtype }, &[integers])
}

/// True for a cast to small integers after rounding and clamping. Quantisation with computed scale and zero point is
/// imported in this form.
fn is_dynamic(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let Op::Cast(cast) = &node.op else {
        return false;
    };
    let Some(limited) = graph.producer(node.operands[0]) else {
        return false;
    };
    let is_small = cast.to.is_int() && cast.to.size() <= 2;
    is_small && is_float(graph, node.operands[0]) && is_clamp(&graph.node(limited).op)
}
