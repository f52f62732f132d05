//! Divisions that round, and remainders, where one kernel does not give what PyTorch does.

use super::context::Lower;
use super::elementwise::broadcast_operands;
use crate::draft::TensorSpec;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{DType, Graph, NodeId, Scalar, TensorType, ValueId};
use kiln_pte::ValueIndex;
use kiln_transforms::analysis::ranges::Ranges;
use kiln_transforms::framework::target::Reason;

/// Lowers a division to several kernels; false if its own kernel is right.
pub(super) fn lower(cx: &mut Lower<'_, '_>, id: NodeId, f: BinaryFn) -> Result<bool, Reason> {
    let [a, b] = [0, 1].map(|slot| cx.graph.node(id).operands[slot]);
    let dtype = cx.graph.ty(a).dtype;
    match f {
        // The kernel takes unsigned numbers as PyTorch does.
        BinaryFn::Remainder if dtype.is_int() && dtype != DType::U8 => integer_remainder(cx, id)?,
        BinaryFn::Remainder if dtype == DType::F64 => double_remainder(cx, id)?,
        BinaryFn::FloorDiv if dtype.is_float() && may_be_zero(cx.graph, b) => {
            floor_of_quotient(cx, id)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn may_be_zero(graph: &Graph, value: ValueId) -> bool {
    let range = Ranges::new(graph).of(crate::order::origin(graph, value));
    range.floats().is_none_or(|range| range.contains(0.0))
}

fn operands(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<[ValueIndex; 2], Reason> {
    let operands = broadcast_operands(cx, &cx.graph.node(id).operands, id)?;
    Ok([operands[0], operands[1]])
}

fn result_type(cx: &Lower<'_, '_>, id: NodeId) -> TensorType {
    cx.graph.ty(cx.graph.node(id).results[0]).clone()
}

/// The quotient rounded down, and the quotient itself where the divisor is zero: the kernel gives an infinity of the dividend's
/// sign there, also for zero by zero.
fn floor_of_quotient(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let ([a, b], ty) = (operands(cx, id)?, result_type(cx, id));
    let divisor = cx.spec_of_tensor(b);
    let is_zero = cx.allocate(&TensorSpec {
        dtype: DType::Bool,
        ..divisor
    });
    let floor = cx.temporary(ty.dtype, &ty.shape)?;
    let quotient = cx.temporary(ty.dtype, &ty.shape)?;
    let (mode, zero) = (cx.draft.text("floor"), cx.draft.scalar(Scalar::Float(0.0)));
    cx.draft.call("aten::div.out_mode", &[a, b, mode], &[floor]);
    cx.draft.call("aten::div.out", &[a, b], &[quotient]);
    cx.draft.call("aten::eq.Scalar_out", &[b, zero], &[is_zero]);
    let out = cx.result(id, 0)?;
    cx.draft
        .call("aten::where.self_out", &[is_zero, quotient, floor], &[out]);
    Ok(())
}

/// `a - b * floor(a / b)`. The kernel's remainder has the dividend's sign for integers, as in C.
fn integer_remainder(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let ([a, b], ty) = (operands(cx, id)?, result_type(cx, id));
    let quotient = cx.temporary(ty.dtype, &ty.shape)?;
    let whole = cx.temporary(ty.dtype, &ty.shape)?;
    let (floor, one) = (cx.draft.text("floor"), cx.draft.int(1));
    cx.draft
        .call("aten::div.out_mode", &[a, b, floor], &[quotient]);
    cx.draft.call("aten::mul.out", &[quotient, b], &[whole]);
    cx.may_overwrite(whole, quotient);
    let out = cx.result(id, 0)?;
    cx.draft.call("aten::sub.out", &[a, whole, one], &[out]);
    cx.may_overwrite(out, whole);
    cx.may_overwrite(out, a);
    Ok(())
}

/// The remainder with the dividend's sign, and the divisor added where it has the other sign: the kernel for remainders puts
/// them through f32.
fn double_remainder(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let ([a, b], ty) = (operands(cx, id)?, result_type(cx, id));
    let divisor = cx.spec_of_tensor(b);
    let sign_of_divisor = cx.allocate(&divisor);
    let [rest, sign, product, moved] = [
        cx.temporary(ty.dtype, &ty.shape)?,
        cx.temporary(ty.dtype, &ty.shape)?,
        cx.temporary(ty.dtype, &ty.shape)?,
        cx.temporary(ty.dtype, &ty.shape)?,
    ];
    let differs = cx.temporary(DType::Bool, &ty.shape)?;
    let (one, zero) = (cx.draft.int(1), cx.draft.scalar(Scalar::Float(0.0)));
    cx.draft.call("aten::fmod.Tensor_out", &[a, b], &[rest]);
    cx.draft.call("aten::sign.out", &[rest], &[sign]);
    cx.draft.call("aten::sign.out", &[b], &[sign_of_divisor]);
    let signs = [sign, sign_of_divisor];
    cx.draft.call("aten::mul.out", &signs, &[product]);
    cx.draft
        .call("aten::lt.Scalar_out", &[product, zero], &[differs]);
    cx.draft.call("aten::add.out", &[rest, b, one], &[moved]);
    let out = cx.result(id, 0)?;
    cx.draft
        .call("aten::where.self_out", &[differs, moved, rest], &[out]);
    Ok(())
}
