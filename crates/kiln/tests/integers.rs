//! Quantised models: reports say in which numbers each node computes and which weights have lost their bits, and verdicts follow from it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;
mod reports;

use folder::Folder;
use kiln_testing::part::STOCK_RUNTIME;
use reports::{numbers, report, report_for, texts};
use serde_json::Value;

const SUBCLASSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/subclasses.pt2");
const SCALED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/scaled.pt2");
const COMPUTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/computed.pt2");

/// Groups of a row of 64.
const SHORT: &str =
    "per_group 8 [0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25] [0, 0, 0, 0, 0, 0, 0, 0]";

/// A layer with weights of 4 bits in [`SHORT`] groups, on floats as they are: many layers of so few channels would take longer than one of floats.
const GROUPS: &str = r#"graph "forward" {
  constant c0 "w" i8[1, 64] as (per_group 8 [0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25] [0, 0, 0, 0, 0, 0, 0, 0] in [-8, 7]) = [-8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3, -8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3, -8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3, -8, -3, 2, 7, -4, 1, 6, -5, 0, 5, -6, -1, 4, -7, -2, 3]
  input tensor "x" [0, 1]
  output tensor
  source l0 "head" "aten.linear.default" "head" ""
  block b0 (%0 "x": f32[3, 64]) {
    %1: i8[1, 64] as (per_group 8 [0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25] [0, 0, 0, 0, 0, 0, 0, 0] in [-8, 7]) = constant {value=c0}
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

/// A convolution whose input is quantised while running by one pair of parameters for all images.
const IMAGES: &str = r#"graph "forward" {
  constant c0 "w" i8[2, 1, 1, WIDTH] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = splat 3
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": f32[BATCH, 1, 4, 4]) {
    %1: i8[2, 1, 1, WIDTH] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = constant {value=c0}
    %2: f32[2, 1, 1, WIDTH] = dequantize %1 {dtype=f32}
    %3: f32[BATCH, 1, 4, 4] = fake_quantize %0 {quant=asymmetric over 4 in [-128, 127] eps 1e-6 scale f32, dtype=f32}
    %4: f32[BATCH, 2, 4, COLUMNS] = conv %3, %2 {CONV}
    return %4
  }
}
"#;

/// A layer of calibrated integers, whose result is quantised or not.
const CALIBRATED: &str = r#"graph "forward" {
  constant c0 "w" i8[2, 4] as (per_tensor 0.5 0 in [-127, 127]) = [1, -8, 7, 2, 3, 4, 5, 6]
  input tensor "x" [0, 1]
  output tensor
  source l0 "head" "aten.linear.default" "head" ""
  source l1 "tail" "aten.exp.default" "tail" ""
  block b0 (%0 "x": f32[3, 4]) {
    %1: i8[2, 4] as (per_tensor 0.5 0 in [-127, 127]) = constant {value=c0}
    %2: f32[2, 4] = dequantize %1 {dtype=f32}
    %3: i8[3, 4] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
    %4: f32[3, 4] = dequantize %3 {dtype=f32}
    %5: f32[3, 2] = linear %4, %2 {} @ l0
    %6: i8[3, 2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %5 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
    %7: f32[3, 2] = dequantize %6 {dtype=f32}
    %8: f32[3, 2] = unary RESULT {f=exp} @ l1
    return %8
  }
}
"#;

