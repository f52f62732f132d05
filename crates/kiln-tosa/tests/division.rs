//! Divisions of floats that round their quotient give the evaluator's results, and the target reports the nodes that may
//! differ.

use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::text::parse;
use kiln_ir::{DType, Graph, TensorData};
use kiln_target::Border;
use kiln_tosa::{Tosa, compile, pipeline};
use kiln_transforms::framework::pass::{Options, run_pipeline};
use kiln_transforms::framework::target::Target;

fn compiled(text: &str) -> (Graph, kiln_tosa::dialect::TosaGraph) {
    let mut graph = parse(text).expect("the text is a graph");
    run_pipeline(
        &mut graph,
        &Tosa::default(),
        pipeline(),
        &Options::default(),
    )
    .expect("no pass breaks the graph");
    let mut border = Border::of(&graph, true);
    let file = compile(&graph, &mut border).expect("the graph has a file");
    (graph, file)
}

fn division(f: &str, dtype: DType, count: usize) -> String {
    format!(
        "graph \"division\" {{
  input tensor \"x\" [0]
  input tensor \"y\" [0]
  output tensor
  block b0 (%0 \"x\": {dtype}[{count}], %1 \"y\": {dtype}[{count}]) {{
    %2: {dtype}[{count}] = binary %0, %1 {{f={f}}}
    return %2
  }}
}}"
    )
}

/// The results of the file, and those of the evaluator.
fn both(f: &str, dtype: DType, pairs: &[(f64, f64)]) -> [Vec<f64>; 2] {
    let text = division(f, dtype, pairs.len());
    let (_, file) = compiled(&text);
    let of = |pick: fn(&(f64, f64)) -> f64| {
        let scalars = pairs.iter().map(|p| kiln_ir::Scalar::Float(pick(p)));
        Tensor::from(&TensorData::from_scalars(dtype, vec![pairs.len()], scalars))
    };
    let inputs = [of(|p| p.0), of(|p| p.1)];
    let found = kiln_tosa::evaluate::evaluate(&file, &inputs).expect("the file is evaluated");
    let graph = parse(&text).expect("the text is a graph");
    let wanted = evaluate(
        &graph,
        &inputs,
        &mut State::new(&graph),
        &Default::default(),
    );
    let wanted = wanted.expect("the graph is evaluated").outputs;
    [&found[0], &wanted[0]].map(|t| t.scalars().iter().map(|s| s.as_f64()).collect())
}

fn check(f: &str, dtype: DType, pairs: &[(f64, f64)], rtol: f64) {
    let [found, wanted] = both(f, dtype, pairs);
    assert_eq!([found.len(), wanted.len()], [pairs.len(); 2]);
    for ((pair, found), wanted) in pairs.iter().zip(found).zip(wanted) {
        // Zeros of both signs are different results, except of a dividend of -0: the file learns the dividend's sign by a
        // comparison with 0, which does not see it.
        let is_sign_known = pair.0 != 0.0 || pair.0.is_sign_positive();
        let same = match is_sign_known {
            true => found.to_bits() == wanted.to_bits(),
            false => found == wanted,
        };
        let same = same || (found.is_nan() && wanted.is_nan());
        let close = wanted != 0.0 && (found - wanted).abs() <= rtol * wanted.abs();
        assert!(
            same || close,
            "{f} of {pair:?} in {dtype}: {found}, not {wanted}"
        );
    }
}

const SPECIAL: &[(f64, f64)] = &[
    (5.0, f64::INFINITY),
    (-5.0, f64::INFINITY),
    (5.0, f64::NEG_INFINITY),
    (f64::INFINITY, 5.0),
    (f64::NEG_INFINITY, f64::INFINITY),
    (5.0, 0.1),
    (-5.0, 0.1),
    (7.0, -0.7),
    (0.3, 0.1),
    (1e10, 3.0),
    (-1e10, 3.0),
    (6.0, 3.0),
    (49.0, 49.0),
    (-0.0, 2.0),
    (3.0, 0.0),
    (-3.0, 0.0),
    (0.0, 0.0),
    (f64::NAN, 1.0),
    (1.0, f64::NAN),
    (1e-39, 1e-39),
    (3e-45, 1e-45),
    (1e38, 3e38),
    (3e38, 7e37),
];

