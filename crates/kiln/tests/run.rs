//! `kiln run`: its comparisons, its refusals and its messages.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder as Trial;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_target::{Role, Runs};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A model whose inputs are the constant 3, `x` and None, and whose results are None, `x + 1` and 7.
const MODEL: &str = r#"graph "forward" {
  constant c0 "one" f32[1, 1] = splat 1
  input scalar 3
  input tensor "x" [0, 1]
  input none
  output none
  output tensor
  output scalar 7
  block b0 (%0 "x": f32[2, 3]) {
    %1: f32[1, 1] = constant {value=c0}
    %2: f32[2, 3] = binary %0, %1 {f=add}
    return %2
  }
}
"#;

impl Trial {
    /// A folder with the model, its program and its TOSA file.
    fn new() -> Trial {
        let trial = Trial::with("m.kiln", MODEL);
        for file in [["m.pte", "xnnpack"], ["m.tosa", "tosa-fp"]] {
            let made = trial.kiln(&["compile", "m.kiln", "-o", file[0], "--target", file[1]]);
            assert!(made.status.success(), "{made:?}");
        }
        trial
    }

    /// The exit status and the text on stderr.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.kiln(&[&["run"], arguments].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), stderr)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.kiln(&[&["run"], arguments, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn write(&self, name: &str, tensors: &[(Role, usize, TensorData)]) {
        let mut runs = Runs::default();
        for (role, i, data) in tensors {
            runs.insert(0, *role, *i, data.clone());
        }
        runs.write(&self.path(name)).unwrap();
    }
}

const EXECUTED: [&str; 3] = ["m.kiln", "m.pte", "m.tosa"];

fn ones(value: f32) -> TensorData {
    TensorData::from_f32(vec![2, 3], &[value; 6])
}

fn int(value: i64) -> TensorData {
    TensorData::scalar(DType::I64, Scalar::Int(value))
}

fn whole() -> Vec<(Role, usize, TensorData)> {
    vec![
        (Role::Input, 0, int(3)),
        (Role::Input, 1, ones(2.0)),
        (Role::Output, 1, ones(3.0)),
        (Role::Output, 2, int(7)),
    ]
}

#[test]
fn outputs_keep_their_index_where_others_are_none() {
    let trial = Trial::new();
    trial.write("golden.safetensors", &whole());
    for file in EXECUTED {
        let (status, said) = trial.run(&[file, "--expect", "golden.safetensors"]);
        assert_eq!(status, Some(0), "{file}: {said}");
        assert!(said.contains("run 0 output 1: ok, equal"), "{file}: {said}");
        let arguments = [
            "--inputs",
            "golden.safetensors",
            "--outputs",
            "out.safetensors",
        ];
        let (status, said) = trial.run(&[&[file], &arguments[..]].concat());
        assert_eq!(status, Some(0), "{file}: {said}");
        let out = Runs::read(&trial.path("out.safetensors")).unwrap();
        assert_eq!(out.get(0, Role::Output, 1), Some(&ones(3.0)), "{file}");
        assert_eq!(out.all(Role::InputAfter).count(), 0, "{file}");
    }
    let report = trial.path("r.json");
    let report = report.to_str().unwrap();
    trial.kiln(&[
        "compile", "m.kiln", "-o", "n.tosa", "--target", "tosa-fp", "--report", report,
    ]);
    let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(report["io"]["inputs"][0]["index"], 1);
    assert_eq!(report["io"]["outputs"][0]["index"], 1);
    let inspected = trial.kiln(&["inspect", "m.kiln", "--json"]).stdout;
    let inspected: Value = serde_json::from_slice(&inspected).unwrap();
    assert_eq!(inspected["outputs"].as_array().unwrap().len(), 3);
    assert_eq!(inspected["outputs"][0], Value::Null);
}

