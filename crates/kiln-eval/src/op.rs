//! Evaluates single ops.

use crate::bindings::Bindings;
use crate::concrete::concrete;
use crate::error::Cause;
use crate::kernels;
use crate::tensor::{Tensor, element_count};
use crate::{dynamic, quantised};
use kiln_ir::ops::{Infer, Types};
use kiln_ir::types::TensorType;
use kiln_ir::{DType, Graph, Op};
use std::sync::OnceLock;

/// The memory budget.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The most bytes.
    pub limit: u64,
    /// The bytes in use.
    pub used: u64,
}

impl Budget {
    fn check(self, types: &[TensorType]) -> Result<(), Cause> {
        let needed = types.iter().map(result_bytes).fold(0, u64::saturating_add);
        let left = self.limit.saturating_sub(self.used);
        if needed <= left {
            return Ok(());
        }
        Err(Cause::OutOfMemory {
            needed,
            left,
            limit: self.limit,
        })
    }
}

fn result_bytes(ty: &TensorType) -> u64 {
    let sizes = ty.shape.as_static();
    let elements = sizes.and_then(|s| element_count(&s));
    elements.map_or(u64::MAX, |n| {
        (n as u64).saturating_mul(ty.dtype.size() as u64)
    })
}

/// Evaluates one op that needs no graph: no constant, state, branch or loop.
///
/// Sizes in the op's attributes are evaluated with `bindings`. An op that binds a symbol binds it there. The results
/// may take up to `max_bytes`.
///
/// # Errors
/// If the operands do not match, or the op has no value for them.
pub fn evaluate_op(
    op: &Op,
    operands: &[Tensor],
    bindings: &mut Bindings,
    max_bytes: u64,
) -> Result<Vec<Tensor>, Cause> {
    let budget = Budget {
        limit: max_bytes,
        used: 0,
    };
    run_op(op, operands, bindings, budget)
}

pub(crate) fn run_op(
    op: &Op,
    operands: &[Tensor],
    bindings: &mut Bindings,
    budget: Budget,
) -> Result<Vec<Tensor>, Cause> {
    match op {
        Op::BindSymbol(op) => {
            let value = operands.first().and_then(|t| t.elements::<i64>());
            let &[value] = value.unwrap_or_default() else {
                return Err(Cause::Misfit(format!("no single i64 in {operands:?}")));
            };
            bindings.bind(op.symbol, value)?;
            return Ok(Vec::new());
        }
        Op::NonZero(op) => {
            let [x] = operands else {
                return Err(Cause::Misfit(format!("{} operands", operands.len())));
            };
            let count = kernels::non_zero::count(x);
            let ty = TensorType::new(DType::I64, [count as i64, x.rank() as i64]);
            budget.check(&[ty])?;
            bindings.bind(op.count, count as i64)?;
            return Ok(vec![kernels::non_zero::non_zero(x, count)]);
        }
        Op::Constant(_) | Op::ReadState(_) | Op::If(_) | Op::While(_) => {
            return Err(Cause::Unsupported(format!(
                "{} can only be evaluated within its graph",
                op.name()
            )));
        }
        _ => {}
    }
    let op = concrete(op, bindings)?;
    check_magnitudes(&op)?;
    let types = infer(&op, operands)?;
    budget.check(&types)?;
    let results = compute(&op, operands, &types)?;
    let with_quant = results.into_iter().zip(types);
    Ok(with_quant.map(|(r, ty)| r.with_quant(ty.quant)).collect())
}

fn infer(op: &Op, operands: &[Tensor]) -> Result<Types, Cause> {
    static NOTHING: OnceLock<Graph> = OnceLock::new();
    let cx = Infer {
        graph: NOTHING.get_or_init(|| Graph::new("")),
    };
    let types: Vec<TensorType> = operands.iter().map(Tensor::tensor_type).collect();
    Ok(op.infer(&cx, &types.iter().collect::<Vec<_>>())?)
}

/// Refuses attributes for which sums in the shape rules would overflow.
fn check_magnitudes(op: &Op) -> Result<(), Cause> {
    let lists: Vec<&[i64]> = match op {
        Op::Conv(op) => vec![
            &op.stride,
            &op.pad_low,
            &op.pad_high,
            &op.dilation,
            &op.output_padding,
        ],
        Op::Pool(op) => vec![
            &op.kernel,
            &op.stride,
            &op.pad_low,
            &op.pad_high,
            &op.dilation,
        ],
        Op::Quantised(op) if op.op.computes_reals() => return check_magnitudes(&op.op),
        Op::Dequantised(op) => return check_magnitudes(&op.op),
        _ => Vec::new(),
    };
    match lists.concat().iter().find(|v| v.unsigned_abs() > 1 << 30) {
        None => Ok(()),
        Some(v) => Err(Cause::Misfit(format!("{v} is too large an attribute"))),
    }
}

fn compute(op: &Op, operands: &[Tensor], types: &[TensorType]) -> Result<Vec<Tensor>, Cause> {
    let sizes = |ty: &TensorType| {
        ty.shape
            .as_static()
            .ok_or_else(|| Cause::Misfit(format!("a result would be {ty:?}")))
    };
    let sizes: Vec<Vec<usize>> = types.iter().map(sizes).collect::<Result<_, _>>()?;
    if sizes.iter().all(|s| s.contains(&0)) {
        let empty = types.iter().zip(sizes);
        return Ok(empty.map(|(ty, s)| kernels::empty(ty.dtype, s)).collect());
    }
    match op {
        Op::Quantised(op) => return quantised::rounded_once(op, operands, &sizes),
        Op::Dequantised(op) => return dynamic::on_reals(op, operands, types, &sizes),
        _ => {}
    }
    if operands.iter().any(|t| t.quant().is_some()) {
        return quantised::run(op, operands, types, &sizes);
    }
    kernels::run(op, operands, types, &sizes)
}
