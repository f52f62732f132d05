//! Patterns for the products that `fold_quantised` makes layers of, and for the sums that become their biases.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Broadcast, Linear, MatMul};
use kiln_ir::{DType, Shape, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("fold_quantised", "layer_of_product", "", product),
    plant("fold_quantised", "bias_of_sum", "", sum),
];

/// A product with a turned constant, which may be repeated for each batch. Sometimes a number is added, and the result rounded.
fn product(g: &mut Grower<'_>) -> Grown {
    let [batches, rows, k, n] =
        [(1, 3), (1, 5), (2, 6), (2, 6)].map(|(a, b)| g.random.between(a, b));
    let quant = g.per_tensor();
    let weight = g.dequantised_weight(n, k)?;
    g.values.retain(|&v| v != weight);
    let matrix = g.permuted(weight, &[1, 0])?;
    g.sometimes_read(matrix, 10)?;
    let is_repeated = g.random.chance(60);
    let (x, factor) = match is_repeated {
        true => {
            let one = g.reshaped(matrix, &[1.into(), k.into(), n.into()])?;
            let shape: Shape = [batches, k, n].into_iter().collect();
            let many = g.put(Broadcast { shape }, &[one])?;
            (g.real_of(&quant, &[batches, rows, k])?, many)
        }
        false => (g.real_of(&quant, &[rows, k])?, matrix),
    };
    let y = g.put(MatMul {}, &[x, factor])?;
    rounded(g, y)
}

/// A layer on quantised weights without bias, and a constant that is added to its result. Sometimes that has other sizes than a bias.
fn sum(g: &mut Grower<'_>) -> Grown {
    let [rows, k, n] = [(1, 5), (2, 6), (2, 6)].map(|(a, b)| g.random.between(a, b));
    let quant = g.per_tensor();
    let weight = g.dequantised_weight(n, k)?;
    g.values.retain(|&v| v != weight);
    let x = g.real_of(&quant, &[rows, k])?;
    let y = g.put(Linear {}, &[x, weight])?;
    g.sometimes_read(y, 10)?;
    let sizes = *g.random.pick(&[[1, n], [1, n], [1, 1], [rows, n]]);
    let bias = g.constant(DType::F32, &sizes);
    let sum = g.binary(BinaryFn::Add, y, bias)?;
    rounded(g, sum)
}

fn rounded(g: &mut Grower<'_>, y: ValueId) -> Grown {
    if g.random.chance(80) {
        let quant = g.per_tensor();
        g.there_and_back(&quant, y)?;
    }
    Some(())
}
