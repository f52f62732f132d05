//! Conversions and element-wise operators.

use super::compare;
use super::probe::{Numbers, Probe};
use kiln_xnnpack::payload::{BinaryOp, Clamp, Datatype, Quant, UnaryOp, ValueId, XnnOp};

const TYPES: [Datatype; 2] = [Datatype::QInt8, Datatype::QUInt8];

fn any_type(n: &mut Numbers) -> Datatype {
    TYPES[n.below(2) as usize]
}

/// All 256 integers, some of them twice.
fn every_byte(n: &mut Numbers) -> Vec<u8> {
    (0..=255).chain(n.bytes(44)).collect()
}

fn unary(n: &mut Numbers, op: UnaryOp, scales: [f32; 4]) -> Probe {
    let datatype = any_type(n);
    let from = n.scale(scales[0], scales[1]);
    // A function of hundredths in hundredths often lies in the middle of two integers.
    let to = match n.below(4) {
        0 => from,
        _ => n.scale(scales[2], scales[3]),
    };
    let [from, to] = [from, to].map(|scale| n.quant(datatype, scale));
    unary_between(n, op, [(datatype, from), (datatype, to)])
}

fn unary_between(
    n: &mut Numbers,
    op: UnaryOp,
    [(a, from), (b, to)]: [(Datatype, Quant); 2],
) -> Probe {
    let mut probe = Probe::new(format!("{op:?} of {a} {from:?} to {b} {to:?}"));
    let bytes = every_byte(n);
    let input = probe.input(a, Some(from), &[3, 100], bytes);
    let output = probe.output(b, Some(to), &[3, 100]);
    probe.push(
        XnnOp::Unary {
            op,
            input,
            output,
            flags: 0,
        },
        None,
    );
    probe
}

macro_rules! tables {
    ($($op:ident [$($scale:expr),*];)*) => {
        #[test]
        fn tables() {
            compare(&[$((stringify!($op), |n| unary(n, UnaryOp::$op, [$($scale),*]))),*]);
        }
    };
}

tables! {
    Abs [0.01, 1.0, 0.01, 1.0];
    Ceiling [0.01, 1.0, 0.01, 1.0];
    Cos [0.01, 0.1, 0.005, 0.05];
    Exp [0.01, 0.05, 0.01, 1.0];
    Floor [0.01, 1.0, 0.01, 1.0];
    Gelu [0.01, 0.1, 0.005, 0.1];
    Hardswish [0.01, 0.1, 0.005, 0.1];
    Log [0.01, 1.0, 0.01, 0.1];
    Negate [0.01, 1.0, 0.01, 1.0];
    ReciprocalSquareRoot [0.01, 1.0, 0.01, 0.1];
    Sigmoid [0.01, 0.2, 0.003, 0.005];
    Sin [0.01, 0.1, 0.005, 0.05];
    Square [0.01, 0.1, 0.01, 1.0];
    SquareRoot [0.01, 1.0, 0.01, 0.1];
    Tanh [0.01, 0.2, 0.005, 0.01];
}

fn tied(n: &mut Numbers, op: UnaryOp) -> Probe {
    let scale = (2 + n.below(8)) as f32 / 100.0;
    unary(n, op, [scale; 4])
}

/// With equal scales of a few hundredths, many results lie in the middle of two integers, where the order of roundings decides.
#[test]
fn tables_at_ties() {
    compare(&[
        ("hardswish at ties", |n| tied(n, UnaryOp::Hardswish)),
        ("gelu at ties", |n| tied(n, UnaryOp::Gelu)),
        ("sigmoid at ties", |n| tied(n, UnaryOp::Sigmoid)),
        ("square at ties", |n| tied(n, UnaryOp::Square)),
        ("square root at ties", |n| tied(n, UnaryOp::SquareRoot)),
        ("tanh at ties", |n| tied(n, UnaryOp::Tanh)),
    ]);
}

