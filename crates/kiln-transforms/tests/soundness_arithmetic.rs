//! Decompositions of functions, norms, sorts and attentions keep the results.

mod case;
mod fake_target;

use case::{Case, Close, F32, each};
use kiln_ir::{DType, Scalar};

#[test]
fn functions_of_one_number() {
    let names = [
        "silu",
        "mish",
        "hardswish",
        "hardsigmoid",
        "gelu",
        "gelu_tanh",
        "log_sigmoid",
        "erfinv",
        "exp2",
        "square",
        "reciprocal",
        "rsqrt",
        "expm1",
        "log1p",
        "log2",
        "log10",
        "tan",
        "sigmoid",
        "sign",
        "neg",
        "abs",
        "trunc",
        "ceil",
        "clamp[-1.5, 2]",
        "clamp[none, 0.5]",
        "elu[1.0, 1.0, 1.0]",
        "elu[1.5, 2.0, 0.5]",
        "leaky_relu[0.1]",
        "softplus[1.0, 20.0]",
        "softplus[2.0, 3.0]",
    ];
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.3,
        1e-6,
        -1e-6,
        25.0,
        -25.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for f in names {
        let family = f.split('[').next().unwrap();
        for dtype in [F32, DType::F16, DType::BF16] {
            let mut case = Case::new(7);
            let values: Vec<Scalar> = edges.iter().map(|&v| Scalar::Float(v)).collect();
            let x = case.input_of(
                dtype,
                &format!("[{}]", values.len()),
                &[values.len()],
                values,
            );
            let y = case.node("unary", &[x], &format!("f={f}"));
            case.result(y);
            let printed = case.check(
                &format!("decompose none unary.{family} unary.plain_elu"),
                Close::Rounding,
            );
            assert!(
                !printed.contains(&format!("f={f}}}")),
                "{f} stays\n{printed}"
            );
        }
    }
}

#[test]
fn elu_by_a_plain_elu() {
    each(|case| {
        let x = case.known(F32, &[9]);
        let y = case.node("unary", &[x], "f=elu[1.5, 2.0, 0.5]");
        case.result(y);
        let printed = case.check("decompose none unary.elu", Close::Rounding);
        assert!(printed.contains("f=elu[0.75, 1.0, 1.0]"), "{printed}");
    });
}

#[test]
fn binary_functions() {
    each(|case| {
        for (f, d) in [
            ("floor_div", F32),
            ("trunc_div", F32),
            ("remainder", F32),
            ("fmod", F32),
            ("prelu", F32),
            ("sub", F32),
            ("remainder", DType::I32),
            ("fmod", DType::I64),
        ] {
            let mut case = Case::new(case.random());
            let x = case.known(d, &[2, 3]);
            let values: Vec<Scalar> = (0..3)
                .map(|i| {
                    if d.is_float() {
                        Scalar::Float([0.5, -2.0, 4.0][i])
                    } else {
                        Scalar::Int([2, -3, 1][i])
                    }
                })
                .collect();
            let y = case.input_of(d, "[1, 3]", &[1, 3], values);
            let z = case.node("binary", &[x, y], &format!("f={f}"));
            case.result(z);
            case.check(&format!("decompose none binary.{f}"), Close::Rounding);
        }
    });
}

#[test]
fn powers() {
    for exponent in [2.0, 3.0, 0.5, -0.5, -1.0, -2.0] {
        each(|case| {
            let x = case.known(F32, &[5, 1]);
            let e = case.constant_of(
                F32,
                &[1, 2],
                &[Scalar::Float(exponent), Scalar::Float(exponent)],
            );
            let y = case.node("binary", &[x, e], "f=pow");
            case.result(y);
            case.check_gone("decompose none binary.pow", "binary.pow", Close::Rounding);
        });
    }
}

/// Sorts rows with equal elements, zeros of both signs, NaN and infinities. The indices show the order.
#[test]
fn sorts_keep_the_order_of_equals() {
    let special = [0.0, -0.0, f64::NAN, 1.0, f64::INFINITY, -1.0];
    for (dtype, descending) in [
        (F32, false),
        (F32, true),
        (DType::F16, true),
        (DType::I32, false),
        (DType::U8, true),
    ] {
        each(|case| {
            case.symbol("s0", 0, 9);
            let n = case.below(10) as usize;
            let values = (0..2 * n).map(|_| match dtype.is_float() {
                true => Scalar::Float(special[case.below(6) as usize]),
                false => Scalar::Int(case.below(3) as i64),
            });
            let values = values.collect();
            let x = case.input_of(dtype, "[2, s0]", &[2, n], values);
            let attributes = format!("axis=1, descending={descending}");
            let sorted = case.nodes(2, "sort", &[x], &attributes);
            sorted.into_iter().for_each(|v| case.result(v));
            case.check_gone("decompose none sort", "sort", Close::Bits);
        });
    }
}

