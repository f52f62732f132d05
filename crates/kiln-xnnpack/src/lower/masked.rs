//! `where` with a constant condition and a constant in place of what the condition hides, as causal masks have it.
//!
//! XNNPACK has no bools. A minimum with infinity keeps an element, and one with a number that is no greater than the element gives that number. So a
//! minimum and a maximum with constants are the op; of infinities one of them is enough. The library's extremes give the second operand
//! where one is NaN, so the constant comes first: a NaN that is kept stays NaN. One that is hidden stays NaN too, where PyTorch has the constant
//! ([`crate::support::difference()`]). Integers have neither: the ends of their type stand for infinities. So a mask behind what makes NaN of numbers is a kernel's ([`crate::support`]).

use super::{Lowering, Problem};
use crate::orders::ROWS;
use crate::payload::{BinaryOp, ValueId as Tensor};
use crate::support::is_number;
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::{DType, Graph, NodeId, Scalar, Shape, TensorData, TypeNames};
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The position of the operand that is computed.
///
/// # Errors
/// The node is no `where` of that kind.
pub(crate) fn computed(graph: &Graph, node: &Node) -> Result<usize, Reason> {
    let rule = "a delegate hides elements by a constant mask, with constants in their place";
    let &[condition, a, b] = node.operands.as_slice() else {
        return Err(Reason::new(rule, "another number of operands"));
    };
    if !is_constant(graph, condition) {
        return Err(Reason::new(rule, "a mask that is computed when running"));
    }
    let computed = match [a, b].map(|value| is_constant(graph, value)) {
        [false, true] => 1,
        [true, false] => 2,
        _ => return Err(Reason::new(rule, "two computed values")),
    };
    let (found, result) = (graph.ty(node.operands[computed]), graph.ty(node.result()));
    let hidden = graph.ty(node.operands[3 - computed]);
    let are_alike = found.quant == result.quant && hidden.quant == result.quant;
    // Integers are compared as they are; support rules refuse those with several scales.
    let is_known = match result.dtype {
        DType::F32 => result.quant.is_none(),
        DType::I8 | DType::U8 | DType::I32 => result.quant.is_some(),
        _ => false,
    };
    if !is_known || !are_alike {
        let found = TypeNames(found, &graph.symbols).to_string();
        return Err(Reason::new(rule, found));
    }
    if found.shape != result.shape {
        let [found, result] = [found, result].map(|ty| TypeNames(ty, &graph.symbols));
        return Err(Reason::new(
            "a mask hides elements of values that are as large as the result",
            format!("{found} for {result}"),
        ));
    }
    let hidden = constant_of(graph, node.operands[3 - computed]);
    match hidden {
        Some(data) if data.scalars().all(|s| !s.as_f64().is_nan()) => {}
        _ => {
            return Err(Reason::new(
                "XNNPACK's extremes pass over a NaN",
                "one in a constant",
            ));
        }
    }
    // Along the innermost axis that has several elements a constant is as large as the result. Its order is plain then.
    let innermost = result.shape.iter().rev().find(|dim| !dim.is(1));
    if innermost.is_some_and(|dim| dim.as_const().is_none()) {
        return Err(Reason::new(
            rule,
            "a last size that is known only when running",
        ));
    }
    check_bytes(graph, node, computed)?;
    Ok(computed)
}

/// The most bytes of the constants of one mask. A kernel reads a byte for each element, a delegate up to two floats.
const MAX_BYTES: u64 = 8 << 20;
/// The same for a mask that repeats along the innermost axis, and is written out in the file.
const MAX_REPEATED_BYTES: u64 = 256 << 10;

fn check_bytes(graph: &Graph, node: &Node, computed: usize) -> Result<(), Reason> {
    let shape = &graph.ty(node.result()).shape;
    let held = |axis: usize| {
        let sizes = [0, 3 - computed].map(|position| {
            let shape = &graph.ty(node.operands[position]).shape;
            shape[axis].as_const().unwrap_or(1)
        });
        sizes[0].max(sizes[1])
    };
    let elements: i64 = (0..shape.len()).map(held).product();
    let innermost = (0..shape.len()).rev().find(|&axis| !shape[axis].is(1));
    let repeats = innermost
        .filter(|&axis| held(axis) == 1 && !is_number(graph, node.operands[computed]))
        .and_then(|axis| shape[axis].as_const());
    let (elements, most) = match repeats {
        Some(size) => (elements.saturating_mul(size), MAX_REPEATED_BYTES),
        None => (elements, MAX_BYTES),
    };
    let bytes = (elements as u64).saturating_mul(2 * size_of::<f32>() as u64);
    if bytes <= most {
        return Ok(());
    }
    let rule = format!("a delegate holds a mask as floats, of at most {most} bytes");
    let advice = "nothing to do: a kernel reads the mask as it is, and the file stays small";
    Err(Reason::new(rule, format!("{bytes} bytes")).advise(advice))
}

