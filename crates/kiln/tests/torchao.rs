//! Archives of torchao's tensor classes, and of layers that the exporter took apart: layers, tables and their weights.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod folder;
mod reports;

use folder::Folder;
use kiln_testing::part::STOCK_RUNTIME;
use reports::{numbers, report, report_for, texts};
use serde_json::Value;

const SUBCLASSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/subclasses.pt2");
const SCALED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/scaled.pt2");
const ONE_SCALE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/one_scale.pt2");
const SIZES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/sizes.pt2");
const COMPUTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/computed.pt2");
/// The folder of archives whose activations have constant scales.
const GIVEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/");
const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/pairs.pt2");

/// The least SQNR of a layer whose input the library quantises between its extremes, and the archive about 0: both err by half a step of
/// 8 bits in each element.
const OF_OTHER_STEPS: &str = "35";

/// Compiles an archive, runs it on both runtimes as PyTorch runs it, within a ratio in dB, and gives the bytes of the program.
fn runs_as_pytorch(archive: &str, least: &str) -> u64 {
    let folder = Folder::with("nothing", "");
    let made = folder.kiln(&["compile", archive, "-o", "m.pte"]);
    assert!(made.status.success(), "{made:?}");
    let golden = archive.replace(".pt2", ".safetensors");
    let run = |runtime: &str| {
        let expect = ["run", "m.pte", "--expect", &golden, "--sqnr", least];
        let done = folder.kiln(&[&expect[..], &["--runtime", runtime]].concat());
        assert!(done.status.success(), "{done:?}");
    };
    run("builtin");
    if STOCK_RUNTIME.find().is_some() {
        run("executorch");
    }
    std::fs::metadata(folder.path("m.pte")).unwrap().len()
}

#[test]
fn archives_of_torchaos_classes_run_in_integers() {
    // The table and the second layer have a byte for each weight, the first layer half of one.
    let size = runs_as_pytorch(SUBCLASSES, "100");
    assert!(size < 6000, "{size} bytes");
}

/// Scales by group of a row, and a layer that multiplies integers itself.
#[test]
fn tables_of_pairs_are_looked_up_by_the_kernel_for_them() {
    runs_as_pytorch(PAIRS, OF_OTHER_STEPS);
    let folder = Folder::with("nothing", "");
    let report = report(&folder, PAIRS);
    let looked_up = numbers(&report, "dequantised");
    assert_eq!(looked_up.len(), 2, "{report}");
    assert_eq!(looked_up[0].0, "i4 in groups of 16 -> f32");
}

/// The numbers in which the layers of a program of one delegate compute.
fn layers_of_one_delegate(archive: &str) -> Vec<String> {
    let folder = Folder::with("nothing", "");
    let report = report(&folder, archive);
    let method = &report["methods"][0];
    assert_eq!(method["delegates"], 1, "{report}");
    assert_eq!(method["kernel_calls"], serde_json::json!({}), "{report}");
    let layers = ["dequantised", "linear"]
        .into_iter()
        .flat_map(|op| numbers(&report, op));
    let texts = layers.map(|(computes, _)| computes.as_str().unwrap().to_owned());
    texts.collect()
}

/// Products of integers with one scale for the whole input, and with zero points, are rows of integers.
#[test]
fn products_with_one_scale_or_zero_points_are_layers() {
    runs_as_pytorch(ONE_SCALE, OF_OTHER_STEPS);
    let rows = "rows of i8 x i8 by channel -> f32";
    assert_eq!(layers_of_one_delegate(ONE_SCALE), [rows, rows]);
    // As a machine exports them that multiplies u8 by i8.
    let shifted = ONE_SCALE.replace(".pt2", "_shifted.pt2");
    runs_as_pytorch(&shifted, OF_OTHER_STEPS);
    assert_eq!(layers_of_one_delegate(&shifted), [rows, rows]);
    // Halves round both terms of the difference that takes the zero points' part away.
    for half in ["bf16", "f16"] {
        let archive = ONE_SCALE.replace(".pt2", &format!("_{half}.pt2"));
        runs_as_pytorch(&archive, "30");
        let layers = layers_of_one_delegate(&archive);
        let of_rows = layers
            .iter()
            .filter(|layer| layer.starts_with("rows of i8 x i8 by channel"));
        assert_eq!(of_rows.count(), 2, "{half}: {layers:?}");
    }
}

