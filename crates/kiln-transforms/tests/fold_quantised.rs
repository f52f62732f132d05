//! Compares graphs before and behind `fold_quantised`. Results differ by at most one step if f32 is off by less than a
//! step, and are equal if nothing is computed. Only integers remain between the first quantisation and the last
//! dequantisation.

mod case;
mod fake_target;

use case::{Case, evaluated, run};
use kiln_check::Ran;
use kiln_eval::Tensor;
use kiln_ir::text::{Data, parse, print};
use kiln_ir::verify::verify;
use kiln_ir::{DType, Graph, Op, Scalar, TensorData};
use kiln_transforms::quantised::fold_quantised::islands;

/// A layer: its op on operands such as `%a` and `%b`, their sizes, and the sizes of the result.
struct Layer {
    op: &'static str,
    operands: &'static [(&'static str, [usize; 4])],
    attributes: &'static str,
    result: [usize; 4],
}

const X: [usize; 4] = [1, 4, 3, 5];

const fn of_one(op: &'static str, attributes: &'static str, result: [usize; 4]) -> Layer {
    Layer {
        op,
        operands: &[("a", X)],
        attributes,
        result,
    }
}

const fn of_two(op: &'static str, attributes: &'static str) -> Layer {
    Layer {
        op,
        operands: &[("a", X), ("b", X)],
        attributes,
        result: X,
    }
}

const COMPUTED: &[Layer] = &[
    of_one("unary", "f=tanh", X),
    of_one("unary", "f=exp", X),
    of_one("unary", "f=gelu", X),
    of_one("unary", "f=neg", X),
    of_one("unary", "f=leaky_relu[0.1]", X),
    of_two("binary", "f=add"),
    of_two("binary", "f=sub"),
    of_two("binary", "f=mul"),
    of_two("binary", "f=max"),
    of_one("reduce", "f=mean, axes=[2, 3]", [1, 4, 1, 1]),
    of_one("reduce", "f=sum, axes=[1]", [1, 1, 3, 5]),
    of_one("softmax", "axis=1, log=false", X),
    of_one(
        "pool",
        "f=avg none, kernel=[2, 2], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false",
        [1, 4, 2, 4],
    ),
    of_one("adaptive_pool", "f=avg none, output=[2, 2]", [1, 4, 2, 2]),
    of_one(
        "resize",
        "mode=linear, align_corners=false, output=[6, 7], scales=[none, none]",
        [1, 4, 6, 7],
    ),
    of_one("scan", "f=sum, axis=3", X),
    Layer {
        op: "matmul",
        operands: &[("a", X), ("b", [1, 4, 5, 2])],
        attributes: "",
        result: [1, 4, 3, 2],
    },
    Layer {
        op: "conv",
        operands: &[("a", X), ("b", [4, 2, 2, 2])],
        attributes: "stride=[1, 1], pad_low=[1, 0], pad_high=[0, 1], dilation=[1, 1], groups=2, transposed=false, output_padding=[0, 0]",
        result: X,
    },
];

const CARRIED: &[Layer] = &[
    of_one(
        "move",
        "movement=(a:1 b:4 c:3 d:5 -> a c d b)",
        [1, 3, 5, 4],
    ),
    of_one("slice", "axis=1, start=1, len=2, step=1", [1, 2, 3, 5]),
    of_one("reverse", "axes=[3]", X),
    of_one("broadcast", "shape=[2, 4, 3, 5]", [2, 4, 3, 5]),
    of_one(
        "pad",
        "low=[0, 0, 1, 1], high=[0, 0, 0, 2], mode=constant 0.7",
        [1, 4, 4, 8],
    ),
    of_one(
        "pad",
        "low=[0, 0, 1, 1], high=[0, 0, 0, 2], mode=reflect",
        [1, 4, 4, 8],
    ),
    of_one("reduce", "f=max, axes=[1]", [1, 1, 3, 5]),
    of_one(
        "pool",
        "f=max, kernel=[2, 2], stride=[1, 1], pad_low=[1, 1], pad_high=[0, 0], dilation=[1, 1], ceil=false",
        [1, 4, 3, 5],
    ),
    of_one(
        "resize",
        "mode=nearest, align_corners=false, output=[6, 7], scales=[none, none]",
        [1, 4, 6, 7],
    ),
    of_one("unary", "f=clamp[0, none]", X),
    of_one("unary", "f=clamp[-0.3, 1.1]", X),
    of_one("scan", "f=max, axis=3", X),
];

