//! Evaluation of whole graphs: symbols, branches, loops, state, limits, and errors that name their node.

use kiln_eval::{Cause, EvalError, Options, Outcome, State, Tensor, evaluate, evaluate_observed};
use kiln_ir::arena::Id;
use kiln_ir::text::parse;
use kiln_ir::verify::verify;
use kiln_ir::{CellId, Graph, NodeId};

fn graph(text: &str) -> Graph {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(verify(&graph), Ok(()));
    graph
}

fn run(graph: &Graph, inputs: &[Tensor]) -> Result<Outcome, EvalError> {
    evaluate(graph, inputs, &mut State::new(graph), &Options::default())
}

fn i64s(values: &[i64]) -> Tensor {
    Tensor::new([values.len()], values.to_vec())
}

const DYNAMIC: &str = r#"graph "dynamic" {
  symbol s0 in 2..=8
  symbol s1 in 0..
  input tensor "x" [0, 1]
  input tensor "y" [0]
  output tensor
  output tensor
  source l0 "merge" "aten.view.default" "" ""
  block b0 (%0 "x": f32[s0, 2 * s1], %1 "y": f32[s0 + 1]) {
    %2: f32[2 * s0 * s1] = move %0 {movement=(a:{s0} b:{2 * s1} -> (a b))} @ l0
    %3: i64[] = dim_value {dim=s0 + s1}
    return %2, %3
  }
}
"#;

#[test]
fn input_sizes_bind_symbols_and_derived_ones_are_solved() {
    let graph = graph(DYNAMIC);
    let x = Tensor::new([2, 6], (0..12).map(|i| i as f32).collect());
    let y = Tensor::new([3], vec![0f32; 3]);
    let outputs = run(&graph, &[x, y]).unwrap().outputs;
    assert_eq!(outputs[0].sizes(), [12]);
    assert_eq!(outputs[1], Tensor::scalar(5i64));
}

#[test]
fn inputs_that_do_not_fit_are_named() {
    let graph = graph(DYNAMIC);
    let x = |a: usize, b: usize| Tensor::new([a, b], vec![0f32; a * b]);
    let y = |n: usize| Tensor::new([n], vec![0f32; n]);
    let error = |inputs: &[Tensor]| run(&graph, inputs).unwrap_err().to_string();
    assert_eq!(
        error(&[x(9, 2), y(10)]),
        "input 0 has size 9 along dim 0: s0 is 9, outside of its range 2..=8"
    );
    assert_eq!(
        error(&[x(2, 3), y(3)]),
        "input 0 has size 3 along dim 1: no value makes it 2*s1"
    );
    assert_eq!(
        error(&[x(2, 2), y(4)]),
        "input 1 has size 4 along dim 0: expected s0 + 1 = 3"
    );
    assert_eq!(
        error(&[y(3)]),
        "1 inputs are given, but the graph has 2 tensor inputs"
    );
    assert_eq!(
        error(&[y(3), y(3)]),
        "input 0 is f32[3], expected f32[d0, 2*d1]"
    );
}

const COUNTER: &str = r#"graph "counter" {
  constant c0 "count" i64[1] = [5]
  constant c1 "" i64[1] = [1]
  state m0 "count" i64[1] = c0
  state m1 "x" i64[1] = input 1
  input none
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": i64[1]) {
    %1: i64[1] = read_state {cell=m0}
    %2: i64[1] = constant {value=c1}
    %3: i64[1] = binary %1, %2 {f=add}
    %4: i64[1] = read_state {cell=m1}
    %5: i64[1] = binary %4, %3 {f=mul}
    return %1
  }
  update m0 = %3
  update m1 = %5
}
"#;

#[test]
fn state_starts_at_its_constant_and_carries_over() {
    let graph = graph(COUNTER);
    let mut state = State::new(&graph);
    for call in 0..3 {
        let outcome = evaluate(&graph, &[i64s(&[10])], &mut state, &Options::default()).unwrap();
        assert_eq!(outcome.outputs, [i64s(&[5 + call])]);
        assert_eq!(outcome.updated_inputs, [(1, i64s(&[10 * (6 + call)]))]);
    }
    assert_eq!(state.get(CellId::new(0)), Some(&i64s(&[8])));
    assert!(state.get(CellId::new(1)).is_none());
}

