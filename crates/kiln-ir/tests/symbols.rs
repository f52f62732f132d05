//! Symbols are bound before types and attributes mention them.

use kiln_ir::text::parse;
use kiln_ir::verify::verify;

/// The faults of a graph with symbols `s0` and `u0` and an input of `s0` rows.
fn faults(lines: &str) -> Vec<String> {
    let text = format!(
        "graph \"g\" {{
  symbol s0 in 1..=9
  symbol u0 in 0..=9
  symbol u1 in 0..=9
  input tensor \"x\" [0]
  output tensor
  block b0 (%0 \"x\": f32[s0]) {{
    {lines}
    return %0
  }}
}}
"
    );
    let graph = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let found = verify(&graph).err().unwrap_or_default();
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn attributes_mention_what_is_bound_before() {
    assert_eq!(faults("%1: i64[] = dim_value {dim=s0 + 1}"), [""; 0]);
    assert_eq!(
        faults("%1: i64[] = dim_value {dim=u0}"),
        ["n0: mentions u0, which nothing before binds"]
    );
    let bind = "%1: i64[] = dim_value {dim=s0}\n    bind_symbol %1 {symbol=u0}";
    let read = "%2: i64[] = dim_value {dim=u0}";
    assert_eq!(faults(&format!("{bind}\n    {read}")), [""; 0]);
    assert_eq!(
        faults(
            "%1: i64[] = dim_value {dim=s0}\n    %2: i64[] = dim_value {dim=u0}\n    bind_symbol %1 {symbol=u0}"
        ),
        ["n1: mentions u0, which nothing before binds"]
    );
}

#[test]
fn sizes_mention_what_is_bound_before() {
    let count = "%1: i64[u0, 1] = non_zero %0 {count=u0}";
    assert_eq!(faults(count), [""; 0]);
    assert_eq!(
        faults("%1: f32[u1] = iota {len=u1, dtype=f32}"),
        [
            "n0: mentions u1, which nothing before binds",
            "%1: mentions u1, which nothing before binds"
        ]
    );
    assert_eq!(
        faults(&format!(
            "{count}\n    %2: i64[u0, 1] = non_zero %0 {{count=u0}}"
        )),
        ["u0: is bound more than once"]
    );
}

#[test]
fn every_attribute_with_a_size_is_a_mention() {
    let mentions = |line: &str| {
        let lines = format!(
            "%1: i64[] = dim_value {{dim=s0}}\n    bind_symbol %1 {{symbol=u0}}\n    {line}"
        );
        assert_eq!(faults(&lines), [""; 0]);
        let text = format!(
            "graph \"g\" {{\n  symbol s0 in 1..=9\n  symbol u0 in 0..=9\n  input tensor \"x\" [0]\n  output tensor\n  \
             block b0 (%0 \"x\": f32[s0]) {{\n    {lines}\n    return %0\n  }}\n}}\n"
        );
        let graph = parse(&text).unwrap();
        let last = graph.nodes_in(graph.root()).last().unwrap().0;
        let names = graph.mentioned_symbols(last).into_iter();
        names
            .map(|s| graph.symbols.get(s).name.clone())
            .any(|name| name == "u0")
    };
    assert!(mentions(
        "%2: f32[1] = slice %0 {axis=0, start=u0, len=1, step=1}"
    ));
    assert!(mentions(
        "%2: f32[s0] = pad %0 {low=[u0], high=[-u0], mode=constant 0}"
    ));
    assert!(mentions("%2: i64[] = dim_value {dim=s0*u0}"));
    assert!(!mentions("%2: f32[s0] = unary %0 {f=exp}"));
}