/// A random scale: a power of two, which makes ties, or another number.
fn scale(case: &mut Case) -> f64 {
    match case.below(3) {
        0 => 2f64.powi(-(case.below(6) as i32)),
        _ => f64::from(0.004 + case.below(1000) as f32 / 8000.0),
    }
}

fn quant(case: &mut Case, is_weight: bool) -> String {
    let (scale, zero) = (scale(case), case.below(256) as i64 - 128);
    match is_weight {
        true => format!("per_tensor {scale:?} 0 in [-127, 127]"),
        false => format!("per_tensor {scale:?} {zero} in [-128, 127]"),
    }
}

fn sizes(sizes: &[usize]) -> String {
    format!("{sizes:?}")
}

/// The graph of `dequantize(quantize(op(quantize(x))))`, with the op `between` on the result of `op` if it is given.
fn graph(case: &mut Case, layer: &Layer, between: Option<&str>, alike: bool) -> Graph {
    let (mut lines, mut params, mut inputs) = (Vec::new(), Vec::new(), String::new());
    let mut operands = Vec::new();
    let first = quant(case, false);
    for (i, (name, shape)) in layer.operands.iter().enumerate() {
        let shape = sizes(shape);
        let q = match alike || i == 0 {
            true => first.clone(),
            false => quant(case, layer.op == "conv"),
        };
        params.push(format!("%{i} \"{name}\": f32{shape}"));
        inputs += &format!("  input tensor \"{name}\" [0, 1, 2, 3]\n");
        let at = layer.operands.len() + 2 * i;
        lines.push(format!(
            "%{at}: i8{shape} as ({q}) = quantize %{i} {{quant={q}, dtype=i8}}"
        ));
        lines.push(format!(
            "%{}: f32{shape} = dequantize %{at} {{dtype=f32}}",
            at + 1
        ));
        operands.push(format!("%{}", at + 1));
    }
    let (mut at, shape) = (3 * layer.operands.len(), sizes(&layer.result));
    let operands = operands.join(", ");
    lines.push(format!(
        "%{at}: f32{shape} = {} {operands} {{{}}}",
        layer.op, layer.attributes
    ));
    if let Some(between) = between {
        lines.push(format!(
            "%{}: f32{shape} = {}",
            at + 1,
            between.replace('$', &format!("%{at}"))
        ));
        at += 1;
    }
    let q = match alike {
        true => first,
        false => quant(case, false),
    };
    lines.push(format!(
        "%{}: i8{shape} as ({q}) = quantize %{at} {{quant={q}, dtype=i8}}",
        at + 1
    ));
    lines.push(format!(
        "%{}: f32{shape} = dequantize %{} {{dtype=f32}}",
        at + 2,
        at + 1
    ));
    lines.push(format!("return %{}", at + 2));
    let text = format!(
        "graph \"q\" {{\n{inputs}  output tensor\n  block b0 ({}) {{\n{}\n}}\n}}\n",
        params.join(", "),
        lines.join("\n")
    );
    let graph = parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(verify(&graph), Ok(()), "{text}");
    graph
}

/// Numbers that reach every integer and sometimes saturate.
fn inputs(case: &mut Case, layer: &Layer) -> Vec<Tensor> {
    let one = |(_, shape): &(&str, [usize; 4])| {
        let count = shape.iter().product();
        let wide = [0.5, 4.0, 40.0][case.below(3) as usize];
        let values = (0..count).map(|_| match case.below(12) {
            0 => 0.0,
            1 => f64::INFINITY,
            2 => -1e9,
            _ => (case.below(4001) as f64 - 2000.0) / 2000.0 * wide,
        });
        let values: Vec<Scalar> = values.map(Scalar::Float).collect();
        Tensor::from(TensorData::from_scalars(DType::F32, shape.to_vec(), values))
    };
    layer.operands.iter().map(one).collect()
}

/// The integers of dequantised reals. A real is an integer of at most 9 bits times the scale, rounded once to f32. So its
/// quotient by the scale lies within 2^-15 of that integer.
fn steps_of(reals: &Tensor, scale: f64) -> Vec<i64> {
    let one = |real: Scalar| {
        let steps = real.as_f64() / scale;
        assert!((steps - steps.round()).abs() <= 2f64.powi(-15), "{steps}");
        steps.round() as i64
    };
    reals.scalars().into_iter().map(one).collect()
}

