//! All passes by name, and the order of pipelines.
//!
//! A pipeline is a list of these passes. Each target defines its own in its `pipeline.rs`. [`PRECEDES`] says which pass
//! must come before which other, and why; a test holds all pipelines to it. [`clean`] comes again after each stage: it
//! removes dead nodes, folds constants and merges duplicates.

pub use crate::decompose;
pub use crate::fuse::{fold_batch_norm, fuse_pad, separate_bias};
pub use crate::joins::{in_place_joins, route_channels, sink_concats};
pub use crate::moves::{lift_slices, outer_views, sink_moves, slice_sources, unmerge_rows};
pub use crate::quantised::{
    centred_weights, fold_dequantised, fold_quantised, live_scales, quantize_nan,
    raise_quantisation, saturate_quantize, signed_integers, widen_integers,
};
pub use crate::simplify::{
    affine_index, canonical, clean, guarded_softmax, linear_forms, steady_state, unrepeat,
};
pub use crate::split::{split_conv, split_joined, split_linear};

use crate::framework::pass::Pass;

/// A pass, those that follow it, and why: in each pipeline, its first run is before the first run of each of these. A
/// pass creates patterns that a later one matches, or matches patterns that a later one destroys.
pub const PRECEDES: &[(&str, &[&str], &str)] = &[
    (
        "steady_state",
        &["clean"],
        "a target without state takes initial states as constants, which are folded",
    ),
    (
        "signed_integers",
        &["fold_quantised"],
        "it changes the types of what that pass meets",
    ),
    (
        "live_scales",
        &["fold_quantised"],
        "it changes the types of what that pass meets",
    ),
    (
        "raise_quantisation",
        &["signed_integers", "fold_dequantised", "clean"],
        "it makes the ops that those match, of constants that the last would fold",
    ),
    (
        "signed_integers",
        &["centred_weights"],
        "unsigned bytes about 128 are weights about 0 already",
    ),
    (
        "centred_weights",
        &["fold_quantised", "fold_dequantised"],
        "layers of integers take weights about 0",
    ),
    (
        "fold_quantised",
        &["fold_dequantised"],
        "dequantised weights are found where the first has sunk them",
    ),
    (
        "fold_quantised",
        &["clean"],
        "constants that are dequantised would be folded into floats",
    ),
    (
        "fold_dequantised",
        &["clean", "widen_integers"],
        "constants that are dequantised would be folded into floats",
    ),
    ("affine_index", &["decompose"], "it matches whole ops"),
    ("fold_batch_norm", &["decompose"], "it matches whole ops"),
    ("guarded_softmax", &["decompose"], "it matches whole ops"),
    (
        "decompose",
        &["quantize_nan", "saturate_quantize"],
        "each quantisation is a node then, and a limit in front of it joins the clamps there",
    ),
    (
        "decompose",
        &[
            "unrepeat",
            "canonical",
            "linear_forms",
            "separate_bias",
            "fuse_pad",
        ],
        "these also match scalars, clamps, products and pads that `decompose` made",
    ),
    (
        "decompose",
        &[
            "route_channels",
            "sink_concats",
            "split_conv",
            "in_place_joins",
            "split_joined",
            "split_linear",
        ],
        "it is known then which layers remain for joins and slices",
    ),
    (
        "decompose",
        &["slice_sources", "lift_slices", "sink_moves", "unmerge_rows"],
        "it is known then between which ops movements stand",
    ),
];

/// No run of the first pass comes after one of the second, for this reason.
pub const NEVER_AFTER: &[(&str, &str, &str)] = &[(
    "clean",
    "outer_views",
    "it would merge the views into movements again",
)];

/// All passes, each once, in the order in which random graphs run them one after another.
pub fn all_passes() -> &'static [Pass] {
    const PASSES: &[Pass] = &[
        steady_state::PASS,
        clean::PASS,
        affine_index::PASS,
        fold_batch_norm::PASS,
        raise_quantisation::PASS,
        signed_integers::PASS,
        live_scales::PASS,
        centred_weights::PASS,
        fold_quantised::PASS,
        fold_dequantised::PASS,
        widen_integers::PASS,
        guarded_softmax::PASS,
        decompose::PASS,
        quantize_nan::PASS,
        saturate_quantize::PASS,
        unmerge_rows::PASS,
        unrepeat::PASS,
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
