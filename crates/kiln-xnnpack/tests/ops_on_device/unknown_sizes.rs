//! Movements beside several sizes that are known only when running.

use super::*;
use kiln_ir::TensorData;
use kiln_ir::movement::parse_movement;

/// The sizes of an input by `n` and `m`.
type Sizes = fn(usize, usize) -> Vec<usize>;

/// A graph of a movement between two functions, with the symbolic sizes `n` and `m`.
fn moved(text: &str, dtype: DType) -> Graph {
    graph(|b| {
        for name in ["n", "m"] {
            let (min, max, hint) = (0, Some(8), None);
            b.rewriter.add_symbol(Symbol {
                name: name.into(),
                min,
                max,
                hint,
            });
        }
        let (movement, _) = parse_movement(text, &b.rewriter.graph().symbols).unwrap();
        let x = b.input(dtype, movement.source_shape());
        let x = inside(b, x);
        let y = b.op(Move { movement }, &[x]);
        vec![inside(b, y)]
    })
}

/// Random numbers, with NaN and infinities among them.
fn feed(dtype: DType, sizes: &[usize]) -> Tensor {
    let numbers = tensor(3, DType::F32, sizes);
    let count = sizes.iter().product::<usize>();
    let mut all: Vec<f64> = numbers.scalars().map(|s| s.as_f64()).collect();
    for (i, special) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
        .into_iter()
        .enumerate()
    {
        if count > 0 {
            all[i * 5 % count] = special;
        }
    }
    let scalars = all.into_iter().map(Scalar::Float);
    Tensor::from(TensorData::from_scalars(dtype, sizes.to_vec(), scalars))
}

#[test]
fn axes_are_split_merged_added_and_dropped_beside_unknown_sizes() {
    let cases: [(&str, Sizes); 6] = [
        ("a:{n} b:{m} (c:6 d:2) -> b c a d", |n, m| vec![n, m, 12]),
        ("a:{n} c:6 b:{m} d:2 -> a b (c d)", |n, m| vec![n, 6, m, 2]),
        ("a:{n} b:{m} -> a 1 1 b", |n, m| vec![n, m]),
        ("a:{n} 1 b:{m} c:3 -> b c a", |n, m| vec![n, 1, m, 3]),
        ("a:{n} 1 1 b:{m} c:3 -> b c a", |n, m| vec![n, 1, 1, m, 3]),
        ("a:{n} b:{m} (c:2 d:3) -> c d (b a)", |n, m| vec![n, m, 6]),
    ];
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        for (text, sizes) in &cases {
            let graph = moved(text, dtype);
            for (n, m) in [(1, 1), (3, 5), (8, 2), (0, 4), (5, 0), (2, 3)] {
                let name = format!("{text} of {dtype}, {n} by {m}");
                check_fed(&name, &graph, &[feed(dtype, &sizes(n, m))]);
            }
        }
    }
}
