//! What stays in f32 where a model is converted to halves.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_ir::verify::verify;
use kiln_ir::{DType, Graph};
use kiln_transforms::precision::convert;

/// The dtypes of what the nodes of this name give, in order.
fn dtypes(graph: &Graph, name: &str) -> Vec<DType> {
    let nodes = graph.nodes_in(graph.root());
    let named = nodes.filter(|(_, node)| node.op.function() == name);
    named
        .map(|(_, node)| graph.ty(node.result()).dtype)
        .collect()
}

fn converted(constants: &str, params: &str, nodes: &str, to: DType) -> Graph {
    let inputs = params.matches(':').count();
    let inputs: String = (0..inputs)
        .map(|i| format!("  input tensor \"x{i}\" [0, 1]\n"))
        .collect();
    let text = format!(
        "graph \"g\" {{\n{constants}{inputs}  output tensor\n  block b0 ({params}) {{\n{nodes}  }}\n}}\n"
    );
    let mut graph = kiln_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    convert(&mut graph, to);
    verify(&graph).unwrap();
    graph
}

const WEIGHT: &str = "  constant c0 \"w\" f32[2, 2] = [0.5, 0.25, -1.0, 2.0]\n";
const LAYER: &str =
    "    %1: f32[2, 2] = constant {value=c0}\n    %2: f32[2, 2] = linear %0, %1 {}\n";
const F32: DType = DType::F32;
const F16: DType = DType::F16;

/// A chain behind a layer, with another layer at its end, and what the nodes of some names give.
fn check(rest: &str, last: usize, expected: &[(&str, DType)]) {
    let end = last + 1;
    let end = format!("    %{end}: f32[2, 2] = linear %{last}, %1 {{}}\n    return %{end}\n");
    let nodes = format!("{LAYER}{rest}{end}");
    let graph = converted(WEIGHT, "%0: f32[2, 2]", &nodes, F16);
    for &(name, dtype) in expected {
        let found = dtypes(&graph, name);
        let is_as_said = !found.is_empty() && found.iter().all(|&own| own == dtype);
        assert!(is_as_said, "{name}: {found:?}\n{rest}");
    }
    assert_eq!(dtypes(&graph, "linear"), [F16, F16], "{rest}");
}

#[test]
fn a_value_that_stays_stays_up_to_the_next_product() {
    // Softmax, concatenations and movements are no end.
    check(
        "    %3: f32[2, 2] = unary %2 {f=exp}\n    %4: f32[2, 2] = move %3 {movement=(a:2 b:2 -> b a)}\n    \
         %5: f32[2, 2] = unary %4 {f=log}\n    %6: f32[2, 2] = softmax %5 {axis=1, log=false}\n",
        6,
        &[
            ("exp", F32),
            ("transpose", F32),
            ("log", F32),
            ("softmax", F32),
        ],
    );
}

#[test]
fn a_square_is_a_square_in_either_form() {
    check(
        "    %3: f32[2, 2] = unary %2 {f=square}\n",
        3,
        &[("square", F32)],
    );
    check(
        "    %3: f32[2, 2] = binary %2, %2 {f=mul}\n",
        3,
        &[("mul", F32)],
    );
    check(
        "    %3: f32[2, 2] = binary %2, %2 {f=add}\n",
        3,
        &[("add", F16)],
    );
}

#[test]
fn a_number_that_halves_do_not_hold_keeps_its_node() {
    let pad = |number: &str| {
        format!(
            "    %3: f32[3, 2] = pad %2 {{low=[1, 0], high=[0, 0], mode=constant {number}}}\n    \
             %4: f32[2, 2] = slice %3 {{axis=0, start=0, len=2, step=1}}\n"
        )
    };
    check(&pad("-1e9"), 4, &[("pad", F32)]);
    check(&pad("-1e3"), 4, &[("pad", F16)]);
    // 1e-7 is a subnormal number of f16, of two bits.
    for (number, dtype) in [("1e-7", F32), ("1e-3", F16)] {
        let constants = format!("{WEIGHT}  constant c1 \"eps\" f32[1, 1] = splat {number}\n");
        let nodes = format!(
            "{LAYER}    %3: f32[1, 1] = constant {{value=c1}}\n    %4: f32[2, 2] = binary %2, %3 {{f=add}}\n    \
             %5: f32[2, 2] = linear %4, %1 {{}}\n    return %5\n"
        );
        let graph = converted(&constants, "%0: f32[2, 2]", &nodes, F16);
        assert_eq!(dtypes(&graph, "add"), [dtype], "{number}");
    }
}

