//! The graphs of composite and rare ops in text form, and ops that are refused.

mod program;

use expect_test::{Expect, expect};
use kiln_aten::Arg;
use kiln_ir::DType::{F32, I8};
use program::{Program, int, ints, shape, tensors, text, try_graph};

fn check(build: impl FnOnce(&mut Program<'_>) -> Vec<Arg>, expected: Expect) {
    expected.assert_eq(&text(build));
}

fn refusal(
    build: impl FnOnce(&mut Program<'_>) -> (&'static str, Vec<(&'static str, Arg)>),
) -> String {
    let imported = try_graph(|p| {
        let (target, args) = build(p);
        p.try_call(target, &args, Vec::new())
    });
    imported.expect_err("the call is refused").to_string()
}

#[test]
fn a_recurrent_layer_is_unrolled_behind_one_product() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[2, 1, 2]));
            let h = p.input("h", F32, &shape(&[1, 1, 3]));
            let w = [[3, 2], [3, 3]].map(|s| p.input("w", F32, &shape(&s)));
            let no = || Arg::Bool(false);
            let rest = [no(), int(1), Arg::Float(0.0), no(), no(), no()];
            let args: Vec<Arg> = [x, h, tensors(&w)].into_iter().chain(rest).collect();
            p.all("aten.rnn_tanh.input", &args)
        },
        expect![[r#"
            graph "forward" {
              input tensor "x" [0, 1, 2]
              input tensor "h" [0, 1, 2]
              input tensor "w" [0, 1]
              input tensor "w" [0, 1]
              output tensor
              output tensor
              block b0 (%0 "x": f32[2, 1, 2], %1 "h": f32[1, 1, 3], %2 "w": f32[3, 2], %3 "w": f32[3, 3]) {
                %4: f32[1, 3] = move %1 {movement=(1 b:1 a:3 -> b a)}
                %5: f32[2, 1, 3] = linear %0, %2 {}
                %6: f32[1, 1, 3] = slice %5 {axis=0, start=0, len=1, step=1}
                %7: f32[1, 3] = move %6 {movement=(1 b:1 a:3 -> b a)}
                %8: f32[1, 3] = linear %4, %3 {}
                %9: f32[1, 3] = binary %7, %8 {f=add}
                %10: f32[1, 3] = unary %9 {f=tanh}
                %11: f32[1, 1, 3] = move %10 {movement=(b:1 a:3 -> 1 b a)}
                %12: f32[1, 1, 3] = slice %5 {axis=0, start=1, len=1, step=1}
                %13: f32[1, 3] = move %12 {movement=(1 b:1 a:3 -> b a)}
                %14: f32[1, 3] = linear %10, %3 {}
                %15: f32[1, 3] = binary %13, %14 {f=add}
                %16: f32[1, 3] = unary %15 {f=tanh}
                %17: f32[1, 1, 3] = move %16 {movement=(b:1 a:3 -> 1 b a)}
                %18: f32[2, 1, 3] = concat %11, %17 {axis=0}
                %19: f32[1, 1, 3] = move %16 {movement=(b:1 a:3 -> 1 b a)}
                return %18, %19
              }
            }
        "#]],
    );
}

