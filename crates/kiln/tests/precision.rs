//! `--precision`: a model computes in other floats than it was exported in, in as many delegates, with weights of half the size, and
//! what the new floats hold badly stays.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_testing::corpus::Corpus;
use kiln_testing::part::STOCK_RUNTIME;
use serde_json::Value;
use std::path::Path;

const F16: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/images_f16.pt2");

/// The report of a model with these options.
fn report(folder: &Folder, model: &str, options: &[&str]) -> Value {
    let compile = ["compile", model, "-o", "m.pte", "--report", "m.json"];
    let made = folder.kiln(&[&compile[..], options].concat());
    assert!(made.status.success(), "{model} {options:?}: {made:?}");
    serde_json::from_slice(&std::fs::read(folder.path("m.json")).unwrap()).unwrap()
}

fn size(folder: &Folder) -> u64 {
    std::fs::metadata(folder.path("m.pte")).unwrap().len()
}

/// The floats in which each node of this name computes.
fn computes(report: &Value, name: &str) -> Vec<String> {
    let nodes = report["methods"][0]["nodes"].as_array().unwrap().iter();
    let named = nodes.filter(|node| node["name"] == name);
    let texts = named.filter_map(|node| node["computes"].as_str());
    texts.map(str::to_owned).collect()
}

#[test]
fn models_of_floats_compile_to_halves() {
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let folder = Folder::with("nothing", "");
    let mut runtimes = vec!["builtin"];
    runtimes.extend(STOCK_RUNTIME.find().map(|_| "executorch"));
    // The size, and the least ratios in f16, bf16, and f16 that kernels add up in f16: some 4 dB below what was measured.
    for (name, at_most, [in_f16, in_bf16, summed_in_f16]) in [
        // One rounding more or less moves its second run by up to 10 dB: 37 to 46 dB with inputs that are a hundredth off.
        ("mobilenet_v3_small", 0.62, ["28", "22", "25"]),
        ("resnet18", 0.62, ["45", "26", "38"]),
        ("deit_tiny", 0.62, ["55", "37", "43"]),
        ("llama_15m", 0.68, ["52", "36", "42"]),
        // Its steps are written out, so operators are a large part of the file.
        ("kws_lstm", 0.82, ["50", "45", "50"]),
    ] {
        let case = suite.case(name).unwrap();
        let (model, golden) = (case.file("pt2"), case.file("safetensors"));
        let [model, golden] = [&model, &golden].map(|path: &_| Path::to_str(path).unwrap());
        let full = report(&folder, model, &[]);
        let full_size = size(&folder);
        for (precision, sqnr) in [("f16", in_f16), ("bf16", in_bf16)] {
            let half = report(&folder, model, &["--precision", precision]);
            for key in ["delegates", "kernel_calls"] {
                let figures = [&half, &full].map(|report| &report["methods"][0][key]);
                assert_eq!(figures[0], figures[1], "{name} in {precision}: {key}");
            }
            let ratio = size(&folder) as f64 / full_size as f64;
            assert!(
                ratio < at_most,
                "{name} in {precision}: {ratio} of the size"
            );
            let note = half["notes"][0].as_str().unwrap();
            assert!(
                note.starts_with(&format!("--precision {precision}: ")),
                "{note}"
            );
            for runtime in &runtimes {
                let is_native = precision == "f16" && *runtime == "executorch";
                let least = match is_native && kiln_xnnpack::adds_up_in_f16() {
                    true => summed_in_f16,
                    false => sqnr,
                };
                // The golden outputs are of f32, and so are the program's.
                let run = ["run", "m.pte", "--expect", golden, "--sqnr", least];
                let done = folder.kiln(&[&run[..], &["--runtime", runtime]].concat());
                assert!(done.status.success(), "{name} in {precision}: {done:?}");
            }
        }
    }
}

