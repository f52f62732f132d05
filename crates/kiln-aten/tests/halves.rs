//! Ops that take several steps round halves once, at the end, as PyTorch's kernels do.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod program;

use kiln_aten::Arg;
use kiln_check::run;
use kiln_eval::Tensor;
use kiln_ir::{DType, TensorData};
use program::{Program, graph, int, shape};

const SIZES: [i64; 2] = [16, 16];

type Named = Vec<(&'static str, Arg)>;

/// The ops, with the number of their tensors and their other arguments.
fn ops() -> Vec<(&'static str, usize, Named)> {
    let number = |n: f64| Arg::Float(n);
    vec![
        ("aten.lerp.Scalar", 2, vec![("weight", number(0.3))]),
        ("aten.lerp.Tensor", 3, Vec::new()),
        ("aten.addcmul.default", 3, vec![("value", number(0.3))]),
        ("aten.addcdiv.default", 3, vec![("value", number(0.3))]),
        // 0.375 is a number of both half types, to which PyTorch rounds alpha.
        ("aten.add.Tensor", 2, vec![("alpha", number(0.375))]),
        ("aten.rsub.Tensor", 2, vec![("alpha", number(0.375))]),
        ("aten.glu.default", 1, vec![("dim", int(-1))]),
        ("aten.pow.Tensor_Scalar", 1, vec![("exponent", int(3))]),
        (
            "aten.addmm.default",
            3,
            vec![("beta", number(0.7)), ("alpha", number(0.3))],
        ),
    ]
}

fn result(
    dtype: DType,
    (target, tensors, named): &(&'static str, usize, Named),
    inputs: &[TensorData],
) -> Vec<f64> {
    let graph = graph(|p: &mut Program<'_>| {
        let inputs = (0..*tensors).map(|i| p.input(&format!("x{i}"), dtype, &shape(&SIZES)));
        let inputs: Vec<Arg> = inputs.collect();
        vec![p.with(target, &inputs, named)]
    });
    let inputs = inputs[..*tensors]
        .iter()
        .map(|x| Tensor::from(as_dtype(x, dtype)));
    let results = run(&graph, &inputs.collect::<Vec<_>>()).unwrap();
    TensorData::from(results[0].clone())
        .scalars()
        .map(|n| n.as_f64())
        .collect()
}

fn as_dtype(x: &TensorData, dtype: DType) -> TensorData {
    TensorData::from_scalars(dtype, x.sizes().to_vec(), x.scalars())
}

#[test]
fn composites_round_once() {
    for (dtype, unit) in [(DType::F16, 2f64.powi(-11)), (DType::BF16, 2f64.powi(-8))] {
        let inputs = [3, 5, 7].map(|seed| {
            let number = |i: usize| ((i * 31 + seed) * 7919 % 1009) as f32 / 504.5 - 1.0;
            let numbers: Vec<f32> = (0..256).map(number).collect();
            let whole = TensorData::from_f32(vec![16, 16], &numbers);
            as_dtype(&as_dtype(&whole, dtype), DType::F64)
        });
        for op in ops() {
            let exact = result(DType::F64, &op, &inputs);
            let found = result(dtype, &op, &inputs);
            let mut worst = 0f64;
            for (exact, found) in exact.iter().zip(&found) {
                // Below the least normal number the distance of neighbours does not shrink.
                let scale = exact.abs().max(2f64.powi(-14));
                worst = worst.max((exact - found).abs() / scale / unit);
            }
            // One rounding is half a unit of the least mantissa; f32 adds little to it, except where terms cancel.
            assert!(worst < 1.05, "{} of {dtype}: {worst} of half a unit", op.0);
        }
    }
}