/// Sorts that compare all pairs of elements, for which sizes must be known. Also the `top_k` greatest or least elements alone.
#[test]
fn pairs_tell_the_order() {
    let special = [0.0, -0.0, f64::NAN, 1.0, f64::NEG_INFINITY, -1.0];
    for (dtype, largest) in [
        (F32, false),
        (F32, true),
        (DType::F16, true),
        (DType::I32, false),
    ] {
        each(|case| {
            let values = (0..14).map(|_| match dtype.is_float() {
                true => Scalar::Float(special[case.below(6) as usize]),
                false => Scalar::Int(case.below(3) as i64),
            });
            let values = values.collect();
            let x = case.input_of(dtype, "[7, 2]", &[7, 2], values);
            let sorted = case.nodes(2, "sort", &[x], &format!("axis=0, descending={largest}"));
            sorted.into_iter().for_each(|v| case.result(v));
            let attributes = format!("axis=0, k=3, largest={largest}");
            let first = case.nodes(2, "top_k", &[x], &attributes)[0];
            // Zeros of both signs are equal, and either may come first.
            let size = case.node("unary", &[first], "f=abs");
            case.result(size);
            case.check_gone("decompose none sort top_k", "top_k", Close::Bits);
        });
    }
}

/// Several values are added to one element, and indices count from either end.
#[test]
fn values_are_added_at_indices() {
    for dtype in [F32, DType::I32] {
        each(|case| {
            let x = case.known(dtype, &[2, 3, 4, 2]);
            let values = case.known(dtype, &[2, 5, 2]);
            let mut index = |n: i64| {
                let places = (0..5).map(|_| Scalar::Int(case.below(2 * n as u64) as i64 - n));
                let places = places.collect();
                case.input_of(DType::I64, "[5]", &[5], places)
            };
            let (i, j) = (index(3), index(4));
            let attributes = "axis=1, accumulate=true";
            let y = case.node("index_put", &[x, values, i, j], attributes);
            case.result(y);
            let passes = "decompose none index_put scatter";
            case.check_gone(passes, "index_put", Close::Rounding);
        });
    }
}

#[test]
fn powers_of_integers() {
    for dtype in [DType::U8, DType::I8, DType::I32, DType::I64] {
        each(|case| {
            let exponents = (0..6).map(|_| Scalar::Int(case.below(80) as i64 - 8));
            let exponents = exponents.map(|e| match dtype {
                DType::U8 => Scalar::Int(e.as_i64().abs()),
                _ => e,
            });
            let exponents = exponents.collect();
            let x = case.known(dtype, &[5, 1]);
            let e = case.input_of(dtype, "[1, 6]", &[1, 6], exponents);
            let y = case.node("binary", &[x, e], "f=pow");
            case.result(y);
            case.check_gone("decompose none binary.pow", "binary.pow", Close::Bits);
        });
    }
}

#[test]
fn softmax() {
    each(|case| {
        let shapes: [&[usize]; 5] = [&[3, 1, 4], &[1], &[2, 2, 2, 2], &[0, 3], &[3, 0]];
        for shape in shapes {
            for axis in 0..shape.len() {
                for (log, dtype) in [(false, F32), (true, F32), (false, DType::F16)] {
                    let mut case = Case::new(case.random());
                    let x = case.known(dtype, shape);
                    let y = case.node("softmax", &[x], &format!("axis={axis}, log={log}"));
                    case.result(y);
                    case.check_gone("decompose none softmax", "softmax", Close::Rounding);
                    case.check("decompose none softmax.inner", Close::Rounding);
                }
            }
        }
    });
}

#[test]
fn softmax_of_a_symbolic_axis() {
    each(|case| {
        case.symbol("s0", 1, 9);
        let n = 1 + case.below(9) as usize;
        let x = case.input(F32, "[2, s0]", &[2, n]);
        let y = case.node("softmax", &[x], "axis=1, log=false");
        case.result(y);
        case.check_gone("decompose none softmax", "softmax", Close::Rounding);
    });
}