#[test]
fn a_symbolic_sequence_runs_in_a_loop() {
    check(
        |p| {
            let steps = p.symbol("t", 2, Some(9));
            let x = p.input("x", F32, &[steps, 1.into(), 2.into()]);
            let h = p.input("h", F32, &shape(&[1, 1, 3]));
            let w = [[3, 2], [3, 3]].map(|s| p.input("w", F32, &shape(&s)));
            let no = || Arg::Bool(false);
            let rest = [no(), int(1), Arg::Float(0.0), no(), no(), no()];
            let args: Vec<Arg> = [x, h, tensors(&w)].into_iter().chain(rest).collect();
            p.all("aten.rnn_relu.input", &args)
        },
        expect![[r#"
            graph "forward" {
              symbol t in 2..=9
              constant c0 "literal" i64[1] = [0]
              constant c1 "literal" f32[1, 1, 1] = [0.0]
              constant c2 "literal" i64[1] = [1]
              input tensor "x" [0, 1, 2]
              input tensor "h" [0, 1, 2]
              input tensor "w" [0, 1]
              input tensor "w" [0, 1]
              output tensor
              output tensor
              block b1 (%0: i64[1], %1: f32[t, 1, 3], %2: f32[1, 3], %3: i64[1], %4: f32[t, 1, 3], %5: f32[3, 3]) {
                %6: bool[1] = compare %0, %3 {f=lt}
                %7: bool[] = move %6 {movement=(1 ->)}
                return %7
              }
              block b2 (%8: i64[1], %9: f32[t, 1, 3], %10: f32[1, 3], %11: i64[1], %12: f32[t, 1, 3], %13: f32[3, 3]) {
                %14: i64[1] = constant {value=c2}
                %15: i64[1] = binary %8, %14 {f=add}
                %16: f32[1, 1, 3] = index %12, %8 {axis=0, from_start=false}
                %17: f32[1, 3] = move %16 {movement=(1 b:1 a:3 -> b a)}
                %18: f32[1, 3] = linear %10, %13 {}
                %19: f32[1, 3] = binary %17, %18 {f=add}
                %20: f32[1, 3] = unary %19 {f=clamp[0, none]}
                %21: f32[1, 1, 3] = move %20 {movement=(b:1 a:3 -> 1 b a)}
                %22: f32[t, 1, 3] = index_put %9, %21, %8 {axis=0, accumulate=false}
                return %15, %22, %20
              }
              block b0 (%23 "x": f32[t, 1, 2], %24 "h": f32[1, 1, 3], %25 "w": f32[3, 2], %26 "w": f32[3, 3]) {
                %27: f32[1, 3] = move %24 {movement=(1 b:1 a:3 -> b a)}
                %28: f32[t, 1, 3] = linear %23, %25 {}
                %29: i64[] = dim_value {dim=t}
                %30: i64[1] = move %29 {movement=(-> 1)}
                %31: i64[1] = constant {value=c0}
                %32: f32[1, 1, 1] = constant {value=c1}
                %33: f32[t, 1, 3] = broadcast %32 {shape=[t, 1, 3]}
                %34: i64[1], %35: f32[t, 1, 3], %36: f32[1, 3] = while %31, %33, %27, %30, %28, %26 {condition=b1, body=b2, carried=3}
                %37: f32[1, 1, 3] = move %36 {movement=(b:1 a:3 -> 1 b a)}
                return %35, %37
              }
            }
        "#]],
    );
}

#[test]
fn a_contraction_is_one_product() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[2, 3, 4]));
            let w = p.input("w", F32, &shape(&[5, 4]));
            let equation = Arg::Str("b...k,ok->b...o".into());
            vec![p.call("aten.einsum.default", &[equation, tensors(&[x, w])])]
        },
        expect![[r#"
            graph "forward" {
              input tensor "x" [0, 1, 2]
              input tensor "w" [0, 1]
              output tensor
              block b0 (%0 "x": f32[2, 3, 4], %1 "w": f32[5, 4]) {
                %2: f32[4, 5] = move %1 {movement=(a:5 b:4 -> b a)}
                %3: f32[6, 4] = move %0 {movement=(a:2 b:3 c:4 -> (a b) c)}
                %4: f32[6, 5] = matmul %3, %2 {}
                %5: f32[2, 3, 5] = move %4 {movement=((a:2 b:3) c:5 -> a b c)}
                return %5
              }
            }
        "#]],
    );
}

