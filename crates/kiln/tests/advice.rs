//! What `kiln explain` advises: only what changes something.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod folder;

use folder::Folder;
use serde_json::Value;

/// The nodes that no delegate takes, of a text whose sizes have these least values.
fn outside(model: &str, least: i64) -> Vec<Value> {
    let text = model.replace("LEAST", &least.to_string());
    let folder = Folder::with("m.kiln", &text);
    let compile = ["compile", "m.kiln", "-o", "m.pte", "--report", "r.json"];
    let output = folder.kiln(&compile);
    assert!(output.status.success(), "{output:?}");
    let report = std::fs::read(folder.path("r.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let nodes = report["methods"][0]["nodes"].as_array().unwrap();
    let outside = nodes.iter().filter(|node| node["reason"].is_string());
    outside.cloned().collect()
}

fn advice(node: &Value) -> &str {
    node["advice"].as_str().unwrap()
}

const ROWS: &str = r#"graph "forward" {
  symbol rows in LEAST..=64 like 8
  constant c0 "three" f32[1, 1] = splat 3
  input tensor "x" [0, 1]
  output tensor
  source l0 "f" "aten.NAME.default" "" "m.py:3 in forward: f(x)"
  block b0 (%0 "x": f32[rows, 4]) {
    %1: f32[1, 1] = constant {value=c0}
    %2: f32[rows, 4] = OP @ l0
    return %2
  }
}
"#;

const TWICE: &str =
    r#"foreign %0 {kernel="mine::twice.out", arguments=[tensor, none], results=[f32 [rows, 4]]}"#;

/// A kernel computes these for every size.
#[test]
fn sizes_are_not_fixed_where_that_changes_nothing() {
    for (name, op) in [
        ("flip", "reverse %0 {axes=[0]}"),
        ("remainder", "binary %0, %1 {f=remainder}"),
        ("twice", TWICE),
    ] {
        for least in [0, 4] {
            let model = ROWS.replace("NAME", name).replace("OP", op);
            let nodes = outside(&model, least);
            assert_eq!(nodes.len(), 1, "{name}");
            assert!(!advice(&nodes[0]).contains("size"), "{nodes:?}");
            assert_eq!(nodes[0]["found"], name, "{nodes:?}");
            assert_eq!(nodes[0]["operator"], name, "{nodes:?}");
        }
    }
}

/// A constant that is repeated to a size of the run is none of its own.
#[test]
fn sizes_are_fixed_where_that_changes_something() {
    const REPEATED: &str = r#"graph "forward" {
  symbol rows in LEAST..=64 like 8
  constant c0 "token" f32[1, 4] = [1.0, 2.0, 3.0, 4.0]
  input tensor "x" [0, 1]
  output tensor
  source l0 "expand" "aten.expand.default" "" ""
  block b0 (%0 "x": f32[rows, 4]) {
    %1: f32[1, 4] = constant {value=c0}
    %2: f32[rows, 4] = broadcast %1 {shape=[rows, 4]} @ l0
    %3: f32[rows, 8] = concat %2, %0 {axis=1}
    return %3
  }
}
"#;
    let nodes = outside(REPEATED, 1);
    assert_eq!(nodes.len(), 1, "{nodes:?}");
    assert!(advice(&nodes[0]).contains("--dim"), "{nodes:?}");
}

/// The user chose neither the doubles nor the booleans of an op that Kiln computes in parts.
#[test]
fn parts_of_an_op_are_not_the_users() {
    const WIDENED: &str = r#"graph "forward" {
  constant c0 "half" f64[1] = splat 0.5
  input tensor "x" [0]
  output tensor
  source l0 "lgamma" "aten.lgamma.default" "" ""
  block b0 (%0 "x": f32[8]) {
    %1: f64[8] = cast %0 {to=f64} @ l0
    %2: f64[1] = constant {value=c0} @ l0
    %3: f64[8] = unary %1 {f=exp} @ l0
    %4: bool[8] = compare %3, %2 {f=lt} @ l0
    %5: f64[8] = select %4, %3, %1 {} @ l0
    %6: f32[8] = cast %5 {to=f32} @ l0
    return %6
  }
}
"#;
    let nodes = outside(WIDENED, 1);
    assert_eq!(nodes.len(), 5, "{nodes:?}");
    for node in &nodes {
        assert!(
            advice(node).starts_with("lgamma is computed in parts"),
            "{node}"
        );
    }
    // The functions of the parts, as the op's own name says nothing of them.
    assert!(nodes.iter().any(|node| node["found"] == "lt"), "{nodes:?}");
    let exported = WIDENED.replace("cast %0 {to=f64}", "unary %0 {f=neg}");
    let exported = exported.replace("f32[8]) {", "f64[8]) {");
    let nodes = outside(&exported, 1);
    assert!(
        nodes
            .iter()
            .any(|node| advice(node) == "export the model in f32"),
        "{nodes:?}"
    );
}

#[test]
fn casts_of_weights_are_not_inputs_in_front_of_layers() {
    const MODEL: &str = r#"graph "forward" {
  constant c0 "w" i16[128, 256] = [WEIGHTS]
  constant c1 "offset" f32[128, 1] = splat 0.5
  input tensor "x" [0, 1]
  output tensor
  source l0 "to" "aten.to.dtype" "" ""
  block b0 (%0 "x": f32[2, 256]) {
    %1: i16[128, 256] = constant {value=c0}
    %2: f32[128, 1] = constant {value=c1}
    %3: f32[128, 256] = cast %1 {to=f32} @ l0
    %4: f32[128, 256] = binary %3, %2 {f=add}
    %5: f32[2, 128] = linear %0, %4 {}
    return %5
  }
}
"#;
    let weights: Vec<String> = (0..128 * 256).map(|i| (i % 11).to_string()).collect();
    let nodes = outside(&MODEL.replace("WEIGHTS", &weights.join(", ")), 1);
    assert_eq!(nodes.len(), 1, "{nodes:?}");
    assert!(
        advice(&nodes[0]).starts_with("its operands are constants"),
        "{nodes:?}"
    );
}

/// Sizes have the names that types have.
#[test]
fn sizes_have_their_names() {
    const MERGED: &str = r#"graph "forward" {
  symbol rows in 2..=64 like 8
  symbol words in 2..=64 like 8
  input tensor "x" [0, 1]
  input tensor "y" [0, 1, 2]
  output tensor
  source l0 "permute" "aten.permute.default" "" ""
  block b0 (%0 "x": f32[rows*words, 4], %1 "y": f32[rows, words, 4]) {
    %2: f32[rows, words, 4] = move %0 {movement=((a:{words} b:{rows}) c:4 -> b a c)} @ l0
    %3: f32[rows, words, 4] = binary %2, %1 {f=add}
    return %3
  }
}
"#;
    let nodes = outside(MERGED, 1);
    let found = nodes[0]["found"].as_str().unwrap();
    assert!(found.ends_with(" to [rows, words, 4]"), "{nodes:?}");
}