/// The greatest difference of the results before the pass and behind it, in steps of the result's scale.
fn steps_apart(case: &mut Case, graph: &Graph, layer: &Layer) -> i64 {
    let mut folded = graph.clone();
    run(&mut folded, "fold_quantised");
    let text = print(&folded, Data::Full);
    for (_, node) in folded.nodes_in(folded.root()) {
        let is_integer = matches!(
            node.op,
            Op::Quantize(_) | Op::Dequantize(_) | Op::Quantised(_)
        ) || folded.ty(node.result()).quant.is_some();
        assert!(is_integer, "{}\n{text}", node.op.name());
    }
    let last = folded.block(folded.root()).results[0];
    let integers = folded.node(folded.producer(last).expect("a node")).operands[0];
    let quant = folded
        .ty(integers)
        .quant
        .clone()
        .expect("a dequantisation is last");
    let scale = quant.scheme.scales()[0];
    let mut greatest = 0;
    for _ in 0..4 {
        let inputs = inputs(case, layer);
        let before = evaluated(graph, &inputs);
        let behind = evaluated(&folded, &inputs);
        let types = |ran: &Ran| -> Vec<_> { ran.iter().map(Tensor::tensor_type).collect() };
        assert_eq!(types(&before), types(&behind), "{text}");
        let pairs = steps_of(&before[0], scale)
            .into_iter()
            .zip(steps_of(&behind[0], scale));
        greatest = pairs.fold(greatest, |greatest, (l, r)| greatest.max((l - r).abs()));
    }
    greatest
}

#[test]
fn what_is_computed_is_a_step_apart_at_most() {
    case::each(|case| {
        for layer in COMPUTED {
            let graph = graph(case, layer, None, false);
            let steps = steps_apart(case, &graph, layer);
            assert!(
                steps <= 1,
                "{} {}: {steps} steps",
                layer.op,
                layer.attributes
            );
        }
    });
}

#[test]
fn clamps_and_movements_behind_what_is_computed_change_nothing() {
    let between = [
        "unary $ {f=clamp[0, none]}",
        "unary $ {f=clamp[-0.5, 6.0]}",
        "reverse $ {axes=[1, 3]}",
    ];
    case::each(|case| {
        for layer in COMPUTED {
            for between in between {
                let graph = graph(case, layer, Some(between), false);
                let steps = steps_apart(case, &graph, layer);
                assert!(steps <= 1, "{} {between}: {steps} steps", layer.op);
            }
        }
    });
}

#[test]
fn what_is_carried_keeps_its_bits() {
    case::each(|case| {
        for layer in CARRIED {
            let graph = graph(case, layer, None, true);
            let steps = steps_apart(case, &graph, layer);
            assert!(
                steps == 0,
                "{} {}: {steps} steps",
                layer.op,
                layer.attributes
            );
        }
    });
}

#[test]
fn what_is_carried_to_another_scale_is_a_step_apart_at_most() {
    case::each(|case| {
        for layer in CARRIED {
            let graph = graph(case, layer, None, false);
            let steps = steps_apart(case, &graph, layer);
            assert!(
                steps <= 1,
                "{} {}: {steps} steps",
                layer.op,
                layer.attributes
            );
        }
    });
}

#[test]
fn an_island_is_a_function_of_one_integer() {
    let text = r#"graph "silu" {
  constant c0 "half" f32[1] = [0.5]
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[4]) {
    %1: f32[1] = constant {value=c0}
    %2: i8[4] as (per_tensor 0.1 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.1 3 in [-128, 127], dtype=i8}
    %3: f32[4] = dequantize %2 {dtype=f32}
    %4: f32[4] = dequantize %2 {dtype=f32}
    %5: f32[4] = unary %3 {f=sigmoid}
    %6: f32[4] = binary %4, %5 {f=mul}
    %7: f32[4] = binary %6, %1 {f=mul}
    %8: i8[4] as (per_tensor 0.05 -8 in [-128, 127]) = quantize %7 {quant=per_tensor 0.05 -8 in [-128, 127], dtype=i8}
    %9: f32[4] = dequantize %8 {dtype=f32}
    %10: f32[4] = binary %9, %0 {f=mul}
    %11: i8[4] as (per_tensor 0.05 -8 in [-128, 127]) = quantize %10 {quant=per_tensor 0.05 -8 in [-128, 127], dtype=i8}
    return %11
  }
}
"#;
    let mut graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    run(&mut graph, "fold_quantised");
    let found = islands(&graph);
    assert_eq!(found.len(), 1, "{}", print(&graph, Data::Full));
    let names: Vec<&str> = found[0]
        .nodes
        .iter()
        .map(|&n| graph.node(n).op.name())
        .collect();
    assert_eq!(
        names,
        [
            "dequantize",
            "dequantize",
            "unary",
            "binary",
            "binary",
            "quantize"
        ]
    );
    assert_eq!(
        graph.producer_op(found[0].input).map(Op::name),
        Some("quantize")
    );
    assert_eq!(graph.ty(found[0].output).dtype, DType::I8);
}

