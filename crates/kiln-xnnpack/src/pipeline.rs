//! The passes that run before a graph is cut into delegates.

use crate::repeats;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::{
    affine_index, canonical, centred_weights, clean, decompose, fold_batch_norm, fold_dequantised,
    fold_quantised, fuse_pad, guarded_softmax, lift_slices, live_scales, outer_views, quantize_nan,
    raise_quantisation, route_channels, saturate_quantize, separate_bias, signed_integers,
    sink_concats, sink_moves, split_joined, split_linear, unmerge_rows, unrepeat, widen_integers,
};

/// The passes in order.
///
/// `raise_quantisation` comes first, since it makes the ops that the next passes match. `fold_quantised` and `fold_dequantised` run
/// before `clean`, which would turn dequantised constants into floats, and `widen_integers` on what they leave.
/// `affine_index` makes slices of regular look-ups while those can still be decomposed, and again of the look-ups that decompositions leave. `fold_batch_norm` runs before
/// `decompose`, which would take batch norms apart. `canonical` runs behind it, because the parts are scalars and
/// clamps too. `unmerge_rows` runs in front of what joins and splits layers, since it is about which axes their rows have.
/// `sink_moves` runs when it is known which ops remain, and `clean` removes what it leaves. `outer_views`
/// comes after the last `clean`, which would join its views to movements again. `repeats` comes last: cleaning would
/// remove the nodes that have readers in some blocks only.
pub fn pipeline() -> &'static [Pass] {
    const PIPELINE: &[Pass] = &[
        raise_quantisation::PASS,
        signed_integers::PASS,
        live_scales::PASS,
        centred_weights::PASS,
        fold_quantised::PASS,
        fold_dequantised::PASS,
        widen_integers::PASS,
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        guarded_softmax::PASS,
        decompose::PASS,
        quantize_nan::PASS,
        saturate_quantize::PASS,
        route_channels::PASS,
        clean::PASS,
        affine_index::PASS,
        unmerge_rows::PASS,
        unrepeat::PASS,
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
