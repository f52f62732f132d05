//! A part that has no command stream is refused by the name of the node that is to blame, if one is.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_ethos::payload::Payload;
use kiln_ethos::{CommandStreams, EthosU, StandIn, VelaError, compile};
use kiln_tosa::dialect::{TosaGraph, TosaOp};

const MODEL: &str = r#"graph "forward" {
  input tensor "x" [0]
  output tensor
  source l0 "first" "aten.abs.default" "top" "model.py:3 in forward: x = x.abs()"
  source l1 "second" "aten.neg.default" "top" "model.py:4 in forward: x = -x"
  source l2 "third" "aten.add.Tensor" "top" "model.py:5 in forward: x = x + x"
  block b0 (%0 "x": i32[5]) {
    %1: i32[5] = unary %0 {f=abs} @ l0
    %2: i32[5] = unary %1 {f=neg} @ l1
    %3: i32[5] = binary %2, %2 {f=add} @ l2
    return %3
  }
}
"#;

/// Refuses negations.
struct Picky;

impl CommandStreams for Picky {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        let mut operators = file.main().operators.iter();
        match operators.any(|o| matches!(o.op, TosaOp::Negate(_))) {
            true => Err(VelaError::Refused("no negation".into())),
            false => StandIn.make(file),
        }
    }
}

#[test]
fn the_node_to_blame_is_named() {
    let graph = kiln_ir::text::parse(MODEL).unwrap();
    let target = EthosU::new("ethos-u55-32".parse().unwrap());
    assert_eq!(compile(&graph, &target, &StandIn).unwrap().len(), 1);
    let error = compile(&graph, &target, &Picky).unwrap_err().to_string();
    assert!(error.starts_with("second (unary)"), "{error}");
    assert!(
        error.contains("model.py:4") && error.contains("no negation"),
        "{error}"
    );
}

/// Refuses anything, as Vela does whose arguments are wrong.
struct Broken;

impl CommandStreams for Broken {
    fn make(&self, _: &TosaGraph) -> Result<Payload, VelaError> {
        Err(VelaError::Refused("unrecognized arguments".into()))
    }
}

#[test]
fn no_node_is_to_blame_for_arguments() {
    let graph = kiln_ir::text::parse(MODEL).unwrap();
    let target = EthosU::new("ethos-u55-32".parse().unwrap());
    let error = compile(&graph, &target, &Broken).unwrap_err().to_string();
    assert!(error.contains("arguments or its installation"), "{error}");
    assert!(error.contains("unrecognized arguments"), "{error}");
    assert!(!error.contains("first"), "{error}");
}
