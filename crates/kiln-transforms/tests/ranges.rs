//! Ranges contain what the interpreter computes: on random graphs, for noise, awkward numbers, NaN, infinities and
//! extreme integers. The counts at the end say how much was checked, and the test fails if it is little.
//! `KILN_RANGES=20000` checks 20,000 graphs.

use kiln_check::{Recipe, generate, inputs, situations};
use kiln_eval::{Options, State, Tensor, evaluate_observed};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_transforms::analysis::ranges::{Integers, MAX_VALUES_PER_QUERY, Range, Ranges};
use std::collections::BTreeMap;

/// The number of checked values.
#[derive(Debug, Default)]
struct Tally {
    values: usize,
    elements: usize,
    /// Values that are no constants, and those among them whose range is narrower than that of the dtype.
    computed: usize,
    narrowed: usize,
    /// For each op, the number of values and of narrowed ranges.
    by_op: BTreeMap<&'static str, (usize, usize)>,
}

fn is_within(range: Range, tensor: &Tensor) -> Result<usize, String> {
    let data = kiln_ir::TensorData::from(tensor.clone());
    for (at, scalar) in data.scalars().enumerate() {
        let holds = match range {
            Range::Integers(range) => range.contains(scalar.as_i64().into()),
            Range::Floats(range) => range.contains(scalar.as_f64()),
        };
        if !holds {
            return Err(format!("element {at} is {scalar:?}, the range {range:?}"));
        }
    }
    Ok(data.elements())
}

fn check(seed: u64, recipe: &Recipe, tally: &mut Tally) {
    let graph = generate(seed, recipe);
    let mut ranges = Ranges::new(&graph);
    let mut known: BTreeMap<ValueId, Range> = BTreeMap::new();
    for (block, _) in graph.blocks() {
        for (_, node) in graph.nodes_in(block) {
            for &value in &node.results {
                let range = ranges.of(value);
                // A query of a new analysis gives the same answer: answers do not depend on the order of queries.
                assert_eq!(Ranges::new(&graph).of(value), range, "seed {seed}: {value}");
                let is_narrowed = range != Range::of_dtype(graph.ty(value).dtype);
                let count = tally.by_op.entry(node.op.name()).or_default();
                count.0 += 1;
                count.1 += usize::from(is_narrowed);
                if !matches!(node.op, Op::Constant(_)) {
                    tally.computed += 1;
                    tally.narrowed += usize::from(is_narrowed);
                }
                tally.values += 1;
                known.insert(value, range);
            }
        }
    }
    for (i, situation) in situations(&graph).into_iter().enumerate() {
        let Some(inputs) = inputs(&graph, situation, seed ^ i as u64) else {
            continue;
        };
        let mut observer = |graph: &Graph, id: NodeId, results: &[Tensor]| {
            let node = graph.node(id);
            for (value, result) in node.results.iter().zip(results) {
                match is_within(known[value], result) {
                    Ok(elements) => tally.elements += elements,
                    Err(why) => panic!(
                        "seed {seed}, {situation}: {value} of {:?}: {why}\n{}",
                        node.op,
                        kiln_ir::text::print(graph, kiln_ir::text::Data::Full)
                    ),
                }
            }
        };
        let mut state = State::new(&graph);
        let options = Options {
            max_bytes: 1 << 30,
            max_iterations: 1024,
        };
        // Some inputs have no results, because an index is out of range or a divisor is 0.
        let _ = evaluate_observed(&graph, &inputs, &mut state, &options, &mut observer);
    }
}

#[test]
fn what_random_graphs_compute_lies_within() {
    let count = std::env::var_os("KILN_RANGES").map(|n| n.to_string_lossy().parse());
    let count = count.map_or(300, |n| n.expect("KILN_RANGES is a number of graphs"));
    let mut tally = Tally::default();
    for seed in 0..count {
        let recipe = if seed % 4 == 0 {
            Recipe::DENSE
        } else {
            Recipe::ANY
        };
        check(seed, &recipe, &mut tally);
    }
    println!("{tally:#?}");
    let graphs = count as usize;
    assert!(tally.values > 8 * graphs, "few values: {tally:#?}");
    assert!(tally.elements > 500 * graphs, "few elements: {tally:#?}");
    assert!(
        3 * tally.narrowed > tally.computed,
        "little is known: {tally:#?}"
    );
}

