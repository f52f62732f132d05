//! The real numbers behind an op on quantised values.

use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::Dequantize;
use kiln_ir::{DType, Graph, Op};

/// What an op on quantised values stands for.
pub(super) struct Reals {
    /// The numbers of its operands.
    pub operands: Vec<Tensor>,
    /// What the op gives of them, before it is rounded to integers.
    pub result: Tensor,
}

/// The real numbers of an op on quantised values; `None` if its results are no floats.
pub(super) fn reals(graph: &Graph, op: &Op, operands: &[Tensor]) -> Option<Reals> {
    let dtype = DType::F32;
    let real = |t: &Tensor| match t.quant() {
        Some(_) => evaluated(graph, &Dequantize { dtype }.into(), std::slice::from_ref(t)),
        None => Some(t.clone()),
    };
    let operands: Vec<Tensor> = operands.iter().map(real).collect::<Option<_>>()?;
    let result = match op {
        Op::Requantize(_) => operands.first()?.clone(),
        op => evaluated(graph, op.computing(), &operands)?,
    };
    if !result.dtype().is_float() {
        return None;
    }
    Some(Reals { operands, result })
}

/// The first result of an op; `None` if it cannot be evaluated.
pub(super) fn evaluated(graph: &Graph, op: &Op, operands: &[Tensor]) -> Option<Tensor> {
    let mut bindings = Bindings::new(&graph.symbols);
    let found = evaluate_op(op, operands, &mut bindings, 4 << 30).ok()?;
    found.into_iter().next()
}
