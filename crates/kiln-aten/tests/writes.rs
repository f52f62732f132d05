//! Writes in place: every tensor that shares the memory has the elements that it has in PyTorch.

mod program;

use kiln_aten::{Arg, Strided};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::DType::{F32, I64};
use program::{Program, graph, int, ints, shape};

/// Runs a program on the 3 by 4 matrix `0, 1, ..`, and returns the elements of the results.
fn run(build: impl FnOnce(&mut Program<'_>, Arg) -> Vec<Arg>) -> Vec<Vec<f32>> {
    let graph = graph(|p| {
        let x = p.input("x", F32, &shape(&[3, 4]));
        let x = p.call("aten.clone.default", &[x]);
        build(p, x)
    });
    let input = Tensor::new(vec![3, 4], (0..12).map(|i| i as f32).collect::<Vec<f32>>());
    let mut state = State::new(&graph);
    let outcome =
        evaluate(&graph, &[input], &mut state, &Options::default()).expect("the graph runs");
    let elements = |t: &Tensor| t.elements::<f32>().expect("f32").to_vec();
    outcome.outputs.iter().map(elements).collect()
}

fn row(p: &mut Program<'_>, x: &Arg, index: i64) -> Arg {
    p.call("aten.select.int", &[x.clone(), int(0), int(index)])
}

#[test]
fn a_column_range() {
    let found = run(|p, x| {
        let part = p.call("aten.slice.Tensor", &[x.clone(), int(1), int(1), int(3)]);
        p.call("aten.add_.Tensor", &[part.clone(), int(100)]);
        vec![x, part]
    });
    assert_eq!(
        found[0],
        [0., 101., 102., 3., 4., 105., 106., 7., 8., 109., 110., 11.]
    );
    assert_eq!(found[1], [101., 102., 105., 106., 109., 110.]);
}

#[test]
fn views_that_overlap() {
    let found = run(|p, x| {
        let first = row(p, &x, 0);
        let column = p.call("aten.select.int", &[x.clone(), int(1), int(0)]);
        p.call("aten.add_.Tensor", &[first.clone(), int(1)]);
        p.call("aten.mul_.Tensor", &[column.clone(), int(10)]);
        vec![first, column, x]
    });
    assert_eq!(found[0], [10., 2., 3., 4.]);
    assert_eq!(found[1], [10., 40., 80.]);
    assert_eq!(
        found[2],
        [10., 2., 3., 4., 40., 5., 6., 7., 80., 9., 10., 11.]
    );
}

#[test]
fn a_chain_of_movements() {
    let found = run(|p, x| {
        let flat = p.call("aten.view.default", &[x.clone(), ints(&[2, 6])]);
        let turned = p.call("aten.t.default", &[flat]);
        let last = row(p, &turned, -1);
        p.call("aten.zero_.default", &[last]);
        vec![x]
    });
    assert_eq!(found[0], [0., 1., 2., 3., 4., 0., 6., 7., 8., 9., 10., 0.]);
}

#[test]
fn a_copy_is_not_written() {
    let found = run(|p, x| {
        let copy = p.call("aten.view_copy.default", &[x.clone(), ints(&[12])]);
        let clone = p.call("aten.clone.default", std::slice::from_ref(&x));
        p.call("aten.fill_.Scalar", &[x, int(7)]);
        vec![copy, clone]
    });
    let original: Vec<f32> = (0..12).map(|i| i as f32).collect();
    assert_eq!(found, [original.clone(), original]);
}

#[test]
fn a_tensor_that_changes_its_own_shape() {
    let found = run(|p, x| {
        let alias = p.call("aten.alias.default", std::slice::from_ref(&x));
        let part = row(p, &x, 1);
        p.call("aten.unsqueeze_.default", &[part.clone(), int(0)]);
        p.call("aten.sub_.Tensor", &[part.clone(), int(4)]);
        vec![part, alias]
    });
    assert_eq!(found[0], [0., 1., 2., 3.]);
    assert_eq!(found[1][4..8], [0., 1., 2., 3.]);
}

#[test]
fn the_result_of_a_write_is_the_tensor() {
    let found = run(|p, x| {
        let relu = p.call("aten.sub_.Tensor", &[x.clone(), int(6)]);
        let again = p.call("aten.relu_.default", std::slice::from_ref(&relu));
        p.call("aten.add_.Tensor", &[again, int(1)]);
        vec![x, relu]
    });
    assert_eq!(found[0], [1., 1., 1., 1., 1., 1., 1., 2., 3., 4., 5., 6.]);
    assert_eq!(found[0], found[1]);
}

#[test]
fn a_write_keeps_the_dtype() {
    let graph = graph(|p| {
        let x = p.input("x", I64, &shape(&[2]));
        let x = p.call("aten.clone.default", &[x]);
        p.call("aten.mul_.Tensor", &[x.clone(), Arg::Float(1.5)]);
        vec![x]
    });
    let input = Tensor::new(vec![2], vec![3i64, -3]);
    let outcome = evaluate(
        &graph,
        &[input],
        &mut State::new(&graph),
        &Options::default(),
    );
    assert_eq!(
        outcome.unwrap().outputs[0].elements::<i64>(),
        Some(&[4, -4][..])
    );
}

#[test]
fn elements_by_index_and_by_mask() {
    let found = run(|p, x| {
        let big = p.call("aten.gt.Scalar", &[x.clone(), int(9)]);
        let mask = Arg::OptionalTensors(vec![big.as_tensor()]);
        let zero = p.call("aten.scalar_tensor.default", &[int(0)]);
        p.call("aten.index_put_.default", &[x.clone(), mask, zero.clone()]);
        let last = row(p, &x, 0);
        let at = p.call("aten.arange.start", &[int(1), int(3)]);
        let at = Arg::OptionalTensors(vec![at.as_tensor()]);
        p.call("aten.index_put_.default", &[last, at, zero]);
        vec![x]
    });
    assert_eq!(found[0], [0., 0., 0., 3., 4., 5., 6., 7., 8., 9., 0., 0.]);
}

#[test]
fn tensors_that_lie_in_the_memory_of_another() {
    let part = |sizes: &[usize], strides: &[usize], offset| Strided {
        sizes: sizes.to_vec(),
        strides: strides.to_vec(),
        offset,
    };
    let found = run(|p, x| {
        let base = x.as_tensor().expect("a tensor");
        let mut bind = |view| Arg::Tensor(p.importer.bind_strided(base, &view).expect("a view"));
        let run = bind(part(&[2, 2], &[2, 1], 3));
        let column = bind(part(&[3], &[4], 0));
        let whole = bind(part(&[12], &[1], 0));
        p.call("aten.add_.Tensor", &[run.clone(), int(100)]);
        p.call("aten.mul_.Tensor", &[column.clone(), int(-1)]);
        p.call("aten.add_.Tensor", &[whole.clone(), int(1)]);
        vec![x, run, column]
    });
    assert_eq!(
        found[0],
        [1., 2., 3., 104., -103., 106., 107., 8., -7., 10., 11., 12.]
    );
    assert_eq!(found[1], [104., -103., 106., 107.]);
    assert_eq!(found[2], [1., -103., -7.]);
}
