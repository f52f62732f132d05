//! Models with rounded weights and activations that nobody converted: their layers compute in integers as those of converted models do.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_testing::part::STOCK_RUNTIME;
use serde_json::{Value, json};

const ARCHIVES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/");

/// The archives, the weights of each, and the bytes of its program: one for each weight, and what the operators take.
const CASES: [(&str, u64, u64); 3] = [
    ("prepared", 768, 3000),
    ("trained", 496, 7000),
    ("trained_decomposed", 496, 7000),
];

#[test]
fn layers_with_rounded_weights_compute_in_integers() {
    for (name, weights, most) in CASES {
        let folder = Folder::with("nothing", "");
        let archive = format!("{ARCHIVES}{name}.pt2");
        let golden = format!("{ARCHIVES}{name}.safetensors");
        let targets = [
            ("xnnpack", "m.pte", "--quiet"),
            ("tosa-int", "m.tosa", "--float-io"),
            ("host-c", "m/", "--quiet"),
        ];
        for (target, output, option) in targets {
            let compile = [
                "compile", &archive, "-o", output, "--target", target, option,
            ];
            let made = folder.kiln(&compile);
            assert!(made.status.success(), "{name} {target}: {made:?}");
            let done = folder.kiln(&["run", output, "--expect", &golden]);
            assert!(done.status.success(), "{name} {target}: {done:?}");
        }
        if STOCK_RUNTIME.find().is_some() {
            let expect = ["run", "m.pte", "--expect", &golden, "--sqnr", "100"];
            let done = folder.kiln(&[&expect[..], &["--runtime", "executorch"]].concat());
            assert!(done.status.success(), "{name}: {done:?}");
        }
        let size = std::fs::metadata(folder.path("m.pte")).unwrap().len();
        assert!((weights..most).contains(&size), "{name}: {size} bytes");
        let read = ["compile", &archive, "-o", "m.pte", "--report", "r.json"];
        assert!(folder.kiln(&read).status.success());
        let report = std::fs::read(folder.path("r.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        let method = &report["methods"][0];
        assert_eq!(method["delegates"], 1, "{name}: {report}");
        assert_eq!(method["kernel_calls"], json!({}), "{name}: {report}");
    }
}

/// A module that still observes ranges would change its scales while it runs.
#[test]
fn observers_that_are_on_are_refused() {
    let folder = Folder::with("nothing", "");
    let archive = format!("{ARCHIVES}trained_observed.pt2");
    let made = folder.kiln(&["compile", &archive, "-o", "m.pte"]);
    assert_eq!(made.status.code(), Some(1), "{made:?}");
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(said.contains("disable_observer"), "{said}");
    assert!(!folder.path("m.pte").exists());
}