#[test]
fn a_diagonal_is_a_slice_that_can_be_written_through() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[2, 3]));
            let y = p.call("aten.clone.default", &[x]);
            let d = p.call("aten.diagonal.default", &[y.clone(), int(1)]);
            p.call("aten.fill_.Scalar", &[d, Arg::Float(7.0)]);
            vec![y]
        },
        expect![[r#"
            graph "forward" {
              constant c0 "literal" f32[1] = [7.0]
              input tensor "x" [0, 1]
              output tensor
              block b0 (%0 "x": f32[2, 3]) {
                %1: f32[6] = move %0 {movement=(a:2 b:3 -> (a b))}
                %2: f32[2] = slice %1 {axis=0, start=1, len=2, step=4}
                %3: f32[1] = constant {value=c0}
                %4: f32[2] = broadcast %3 {shape=[2]}
                %5: f32[6] = move %0 {movement=(a:2 b:3 -> (a b))}
                %6: f32[6] = slice_update %5, %4 {axis=0, start=1, step=4}
                %7: f32[2, 3] = move %6 {movement=((a:2 b:3) -> a b)}
                return %7
              }
            }
        "#]],
    );
}

#[test]
fn known_parameters_become_types() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[2]));
            let parameters = [Arg::Float(0.5), int(3), int(-128), int(127), Arg::DType(I8)];
            let args: Vec<Arg> = [x].into_iter().chain(parameters.clone()).collect();
            let q = p.call("quantized_decomposed.quantize_per_tensor.default", &args);
            let args: Vec<Arg> = [q].into_iter().chain(parameters).collect();
            vec![p.call("quantized_decomposed.dequantize_per_tensor.default", &args)]
        },
        expect![[r#"
            graph "forward" {
              input tensor "x" [0]
              output tensor
              block b0 (%0 "x": f32[2]) {
                %1: i8[2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
                %2: f32[2] = dequantize %1 {dtype=f32}
                return %2
              }
            }
        "#]],
    );
}

#[test]
fn a_complex_tensor_is_refused_where_its_parts_are_not_read() {
    let message = refusal(|p| {
        let x = p.input("x", F32, &shape(&[4]));
        let spectrum = p.call("aten.fft_rfft.default", &[x]);
        ("aten.relu.default", vec![("self", spectrum)])
    });
    expect!["node2: aten.relu.default: argument `self` is a complex tensor; expected a tensor; called with `self` a complex tensor"]
        .assert_eq(&message);
}

#[test]
fn sizes_from_data_are_refused() {
    let message = refusal(|p| {
        let x = p.input("x", F32, &shape(&[4]));
        (
            "aten.one_hot.default",
            vec![("self", x), ("num_classes", int(-1))],
        )
    });
    expect!["node1: aten.one_hot.default: the number of classes is the greatest index and one, which is data; give `num_classes`; called with `self` f32[4], `num_classes` the int -1"].assert_eq(&message);
    let message = refusal(|p| {
        let x = p.input("x", F32, &shape(&[4]));
        ("aten._unique2.default", vec![("self", x)])
    });
    expect!["node1: aten._unique2.default: the number of distinct elements is data; keep this outside the model; called with `self` f32[4]"].assert_eq(&message);
}

#[test]
fn a_read_past_the_storage_is_refused() {
    let message = refusal(|p| {
        let x = p.input("x", F32, &shape(&[2, 3]));
        (
            "aten.as_strided.default",
            vec![
                ("self", x),
                ("size", ints(&[2, 3])),
                ("stride", ints(&[3, 2])),
            ],
        )
    });
    expect!["node1: aten.as_strided.default: reads position 7 of 6 elements; called with `self` f32[2, 3], `size` the ints [2, 3], `stride` the ints [3, 2]"].assert_eq(&message);
}

#[test]
fn a_product_of_integers_is_in_i32() {
    check(
        |p| {
            let a = p.input("a", I8, &shape(&[2, 3]));
            let b = p.input("b", I8, &shape(&[3, 4]));
            p.all("aten._int_mm.default", &[a, b])
        },
        expect![[r#"
            graph "forward" {
              input tensor "a" [0, 1]
              input tensor "b" [0, 1]
              output tensor
              block b0 (%0 "a": i8[2, 3], %1 "b": i8[3, 4]) {
                %2: i32[2, 3] = cast %0 {to=i32}
                %3: i32[3, 4] = cast %1 {to=i32}
                %4: i32[2, 4] = matmul %2, %3 {}
                return %4
              }
            }
        "#]],
    );
}