#[test]
fn nothing_compared_is_a_failure() {
    let trial = Trial::new();
    let all = whole();
    trial.write("inputs.safetensors", &all[..2]);
    trial.write("part.safetensors", &[&all[..2], &all[3..]].concat());
    for file in EXECUTED {
        for (golden, reason) in [
            ("inputs.safetensors", "has no outputs to compare with"),
            ("part.safetensors", "0.out.1"),
        ] {
            let (status, said) = trial.run(&[file, "--expect", golden]);
            assert_eq!(status, Some(1), "{file} {golden}: {said}");
            assert!(said.contains(reason), "{file} {golden}: {said}");
        }
    }
    assert_eq!(
        trial.json(&["m.pte", "--expect", "part.safetensors"])["ok"],
        false
    );
}

#[test]
fn other_values_have_a_status_of_their_own() {
    let trial = Trial::new();
    let mut other = whole();
    other[2].2 = ones(4.0);
    trial.write("other.safetensors", &other);
    for file in EXECUTED {
        let (status, said) = trial.run(&[file, "--expect", "other.safetensors"]);
        assert_eq!(status, Some(3), "{file}: {said}");
        assert!(
            said.contains("differs from other.safetensors"),
            "{file}: {said}"
        );
    }
    let found = trial.json(&["m.pte", "--expect", "other.safetensors"]);
    let rules: Vec<&Value> = found["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| &o["rule"])
        .collect();
    assert!(rules.iter().all(|rule| rule.is_string()), "{rules:?}");
}

#[test]
fn tensors_of_other_names_are_refused_and_of_other_roles_told() {
    let trial = Trial::new();
    trial.write("golden.safetensors", &whole());
    let good = std::fs::read(trial.path("golden.safetensors")).unwrap();
    let text = String::from_utf8_lossy(&good[8..]).into_owned();
    assert!(text.contains("0.out.1"));
    let renamed = |to: &[u8; 7]| {
        let mut bytes = good.clone();
        let at = good.windows(7).position(|w| w == b"0.out.1").unwrap();
        bytes[at..at + 7].copy_from_slice(to);
        std::fs::write(trial.path("named.safetensors"), bytes).unwrap();
        trial.run(&["m.pte", "--expect", "named.safetensors"])
    };
    for name in [b"run0out", b"0.out.x", b"00out.1", b"0.out01"] {
        let (status, said) = renamed(name);
        let name = String::from_utf8_lossy(name);
        assert_eq!(status, Some(1), "{name}: {said}");
        assert!(said.contains(&format!("{name:?}")), "{name}: {said}");
    }
    let (status, said) = renamed(b"0.our.1");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("not compared: 0.our.1"), "{said}");
    let (status, said) = renamed(b"5.out.1");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("run 1 has none"), "{said}");
}

#[test]
fn another_number_than_the_frozen_one_is_refused() {
    let trial = Trial::new();
    let mut other = whole();
    other[0].2 = int(4);
    trial.write("other.safetensors", &other);
    trial.write("none.safetensors", &whole()[1..]);
    trial.write(
        "more.safetensors",
        &[whole(), vec![(Role::Input, 5, int(1))]].concat(),
    );
    for file in ["m.kiln", "m.pte"] {
        let (status, said) = trial.run(&[file, "--expect", "other.safetensors"]);
        assert_eq!(status, Some(1), "{file}: {said}");
        assert!(said.contains("input 0 was frozen as 3"), "{file}: {said}");
        assert!(said.contains("found 4"), "{file}: {said}");
        let (status, said) = trial.run(&[file, "--expect", "none.safetensors"]);
        assert_eq!(status, Some(0), "{file}: {said}");
        let (status, said) = trial.run(&[file, "--expect", "more.safetensors"]);
        assert_eq!(status, Some(1), "{file}: {said}");
        assert!(said.contains("0.in.5"), "{file}: {said}");
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused_with_those_that_do() {
    let trial = Trial::new();
    let wide = TensorData::from_f32(vec![2, 4], &[1.0; 8]);
    trial.write("wide.safetensors", &[(Role::Input, 1, wide)]);
    trial.write("int.safetensors", &[(Role::Input, 1, int(1))]);
    trial.write("none.safetensors", &[(Role::Input, 0, int(3))]);
    for (file, fault) in [
        ("wide", "found sizes [2, 4], expected [2, 3]"),
        ("int", "found i64, expected f32"),
        ("none", "run 0 has no tensor 0.in.1"),
    ] {
        let file = format!("{file}.safetensors");
        for (model, runtime) in [
            ("m.kiln", "builtin"),
            ("m.pte", "builtin"),
            ("m.pte", "executorch"),
        ] {
            let (status, said) = trial.run(&[model, "--inputs", &file, "--runtime", runtime]);
            assert_eq!(status, Some(1), "{model} on {runtime}: {said}");
            let is_named = model != "m.kiln" || said.contains("input 1 (x)");
            assert!(is_named, "{said}");
            assert!(said.starts_with(&format!("error: {file}: ")), "{said}");
            assert!(said.contains("0.in.1") && said.contains(fault), "{said}");
        }
    }
    let (_, said) = trial.run(&["m.tosa", "--inputs", "wide.safetensors"]);
    assert!(said.contains("wide.safetensors"), "{said}");
}

/// A model that quantises its input at once, so that a file of integers takes integers.
const QUANTISED: &str = r#"graph "forward" {
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[2, 3]) {
    %1: i8[2, 3] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
    %2: f32[2, 3] = dequantize %1 {dtype=f32}
    return %2
  }
}
"#;

