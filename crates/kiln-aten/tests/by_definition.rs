//! Ops without recorded results of PyTorch, against their definitions.

mod program;

use kiln_aten::Arg;
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::DType::F32;
use program::{Program, graph, int, shape, try_graph};

/// Sizes and elements of a tensor.
type Given<'a> = (&'a [usize], &'a [f32]);

fn float(p: &mut Program<'_>, name: &str, sizes: &[usize]) -> Arg {
    let sizes: Vec<i64> = sizes.iter().map(|&n| n as i64).collect();
    p.input(name, F32, &shape(&sizes))
}

/// The elements of the result that `build` makes of the tensors.
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