/// An image of bytes that the archive itself dequantises is no image of floats, whatever its sign.
#[test]
fn inputs_of_integers_are_computed_with_as_they_are() {
    let folder = Folder::with("nothing", "");
    for name in ["bytes_i8", "bytes_u8"] {
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/");
        let (archive, golden) = (
            format!("{own}{name}.pt2"),
            format!("{own}{name}.safetensors"),
        );
        let targets = ["xnnpack", "portable", "tosa-int", "host-c"];
        for (target, output) in targets.into_iter().zip(["m.pte", "p.pte", "m.tosa", "m/"]) {
            let report = format!("{target}.json");
            let compile = ["compile", &archive, "-o", output, "--target", target];
            let made = folder.kiln(&[&compile[..], &["--report", &report]].concat());
            assert!(made.status.success(), "{made:?}");
            let said = String::from_utf8(made.stderr).unwrap();
            assert!(
                target == "portable" || !said.contains("floats"),
                "{name} {target}: {said}"
            );
            // The result is of bytes too, which may be a step beside.
            let done = folder.kiln(&["run", output, "--expect", &golden]);
            assert!(done.status.success(), "{name} {target}: {done:?}");
        }
        let report = std::fs::read(folder.path("tosa-int.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        let (input, output) = (&report["io"]["inputs"][0], &report["io"]["outputs"][0]);
        assert_eq!(input["dtype"], name[6..]);
        assert_eq!(output["dtype"], name[6..]);
        if STOCK_RUNTIME.find().is_some() {
            let stock = [
                "run",
                "m.pte",
                "--runtime",
                "executorch",
                "--expect",
                &golden,
            ];
            let done = folder.kiln(&stock);
            assert!(done.status.success(), "{name}: {done:?}");
        }
    }
}

/// A byte more or less is a step; two are wrong.
#[test]
fn bytes_that_are_two_steps_beside_are_wrong() {
    let folder = Folder::with("nothing", "");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/bytes_i8");
    let (archive, golden) = (format!("{own}.pt2"), format!("{own}.safetensors"));
    let golden = kiln_target::Runs::read(golden.as_ref()).unwrap();
    let expected = golden.get(0, kiln_target::Role::Output, 0).unwrap();
    let mut wrong: Vec<i64> = expected.scalars().map(|s| s.as_i64()).collect();
    let middle = wrong.iter().position(|&byte| byte.abs() < 100).unwrap();
    wrong[middle] += 3;
    let wrong = wrong.into_iter().map(kiln_ir::Scalar::Int);
    let wrong = kiln_ir::TensorData::from_scalars(
        kiln_ir::DType::I8,
        expected.sizes().to_vec(),
        wrong.collect::<Vec<_>>(),
    );
    let mut other = golden.clone();
    other.insert(0, kiln_target::Role::Output, 0, wrong);
    other.write(&folder.path("wrong.safetensors")).unwrap();
    let outputs = ["m.pte", "p.pte", "c.pte", "m.tosa", "m/"];
    let targets = ["xnnpack", "portable", "cortex-m4", "tosa-int", "host-c"];
    for (target, output) in targets.into_iter().zip(outputs) {
        let made = folder.kiln(&["compile", &archive, "-o", output, "--target", target]);
        assert!(made.status.success(), "{made:?}");
        let run = |golden: &str| {
            let done = folder.kiln(&["run", output, "--expect", golden, "--json"]);
            let report: Value = serde_json::from_slice(&done.stdout).unwrap();
            (done.status.code(), report["outputs"][0]["rule"].clone())
        };
        let right = format!("{own}.safetensors");
        assert_eq!(run(&right), (Some(0), "within one step".into()), "{target}");
        assert_eq!(run("wrong.safetensors").0, Some(3), "{target}");
    }
}

/// Plain bytes share the memory of quantised ones, which others read after a write to the plain ones.
#[test]
fn bytes_that_are_written_over_stay_what_they_were_for_others() {
    for name in ["written_over", "replaced"] {
        let folder = Folder::with("nothing", "");
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/");
        let (archive, golden) = (
            format!("{own}{name}.pt2"),
            format!("{own}{name}.safetensors"),
        );
        for target in ["xnnpack", "portable"] {
            let made = folder.kiln(&["compile", &archive, "-o", "m.pte", "--target", target]);
            assert!(made.status.success(), "{made:?}");
            let stock = STOCK_RUNTIME.find().map(|_| "executorch");
            for runtime in ["builtin"].into_iter().chain(stock) {
                let run = ["run", "m.pte", "--expect", &golden, "--runtime", runtime];
                let done = folder.kiln(&run);
                assert!(
                    done.status.success(),
                    "{name} {target} on {runtime}: {done:?}"
                );
            }
        }
    }
}

/// Layers that a model unpacks and scales by hand keep their integers; pieces that are rounded in several ways, and a border of rounded
/// numbers, stay one delegate each.
#[test]
fn integers_that_models_handle_themselves_stay_integers() {
    for (name, most_bytes) in [("by_hand", 20_000), ("pieces", 8_000)] {
        let folder = Folder::with("nothing", "");
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/");
        let (archive, golden) = (
            format!("{own}{name}.pt2"),
            format!("{own}{name}.safetensors"),
        );
        let made = folder.kiln(&["compile", &archive, "-o", "m.pte", "--max-delegates", "1"]);
        assert!(made.status.success(), "{name}: {made:?}");
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(!said.contains("warning"), "{name}: {said}");
        let bytes = std::fs::metadata(folder.path("m.pte")).unwrap().len();
        assert!(bytes <= most_bytes, "{name}: {bytes} bytes");
        let stock = STOCK_RUNTIME.find().map(|_| "executorch");
        for runtime in ["builtin"].into_iter().chain(stock) {
            let run = ["run", "m.pte", "--expect", &golden, "--runtime", runtime];
            let done = folder.kiln(&run);
            assert!(done.status.success(), "{name} on {runtime}: {done:?}");
        }
    }
}

/// Where nothing is quantised, an input that is dequantised makes no quantised model.
#[test]
fn a_model_of_floats_may_dequantise_its_input() {
    let folder = Folder::with("nothing", "");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/camera");
    let (archive, golden) = (format!("{own}.pt2"), format!("{own}.safetensors"));
    let compile = ["compile", &archive, "-o", "m.pte"];
    let options: [&[&str]; 3] = [
        &[],
        &["--precision", "f16"],
        &["--quantize", "int8-dynamic"],
    ];
    for options in options {
        let made = folder.kiln(&[&compile[..], options].concat());
        assert!(made.status.success(), "{made:?}");
    }
    let made = folder.kiln(&compile);
    assert!(made.status.success(), "{made:?}");
    let done = folder.kiln(&["run", "m.pte", "--expect", &golden, "--json"]);
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(report["outputs"][0]["rule"], "at least 80 dB");
}

/// Layers round to integers, so 80 dB would ask for the same roundings in all of them.
#[test]
fn layers_of_integers_have_a_verdict_of_their_own() {
    let folder = Folder::with("nothing", "");
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/mobilenet_v3_small"
    );
    let (archive, golden) = (format!("{model}.pt2"), format!("{model}.safetensors"));
    let samples = ["--quantize", "int8", "--samples", &golden];
    for (output, rule) in [("m.pte", "at least 20 dB"), ("m/", "within one step")] {
        let target = if output == "m/" { "host-c" } else { "xnnpack" };
        let compile = ["compile", &archive, "-o", output, "--target", target];
        let made = folder.kiln(&[&compile[..], &samples].concat());
        assert!(made.status.success(), "{made:?}");
        // The floats of the model are those that the samples round.
        let done = folder.kiln(&["run", output, "--expect", &golden, "--json"]);
        let report: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(report["computes_in_integers"], true);
        let decided = report["outputs"][0]["rule"].as_str().unwrap();
        assert!(decided.starts_with(rule), "{output}: {decided}");
    }
    let floats = folder.kiln(&["compile", &archive, "-o", "f.pte"]);
    assert!(floats.status.success(), "{floats:?}");
    let done = folder.kiln(&["run", "f.pte", "--expect", &golden, "--json"]);
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(report["computes_in_integers"], false);
}

/// Rows are quantised while running, so 80 dB would ask for the same ties.
#[test]
fn layers_that_quantise_while_running_have_a_verdict_of_their_own() {
    let folder = Folder::with("nothing", "");
    let made = folder.kiln(&["compile", SCALED, "-o", "m.pte"]);
    assert!(made.status.success(), "{made:?}");
    let golden = SCALED.replace(".pt2", ".safetensors");
    let done = folder.kiln(&["run", "m.pte", "--expect", &golden, "--json"]);
    assert!(done.status.success(), "{done:?}");
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(report["quantises_while_running"], true);
    let decided = report["outputs"][0]["rule"].as_str().unwrap();
    assert_eq!(decided, "at least 20 dB");

    // With `--strict-nan` rows are quantised by operators of floats, whose ties fall otherwise too.
    let made = folder.kiln(&["compile", SCALED, "-o", "s.pte", "--strict-nan"]);
    assert!(made.status.success(), "{made:?}");
    let done = folder.kiln(&["run", "s.pte", "--expect", &golden, "--json"]);
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(report["computes_in_integers"], true);
    let decided = report["outputs"][0]["rule"].as_str().unwrap();
    assert!(decided.contains("20 dB"), "{decided}");

    // Another input gives other values.
    let other = folder.kiln(&["run", "m.pte", "--outputs", "other.safetensors"]);
    assert!(other.status.success(), "{other:?}");
    let expect = ["--inputs", &golden, "--expect", "other.safetensors"];
    let wrong = folder.kiln(&[&["run", "m.pte"][..], &expect].concat());
    assert_eq!(wrong.status.code(), Some(3), "{wrong:?}");
}

/// A rounding in the delegate.
const ROUNDED: &str = r#"graph "forward" {
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, 4]) {
    %1: f32[3, 4] = unary %0 {f=square}
    %2: f32[3, 4] = unary OPERAND {f=round}
    %3: f32[3, 4] = unary %2 {f=clamp[-8, 7]}
    return %3
  }
}
"#;