#[test]
fn floats_for_a_file_of_integers_are_refused_with_the_remedy() {
    let trial = Trial::with("q.kiln", QUANTISED);
    let x = TensorData::from_f32(vec![2, 3], &[1.0; 6]);
    trial.write("x.safetensors", &[(Role::Input, 0, x)]);
    let compiled = ["compile", "q.kiln", "-o", "q.tosa", "--target", "tosa-int"];
    let inputs = ["q.tosa", "--inputs", "x.safetensors"];
    assert!(trial.kiln(&compiled).status.success());
    let (status, said) = trial.run(&inputs);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("--float-io"), "{said}");
    let floats = [&compiled[..], &["--float-io"]].concat();
    assert!(trial.kiln(&floats).status.success());
    let (status, said) = trial.run(&inputs);
    assert_eq!(status, Some(0), "{said}");

    // Images are channels last in the file.
    assert!(trial.kiln(&compiled).status.success());
    let turned = TensorData::from_f32(vec![3, 2], &[1.0; 6]);
    trial.write("x.safetensors", &[(Role::Input, 0, turned)]);
    let (status, said) = trial.run(&inputs);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("dim_order") && said.contains("--float-io"),
        "{said}"
    );
}

/// A model whose first op clamps what it kept.
const CLAMPED_STATE: &str = r#"graph "forward" {
  constant c0 "kept" f32[2] = [0.5, 2.0]
  state m0 "kept" f32[2] = c0
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[2]) {
    %1: f32[2] = read_state {cell=m0}
    %2: f32[2] = unary %1 {f=clamp[1.0, none]}
    return %2
  }
  update m0 = %0
}
"#;

#[test]
fn a_clamp_of_state_has_no_layer_to_fuse_into() {
    let trial = Trial::with("s.kiln", CLAMPED_STATE);
    let tensor = |values: &[f32]| TensorData::from_f32(vec![2], values);
    let golden = [
        (Role::Input, 0, tensor(&[0.0, 3.0])),
        (Role::Output, 0, tensor(&[1.0, 2.0])),
    ];
    trial.write("golden.safetensors", &golden);
    let compiled = trial.kiln(&["compile", "s.kiln", "-o", "s.pte"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let (status, said) = trial.run(&["s.pte", "--expect", "golden.safetensors"]);
    assert_eq!(status, Some(0), "{said}");
}

/// A maximum of a number that is known to be none of NaN, and of a constant with more elements.
const LARGER_BOUND: &str = r#"graph "forward" {
  constant c0 "floor" f32[2, 3] = splat 0.5
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": i8[1, 1] as (per_tensor 0.25 0 in [-128, 127])) {
    %1: f32[1, 1] = dequantize %0 {dtype=f32}
    %2: f32[2, 3] = constant {value=c0}
    %3: f32[2, 3] = binary %2, %1 {f=max}
    return %3
  }
}
"#;