#[test]
fn state_of_another_graph_is_refused() {
    let error = evaluate(
        &graph(COUNTER),
        &[i64s(&[1])],
        &mut State::default(),
        &Options::default(),
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("state cell count: it holds nothing")
    );
}

const LOOP: &str = r#"graph "loop" {
  constant c0 "" i64[1] = [1]
  input tensor "n" [0]
  input tensor "step" [0]
  output tensor
  output tensor
  block b1 (%0: i64[1], %1: i64[1], %2: i64[1]) {
    %3: i64[1] = constant {value=c0}
    %4: bool[1] = compare %0, %3 {f=ge}
    return %4
  }
  block b2 (%5: i64[1], %6: i64[1], %7: i64[1]) {
    %8: i64[1] = binary %5, %7 {f=sub}
    %9: i64[1] = binary %6, %5 {f=mul}
    return %8, %9
  }
  block b0 (%10 "n": i64[1], %11 "step": i64[1]) {
    %12: i64[1] = constant {value=c0}
    %13: i64[1], %14: i64[1] = while %10, %12, %11 {condition=b1, body=b2, carried=2}
    return %13, %14
  }
}
"#;

#[test]
fn loops_carry_values_until_the_condition_fails() {
    let graph = graph(LOOP);
    let run = |n: i64, step: i64| run(&graph, &[i64s(&[n]), i64s(&[step])]).unwrap().outputs;
    assert_eq!(run(5, 1), [i64s(&[0]), i64s(&[120])]);
    assert_eq!(run(5, 2), [i64s(&[-1]), i64s(&[15])]);
    assert_eq!(run(0, 1), [i64s(&[0]), i64s(&[1])]);
}

#[test]
fn a_loop_without_end_is_stopped() {
    let graph = graph(LOOP);
    let options = Options {
        max_iterations: 100,
        ..Options::default()
    };
    let inputs = [i64s(&[5]), i64s(&[0])];
    let error = evaluate(&graph, &inputs, &mut State::new(&graph), &options).unwrap_err();
    assert_eq!(error.cause, Cause::Iterations { limit: 100 });
    assert_eq!(error.place.unwrap().op, "while");
}

const BRANCH: &str = r#"graph "branch" {
  input tensor "c" []
  input tensor "x" [0]
  output tensor
  block b1 (%0: f32[2]) {
    %1: f32[2] = unary %0 {f=neg}
    return %1
  }
  block b2 (%2: f32[2]) {
    %3: f32[2] = binary %2, %2 {f=add}
    return %3
  }
  block b0 (%4 "c": bool[], %5 "x": f32[2]) {
    %6: f32[2] = if %4, %5 {then=b1, otherwise=b2}
    return %6
  }
}
"#;

#[test]
fn a_branch_is_chosen() {
    let graph = graph(BRANCH);
    let x = Tensor::new([2], vec![1f32, -2.0]);
    let run = |c: bool| {
        run(&graph, &[Tensor::scalar(c), x.clone()])
            .unwrap()
            .outputs
    };
    assert_eq!(run(true), [Tensor::new([2], vec![-1f32, 2.0])]);
    assert_eq!(run(false), [Tensor::new([2], vec![2f32, -4.0])]);
}

const COUNTED: &str = r#"graph "counted" {
  symbol u0 in 0..=3
  symbol u1 in 1..=4
  input tensor "x" [0]
  input tensor "n" []
  output tensor
  output tensor
  source l0 "nz" "aten.nonzero.default" "" ""
  block b0 (%0 "x": f32[5], %1 "n": i64[]) {
    %2: i64[u0, 1] = non_zero %0 {count=u0} @ l0
    bind_symbol %1 {symbol=u1}
    %3: f32[u1] = slice %0 {axis=0, start=1, len=u1, step=1}
    %4: i64[u1] = iota {len=u1, dtype=i64}
    return %2, %3
  }
}
"#;

