//! What is done to a graph before it is cut into delegates.

use crate::repeats;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::{
    affine_index, canonical, clean, decompose, fold_batch_norm, fuse_pad, guarded_softmax,
    lift_slices, outer_views, route_channels, separate_bias, sink_concats, sink_moves,
    split_joined, split_linear,
};

/// The passes in order.
///
/// Steady look-ups become slices while those can still be decomposed. Batch norms fold into convolutions before
/// decomposition would take them apart; canonical forms come behind it, since its parts are scalars and clamps too;
/// movements sink last, when it is known which ops remain, and what that leaves is cleaned away, but for views at the
/// border, which cleaning would join to movements again. Blocks that are alike come last: cleaning would take away
/// what they compute for nobody.
pub fn pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        guarded_softmax::PASS,
        decompose::PASS,
        route_channels::PASS,
        clean::PASS,
        canonical::PASS,
        separate_bias::PASS,
        sink_concats::PASS,
        split_joined::PASS,
        split_linear::PASS,
        fuse_pad::PASS,
        lift_slices::PASS,
        sink_moves::PASS,
        clean::PASS,
        outer_views::PASS,
        repeats::PASS,
    ];
    PIPELINE
}
