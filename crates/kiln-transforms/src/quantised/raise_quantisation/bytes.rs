//! Integers of one byte that follow from constants.
//!
//! Models that are quantised by hand keep several integers of few bits in one byte or word, and unpack them by shifts and masks. Computed
//! ahead, they are a constant of bytes, which a layer can take as its weight.

use super::cast;
use crate::analysis::constants::{constant_of, is_constant, name_of};
use crate::framework::emitter::Emitter;
use crate::framework::folding::{FoldBudget, computed};
use crate::framework::rewriting::Rewritten;
use crate::guards;
use crate::quantised::weight_readers::is_read_as_weight;
use kiln_ir::graph::Constant;
use kiln_ir::ops::Cast;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Scalar, TensorData, ValueId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

guards! {
    /// Bytes hold all the integers.
    HELD_BY_BYTES;
}

/// Integers are unpacked if there are at most so many of them for each byte of the constants behind them. A mask or a table that is
/// computed from a few numbers would make the program larger.
const MOST_PER_BYTE: usize = 8;

/// Integers of one byte, and the name of the constant that they come from.
pub(super) struct Bytes {
    pub(super) name: Arc<str>,
    pub(super) data: TensorData,
}

impl Bytes {
    /// The whole numbers that floats are: a cast of bytes, or, if that is asked for, computed from constants among which are integers.
    pub(super) fn behind(graph: &Graph, floats: ValueId, may_compute: bool) -> Option<Bytes> {
        let integers = cast(graph, floats).filter(|&v| is_constant(graph, v));
        let plain = integers.and_then(|v| Bytes::of_constant(graph, v));
        plain.or_else(|| may_compute.then(|| Bytes::unpacked(graph, floats))?)
    }

    fn of_constant(graph: &Graph, integers: ValueId) -> Option<Bytes> {
        let ty = graph.ty(integers);
        let is_byte = matches!(ty.dtype, DType::I8 | DType::U8) && ty.quant.is_none();
        let data = is_byte.then(|| constant_of(graph, integers))??;
        let name = name_of(graph, integers);
        Some(Bytes { name, data })
    }

    /// Whole numbers that are computed from constants of integers.
    fn unpacked(graph: &Graph, value: ValueId) -> Option<Bytes> {
        let name = packed(graph, value)?;
        let data = known(graph, value)?;
        let data = [DType::I8, DType::U8]
            .into_iter()
            .find_map(|dtype| narrowed(&data, dtype))?;
        Some(Bytes { name, data })
    }
}

/// A cast of unpacked integers to floats, which are weights, becomes one of bytes.
pub(super) fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let &Op::Cast(Cast { to }) = &node.op else {
        return Ok(None);
    };
    let integers = node.operands[0];
    let ty = graph.ty(integers);
    let is_computed = ty.dtype.is_int() && ty.quant.is_none() && !is_constant(graph, integers);
    if !to.is_float() || !is_computed || !is_read_as_weight(graph, node.result()) {
        return Ok(None);
    }
    let Some(Bytes { name, data }) = Bytes::unpacked(graph, integers) else {
        return Ok(None);
    };
    let ty = data.tensor_type();
    let bytes = emitter.known_constant(Constant { name, ty, data });
    emitter.unfolded(Cast { to }, &[bytes]).map(Some)
}

/// The elements of a value that follows from constants. This may take as long as the program would for them.
pub(super) fn known(graph: &Graph, value: ValueId) -> Option<TensorData> {
    match is_constant(graph, value) {
        true => constant_of(graph, value),
        false => {
            constants_behind(graph, value)?;
            computed(graph, graph.producer(value)?, &mut FoldBudget::default())
        }
    }
}

/// The name of the largest constant of integers that a value is computed from; `None` if there are too few bytes for its elements.
fn packed(graph: &Graph, value: ValueId) -> Option<Arc<str>> {
    let sizes = graph.ty(value).shape.as_static()?;
    let elements = sizes
        .into_iter()
        .try_fold(1usize, |n, size| n.checked_mul(size))?;
    let all = constants_behind(graph, value)?;
    // Positions and masks are computed from single numbers.
    let is_list = |c: &Constant| c.data.sizes().iter().product::<usize>() > 1;
    let integers = all.iter().filter(|c| c.ty.dtype.is_int() && is_list(c));
    let largest = integers.max_by_key(|c| c.data.content().len())?;
    let is_packed = elements <= largest.data.content().len().saturating_mul(MOST_PER_BYTE);
    is_packed.then(|| largest.name.clone())
}

/// The most nodes between integers and the constants that they are computed from.
const MAX_NODES: usize = 64;

/// The constants that a value is computed from; `None` if it follows from anything else.
fn constants_behind(graph: &Graph, value: ValueId) -> Option<Vec<&Constant>> {
    let (mut open, mut seen) = (vec![value], FxHashSet::from_iter([value]));
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        match graph.as_constant(value) {
            Some(constant) => found.push(constant),
            None => {
                let operands = &graph.node(graph.producer(value)?).operands;
                open.extend(operands.iter().copied().filter(|&v| seen.insert(v)));
            }
        }
        if seen.len() > MAX_NODES {
            return None;
        }
    }
    Some(found)
}

/// The elements as integers of a byte; `None` if it does not hold them.
fn narrowed(data: &TensorData, to: DType) -> Option<TensorData> {
    let (min, max) = to.int_range()?;
    let range = min as f64..=max as f64;
    let is_negative_zero = |number: f64| number == 0.0 && number.is_sign_negative();
    let is_held =
        |number: f64| number.fract() == 0.0 && range.contains(&number) && !is_negative_zero(number);
    let are_held = data.scalars().map(Scalar::as_f64).all(is_held);
    HELD_BY_BYTES
        .holds(are_held)
        .then(|| TensorData::from_scalars(to, data.sizes().to_vec(), data.scalars()))
}
