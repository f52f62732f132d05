//! How far the functions of floats are from the exact results, which 64 bits stand for: at most what the files of `kiln_nn` say. The
//! unit is the distance of floats at the exact result.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_cortex_m::dialect::{
    Buffer, Build, Dtype, Function, Map, Pairs, Parameters, Program, Role, Strides,
};
use kiln_cortex_m::evaluate::{Data, evaluate};
use kiln_cortex_m::verify::verify;

fn run(function: Function, parameters: impl Into<Parameters>, inputs: &[&[f32]]) -> Vec<f32> {
    let mut program = Program::default();
    let sizes = inputs.iter().map(|x| x.len());
    let mut ids: Vec<_> = sizes
        .enumerate()
        .map(|(i, size)| {
            Some(program.add(Buffer::new(i.to_string(), Dtype::F32, size, Role::Input)))
        })
        .collect();
    ids.push(Some(program.add(Buffer::new(
        "y",
        Dtype::F32,
        inputs[0].len(),
        Role::Output,
    ))));
    program.call(function, parameters, &ids);
    let data: Vec<Data> = inputs.iter().map(|x| Data::F32(x.to_vec())).collect();
    let verified = verify(&program, Build::Scalar).unwrap();
    let Data::F32(y) = evaluate(&verified, &data).unwrap().remove(0) else {
        panic!("floats");
    };
    y
}

/// The error in the distance of floats at the exact result; below 2^-126 that distance stays.
fn error(found: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if found.to_bits() == rounded.to_bits() || found.is_nan() && rounded.is_nan() {
        return 0.0;
    }
    let exponent = exact.abs().log2().floor().clamp(-126.0, 127.0);
    let distance = (exponent - 23.0).exp2();
    let found = if found.is_infinite() {
        f64::from(found).signum() * 128f64.exp2()
    } else {
        found.into()
    };
    ((found - exact) / distance).abs()
}

/// Floats from one to another, evenly by their bits, of both signs if the first is negative.
fn sample(least: f32, most: f32) -> Vec<f32> {
    const COUNT: u32 = 200_000;
    let mut all = Vec::new();
    let mut side = |from: f32, to: f32, sign: f32| {
        let (from, to) = (from.to_bits(), to.to_bits());
        let step = ((to - from) / COUNT).max(1);
        all.extend(
            (from..=to)
                .step_by(step as usize)
                .map(|bits| sign * f32::from_bits(bits)),
        );
    };
    if least < 0.0 {
        side(0.0, -least, -1.0);
        side(0.0, most, 1.0);
    } else {
        side(least, most, 1.0);
    }
    all
}

/// A function, where it is looked at, what it computes, and the greatest error that its file says.
struct Said {
    function: Function,
    least: f32,
    most: f32,
    exact: fn(f64) -> f64,
    error: f64,
}

