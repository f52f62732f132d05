//! `--target ethos-*`: the ops that run on the NPU, the kernels beside it, and the command streams of Vela.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln::compiler::{Job, compile};
use kiln::evaluator::run_graph;
use kiln::model::Model;
use kiln_ir::TensorData;
use kiln_target::{Loading, Options, Role, Runs};
use kiln_testing::corpus::Corpus;
use kiln_testing::part;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Two quantised layers with a float softmax between them.
const MODEL: &str = r#"graph "forward" {
  constant c0 "w" i8[4, 4] as (per_tensor 0.5 0 in [-127, 127]) = [1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8]
  input tensor "x" [0, 1]
  output tensor
  source l0 "softmax" "aten.softmax.int" "middle" "model.py:7 in forward: x = x.softmax(1)"
  block b0 (%0 "x": f32[3, 4]) {
    %1: i8[4, 4] as (per_tensor 0.5 0 in [-127, 127]) = constant {value=c0}
    %2: f32[4, 4] = dequantize %1 {dtype=f32}
    %3: i8[3, 4] as (per_tensor 0.25 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.25 3 in [-128, 127], dtype=i8}
    %4: f32[3, 4] = dequantize %3 {dtype=f32}
    %5: f32[3, 4] = linear %4, %2 {}
    %6: i8[3, 4] as (per_tensor 0.5 -4 in [-128, 127]) = quantize %5 {quant=per_tensor 0.5 -4 in [-128, 127], dtype=i8}
    %7: f32[3, 4] = dequantize %6 {dtype=f32}
    %8: f32[3, 4] = softmax %7 {axis=1, log=false} @ l0
    %9: i8[3, 4] as (per_tensor 0.0078125 0 in [-128, 127]) = quantize %8 {quant=per_tensor 0.0078125 0 in [-128, 127], dtype=i8}
    %10: f32[3, 4] = dequantize %9 {dtype=f32}
    %11: f32[3, 4] = linear %10, %2 {}
    %12: i8[3, 4] as (per_tensor 0.125 0 in [-128, 127]) = quantize %11 {quant=per_tensor 0.125 0 in [-128, 127], dtype=i8}
    %13: f32[3, 4] = dequantize %12 {dtype=f32}
    return %13
  }
}
"#;

/// A comparison, which a U55 cannot run.
const COMPARED: &str = r#"graph "forward" {
  input tensor "x" [0]
  input tensor "y" [0]
  output tensor
  block b0 (%0 "x": i32[5], %1 "y": i32[5]) {
    %2: bool[5] = compare %0, %1 {f=gt}
    %3: i32[5] = select %2, %0, %1 {}
    return %3
  }
}
"#;

/// 16-bit integers with a zero point, multiplied by a constant and negated.
const OFF_ZERO: &str = r#"graph "forward" {
  constant c0 "n" f32[1] = [-3.0]
  input tensor "x" [0]
  output tensor
  output tensor
  output tensor
  block b0 (%0 "x": f32[5]) {
    %1: i16[5] as (per_tensor 0.01 100 in [-32768, 32767]) = quantize %0 {quant=per_tensor 0.01 100 in [-32768, 32767], dtype=i16}
    %2: f32[5] = dequantize %1 {dtype=f32}
    %3: f32[1] = constant {value=c0}
    %4: f32[5] = binary %2, %3 {f=mul}
    %5: i16[5] as (per_tensor 0.03 0 in [-32768, 32767]) = quantize %4 {quant=per_tensor 0.03 0 in [-32768, 32767], dtype=i16}
    %6: f32[5] = dequantize %5 {dtype=f32}
    %7: f32[5] = unary %2 {f=neg}
    %8: i16[5] as (per_tensor 0.01 0 in [-32768, 32767]) = quantize %7 {quant=per_tensor 0.01 0 in [-32768, 32767], dtype=i16}
    %9: f32[5] = dequantize %8 {dtype=f32}
    %10: f32[5] = binary %2, %2 {f=mul}
    %11: i16[5] as (per_tensor 0.5 0 in [-32768, 32767]) = quantize %10 {quant=per_tensor 0.5 0 in [-32768, 32767], dtype=i16}
    %12: f32[5] = dequantize %11 {dtype=f32}
    return %6, %9, %12
  }
}
"#;

