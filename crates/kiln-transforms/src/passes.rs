//! All passes by name, and the order of pipelines.
//!
//! A pipeline is a list of these passes. Each target defines its own in its `pipeline.rs`. All pipelines keep the
//! following order, because an earlier pass creates patterns that a later one matches, or must match patterns that a
//! later one destroys:
//!
//! 1. [`steady_state`]: a target without state takes initial states as constants, which later passes fold.
//! 2. [`signed_integers`] and [`live_scales`], which change the types of what [`fold_quantised`] meets, then
//!    [`fold_dequantised`], which finds dequantised weights where that pass has sunk them: before `clean`, which would
//!    fold them into floats. Behind them [`widen_integers`]: the integers that remain are those between ops.
//! 3. [`clean`], and again after each stage: removes dead nodes, folds constants and merges duplicates.
//! 4. [`affine_index`], [`fold_batch_norm`], [`guarded_softmax`]: these match whole ops, which `decompose` would
//!    expand.
//! 5. [`decompose`]: replaces each op that the target does not run by ops that it runs.
//! 6. [`quantize_nan`], [`saturate_quantize`]: after `decompose` each quantisation is a node; a limit in front of it can join the clamps
//!    there.
//! 7. [`unrepeat`], [`canonical`], [`linear_forms`], [`separate_bias`], [`fuse_pad`]: these also match scalars, clamps, products and
//!    pads that `decompose` made.
//! 8. [`route_channels`], [`sink_concats`], [`split_conv`], [`in_place_joins`], [`split_joined`], [`split_linear`]:
//!    joins and slices, once it is known which layers remain.
//! 9. [`slice_sources`], [`lift_slices`], [`sink_moves`]: movements, once it is known between which ops they stand.
//! 10. [`outer_views`]: after the last `clean`, which would merge these views into movements again.

pub use crate::decompose;
pub use crate::fuse::{fold_batch_norm, fuse_pad, separate_bias};
pub use crate::joins::{in_place_joins, route_channels, sink_concats};
pub use crate::moves::{lift_slices, outer_views, sink_moves, slice_sources};
pub use crate::quantised::{
    fold_dequantised, fold_quantised, live_scales, quantize_nan, saturate_quantize,
    signed_integers, widen_integers,
};
pub use crate::simplify::{
    affine_index, canonical, clean, guarded_softmax, linear_forms, steady_state, unrepeat,
};
pub use crate::split::{split_conv, split_joined, split_linear};

use crate::framework::pass::Pass;

/// All passes, in an order that a pipeline may use.
pub fn all_passes() -> &'static [Pass] {
    const PASSES: &[Pass] = &[
        steady_state::PASS,
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        signed_integers::PASS,
        live_scales::PASS,
        fold_quantised::PASS,
        fold_dequantised::PASS,
        widen_integers::PASS,
        guarded_softmax::PASS,
        decompose::PASS,
        quantize_nan::PASS,
        saturate_quantize::PASS,
        unrepeat::PASS,
        canonical::PASS,
        linear_forms::PASS,
        separate_bias::PASS,
        sink_concats::PASS,
        in_place_joins::PASS,
        route_channels::PASS,
        split_conv::PASS,
        split_joined::PASS,
        split_linear::PASS,
        lift_slices::PASS,
        slice_sources::PASS,
        fuse_pad::PASS,
        sink_moves::PASS,
        outer_views::PASS,
    ];
    PASSES
}