#[test]
fn a_model_of_halves_computes_in_f32() {
    let folder = Folder::with("nothing", "");
    let single = report(&folder, F16, &["--precision", "f32"]);
    let nodes = single["methods"][0]["nodes"].as_array().unwrap();
    let convs: Vec<&Value> = nodes.iter().filter(|node| node["op"] == "conv").collect();
    assert_eq!(convs.len(), 2);
    assert!(
        convs.iter().all(|conv| conv["computes"] == "f32"),
        "{convs:?}"
    );
    let golden = F16.replace(".pt2", ".safetensors");
    let done = folder.kiln(&["run", "m.pte", "--expect", &golden]);
    assert!(done.status.success(), "{done:?}");
}

/// Results of f32 that were computed in halves are judged as halves, and no more loosely.
#[test]
fn programs_in_halves_have_a_verdict_of_their_own() {
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let case = suite.case("resnet8").unwrap();
    let [model, golden] = ["pt2", "safetensors"].map(|kind| case.file(kind));
    let [model, golden] = [&model, &golden].map(|path: &_| Path::to_str(path).unwrap());
    let folder = Folder::with("nothing", "");
    let targets = [("xnnpack", "pte"), ("portable", "pte"), ("tosa-fp", "tosa")];
    for (target, extension) in targets {
        for (precision, rule) in [("f16", "at least 45 dB"), ("bf16", "at least 30 dB")] {
            let file = format!("m.{extension}");
            let compile = ["compile", model, "-o", &file, "--target", target];
            let made = folder.kiln(&[&compile[..], &["--precision", precision]].concat());
            assert!(made.status.success(), "{target} {precision}: {made:?}");
            let done = folder.kiln(&["run", &file, "--expect", golden, "--json"]);
            assert!(done.status.success(), "{target} {precision}: {done:?}");
            let verdict: Value = serde_json::from_slice(&done.stdout).unwrap();
            assert_eq!(verdict["outputs"][0]["rule"], rule, "{target}");

            // Another input gives other values.
            let other = folder.kiln(&["run", model, "--outputs", "other.safetensors"]);
            assert!(other.status.success(), "{other:?}");
            let expect = ["--inputs", golden, "--expect", "other.safetensors"];
            let wrong = folder.kiln(&[&["run", &file][..], &expect].concat());
            assert_eq!(wrong.status.code(), Some(3), "{target}: {wrong:?}");
            let text = String::from_utf8(wrong.stderr).unwrap();
            let last = text.lines().last().unwrap();
            assert!(last.starts_with("error: ") && last.contains(rule), "{last}");
        }
    }
}

/// A layer of floats, and beside it a function in f16 of the same input.
const BESIDE: &str = r#"graph "forward" {
  constant c0 "w" f32[4, 4] = splat 0.3
  input tensor "x" [0, 1]
  output tensor
  output tensor
  block b0 (%0 "x": f32[2, 4]) {
    %1: f32[4, 4] = constant {value=c0}
    %2: f32[2, 4] = linear %0, %1 {}
    %3: f16[2, 4] = cast %0 {to=f16}
    %4: f16[2, 4] = unary %3 {f=tanh}
    %5: f32[2, 4] = cast %4 {to=f32}
    return %2, %5
  }
}
"#;

/// Only what an output follows from makes its rule looser.
#[test]
fn halves_beside_an_output_do_not_count() {
    let folder = Folder::with("m.kiln", BESIDE);
    let mut runs = kiln_target::Runs::default();
    let x = [0.5, -1.0, 2.0, 0.1, 1.5, -0.3, 0.7, 3.0];
    let x = kiln_ir::TensorData::from_f32(vec![2, 4], &x);
    runs.insert(0, kiln_target::Role::Input, 0, x);
    runs.write(&folder.path("x.safetensors")).unwrap();
    let inputs = ["--inputs", "x.safetensors"];
    let made = folder.kiln(
        &[
            &["run", "m.kiln", "--outputs", "y.safetensors"][..],
            &inputs,
        ]
        .concat(),
    );
    assert!(made.status.success(), "{made:?}");
    for (file, target) in [
        ("m.kiln", ""),
        ("x.pte", "xnnpack"),
        ("p.pte", "portable"),
        ("t.tosa", "tosa-fp"),
    ] {
        if !target.is_empty() {
            let made = folder.kiln(&["compile", "m.kiln", "-o", file, "--target", target]);
            assert!(made.status.success(), "{target}: {made:?}");
        }
        let expect = ["run", file, "--expect", "y.safetensors", "--json"];
        let done = folder.kiln(&[&expect[..], &inputs].concat());
        let verdict: Value = serde_json::from_slice(&done.stdout).unwrap();
        let rules = [0, 1].map(|i| verdict["outputs"][i]["rule"].as_str().unwrap());
        assert_eq!(rules, ["at least 80 dB", "at least 45 dB"], "{file}");
    }
}