#[test]
fn conversions() {
    compare(&[
        ("requantise", |n| {
            unary(n, UnaryOp::Convert, [0.01, 1.0, 0.01, 1.0])
        }),
        ("change of sign", |n| {
            let first = n.below(2) as usize;
            let scales = [n.scale(0.01, 1.0), n.scale(0.01, 1.0)];
            let from = (TYPES[first], n.quant(TYPES[first], scales[0]));
            let to = (TYPES[1 - first], n.quant(TYPES[1 - first], scales[1]));
            unary_between(n, UnaryOp::Convert, [from, to])
        }),
        ("copy", |n| {
            let datatype = any_type(n);
            let quant = n.quant(datatype, 0.1);
            unary_between(
                n,
                UnaryOp::Copy,
                [(datatype, quant.clone()), (datatype, quant)],
            )
        }),
        ("quantise", quantise),
        ("to words", |n| {
            let mut probe = Probe::new("f32 to i32".into());
            let floats = (0..300).map(|_| match n.below(3) {
                0 => n.below(4096) as f32 * 0.5 - 1024.0,
                1 => n.below(1 << 24) as f32 - (1 << 23) as f32,
                _ => n.below(1 << 31) as f32 - 1e9,
            });
            let bytes = floats.flat_map(f32::to_le_bytes).collect();
            let input = probe.input(Datatype::Fp32, None, &[3, 100], bytes);
            let output = probe.output(Datatype::Int32, None, &[3, 100]);
            pushed(probe, convert(input, output))
        }),
        ("from words", |n| {
            let mut probe = Probe::new("i32 to f32".into());
            let words = (0..300).map(|_| n.next() as i32 >> n.below(31));
            let bytes = words.flat_map(i32::to_le_bytes).collect();
            let input = probe.input(Datatype::Int32, None, &[3, 100], bytes);
            let output = probe.output(Datatype::Fp32, None, &[3, 100]);
            pushed(probe, convert(input, output))
        }),
        ("dequantise", |n| {
            let datatype = any_type(n);
            let scale = n.scale(0.001, 10.0);
            let quant = n.quant(datatype, scale);
            let mut probe = Probe::new(format!("dequantise {quant:?}"));
            let bytes = every_byte(n);
            let input = probe.input(datatype, Some(quant), &[3, 100], bytes);
            let output = probe.output(Datatype::Fp32, None, &[3, 100]);
            let op = UnaryOp::Convert;
            probe.push(
                XnnOp::Unary {
                    op,
                    input,
                    output,
                    flags: 0,
                },
                None,
            );
            probe
        }),
    ]);
}

/// Floats within the range, beyond it, and at ties.
fn quantise(n: &mut Numbers) -> Probe {
    let datatype = any_type(n);
    let scale = n.scale(0.001, 10.0);
    let quant = n.quant(datatype, scale);
    let steps = (0..300).map(|_| match n.below(4) {
        0 => n.below(600) as f32 * 0.5 - 150.0,
        1 => n.below(2000) as f32 - 1000.0,
        _ => n.below(1 << 20) as f32 / 2048.0 - 256.0,
    });
    let specials = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        3e38,
        -3e38,
        1e12,
    ];
    let floats = steps
        .map(|x| x * scale)
        .collect::<Vec<f32>>()
        .into_iter()
        .chain(specials);
    let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
    let mut probe = Probe::new(format!("quantise {quant:?}"));
    let input = probe.input(Datatype::Fp32, None, &[306], bytes);
    let output = probe.output(datatype, Some(quant), &[306]);
    let op = UnaryOp::Convert;
    probe.push(
        XnnOp::Unary {
            op,
            input,
            output,
            flags: 0,
        },
        None,
    );
    probe
}

#[test]
fn clamps_and_slopes() {
    compare(&[
        ("clamp", |n| {
            let datatype = any_type(n);
            let scale = n.scale(0.01, 1.0);
            let quant = n.quant(datatype, scale);
            let mut probe = Probe::new(format!("clamp {quant:?}"));
            let bytes = every_byte(n);
            let input = probe.input(datatype, Some(quant.clone()), &[300], bytes);
            let output = probe.output(datatype, Some(quant), &[300]);
            let min = (n.below(100) as f32 - 50.0) * scale * 0.75;
            let clamp = Clamp {
                min,
                max: min + n.below(100) as f32 * scale,
            };
            let op = UnaryOp::Clamp;
            probe.push(
                XnnOp::Unary {
                    op,
                    input,
                    output,
                    flags: 0,
                },
                Some(clamp),
            );
            probe
        }),
        ("leaky relu", |n| {
            let (probe, input, output) = one_operand(n);
            let negative_slope = n.scale(0.01, 1.5) * if n.below(4) == 0 { -1.0 } else { 1.0 };
            pushed(
                probe,
                XnnOp::LeakyRelu {
                    negative_slope,
                    input,
                    output,
                    flags: 0,
                },
            )
        }),
        ("elu", |n| {
            let (probe, input, output) = one_operand(n);
            let alpha = n.scale(0.5, 1.5);
            pushed(
                probe,
                XnnOp::Elu {
                    alpha,
                    input,
                    output,
                    flags: 0,
                },
            )
        }),
    ]);
}

fn convert(input: ValueId, output: ValueId) -> XnnOp {
    let (op, flags) = (UnaryOp::Convert, 0);
    XnnOp::Unary {
        op,
        input,
        output,
        flags,
    }
}

fn one_operand(n: &mut Numbers) -> (Probe, ValueId, ValueId) {
    let datatype = any_type(n);
    let scales = [n.scale(0.01, 0.1), n.scale(0.01, 0.1)];
    let [from, to] = scales.map(|scale| n.quant(datatype, scale));
    let mut probe = Probe::new(format!("{from:?} to {to:?}"));
    let bytes = every_byte(n);
    let input = probe.input(datatype, Some(from), &[300], bytes);
    let output = probe.output(datatype, Some(to), &[300]);
    (probe, input, output)
}

fn pushed(mut probe: Probe, op: XnnOp) -> Probe {
    probe.push(op, None);
    probe
}

