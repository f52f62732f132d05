//! Near misses of `fold_dequantised`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::DType;
use kiln_ir::ops::{Dequantize, FakeQuantize, Linear};

pub(super) const PLANTS: &[Plant] = &[plant("fold_dequantised", "fold_dequantised", "", parted)];

/// A layer behind a movement that may take the rows apart along which its input was quantised.
fn parted(g: &mut Grower<'_>) -> Grown {
    let (rows, outputs) = (g.random.between(2, 4), g.random.between(1, 3));
    let x = g.fresh(&[rows, 4]);
    let (quant, dtype) = (g.dynamic_quant(1), DType::F32);
    let x = g.put(FakeQuantize { quant, dtype }, &[x])?;
    let x = match g.random.below(3) {
        0 => g.permuted(x, &[1, 0])?,
        1 => g.reshaped(x, &[(rows * 2).into(), 2.into()])?,
        _ => g.reshaped(x, &[1.into(), rows.into(), 4.into()])?,
    };
    let columns = g.known(x, g.rank(x) - 1)?;
    let integers = g.quantised_constant(&[outputs, columns])?;
    let weight = g.put(Dequantize { dtype }, &[integers])?;
    g.put(Linear {}, &[x, weight]).map(|_| ())
}
