//! A graph prints and parses to the same graph, and malformed text is refused.

use kiln_ir::text::{Data, parse, print};
use kiln_ir::verify::verify;

const ALL_CORNERS: &str = r#"graph "forward" {
  symbol s0 in 2..=64 like 8
  symbol u0 in 0..
  constant c0 "fc.weight" f32[2, 3] = [1.0, -0.0, inf, -inf, NaN, 6.5]
  constant c1 "cache" f32[4] = [0.0, 0.0, 0.0, 0.0]
  constant c2 "table" i8[4, 8] as (per_channel 0 [0.5, 0.25, 1.0, 2.0] [0, 0, 1, -1] in [-128, 127]) = splat 3
  constant c3 "big" i64[17] = splat -1
  state m0 "cache" f32[4] = c1
  state m1 "x" f32[s0, 3] = input 0
  input tensor "x" [0, 1]
  input none
  input scalar 2.5
  input text "mode \"a\""
  output tensor
  output scalar true
  buffer "mask"
  source l0 "linear" "aten.linear.default" "fc" "model.py:12 in forward: y = self.fc(x)"
  block b0 (%0 "x": f32[s0, 3]) {
    %1: f32[2, 3] = constant {value=c0}
    %2 "linear": f32[s0, 2] = linear %0, %1 {} @ l0
    %3: f32[s0, 2] = unary %2 {f=clamp[0, none]}
    %4: f32[2, s0] = move %3 {movement=(a:{s0} b:2 -> b a)}
    %5: bool[2, s0] = compare %4, %4 {f=ge}
    %6: i64[u0, 2] = non_zero %5 {count=u0}
    return %2
  }
}
"#;

#[test]
fn prints_what_it_parsed() {
    let text = ALL_CORNERS;
    let graph = parse(text).unwrap();
    assert_eq!(verify(&graph), Ok(()));
    let printed = print(&graph, Data::Full);
    let again = print(&parse(&printed).unwrap(), Data::Full);
    assert_eq!(printed, again);
    expect_test::expect![[r#"
        graph "forward" {
          symbol s0 in 2..=64 like 8
          symbol u0 in 0..
          constant c0 "fc.weight" f32[2, 3] = [1.0, -0.0, inf, -inf, NaN, 6.5]
          constant c1 "cache" f32[4] = [0.0, 0.0, 0.0, 0.0]
          constant c2 "table" i8[4, 8] as (per_channel 0 [0.5, 0.25, 1.0, 2.0] [0, 0, 1, -1] in [-128, 127]) = splat 3
          constant c3 "big" i64[17] = splat -1
          state m0 "cache" f32[4] = c1
          state m1 "x" f32[s0, 3] = input 0
          input tensor "x" [0, 1]
          input none
          input scalar 2.5
          input text "mode \"a\""
          output tensor
          output scalar true
          buffer "mask"
          source l0 "linear" "aten.linear.default" "fc" "model.py:12 in forward: y = self.fc(x)"
          block b0 (%0 "x": f32[s0, 3]) {
            %1: f32[2, 3] = constant {value=c0}
            %2 "linear": f32[s0, 2] = linear %0, %1 {} @ l0
            %3: f32[s0, 2] = unary %2 {f=clamp[0, none]}
            %4: f32[2, s0] = move %3 {movement=(a:{s0} b:2 -> b a)}
            %5: bool[2, s0] = compare %4, %4 {f=ge}
            %6: i64[u0, 2] = non_zero %5 {count=u0}
            return %2
          }
        }
    "#]]
    .assert_eq(&printed);
}

#[test]
fn branches_and_loops_round_trip() {
    let text = r#"graph "loop" {
  constant c0 "" i64[] = [1]
  constant c1 "" i64[] = [5]
  input tensor "n" []
  output tensor
  block b1 (%0: i64[]) {
    %1: i64[] = constant {value=c1}
    %2: bool[] = compare %0, %1 {f=lt}
    return %2
  }
  block b2 (%3: i64[]) {
    %4: i64[] = constant {value=c0}
    %5: i64[] = binary %3, %4 {f=add}
    return %5
  }
  block b0 (%6: i64[]) {
    %7: i64[] = while %6 {condition=b1, body=b2, carried=1}
    return %7
  }
}
"#;
    let graph = parse(text);
    assert!(graph.is_ok(), "{}", graph.unwrap_err());
    let graph = graph.unwrap();
    assert_eq!(verify(&graph), Ok(()));
    assert_eq!(print(&graph, Data::Full), text);
}

#[test]
fn every_truncation_is_refused_without_a_panic() {
    let text = ALL_CORNERS;
    for end in (0..text.len() - 2).filter(|&i| text.is_char_boundary(i)) {
        assert!(parse(&text[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn changed_bytes_never_panic() {
    let text = ALL_CORNERS;
    for at in 0..text.len() {
        for byte in *b"0)%{\"-9z" {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = byte;
            if let Ok(changed) = String::from_utf8(bytes)
                && let Ok(graph) = parse(&changed)
            {
                // A text that parses must also verify or have faults, and print.
                let _ = verify(&graph);
                let _ = print(&graph, Data::Digest);
            }
        }
    }
}
