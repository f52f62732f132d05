//! What the judge takes for the same and what not: pairs of graphs in `tests/judge`, the one before and the one after a
//! rewrite. A file's first line says `same` or the difference that is found
//! (`KILN_BLESS=1` writes what was found).

use kiln_check::{Baseline, Close, Ran, Side, difference, difference_elsewhere, run, settled};
use kiln_eval::Tensor;
use kiln_ir::Graph;
use kiln_ir::text::parse;
use std::fs;
use std::path::Path;

fn graph(text: &str) -> Graph {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn pairs_are_judged_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge");
    let entries = fs::read_dir(folder).expect("the folder is part of the crate");
    let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let (expected, pair) = text.split_once('\n').expect("a line and a pair");
        let (before, after) = pair.split_once("---\n").expect("two graphs");
        let (before, after) = (graph(before), graph(after));
        let baselines = Baseline::all(&before);
        let has_values = baselines.iter().any(|b| b.elements() > 0);
        assert!(has_values, "{}: no values", path.display());
        let fault = baselines
            .iter()
            .find_map(|b| b.compare(&before, &after, Close::Rounding).err());
        let found = fault.map_or("same".into(), |f| f.to_string());
        if found != expected && std::env::var_os("KILN_BLESS").is_some() {
            fs::write(&path, format!("{found}\n{pair}")).expect("written");
            continue;
        }
        assert_eq!(found, expected, "{}", path.display());
    }
}

/// Half of x, and x squared.
fn two_results() -> (Graph, [Tensor; 1]) {
    let text = "graph \"g\" {\n  constant c0 \"\" f32[1] = [0.5]\n  input tensor \"x\" [0]\n  output tensor\n  output tensor\n  \
                block b0 (%0 \"x\": f32[2]) {\n    %1: f32[1] = constant {value=c0}\n    \
                %2: f32[2] = binary %0, %1 {f=mul}\n    %3: f32[2] = binary %0, %0 {f=mul}\n    \
                return %2, %3\n  }\n}\n";
    (graph(text), [Tensor::new([2], vec![3e-20f32, 1.0])])
}

/// What is said of results that another executor found.
fn elsewhere(change: impl Fn(&mut Ran)) -> Option<String> {
    let (graph, inputs) = two_results();
    let ran = run(&graph, &inputs).expect("it runs");
    let mut found = ran.clone();
    change(&mut found);
    let own = Side {
        graph: &graph,
        ran: &ran,
    };
    let by_graph = difference_elsewhere(own, &found, &inputs).map(|d| d.to_string());
    let other = Side {
        graph: &graph,
        ran: &found,
    };
    let by_bits = difference(own, other, &inputs, Close::Bits);
    assert!(by_graph.is_none() || by_bits.is_some());
    by_graph
}

#[test]
fn results_that_are_missing_are_found() {
    assert_eq!(elsewhere(|_| {}), None);
    let fewer = elsewhere(|ran| ran.truncate(1));
    assert_eq!(
        fewer.as_deref(),
        Some("output 0: found 1 tensors, expected 2 tensors")
    );
    let shorter = elsewhere(|ran| ran[1] = Tensor::new([1], vec![9e-40f32]));
    assert!(shorter.is_some_and(|text| text.starts_with("output 1: found")));
    assert!(elsewhere(Ran::clear).is_some());
}

/// A small element is not hidden by a large one of its tensor, nor by 1.
#[test]
fn small_results_count_as_large_ones_do() {
    let half = |small: f32| elsewhere(move |ran| ran[0] = Tensor::new([2], vec![small, 0.5]));
    assert_eq!(half(1.5e-20 * (1.0 + f32::EPSILON)), None);
    assert!(half(1.5e-20 * (1.0 + 32.0 * f32::EPSILON)).is_some());
    assert!(half(0.0).is_some());
}

#[test]
fn what_is_settled_is_no_more_than_is_lost() {
    let (found, expected) = ([1.0f32, 2.0], [1.25f32, 2.5]);
    let [found, expected] = [found, expected].map(|v| Tensor::new([2], v.to_vec()));
    let lost = |_, e: f64| 0.2 * e;
    assert_eq!(
        settled(&found, &expected, lost).elements(),
        Some(&[1.0f32, 2.0][..])
    );
    let lost = |i, _| if i == 0 { 0.25 } else { 0.0 };
    assert_eq!(
        settled(&found, &expected, lost).elements(),
        Some(&[1.0f32, 2.5][..])
    );
    let longer = Tensor::new([3], vec![1.0f32; 3]);
    assert_eq!(settled(&longer, &expected, lost).sizes(), [2]);
}

/// A requantisation of a tie: fixed-point arithmetic may round it either way, and no farther.
#[test]
fn fixed_point_rounds_ties_either_way() {
    let text = "graph \"g\" {\n  input tensor \"x\" [0]\n  output tensor\n  block b0 (%0: f32[2]) {\n    \
                %1: i8[2] as (per_tensor 0.5 0 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 0 in [-128, 127], dtype=i8}\n    \
                %2: i8[2] as (per_tensor 1.0 0 in [-128, 127]) = requantize %1 {quant=per_tensor 1.0 0 in [-128, 127], dtype=i8}\n    \
                %3: f32[2] = dequantize %2 {dtype=f32}\n    return %3\n  }\n}\n";
    let graph = graph(text);
    let inputs = [Tensor::new([2], vec![0.5f32, 3.0])];
    let ran = run(&graph, &inputs).expect("it runs");
    assert_eq!(ran[0].elements(), Some(&[0.0f32, 3.0][..]));
    let apart = |found: [f32; 2], close| {
        let found = vec![Tensor::new([2], found.to_vec())];
        let side = |ran| Side { graph: &graph, ran };
        difference(side(&ran), side(&found), &inputs, close).is_some()
    };
    assert!(!apart([1.0, 3.0], Close::FixedPoint));
    assert!(apart([1.0, 3.0], Close::Rounding));
    assert!(apart([0.0, 4.0], Close::FixedPoint), "3.0 is no tie");
    assert!(apart([2.0, 3.0], Close::FixedPoint));
}

