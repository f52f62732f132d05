//! Quantisation to 16 and 32 bits, and by channel: what targets make of integers that their operators have not.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_ir::TensorData;
use kiln_target::{Role, Runs};
use serde_json::Value;

/// A product of quantised reals.
const PRODUCT: &str = r#"graph "forward" {
  constant c0 "factor" f32[1, 1] = [FACTOR]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, 4]) {
    %1: QUANT = quantize %0 {quant=TYPE}
    %2: f32[3, 4] = dequantize %1 {dtype=f32}
    %3: f32[1, 1] = constant {value=c0}
    %4: f32[3, 4] = binary %2, %3 {f=mul}
    %5: QUANT = quantize %4 {quant=TYPE}
    %6: f32[3, 4] = dequantize %5 {dtype=f32}
    return %6
  }
}
"#;

fn product(quant: &str, dtype: &str, factor: f64) -> String {
    let ty = format!("{dtype}[3, 4] as ({quant})");
    let text = PRODUCT
        .replace("QUANT", &ty)
        .replace("TYPE", &format!("{quant}, dtype={dtype}"));
    text.replace("FACTOR", &format!("{factor:?}"))
}

/// The exit status on each target of a model beside another one, on the same inputs.
fn beside(folder: &Folder, model: &str, other: &str) -> Vec<(&'static str, Option<i32>)> {
    beside_in(folder, [model, other], &[3, 4])
}

/// The same of an input of these sizes, with 12 elements.
fn beside_in(
    folder: &Folder,
    [model, other]: [&str; 2],
    sizes: &[usize],
) -> Vec<(&'static str, Option<i32>)> {
    for (name, text) in [("m.kiln", model), ("other.kiln", other)] {
        std::fs::write(folder.path(name), text).unwrap();
    }
    let given: Vec<f32> = (0u8..12)
        .map(|at| 1.5 * (f32::from(at) * 0.77).sin())
        .collect();
    let mut inputs = Runs::default();
    inputs.insert(
        0,
        Role::Input,
        0,
        TensorData::from_f32(sizes.to_vec(), &given),
    );
    inputs.write(&folder.path("in.safetensors")).unwrap();
    let run = |file: &str, judge: &[&str]| {
        folder.kiln(&[&["run", file, "--inputs", "in.safetensors"], judge].concat())
    };
    let golden = run("other.kiln", &["--outputs", "out.safetensors"]);
    assert!(golden.status.success(), "{golden:?}");
    let targets: [(&'static str, &str, &[&str]); 4] = [
        ("xnnpack", "m.pte", &[]),
        ("portable", "p.pte", &[]),
        ("tosa-int", "m.tosa", &["--float-io"]),
        ("host-c", "m/", &["--float-io"]),
    ];
    let mut files = vec![("no target", "m.kiln")];
    for (target, output, border) in targets {
        let compile = ["compile", "m.kiln", "--target", target, "-o", output];
        let made = folder.kiln(&[&compile[..], border].concat());
        assert!(made.status.success(), "{target}: {made:?}");
        files.push((target, output));
    }
    let judged = files.into_iter().map(|(target, file)| {
        let done = run(file, &["--expect", "out.safetensors"]);
        (target, done.status.code())
    });
    judged.collect()
}

/// No float is the greatest integer of 32 bits, nor 2^24 + 1: floats beyond are limited to them all the same.
#[test]
fn bounds_that_are_no_floats_hold() {
    for [min, max] in [
        [-2_147_483_648i64, 2_147_483_647],
        [-16_777_219, 16_777_217],
    ] {
        let quant = format!("per_tensor 1e-8 0 in [{min}, {max}]");
        let folder = Folder::with("nothing", "");
        let model = product(&quant, "i32", 1.0);
        for (target, status) in beside(&folder, &model, &model) {
            assert_eq!(status, Some(0), "{target}, {max}");
        }
    }
}

/// A sum of a window in 16 bits, as integers of 8 bits whose range is greater.
const SUM: &str = r#"graph "forward" {
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": f32[1, 1, 3, 4]) {
    %1: i16[1, 1, 3, 4] as (per_tensor 0.00002 0 in [-32768, 32767]) = quantize %0 {quant=per_tensor 0.00002 0 in [-32768, 32767], dtype=i16}
    %2: i8[1, 1, 2, 2] as (per_tensor 0.02 0 in [-128, 127]) = quantised %1 {op=pool {f=avg_of_padded 1, kernel=[2, 2], stride=[1, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}, quant=per_tensor 0.02 0 in [-128, 127], dtype=i8}
    %3: f32[1, 1, 2, 2] = dequantize %2 {dtype=f32}
    return %3
  }
}
"#;

/// The sum does not saturate in the range of what is added.
#[test]
fn sums_of_windows_saturate_in_the_result_alone() {
    let folder = Folder::with("nothing", "");
    for (target, status) in beside_in(&folder, [SUM, SUM], &[1, 1, 3, 4]) {
        assert_eq!(status, Some(0), "{target}");
    }
}

/// A negation in 16 bits, whose result has one integer less than its type.
const NEGATION: &str = r#"graph "forward" {
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[3, 4]) {
    %1: i16[3, 4] as (per_tensor 0.0001 0 in [-32768, 32767]) = quantize %0 {quant=per_tensor 0.0001 0 in [-32768, 32767], dtype=i16}
    %2: i16[3, 4] as (per_tensor 0.000001 0 in [-32767, 32767]) = quantised %1 {op=unary {f=neg}, quant=per_tensor 0.000001 0 in [-32767, 32767], dtype=i16}
    return %2
  }
}
"#;