fn said(function: Function, (least, most): (f32, f32), exact: fn(f64) -> f64, error: f64) -> Said {
    Said {
        function,
        least,
        most,
        exact,
        error,
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Functions of one float, each with the range in which it is tried and the error that its file states.
fn stated() -> Vec<Said> {
    const ALL: (f32, f32) = (-f32::MAX, f32::MAX);
    const POSITIVE: (f32, f32) = (0.0, f32::MAX);
    const UNIT: (f32, f32) = (-1.0, 1.0);
    vec![
        said(Function::KilnExpF32, ALL, f64::exp, 1.0),
        said(Function::KilnExp2F32, ALL, f64::exp2, 1.0),
        said(Function::KilnExpm1F32, ALL, f64::exp_m1, 1.5),
        said(Function::KilnLogF32, POSITIVE, f64::ln, 1.0),
        said(Function::KilnLog2F32, POSITIVE, f64::log2, 1.1),
        said(Function::KilnLog10F32, POSITIVE, f64::log10, 1.5),
        said(Function::KilnLog1pF32, (-1.0, f32::MAX), f64::ln_1p, 1.5),
        said(
            Function::KilnLogSigmoidF32,
            ALL,
            |x| x.min(0.0) - (-x.abs()).exp().ln_1p(),
            2.0,
        ),
        said(Function::KilnSqrtF32, POSITIVE, f64::sqrt, 0.5),
        said(Function::KilnRsqrtF32, POSITIVE, |x| 1.0 / x.sqrt(), 1.5),
        said(Function::KilnSinF32, ALL, f64::sin, 2.5),
        said(Function::KilnCosF32, ALL, f64::cos, 2.5),
        said(Function::KilnTanF32, ALL, f64::tan, 3.3),
        said(Function::KilnAsinF32, UNIT, f64::asin, 2.5),
        said(Function::KilnAcosF32, UNIT, f64::acos, 1.5),
        said(Function::KilnAtanF32, ALL, f64::atan, 2.5),
        said(Function::KilnSinhF32, ALL, f64::sinh, 1.5),
        said(Function::KilnCoshF32, ALL, f64::cosh, 1.5),
        said(Function::KilnAsinhF32, ALL, libm::asinh, 2.5),
        said(Function::KilnAcoshF32, (1.0, f32::MAX), libm::acosh, 2.5),
        said(Function::KilnAtanhF32, UNIT, libm::atanh, 2.5),
        said(Function::KilnTanhF32, ALL, f64::tanh, 1.5),
        said(Function::KilnSigmoidF32, ALL, sigmoid, 2.5),
        said(
            Function::KilnSiluF32,
            (-80.0, f32::MAX),
            |x| x * sigmoid(x),
            3.0,
        ),
        said(
            Function::KilnMishF32,
            (-80.0, f32::MAX),
            |x| x * x.exp().ln_1p().tanh(),
            3.5,
        ),
        said(Function::KilnErfF32, ALL, libm::erf, 1.0),
    ]
}

#[test]
fn functions_are_as_exact_as_they_say() {
    for of in &stated() {
        let x = sample(of.least, of.most);
        let y = run(
            of.function,
            Map {
                size: x.len() as i32,
            },
            &[&x],
        );
        check(
            of.function,
            &y,
            of.error,
            |i| (of.exact)(x[i].into()),
            |i| format!("{:e}", x[i]),
        );
    }
}

fn check(
    function: Function,
    y: &[f32],
    most: f64,
    exact: impl Fn(usize) -> f64,
    shown: impl Fn(usize) -> String,
) {
    let errors = y.iter().enumerate().map(|(i, &y)| (error(y, exact(i)), i));
    let (worst, at) = errors.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    println!("{}: {worst:.3} at {}", function.name(), shown(at));
    assert!(
        worst <= most,
        "{}: {worst} at {}: {:e}, not {:e}",
        function.name(),
        shown(at),
        y[at],
        exact(at)
    );
}

#[test]
fn functions_of_two_floats_are_as_exact_as_they_say() {
    let some = sample(-1e3, 1e3);
    let x: Vec<f32> = some.iter().copied().step_by(7).collect();
    let y: Vec<f32> = x
        .iter()
        .enumerate()
        .map(|(i, _)| some[(i * 7919 + 13) % some.len()])
        .collect();
    let size = x.len() as i32;
    let pairs = || Pairs {
        strides: Strides::new(&[size], &[1], &[1]),
    };
    let shown = |i: usize| format!("{:e}, {:e}", x[i], y[i]);
    let found = run(Function::KilnAtan2F32, pairs(), &[&x, &y]);
    let exact = |i: usize| f64::from(x[i]).atan2(y[i].into());
    check(Function::KilnAtan2F32, &found, 3.0, exact, shown);
    let bases: Vec<f32> = x.iter().map(|x| x.abs()).collect();
    let exact = |i: usize| f64::from(bases[i]).powf(y[i].into());
    let found = run(Function::KilnPowF32, pairs(), &[&bases, &y]);
    let shown = |i: usize| format!("{:e}, {:e}", bases[i], y[i]);
    check(Function::KilnPowF32, &found, 1.5, exact, shown);
}

/// The inverse of the error function, by Newton's steps from the result.
#[test]
fn the_inverse_error_function_is_as_exact_as_it_says() {
    let x: Vec<f32> = sample(-1.0, 1.0);
    let size = x.len() as i32;
    let y = run(Function::KilnErfinvF32, Map { size }, &[&x]);
    let exact = |i: usize| {
        if x[i].abs() == 1.0 {
            return f64::from(x[i]) * f64::INFINITY;
        }
        (0..3).fold(f64::from(y[i]), |y, _| {
            let slope = std::f64::consts::FRAC_2_SQRT_PI * (-y * y).exp();
            y - (libm::erf(y) - f64::from(x[i])) / slope
        })
    };
    check(Function::KilnErfinvF32, &y, 3.0, exact, |i| {
        format!("{:e}", x[i])
    });
}

/// The GELU adds 1 to what may be near -1: its error is in the distance of floats at x.
#[test]
fn gelus_are_as_exact_as_they_say() {
    let x: Vec<f32> = sample(-30.0, 30.0);
    let gelu = |x: f64| x * 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    let by_tanh = |x: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
        x / (1.0 + (-2.0 * inner).exp())
    };
    for (function, exact) in [
        (Function::KilnGeluF32, gelu as fn(f64) -> f64),
        (Function::KilnGeluTanhF32, by_tanh),
    ] {
        let y = run(
            function,
            Map {
                size: x.len() as i32,
            },
            &[&x],
        );
        let errors = y.iter().zip(&x).map(|(&y, &x)| {
            let distance = (f64::from(x).abs().log2().floor().max(-126.0) - 23.0).exp2();
            (f64::from(y) - exact(x.into())).abs() / distance
        });
        let worst = errors.fold(0.0, f64::max);
        println!("{}: {worst:.3}", function.name());
        assert!(worst <= 1.5, "{}: {worst}", function.name());
    }
}
