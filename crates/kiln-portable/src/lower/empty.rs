//! Tensors that may turn out to have no elements, and kernels that do not do right by them.
//!
//! What the stock runtime does (measured; [`kiln_pte`]'s builtin runtime does the same):
//! - a product that adds up nothing leaves its result as it was, unless it starts from a bias;
//! - an extreme of a tensor without elements ends the process, and so does the position of one along an axis of size
//!   0, or a log softmax along one;
//! - a concatenation without elements has size 0 along its axis.

use super::context::Lower;
use kiln_ir::{DType, Dim, Scalar};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

/// May the size be 0?
pub(super) fn may_be_zero(cx: &Lower<'_, '_>, size: &Dim) -> bool {
    let least = cx.bounds.symbols().bounds(size).lo;
    least.is_none_or(|least| least < 1)
}

/// Writes the number to all of a tensor of that shape.
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

/// Zeros for a product along an axis of that size, in case it adds up nothing.
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

/// Emits a call where none of the sizes is 0 when running, and what `otherwise` emits where one is.
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

/// The result of what picks among the elements of `from`, which has none: nothing, or where it should have elements an
/// error when running.
pub(super) fn pick_of_nothing(
    cx: &mut Lower<'_, '_>,
    from: ValueIndex,
    out: ValueIndex,
    shape: &[Dim],
) -> Result<(), Reason> {
    let sizes = cx.sizes(shape)?;
    // A view of as many elements, which the kernel checks.
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