/// A table between whose entries a kernel interpolates has no integer that the result's type excludes.
#[test]
fn tables_keep_to_ranges_that_are_narrower_than_their_type() {
    let folder = Folder::with("m.kiln", NEGATION);
    let mut inputs = Runs::default();
    let given: Vec<f32> = (0u8..12).map(|at| f32::from(at) - 5.0).collect();
    inputs.insert(0, Role::Input, 0, TensorData::from_f32(vec![3, 4], &given));
    inputs.write(&folder.path("in.safetensors")).unwrap();
    for arguments in [
        &[
            "compile",
            "m.kiln",
            "--target",
            "host-c",
            "-o",
            "m/",
            "--float-io",
        ][..],
        &[
            "run",
            "m/",
            "--inputs",
            "in.safetensors",
            "--outputs",
            "out.safetensors",
        ],
    ] {
        let done = folder.kiln(arguments);
        assert!(done.status.success(), "{done:?}");
    }
    let found = Runs::read(&folder.path("out.safetensors")).unwrap();
    let found = found.get(0, Role::Output, 0).unwrap();
    let least = found.scalars().map(|s| s.as_f64()).fold(0.0, f64::min);
    // As integers, or as their reals.
    assert!(
        least == -32_767.0 || (least + 0.032_767).abs() < 1e-9,
        "{least}"
    );
}

/// Integers by channel have no operator, so a number behind them stays a product of floats: it is not quantised once more.
#[test]
fn products_by_channel_are_of_floats() {
    let quant = "per_channel 1 [0.5, 0.25, 0.125, 1.0] [0, 0, 0, 0] in [-128, 127]";
    let text = format!(
        "graph \"forward\" {{\n  constant c0 \"factor\" f32[1, 1] = [2.0]\n  input tensor \"x\" [0, 1]\n  output tensor\n  \
         block b0 (%0 \"x\": f32[3, 4]) {{\n    %1: i8[3, 4] as ({quant}) = quantize %0 {{quant={quant}, dtype=i8}}\n    \
         %2: f32[3, 4] = dequantize %1 {{dtype=f32}}\n    %3: f32[1, 1] = constant {{value=c0}}\n    \
         %4: f32[3, 4] = binary %2, %3 {{f=mul}}\n    return %4\n  }}\n}}\n"
    );
    let folder = Folder::with("m.kiln", &text);
    let made = folder.kiln(&["compile", "m.kiln", "-o", "m.pte", "--report", "m.json"]);
    assert!(made.status.success(), "{made:?}");
    let report = std::fs::read_to_string(folder.path("m.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let kernels = &report["methods"][0]["kernel_calls"];
    assert_eq!(kernels["quantized_decomposed::quantize_per_channel.out"], 1);
    let calls = kernels.as_object().unwrap().values();
    assert_eq!(calls.filter_map(Value::as_u64).sum::<u64>(), 2, "{kernels}");
}

/// The reciprocal root of squares in 16 bits, or of any numbers.
const ROOT: &str = r#"graph "forward" {
  input tensor "x" [0, 1]
  output tensor
  source l0 "root" "aten.rsqrt.default" "" ""
  block b0 (%0 "x": f32[3, 4]) {
    %1: i16[3, 4] as (QUANT) = quantize %0 {quant=QUANT, dtype=i16}
    %2: f32[3, 4] = dequantize %1 {dtype=f32}
    %3: f32[3, 4] = binary %2, %2 {f=FUNCTION}
    %4: i16[3, 4] as (QUANT) = quantize %3 {quant=QUANT, dtype=i16}
    %5: f32[3, 4] = dequantize %4 {dtype=f32}
    %6: f32[3, 4] = unary %5 {f=rsqrt} @ l0
    %7: i16[3, 4] as (QUANT) = quantize %6 {quant=QUANT, dtype=i16} @ l0
    %8: f32[3, 4] = dequantize %7 {dtype=f32}
    return %8
  }
}
"#;

/// A test for NaN divides a delegate, so it stands only where NaN may arise and matters. Reports say whose it is.
#[test]
fn nan_is_told_only_where_it_may_arise() {
    let root = ROOT.replace("QUANT", "per_tensor 0.000244140625 0 in [-32767, 32767]");
    let folder = Folder::with("nothing", "");
    let kernels = |function: &str, options: &[&str]| {
        let text = root.replace("FUNCTION", function);
        std::fs::write(folder.path("m.kiln"), text).unwrap();
        let explained = folder.kiln(&[&["explain", "m.kiln"], options].concat());
        assert!(explained.status.success(), "{explained:?}");
        let said = String::from_utf8(explained.stdout).unwrap();
        (said.contains("1 x aten::where.self_out"), said)
    };
    assert!(!kernels("mul", &[]).0);
    assert!(!kernels("add", &["--fast-nan"]).0);
    let (is_told, said) = kernels("add", &[]);
    assert!(is_told, "{said}");
    assert!(
        said.contains("or pass --fast-nan if there are no others"),
        "{said}"
    );
    assert!(!said.contains("mask of floats"), "{said}");
}

/// The target keeps 16 bits in 32, which are not the user's.
#[test]
fn sixteen_bits_are_called_so() {
    let root = ROOT.replace("QUANT", "per_tensor 0.000244140625 0 in [-32767, 32767]");
    let folder = Folder::with("m.kiln", &root.replace("FUNCTION", "mul"));
    let said = String::from_utf8(folder.kiln(&["explain", "m.kiln"]).stdout).unwrap();
    assert!(said.contains("found integers of 16 bits"), "{said}");
    assert!(!said.contains("found i32"), "{said}");
}
