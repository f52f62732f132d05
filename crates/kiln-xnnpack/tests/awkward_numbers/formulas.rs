//! The formulas of XNNPACK's kernels, step by step, and the bounds of `losses::table` on what they lose. The sources are
//! at commit 92a7ad5 of google/XNNPACK. Kernels for machines without fused multiplication and addition round twice, so both
//! ways are computed.

#![allow(
    clippy::excessive_precision,
    reason = "coefficients as the sources write them"
)]

use super::losses::table::units;
use half::f16;
use kiln_check::wobble::unit;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Simple, Unary};
use kiln_ir::{DType, Op, Symbols};

/// A product and a sum, rounded once or twice.
type Fma = fn(f32, f32, f32) -> f32;

const ROUNDINGS: [Fma; 2] = [f32::mul_add, |a, b, c| a * b + c];

/// A polynomial from its highest coefficient on.
fn polynomial(fma: Fma, x: f32, coefficients: &[f32]) -> f32 {
    let mut terms = coefficients.iter().copied();
    let first = terms.next().unwrap();
    terms.fold(first, |sum, c| fma(x, sum, c))
}

/// src/f32-vlog/rational-3-3.c.in, for normal numbers.
fn log(fma: Fma, x: f32) -> f32 {
    let scaled = x * 1.4142134190e+00;
    let exponent = ((scaled.to_bits() >> 23) as i32 - 127) as f32;
    let mantissa = f32::from_bits(scaled.to_bits() & 0x007f_ffff | 1f32.to_bits());
    let rest = mantissa * 7.0710688829e-01 - 1.0;
    let p = rest * polynomial(fma, rest, &[1.824996918440e-01, 1.0, 1.0]);
    let q = polynomial(fma, rest, &[0.049584995955, 0.599170029163, 1.5, 1.0]);
    fma(exponent, std::f32::consts::LN_2, p / q)
}

/// src/f32-vexp/rational-3-2.c.in, for powers in the range of normal numbers.
fn exp(fma: Fma, x: f32) -> f32 {
    let scaled = x * std::f32::consts::LOG2_E;
    let whole = scaled.round_ties_even();
    let rest = scaled - whole;
    let p = polynomial(
        fma,
        rest,
        &[5.5380910635e-03, 7.2068706155e-02, 4.1594290733e-01, 1.0],
    );
    let q = polynomial(fma, rest, &[2.3986088112e-02, -2.7720427513e-01, 1.0]);
    f32::from_bits(((whole as i32 + 127) as u32) << 23) * (p / q)
}

/// src/f32-vsin/rational-5-4.c.in
fn sin(fma: Fma, x: f32) -> f32 {
    of_turn(fma, without_turns(fma, x))
}

/// src/f32-vsin/rational-5-4.c.in, as a cosine.
fn cos(fma: Fma, x: f32) -> f32 {
    of_turn(fma, std::f32::consts::FRAC_PI_2 - without_turns(fma, x))
}

fn without_turns(fma: Fma, x: f32) -> f32 {
    let turns = (x * 0.15915494).round_ties_even();
    let rest = fma(-turns, 6.28125, x);
    fma(-turns, 1.9353072e-3, rest)
}

fn of_turn(fma: Fma, angle: f32) -> f32 {
    const PI: f32 = std::f32::consts::PI;
    let angle = angle.min(PI - angle);
    let angle = angle.max(-PI - angle);
    let angle = angle.min(PI - angle);
    let square = angle * angle;
    let p = angle * polynomial(fma, square, &[3.2340581529e-03, -1.3314664364e-01, 1.0]);
    p / polynomial(fma, square, &[4.8770775902e-04, 3.3519912511e-02, 1.0])
}

/// src/f32-vgelu/rational-12-10.c.in
fn gelu(fma: Fma, x: f32) -> f32 {
    let clamped = x.clamp(-5.1164608002e+00, 5.1164608002e+00);
    let square = clamped * clamped;
    let p = [
        4.5835321316e-08,
        1.2609783880e-05,
        3.2973114867e-04,
        9.3065137044e-03,
        6.6972173750e-02,
        7.9788452387e-01,
    ];
    let q = [
        1.1988805682e-06,
        7.2267655923e-05,
        1.8622842617e-03,
        2.8431978077e-02,
        2.5060352683e-01,
        1.0,
    ];
    let erf = clamped * polynomial(fma, square, &p) / polynomial(fma, square, &q);
    x * 0.5 * (erf + 1.0)
}

