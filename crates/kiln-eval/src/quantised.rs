//! Evaluates ops on quantised operands.
//!
//! [`Op::on_quantised`] says which ops take the integers, and which compute with the reals. Shape rules have refused
//! other ops, and operands that do not match. Reals are computed in f64; results are rounded half to even and
//! saturated.

use crate::error::{Cause, misfit};
use crate::kernels;
use crate::kernels::cast::cast;
use crate::kernels::quantise::{dequantize, nearest};
use crate::tensor::Tensor;
use kiln_ir::ops::{Meaning, Quantised};
use kiln_ir::types::{Shape, TensorType};
use kiln_ir::{DType, Op};

/// Evaluates an op with at least one quantised operand.
///
/// # Errors
/// The errors of the op's kernel.
pub fn run(
    op: &Op,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    match op.on_quantised() {
        Meaning::Carried | Meaning::Compared | Meaning::Plain | Meaning::Own => {
            kernels::run(op, operands, types, sizes)
        }
        Meaning::Computed => with_reals(op, operands, types, sizes),
        Meaning::Refused => misfit!("{} takes no quantised operands", op.name()),
    }
}

/// Evaluates an op on exact reals, and quantises its result.
///
/// # Errors
/// The errors of the op's kernel.
pub fn rounded_once(
    op: &Quantised,
    operands: &[Tensor],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    let is_steep = op.op.is_steep();
    let real = |operand: &Tensor| match operand.quant() {
        Some(_) if is_steep => Ok(cast(&dequantize(operand, DType::F32)?, DType::F64)),
        Some(_) => dequantize(operand, DType::F64),
        None if operand.dtype().is_float() => Ok(cast(operand, DType::F64)),
        None => Ok(operand.clone()),
    };
    let reals: Vec<Tensor> = operands.iter().map(real).collect::<Result<_, _>>()?;
    let ty = TensorType::new(DType::F64, Shape::from(sizes[0].as_slice()));
    let results = match &*op.op {
        Op::Cast(_) => vec![cast(&reals[0], DType::F64)],
        inner => kernels::run(inner, &reals, &[ty], sizes)?,
    };
    let rounded = results.iter().map(|r| nearest(r, &op.quant, op.dtype));
    rounded.collect()
}

fn with_reals(
    op: &Op,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    let real = |operand: &Tensor| match operand.quant() {
        Some(_) => dequantize(operand, DType::F64),
        None => Ok(operand.clone()),
    };
    let reals: Vec<Tensor> = operands.iter().map(real).collect::<Result<_, _>>()?;
    let real_types: Vec<TensorType> = types.iter().map(|t| t.with_dtype(DType::F64)).collect();
    let results = kernels::run(op, &reals, &real_types, sizes)?;
    let back = results.iter().zip(types);
    back.map(|(r, ty)| match &ty.quant {
        Some(quant) => nearest(r, quant, ty.dtype),
        None => Ok(r.clone()),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bindings;
    use crate::op::evaluate_op;
    use kiln_ir::Graph;
    use kiln_ir::ops::{Binary, BinaryFn, Cast, Linear, Simple, Unary};
    use kiln_ir::types::{Quant, QuantScheme};
    use proptest::prelude::*;

    fn quant(scale: f64, zero_point: i64) -> Quant {
        Quant {
            scheme: QuantScheme::PerTensor { scale, zero_point },
            min: -128,
            max: 127,
        }
    }

    fn i8s(sizes: &[usize], values: &[i8], scale: f64, zero_point: i64) -> Tensor {
        Tensor::new(sizes, values.to_vec()).with_quant(Some(quant(scale, zero_point).into()))
    }

    fn once(op: impl Into<Op>, to: Quant, operands: &[Tensor]) -> Vec<i8> {
        let op = Quantised {
            op: Box::new(op.into()),
            quant: to.into(),
            dtype: DType::I8,
        };
        let graph = Graph::new("");
        let mut bindings = Bindings::new(&graph.symbols);
        let made = evaluate_op(&op.into(), operands, &mut bindings, 1 << 20).unwrap();
        made[0].elements::<i8>().unwrap().to_vec()
    }

    #[test]
    fn a_sum_rounds_half_to_even_and_saturates() {
        let a = i8s(&[5], &[1, 3, -1, 127, -128], 0.5, 0);
        let b = i8s(&[5], &[10, 10, 10, 127, -128], 0.5, 10);
        let add = Binary { f: BinaryFn::Add };
        assert_eq!(once(add, quant(1.0, -3), &[a, b]), [-3, -1, -3, 119, -128]);
    }

    #[test]
    fn floats_are_reals_beside_integers() {
        let a = i8s(&[2], &[4, 5], 0.25, 0);
        let b = Tensor::new([2], vec![0.5f32, f32::INFINITY]);
        let add = Binary { f: BinaryFn::Add };
        assert_eq!(once(add, quant(0.5, 1), &[a, b]), [4, 127]);
    }

    #[test]
    fn functions_are_of_the_reals() {
        let a = i8s(&[3], &[0, 100, -128], 0.05, 0);
        let tanh = Unary {
            f: Simple::Tanh.into(),
        };
        assert_eq!(once(tanh, quant(1.0 / 128.0, 0), &[a]), [0, 127, -128]);
    }

    #[test]
    fn poles_are_where_f32_has_them() {
        let scale = f64::from(1.0f32 / 3.0) * (1.0 - 1e-9);
        let a = i8s(&[1], &[3], scale, 0);
        let atanh = Unary {
            f: Simple::Atanh.into(),
        };
        assert_eq!(once(atanh, quant(1.0, 0), &[a]), [127]);
    }

    #[test]
    fn plain_integers_are_cast() {
        let a = Tensor::new([3], vec![100i64, -7, 1 << 40]);
        let op = Cast { to: DType::F32 };
        assert_eq!(once(op, quant(2.0, 1), &[a]), [51, -3, 127]);
    }

    proptest! {
        #[test]
        fn a_linear_layer_is_integer_arithmetic(
            x in prop::collection::vec(any::<i8>(), 4),
            w in prop::collection::vec(any::<i8>(), 8),
            (zx, zy, to) in (-128i64..128, -128i64..128, 1u32..12),
        ) {
            let to = f64::from(to);
            let (xs, ws) = (i8s(&[1, 4], &x, 0.5, zx), i8s(&[2, 4], &w, 0.25, 0));
            let got = once(Linear {}, quant(to, zy), &[xs, ws]);
            for (o, row) in w.chunks(4).enumerate() {
                let sum: i64 = row.iter().zip(&x).map(|(&w, &x)| i64::from(w) * (i64::from(x) - zx)).sum();
                let step = 8 * to as i64;
                let (floor, rest) = (sum.div_euclid(step), sum.rem_euclid(step));
                let up = match (2 * rest).cmp(&step) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Greater => 1,
                    std::cmp::Ordering::Equal => floor.rem_euclid(2),
                };
                prop_assert_eq!(i64::from(got[o]), (floor + up + zy).clamp(-128, 127));
            }
        }
    }
}
