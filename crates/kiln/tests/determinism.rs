//! The same archives give the same program, twice and on one and on two threads. Each compilation is a process of its own,
//! in which hash maps have another seed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_testing::corpus::Corpus;
use std::path::Path;
use std::process::Command;

/// The program that `kiln compile` makes, and its report.
fn compiled(arguments: &[&str], threads: &str, folder: &Path) -> [Vec<u8>; 2] {
    let (program, report) = (folder.join("out.pte"), folder.join("report.json"));
    let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .arg("compile")
        .args(arguments)
        .arg("-o")
        .arg(&program)
        .arg("--report")
        .arg(&report)
        .arg("-q")
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    [
        std::fs::read(program).unwrap(),
        without_times(&std::fs::read_to_string(report).unwrap()),
    ]
}

/// The lines of the report without those of the passes' times.
fn without_times(report: &str) -> Vec<u8> {
    let lines = report
        .lines()
        .filter(|l| !l.trim_start().starts_with("\"ms\""));
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

fn is_one(arguments: &[&str]) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let first = compiled(arguments, "1", folder.path());
    for threads in ["1", "2"] {
        let again = compiled(arguments, threads, folder.path());
        assert!(
            first[0] == again[0],
            "{arguments:?} on {threads} threads: other bytes"
        );
        assert!(
            first[1] == again[1],
            "{arguments:?} on {threads} threads: another report"
        );
    }
}

fn own_model() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/mobilenet_v3_small.pt2"
    );
    path.to_owned()
}

/// Models of several kinds.
fn corpus_models() -> Vec<String> {
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let names = [
        "bert_l4_h256",
        "gru_tagger",
        "swin_tiny_like",
        "unet_small",
        "yolo_like",
    ];
    let paths = names.map(|name| suite.case(name).unwrap().file("pt2"));
    paths.map(|p| p.to_str().unwrap().to_owned()).into()
}

#[test]
fn delegates_are_the_same_bytes() {
    for model in corpus_models().into_iter().chain([own_model()]) {
        is_one(&[&model]);
    }
}

#[test]
fn kernels_are_the_same_bytes() {
    for model in corpus_models().into_iter().chain([own_model()]) {
        is_one(&[&model, "--target", "portable"]);
    }
}

#[test]
fn several_methods_are_the_same_bytes() {
    let model = own_model();
    is_one(&[&model, "--method", &format!("second={model}")]);
}
