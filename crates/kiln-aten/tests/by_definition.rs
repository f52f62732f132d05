//! Ops without recorded results of PyTorch, compared with their definitions.

mod program;

use kiln_aten::Arg;
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::DType::F32;
use program::{Program, graph, int, shape, try_graph};

/// The sizes and elements of a tensor.
type Given<'a> = (&'a [usize], &'a [f32]);

fn float(p: &mut Program<'_>, name: &str, sizes: &[usize]) -> Arg {
    let sizes: Vec<i64> = sizes.iter().map(|&n| n as i64).collect();
    p.input(name, F32, &shape(&sizes))
}

/// The elements of the result of `build` on the tensors.
fn run(given: &[Given<'_>], build: impl FnOnce(&mut Program<'_>, &[Arg]) -> Arg) -> Vec<f32> {
    let graph = graph(|p| {
        let args: Vec<Arg> = given
            .iter()
            .map(|(sizes, _)| float(p, "x", sizes))
            .collect();
        vec![build(p, &args)]
    });
    let tensors: Vec<Tensor> = given
        .iter()
        .map(|(sizes, elements)| Tensor::new(sizes.to_vec(), elements.to_vec()))
        .collect();
    let mut state = State::new(&graph);
    let outcome = evaluate(&graph, &tensors, &mut state, &Options::default());
    let outputs = outcome.expect("the graph runs").outputs;
    outputs[0].elements::<f32>().expect("f32").to_vec()
}

/// Powers of `[[1, 1], [1, 0]]` are Fibonacci numbers.
#[test]
fn a_matrix_power_is_the_matrix_times_itself() {
    let fibonacci = [(&[2, 2][..], &[1., 1., 1., 0.][..])];
    for (n, expected) in [
        (0, [1., 0., 0., 1.]),
        (1, [1., 1., 1., 0.]),
        (2, [2., 1., 1., 1.]),
        (3, [3., 2., 2., 1.]),
        (6, [13., 8., 8., 5.]),
        (11, [144., 89., 89., 55.]),
    ] {
        let found = run(&fibonacci, |p, x| {
            p.call("aten.linalg_matrix_power.default", &[x[0].clone(), int(n)])
        });
        assert_eq!(found, expected, "n = {n}");
    }
}

#[test]
fn a_matrix_power_takes_square_matrices_and_no_inverse() {
    for (sizes, n) in [([2, 2], -1), ([2, 3], 0), ([2, 3], 1)] {
        let refused = try_graph(|p| {
            let x = float(p, "x", &sizes);
            let args = [("self", x), ("n", int(n))];
            p.try_call("aten.matrix_power.default", &args, Vec::new())
        });
        assert!(refused.is_err(), "{sizes:?} to the power {n}");
    }
}

/// `x * x` at 0, 1, 3 and 4: `(0 + 1) / 2 * 1 + (1 + 9) / 2 * 2 + (9 + 16) / 2 * 1`.
#[test]
fn a_trapezoid_is_the_area_under_neighbours() {
    let (y, x) = ([0., 1., 9., 16.], [0., 1., 3., 4.]);
    let vectors = [(&[4][..], &y[..]), (&[4][..], &x[..])];
    let by_places = run(&vectors, |p, v| {
        p.call("aten.trapezoid.x", &[v[0].clone(), v[1].clone()])
    });
    assert_eq!(by_places, [23.0]);
    let evenly = run(&vectors[..1], |p, v| {
        let named = [("dx", Arg::Float(0.5))];
        p.with("aten.trapezoid.dx", &[v[0].clone()], &named)
    });
    assert_eq!(evenly, [0.5 * (0.5 + 5.0 + 12.5)]);
}

#[test]
fn a_trapezoid_follows_its_axis() {
    let y = [1., 2., 3., 5., 7., 11.];
    let rows = [(&[2, 3][..], &y[..]), (&[2][..], &[0., 4.][..])];
    let found = run(&rows, |p, v| {
        let named = [("dim", int(0))];
        p.with("aten.trapezoid.x", &[v[0].clone(), v[1].clone()], &named)
    });
    assert_eq!(found, [12.0, 18.0, 28.0]);
    let alone = run(&[(&[1, 2], &[3., 4.])], |p, v| {
        p.with("aten.trapz.dx", &[v[0].clone()], &[("dim", int(0))])
    });
    assert_eq!(alone, [0.0, 0.0]);
}
