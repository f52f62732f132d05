//! Slices and joins of few elements in a row go by way of a transpose, where that is faster, and give the same elements.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use kiln_ir::TensorData;
use kiln_target::{Role, Runs};
use kiln_testing::part::STOCK_RUNTIME;
use serde_json::Value;

/// Even and odd columns, by a step.
const STEPS: &str = r#"
    %1: f32[R, 64] = slice %0 {axis=1, start=0, len=64, step=2}
    %2: f32[R, 64] = slice %0 {axis=1, start=1, len=64, step=2}
    %3: f32[R, 64] = binary %1, %2 {f=sub}
    return %3"#;

/// Neighbours in pairs of columns, one of which is turned, joined again.
const PAIRS: &str = r#"
    %1: f32[R, 64, 2] = move %0 {movement=(a:{R} (b:64 c:2) -> a b c)}
    %2: f32[R, 64, 1] = slice %1 {axis=2, start=0, len=1, step=1}
    %3: f32[R, 64, 1] = slice %1 {axis=2, start=1, len=1, step=1}
    %4: f32[R, 64, 1] = unary %3 {f=neg}
    %5: f32[R, 64, 2] = concat %4, %2 {axis=2}
    return %5"#;

/// A join of parts of several columns each, and of one column that a step of 3 leaves.
const WIDTHS: &str = r#"
    %1: f32[R, 64, 2] = move %0 {movement=(a:{R} (b:64 c:2) -> a b c)}
    %2: f32[R, 64, 1] = slice %1 {axis=2, start=1, len=1, step=1}
    %3: f32[R, 64, 2] = unary %1 {f=abs}
    %4: f32[R, 64, 3] = concat %3, %2 {axis=2}
    return %4"#;

/// The transposes in the delegate of a graph on `rows` rows of 128 floats, of which a run has `given`; all runtimes agree on its results.
fn transposes(body: &str, rows: &str, given: usize) -> usize {
    let text = format!(
        "graph \"forward\" {{\n  symbol s0 in 2..=400\n  input tensor \"x\" [0, 1]\n  output tensor\n  block b0 (%0 \"x\": f32[R, 128]) {{{body}\n  }}\n}}\n"
    );
    let text = text
        .replace("{R}", rows)
        .replace("[R,", &format!("[{rows},"));
    let text = match rows {
        "s0" => text.replace("a:s0", "a:{s0}"),
        _ => text.replace("  symbol s0 in 2..=400\n", ""),
    };
    let folder = Folder::with("m.kiln", &text);
    let values: Vec<f32> = (0..given * 128).map(|i| i as f32).collect();
    let mut runs = Runs::default();
    let x = TensorData::from_f32(vec![given, 128], &values);
    runs.insert(0, Role::Input, 0, x);
    runs.write(&folder.path("x.safetensors")).unwrap();
    let inputs = ["--inputs", "x.safetensors"];
    let done = |arguments: &[&str]| {
        let done = folder.kiln(arguments);
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        done.stdout
    };
    done(
        &[
            &["run", "m.kiln", "--outputs", "y.safetensors"][..],
            &inputs,
        ]
        .concat(),
    );
    done(&["compile", "m.kiln", "-o", "m.pte"]);
    let mut runtimes = vec!["builtin"];
    runtimes.extend(STOCK_RUNTIME.find().map(|_| "executorch"));
    for runtime in runtimes {
        let expect = [
            "--expect",
            "y.safetensors",
            "--runtime",
            runtime,
            "--rtol",
            "0",
            "--atol",
            "0",
        ];
        done(&[&["run", "m.pte"][..], &inputs, &expect].concat());
    }
    let program: Value = serde_json::from_slice(&done(&["inspect", "m.pte", "--json"])).unwrap();
    let delegates = program["methods"][0]["delegates"].as_array().unwrap();
    assert_eq!(delegates.len(), 1, "{program}");
    delegates[0]["nodes"]["transpose"].as_u64().unwrap_or(0) as usize
}

#[test]
fn many_short_runs_are_turned() {
    // One for both slices.
    assert_eq!(transposes(STEPS, "400", 400), 1);
    // One for both slices, one for each part of the join, one back.
    assert_eq!(transposes(PAIRS, "400", 400), 4);
    assert_eq!(transposes(WIDTHS, "400", 400), 4);
}

#[test]
fn the_greatest_sizes_decide() {
    for given in [2, 399] {
        assert_eq!(transposes(PAIRS, "s0", given), 4);
    }
}

/// A transpose is an operator more, which takes as long as hundreds of runs.
#[test]
fn few_short_runs_are_copied() {
    for body in [STEPS, PAIRS, WIDTHS] {
        assert_eq!(transposes(body, "2", 2), 0);
    }
}
