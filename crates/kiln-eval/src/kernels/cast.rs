//! `cast`.

use super::unary::map;
use crate::dispatch::with_element;
use crate::element::Element;
use crate::tensor::Tensor;
use kiln_ir::DType;

/// Converts each element to another dtype, through f64 or i64, which hold every float or integer exactly.
pub fn cast(x: &Tensor, to: DType) -> Tensor {
    if x.dtype() == to {
        return x.clone();
    }
    let is_float = x.dtype().is_float();
    let wide = with_element!(x.dtype(), S, {
        if is_float {
            map(x, &|v: S| v.convert::<f64>())
        } else {
            map(x, &|v: S| v.convert::<i64>())
        }
    });
    with_element!(to, D, {
        if is_float {
            map::<f64, D>(&wide, &D::from_real)
        } else {
            map::<i64, D>(&wide, &D::from_int)
        }
    })
}
