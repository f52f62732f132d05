//! What is done to a graph before it is cut into delegates.

use kiln_transforms::pass::Pass;
use kiln_transforms::{canonical, clean, decompose, fold_batch_norm, fuse_pad, sink_moves};

/// The passes in order.
///
/// Batch norms fold into convolutions before decomposition would take them apart; canonical forms come behind
/// it, since its parts are scalars and clamps too; movements sink last, when it is known which ops remain, and
/// what that leaves is cleaned away.
pub fn pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        clean::PASS,
        fold_batch_norm::PASS,
        decompose::PASS,
        clean::PASS,
        canonical::PASS,
        fuse_pad::PASS,
        sink_moves::PASS,
        clean::PASS,
    ];
    PIPELINE
}