/// Computed numbers that are rounded to 16 bits, which a delegate holds as integers of 32 bits.
const WIDE: &str = r#"graph "forward" {
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, 4]) {
    %1: f32[3, 4] = unary %0 {f=square}
    %2: i16[3, 4] as (per_tensor 0.001 0 in [-32768, 32767]) = quantize %1 {quant=per_tensor 0.001 0 in [-32768, 32767], dtype=i16}
    %3: f32[3, 4] = dequantize %2 {dtype=f32}
    %4: f32[3, 4] = unary %3 {f=abs}
    return %4
  }
}
"#;

/// Computed numbers that are rounded to whole ones may be beside a tie.
#[test]
fn verdicts_of_rounded_numbers_allow_for_ties() {
    let rounded = |operand| ROUNDED.replace("OPERAND", operand);
    let cases = [
        (rounded("%1"), true),
        (rounded("%0"), false),
        (WIDE.into(), true),
    ];
    for (text, is_computed) in cases {
        let folder = Folder::with("m.kiln", &text);
        let made = folder.kiln(&["compile", "m.kiln", "-o", "m.pte"]);
        assert!(made.status.success(), "{made:?}");
        for model in ["m.pte", "m.kiln"] {
            let done = folder.kiln(&["run", model, "--json"]);
            let report: Value = serde_json::from_slice(&done.stdout).unwrap();
            assert_eq!(
                report["computes_in_integers"], is_computed,
                "{text}, {model}"
            );
        }
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
    assert_eq!(relu["why_floats"], "it is not quantised");
    assert!(texts(&report["warnings"]).is_empty(), "{report}");
    let text = folder.kiln(&["explain", SUBCLASSES]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("rows of i8 x i4 by channel -> f32: 1 node"),
        "{text}"
    );
}

/// Two layers whose bytes are cast, and whose scales are behind the products, as torchao's weight-only configuration has them.
fn cast_weights() -> String {
    let list = |count: usize| {
        let all = (0..count).map(|i| ((i * 37) % 101).to_string());
        all.collect::<Vec<_>>().join(", ")
    };
    let layer = |at: usize, x: usize, [inner, outer]: [usize; 2], source: &str| {
        format!(
            "    %{at}: i8[{inner}, {outer}] = constant {{value=c{}}}
    %{}: f32[{inner}, {outer}] = cast %{at} {{to=f32}}
    %{}: f32[2, {outer}] = matmul %{x}, %{} {{}} @ {source}
    %{}: f32[1, {outer}] = constant {{value=c{}}}
    %{}: f32[2, {outer}] = binary %{}, %{} {{f=mul}}\n",
            (at - 1) / 5 * 2,
            at + 1,
            at + 2,
            at + 1,
            at + 3,
            (at - 1) / 5 * 2 + 1,
            at + 4,
            at + 2,
            at + 3
        )
    };
    let [first, second] = [layer(1, 0, [256, 128], "l0"), layer(6, 5, [128, 8], "l1")];
    format!(
        r#"graph "forward" {{
  constant c0 "a" i8[256, 128] = [{}]
  constant c1 "a.scale" f32[1, 128] = splat 0.5
  constant c2 "b" i8[128, 8] = [{}]
  constant c3 "b.scale" f32[1, 8] = splat 0.25
  input tensor "x" [0, 1]
  output tensor
  source l0 "mm" "aten.mm.default" "a" ""
  source l1 "mm_1" "aten.mm.default" "b" ""
  block b0 (%0 "x": f32[2, 256]) {{
{first}{second}    return %10
  }}
}}
"#,
        list(256 * 128),
        list(128 * 8)
    )
}

