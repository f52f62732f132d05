//! Models of f16 and bf16: one delegate, weights that stay halves in the file, and PyTorch's results in each choice of floats.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_testing::part::STOCK_RUNTIME;
use serde_json::Value;

const F16: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/images_f16.pt2");
const BF16: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/archives/images_bf16.pt2"
);

/// Two layers of f16: sums of the second one's products reach beyond 65504 for operands of some size, those of the first do not.
const GREAT_SUMS: &str = r#"graph "forward" {
  constant c0 "small" f16[4, 64] = splat 0.5
  constant c1 "great" f16[4, 4] = splat 6000.0
  input tensor "x" [0, 1]
  output tensor
  source l0 "small" "aten.linear.default" "small" ""
  source l1 "great" "aten.linear.default" "great" ""
  block b0 (%0 "x": f16[3, 64]) {
    %1: f16[4, 64] = constant {value=c0}
    %2: f16[4, 4] = constant {value=c1}
    %3: f16[3, 4] = linear %0, %1 {} @ l0
    %4: f16[3, 4] = linear %3, %2 {} @ l1
    return %4
  }
}
"#;

/// Compiles an archive and runs it on both runtimes by the default verdict. Gives the report and the program's size.
fn compiled(archive: &str, options: &[&str]) -> (Value, u64) {
    let folder = Folder::with("nothing", "");
    let compile = ["compile", archive, "-o", "m.pte", "--report", "m.json"];
    let made = folder.kiln(&[&compile[..], options].concat());
    assert!(made.status.success(), "{made:?}");
    let golden = archive.replace(".pt2", ".safetensors");
    let mut runtimes = vec!["builtin"];
    runtimes.extend(STOCK_RUNTIME.find().map(|_| "executorch"));
    for runtime in runtimes {
        let done = folder.kiln(&["run", "m.pte", "--expect", &golden, "--runtime", runtime]);
        assert!(done.status.success(), "{done:?}");
    }
    let report = std::fs::read(folder.path("m.json")).unwrap();
    let size = std::fs::metadata(folder.path("m.pte")).unwrap().len();
    (serde_json::from_slice(&report).unwrap(), size)
}

fn is_one_delegate(report: &Value) -> bool {
    let method = &report["methods"][0];
    method["delegates"] == 1 && method["kernel_calls"].as_object().unwrap().is_empty()
}

fn notes(report: &Value) -> Vec<&str> {
    let all = report["notes"].as_array().unwrap().iter();
    all.map(|note| note.as_str().unwrap()).collect()
}

#[test]
fn each_choice_of_floats_is_right_in_one_delegate() {
    for options in [&[][..], &["--half", "native"], &["--half", "f32"]] {
        for archive in [F16, BF16] {
            let (report, size) = compiled(archive, options);
            assert!(is_one_delegate(&report), "{archive} {options:?}");
            // 893 weights of 2 bytes, of which norms are f32.
            assert!(size < 10_000, "{archive} {options:?}: {size} bytes");
        }
    }
}

#[test]
fn a_report_says_in_which_floats_a_node_computes() {
    let layers = |archive: &str, options: &[&str]| -> Vec<String> {
        let (report, _) = compiled(archive, options);
        let nodes = report["methods"][0]["nodes"].as_array().unwrap().clone();
        let nodes = nodes.iter().filter(|node| node["op"] == "conv");
        nodes
            .map(|node| node["computes"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(layers(F16, &[]), ["f16", "f16"]);
    assert_eq!(layers(F16, &["--half", "f32"]), ["f16 in f32"; 2]);
    assert_eq!(layers(BF16, &[]), ["bf16 in f32"; 2]);
}

#[test]
fn the_choice_changes_the_program() {
    let size = |options: &[&str]| compiled(F16, options).1;
    assert_ne!(size(&["--half", "native"]), size(&["--half", "f32"]));
}

#[test]
fn layers_whose_sums_may_overflow_are_computed_in_f32() {
    let folder = Folder::with("m.txt", GREAT_SUMS);
    let explain = |options: &[&str]| {
        let command = ["explain", "m.txt", "--json"];
        let output = folder.kiln(&[&command[..], options].concat());
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let fitting = explain(&[]);
    let said = notes(&fitting);
    assert!(
        said.iter()
            .any(|note| note.starts_with("1 layer of f16 is computed in f32 (great), because")),
        "{said:?}"
    );
    let differences = |report: &Value| {
        let nodes = report["methods"][0]["nodes"].as_array().unwrap().clone();
        let of = |name: &str| {
            nodes.iter().find(|node| node["name"] == name).unwrap()["difference"].clone()
        };
        ["small", "great"].map(of)
    };
    // A kernel of f32 answers as PyTorch does.
    let [small, great] = differences(&fitting);
    assert!(
        small
            .as_str()
            .unwrap()
            .contains("of at most 16 do not reach"),
        "{small}"
    );
    assert!(great.is_null(), "{great}");
    let [small, great] = differences(&explain(&["--half", "native"]));
    assert!(
        small
            .as_str()
            .unwrap()
            .contains("of at most 16 do not reach"),
        "{small}"
    );
    assert!(great.as_str().unwrap().contains("may reach"), "{great}");
    assert!(notes(&explain(&["--half", "native"])).is_empty());
    assert!(notes(&explain(&["--half", "f32"])).is_empty());
}
