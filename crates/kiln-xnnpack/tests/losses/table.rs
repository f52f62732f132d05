//! How far XNNPACK's formulas are off beyond a few units of their own result. A unit is the relative error of one rounding
//! (`kiln_check::wobble::unit`).
//!
//! Every comparison with the device allows four units of the result, and as much as eight units of each rounded value
//! bring. That covers kernels that are off by a few units of their result: `tanh` (a quotient of two polynomials with
//! positive coefficients), `sigmoid` and ELU (an exponential within half a power of 2), square roots (one Newton step),
//! sums. The kernels below are off by more, where an intermediate number is larger than the result. Each bound follows from
//! the steps of the kernel's source, at commit 92a7ad5 of google/XNNPACK, which ExecuTorch builds since July 2026 (the
//! wheel names its kernels the same). `awkward_numbers/formulas.rs` repeats these steps and shows that each bound holds,
//! and is not much too large.

use kiln_check::wobble::unit;
use kiln_eval::Tensor;
use kiln_ir::ops::{ResizeMode, Simple, UnaryFn};
use kiln_ir::{DType, Op, Scalar};

/// What the formula of a function loses at an operand `x` and its result `y`, in units of the type in which it computes.
pub fn units(f: Simple, x: f64, y: f64) -> Option<f64> {
    match f {
        // f32-vlog/rational-3-3: x is brought to m * sqrt(1/2) - 1 with m from 1 to 2, through a product with sqrt(2). Both
        // products are rounded, by a unit of m each, and the two factors' product is off from 1 by less than one. The
        // logarithm of what is left is off by as much, however small it is.
        Simple::Log => Some(3.0),
        // f32-vexp/rational-3-2: x * log2(e) is rounded to a unit of itself, and so is the constant. An absolute error of the
        // exponent is a relative one of the power.
        Simple::Exp => Some(2.0 * x.abs() * y.abs()),
        // f32-vsin/rational-5-4: x less whole turns, of up to pi, is rounded (two units for numbers from 2 to 4), taken from
        // pi, which the constant misses by 1.5 units, and rounded again. Whole turns are exact to 33 bits, so the error of a
        // hundred turns is below a unit.
        Simple::Sin => Some(6.0),
        // The sine of pi / 2 less the angle, which reaches 3 pi / 2: pi / 2 is off by one unit, the difference is rounded
        // by up to four, and the reflection at pi adds what it does for a sine, to a number below 2.
        Simple::Cos => Some(8.0),
        // f32-vgelu/rational-12-10 and f16-vgelu/rational-6-4: x / 2 times 1 plus an error function. That is a quotient of two
        // polynomials, each step of which is rounded: it is off by up to six units of 1, and the sum with 1 by another.
        Simple::Gelu => Some(0.5 * x.abs() * 7.0),
        _ => None,
    }
}

/// True for an op whose formula loses more than rounding explains.
pub fn loses(op: &Op) -> bool {
    match op {
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(f) => units(f, 1.0, 1.0).is_some(),
            _ => false,
        },
        Op::Resize(op) => op.mode == ResizeMode::Linear,
        _ => false,
    }
}

/// How far each element of the result may be off by the formula of the op that gives it.
pub fn loss(op: &Op, operands: &[Tensor], result: &Tensor) -> Vec<f64> {
    // The kernels for bf16 compute in f32 and round once.
    let computes = match result.dtype() {
        DType::BF16 => DType::F32,
        other => other,
    };
    let nothing = || vec![0.0; result.len()];
    match op {
        Op::Unary(op) => {
            let UnaryFn::Simple(f) = op.f else {
                return nothing();
            };
            let pairs = operands[0].scalars().into_iter().zip(result.scalars());
            let one = |(x, y): (Scalar, Scalar)| {
                let units = units(f, x.as_f64(), y.as_f64());
                units.map_or(0.0, |units| units * unit(computes))
            };
            pairs.map(one).collect()
        }
        Op::Resize(op) if op.mode == ResizeMode::Linear => {
            vec![of_weights(&operands[0], computes); result.len()]
        }
        _ => nothing(),
    }
}

/// What the weights of a linear resize bring (xnn_indirection_init_resize_bilinear2d_hwc_f32 and _f16 of
/// src/indirection.c). The place between two elements is computed in f32: a rounded scale times an index, plus an offset.
/// Each of the four roundings is at most a unit of the size of the axis. The f16 kernel rounds what is left of the place, which
/// is below 1, to half a unit of f16. A place that moves by 1 changes the result by two elements, of either sign, at most.
fn of_weights(image: &Tensor, computes: DType) -> f64 {
    let numbers = image.scalars().into_iter().map(|s| s.as_f64().abs());
    let greatest = numbers.filter(|v| v.is_finite()).fold(0.0, f64::max);
    let rounded = match computes {
        DType::F16 => 0.5 * unit(DType::F16),
        _ => 0.0,
    };
    let places = image.sizes()[2..].iter();
    let off = places.map(|&n| 4.0 * n as f64 * unit(DType::F32) + rounded);
    2.0 * greatest * off.sum::<f64>()
}
