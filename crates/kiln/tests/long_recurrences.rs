//! Long recurrent layers run as loops over blocks of time steps, whose programs do not grow with the sequence.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_testing::part::STOCK_RUNTIME;
use serde_json::Value;

const LONG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/archives/long");

/// Two layers of both directions and one of one direction, 530 steps.
#[test]
fn long_layers_are_loops_that_run_on_both_runtimes() {
    let folder = Folder::with("nothing", "");
    let golden = format!("{LONG}.safetensors");
    for target in ["xnnpack", "portable"] {
        let archive = format!("{LONG}.pt2");
        let compile = ["compile", &archive, "-o", "m.pte", "--target", target];
        let made = folder.kiln(&[&compile[..], &["--report", "m.json"]].concat());
        assert!(made.status.success(), "{target}: {made:?}");
        let report: Value =
            serde_json::from_slice(&std::fs::read(folder.path("m.json")).unwrap()).unwrap();
        // Unrolled, the three layers have 2,650 steps of some ten kernels each.
        let calls = report["methods"][0]["kernel_calls"].as_object().unwrap();
        let calls: u64 = calls.values().map(|count| count.as_u64().unwrap()).sum();
        let most = if target == "xnnpack" { 45 } else { 3000 };
        assert!(
            (1..=most).contains(&calls),
            "{target}: {calls} kernel calls"
        );
        check_runs(&folder, &["--expect", &golden]);
    }
}

/// Runs the program on both runtimes.
fn check_runs(folder: &Folder, expect: &[&str]) {
    for runtime in ["builtin", "executorch"] {
        if runtime == "executorch" && STOCK_RUNTIME.find().is_none() {
            continue;
        }
        let done = folder.kiln(&[&["run", "m.pte", "--runtime", runtime], expect].concat());
        assert!(done.status.success(), "{runtime}: {done:?}");
    }
}

/// Rows are rounded in the loops' bodies too.
#[test]
fn layers_in_loops_round_their_rows() {
    let folder = Folder::with("nothing", "");
    let golden = format!("{LONG}.safetensors");
    for mode in ["int8-dynamic", "int4"] {
        let archive = format!("{LONG}.pt2");
        let compile = ["compile", &archive, "-o", "m.pte", "--quantize", mode];
        let made = folder.kiln(&compile);
        assert!(made.status.success(), "{mode}: {made:?}");
        let shown = folder.kiln(&["inspect", "m.pte"]);
        let shown = String::from_utf8(shown.stdout).unwrap();
        assert!(shown.contains("aten::index_put_"), "{mode}: no loop");
        assert!(shown.contains("qcint8"), "{mode}: {shown}");
        assert!(!shown.contains("fp32[16, 4]"), "{mode}: weights of floats");
        assert!(std::fs::metadata(folder.path("m.pte")).unwrap().len() < 1 << 20);
        check_runs(&folder, &["--expect", &golden, "--sqnr", "25"]);
    }
}
