//! A program that is much larger than its archive's weights is warned of, with the weights that grew.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_testing::corpus::Corpus;
use serde_json::Value;
use std::fmt::Write;

/// A sum of `count` tables of pairs. Each is an outer sum of two constant rows, which is computed ahead.
fn tables(count: usize) -> String {
    let row = |seed: usize| {
        let elements: Vec<String> = (0..128)
            .map(|i| format!("{}.5", (i * 7 + seed * 13) % 97))
            .collect();
        elements.join(", ")
    };
    let mut text = "graph \"forward\" {\n".to_owned();
    for i in 0..count {
        let _ = writeln!(
            text,
            "  constant c{} \"rows{i}\" f32[128, 1] = [{}]",
            2 * i,
            row(2 * i)
        );
        let _ = writeln!(
            text,
            "  constant c{} \"columns{i}\" f32[1, 128] = [{}]",
            2 * i + 1,
            row(2 * i + 1)
        );
    }
    text += "  input tensor \"x\" [0, 1]\n";
    text += &"  output tensor\n".repeat(count);
    text += "  source l0 \"distance\" \"aten.add.Tensor\" \"attention\" \"\"\n  block b0 (%0 \"x\": f32[128, 128]) {\n";
    let mut results = Vec::new();
    for i in 0..count {
        let at = 1 + 4 * i;
        let _ = writeln!(
            text,
            "    %{at}: f32[128, 1] = constant {{value=c{}}}",
            2 * i
        );
        let _ = writeln!(
            text,
            "    %{}: f32[1, 128] = constant {{value=c{}}}",
            at + 1,
            2 * i + 1
        );
        let _ = writeln!(
            text,
            "    %{}: f32[128, 128] = binary %{at}, %{} {{f=add}} @ l0",
            at + 2,
            at + 1
        );
        let _ = writeln!(
            text,
            "    %{}: f32[128, 128] = binary %0, %{} {{f=mul}} @ l0",
            at + 3,
            at + 2
        );
        results.push(format!("%{}", at + 3));
    }
    text + &format!("    return {}\n  }}\n}}\n", results.join(", "))
}

fn warnings(model: &str) -> Vec<String> {
    warnings_for(model, "xnnpack", "m.pte")
}

fn warnings_for(model: &str, target: &str, output: &str) -> Vec<String> {
    let folder = Folder::with("m.kiln", model);
    let options = ["-o", output, "--target", target, "--report", "m.json"];
    let made = folder.kiln(&[&["compile", "m.kiln"], &options[..]].concat());
    assert!(made.status.success(), "{made:?}");
    let report = std::fs::read(folder.path("m.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let warnings = report["warnings"].as_array().unwrap().iter();
    let warnings: Vec<String> = warnings.map(|w| w.as_str().unwrap().to_owned()).collect();
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(
        warnings.iter().all(|warning| said.contains(warning)),
        "{said}"
    );
    warnings
}

#[test]
fn what_is_computed_ahead_is_named() {
    let found = warnings(&tables(4));
    assert_eq!(found.len(), 1, "{found:?}");
    for part in [
        "times the 4096 bytes of the archive's weights: computed ahead",
        "rows0+columns0 (65536 bytes)",
    ] {
        assert!(found[0].contains(part), "no {part:?} in {found:?}");
    }
}

/// The bytes of source text say nothing of what the firmware holds.
#[test]
fn constants_of_source_text_are_named() {
    let found = warnings_for(&tables(4), "cortex-m4", "project/");
    let found = found.join("\n");
    for part in [
        "the project's constants have 262144 bytes, 64.00 times the 4096 bytes of the archive's weights",
        "(65536 bytes)",
    ] {
        assert!(found.contains(part), "no {part:?} in {found}");
    }
}

/// Methods of different models hold the weights of both, those of one model hold them once.
#[test]
fn weights_of_methods_count_where_they_differ() {
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let [first, second] = ["resnet18", "squeezenet1_1"].map(|name| suite.case(name).unwrap());
    let [first, second] = [first, second].map(|case| case.file("pt2"));
    let folder = Folder::with("m.kiln", &tables(4));
    let twin = tables(4).replace("graph \"forward\"", "graph \"other\"");
    std::fs::write(folder.path("twin.kiln"), twin).unwrap();
    let said = |model: &str, other: &str| {
        let method = format!("other={other}");
        let made = folder.kiln(&["compile", model, "--method", &method, "-o", "m.pte"]);
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stderr).unwrap()
    };
    let [first, second] = [&first, &second].map(|path| path.to_str().unwrap());
    let differ = said(first, second);
    assert!(!differ.contains("the archive's weights"), "{differ}");
    let grown = said("m.kiln", "twin.kiln");
    let part = "times the 4096 bytes of the archive's weights";
    assert!(grown.contains(part), "{grown}");
}

#[test]
fn a_program_as_large_as_its_weights_is_not_warned_of() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/mobilenet_v3_small.pt2"
    );
    let folder = Folder::with("nothing", "");
    let made = folder.kiln(&["compile", model, "-o", "m.pte"]);
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(made.status.success() && !said.contains("warning"), "{said}");
}

