//! Graphs of families that compute on windows of images, or pick elements of them.

use super::{Case, case};

pub(super) fn windows() -> Vec<Case> {
    let conv = "transposed=false, output_padding=[0, 0]";
    vec![
        case(
            "convolutions",
            "",
            &[
                "f32[1, 4, 7, 6]",
                "f32[6, 2, 3, 3]",
                "f32[6]",
                "f32[1, 2, 5]",
                "f32[2, 3, 3]",
            ],
            &[
                &format!(
                    "%5: f32[1, 6, 4, 6] = conv %0, %1, %2 {{stride=[2, 1], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], groups=2, {conv}}}"
                ),
                &format!(
                    "%6: f32[1, 6, 3, 6] = conv %0, %1 {{stride=[2, 1], pad_low=[0, 2], pad_high=[1, 0], dilation=[1, 1], groups=2, {conv}}}"
                ),
                "%7: f32[1, 3, 11] = conv %3, %4 {stride=[2], pad_low=[0], pad_high=[0], dilation=[1], groups=1, transposed=true, output_padding=[0]}",
            ],
            &[5, 6, 7],
        ),
        case(
            "pools",
            "",
            &["f32[2, 3, 7, 6]", "f32[2, 3, 7]"],
            &[
                "%2: f32[2, 3, 4, 3], %3: i64[2, 3, 4, 3] = pool %0 {f=max_with_indices, kernel=[3, 2], stride=[2, 2], pad_low=[1, 0], pad_high=[1, 0], dilation=[1, 1], ceil=true}",
                "%4: f32[2, 3, 4] = pool %1 {f=max, kernel=[2], stride=[2], pad_low=[1], pad_high=[0], dilation=[1], ceil=false}",
                "%5: f32[2, 3, 4] = pool %1 {f=avg none, kernel=[3], stride=[2], pad_low=[1], pad_high=[1], dilation=[1], ceil=false}",
                "%6: f32[2, 3, 3, 4] = adaptive_pool %0 {f=avg none, output=[3, 4]}",
                "%7: f32[2, 3, 14, 12] = resize %0 {mode=linear, align_corners=false, output=[14, 12], scales=[none, none]}",
                "%8: f32[2, 3, 10] = resize %1 {mode=nearest, align_corners=false, output=[10], scales=[none]}",
            ],
            &[2, 3, 4, 5, 6, 7, 8],
        ),
    ]
}

pub(super) fn indexing() -> Vec<Case> {
    vec![case(
        "indices",
        "  constant c0 \"\" i64[3] = [-1, 0, 2]\n",
        &["f32[4, 4]", "i64[2, 3]", "f32[4, 3]", "i32[4, 4]"],
        &[
            "%4: i64[3] = constant {value=c0}",
            "%5: f32[2, 3, 4] = index %0, %1 {axis=0, from_start=false}",
            "%6: f32[4, 3] = index %0, %4 {axis=1, from_start=false}",
            "%7: f32[4, 4] = index_put %0, %2, %4 {axis=1, accumulate=false}",
            "%8: f32[4, 4] = index_put %7, %2, %4 {axis=1, accumulate=true}",
            "%9: f32[4, 4] = gather %0, %3 {axis=0}",
            "%10: f32[4, 4] = scatter %0, %3, %9 {axis=0, f=add}",
            "%11: f32[4, 4] = slice_update %10, %2 {axis=1, start=1, step=1}",
        ],
        &[5, 6, 8, 9, 11],
    )]
}

pub(super) fn samples() -> Vec<Case> {
    let sample = |from: &str, mode: &str, outside: &str, corners: bool| {
        format!("grid_sample {from} {{mode={mode}, outside={outside}, align_corners={corners}}}")
    };
    vec![case(
        "samples",
        "",
        &[
            "f32[2, 3, 5, 6]",
            "f32[2, 4, 3, 2]",
            "f16[1, 2, 3, 4]",
            "f16[1, 2, 3, 2]",
        ],
        &[
            &format!(
                "%4: f32[2, 3, 4, 3] = {}",
                sample("%0, %1", "linear", "zeros", false)
            ),
            &format!(
                "%5: f32[2, 3, 4, 3] = {}",
                sample("%0, %1", "linear", "border", true)
            ),
            &format!(
                "%6: f32[2, 3, 4, 3] = {}",
                sample("%0, %1", "nearest", "reflection", false)
            ),
            &format!(
                "%7: f32[2, 3, 4, 3] = {}",
                sample("%0, %1", "cubic", "reflection", true)
            ),
            &format!(
                "%8: f16[1, 2, 2, 3] = {}",
                sample("%2, %3", "nearest", "border", false)
            ),
        ],
        &[4, 5, 6, 7, 8],
    )]
}
