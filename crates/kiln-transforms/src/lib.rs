//! Target descriptions and the target-independent rewrites.
//!
//! A pass is a plain function over the rewriter and a [`target::Target`]; a pipeline is a list of them.
//! Passes never ask which target they serve, only what it supports.

pub mod affine_index;
pub mod canonical;
pub mod clean;
pub mod constants;
pub mod decompose;
pub mod emitter;
pub mod fold_affine;
pub mod fold_batch_norm;
pub mod fold_quantised;
pub mod folding;
pub mod fuse_pad;
pub mod guarded_softmax;
pub mod in_place_joins;
pub mod join_moves;
pub mod layer;
pub mod layout;
pub mod lift_slices;
pub mod linear_forms;
pub mod outer_views;
pub mod pass;
pub mod pointwise;
pub mod regions;
pub mod rewriting;
pub mod route_channels;
pub mod separate_bias;
pub mod sink_concats;
pub mod sink_moves;
pub mod slice_sources;
pub mod split_conv;
pub mod split_joined;
pub mod split_linear;
pub mod steady_state;
pub mod target;

use pass::Pass;

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
        canonical::PASS,
        linear_forms::PASS,
        fold_affine::PASS,
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
        join_moves::PASS,
        outer_views::PASS,
    ];
    PASSES
}
