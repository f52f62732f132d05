//! What is done to a graph that kernels alone run.

use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::{
    affine_index, canonical, clean, decompose, fold_batch_norm, fuse_pad, linear_forms,
    saturate_quantize, separate_bias, sink_moves,
};

/// The passes in order.
///
/// Steady look-ups become slices, and batch norms fold into convolutions, before what has no kernel is taken apart.
/// Products with constants become layers, whose kernel is faster than that of products, and take biases; movements that
/// meet become one.
pub fn pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        decompose::PASS,
        saturate_quantize::PASS,
        clean::PASS,
        canonical::PASS,
        linear_forms::PASS,
        separate_bias::PASS,
        fuse_pad::PASS,
        sink_moves::PASS,
        clean::PASS,
    ];
    PIPELINE
}
