//! Tensors that may have no elements, and kernels that treat them wrongly.
//!
//! The stock runtime's behaviour, as measured; [`kiln_pte`]'s builtin runtime behaves alike:
//! - A product over an axis of size 0 leaves its result unwritten, unless it starts from a bias.
//! - An extreme of a tensor without elements ends the process. So do the position of an extreme, and a log softmax,
//!   along an axis of size 0.
//! - A concatenation without elements has size 0 along its axis.

use super::context::Lower;
use kiln_ir::{DType, Dim, Scalar};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

/// True if the size may be 0.
pub(super) fn may_be_zero(cx: &Lower<'_, '_>, size: &Dim) -> bool {
    let least = cx.bounds.symbols().bounds(size).lo;
    least.is_none_or(|least| least < 1)
}

/// Fills a tensor of this shape with the number.
pub(super) fn fill(
    cx: &mut Lower<'_, '_>,
    out: ValueIndex,
    shape: &[Dim],
    number: Scalar,
) -> Result<(), Reason> {
    let (sizes, number) = (cx.sizes(shape)?, cx.draft.scalar(number));
    cx.draft.call("aten::full.out", &[sizes, number], &[out]);
    Ok(())
}

/// Zeros for a product along an axis of this size, in case the size is 0.
pub(super) fn start_product(
    cx: &mut Lower<'_, '_>,
    contracted: &Dim,
    (out, dtype): (ValueIndex, DType),
    shape: &[Dim],
) -> Result<(), Reason> {
    if !may_be_zero(cx, contracted) {
        return Ok(());
    }
    let zero = match dtype.is_float() {
        true => Scalar::Float(0.0),
        false => Scalar::Int(0),
    };
    fill(cx, out, shape, zero)
}

/// Emits a call for the case that no size is 0 at run time, and `otherwise` for the case that one is.
pub(super) fn unless_zero(
    cx: &mut Lower<'_, '_>,
    sizes: &[Dim],
    call: impl FnOnce(&mut Lower<'_, '_>),
    otherwise: impl FnOnce(&mut Lower<'_, '_>) -> Result<(), Reason>,
) -> Result<(), Reason> {
    let open = sizes.iter().filter(|size| may_be_zero(cx, size));
    let open: Vec<Dim> = open.cloned().collect();
    if open.is_empty() {
        call(cx);
        return Ok(());
    }
    let (count, none) = (cx.size(&open.into_iter().product())?, cx.draft.int(0));
    let some = cx.draft.new_bool();
    cx.draft
        .push_call("executorch_prim::gt.Scalar", vec![count, none, some]);
    let to_otherwise = cx.draft.jump_unless(some);
    call(cx);
    let to_end = cx.draft.jump();
    let here = cx.draft.here();
    cx.draft.land(to_otherwise, here);
    // Sizes that are computed here are known on this side only.
    cx.scopes.push(super::context::Scope::default());
    let emitted = otherwise(cx);
    cx.scopes.pop();
    let here = cx.draft.here();
    cx.draft.land(to_end, here);
    emitted
}

/// The result of selecting from `from`, which has no elements: a tensor without elements, or an error at run time if it
/// should have some.
pub(super) fn pick_of_nothing(
    cx: &mut Lower<'_, '_>,
    from: ValueIndex,
    out: ValueIndex,
    shape: &[Dim],
) -> Result<(), Reason> {
    let sizes = cx.sizes(shape)?;
    // A view with the wrong number of elements, which the kernel refuses at run time.
    cx.draft.call("aten::view_copy.out", &[from, sizes], &[out]);
    Ok(())
}

/// A tensor without elements.
pub(super) fn nothing(cx: &mut Lower<'_, '_>, dtype: DType) -> Result<ValueIndex, Reason> {
    let none = [Dim::constant(0)];
    let nothing = cx.temporary(dtype, &none)?;
    fill(cx, nothing, &none, Scalar::Int(0))?;
    Ok(nothing)
}
