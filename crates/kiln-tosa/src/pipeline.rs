//! What is done to a graph before it is lowered to TOSA.

use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::{
    affine_index, canonical, clean, decompose, fold_batch_norm, fold_quantised, fuse_pad,
    in_place_joins, lift_slices, route_channels, sink_moves, slice_sources, split_conv,
    steady_state,
};

/// The passes in order; why in this order is what the XNNPACK pipeline says.
pub fn pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        steady_state::PASS,
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        decompose::PASS,
        clean::PASS,
        canonical::PASS,
        fuse_pad::PASS,
        slice_sources::PASS,
        lift_slices::PASS,
        sink_moves::PASS,
        clean::PASS,
    ];
    PIPELINE
}

/// The passes for files of integers: what the model quantises computes in integers, and is folded before cleaning, which
/// would make floats of constants that are dequantised.
pub fn integer_pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        steady_state::PASS,
        fold_quantised::PASS,
        clean::PASS,
        fold_batch_norm::PASS,
        affine_index::PASS,
        decompose::PASS,
        clean::PASS,
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
