//! Arithmetic of complex tensors: their real and imaginary parts.

mod program;

use kiln_aten::Arg;
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::{DType, Scalar, TensorData};
use program::{Program, graph, shape};

/// The real and imaginary parts of a function of `1 + 2i` and `3 - 4i`.
fn parts(build: impl FnOnce(&mut Program<'_>, Arg, Arg) -> Arg) -> Vec<f64> {
    let graph = graph(|p| {
        let [x, y] = ["x", "y"].map(|name| {
            let pair = p.input(name, DType::F32, &shape(&[1, 2]));
            p.call("aten.view_as_complex.default", &[pair])
        });
        let result = build(p, x, y);
        vec![p.call("aten.view_as_real.default", &[result])]
    });
    let inputs = [[1.0, 2.0], [3.0, -4.0]].map(|pair| {
        let values = pair.map(Scalar::Float);
        Tensor::from(TensorData::from_scalars(DType::F32, vec![1, 2], values))
    });
    let outcome = evaluate(
        &graph,
        &inputs,
        &mut State::new(&graph),
        &Options::default(),
    );
    let outputs = outcome.expect("the graph runs").outputs;
    outputs[0]
        .scalars()
        .into_iter()
        .map(Scalar::as_f64)
        .collect()
}

fn two(target: &'static str) -> Vec<f64> {
    parts(|p, x, y| p.call(target, &[x, y]))
}

#[test]
fn two_operands_meet_as_complex_numbers() {
    assert_eq!(two("aten.add.Tensor"), [4.0, -2.0]);
    assert_eq!(two("aten.sub.Tensor"), [-2.0, 6.0]);
    assert_eq!(two("aten.mul.Tensor"), [11.0, 2.0]);
    // Each part takes two products, a sum and a quotient: four roundings of a unit each.
    let four_units = |expected: f64| 4.0 * 2f64.powi(-24) * expected.abs();
    for (found, expected) in two("aten.div.Tensor").into_iter().zip([-0.2, 0.4]) {
        assert!((found - expected).abs() <= four_units(expected), "{found}");
    }
}

#[test]
fn a_real_operand_has_no_imaginary_part() {
    let by = |target: &'static str| {
        parts(|p, x, y| {
            let real = p.call("aten.real.default", &[y]);
            p.call(target, &[x, real])
        })
    };
    assert_eq!(by("aten.add.Tensor"), [4.0, 2.0]);
    assert_eq!(by("aten.mul.Tensor"), [3.0, 6.0]);
    let swapped = parts(|p, x, y| {
        let real = p.call("aten.real.default", &[y]);
        p.call("aten.sub.Tensor", &[real, x])
    });
    assert_eq!(swapped, [2.0, -2.0]);
}

#[test]
fn a_conjugate_turns_the_imaginary_part() {
    let found = parts(|p, x, _| {
        let turned = p.call("aten._conj.default", &[x]);
        p.call("aten.resolve_conj.default", &[turned])
    });
    assert_eq!(found, [1.0, -2.0]);
}