#[test]
fn a_mask_of_huge_numbers_keeps_the_softmax() {
    for (number, dtype) in [("-1e9", F32), ("-1e3", F16)] {
        let constants =
            format!("{WEIGHT}  constant c1 \"mask\" f32[2, 2] = [0.0, {number}, 0.0, 0.0]\n");
        let nodes = format!(
            "{LAYER}    %3: f32[2, 2] = constant {{value=c1}}\n    %4: f32[2, 2] = binary %2, %3 {{f=add}}\n    \
             %5: f32[2, 2] = softmax %4 {{axis=1, log=false}}\n    %6: f32[2, 2] = matmul %5, %2 {{}}\n    return %6\n"
        );
        let graph = converted(&constants, "%0: f32[2, 2]", &nodes, F16);
        assert_eq!(dtypes(&graph, "softmax"), [dtype], "{number}");
        assert_eq!(dtypes(&graph, "matmul"), [F16]);
        // The same inside of attention.
        let nodes = format!(
            "{LAYER}    %3: f32[2, 2] = constant {{value=c1}}\n    %4: f32[1, 2, 2] = move %2 {{movement=(a:2 b:2 -> 1 a b)}}\n    \
             %5: f32[1, 2, 2] = move %3 {{movement=(a:2 b:2 -> 1 a b)}}\n    \
             %6: f32[1, 2, 2] = attention %4, %4, %4, %5 {{scale=0.5, causal=false, grouped=false}}\n    return %6\n"
        );
        let graph = converted(&constants, "%0: f32[2, 2]", &nodes, F16);
        assert_eq!(dtypes(&graph, "softmax"), [dtype], "{number}");
    }
}

#[test]
fn positions_count_in_f32() {
    let nodes = "    %2: f32[2, 2] = constant {value=c0}\n    %3: f32[2, 2] = linear %0, %2 {}\n    %4: f32[2, 1] = cast %1 {to=f32}\n    \
         %5: f32[1, 2] = constant {value=c1}\n    %6: f32[2, 2] = matmul %4, %5 {}\n    %7: f32[2, 2] = unary %6 {f=cos}\n    \
         %8: f32[2, 2] = binary %3, %7 {f=mul}\n    %9: f32[2, 2] = linear %8, %2 {}\n    return %9\n";
    let constants = format!("{WEIGHT}  constant c1 \"frequencies\" f32[1, 2] = [1.0, 0.1]\n");
    for to in [F16, DType::BF16] {
        let graph = converted(&constants, "%0: f32[2, 2], %1: i64[2, 1]", nodes, to);
        for name in ["matmul", "cos", "mul"] {
            assert_eq!(dtypes(&graph, name), [F32], "{name} to {to}");
        }
        assert_eq!(dtypes(&graph, "linear"), [to, to]);
    }
}

#[test]
fn what_follows_from_constants_is_computed_ahead_in_f32() {
    let nodes = "    %1: f32[2, 2] = constant {value=c0}\n    %2: f32[2] = iota {len=2, dtype=f32}\n    %3: f32[1, 2] = move %2 {movement=(a:2 -> 1 a)}\n    \
                 %4: f32[1, 2] = unary %3 {f=sin}\n    %5: f32[2, 2] = linear %0, %1 {}\n    %6: f32[2, 2] = binary %5, %4 {f=add}\n    return %6\n";
    let graph = converted(WEIGHT, "%0: f32[2, 2]", nodes, F16);
    assert_eq!(dtypes(&graph, "sin"), [F32]);
    assert_eq!(dtypes(&graph, "add"), [F16]);
}

#[test]
fn a_model_of_f64_keeps_nothing_in_f64() {
    let constants = "  constant c0 \"w\" f64[2, 2] = [0.5, 0.25, -1.0, 2.0]\n";
    let nodes = "    %1: f64[2, 2] = constant {value=c0}\n    %2: f64[2, 2] = linear %0, %1 {}\n    %3: f64[2, 2] = unary %2 {f=exp}\n    \
                 %4: f64[2, 2] = linear %3, %1 {}\n    return %4\n";
    for (to, exp) in [(F16, F32), (F32, F32)] {
        let graph = converted(constants, "%0: f64[2, 2]", nodes, to);
        assert_eq!(dtypes(&graph, "linear"), [to, to]);
        assert_eq!(dtypes(&graph, "exp"), [exp]);
    }
}
