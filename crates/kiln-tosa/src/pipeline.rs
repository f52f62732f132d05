//! The passes that run before the lowering to TOSA.

use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::{
    affine_index, canonical, clean, decompose, fold_batch_norm, fold_quantised, fuse_pad,
    in_place_joins, lift_slices, live_scales, route_channels, signed_integers, sink_moves,
    slice_sources, split_conv, steady_state, unrepeat,
};

/// The passes in their order. The XNNPACK pipeline documents why they are in this order.
pub fn pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        steady_state::PASS,
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        decompose::PASS,
        clean::PASS,
        unrepeat::PASS,
        canonical::PASS,
        fuse_pad::PASS,
        slice_sources::PASS,
        lift_slices::PASS,
        sink_moves::PASS,
        clean::PASS,
    ];
    PIPELINE
}

/// The passes for files of integers. Quantised ops are folded before cleaning, which would turn dequantised constants
/// into floats.
pub fn integer_pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        steady_state::PASS,
        signed_integers::PASS,
        live_scales::PASS,
        fold_quantised::PASS,
        clean::PASS,
        fold_batch_norm::PASS,
        affine_index::PASS,
        decompose::PASS,
        clean::PASS,
        unrepeat::PASS,
        canonical::PASS,
        fuse_pad::PASS,
        route_channels::PASS,
        clean::PASS,
        split_conv::PASS,
        in_place_joins::PASS,
        slice_sources::PASS,
        lift_slices::PASS,
        sink_moves::PASS,
        clean::PASS,
    ];
    PIPELINE
}