/// A target without layers of floats and integers: small weights are floats of the file, large ones become floats at every run. Both
/// are named, and no cause is that of an archive that was decomposed.
#[test]
fn weights_that_a_target_takes_as_floats_are_all_named() {
    let folder = Folder::with("m.kiln", &cast_weights());
    for target in ["portable", "tosa-int", "cortex-m4"] {
        let report = report_for(&folder, "m.kiln", target);
        let said = texts(&report["warnings"]).join("\n");
        for part in [
            "the weights of 1 layer (mm) are integers that become floats at every run: the target computes this in floats",
            "the weights of 1 layer (mm_1) are quantised, but floats in the program, 4096 bytes in place of 1024: the target",
        ] {
            assert!(said.contains(part), "{target}: no {part:?} in {said}");
        }
        assert!(!said.contains("run_decompositions"), "{target}: {said}");
    }
    let report = report(&folder, "m.kiln");
    assert!(texts(&report["warnings"]).is_empty(), "{report}");
}

/// A product with the transposed reals of weights in groups has the cause of a layer with these weights.
#[test]
fn turned_weights_that_become_floats_are_warned_of() {
    let turned = GROUPS
        .replace("aten.linear.default", "aten.mm.default")
        .replace(
            "    %3: f32[3, 1] = linear %0, %2 {} @ l0\n    return %3",
            "    %3: f32[64, 1] = move %2 {movement=(a:1 b:64 -> b a)} @ l0
    %4: f32[3, 1] = matmul %0, %3 {} @ l0
    return %4",
        );
    let folder = Folder::with("m.kiln", &turned);
    let report = report(&folder, "m.kiln");
    let warnings = texts(&report["warnings"]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("1 layer (head)"), "{warnings:?}");
    assert!(warnings[0].contains("groups of 8"), "{warnings:?}");
}

