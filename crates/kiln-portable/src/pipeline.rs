//! The pipeline of the portable target.

use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::{
    affine_index, canonical, clean, decompose, fold_batch_norm, fuse_pad, linear_forms,
    quantize_nan, saturate_quantize, separate_bias, sink_moves, unrepeat,
};

/// The passes in order.
///
/// Look-ups by steady indices become slices, and batch norms fold into convolutions, before the decomposition of what
/// has no kernel. Products with constants become linear layers, whose kernel is faster and takes a bias. Adjacent
/// movements become one.
pub fn pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        decompose::PASS,
        quantize_nan::PASS,
        saturate_quantize::PASS,
        clean::PASS,
        unrepeat::PASS,
        canonical::PASS,
        linear_forms::PASS,
        separate_bias::PASS,
        fuse_pad::PASS,
        sink_moves::PASS,
        clean::PASS,
    ];
    PIPELINE
}