#[test]
fn values_become_sizes() {
    let graph = graph(COUNTED);
    let x = Tensor::new([5], vec![0f32, 1.0, 0.0, 3.0, 0.0]);
    let outputs = run(&graph, &[x.clone(), Tensor::scalar(2i64)])
        .unwrap()
        .outputs;
    assert_eq!(outputs[0], Tensor::new([2, 1], vec![1i64, 3]));
    assert_eq!(outputs[1], Tensor::new([2], vec![1f32, 0.0]));
    let error = run(&graph, &[x, Tensor::scalar(5i64)]).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("u1 is 5, outside of its range 1..=4"),
        "{error}"
    );
    let full = Tensor::new([5], vec![1f32; 5]);
    let error = run(&graph, &[full, Tensor::scalar(2i64)]).unwrap_err();
    assert_eq!(error.place.unwrap().sources, ["nz"]);
}

const CHAIN: &str = r#"graph "chain" {
  input tensor "x" [0]
  output tensor
  block b0 (%0 "x": f32[1024]) {
    %1: f32[1024] = unary %0 {f=neg}
    %2: f32[1024] = unary %1 {f=exp}
    %3: f32[1024] = unary %2 {f=neg}
    %4: f32[1024] = unary %3 {f=exp}
    %5: f32[1024] = binary %4, %4 {f=mul}
    return %5
  }
}
"#;

#[test]
fn values_are_freed_behind_their_last_use() {
    let graph = graph(CHAIN);
    let x = [Tensor::new([1024], vec![0f32; 1024])];
    let run = |max_bytes: u64| {
        let options = Options {
            max_bytes,
            ..Options::default()
        };
        evaluate(&graph, &x, &mut State::new(&graph), &options)
    };
    assert!(run(8192).is_ok());
    let error = run(8191).unwrap_err();
    let expected = Cause::OutOfMemory {
        needed: 4096,
        left: 4095,
        limit: 8191,
    };
    assert_eq!(error.cause, expected);
}

#[test]
fn every_node_is_observed() {
    let graph = graph(CHAIN);
    let mut seen = Vec::new();
    let mut observer = |graph: &Graph, node: NodeId, results: &[Tensor]| {
        seen.push((graph.node(node).op.name(), results[0].len()));
    };
    let x = [Tensor::new([1024], vec![0f32; 1024])];
    let mut state = State::new(&graph);
    evaluate_observed(&graph, &x, &mut state, &Options::default(), &mut observer).unwrap();
    assert_eq!(seen.len(), 5);
    assert!(seen.iter().all(|&(_, n)| n == 1024));
    assert_eq!(seen[4].0, "binary");
}

#[test]
fn errors_name_the_node() {
    let graph = graph(
        r#"graph "g" {
  input tensor "a" [0]
  output tensor
  source l0 "div_1" "aten.floor_divide.default" "" ""
  block b0 (%0 "a": i64[2]) {
    %1: i64[2] = binary %0, %0 {f=floor_div} @ l0
    return %1
  }
}
"#,
    );
    let error = run(&graph, &[i64s(&[1, 0])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "n0 binary (div_1): an integer is divided by zero"
    );
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let graph = graph(
        r#"graph "g" {
  input tensor "x" [0, 1, 2, 3]
  input tensor "w" [0, 1, 2, 3]
  output tensor
  output tensor
  block b0 (%0 "x": f32[1, 24, 40, 40], %1 "w": f32[70, 24, 3, 3]) {
    %2: f32[1, 70, 38, 38] = conv %0, %1 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
    %3: f32[1, 70, 1, 1] = reduce %2 {f=mean, axes=[2, 3]}
    %4: f32[1, 24, 40, 40] = softmax %0 {axis=1, log=false}
    %5: f32[1, 24, 40, 40] = matmul %0, %4 {}
    return %3, %5
  }
}
"#,
    );
    let noise = |n: usize| {
        (0..n)
            .map(|i| ((i * 7919) % 1013) as f32 / 97.0 - 5.0)
            .collect()
    };
    let inputs = [
        Tensor::new([1, 24, 40, 40], noise(24 * 1600)),
        Tensor::new([70, 24, 3, 3], noise(70 * 216)),
    ];
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| run(&graph, &inputs).unwrap().outputs)
    };
    let one = with(1);
    assert!((2..6).all(|threads| with(threads) == one));
}

