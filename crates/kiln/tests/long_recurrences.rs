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
        for runtime in ["builtin", "executorch"] {
            if runtime == "executorch" && STOCK_RUNTIME.find().is_none() {
                continue;
            }
            let done = folder.kiln(&["run", "m.pte", "--runtime", runtime, "--expect", &golden]);
            assert!(done.status.success(), "{target} on {runtime}: {done:?}");
        }
    }
}