/// `%1` is a clamp to -2..=3. Each later value is half of the one before.
fn halves(count: usize) -> Graph {
    let mut text = String::from(
        "graph \"g\" {\n  constant c0 \"half\" f32[1] = splat 0.5\n  input tensor \"x\" [0]\n  output tensor\n  block b0 (%0 \"x\": f32[1]) {\n    %1: f32[1] = unary %0 {f=clamp[-2, 3]}\n    %2: f32[1] = constant {value=c0}\n",
    );
    for i in 0..count {
        let from = if i == 0 { 1 } else { i + 2 };
        text += &format!("    %{}: f32[1] = binary %{from}, %2 {{f=mul}}\n", i + 3);
    }
    text += &format!("    return %{}\n  }}\n}}\n", count + 2);
    kiln_ir::text::parse(&text).expect("a graph")
}

#[test]
fn a_question_looks_so_far_and_no_further() {
    let result = |graph: &Graph| graph.block(graph.root()).results[0];
    let near = halves(MAX_VALUES_PER_QUERY - 10);
    let Range::Floats(range) = Ranges::new(&near).of(result(&near)) else {
        panic!("a float");
    };
    assert!(range.is_finite() && range.magnitude() < 1e-30, "{range:?}");
    let far = halves(4 * MAX_VALUES_PER_QUERY);
    let mut ranges = Ranges::new(&far);
    assert_eq!(
        ranges.of(result(&far)),
        Range::of_dtype(far.ty(result(&far)).dtype)
    );
    // The query of the last value stopped early. A query that starts nearer to the clamp reaches it.
    let nodes: Vec<NodeId> = far.nodes_in(far.root()).map(|(id, _)| id).collect();
    let early = far.node(nodes[20]).result();
    assert!(ranges.of(early).floats().is_some_and(|r| r.is_finite()));
}

/// Each computes `%5` of `%0` (any number), `%1` (a number between 0.5 and 6), `%3` (dequantised bytes) and a constant
/// `%4`.
const BOUNDED: &[&str] = &[
    "%5: f32[2, 8] = unary %0 {f=sigmoid}",
    "%5: f32[2, 8] = unary %0 {f=clamp[none, 3.0]}",
    "%5: f32[2, 8] = unary %1 {f=rsqrt}",
    "%5: f32[2, 8] = unary %1 {f=exp}",
    "%5: f32[2, 8] = unary %3 {f=gelu}",
    "%5: f32[2, 8] = unary %3 {f=elu[1.5, 1.0, 1.0]}",
    "%5: f32[2, 8] = unary %3 {f=softplus[2.0, 20.0]}",
    "%5: f32[2, 8] = unary %3 {f=leaky_relu[-2.0]}",
    "%5: f32[2, 8] = unary %3 {f=square}",
    "%5: f32[2, 8] = binary %3, %1 {f=div}",
    "%5: f32[2, 8] = binary %3, %1 {f=mul}",
    "%5: f32[2, 8] = binary %3, %1 {f=sub}",
    "%5: f32[2, 8] = binary %0, %1 {f=min}",
    "%5: f32[2, 8] = softmax %3 {axis=1, log=false}",
    "%5: f32[2, 1] = reduce %3 {f=sum, axes=[1]}",
    "%5: f32[2, 1] = reduce %3 {f=mean, axes=[1]}",
    "%5: f32[2, 2] = linear %3, %4 {}",
];

#[test]
fn functions_of_bounded_numbers_are_bounded() {
    for line in BOUNDED {
        let text = format!(
            "graph \"g\" {{
  constant c0 \"\" f32[2, 8] = [1, -2, 3, 4, -5, 6, 7, 8, 1, 1, 1, -1, 1, 1, 1, 1]
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0 \"x\": f32[2, 8]) {{
    %1: f32[2, 8] = unary %0 {{f=clamp[0.5, 6.0]}}
    %2: i8[2, 8] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {{quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}}
    %3: f32[2, 8] = dequantize %2 {{dtype=f32}}
    %4: f32[2, 8] = constant {{value=c0}}
    {line}
    return %5
  }}
}}
"
        );
        let graph = kiln_ir::text::parse(&text).unwrap_or_else(|error| panic!("{line}: {error}"));
        let result = graph.block(graph.root()).results[0];
        let range = Ranges::new(&graph).of(result).floats().expect("a float");
        assert!(range.high < 5e3, "{line}: {range:?}");
    }
}