/// Shapes of two operands and their result.
const SHAPES: &[[&[u32]; 3]] = &[
    [&[7, 41], &[7, 41], &[7, 41]],
    [&[7, 41], &[41], &[7, 41]],
    [&[1], &[7, 41], &[7, 41]],
    [&[7, 41], &[1, 1], &[7, 41]],
    [&[5, 1, 3], &[1, 37, 3], &[5, 37, 3]],
    [&[2, 3, 1, 7], &[2, 1, 5, 7], &[2, 3, 5, 7]],
];

fn binary(n: &mut Numbers, op: BinaryOp, scales: [f32; 4]) -> Probe {
    let datatype = any_type(n);
    let drawn = [
        n.scale(scales[0], scales[1]),
        n.scale(scales[0], scales[1]),
        n.scale(scales[2], scales[3]),
    ];
    let [a, b, to] = drawn.map(|scale| n.quant(datatype, scale));
    let [left, right, result] = SHAPES[n.below(SHAPES.len() as u64) as usize];
    let mut probe = Probe::new(format!(
        "{op:?} of {datatype} {a:?}, {b:?} to {to:?} {left:?} {right:?}"
    ));
    let mut operand = |probe: &mut Probe, quant, dims: &[u32], is_constant: bool| {
        let bytes = n.bytes(dims.iter().product::<u32>() as usize);
        match is_constant {
            true => probe.constant(datatype, quant, dims, bytes),
            false => probe.input(datatype, Some(quant), dims, bytes),
        }
    };
    let inputs = [
        operand(&mut probe, a, left, false),
        operand(&mut probe, b, right, left.len() == 2),
    ];
    let output = probe.output(datatype, Some(to.clone()), result);
    let clamp = (n.below(3) == 0).then(|| n.clamp(&to));
    let clamp =
        clamp.filter(|_| matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply));
    probe.push(
        XnnOp::Binary {
            op,
            inputs,
            output,
            flags: 0,
        },
        clamp,
    );
    probe
}

#[test]
fn pairs() {
    compare(&[
        ("add", |n| binary(n, BinaryOp::Add, [0.01, 0.1, 0.01, 0.1])),
        ("add of far scales", |n| {
            binary(n, BinaryOp::Add, [0.0001, 10.0, 0.01, 1.0])
        }),
        ("subtract", |n| {
            binary(n, BinaryOp::Subtract, [0.01, 0.1, 0.01, 0.1])
        }),
        ("add at the limits", |n| {
            binary(n, BinaryOp::Add, [0.001, 0.0011, 0.9, 1.0])
        }),
        ("multiply at the limits", |n| {
            binary(n, BinaryOp::Multiply, [0.004, 0.0042, 1.0, 1.04])
        }),
        ("multiply", |n| {
            binary(n, BinaryOp::Multiply, [0.01, 0.1, 0.01, 0.1])
        }),
        ("multiply of far scales", |n| {
            binary(n, BinaryOp::Multiply, [0.001, 10.0, 0.01, 1.0])
        }),
        ("divide", |n| {
            binary(n, BinaryOp::Divide, [0.01, 0.1, 0.01, 0.1])
        }),
        ("minimum", |n| {
            binary(n, BinaryOp::Minimum, [0.01, 0.1, 0.01, 0.1])
        }),
        ("maximum", |n| {
            binary(n, BinaryOp::Maximum, [0.01, 0.1, 0.01, 0.1])
        }),
        ("prelu", |n| {
            binary(n, BinaryOp::PRelu, [0.01, 0.1, 0.01, 0.1])
        }),
    ]);
}

/// Two tensors of i32 of any size, the ends of the type often.
fn words(n: &mut Numbers, op: BinaryOp) -> Probe {
    let mut probe = Probe::new(format!("{op:?} of i32"));
    let word = |n: &mut Numbers| match n.below(4) {
        0 => [i32::MIN, i32::MAX, 0, -1][n.below(4) as usize],
        _ => n.next() as i32,
    };
    let bytes =
        |n: &mut Numbers, count: usize| (0..count).flat_map(|_| word(n).to_le_bytes()).collect();
    let dims = [[3, 100], [1, 1], [3, 1], [1, 100]][n.below(4) as usize];
    let (one, other) = (bytes(n, 300), bytes(n, (dims[0] * dims[1]) as usize));
    let a = probe.input(Datatype::Int32, None, &[3, 100], one);
    let b = probe.input(Datatype::Int32, None, &dims, other);
    let inputs = if n.below(2) == 0 { [a, b] } else { [b, a] };
    let output = probe.output(Datatype::Int32, None, &[3, 100]);
    let flags = 0;
    probe.push(
        XnnOp::Binary {
            op,
            inputs,
            output,
            flags,
        },
        None,
    );
    probe
}

#[test]
fn pairs_of_words() {
    compare(&[
        ("i32 minimum", |n| words(n, BinaryOp::Minimum)),
        ("i32 maximum", |n| words(n, BinaryOp::Maximum)),
        ("i32 sum", |n| words(n, BinaryOp::Add)),
        ("i32 difference", |n| words(n, BinaryOp::Subtract)),
        ("i32 product", |n| words(n, BinaryOp::Multiply)),
    ]);
}
