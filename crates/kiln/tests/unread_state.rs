//! Buffers that a model writes, and from which no output follows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod folder;

use folder::Folder;
use serde_json::{Value, json};

/// A batch norm that counts its batches.
const COUNTED: &str = r#"graph "forward" {
  constant c0 "counter" i64[] = [0]
  constant c1 "one" i64[] = [1]
  state m0 "norm.num_batches_tracked" i64[] = c0
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[2, 3]) {
    %1: i64[] = read_state {cell=m0}
    %2: i64[] = constant {value=c1}
    %3: i64[] = binary %1, %2 {f=add}
    %4: f32[2, 3] = unary %0 {f=exp}
    return %4
  }
  update m0 = %3
}
"#;

/// The report of a compilation with these options.
fn report(options: &[&str]) -> Value {
    let folder = Folder::with("m.kiln", COUNTED);
    let compile = ["compile", "m.kiln", "--report", "m.json"];
    let made = folder.kiln(&[&compile[..], options].concat());
    assert!(made.status.success(), "{made:?}");
    serde_json::from_slice(&std::fs::read(folder.path("m.json")).unwrap()).unwrap()
}

#[test]
fn a_counter_that_nothing_reads_costs_nothing() {
    let report = report(&["-o", "m.pte"]);
    assert_eq!(report["methods"][0]["delegates"], 1, "{report}");
    assert_eq!(report["methods"][0]["kernel_calls"], json!({}), "{report}");
    let said = report["notes"].to_string();
    assert!(said.contains("norm.num_batches_tracked"), "{report}");
}

/// TOSA files keep no state.
#[test]
fn a_counter_that_nothing_reads_is_no_reason_to_refuse() {
    report(&["-o", "m.tosa", "--target", "tosa-fp"]);
}

#[test]
fn one_of_several_methods_keeps_its_counter() {
    let folder = Folder::with("m.kiln", COUNTED);
    let other = COUNTED.replace("norm.", "other.").replace("forward", "n");
    std::fs::write(folder.path("n.kiln"), other).unwrap();
    let compile = ["compile", "m.kiln", "--method", "n=n.kiln", "-o", "m.pte"];
    let made = folder.kiln(&compile);
    assert!(made.status.success(), "{made:?}");
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(!said.contains("left out"), "{said}");
}