/// src/f16-vgelu/rational-6-4.c.in. Each step is rounded to f16.
fn gelu_of_f16(x: f16) -> f16 {
    let f = f16::from_f32;
    let add = |a: f16, b: f16, c: f16| f(a.to_f32() * b.to_f32() + c.to_f32());
    let times = |a: f16, b: f16| f(a.to_f32() * b.to_f32());
    let most = f(3.28906250e+00);
    let clamped = x.min(most).max(-most);
    let square = times(clamped, clamped);
    let p = add(square, f(4.5998394489e-03), f(1.5397867560e-01));
    let p = times(clamped, add(square, p, f(7.9763203859e-01)));
    let q = add(square, f(4.2862996459e-02), f(3.5756936669e-01));
    let q = add(square, q, f16::ONE);
    let erf = f(p.to_f32() / q.to_f32());
    times(times(x, f(0.5)), f(erf.to_f32() + 1.0))
}

/// What the interpreter gives in f64.
fn exact(f: Simple, x: &[f64]) -> Vec<f64> {
    let op = Op::from(Unary { f: f.into() });
    let operand = Tensor::new([x.len()], x.to_vec());
    let mut bindings = Bindings::new(&Symbols::default());
    let result = evaluate_op(&op, &[operand], &mut bindings, 1 << 30).unwrap();
    result[0].elements::<f64>().unwrap().to_vec()
}

/// The units of each result that every comparison allows.
const ALLOWED: f64 = 4.0;

/// The greatest part of its bound that a formula needs, beyond what every comparison allows.
fn used(f: Simple, dtype: DType, x: &[f64], found: &[f64]) -> f64 {
    assert_eq!(x.len(), found.len());
    let least = match dtype {
        DType::F16 => 2f64.powi(-22),
        _ => 2f64.powi(-147),
    };
    let each = x.iter().zip(found).zip(exact(f, x));
    let part = |((&x, &found), y): ((&f64, &f64), f64)| {
        let off = ((found - y).abs() - least) / unit(dtype) - ALLOWED * y.abs();
        off / units(f, x, y).unwrap()
    };
    each.map(part).fold(f64::NEG_INFINITY, f64::max)
}

/// Numbers of f32 in a range, evenly spread over their bits.
fn singles(least: f32, most: f32) -> Vec<f32> {
    let range = least.to_bits()..most.to_bits();
    range.step_by(1013).map(f32::from_bits).collect()
}

/// The formula of a function, its range of positive operands, and whether it takes negative ones.
type Formula = (Simple, fn(Fma, f32) -> f32, [f32; 2], bool);

const FORMULAS: [Formula; 5] = [
    (Simple::Log, log, [1e-30, 1e30], false),
    (Simple::Exp, exp, [1e-6, 80.0], true),
    (Simple::Sin, sin, [1e-6, 100.0], true),
    (Simple::Cos, cos, [1e-6, 100.0], true),
    (Simple::Gelu, gelu, [1e-6, 10.0], true),
];

/// The bound holds, and a third of it would not.
fn assert_fits(f: Simple, used: f64) {
    assert!(
        used > 1.0 / 3.0 && used <= 1.0,
        "{f:?} uses {used} of its bound"
    );
}

#[test]
fn bounds_fit_formulas() {
    for (f, formula, [least, most], is_signed) in FORMULAS {
        let positive = singles(least, most);
        let negative = positive.iter().map(|x| -x).filter(|_| is_signed);
        let operands: Vec<f32> = positive.iter().copied().chain(negative).collect();
        let x: Vec<f64> = operands.iter().map(|&x| f64::from(x)).collect();
        for fma in ROUNDINGS {
            let found = operands.iter().map(|&x| f64::from(formula(fma, x)));
            assert_fits(f, used(f, DType::F32, &x, &found.collect::<Vec<f64>>()));
        }
    }
}

#[test]
fn bound_fits_gelu_of_f16() {
    let all = (0..=u16::MAX).map(f16::from_bits).filter(|x| x.is_finite());
    let found: Vec<f64> = all.clone().map(|x| gelu_of_f16(x).to_f64()).collect();
    let x: Vec<f64> = all.map(f16::to_f64).collect();
    assert_fits(Simple::Gelu, used(Simple::Gelu, DType::F16, &x, &found));
}
