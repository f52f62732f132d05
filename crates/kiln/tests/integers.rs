//! Quantised models: archives with torchao's own classes run on both runtimes, and reports say in which numbers each node computes, and
//! which weights have lost their bits.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_testing::part::STOCK_RUNTIME;
use serde_json::Value;

const SUBCLASSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/subclasses.pt2");
const GOLDEN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/archives/subclasses.safetensors"
);

/// A layer with weights of 4 bits in groups, on floats as they are: XNNPACK has no such layer.
const GROUPS: &str = r#"graph "forward" {
  constant c0 "w" i8[1, 64] as (per_group 32 [0.5, 0.25] [0, 0] in [-8, 7]) = [-8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3, -8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3, -8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3, -8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3]
  input tensor "x" [0, 1]
  output tensor
  source l0 "head" "aten.linear.default" "head" ""
  block b0 (%0 "x": f32[3, 64]) {
    %1: i8[1, 64] as (per_group 32 [0.5, 0.25] [0, 0] in [-8, 7]) = constant {value=c0}
    %2: f32[1, 64] = dequantize %1 {dtype=f32} @ l0
    %3: f32[3, 1] = linear %0, %2 {} @ l0
    return %3
  }
}
"#;

/// A layer whose input is quantised while running by one pair of parameters for the whole tensor.
const WHOLE: &str = r#"graph "forward" {
  constant c0 "w" i8[2, 4] as (per_tensor 0.5 0 in [-127, 127]) = [1, -8, 7, 2, 3, 4, 5, 6]
  input tensor "x" [0, 1]
  output tensor
  source l0 "head" "aten.linear.default" "head" ""
  block b0 (%0 "x": f32[3, 4]) {
    %1: i8[2, 4] as (per_tensor 0.5 0 in [-127, 127]) = constant {value=c0}
    %2: f32[2, 4] = dequantize %1 {dtype=f32} @ l0
    %3: f32[3, 4] = fake_quantize %0 {quant=asymmetric over AXES in [-128, 127] eps 1e-6 scale f32, dtype=f32} @ l0
    %4: f32[3, 2] = linear %3, %2 {} @ l0
    return %4
  }
}
"#;

fn report(folder: &Folder, model: &str) -> Value {
    let output = folder.kiln(&["explain", model, "--json"]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    let all = value.as_array().unwrap().iter();
    all.map(|text| text.as_str().unwrap()).collect()
}

/// What the nodes of an op compute in, and why in floats.
fn numbers<'v>(report: &'v Value, op: &str) -> Vec<(&'v Value, &'v Value)> {
    let nodes = report["methods"][0]["nodes"].as_array().unwrap().iter();
    let nodes = nodes.filter(|node| node["op"] == op);
    nodes
        .map(|node| (&node["computes"], &node["why_floats"]))
        .collect()
}

#[test]
fn archives_of_torchaos_classes_run_in_integers() {
    let folder = Folder::with("nothing", "");
    let made = folder.kiln(&["compile", SUBCLASSES, "-o", "m.pte"]);
    assert!(made.status.success(), "{made:?}");
    // The table and the second layer have a byte for each weight, the first layer half of one.
    let size = std::fs::metadata(folder.path("m.pte")).unwrap().len();
    assert!(size < 6000, "{size} bytes");
    let run = |runtime: &str| {
        folder.kiln(&[
            "run",
            "m.pte",
            "--expect",
            GOLDEN,
            "--runtime",
            runtime,
            "--sqnr",
            "100",
        ])
    };
    let builtin = run("builtin");
    assert!(builtin.status.success(), "{builtin:?}");
    if STOCK_RUNTIME.find().is_some() {
        let stock = run("executorch");
        assert!(stock.status.success(), "{stock:?}");
    }
}

#[test]
fn reports_say_in_which_numbers_nodes_compute() {
    let folder = Folder::with("nothing", "");
    let report = report(&folder, SUBCLASSES);
    let mut layers = numbers(&report, "dequantised");
    layers.sort_by_key(|(computes, _)| computes.to_string());
    let computes: Vec<&str> = layers.iter().map(|l| l.0.as_str().unwrap()).collect();
    assert_eq!(
        computes,
        [
            "f32 x i8 by channel",
            "i8 by channel -> f32",
            "rows of i8 x i4 by channel -> f32"
        ]
    );
    assert!(layers.iter().all(|(_, why)| why.is_null()), "{layers:?}");
    let others: Vec<_> = report["methods"][0]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    let relu = others.iter().find(|node| node["name"] == "relu").unwrap();
    assert_eq!(relu["computes"], "f32");
    assert_eq!(relu["why_floats"], "the archive does not quantise it");
    assert!(texts(&report["warnings"]).is_empty(), "{report}");
    let text = folder.kiln(&["explain", SUBCLASSES]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("rows of i8 x i4 by channel -> f32: 1 node"),
        "{text}"
    );
}

#[test]
fn weights_that_become_floats_are_warned_of() {
    let folder = Folder::with("m.kiln", GROUPS);
    let report = report(&folder, "m.kiln");
    let warnings = texts(&report["warnings"]);
    let [warning] = warnings[..] else {
        panic!("{warnings:?}")
    };
    for part in [
        "1 layer",
        "256 bytes in place of 32",
        "scales by group",
        "quantise activations too",
    ] {
        assert!(warning.contains(part), "no {part:?} in {warning}");
    }
    let [(computes, why)] = numbers(&report, "linear")[..] else {
        panic!("{report}")
    };
    assert_eq!(computes, "f32");
    assert!(why.as_str().unwrap().contains("scales by group"), "{why}");
}

#[test]
fn finer_parameters_than_the_archives_are_noted() {
    for (axes, is_finer) in [("2", true), ("1", false)] {
        let folder = Folder::with("m.kiln", &WHOLE.replace("AXES", axes));
        let report = report(&folder, "m.kiln");
        let notes = texts(&report["notes"]);
        assert_eq!(notes.len(), usize::from(is_finer), "{notes:?}");
        assert!(
            notes
                .iter()
                .all(|note| note.contains("a scale for each row"))
        );
        let layers = numbers(&report, "dequantised");
        assert_eq!(layers[0].0, "rows of i8 x i8 -> f32");
    }
}

/// The same weights behind an input that is quantised while running: XNNPACK has that layer, with scales of bf16.
#[test]
fn rounded_scales_of_groups_are_noted() {
    let quantised = "    %3: f32[3, 64] = fake_quantize %0 {quant=asymmetric over 1 in [-128, 127] eps 1e-6 scale f32, dtype=f32} @ l0\n";
    let model = GROUPS.replace(
        "    %3: f32[3, 1] = linear %0,",
        &format!("{quantised}    %4: f32[3, 1] = linear %3,"),
    );
    let model = model.replace("return %3", "return %4");
    for (scale, is_rounded) in [("0.25", false), ("0.1", true)] {
        let folder = Folder::with(
            "m.kiln",
            &model.replace("[0.5, 0.25]", &format!("[0.5, {scale}]")),
        );
        let report = report(&folder, "m.kiln");
        assert!(texts(&report["warnings"]).is_empty(), "{report}");
        let notes = texts(&report["notes"]);
        assert_eq!(notes.len(), usize::from(is_rounded), "{notes:?}");
        assert!(
            notes.iter().all(|note| note.contains("in bf16")),
            "{notes:?}"
        );
        let layers = numbers(&report, "dequantised");
        assert_eq!(layers[0].0, "rows of i8 x i4 in groups of 32 -> f32");
    }
}
