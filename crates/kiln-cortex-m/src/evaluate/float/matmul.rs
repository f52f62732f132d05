//! Products of matrices: `matmul_f32.c`.

use super::super::arguments::Arguments;
use super::super::data::Data;
use super::limited;
use crate::dialect::FloatMatmul;

pub fn product(of: &FloatMatmul, arguments: &Arguments<'_>) -> Data {
    let m = &of.matrices;
    let (lhs, rhs) = (arguments.f32("lhs"), arguments.f32("rhs"));
    let bias = arguments.get("bias").map(|_| arguments.f32("bias"));
    let mut results = Vec::new();
    of.batches.each(|first, second| {
        for (row, column) in (0..m.rows).flat_map(|row| (0..m.columns).map(move |c| (row, c))) {
            let x = first + i64::from(row) * i64::from(m.lhs_row);
            let y = second + i64::from(column) * i64::from(m.rhs_column);
            let mut sum = bias.map_or(0.0, |bias| bias[column as usize]);
            for k in 0..i64::from(m.depth) {
                let x = lhs[(x + k * i64::from(m.lhs_column)) as usize];
                sum += x * rhs[(y + k * i64::from(m.rhs_row)) as usize];
            }
            results.push(limited(sum, m.range.min, m.range.max));
        }
    });
    Data::F32(results)
}
