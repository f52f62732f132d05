//! Memory orders that strides imply.

use kiln_pt2::{self as pt2, TensorMeta};

/// The memory order of an input's axes, by decreasing stride. Axes whose strides do not decide keep their order.
pub(super) fn dim_order(meta: &TensorMeta) -> Vec<u8> {
    let known = |s: &pt2::SymInt| match s {
        pt2::SymInt::Int(v) => Some(*v),
        pt2::SymInt::Expr { hint, .. } => *hint,
    };
    let strides: Option<Vec<i64>> = meta.strides.iter().map(known).collect();
    let sizes: Option<Vec<i64>> = meta.sizes.iter().map(known).collect();
    let mut order: Vec<u8> = (0..meta.sizes.len() as u8).collect();
    let (Some(strides), Some(sizes)) = (strides, sizes) else {
        return order;
    };
    if strides.len() != sizes.len() {
        return order;
    }
    let is_row_major = {
        let mut expected = 1i64;
        (0..sizes.len()).rev().all(|i| {
            let fits = sizes[i] == 1 || strides[i] == expected;
            expected = expected.saturating_mul(sizes[i].max(1));
            fits
        })
    };
    if !is_row_major && !strides.contains(&0) {
        order.sort_by_key(|&a| std::cmp::Reverse(strides[usize::from(a)]));
    }
    order
}

/// The memory order in which the program takes an input. It is channels-last if the exporter traced with such a tensor.
/// An input in any other order is data that the caller may lay out anew, so it is row-major.
pub(super) fn kept_order(order: Vec<u8>) -> Vec<u8> {
    match order[..] {
        [0, 2, 3, 1] | [0, 2, 3, 4, 1] => order,
        _ => (0..order.len() as u8).collect(),
    }
}

/// True if a value is row-major in the exporter's memory, as far as all its sizes are known or hinted.
pub(super) fn is_contiguous(meta: &TensorMeta) -> Option<bool> {
    let order = dim_order(meta);
    Some(order.iter().enumerate().all(|(i, &a)| i == usize::from(a)) && !has_broken_strides(meta))
}

/// True if strides leave gaps or repeat elements.
fn has_broken_strides(meta: &TensorMeta) -> bool {
    let known = |s: &pt2::SymInt| s.as_int();
    let mut expected = 1i64;
    for (size, stride) in meta.sizes.iter().zip(&meta.strides).rev() {
        match (known(size), known(stride)) {
            (Some(1), _) => {}
            (Some(size), Some(stride)) => {
                if stride != expected {
                    return true;
                }
                expected = expected.saturating_mul(size.max(1));
            }
            _ => return false,
        }
    }
    false
}