/// Calls of one layer, such as the steps of a recurrent one, are one layer, and its weight counts once.
#[test]
fn calls_with_one_weight_are_one_layer() {
    let twice = GROUPS
        .replace(
            "  block b0",
            "  source l1 \"head_1\" \"aten.linear.default\" \"head\" \"\"\n  block b0",
        )
        .replace(
            "    return %3",
            "    %4: f32[3, 64] = unary %0 {f=exp} @ l1
    %5: f32[3, 1] = linear %4, %2 {} @ l1
    %6: f32[3, 1] = binary %3, %5 {f=add}
    return %6",
        );
    let folder = Folder::with("m.kiln", &twice);
    let report = report(&folder, "m.kiln");
    let warnings = texts(&report["warnings"]);
    let said = "the weights of 1 layer (head/head_1) are quantised, but floats in the program, 128 bytes in place of 32:";
    assert!(
        warnings.len() == 1 && warnings[0].starts_with(said),
        "{warnings:?}"
    );
}

/// XNNPACK rounds rows to 8 bits only: rows of 7 bits are rounded in front, and the weights stay integers.
#[test]
fn rows_of_fewer_levels_are_rounded_in_front() {
    let model = WHOLE
        .replace("AXES", "1")
        .replace("in [-128, 127] eps", "in [-64, 63] eps");
    let folder = Folder::with("m.kiln", &model);
    let report = report(&folder, "m.kiln");
    assert_eq!(numbers(&report, "dequantised")[0].0, "f32 x i8", "{report}");
}