/// Products of integers whose activations have constant scales: the first layer's result is quantised, so it computes in integers alone.
#[test]
fn products_with_constant_scales_are_layers() {
    for name in ["given", "given_f16", "given_shifted"] {
        let archive = format!("{GIVEN}{name}.pt2");
        // A byte for each of 5,888 weights.
        let size = runs_as_pytorch(&archive, "30");
        assert!(size < 12_000, "{name}: {size} bytes");
        let folder = Folder::with("nothing", "");
        let report = report(&folder, &archive);
        assert_eq!(report["methods"][0]["delegates"], 1, "{report}");
        assert_eq!(
            report["methods"][0]["kernel_calls"],
            serde_json::json!({}),
            "{name}"
        );
        assert!(texts(&report["warnings"]).is_empty(), "{report}");
        let layers = numbers(&report, "quantised").into_iter();
        let layers = layers.chain(numbers(&report, "dequantised"));
        let computes: Vec<&Value> = layers.map(|(computes, _)| computes).collect();
        assert!(computes.contains(&&"f32 x i8".into()), "{computes:?}");
        assert!(
            name == "given_f16" || computes.contains(&&"i8".into()),
            "{computes:?}"
        );
    }
}

/// Each row has a constant scale: no target has such rows, but the weights are bytes.
#[test]
fn products_with_constant_scales_of_rows_keep_their_weights() {
    let archive = format!("{GIVEN}given_rows.pt2");
    let size = runs_as_pytorch(&archive, "100");
    assert!(size < 13_000, "{size} bytes");
    let folder = Folder::with("nothing", "");
    let report = report(&folder, &archive);
    let layers = numbers(&report, "dequantised");
    let computes: Vec<&Value> = layers.into_iter().map(|(computes, _)| computes).collect();
    assert_eq!(
        computes,
        ["f32 x i8 by channel", "f32 x i8 by channel", "f32 x i8"]
    );
}

/// A target without layers of floats and integers has the first layer in integers, and takes the others.
#[test]
fn products_with_constant_scales_are_layers_on_targets_of_integers() {
    let archive = format!("{GIVEN}given.pt2");
    for target in ["tosa-int", "cortex-m55", "host-c"] {
        let folder = Folder::with("nothing", "");
        let report = report_for(&folder, &archive, target);
        let layers = numbers(&report, "quantised");
        assert_eq!(layers[0].0, "i8", "{target}: {report}");
        let linear = numbers(&report, "linear").len() + numbers(&report, "matmul").len();
        assert!(layers.len() + linear >= 3, "{target}: {report}");
        let in_integers = |name: &str| numbers(&report, name).iter().any(|n| n.0 == "i32");
        assert!(!in_integers("matmul"), "{target}: {report}");
    }
    let folder = Folder::with("nothing", "");
    let made = folder.kiln(&["compile", &archive, "-o", "m/", "--target", "host-c"]);
    assert!(made.status.success(), "{made:?}");
    let golden = archive.replace(".pt2", ".safetensors");
    let done = folder.kiln(&["run", "m/", "--expect", &golden, "--sqnr", "30"]);
    assert!(done.status.success(), "{done:?}");
}

/// `inspect` counts what torchao's classes wrap: bytes, scales of channels and of activations, zero points; and the biases.
#[test]
fn weights_inside_of_classes_are_counted() {
    let folder = Folder::with("nothing", "");
    let output = folder.kiln(&["inspect", &format!("{GIVEN}given.pt2"), "--json"]);
    let inspected: Value = serde_json::from_slice(&output.stdout).unwrap();
    let layers = [
        64 * 32 + 64 * 5 + 4,
        48 * 64 + 48 * 5 + 4 + 1,
        16 * 48 + 5 + 4,
    ];
    let bytes = layers.iter().sum::<u64>() + 4 * (64 + 48);
    assert_eq!(inspected["weight_bytes"], bytes);
}

/// Weights of 4 bits with zero points are bytes without them, beside floats and beside rows.
#[test]
fn weights_with_zero_points_are_bytes() {
    let archive = format!("{GIVEN}asymmetric.pt2");
    let size = runs_as_pytorch(&archive, "50");
    // A byte for each of 5,888 weights, where floats would be 23,552 bytes.
    assert!(size < 11_000, "{size} bytes");
    assert_eq!(
        layers_of_one_delegate(&archive),
        [
            "f32 x i8 in groups of 16",
            "f32 x i8 by channel",
            "rows of i8 x i8 by channel -> f32"
        ]
    );
}