/// Quotients by zero: those of other numbers saturate in fixed-point arithmetic, too, and only that of zero is open.
#[test]
fn fixed_point_saturates_infinities() {
    let text = "graph \"g\" {\n  input tensor \"x\" [0]\n  input tensor \"y\" [0]\n  output tensor\n  \
                block b0 (%0: f32[3], %1: f32[3]) {\n    \
                %2: i8[3] as (per_tensor 0.5 0 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 0 in [-128, 127], dtype=i8}\n    \
                %3: i8[3] as (per_tensor 0.5 0 in [-128, 127]) = quantize %1 {quant=per_tensor 0.5 0 in [-128, 127], dtype=i8}\n    \
                %4: i8[3] as (per_tensor 0.5 -100 in [-128, 127]) = quantised %2, %3 \
                {op=binary {f=div}, quant=per_tensor 0.5 -100 in [-128, 127], dtype=i8}\n    \
                %5: f32[3] = dequantize %4 {dtype=f32}\n    return %5\n  }\n}\n";
    let graph = graph(text);
    let inputs = [[-1.0f32, 1.0, 0.0], [0.0; 3]].map(|v| Tensor::new([3], v.to_vec()));
    let ran = run(&graph, &inputs).expect("it runs");
    let own = ran[0].elements::<f32>().expect("floats").to_vec();
    assert_eq!(own[..2], [-14.0, 113.5]);
    let apart = |found: [f32; 3]| {
        let found = vec![Tensor::new([3], found.to_vec())];
        let side = |ran| Side { graph: &graph, ran };
        difference(side(&ran), side(&found), &inputs, Close::FixedPoint).is_some()
    };
    assert!(!apart([-14.0, 113.5, 0.0]));
    assert!(apart([50.0, 113.5, own[2]]), "-1/0 is the least integer");
    assert!(apart([-14.0, 50.0, own[2]]), "1/0 is the greatest integer");
}

/// A layer of integers, whose sums are multiplied by less than 1: a result may be off by one step where it is between two, and no
/// farther. What another element may be off by allows nothing.
#[test]
fn fixed_point_is_bounded_by_the_graph_alone() {
    let (x, y) = (
        "per_tensor 0.05 3 in [-128, 127]",
        "per_tensor 0.04 -5 in [-128, 127]",
    );
    let w = "per_channel 0 [0.01, 0.013] [0, 0] in [-128, 127]";
    let text = format!(
        "graph \"g\" {{\n  constant c0 \"w\" i8[2, 3] as ({w}) = [100, -50, 77, -33, 90, 127]\n  input tensor \"x\" [0, 1]\n  output tensor\n  block b0 (%0: f32[10, 3]) {{\n    \
                %1: i8[10, 3] as ({x}) = quantize %0 {{quant={x}, dtype=i8}}\n    %2: i8[2, 3] as ({w}) = constant {{value=c0}}\n    \
                %3: i8[10, 2] as ({y}) = quantised %1, %2 {{op=linear {{}}, quant={y}, dtype=i8}}\n    %4: f32[10, 2] = dequantize %3 {{dtype=f32}}\n    return %4\n  }}\n}}\n"
    );
    let graph = graph(&text);
    let numbers = (0..30).map(|i| ((i * 37 % 101) as f32 - 50.0) / 20.0);
    let inputs = [Tensor::new([10, 3], numbers.collect::<Vec<f32>>())];
    let ran = run(&graph, &inputs).expect("it runs");
    let own = ran[0].elements::<f32>().expect("floats").to_vec();
    let apart = |change: &dyn Fn(usize, f32) -> f32| {
        let found = own.iter().enumerate().map(|(i, &v)| change(i, v));
        let found = vec![Tensor::new([10, 2], found.collect::<Vec<f32>>())];
        let side = |ran| Side { graph: &graph, ran };
        difference(side(&ran), side(&found), &inputs, Close::FixedPoint).is_some()
    };
    let step = 0.04;
    assert!(!apart(&|_, v| v));
    // The factors are 2^-6: one result of 30 is near the middle of two integers, to one side.
    let moved = |by: f32| {
        (0..own.len())
            .filter(|&at| !apart(&|i, v| if i == at { v + by } else { v }))
            .count()
    };
    assert!(moved(step) + moved(-step) < 10);
    assert_eq!([moved(2.0 * step), moved(-2.0 * step)], [0, 0]);
    assert!(
        apart(&|i, v| if i % 2 == 0 { v * 1.02 } else { v }),
        "a multiplier"
    );
    assert!(apart(&|_, v| v + step), "a bias");
    assert!(apart(&|i, _| own[i ^ 1]), "channels");
}