/// A constant joins integers where each of its elements is one of them exactly, and only there.
#[test]
fn constants_that_are_integers_exactly_are_joined_as_integers() {
    for (constant, is_exact) in [("[0.5, -1.5]", true), ("[0.5, -1.25]", false)] {
        let text = format!(
            r#"graph "join" {{
  constant c0 "tail" f32[2] = {constant}
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[4]) {{
    %1: f32[2] = constant {{value=c0}}
    %2: i8[4] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {{quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}}
    %3: f32[4] = dequantize %2 {{dtype=f32}}
    %4: f32[6] = concat %3, %1 {{axis=0}}
    return %4
  }}
}}
"#
        );
        let graph = parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let mut folded = graph.clone();
        run(&mut folded, "fold_quantised");
        let nodes = folded.nodes_in(folded.root());
        let mut joins = nodes.filter(|(_, node)| matches!(node.op, Op::Concat(_)));
        let (_, join) = joins.next().expect("a join");
        let joins_integers = folded.ty(join.result()).quant.is_some();
        let printed = print(&folded, Data::Full);
        assert_eq!(joins_integers, is_exact, "{printed}");
        let x = TensorData::from_f32(vec![4], &[0.2, -7.0, 1e9, 0.75]);
        let inputs = [Tensor::from(x)];
        let same = evaluated(&graph, &inputs)[0].bytes() == evaluated(&folded, &inputs)[0].bytes();
        assert!(same, "{printed}");
    }
}

/// All pairs of integers of two scales compare as f32 compares their reals, except for reals that differ by less than 2^-22
/// of the greatest one.
#[test]
fn integers_of_unlike_scales_compare_as_their_reals() {
    case::each(|case| {
        let (a, b) = (quant(case, false), quant(case, false));
        let f = ["lt", "le", "gt", "ge", "eq", "ne"][case.below(6) as usize];
        let text = format!(
            r#"graph "compare" {{
  input tensor "a" [0, 1]
  input tensor "b" [0, 1]
  output tensor
  output tensor
  output tensor
  block b0 (%0 "a": f32[1, 256], %1 "b": f32[256, 1]) {{
    %2: i8[1, 256] as ({a}) = quantize %0 {{quant={a}, dtype=i8}}
    %3: f32[1, 256] = dequantize %2 {{dtype=f32}}
    %4: i8[256, 1] as ({b}) = quantize %1 {{quant={b}, dtype=i8}}
    %5: f32[256, 1] = dequantize %4 {{dtype=f32}}
    %6: bool[256, 256] = compare %3, %5 {{f={f}}}
    return %6, %3, %5
  }}
}}
"#
        );
        let graph = parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let mut folded = graph.clone();
        run(&mut folded, "fold_quantised");
        let compared = folded.block(folded.root()).results[0];
        let node = folded.node(folded.producer(compared).expect("a node"));
        assert!(
            node.operands.iter().all(|&v| folded.ty(v).quant.is_some()),
            "{}",
            print(&folded, Data::Full)
        );
        let values = (0..256).map(|i| Scalar::Float(f64::from(i - 128) * 0.13));
        let input = |sizes: [usize; 2]| {
            let data = TensorData::from_scalars(DType::F32, sizes.to_vec(), values.clone());
            Tensor::from(data)
        };
        let inputs = [input([1, 256]), input([256, 1])];
        let before = evaluated(&graph, &inputs);
        let behind = evaluated(&folded, &inputs);
        let reals = |t: &Tensor| {
            t.scalars()
                .into_iter()
                .map(Scalar::as_f64)
                .collect::<Vec<_>>()
        };
        let (x, y) = (reals(&before[1]), reals(&before[2]));
        let greatest = x.iter().chain(&y).fold(0.0, |m: f64, v| m.max(v.abs()));
        assert_eq!(before[0].tensor_type(), behind[0].tensor_type());
        let pairs = before[0].scalars().into_iter().zip(behind[0].scalars());
        for (i, (l, r)) in pairs.enumerate() {
            let apart = (x[i % 256] - y[i / 256]).abs();
            assert!(
                l == r || apart <= greatest * 2f64.powi(-22),
                "{apart}\n{text}"
            );
        }
    });
}