/// Zero points that are no integers are the archive's, and no type's: the warning says so.
#[test]
fn weights_with_other_parameters_are_warned_of() {
    let folder = Folder::with("nothing", "");
    let report = report(&folder, COMPUTED);
    let warnings = texts(&report["warnings"]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for part in [
        "(linear_1)",
        "512 bytes in place of 128",
        "whole zero points",
    ] {
        assert!(warnings[0].contains(part), "no {part:?} in {warnings:?}");
    }
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
        "1 layer (head)",
        // Scales that are powers of two leave weights that f16 holds.
        "128 bytes in place of 32",
        "groups of 8",
        "quantise weights by channel, or in groups of 16 or more",
    ] {
        assert!(warning.contains(part), "no {part:?} in {warning}");
    }
    let [(computes, why)] = numbers(&report, "linear")[..] else {
        panic!("{report}")
    };
    assert_eq!(computes, "f32");
    assert!(why.as_str().unwrap().contains("groups of 8"), "{why}");
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

#[test]
fn images_with_parameters_of_their_own_are_noted() {
    let conv = "stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]";
    for (batch, width, is_finer) in [
        ("2", 2, true),
        ("1", 2, false),
        ("2", 1, true),
        ("1", 1, true),
    ] {
        let columns = (5 - width).to_string();
        let model = IMAGES.replace("BATCH", batch).replace("CONV", conv);
        let model = model
            .replace("WIDTH", &width.to_string())
            .replace("COLUMNS", &columns);
        let report = report(&Folder::with("m.kiln", &model), "m.kiln");
        let notes = texts(&report["notes"]);
        assert_eq!(notes.len(), usize::from(is_finer), "{notes:?}");
        let layers = numbers(&report, "dequantised");
        let parts = if width == 1 { "places" } else { "images" };
        assert_eq!(
            layers[0].0,
            format!("{parts} of i8 x i8 by channel -> f32").as_str()
        );
    }
}

/// The same weights in groups of 32, behind an input that is quantised while running: XNNPACK has that layer, with scales of bf16.
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
            &model.replace(SHORT, &format!("per_group 32 [0.5, {scale}] [0, 0]")),
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

/// Kernels know no quantised types. That is a loss where what they compute is quantised again, and for weights that were packed.
#[test]
fn floats_between_integers_are_warned_of() {
    for (result, is_between) in [("%7", true), ("%5", false)] {
        let folder = Folder::with("m.kiln", &CALIBRATED.replace("RESULT", result));
        let report = report_for(&folder, "m.kiln", "portable");
        let warnings = texts(&report["warnings"]);
        let mut between = warnings
            .iter()
            .filter(|w| w.contains("what is between them computes in floats"));
        assert_eq!(between.next().is_some(), is_between, "{warnings:?}");
        let lost = "the weights of 1 layer (head) are quantised, but floats in the program, 32 bytes in place of 8: \
                    the target computes this in floats";
        assert!(warnings.contains(&lost), "{warnings:?}");
    }
}

/// The archive has integers in front of the layer, so that it is not the archive's doing where the layer computes in floats.
#[test]
fn the_cause_of_floats_is_the_targets_where_the_archive_has_integers() {
    let folder = Folder::with("m.kiln", &CALIBRATED.replace("RESULT", "%7"));
    let on_kernels = report_for(&folder, "m.kiln", "portable");
    let here = "the target computes this in floats";
    assert_eq!(
        numbers(&on_kernels, "linear"),
        [(&"f32".into(), &here.into())]
    );
    let delegated = report(&folder, "m.kiln");
    let layers = numbers(&delegated, "quantised");
    assert_eq!(layers[0], (&"i8".into(), &Value::Null), "{delegated}");
    assert!(texts(&delegated["warnings"]).is_empty(), "{delegated}");
}

#[test]
fn layers_that_keep_their_integers_are_not_declined() {
    let folder = Folder::with("m.kiln", &WHOLE.replace("AXES", "1"));
    let report = report(&folder, "m.kiln");
    let passes = report["methods"][0]["passes"].as_array().unwrap().iter();
    let fold = passes.filter(|pass| pass["name"] == "fold_quantised");
    let declined: Vec<&Value> = fold.map(|pass| &pass["declined"]).collect();
    assert_eq!(declined, [&Value::Array(Vec::new())]);
    let text = folder.kiln(&["explain", "m.kiln"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(!text.contains("Rewrites declined"), "{text}");
}

#[test]
fn the_page_has_numbers_and_causes() {
    let folder = Folder::with("m.kiln", GROUPS);
    let made = folder.kiln(&["explain", "m.kiln", "--html", "page.html"]);
    assert!(made.status.success(), "{made:?}");
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let [(computes, why)] = numbers(&data, "linear")[..] else {
        panic!("{data}")
    };
    assert_eq!(computes, "f32");
    assert!(why.as_str().unwrap().contains("groups of 8"), "{why}");
    for row in ["node.computes", "node.why_floats"] {
        assert!(page.contains(row), "the page does not show {row}");
    }
}

#[test]
fn notes_stand_beside_warnings() {
    let folder = Folder::with("m.kiln", &WHOLE.replace("AXES", "2"));
    let say = |arguments: &[&str]| {
        let output = folder.kiln(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let note = "note: 1 layer quantises its input with a scale for each row";
    for arguments in [
        &["explain", "m.kiln"][..],
        &["compile", "m.kiln", "-o", "m.pte"],
    ] {
        let said = say(arguments);
        assert!(said.contains(note), "{said}");
    }
    let quiet = say(&["explain", "m.kiln", "--quiet"]);
    assert!(!quiet.contains(note), "{quiet}");
}

/// A layer whose second channel has weights of 0, a tiny scale, and a bias that is beyond 32 bits in its steps. `ACT` and `W` are types.
const DEAD: &str = r#"graph "forward" {
  constant c0 "w" W[2, 2] as (per_channel 0 [0.5, 1e-9] [POINT, POINT] in [LOW, HIGH]) = [WEIGHTS]
  constant c1 "b" f32[2] = [0.25, 4.0]
  input tensor "x" [0, 1]
  output tensor
  source l0 "head" "aten.linear.default" "head" ""
  block b0 (%0 "x": f32[3, 2]) {
    %1: ACT[3, 2] as (per_tensor 0.125 ZERO in [LEAST, MOST]) = quantize %0 {quant=per_tensor 0.125 ZERO in [LEAST, MOST], dtype=ACT}
    %2: f32[3, 2] = dequantize %1 {dtype=f32}
    %3: W[2, 2] as (per_channel 0 [0.5, 1e-9] [POINT, POINT] in [LOW, HIGH]) = constant {value=c0}
    %4: f32[2, 2] = dequantize %3 {dtype=f32} @ l0
    %5: f32[2] = constant {value=c1}
    %6: f32[3, 2] = linear %2, %4, %5 {} @ l0
    %7: ACT[3, 2] as (per_tensor 0.125 ZERO in [LEAST, MOST]) = quantize %6 {quant=per_tensor 0.125 ZERO in [LEAST, MOST], dtype=ACT} @ l0
    %8: f32[3, 2] = dequantize %7 {dtype=f32}
    return %8
  }
}
"#;

/// Runs a graph and its programs for all targets of integers; gives the warnings.
fn on_all_targets(graph: &str) -> Vec<String> {
    let folder = Folder::with("m.kiln", graph);
    let mut golden = kiln_target::Runs::default();
    let x = [-3.0f32, 1.0, 0.5, 2.0, 4.0, -0.25];
    golden.insert(
        0,
        kiln_target::Role::Input,
        0,
        kiln_ir::TensorData::from_f32(vec![3, 2], &x),
    );
    golden.write(&folder.path("x.safetensors")).unwrap();
    let done = folder.kiln(&[
        "run",
        "m.kiln",
        "--inputs",
        "x.safetensors",
        "--outputs",
        "golden.safetensors",
    ]);
    assert!(done.status.success(), "{done:?}");
    let mut warnings = Vec::new();
    for (target, out) in [
        ("xnnpack", "m.pte"),
        ("tosa-int", "m.tosa"),
        ("host-c", "project/"),
    ] {
        let mut arguments = vec![
            "compile", "m.kiln", "--target", target, "-o", out, "--report", "r.json",
        ];
        if target != "xnnpack" {
            arguments.push("--float-io");
        }
        let done = folder.kiln(&arguments);
        assert!(done.status.success(), "{target}: {done:?}");
        let report = std::fs::read_to_string(folder.path("r.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        warnings.extend(
            texts(&report["warnings"])
                .iter()
                .map(|w| format!("{target}: {w}")),
        );
        let done = folder.kiln(&[
            "run",
            out,
            "--inputs",
            "x.safetensors",
            "--expect",
            "golden.safetensors",
        ]);
        assert!(done.status.success(), "{target}: {done:?}");
    }
    warnings
}

fn dead(act: (&str, i64, i64, i64), weight: (&str, i64, i64, i64), weights: &str) -> String {
    let number = |n: i64| n.to_string();
    DEAD.replace("WEIGHTS", weights)
        .replace("ACT", act.0)
        .replace("ZERO", &number(act.1))
        .replace("LEAST", &number(act.2))
        .replace("MOST", &number(act.3))
        .replace("POINT", &number(weight.1))
        .replace("LOW", &number(weight.2))
        .replace("HIGH", &number(weight.3))
        .replace(" W[", &format!(" {}[", weight.0))
}

#[test]
fn unsigned_bytes_and_channels_of_zeros_are_integers_everywhere() {
    let signed = dead(("i8", 3, -128, 127), ("i8", 0, -127, 127), "3, -2, 0, 0");
    assert_eq!(on_all_targets(&signed), [""; 0]);
    let unsigned = dead(
        ("u8", 131, 0, 255),
        ("u8", 128, 0, 255),
        "131, 126, 128, 128",
    );
    assert_eq!(on_all_targets(&unsigned), [""; 0]);
}

/// A bias that does not fit is no bias of integers: the layer computes in floats, and the files say so.
#[test]
fn a_bias_beyond_its_integers_is_not_limited() {
    let live = dead(("i8", 3, -128, 127), ("i8", 0, -127, 127), "3, -2, 0, 1");
    let warnings = on_all_targets(&live);
    let of = |target: &str| warnings.iter().any(|warning| warning.starts_with(target));
    assert!(of("tosa-int") && of("xnnpack"), "{warnings:?}");
}
