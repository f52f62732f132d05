//! Distances between rows.

use super::super::error::Fault;
use super::Arguments;
use super::rounding::{reals, step, tensor};
use kiln_eval::Tensor;

/// Each norm of differences adds up in the tensors' type.
pub(super) fn distances(call: &Arguments<'_, '_>) -> Result<Option<Vec<Tensor>>, Fault> {
    let (dtype, a, b) = (call.dtype, call.tensor(0)?, call.tensor(1)?);
    let (Some(p), true) = (call.number(2), a.rank() == b.rank() && a.rank() >= 2) else {
        return Ok(None);
    };
    let matrix = a.rank() - 2;
    let is_plain = a.sizes()[..matrix] == b.sizes()[..matrix] && p.is_finite();
    if !is_plain || a.is_empty() || b.is_empty() || !dtype.is_float() {
        return Ok(None);
    }
    let (width, rows) = (
        a.sizes()[matrix + 1],
        [a.sizes()[matrix], b.sizes()[matrix]],
    );
    let (a, b) = (reals(&a)?, reals(&b)?);
    let term = |difference: f64| match p {
        0.0 => f64::from(u8::from(difference != 0.0)),
        1.0 => difference,
        2.0 => step(dtype, difference * difference),
        p => step(dtype, difference.powf(step(dtype, p))),
    };
    let norm = |a: &[f64], b: &[f64]| {
        let terms = a.iter().zip(b).map(|(x, y)| term(step(dtype, x - y).abs()));
        let sum = terms.fold(0.0, |sum, term| step(dtype, sum + term));
        match p {
            0.0 | 1.0 => sum,
            2.0 => step(dtype, sum.sqrt()),
            p => step(dtype, sum.powf(1.0 / p)),
        }
    };
    let mut found = Vec::new();
    for (a, b) in a.chunks(rows[0] * width).zip(b.chunks(rows[1] * width)) {
        for row in a.chunks(width) {
            found.extend(b.chunks(width).map(|other| norm(row, other)));
        }
    }
    Ok(Some(vec![tensor(dtype, &call.sizes[0], found)?]))
}
