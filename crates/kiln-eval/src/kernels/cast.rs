//! `cast`.

use super::unary::map;
use crate::element::{Element, with_element};
use crate::tensor::Tensor;
use kiln_ir::DType;

/// Each element in another dtype.
pub fn cast(x: &Tensor, to: DType) -> Tensor {
    if x.dtype() == to {
        return x.clone();
    }
    with_element!(x.dtype(), S, {
        with_element!(to, D, map(x, |v: S| v.convert::<D>()))
    })
}