/// A layer whose weight of `rows` times 256 integers is cast and scaled by ops of the archive, about a zero point.
fn scaled_by_hand(rows: usize, zero_point: &str) -> String {
    let integers: Vec<String> = (0..rows * 256)
        .map(|i| ((i * 37) % 255).wrapping_sub(127).cast_signed().to_string())
        .collect();
    format!(
        r#"graph "forward" {{
  constant c0 "w" i8[{rows}, 256] = [{}]
  constant c1 "scale" f32[1, 1] = [0.01]
  constant c2 "zero" f32[1, 1] = [{zero_point}]
  input tensor "x" [0, 1]
  output tensor
  source l0 "linear_7" "aten.linear.default" "" ""
  block b0 (%0 "x": f32[2, 256]) {{
    %1: i8[{rows}, 256] = constant {{value=c0}}
    %2: f32[{rows}, 256] = cast %1 {{to=f32}}
    %3: f32[1, 1] = constant {{value=c2}}
    %4: f32[{rows}, 256] = binary %2, %3 {{f=sub}}
    %5: f32[1, 1] = constant {{value=c1}}
    %6: f32[{rows}, 256] = binary %4, %5 {{f=mul}}
    %7: f32[2, {rows}] = linear %0, %6 {{}} @ l0
    return %7
  }}
}}
"#,
        integers.join(", ")
    )
}

/// Small weights are floats of the file. Large ones become floats at every run, which is said, with the layer and what helps. On XNNPACK
/// weights about a whole zero point stay integers.
#[test]
fn integers_that_become_floats_at_every_run_are_warned_of() {
    for (target, zero_point, most_kept) in [
        ("xnnpack", "0.0", 80),
        ("xnnpack", "0.5", 4),
        ("portable", "0.0", 4),
    ] {
        for rows in [4, 80] {
            let folder = Folder::with("m.kiln", &scaled_by_hand(rows, zero_point));
            let made = folder.kiln(&["compile", "m.kiln", "-o", "m.pte", "--target", target]);
            let said = String::from_utf8(made.stderr).unwrap();
            assert!(made.status.success(), "{said}");
            let found = said.contains("(linear_7) are integers that become floats at every run");
            assert_eq!(
                found,
                rows > most_kept,
                "{target}, {zero_point}, {rows} rows: {said}"
            );
        }
    }
}

/// A layer of floats whose weights are integers with scales by group: as the archive has them, and with the scales in their type.
const WITH_SCALES: &str = r#"graph "forward" {
  constant c0 "w" i8[256, 256] = [INTEGERS]
  constant c1 "w" i8[256, 256] as (per_group 8 [SCALES] [ZEROS] in [-128, 127]) = [INTEGERS]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[2, 256]) {
    %1: i8[256, 256] = constant {value=c0}
    %2: i8[256, 256] as (per_group 8 [SCALES] [ZEROS] in [-128, 127]) = constant {value=c1}
    %3: f32[256, 256] = dequantize %2 {dtype=f32}
    %4: f32[2, 256] = linear %0, %3 {}
    return %4
  }
}
"#;

/// Integers count once, and what grew is the difference.
#[test]
fn integers_with_scales_are_no_second_weight() {
    let list = |count: usize, of: &dyn Fn(usize) -> String| {
        (0..count).map(of).collect::<Vec<_>>().join(", ")
    };
    let integers = list(256 * 256, &|i| ((i * 37) % 101).to_string());
    let model = WITH_SCALES
        .replace("INTEGERS", &integers)
        .replace("SCALES", &list(8192, &|i| format!("0.{}5", i % 9)))
        .replace("ZEROS", &list(8192, &|_| "0".into()));
    let folder = Folder::with("m.kiln", &model);
    let made = folder.kiln(&["compile", "m.kiln", "-o", "m.pte"]);
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(made.status.success(), "{said}");
    for part in ["times the 65536 bytes of", "w (196608 bytes)"] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}