/// A transpose of 32-bit elements. A U55 runs it as one operator only if its axes are not merged.
const WORDS: &str = r#"graph "forward" {
  input tensor "x" [0, 1, 2]
  output tensor
  block b0 (%0 "x": i32[3, 128, 256]) {
    %1: i32[3, 128, 256] = unary %0 {f=abs}
    %2: i32[128, 256, 3] = move %1 {movement=(b:3 c:128 d:256 -> c d b)}
    %3: i32[128, 256, 3] = unary %2 {f=abs}
    return %3
  }
}
"#;

const FLOATS: &str = r#"graph "forward" {
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[5]) {
    %1: f32[5] = unary %0 {f=exp}
    return %1
  }
}
"#;

struct Trial(tempfile::TempDir);

impl Trial {
    fn of(model: &str) -> Trial {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::write(folder.path().join("model.kiln"), model).unwrap();
        Trial(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn kiln(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_kiln"))
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap()
    }

    fn done(&self, arguments: &[&str]) -> Output {
        let output = self.kiln(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        output
    }

    /// Compiles the program with TOSA files in place of command streams. Returns the numbers of delegates and kernel calls,
    /// and the results.
    fn stood_in(&self, core: &str, inputs: &Runs) -> (usize, usize, Runs) {
        self.stood_in_with(core, false, inputs)
    }

    /// The same, perhaps with stock kernels only beside the NPU.
    fn stood_in_with(
        &self,
        core: &str,
        stock_kernels: bool,
        inputs: &Runs,
    ) -> (usize, usize, Runs) {
        let job = Job {
            target_options: Options {
                stand_in: true,
                stock_kernels,
                ..Options::default()
            },
            ..Job::new(self.path("model.kiln"), core.parse().unwrap())
        };
        let compiled = compile(&job).unwrap();
        let figures = &compiled.methods[0].figures;
        let loading = Loading {
            poison: true,
            ..Loading::default()
        };
        let mut loaded = compiled.artifact.load("forward", &loading).unwrap();
        let outputs = loaded.run(inputs, 1, None).unwrap().results;
        let kernels = figures.kernel_call_count();
        (figures.delegates.unwrap(), kernels, outputs)
    }

    fn evaluated(&self, inputs: &Runs) -> Runs {
        let path = self.path("model.kiln");
        let graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
        run_graph(&graph, inputs, 1).unwrap()
    }
}

fn given(inputs: Vec<TensorData>) -> Runs {
    let mut runs = Runs::default();
    for (i, data) in inputs.into_iter().enumerate() {
        runs.insert(0, Role::Input, i, data);
    }
    runs
}

fn floats(runs: &Runs) -> Vec<f64> {
    let data = runs.get(0, Role::Output, 0).unwrap();
    data.scalars().map(|s| s.as_f64()).collect()
}

#[test]
fn what_the_npu_does_not_take_runs_beside_it() {
    let trial = Trial::of(MODEL);
    let numbers: Vec<f32> = (0..12).map(|i| i as f32 * 0.4 - 2.0).collect();
    let inputs = given(vec![TensorData::from_f32(vec![3, 4], &numbers)]);
    let expected = floats(&trial.evaluated(&inputs));
    // Kernels of integers, and stock ones in floats.
    for (stock, calls) in [(false, 4), (true, 5)] {
        let (delegates, kernels, outputs) = trial.stood_in_with("ethos-u55-128", stock, &inputs);
        assert_eq!((delegates, kernels), (2, calls));
        let found = floats(&outputs);
        assert_eq!(found.len(), expected.len());
        // The results differ by at most one step of the result's scale.
        for (found, expected) in found.into_iter().zip(&expected) {
            assert!((found - expected).abs() <= 0.125, "{found} for {expected}");
        }
    }
}

#[test]
fn cores_differ_in_what_they_take() {
    let trial = Trial::of(COMPARED);
    let row = |numbers: [i64; 5]| {
        let scalars = numbers.into_iter().map(kiln_ir::Scalar::Int);
        TensorData::from_scalars(kiln_ir::DType::I32, vec![5], scalars)
    };
    let inputs = given(vec![row([1, -2, 3, 40, 0]), row([2, -3, 3, 4, -9])]);
    let (on_u55, kernels, small) = trial.stood_in("ethos-u55-128", &inputs);
    assert_eq!((on_u55, kernels), (0, 2));
    let (on_u85, kernels, large) = trial.stood_in("ethos-u85-256", &inputs);
    assert_eq!((on_u85, kernels), (1, 0));
    assert_eq!(floats(&small), [2.0, -2.0, 3.0, 40.0, 0.0]);
    assert_eq!(floats(&small), floats(&large));
}

#[test]
fn wide_integers_off_zero_are_as_in_the_graph() {
    let trial = Trial::of(OFF_ZERO);
    let x = [0.5, -1.0, 2.0, 100.0, -100.0].map(kiln_ir::Scalar::Float);
    let x = TensorData::from_scalars(kiln_ir::DType::F32, vec![5], x);
    let (_, _, found) = trial.stood_in("ethos-u55-128", &given(vec![x]));
    let wanted = [
        (0.03, [-1.5, 3.0, -6.0, -300.0, 300.0]),
        (0.01, [-0.5, 1.0, -2.0, -100.0, 100.0]),
        (0.5, [0.0, 1.0, 4.0, 10_000.0, 10_000.0]),
    ];
    for (i, (step, wanted)) in wanted.into_iter().enumerate() {
        let found = found.get(0, Role::Output, i).unwrap();
        assert_eq!(found.scalars().count(), wanted.len());
        for (found, wanted) in found.scalars().map(|s| s.as_f64()).zip(wanted) {
            let distance: f64 = found - wanted;
            assert!(distance.abs() <= step, "output {i}: {found} for {wanted}");
        }
    }
}

#[test]
fn large_transposes_of_words_go_in_parts() {
    let trial = Trial::of(WORDS);
    let numbers = (0..3 * 128 * 256).map(kiln_ir::Scalar::Int);
    let x = TensorData::from_scalars(kiln_ir::DType::I32, vec![3, 128, 256], numbers);
    for core in ["ethos-u55-128", "ethos-u65-256", "ethos-u85-256"] {
        let (delegates, kernels, found) = trial.stood_in(core, &given(vec![x.clone()]));
        assert_eq!((delegates, kernels), (1, 0), "{core}");
        assert_eq!(
            floats(&found)[..4],
            [0.0, 32_768.0, 65_536.0, 1.0],
            "{core}"
        );
    }
}

#[test]
fn a_model_in_floats_is_kernels_and_says_so() {
    let trial = Trial::of(FLOATS);
    let output = trial.done(&[
        "compile",
        "model.kiln",
        "-o",
        "m.pte",
        "--target",
        "ethos-u65-256",
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("0 delegates"), "{said}");
    assert!(said.contains("no quantised activations"), "{said}");
}

#[test]
fn the_tosa_file_needs_no_vela() {
    let trial = Trial::of(MODEL);
    let output = trial.done(&[
        "compile",
        "model.kiln",
        "-o",
        "m.tosa",
        "--target",
        "ethos-u55-128",
        "--report",
        "r.json",
    ]);
    let report: Value =
        serde_json::from_slice(&std::fs::read(trial.path("r.json")).unwrap()).unwrap();
    assert_eq!(report["io"]["inputs"][0]["dtype"], "i8");
    assert_eq!(report["io"]["inputs"][0]["scale"], 0.25);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("ethos-u55-128 does not take the file"),
        "{said}"
    );
}

#[test]
fn what_a_core_does_not_take_of_a_file_is_said() {
    let place = "  source l0 \"\" \"aten.gt.Tensor\" \"\" \"model.py:9 in forward: y = x > y\"\n";
    let model = COMPARED.replace("  block", &format!("{place}  block"));
    let trial = Trial::of(&model.replace("{f=gt}", "{f=gt} @ l0"));
    let warned = |core: &str| {
        let output = trial.done(&["compile", "model.kiln", "-o", "m.tosa", "--target", core]);
        String::from_utf8(output.stderr).unwrap()
    };
    let said = warned("ethos-u55-128");
    assert!(
        said.contains("model.py:9") && said.contains("has no bools"),
        "{said}"
    );
    let said = warned("ethos-u85-256");
    assert!(!said.contains("does not take"), "{said}");
}

/// A Vela process that would not end is ended together with kiln, and leaves no file.
#[cfg(unix)]
#[test]
fn a_signal_ends_vela_too() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::ExitStatusExt;
    let trial = Trial::of(MODEL);
    let script = "#!/bin/sh\necho $$ > started.part\nmv started.part started\nexec sleep 600\n";
    std::fs::write(trial.path("vela"), script).unwrap();
    let may_run = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(trial.path("vela"), may_run).unwrap();
    std::fs::create_dir(trial.path("tmp")).unwrap();
    let mut kiln = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args([
            "compile",
            "model.kiln",
            "-o",
            "m.pte",
            "--target",
            "ethos-u55-128",
            "-q",
        ])
        .current_dir(trial.0.path())
        .env("KILN_VELA", trial.path("vela"))
        .env("TMPDIR", trial.path("tmp"))
        .spawn()
        .unwrap();
    let patience = std::time::Duration::from_millis(20);
    while !trial.path("started").exists() {
        assert_eq!(kiln.try_wait().unwrap(), None);
        std::thread::sleep(patience);
    }
    let vela = std::fs::read_to_string(trial.path("started")).unwrap();
    let kill = |arguments: &[&str]| Command::new("kill").args(arguments).output().unwrap();
    assert!(kill(&["-0", vela.trim()]).status.success());
    kill(&["-TERM", &kiln.id().to_string()]);
    assert_eq!(kiln.wait().unwrap().signal(), Some(15));
    assert!(
        !kill(&["-0", vela.trim()]).status.success(),
        "{vela} lives on"
    );
    assert_eq!(std::fs::read_dir(trial.path("tmp")).unwrap().count(), 0);
}

/// What Vela says stands below the file and what was done.
#[cfg(unix)]
#[test]
fn what_vela_says_stands_below_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let trial = Trial::of(MODEL);
    let script = "#!/bin/sh\necho one thing >&2\necho and another\nexit 1\n";
    std::fs::write(trial.path("vela"), script).unwrap();
    let may_run = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(trial.path("vela"), may_run).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(["compile", "model.kiln", "-o", "m.pte"])
        .args(["--target", "ethos-u55-128"])
        .current_dir(trial.0.path())
        .env("KILN_VELA", trial.path("vela"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: model.kiln: "), "{said}");
    assert!(said.contains("Vela makes no command stream"), "{said}");
    assert!(said.contains("\n  one thing\n  and another"), "{said}");
    assert!(!trial.path("m.pte").exists());
}

#[test]
fn a_vela_that_is_not_there_is_said() {
    let trial = Trial::of(MODEL);
    let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args([
            "compile",
            "model.kiln",
            "-o",
            "m.pte",
            "--target",
            "ethos-u55-128",
        ])
        .current_dir(trial.0.path())
        .env("KILN_VELA", "no/such/vela")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no/such/vela"), "{said}");
    assert!(!trial.path("m.pte").exists());
}

#[test]
fn reasons_need_no_vela() {
    let trial = Trial::of(COMPARED);
    let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(["explain", "model.kiln", "--target", "ethos-u55-64"])
        .current_dir(trial.0.path())
        .env_remove("KILN_VELA")
        .env("PATH", "")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("Ethos-U55 has no bools"), "{text}");
}

/// Vela compiles a model for three families. Two compilations give the same program.
#[test]
fn vela_makes_programs_of_a_model() {
    if part::VELA.find().is_none() {
        return;
    }
    let suite = Corpus::open().unwrap().suite("quantised_small").unwrap();
    let model = suite.case("mobilenet_v1_025_q").unwrap().file("pt2");
    let trial = Trial::of(MODEL);
    for core in ["ethos-u55-128", "ethos-u65-256", "ethos-u85-256"] {
        let files = ["a.pte", "b.pte"].map(|name| {
            let arguments = ["-o", name, "--target", core, "--report", "r.json"];
            let model = model.to_str().unwrap();
            trial.done(&[&["compile", model][..], &arguments].concat());
            std::fs::read(trial.path(name)).unwrap()
        });
        assert_eq!(files[0], files[1], "{core}");
        let described = trial.done(&["inspect", "a.pte", "--json"]).stdout;
        let described: Value = serde_json::from_slice(&described).unwrap();
        let delegate = &described["methods"][0]["delegates"][0];
        assert_eq!(delegate["backend"], "EthosUBackend");
        assert!(delegate["commands"].as_u64() > Some(100), "{delegate}");
        assert!(
            delegate["scratch_bytes"].as_u64() > Some(1000),
            "{delegate}"
        );
        let report: Value =
            serde_json::from_slice(&std::fs::read(trial.path("r.json")).unwrap()).unwrap();
        assert_eq!(report["io"]["inputs"][0]["dtype"], "f32");
        assert_eq!(report["methods"][0]["delegates"], 1);
        let scratch = report["methods"][0]["scratch_bytes"].as_u64();
        assert_eq!(scratch, delegate["scratch_bytes"].as_u64());
        let run = trial.kiln(&["run", "a.pte"]);
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(said.contains("runs on that NPU only"), "{said}");
    }
}