/// The bounds of each element, as large as the mask and the constant together: reals, or quantised integers.
struct Bounds {
    sizes: Vec<usize>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// The bounds that keep every element.
    none: [f64; 2],
}

fn bounds(graph: &Graph, node: &Node, computed: usize) -> Option<Bounds> {
    let condition = constant_of(graph, node.operands[0])?;
    let hidden = constant_of(graph, node.operands[3 - computed])?;
    let rank = graph.ty(node.result()).rank();
    let padded = |data: &TensorData| {
        let mut sizes = vec![1; rank.checked_sub(data.sizes().len())?];
        sizes.extend(data.sizes());
        data.reshaped(sizes).ok()
    };
    let (condition, hidden) = (padded(&condition)?, padded(&hidden)?);
    let pairs = condition.sizes().iter().zip(hidden.sizes());
    let sizes: Vec<usize> = pairs.map(|(&a, &b)| a.max(b)).collect();
    let condition = weights::repeated(&condition, &sizes)?;
    let none = match graph.ty(node.result()).dtype.int_range() {
        Some((least, greatest)) => [least as f64, greatest as f64],
        None => [f64::NEG_INFINITY, f64::INFINITY],
    };
    let bounds =
        |condition: Scalar, hidden: f64| match (condition.as_f64() != 0.0) == (computed == 1) {
            true => (none[0], none[1]),
            false => (hidden, hidden),
        };
    let (low, high) = match hidden.as_splat() {
        Some(hidden) => {
            let hidden = hidden.as_f64();
            let conditions = condition.scalars();
            conditions
                .map(|condition| bounds(condition, hidden))
                .unzip()
        }
        None => {
            let hidden = weights::repeated(&hidden, &sizes)?;
            let elements = condition.scalars().zip(hidden.scalars());
            let elements = elements.map(|(condition, hidden)| bounds(condition, hidden.as_f64()));
            elements.unzip()
        }
    };
    Some(Bounds {
        sizes,
        low,
        high,
        none,
    })
}

impl Lowering<'_> {
    pub(super) fn masked(&mut self, id: NodeId, node: &Node, order: &Order) -> Result<(), Problem> {
        let computed = computed(self.graph, node).map_err(|reason| reason.to_string())?;
        let bounds = bounds(self.graph, node, computed).ok_or("a mask that does not repeat")?;
        let keeps_nan = !is_number(self.graph, node.operands[computed]);
        let input = self.tensors.operand(node.operands[computed], order)?;
        let output = self.target(id, order);
        let steps = [
            (BinaryOp::Minimum, bounds.high, bounds.none[1]),
            (BinaryOp::Maximum, bounds.low, bounds.none[0]),
        ];
        // One step at least, though it changes nothing.
        let is_needed =
            |(_, bounds, none): &(BinaryOp, Vec<f64>, f64)| bounds.iter().any(|b| b != none);
        let mut needed: Vec<_> = steps.iter().filter(|step| is_needed(step)).collect();
        if needed.is_empty() {
            needed.push(&steps[0]);
        }
        let mut input = input;
        let dtype = self.graph.ty(node.result()).dtype;
        for (i, (op, bounds_of, _)) in needed.iter().enumerate() {
            let numbers = bounds_of.iter().map(|&b| Scalar::Float(b));
            let data = TensorData::from_scalars(dtype, bounds.sizes.clone(), numbers);
            let bound = self.bound(&data, output, order, keeps_nan)?;
            let to = match i + 1 == needed.len() {
                true => output,
                false => self.like(output),
            };
            self.push_binary(*op, [bound, input], to);
            input = to;
        }
        Ok(())
    }

    /// A constant in the result's order. To keep NaN, it is as large as the result along the innermost axis: the library's extremes see a NaN
    /// only so.
    fn bound(
        &mut self,
        data: &TensorData,
        output: Tensor,
        order: &Order,
        keeps_nan: bool,
    ) -> Result<Tensor, Problem> {
        let shape = Shape::from_iter(data.sizes().iter().map(|&n| kiln_ir::Dim::from(n as i64)));
        let data = data
            .moved(&order.to_memory(&shape, ROWS))
            .ok_or("a mask of other sizes than its type's")?;
        let mut sizes = data.sizes().to_vec();
        let dims = self.tensors.dims(output).to_vec();
        if let Some(axis) = dims
            .iter()
            .rposition(|dim| !dim.is(1))
            .filter(|_| keeps_nan)
        {
            let size = dims[axis].as_const();
            sizes[axis] = match (sizes[axis], size) {
                (1, Some(size)) => size as usize,
                (1, None) => return Err("a mask sees known sizes".into()),
                (own, _) => own,
            };
        }
        let full = weights::repeated(&data, &sizes).ok_or("a mask that does not repeat")?;
        let elements = self.tensors.elements(output);
        self.tensors.constant_of(&full, elements)
    }
}