#[test]
fn a_maximum_with_a_larger_constant_has_its_sizes() {
    let trial = Trial::with("s.kiln", LARGER_BOUND);
    let golden = [
        (
            Role::Input,
            0,
            TensorData::splat(DType::I8, vec![1, 1], Scalar::Int(4)),
        ),
        (Role::Output, 0, TensorData::from_f32(vec![2, 3], &[1.0; 6])),
    ];
    trial.write("golden.safetensors", &golden);
    let compiled = trial.kiln(&["compile", "s.kiln", "-o", "s.pte"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let (status, said) = trial.run(&["s.pte", "--expect", "golden.safetensors"]);
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn wrong_usage_has_its_own_status() {
    let trial = Trial::new();
    trial.write("golden.safetensors", &whole());
    for arguments in [
        &["m.kiln", "--method", "other"][..],
        &["m.pte", "--threads", "0"],
        &["m.pte", "--repeat", "0"],
        &["m.pte", "--rtol", "0.1"],
        &["m.pte", "--expect", "golden.safetensors", "--rtol", "nan"],
        &["m.pte", "--expect", "golden.safetensors", "--atol", "-1"],
    ] {
        let (status, said) = trial.run(arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {said}");
    }
    let passes = trial.kiln(&["opt", "m.kiln", "--passes", "nothing"]);
    assert_eq!(passes.status.code(), Some(2));
}

#[test]
fn every_runtime_times_the_last_run() {
    let trial = Trial::new();
    for file in EXECUTED {
        let document = trial.json(&[file, "--repeat", "3"]);
        assert_eq!(document["timing"]["repeat"], 3, "{file}");
        assert!(
            document["timing"]["median_us"].as_f64().unwrap() > 0.0,
            "{file}"
        );
        assert_eq!(document["inputs"], "random", "{file}");
    }
    let (_, said) = trial.run(&["m.pte"]);
    assert!(
        said.starts_with("1 run on the builtin runtime, of seeded random"),
        "{said}"
    );
}

/// Nothing is searched for that cannot be; the smallest set of buffers is in the document.
#[test]
fn a_capacity_below_the_live_load_is_answered_at_once() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let problem = folder.path().join("p.csv");
    std::fs::write(
        &problem,
        "id,lower,upper,size\na,0,2,64\nb,1,3,8\nc,1,4,64\n",
    )
    .unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(["plan", "--json", "--capacity", "100"])
        .arg(&problem)
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let document: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let conflict =
        serde_json::json!({"buffers": ["a", "c"], "irreducible": true, "needs": 128, "step": 1});
    assert_eq!(
        (&document["conflict"], &document["fits"]),
        (&conflict, &Value::Bool(false))
    );
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(
        said.contains("every plan takes at least 136 bytes, and the capacity is 100"),
        "{said}"
    );
}

#[test]
fn the_example_of_plan_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let help = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(["plan", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let example = help
        .lines()
        .find_map(|l| l.trim().strip_prefix("kiln plan "));
    let ran = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .arg("plan")
        .args(example.unwrap().split(' '))
        .current_dir(root)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
}

/// State that is read before it is written, in places where the importer looks for constants: integers that are dequantised, their
/// scales, rows of a table, a matrix that lies turned in memory, and the first state of a recurrent layer with large weights.
#[test]
fn state_is_never_taken_for_a_constant() {
    let states = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/archives/states");
    let archive = states.with_extension("pt2").display().to_string();
    let golden = states.with_extension("safetensors").display().to_string();
    let trial = Trial::with("m.kiln", MODEL);
    let expect = ["--expect", &golden, "--sqnr", "100"];
    for target in ["", "xnnpack", "portable", "host-c"] {
        let (made, file) = match target {
            "" => (None, archive.as_str()),
            "host-c" => (Some("c/"), "c/"),
            _ => (Some("state.pte"), "state.pte"),
        };
        if let Some(out) = made {
            let output = trial.kiln(&["compile", &archive, "--target", target, "-o", out]);
            assert!(output.status.success(), "{target}: {output:?}");
        }
        let (status, said) = trial.run(&[&[file], expect.as_slice()].concat());
        assert_eq!(status, Some(0), "{target}: {said}");
        assert!(said.contains("run 2 output 4: ok"), "{target}: {said}");
    }
}
