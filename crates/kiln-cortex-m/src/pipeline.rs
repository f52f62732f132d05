//! The passes that run before the lowering to calls.

use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::{
    affine_index, canonical, clean, decompose, fold_batch_norm, fold_quantised, fuse_pad,
    lift_slices, live_scales, signed_integers, sink_moves, slice_sources, steady_state, unrepeat,
};

/// The passes in their order. Quantised ops are folded before `clean`, which would turn dequantised constants into floats. Ops
/// that no kernel takes are decomposed. A pad is fused with a reader that pads by itself. Passes that route channels or split
/// convolutions, as NPUs want them, are absent: every further call costs time and flash.
pub fn pipeline() -> &'static [Pass] {
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
        clean::PASS,
        slice_sources::PASS,
        lift_slices::PASS,
        sink_moves::PASS,
        clean::PASS,
    ];
    PIPELINE
}