const ALL: [&str; 4] = ["fmod", "remainder", "trunc_div", "floor_div"];

#[test]
fn special_numbers_are_divided() {
    for f in ALL {
        check(f, DType::F32, SPECIAL, 0.0);
    }
    let halves: Vec<(f64, f64)> = SPECIAL
        .iter()
        .copied()
        .filter(|(a, b)| [a, b].iter().all(|n| !n.is_finite() || n.abs() < 6e4))
        .filter(|(_, b)| *b == 0.0 || b.abs() > 1e-4)
        .collect();
    for f in ALL {
        check(f, DType::F16, &halves, 0.0);
        check(f, DType::BF16, &halves, 0.0);
    }
}

#[test]
fn rests_are_exact() {
    let mut random = kiln_check::Random::new(7);
    let mut number = |spread: f64| {
        let size = (random.unit() * 2.0 - 1.0) * spread;
        let sign = if random.chance(50) { 1.0 } else { -1.0 };
        f64::from((sign * size.exp2() * (1.0 + random.unit())) as f32)
    };
    let wide: Vec<(f64, f64)> = (0..20_000).map(|_| (number(17.0), number(17.0))).collect();
    for f in ["fmod", "remainder"] {
        check(f, DType::F32, &wide, 0.0);
    }
    // Quotients of more than 24 bits are rounded. The file computes a reciprocal and a product, the evaluator a quotient
    // and its floor: four roundings of a unit each.
    for f in ["trunc_div", "floor_div"] {
        check(f, DType::F32, &wide, 4.0 * 2f64.powi(-24));
    }
    let multiples: Vec<(f64, f64)> = (0..5_000)
        .map(|i| {
            (
                f64::from(i % 4000) * f64::from(1 + i % 399),
                f64::from(1 + i % 399),
            )
        })
        .collect();
    for f in ALL {
        check(f, DType::F32, &multiples, 0.0);
    }
}

/// The reported difference of each node that may differ.
fn differences(text: &str) -> Vec<String> {
    let (graph, _) = compiled(text);
    let nodes = graph.nodes_in(graph.root());
    let found = nodes.filter_map(|(id, _)| Tosa::default().difference(&graph, id));
    found.map(|reason| reason.to_string()).collect()
}

#[test]
fn rests_of_large_quotients_are_named() {
    let of = |f| differences(&division(f, DType::F32, 3)).len();
    assert_eq!(
        ["remainder", "fmod", "div", "floor_div"].map(of),
        [1, 1, 1, 0]
    );
}

fn integers(lines: &str, result: &str) -> Vec<String> {
    differences(&format!(
        "graph \"integers\" {{
  constant c0 \"\" i64[1] = [100000]
  constant c1 \"\" i64[1] = [7]
  input tensor \"x\" [0]
  input tensor \"y\" [0]
  output tensor
  block b0 (%0 \"x\": i64[3], %1 \"y\": i8[3]) {{
    %2: i64[1] = constant {{value=c0}}
    %3: i64[1] = constant {{value=c1}}
    {lines}
    return {result}
  }}
}}"
    ))
}

#[test]
fn integers_that_may_wrap_are_named() {
    let wraps = integers("%4: i64[3] = binary %0, %2 {f=mul}", "%4");
    assert_eq!(wraps.len(), 1, "{wraps:?}");
    assert!(
        wraps[0].contains("64-bit integers are held in 32 bits"),
        "{wraps:?}"
    );
    assert!(wraps[0].contains("-214748364800000"), "{wraps:?}");
    let narrow = "%4: i64[3] = cast %1 {to=i64}\n    %5: i64[3] = binary %4, %2 {f=mul}";
    assert_eq!(integers(narrow, "%5"), [""; 0]);
    let index = "%4: i64[3] = unary %0 {f=clamp[0, 6]}\n    %5: i64[3] = binary %4, %2 {f=mul}";
    assert_eq!(integers(index, "%5"), [""; 0]);
    assert_eq!(
        integers("%4: i64[1] = arg_reduce %1 {f=max, axis=0}", "%4"),
        [""; 0]
    );
    let sum = "%4: i64[1] = reduce %0 {f=sum, axes=[0]}";
    assert_eq!(integers(sum, "%4").len(), 1);
}
