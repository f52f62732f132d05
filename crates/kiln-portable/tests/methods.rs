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

/// Only sizes with symbols have greatest values that `--dim` can lower.
#[test]
fn what_is_too_large_comes_with_what_makes_it_smaller() {
    let refused = |symbol: &str, x: &str, line: &str| {
        let order = match x.contains(',') {
            true => "0, 1, 2",
            false => "0",
        };
        let text = format!(
            "graph \"forward\" {{\n{symbol}  input tensor \"x\" [{order}]\n  output tensor\n  block b0 (%0 \"x\": {x}) {{\n    {line}\n    return %1\n  }}\n}}\n"
        );
        let graph = parse(&text);
        let emitted = emit(&[Method::new(&graph)], &Options::default());
        emitted.unwrap_err().to_string()
    };
    let symbol = "  symbol s0 in 1..=2000000000 like 8\n";
    for (symbol, x, line, rule, advice) in [
        (
            "",
            "f32[2000000000]",
            "%1: f32[4000000000] = concat %0, %0 {axis=0}",
            "below 2^31",
            "export with smaller sizes",
        ),
        (
            symbol,
            "f32[s0]",
            "%1: f32[2*s0] = concat %0, %0 {axis=0}",
            "below 2^31",
            "--dim SYMBOL=MAX",
        ),
        (
            "",
            "f32[2000000000]",
            "%1: f32[2000000000] = unary %0 {f=abs}",
            "below 4 GiB",
            "export with smaller sizes",
        ),
        (
            symbol,
            "f32[s0]",
            "%1: f32[s0] = unary %0 {f=abs}",
            "below 4 GiB",
            "--dim SYMBOL=MAX",
        ),
        (
            "",
            "f32[2000000000, 2000000000, 4]",
            "%1: f32[2000000000, 2000000000, 4] = unary %0 {f=abs}",
            "less than 2^63 bytes",
            "export with smaller sizes",
        ),
        (
            symbol,
            "f32[s0, 2000000000, 4]",
            "%1: f32[s0, 2000000000, 4] = unary %0 {f=abs}",
            "less than 2^63 bytes",
            "--dim SYMBOL=MAX",
        ),
    ] {
        let refused = refused(symbol, x, line);
        assert!(refused.contains(rule), "{line}: {refused}");
        assert!(refused.contains(advice), "{line}: {refused}");
        assert!(!refused.contains("lower bounds"), "{line}: {refused}");
    }
}