/// Ops without a range rule: only the dtype bounds their results, and float results may be NaN.
const WITHOUT_A_RULE: &[&str] = &[
    "%2: f32[2, 2] = distances %1, %1 {p=2.0}",
    "%2: f32[2, 4] = normalize %1 {kind=layer 1, eps=0.00001}",
];

#[test]
fn a_family_without_a_rule_has_the_range_of_its_type() {
    for line in WITHOUT_A_RULE {
        let shape = &line[line.find(':').expect("a type") + 2..line.find(" =").expect("an op")];
        let text = format!(
            "graph \"g\" {{
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0 \"x\": f32[2, 4]) {{
    %1: f32[2, 4] = unary %0 {{f=clamp[0.5, 6.0]}}
    {line}
    %3: {shape} = unary %2 {{f=clamp[-1.0, 1.0]}}
    return %3
  }}
}}
"
        );
        let graph = kiln_ir::text::parse(&text).unwrap_or_else(|error| panic!("{line}: {error}"));
        let (_, node) = graph.nodes_in(graph.root()).nth(1).expect("three nodes");
        let mut ranges = Ranges::new(&graph);
        let found = ranges.of(node.result());
        assert_eq!(found, Range::of_dtype(kiln_ir::DType::F32), "{line}");
        assert!(found.floats().is_some_and(|range| range.nan));
        let after = ranges.of(graph.block(graph.root()).results[0]);
        assert_eq!(after.floats().map(|r| (r.low, r.high)), Some((-1.0, 1.0)));
    }
}

/// A loop whose first parameter counts by `step` from 2 while it is below `bound`; the ranges of the parameter in the
/// condition and in the body.
fn counted(dtype: &str, step: i64, bound: i64) -> [Range; 2] {
    let text = format!(
        "graph \"g\" {{
  constant c0 \"\" {dtype}[1] = [2]
  constant c1 \"\" {dtype}[1] = [{bound}]
  constant c2 \"\" {dtype}[1] = [{step}]
  input tensor \"x\" [0]
  output tensor
  block b1 (%0: {dtype}[1], %1: f32[3]) {{
    %2: {dtype}[1] = constant {{value=c1}}
    %3: bool[1] = compare %0, %2 {{f=lt}}
    return %3
  }}
  block b2 (%4: {dtype}[1], %5: f32[3]) {{
    %6: {dtype}[1] = constant {{value=c2}}
    %7: {dtype}[1] = binary %4, %6 {{f=add}}
    return %7, %5
  }}
  block b0 (%8 \"x\": f32[3]) {{
    %9: {dtype}[1] = constant {{value=c0}}
    %10: {dtype}[1], %11: f32[3] = while %9, %8 {{condition=b1, body=b2, carried=2}}
    return %11
  }}
}}
"
    );
    let graph = kiln_ir::text::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let loop_node = graph.nodes_in(graph.root()).nth(1).expect("two nodes").1;
    let mut ranges = Ranges::new(&graph);
    let blocks = loop_node.op.bodies();
    [0, 1].map(|i| ranges.of(graph.block(blocks[i]).params[0]))
}

#[test]
fn counters_stay_below_what_the_condition_says() {
    let between = |low: i64, high: i64| Range::Integers(Integers::between(low, high));
    assert_eq!(counted("i64", 1, 10), [between(2, 10), between(2, 9)]);
    assert_eq!(counted("i64", 3, 10), [between(2, 12), between(2, 9)]);
    // The loop does not run.
    assert_eq!(counted("i64", 1, 0), [between(2, 2), between(2, 2)]);
    assert_eq!(counted("i8", 1, 127), [between(2, 127), between(2, 126)]);
    // 125 + 3 wraps to -128. A counter may also go down.
    assert_eq!(counted("i8", 3, 126), [between(-128, 127); 2]);
    assert_eq!(counted("i8", -1, 126), [between(-128, 127); 2]);
}
