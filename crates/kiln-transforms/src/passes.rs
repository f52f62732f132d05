//! Every pass, by name, and the order of pipelines.
//!
//! A pipeline is a list of these passes that a target names (`pipeline.rs` of each target). All pipelines keep this order,
//! since an earlier pass makes what a later one looks for, or must see what a later one takes apart:
//!
//! 1. [`steady_state`]: a target without state takes first states as constants, which the passes behind it fold.
//! 2. [`fold_quantised`]: before `clean`, which would fold dequantised constants into floats.
//! 3. [`clean`], and again behind each stage: what a stage leaves unread, constant or doubled goes.
//! 4. [`affine_index`], [`fold_batch_norm`], [`guarded_softmax`]: they look for whole ops, which `decompose` takes apart.
//! 5. [`decompose`]: what the target does not run becomes ops that it does.
//! 6. [`saturate_quantize`]: quantisations are nodes of their own now, and a limit is joined with clamps.
//! 7. [`canonical`], [`linear_forms`], [`separate_bias`], [`fuse_pad`]: the parts that `decompose` made are scalars, clamps,
//!    products and pads too.
//! 8. [`route_channels`], [`sink_concats`], [`split_conv`], [`in_place_joins`], [`split_joined`], [`split_linear`]: joins and
//!    slices, once it is known which layers remain.
//! 9. [`slice_sources`], [`lift_slices`], [`sink_moves`]: movements last, between the ops that remain.
//! 10. [`outer_views`]: behind the last `clean`, which would join these views to movements again.

pub use crate::decompose;
pub use crate::fuse::{fold_batch_norm, fuse_pad, separate_bias};
pub use crate::joins::{in_place_joins, route_channels, sink_concats};
pub use crate::moves::{lift_slices, outer_views, sink_moves, slice_sources};
pub use crate::quantised::{fold_quantised, saturate_quantize};
pub use crate::simplify::{
    affine_index, canonical, clean, guarded_softmax, linear_forms, steady_state,
};
pub use crate::split::{split_conv, split_joined, split_linear};

use crate::framework::pass::Pass;

/// Every pass, in the order in which a pipeline may name them.
pub fn all_passes() -> &'static [Pass] {
    const PASSES: &[Pass] = &[
        steady_state::PASS,
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        fold_quantised::PASS,
        guarded_softmax::PASS,
        decompose::PASS,
        saturate_quantize::PASS,
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
