//! Ops on the integers between a quantisation and a dequantisation, as ATen computes them. The expected figures are torch's.

mod program;

use kiln_aten::Arg;
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::DType::{F32, I8};
use kiln_ir::verify::verify;
use program::{Program, graph, int, ints, shape};

/// `0, 1, ..` of a 3 by 4 matrix, quantised by a scale of a half and a zero point of -3, goes through `between` and is
/// dequantised.
fn run(between: impl FnOnce(&mut Program<'_>, Arg) -> Arg) -> Vec<f32> {
    let parameters = [
        Arg::Float(0.5),
        int(-3),
        int(-128),
        int(127),
        Arg::DType(I8),
    ];
    let call = |p: &mut Program<'_>, op: &str, x: Arg| {
        let args: Vec<Arg> = [x].into_iter().chain(parameters.clone()).collect();
        p.call(&format!("quantized_decomposed.{op}.default"), &args)
    };
    let graph = graph(|p| {
        let x = p.input("x", F32, &shape(&[3, 4]));
        let stored = call(p, "quantize_per_tensor", x);
        let stored = between(p, stored);
        vec![call(p, "dequantize_per_tensor", stored)]
    });
    assert_eq!(verify(&graph), Ok(()));
    let input = Tensor::new(vec![3, 4], (0..12).map(|i| i as f32).collect::<Vec<f32>>());
    let mut state = State::new(&graph);
    let outcome =
        evaluate(&graph, &[input], &mut state, &Options::default()).expect("the graph runs");
    outcome.outputs[0].elements::<f32>().expect("f32").to_vec()
}

#[test]
fn a_clamp_limits_the_integers() {
    let found = run(|p, q| p.call("aten.clamp.default", &[q, int(0), int(10)]));
    assert_eq!(
        found,
        [1.5, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 6.5, 6.5, 6.5, 6.5, 6.5]
    );
}

#[test]
fn a_sum_is_one_of_integers() {
    let found = run(|p, q| p.call("aten.add.Tensor", &[q.clone(), q]));
    let expected: Vec<f32> = (0..12).map(|i| 2.0 * i as f32 - 1.5).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_padding_is_an_integer() {
    let found = run(|p, q| p.call("aten.constant_pad_nd.default", &[q, ints(&[1, 0]), int(2)]));
    assert_eq!(
        found,
        [
            2.5, 0.0, 1.0, 2.0, 3.0, 2.5, 4.0, 5.0, 6.0, 7.0, 2.5, 8.0, 9.0, 10.0, 11.0
        ]
    );
}

#[test]
fn what_moves_and_picks_keeps_the_parameters() {
    let found = run(|p, q| {
        let moved = p.call("aten.permute.default", &[q, ints(&[1, 0])]);
        let picked = p.call("aten.slice.Tensor", &[moved, int(0), int(1), int(3)]);
        p.call("aten.flip.default", &[picked, ints(&[1])])
    });
    assert_eq!(found, [9.0, 5.0, 1.0, 10.0, 6.0, 2.0]);
}

/// `0, 1, ..` of a 2 by 3 matrix of bytes, dequantised by rows with a scale of a half and this zero point.
fn by_rows(zero_point: f64) -> Vec<f32> {
    let graph = graph(|p| {
        let x = p.input("x", I8, &shape(&[2, 3]));
        let column = |p: &mut Program<'_>, value: f64| {
            let column = p.call("aten.full.default", &[ints(&[2, 1]), Arg::Float(value)]);
            p.call("aten.squeeze.dim", &[column, int(1)])
        };
        let (scales, zero_points) = (column(p, 0.5), column(p, zero_point));
        let stored = [int(0), int(-128), int(127), Arg::DType(I8)];
        let args: Vec<Arg> = [x, scales, zero_points].into_iter().chain(stored).collect();
        vec![p.call("quantized_decomposed.dequantize_per_channel.default", &args)]
    });
    assert_eq!(verify(&graph), Ok(()));
    let input = Tensor::new(vec![2, 3], (0..6).collect::<Vec<i8>>());
    let mut state = State::new(&graph);
    let outcome = evaluate(&graph, &[input], &mut state, &Options::default());
    let outcome = outcome.expect("the graph runs");
    outcome.outputs[0].elements::<f32>().expect("f32").to_vec()
}

#[test]
fn zero_points_of_floats_are_what_they_are() {
    let found = by_rows(0.5);
    assert_eq!(found, [-0.25, 0.25, 0.75, 1.25, 1.75, 2.25]);
    let found = by_rows(1.0);
    assert_eq!(found, [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0]);
}