const SIZED_BRANCHES: &str = r#"graph "sized" {
  symbol u0 in 0..
  symbol u1 in 0..
  constant c0 "" i64[1] = [0]
  constant c1 "" i64[1] = [1]
  constant c2 "" i64[1] = [2]
  constant c3 "" bool[1] = [true]
  input tensor "x" [0]
  output tensor
  block b3 (%0: i64[5]) {
    %1: i64[u0, 1] = non_zero %0 {count=u0}
    return %1
  }
  block b4 (%2: i64[5]) {
    %3: i64[5] = unary %2 {f=abs}
    %4: i64[5] = unary %3 {f=bit_not}
    %5: i64[u1, 1] = non_zero %4 {count=u1}
    return %5
  }
  block b1 (%6: i64[1], %7: i64[1], %8: i64[5]) {
    %9: i64[1] = constant {value=c2}
    %10: bool[1] = compare %6, %9 {f=lt}
    return %10
  }
  block b2 (%11: i64[1], %12: i64[1], %13: i64[5]) {
    %14: i64[1] = constant {value=c1}
    %15: i64[1] = constant {value=c0}
    %16: bool[1] = compare %11, %14 {f=eq}
    %17: i64[u0, 1] = if %16, %13 {then=b3, otherwise=b4}
    %18: i64[1, 1] = reduce %17 {f=sum, axes=[0]}
    %19: i64[1] = move %18 {movement=(1 1 -> 1)}
    %20: i64[1] = binary %12, %19 {f=add}
    %21: i64[1] = binary %11, %14 {f=add}
    return %21, %20
  }
  block b0 (%22 "x": i64[5]) {
    %23: i64[1] = constant {value=c0}
    %24: i64[1], %25: i64[1] = while %23, %23, %22 {condition=b1, body=b2, carried=2}
    return %25
  }
}
"#;

#[test]
fn branches_bind_their_sizes_anew_in_each_iteration() {
    let graph = graph(SIZED_BRANCHES);
    // The other branch runs first: `bit_not` of |x| is nowhere 0, so the indices are 0 + 1 + 2 + 3 + 4. Then come the
    // positions that are not zero: 1 + 3.
    let outputs = run(&graph, &[i64s(&[0, 7, 0, -1, 0])]).unwrap().outputs;
    assert_eq!(outputs, [i64s(&[14])]);
}

#[test]
fn channels_of_both_operands_join() {
    let graph = graph(
        r#"graph "channels" {
  constant c0 "a" i8[1, 2] as (per_channel 0 [0.5] [1] in [-128, 127]) = [1, 2]
  constant c1 "b" i8[1, 2] as (per_channel 0 [0.25] [0] in [-128, 127]) = [3, 4]
  output tensor
  block b0 () {
    %0: i8[1, 2] as (per_channel 0 [0.5] [1] in [-128, 127]) = constant {value=c0}
    %1: i8[1, 2] as (per_channel 0 [0.25] [0] in [-128, 127]) = constant {value=c1}
    %2: i8[2, 2] as (per_channel 0 [0.5, 0.25] [1, 0] in [-128, 127]) = concat %0, %1 {axis=0}
    %3: f32[2, 2] = dequantize %2 {dtype=f32}
    return %3
  }
}
"#,
    );
    let outputs = run(&graph, &[]).unwrap().outputs;
    assert_eq!(
        outputs[0],
        Tensor::new([2, 2], vec![0.0f32, 0.5, 0.75, 1.0])
    );
}
