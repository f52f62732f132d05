//! All files that the command writes appear together or not at all, and never replace a file that it reads.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod trial;

use std::io::Write;
use std::process::Command;
use trial::{NO_WEIGHTS, PROGRAM, Trial, archive};

fn trial() -> Trial {
    let trial = Trial::new();
    trial.write("model.pt2", &archive(PROGRAM, NO_WEIGHTS, &[]));
    trial
}

#[test]
fn no_program_without_its_report() {
    let output = ["-o", "out.pte", "--report", "nowhere/report.json"];
    let said = trial().refuses(
        &[&["compile", "model.pt2"][..], &output].concat(),
        "a report",
    );
    assert!(said.contains("nowhere/report.json"), "{said}");
}

#[test]
fn every_file_has_a_path_of_its_own() {
    let trial = trial();
    let said = trial.refuses(&["compile", "model.pt2", "-o", "./model.pt2"], "the model");
    assert!(said.contains("would replace"), "{said}");
    let twice = ["compile", "model.pt2", "-o", "out", "--report", "./out"];
    let said = trial.refuses(&twice, "one path twice");
    assert!(said.contains("-o and --report"), "{said}");
    let page = ["explain", "model.pt2", "--html", "model.pt2"];
    trial.refuses(&page, "the model");
}

/// Data goes to stdout, and all that is said to stderr.
#[test]
fn a_program_goes_to_stdout() {
    let trial = trial();
    let done = trial.kiln(&["compile", "model.pt2", "-o", "out.pte"]);
    assert!(done.status.success(), "{done:?}");
    let program = std::fs::read(trial.folder.path().join("out.pte")).unwrap();
    let done = trial.kiln(&["compile", "model.pt2", "-o", "-"]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(done.stdout, program);
    assert!(!trial.folder.path().join("-").exists());
}

#[test]
fn tensors_go_to_stdout() {
    let trial = trial();
    let done = trial.kiln(&["run", "model.pt2", "--outputs", "out.safetensors"]);
    assert!(done.status.success(), "{done:?}");
    let tensors = std::fs::read(trial.folder.path().join("out.safetensors")).unwrap();
    let done = trial.kiln(&["run", "model.pt2", "--outputs", "-"]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(done.stdout, tensors);
    assert!(!trial.folder.path().join("-").exists());
    let both = trial.kiln(&["run", "model.pt2", "--outputs", "-", "--json"]);
    assert_eq!(both.status.code(), Some(2), "{both:?}");
}

/// What stdout has already stays in front, and what has it open goes on writing there.
#[test]
fn a_program_follows_what_stdout_has() {
    let trial = trial();
    let done = trial.kiln(&["compile", "model.pt2", "-o", "out.pte"]);
    assert!(done.status.success(), "{done:?}");
    let path = |name: &str| trial.folder.path().join(name);
    let program = std::fs::read(path("out.pte")).unwrap();
    let mut stdout = std::fs::File::create(path("log")).unwrap();
    stdout.write_all(b"before").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(["compile", "model.pt2", "-o", "-", "-q"])
        .current_dir(trial.folder.path())
        .stdout(stdout.try_clone().unwrap())
        .status()
        .unwrap();
    assert!(status.success());
    stdout.write_all(b"after").unwrap();
    let expected = [b"before", &program[..], b"after"].concat();
    assert!(std::fs::read(path("log")).unwrap() == expected);
}

#[test]
fn a_bound_of_no_dim_is_refused() {
    let bound = ["compile", "model.pt2", "-o", "out.pte", "--dim", "typo=5"];
    let said = trial().refuses(&bound, "a bound of nothing");
    assert!(
        said.contains("typo=5") && said.contains("no symbolic dims"),
        "{said}"
    );
}

const BOUNDED: &str = r#"graph "forward" {
  symbol s0 in 1..=8 like 2
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[s0]) {
    %1: f32[s0] = unary %0 {f=exp}
    return %1
  }
}
"#;

#[test]
fn a_bound_beyond_the_models_own_is_said_to_change_nothing() {
    let trial = Trial::new();
    trial.write("m.kiln", BOUNDED.as_bytes());
    for (bound, is_loose) in [("s0=100", true), ("s0=8", false), ("s0=4", false)] {
        let output = trial.kiln(&["compile", "m.kiln", "-o", "m.pte", "--dim", bound]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        assert_eq!(said.contains("changes nothing"), is_loose, "{said}");
    }
}

#[test]
fn a_name_of_another_format_is_warned_of() {
    let trial = trial();
    for (output, target, is_right) in [
        ("o.tosa", "xnnpack", false),
        ("o.pte", "tosa-fp", false),
        ("o.pte", "xnnpack", true),
        ("o.tosa", "tosa-fp", true),
        ("o.bin", "tosa-fp", true),
        ("o", "xnnpack", true),
        ("o.onnx", "xnnpack", false),
        ("o.pt2", "tosa-fp", false),
    ] {
        let made = trial.kiln(&["compile", "model.pt2", "-o", output, "--target", target]);
        let said = String::from_utf8(made.stderr).unwrap();
        assert!(made.status.success(), "{said}");
        assert_eq!(!said.contains("warning: "), is_right, "{said}");
        assert_eq!(!said.contains("--target"), is_right, "{said}");
    }
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let trial = Trial::new();
    trial.write("m.pt2", b"");
    let said = trial.refuses(&["inspect", "m.pt2"], "nothing");
    assert!(said.contains("m.pt2: is empty"), "{said}");
}

/// A limit on the size of files ends the process by a signal while it writes.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_ended_while_it_writes_leaves_nothing() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/mobilenet_v3_small.pt2"
    );
    for before in ["", "older"] {
        let trial = Trial::new();
        if !before.is_empty() {
            trial.write("out.pte", before.as_bytes());
        }
        let files = trial.files();
        let limited = "ulimit -c 0 -f 50; exec \"$0\" compile \"$1\" -o out.pte";
        let ended = std::process::Command::new("bash")
            .args(["-c", limited, env!("CARGO_BIN_EXE_kiln"), model])
            .current_dir(trial.folder.path())
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), None, "{ended:?}");
        assert_eq!(trial.files(), files);
    }
}