/// A layer, a mean of squares as in RMSNorm, and a layer with a weight beyond the range of f16.
const RANGES: &str = r#"graph "forward" {
  constant c0 "w" f32[4, 4] = splat 0.5
  constant c1 "tiny" f32[] = splat 1e-12
  constant c2 "huge" f32[4, 4] = splat 1e6
  input tensor "x" [0, 1]
  output tensor
  source l0 "layer" "aten.linear.default" "" ""
  source l1 "square" "aten.pow.Tensor_Scalar" "" ""
  source l2 "mean" "aten.mean.dim" "" ""
  source l3 "eps" "aten.add.Tensor" "" ""
  source l4 "last" "aten.linear.default" "" ""
  source l5 "beyond" "aten.linear.default" "" ""
  block b0 (%0 "x": f32[2, 4]) {
    %1: f32[4, 4] = constant {value=c0}
    %2: f32[] = constant {value=c1}
    %3: f32[4, 4] = constant {value=c2}
    %4: f32[2, 4] = linear %0, %1 {} @ l0
    %5: f32[2, 4] = unary %4 {f=square} @ l1
    %6: f32[2, 1] = reduce %5 {f=mean, axes=[1]} @ l2
    %7: f32[1, 1] = move %2 {movement=( -> 1 1)} @ l3
    %8: f32[2, 1] = binary %6, %7 {f=add} @ l3
    %9: f32[2, 4] = binary %4, %8 {f=mul} @ l3
    %10: f32[2, 4] = linear %9, %1 {} @ l4
    %11: f32[2, 4] = linear %10, %3 {} @ l5
    return %11
  }
}
"#;

#[test]
fn what_f16_holds_badly_stays() {
    let folder = Folder::with("m.kiln", RANGES);
    let half = report(&folder, "m.kiln", &["--precision", "f16"]);
    let is_half = |name: &str| {
        computes(&half, name)
            .iter()
            .all(|text| text.starts_with("f16"))
    };
    assert!(is_half("layer") && is_half("last"), "{half}");
    for name in ["square", "mean", "eps", "beyond"] {
        let found = computes(&half, name);
        assert!(
            !found.is_empty() && found.iter().all(|text| text == "f32"),
            "{name}: {found:?}"
        );
    }
    let note = half["notes"][0].as_str().unwrap();
    assert!(note.contains("2 nodes converted; 6 nodes stay"), "{note}");
    // The range of bf16 is that of f32, its precision is not.
    let brain = report(&folder, "m.kiln", &["--precision", "bf16"]);
    let beyond = computes(&brain, "beyond");
    assert!(
        beyond.iter().all(|text| text.starts_with("bf16")),
        "{beyond:?}"
    );
    assert_eq!(computes(&brain, "square"), ["f32"]);
}

#[test]
fn a_quantised_model_is_refused() {
    let suite = Corpus::open().unwrap().suite("quantised_cm").unwrap();
    let model = suite.case("ds_cnn").unwrap().file("pt2");
    let folder = Folder::with("nothing", "");
    let compile = ["compile", model.to_str().unwrap(), "-o", "m.pte"];
    let refused = folder.kiln(&[&compile[..], &["--precision", "f16"]].concat());
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains("--precision f16 is for models in floats"),
        "{said}"
    );
    assert!(!folder.path("m.pte").exists());
}
