//! Programs for which the lowering avoids a fault of a stock kernel. The stock runtime must give the results that the ops
//! define.

use crate::probes::{Bench, Probe, made};
use crate::values::{line, tensor};
use kiln_eval::Tensor;
use kiln_ir::{DType, TensorData};

/// Odd numbers of more than 24 bits. An f32 does not hold them; an f64 holds their sums.
fn wide(dtype: DType, sizes: &[usize]) -> Tensor {
    let count: usize = sizes.iter().product();
    let number = |i: usize| kiln_ir::Scalar::Int((1 << 25) + 2 * i as i64 + 1);
    TensorData::from_scalars(dtype, sizes.to_vec(), (0..count).map(number)).into()
}

/// Sums along one axis, with and without an axis of size 1 beside it.
fn sums(dtype: DType) -> Vec<Probe> {
    let inputs = vec![wide(dtype, &[3, 4, 9]), wide(dtype, &[5, 1])];
    let mut bench = Bench::new(dtype, inputs);
    bench.lines.extend([
        made(format!("{dtype}[1, 4, 9]"), "reduce %0 {f=sum, axes=[0]}"),
        made(format!("{dtype}[3, 1, 9]"), "reduce %0 {f=sum, axes=[1]}"),
        made(format!("{dtype}[3, 4, 1]"), "reduce %0 {f=sum, axes=[2]}"),
        made(
            format!("{dtype}[3, 1, 1]"),
            "reduce %0 {f=sum, axes=[1, 2]}",
        ),
        made(format!("{dtype}[1, 1]"), "reduce %1 {f=sum, axes=[0]}"),
    ]);
    bench.probes()
}

fn remainders() -> Vec<Probe> {
    let inputs = vec![
        line(DType::F64, &[36, 1]),
        line(DType::F64, &[1, 36]),
        line(DType::F64, &[36]),
    ];
    let mut bench = Bench::new(DType::F64, inputs);
    bench.lines.extend([
        made("f64[36, 36]", "binary %0, %1 {f=remainder}"),
        made("f64[36, 36]", "binary %0, %2 {f=remainder}"),
        made("f64[36]", "binary %2, %2 {f=remainder}"),
    ]);
    bench.probes()
}

/// Divisors by which the quotients of special numbers are exact.
const DIVISORS: [f64; 6] = [0.0, -0.0, 2.0, -0.5, f64::INFINITY, f64::NAN];

fn floors(dtype: DType) -> Vec<Probe> {
    let divisors = DIVISORS.map(kiln_ir::Scalar::Float);
    let divisors = TensorData::from_scalars(dtype, vec![DIVISORS.len()], divisors);
    let inputs = vec![line(dtype, &[36, 1]), divisors.into()];
    let mut bench = Bench::new(dtype, inputs);
    let of = |sizes| format!("{dtype}{sizes}");
    bench.lines.extend([
        made(of("[36, 6]"), "binary %0, %1 {f=floor_div}"),
        made(of("[6]"), "binary %1, %1 {f=floor_div}"),
    ]);
    bench.probes()
}

/// Constant indices that count from the end of an axis.
fn negative_indices() -> Vec<Probe> {
    let inputs = vec![line(DType::F32, &[6, 6]), tensor(DType::F32, &[1, 1])];
    let mut bench = Bench::new(DType::F32, inputs);
    bench.constant(kiln_ir::Scalar::Int(-2), DType::I32, 2);
    bench.lines.extend([
        made("f32[1, 1]", "gather %0, %2 {axis=1}"),
        made("f32[6, 6]", "scatter %0, %2, %1 {axis=1, f=set}"),
        made("f32[6, 6]", "scatter %0, %2, %1 {axis=0, f=add}"),
    ]);
    bench.probes()
}

/// Every program.
pub fn all() -> Vec<Probe> {
    let mut probes = remainders();
    probes.extend(negative_indices());
    for dtype in [DType::I32, DType::I64, DType::F64] {
        probes.extend(sums(dtype));
    }
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        probes.extend(floors(dtype));
    }
    probes
}