/// Where operators of torchao were decomposed, the arithmetic says the same.
#[test]
fn layers_that_were_decomposed_are_layers_of_integers() {
    for (name, dtype) in [("taken_apart", "f32"), ("taken_apart_bf16", "bf16")] {
        let archive = format!("{GIVEN}{name}.pt2");
        let size = runs_as_pytorch(&archive, "30");
        // A byte or half of one for each of 20,480 weights, where floats would be 81,920 bytes.
        assert!(size < 28_000, "{name}: {size} bytes");
        assert_eq!(
            layers_of_one_delegate(&archive),
            [
                format!("rows of i8 x i4 in groups of 32 -> {dtype}"),
                format!("rows of i8 x i8 by channel -> {dtype}"),
                format!("{dtype} x i4 in groups of 16"),
                // The archive multiplies by the scales in f32.
                "rows of i8 x i8 by channel -> f32".to_owned(),
                format!("{dtype} x i8 by channel"),
            ],
            "{name}"
        );
    }
}

/// Products with turned, repeated and single rows of weights are layers, with parts of parameters as biases. The bytes are 3,072 for 96 by
/// 32 weights, 6,144 for 64 by 96, 72 and 64; as floats they would be 37,408.
#[test]
fn layers_that_became_products_are_layers_of_integers() {
    for (form, least) in [("static", "25"), ("rows", "100")] {
        let archive = format!("{GIVEN}products_{form}.pt2");
        let size = runs_as_pytorch(&archive, least);
        assert!(size < 16_000, "{form}: {size} bytes");
        let on_floats = layers_of_one_delegate(&archive);
        let report = report(&Folder::with("nothing", ""), &archive);
        let on_integers = numbers(&report, "quantised").len();
        match form {
            // The fifth op on integers is a sum.
            "static" => assert_eq!((on_floats, on_integers), (vec![], 5)),
            _ => {
                let rows = "rows of i8 x i8 by channel -> f32";
                // Of one output channel the scales are one.
                let last = "rows of i8 x i8 -> f32";
                assert_eq!(on_floats, [rows, rows, rows, last]);
            }
        }
    }
}

/// A layer with one output channel has groups as others have.
#[test]
fn one_row_of_weights_has_groups() {
    let archive = format!("{GIVEN}score.pt2");
    runs_as_pytorch(&archive, "40");
    let layers = layers_of_one_delegate(&archive);
    assert_eq!(layers, ["rows of i8 x i4 in groups of 32 -> f32"]);
}

/// torchao merges batch and sequence in front of a layer, and splits them behind it. A delegate cannot split what it does not know.
#[test]
fn rows_of_unknown_sizes_stay_apart() {
    runs_as_pytorch(SIZES, OF_OTHER_STEPS);
    assert_eq!(
        layers_of_one_delegate(SIZES),
        ["f32 x i8 by channel", "rows of i8 x i8 by channel -> f32"]
    );
}

/// Integers that the model unpacks and scales that it computes are those of weights. Zero points between integers are no part of a
/// type: that layer computes in floats.
#[test]
fn parameters_that_follow_from_constants_are_known() {
    runs_as_pytorch(COMPUTED, "100");
    assert_eq!(
        layers_of_one_delegate(COMPUTED),
        ["f32 x i4 by channel", "f32"]
    );
}

/// torchao multiplies by the scales of weights behind the product, here of floats and integers, and of integers.
#[test]
fn scales_behind_products_are_those_of_weights() {
    let size = runs_as_pytorch(SCALED, OF_OTHER_STEPS);
    // A byte for each of 3,072 weights.
    assert!(size < 7000, "{size} bytes");
    let folder = Folder::with("nothing", "");
    let report = report(&folder, SCALED);
    let method = &report["methods"][0];
    assert_eq!(method["delegates"], 1, "{report}");
    assert_eq!(method["kernel_calls"], serde_json::json!({}), "{report}");
    let layers = numbers(&report, "dequantised");
    let layers: Vec<&Value> = layers.into_iter().map(|(computes, _)| computes).collect();
    assert_eq!(
        layers,
        ["f32 x i8 by channel", "rows of i8 x i8 by channel -> f32"]
    );
    let notes = texts(&report["notes"]);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("where the archive does about 0"),
        "{notes:?}"
    );
}
