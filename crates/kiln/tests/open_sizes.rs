//! Integers where several sizes are known only when running, and rows of half types that are rounded when running: one delegate, as in floats.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;
mod reports;

use folder::Folder;
use reports::{numbers, report, texts};
use serde_json::{Value, json};

/// Two convolutions over rows of unknown number and length. FIRST, SECOND and LAST stand for what is between.
const ROWS: &str = r#"graph "forward" {
  symbol s0 in 1..=8
  symbol s1 in 3..=40
  constant c0 "w" i8[16, 16, 3] as (per_tensor 0.5 0 in [-127, 127]) = splat 3
  input tensor "x" [0, 1, 2]
  output tensor
  source l0 "head" "aten.conv1d.default" "head" ""
  block b0 (%0 "x": f32[s0, 16, s1]) {
    %1: i8[16, 16, 3] as (per_tensor 0.5 0 in [-127, 127]) = constant {value=c0}
    %2: f32[16, 16, 3] = dequantize %1 {dtype=f32}
FIRST
    %5: f32[s0, 16, s1] = conv %4, %2 {stride=[1], pad_low=[1], pad_high=[1], dilation=[1], groups=1, transposed=false, output_padding=[0]} @ l0
    %6: f32[s0, 16, s1] = unary %5 {f=clamp[0.0, none]}
SECOND
    %9: f32[s0, 16, s1] = conv %8, %2 {stride=[1], pad_low=[1], pad_high=[1], dilation=[1], groups=1, transposed=false, output_padding=[0]} @ l0
LAST
    return %11
  }
}
"#;

/// Integers of a known scale, and their reals.
fn calibrated(from: usize, by: usize) -> String {
    format!(
        "    %{by}: i8[s0, 16, s1] as (per_tensor 0.5 3 in [-128, 127]) = quantize %{from} {{quant=per_tensor 0.5 3 in [-128, 127], \
         dtype=i8}} @ l0\n    %{}: f32[s0, 16, s1] = dequantize %{by} {{dtype=f32}} @ l0",
        by + 1
    )
}

/// A function, and its rounding with a scale that is found when running.
fn rounded(from: usize, by: usize) -> String {
    format!(
        "    %{by}: f32[s0, 16, s1] = unary %{from} {{f=neg}}\n    %{}: f32[s0, 16, s1] = fake_quantize %{by} {{quant=asymmetric over 3 \
         in [-128, 127] eps 1e-6 scale f32, dtype=f32}}",
        by + 1
    )
}

/// Two functions.
fn exact(from: usize, by: usize) -> String {
    format!(
        "    %{by}: f32[s0, 16, s1] = unary %{from} {{f=neg}}\n    %{}: f32[s0, 16, s1] = unary %{by} {{f=neg}}",
        by + 1
    )
}

/// The rows with these in between.
fn rows(round: fn(usize, usize) -> String, last: fn(usize, usize) -> String) -> String {
    ROWS.replace("FIRST", &round(0, 3))
        .replace("SECOND", &round(6, 7))
        .replace("LAST", &last(9, 10))
}

/// The method of a report, which has one delegate and no kernel.
fn whole(report: &Value) -> &Value {
    let method = &report["methods"][0];
    assert_eq!(method["delegates"], 1, "{report}");
    assert_eq!(method["kernel_calls"], json!({}), "{report}");
    method
}

/// How many nodes are of this op.
fn count(method: &Value, op: &str) -> u64 {
    let nodes = method["nodes"].as_array().unwrap().iter();
    let nodes = nodes.filter(|node| node["op"] == op);
    nodes.map(|node| node["count"].as_u64().unwrap()).sum()
}

/// XNNPACK has no rows with two unknown sizes. They are images of integers, as they are of floats.
#[test]
fn rows_stay_integers() {
    let folder = Folder::with("m.kiln", &rows(calibrated, calibrated));
    let report = report(&folder, "m.kiln");
    assert_eq!(count(whole(&report), "quantised"), 2, "{report}");
    let numbers = numbers(&report, "quantised");
    assert!(numbers.iter().all(|(own, _)| *own == "i8"), "{report}");
    assert!(texts(&report["warnings"]).is_empty(), "{report}");
    let made = folder.kiln(&["compile", "m.kiln", "-o", "m.pte"]);
    assert!(made.status.success(), "{made:?}");
    let ran = folder.kiln(&["run", "m.pte"]);
    assert!(
        ran.status.success() && folder.path("m.pte").exists(),
        "{ran:?}"
    );
}

#[test]
fn rows_that_are_rounded_when_running_stay_integers() {
    let folder = Folder::with("m.kiln", &rows(rounded, exact));
    let report = report(&folder, "m.kiln");
    assert_eq!(count(whole(&report), "dequantised"), 2, "{report}");
}

/// The image of such rows may lack a kernel of integers for another reason, which is the one that is told.
#[test]
fn rows_that_are_floats_for_another_reason_say_so() {
    let graph = rows(calibrated, calibrated)
        .replace("[16, 16, 3]", "[1, 1, 3]")
        .replace("16, s1", "1, s1");
    let folder = Folder::with("m.kiln", &graph);
    let report = report(&folder, "m.kiln").to_string();
    assert!(report.contains("found one channel"), "{report}");
    assert!(!report.contains("rows have at most one size"), "{report}");
}

/// A zero point that is rounded in a half type would be a kernel.
#[test]
fn rows_of_half_types_are_rounded_in_the_delegate() {
    for dtype in ["f16", "bf16"] {
        let graph = r#"graph "forward" {
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": DTYPE[3, 64]) {
    %1: DTYPE[3, 64] = fake_quantize %0 {quant=asymmetric over 1 in [-128, 127] eps 1e-6 scale f32, dtype=DTYPE}
    %2: DTYPE[3, 64] = unary %1 {f=neg}
    return %2
  }
}
"#
        .replace("DTYPE", dtype);
        let folder = Folder::with("m.kiln", &graph);
        let report = report(&folder, "m.kiln");
        assert!(count(whole(&report), "unary") > 0, "{report}");
    }
}