#[test]
fn normalisations() {
    each(|case| {
        let n = case.below(3) as usize;
        for (kind, shape, parameters) in [
            ("layer 1", vec![n, 3, 4], vec![4]),
            ("layer 2", vec![2, 3, 5], vec![3, 5]),
            ("rms 1", vec![2, 1, 7], vec![7]),
            ("group 2", vec![2, 4, 3, 3], vec![4]),
            ("group 3", vec![n, 3], vec![3]),
            ("group 1", vec![1, 2, 5], vec![2]),
        ] {
            for count in 0..3 {
                let mut case = Case::new(case.random());
                let dtype = if case.below(4) == 0 { DType::F16 } else { F32 };
                let mut operands = vec![case.known(dtype, &shape)];
                (0..count).for_each(|_| operands.push(case.known(dtype, &parameters)));
                let y = case.node("normalize", &operands, &format!("kind={kind}, eps=1e-3"));
                case.result(y);
                case.check_gone("decompose none normalize", "normalize", Close::Rounding);
            }
        }
    });
}

#[test]
fn batch_normalisation() {
    each(|case| {
        for is_constant in [false, true] {
            for count in 2..5 {
                let mut case = Case::new(case.random());
                let shape = [2, 3, 2, 1];
                let mut operands = vec![case.known(F32, &shape)];
                for i in 0..count {
                    let values: Vec<Scalar> = (0..3)
                        .map(|_| {
                            Scalar::Float(case.number().abs() + if i == 1 { 0.25 } else { -1.0 })
                        })
                        .collect();
                    operands.push(if is_constant {
                        case.constant_of(F32, &[3], &values)
                    } else {
                        case.input_of(F32, "[3]", &[3], values)
                    });
                }
                let y = case.node("normalize", &operands, "kind=batch, eps=1e-5");
                case.result(y);
                case.check_gone("decompose none normalize", "normalize", Close::Rounding);
            }
        }
    });
}

#[test]
fn attention() {
    each(|case| {
        for (batch, kv, grouped) in [
            (vec![], vec![], false),
            (vec![2, 3], vec![2, 3], false),
            (vec![2, 4], vec![2, 2], true),
            (vec![6], vec![1], true),
            (vec![2, 2], vec![2, 2], true),
            (vec![2, 3], vec![1, 3], false),
        ] {
            for mask in ["none", "bool", "float", "const_bool", "const_float"] {
                for causal in [false, true] {
                    let mut case = Case::new(case.random());
                    let dtype = if case.below(5) == 0 { DType::BF16 } else { F32 };
                    let (l, s, e, d) = (
                        1 + case.below(4) as usize,
                        case.below(4) as usize,
                        1 + case.below(3) as usize,
                        case.below(3) as usize,
                    );
                    let s = if mask == "none" { s } else { s.max(1) };
                    let shape = |head: &Vec<usize>, a, b| [head.as_slice(), &[a, b]].concat();
                    let mut operands = vec![
                        case.known(dtype, &shape(&batch, l, e)),
                        case.known(dtype, &shape(&kv, s, e)),
                        case.known(dtype, &shape(&kv, s, d)),
                    ];
                    let mask_shape = shape(&vec![1; batch.len()], l, s);
                    let count = mask_shape.iter().product();
                    let floats: Vec<Scalar> = (0..count)
                        .map(|_| {
                            Scalar::Float(if case.below(2) == 0 {
                                0.5
                            } else {
                                f64::NEG_INFINITY
                            })
                        })
                        .collect();
                    match mask {
                        "bool" => operands.push(case.known(DType::Bool, &mask_shape)),
                        "const_bool" => operands.push(case.constant(DType::Bool, &mask_shape)),
                        "float" => operands.push(case.input_of(
                            dtype,
                            &format!("{mask_shape:?}"),
                            &mask_shape,
                            floats,
                        )),
                        "const_float" => {
                            operands.push(case.constant_of(dtype, &mask_shape, &floats))
                        }
                        _ => {}
                    }
                    let scale = ["none", "0.5", "1.0"][case.below(3) as usize];
                    let y = case.node(
                        "attention",
                        &operands,
                        &format!("scale={scale}, causal={causal}, grouped={grouped}"),
                    );
                    case.result(y);
                    case.check_gone("decompose none attention", "attention", Close::Rounding);
                }
            }
        }
    });
}

#[test]
fn attention_of_symbolic_length() {
    each(|case| {
        case.symbol("s0", 1, 9);
        let n = 1 + case.below(9) as usize;
        let q = case.input(F32, "[1, 2, s0, 4]", &[1, 2, n, 4]);
        let k = case.input(F32, "[1, 1, s0, 4]", &[1, 1, n, 4]);
        let y = case.node(
            "attention",
            &[q, k, k],
            "scale=none, causal=true, grouped=true",
        );
        case.result(y);
        case.check_gone("decompose none attention", "attention", Close::Rounding);
    });
}
