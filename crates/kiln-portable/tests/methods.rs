//! The data that the methods of one program share, and data that they cannot share.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_ir::Graph;
use kiln_portable::{Method, Options, emit};

fn parse(text: &str) -> Graph {
    let graph = kiln_ir::text::parse(text).unwrap();
    assert_eq!(kiln_ir::verify::verify(&graph), Ok(()));
    graph
}

const WRITER: &str = r#"graph "forward" {
  constant c0 "cache" f32[3] = [0.0, 0.0, 0.0]
  state m0 "cache" f32[3] = c0
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[3]) {
    %1: f32[3] = read_state {cell=m0}
    %2: f32[3] = binary %1, %0 {f=add}
    return %0
  }
  update m0 = %2
}
"#;

const READER: &str = r#"graph "dec" {
  constant c0 "cache" f32[3] = [0.0, 0.0, 0.0]
  input tensor "x" [0]
  output tensor
  buffer "cache"
  block b0 (%0 "x": f32[3]) {
    %1: f32[3] = constant {value=c0}
    %2: f32[3] = binary %1, %0 {f=add}
    return %2
  }
}
"#;

#[test]
fn a_method_does_not_read_what_another_writes() {
    let (writer, reader) = (parse(WRITER), parse(READER));
    let emitted = |methods: &[&Graph]| {
        let methods: Vec<Method<'_>> = methods.iter().map(|g| Method::new(g)).collect();
        emit(&methods, &Options::default()).map(drop)
    };
    let error = emitted(&[&writer, &reader]).unwrap_err().to_string();
    assert!(
        error.contains("\"cache\"") && error.contains("\"dec\""),
        "{error}"
    );
    let other = parse(&READER.replace("buffer \"cache\"", "buffer \"mask\""));
    emitted(&[&writer, &other]).unwrap();
    emitted(&[&reader, &parse(&READER.replace("dec", "enc"))]).unwrap();
}
