//! What a machine's data changes of a file.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_eval::Tensor;
use kiln_tosa::border::Border;
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::evaluate::evaluate;
use kiln_tosa::{Machine, compile_for};

const MODEL: &str = r#"graph "forward" {
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": i32[1, 3, 4, 5]) {
    %1: i32[1, 4, 5, 3] = move %0 {movement=(a:1 b:3 c:4 d:5 -> a c d b)}
    return %1
  }
}
"#;

fn compiled(machine: Machine) -> TosaGraph {
    let graph = kiln_ir::text::parse(MODEL).unwrap();
    compile_for(&graph, &mut Border::of(&graph, false), machine).unwrap()
}

fn transposes(file: &TosaGraph) -> Vec<String> {
    let text = file.to_string();
    let lines = text.lines().filter(|line| line.contains("TRANSPOSE"));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn axes_are_joined_or_go_in_parts_where_that_is_wanted() {
    let input = [Tensor::new([1, 3, 4, 5], (0..60).collect::<Vec<i32>>())];
    let plain = compiled(Machine::default());
    assert_eq!(transposes(&plain).len(), 1);
    let expected = evaluate(&plain, &input).unwrap();

    let joined = compiled(Machine {
        joins_axes: true,
        ..Machine::default()
    });
    assert!(
        transposes(&joined)[0].contains("i32[1, 20, 3] = TRANSPOSE"),
        "{joined}"
    );
    let parts = compiled(Machine {
        greatest_axis: Some(2),
        greatest_axis_of_words: Some(2),
        ..Machine::default()
    });
    // Three, four and five elements, two at a time.
    assert_eq!(transposes(&parts).len(), 2 * 2 * 3);
    for file in [joined, parts] {
        let found = evaluate(&file, &input).unwrap();
        assert_eq!(found[0].bytes(), expected[0].bytes());
    }
}
