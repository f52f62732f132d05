//! The graphs of representative calls, in text form.

mod program;

use expect_test::{Expect, expect};
use kiln_aten::{Arg, Declared};
use kiln_ir::DType::{self, *};
use kiln_ir::{Dim, TensorType};
use program::{Program, int, ints, shape, tensors, text, try_graph};

fn check(build: impl FnOnce(&mut Program<'_>) -> Vec<Arg>, expected: Expect) {
    expected.assert_eq(&text(build));
}

/// The dtype of the only result of an elementwise call.
fn dtype_of(build: impl FnOnce(&mut Program<'_>) -> Arg) -> DType {
    let graph = program::graph(|p| vec![build(p)]);
    graph.ty(graph.block(graph.root()).results[0]).dtype
}

#[test]
fn promotion_is_pytorchs() {
    let pair = |target: &'static str, a: DType, b: Arg| {
        dtype_of(move |p| {
            let x = p.input("x", a, &shape(&[2]));
            p.call(target, &[x, b])
        })
    };
    assert_eq!(pair("aten.add.Tensor", I32, Arg::Float(0.5)), F32);
    assert_eq!(pair("aten.add.Tensor", F16, Arg::Float(0.5)), F16);
    assert_eq!(pair("aten.add.Tensor", U8, int(3)), U8);
    assert_eq!(pair("aten.add.Tensor", Bool, int(3)), I64);
    assert_eq!(pair("aten.add.Tensor", Bool, Arg::Bool(true)), Bool);
    assert_eq!(pair("aten.mul.Tensor", Bool, Arg::Bool(true)), Bool);
    assert_eq!(pair("aten.div.Tensor", I64, int(2)), F32);
    assert_eq!(pair("aten.floor_divide.default", I64, int(2)), I64);
    assert_eq!(pair("aten.pow.Tensor_Scalar", I64, int(2)), I64);
    assert_eq!(pair("aten.pow.Tensor_Scalar", I64, Arg::Float(0.5)), F32);
    assert_eq!(pair("aten.eq.Scalar", F16, Arg::Float(0.1)), Bool);
    assert_eq!(pair("aten.clamp.default", I32, Arg::Float(0.5)), F32);
}

#[test]
fn tensors_with_axes_outrank_scalars_of_their_category() {
    let pair = |a: (DType, &[i64]), b: (DType, &[i64])| {
        dtype_of(|p| {
            let x = p.input("x", a.0, &shape(a.1));
            let y = p.input("y", b.0, &shape(b.1));
            p.call("aten.mul.Tensor", &[x, y])
        })
    };
    assert_eq!(pair((F16, &[2]), (F64, &[])), F16);
    assert_eq!(pair((I32, &[2]), (F64, &[])), F64);
    assert_eq!(pair((I32, &[2]), (F64, &[1])), F64);
    assert_eq!(pair((U8, &[2]), (I64, &[])), U8);
    assert_eq!(pair((Bool, &[2]), (I32, &[])), I32);
    assert_eq!(pair((F16, &[2]), (BF16, &[2])), F32);
}

#[test]
fn a_number_becomes_a_constant_and_ranks_are_equal() {
    check(
        |p| {
            let x = p.input("x", I64, &shape(&[2, 3]));
            let y = p.input("y", F32, &shape(&[3]));
            let s = p.with("aten.add.Tensor", &[x, y], &[("alpha", Arg::Float(2.0))]);
            vec![p.call("aten.mul.Tensor", &[s, Arg::Float(0.5)])]
        },
        expect![[r#"
            graph "forward" {
              constant c0 "literal" f32[1, 1] = [2.0]
              constant c1 "literal" f32[1, 1] = [0.5]
              input tensor "x" [0, 1]
              input tensor "y" [0]
              output tensor
              block b0 (%0 "x": i64[2, 3], %1 "y": f32[3]) {
                %2: f32[2, 3] = cast %0 {to=f32}
                %3: f32[1, 3] = move %1 {movement=(a:3 -> 1 a)}
                %4: f32[1, 1] = constant {value=c0}
                %5: f32[1, 3] = binary %3, %4 {f=mul}
                %6: f32[2, 3] = binary %2, %5 {f=add}
                %7: f32[1, 1] = constant {value=c1}
                %8: f32[2, 3] = binary %6, %7 {f=mul}
                return %8
              }
            }
        "#]],
    );
}

#[test]
fn a_write_to_a_view_reaches_its_base_and_other_views() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[4, 4]));
            let x = p.call("aten.clone.default", &[x]);
            let turned = p.call("aten.transpose.int", &[x.clone(), int(0), int(1)]);
            let rows = p.call("aten.slice.Tensor", &[x.clone(), int(0), int(1), int(3)]);
            let row = p.call("aten.select.int", &[rows, int(0), int(-1)]);
            p.call("aten.add_.Tensor", &[row, Arg::Float(1.0)]);
            vec![x, turned]
        },
        expect![[r#"
            graph "forward" {
              constant c0 "literal" f32[1] = [1.0]
              input tensor "x" [0, 1]
              output tensor
              output tensor
              block b0 (%0 "x": f32[4, 4]) {
                %1: f32[4, 4] = move %0 {movement=(a:4 b:4 -> b a)}
                %2: f32[2, 4] = slice %0 {axis=0, start=1, len=2, step=1}
                %3: f32[1, 4] = slice %2 {axis=0, start=1, len=1, step=1}
                %4: f32[4] = move %3 {movement=(1 a:4 -> a)}
                %5: f32[1] = constant {value=c0}
                %6: f32[4] = binary %4, %5 {f=add}
                %7: f32[1, 4] = move %6 {movement=(a:4 -> 1 a)}
                %8: f32[2, 4] = slice_update %2, %7 {axis=0, start=1, step=1}
                %9: f32[4, 4] = slice_update %0, %8 {axis=0, start=1, step=1}
                %10: f32[4, 4] = move %9 {movement=(a:4 b:4 -> b a)}
                return %9, %10
              }
            }
        "#]],
    );
}

#[test]
fn a_write_after_a_reshape_of_unknown_memory_order_is_refused_when_it_matters() {
    let program = |read: bool| {
        try_graph(|p| {
            let x = p.input("x", F32, &shape(&[2, 3]));
            let x = p.call("aten.relu.default", &[x]);
            let y = p.call("aten.reshape.default", &[x.clone(), ints(&[6])]);
            p.call("aten.relu_.default", std::slice::from_ref(&y));
            if !read {
                return Ok(vec![y]);
            }
            let results = p.try_call("aten.neg.default", &[("self", x)], Vec::new())?;
            Ok(results)
        })
    };
    assert!(program(false).is_ok());
    let refused = program(true).map(|_| ()).unwrap_err().to_string();
    expect!["node4: aten.neg.default: reads a tensor after one that may share its memory was written in place; export with `exported.run_decompositions()` to make the program functional; called with `self` f32[2, 3]"].assert_eq(&refused);
}

#[test]
fn slices_clamp_and_symbols_simplify() {
    check(
        |p| {
            let n = p.symbol("n", 4, Some(64));
            let x = p.input("x", F32, &[n, 8.into()]);
            let a = p.call(
                "aten.slice.Tensor",
                &[x.clone(), int(0), int(-2), int(i64::MAX)],
            );
            let b = p.call("aten.slice.Tensor", &[x.clone(), int(0), int(1), int(100)]);
            let c = p.call(
                "aten.slice.Tensor",
                &[x, int(1), int(-100), int(-1), int(3)],
            );
            vec![a, b, c]
        },
        expect![[r#"
            graph "forward" {
              symbol n in 4..=64
              input tensor "x" [0, 1]
              output tensor
              output tensor
              output tensor
              block b0 (%0 "x": f32[n, 8]) {
                %1: f32[2, 8] = slice %0 {axis=0, start=n - 2, len=2, step=1}
                %2: f32[n - 1, 8] = slice %0 {axis=0, start=1, len=n - 1, step=1}
                %3: f32[n, 3] = slice %0 {axis=1, start=0, len=3, step=3}
                return %1, %2, %3
              }
            }
        "#]],
    );
}

#[test]
fn reshapes_take_one_move_where_boundaries_refine() {
    check(
        |p| {
            let n = p.symbol("n", 2, None);
            let x = p.input("x", F32, &[n, 6.into(), 4.into()]);
            let a = p.call("aten.reshape.default", &[x.clone(), ints(&[-1, 24])]);
            let b = p.call("aten.view.default", &[x, ints(&[-1, 4, 6])]);
            vec![a, b]
        },
        expect![[r#"
            graph "forward" {
              symbol n in 2..
              input tensor "x" [0, 1, 2]
              output tensor
              output tensor
              block b0 (%0 "x": f32[n, 6, 4]) {
                %1: f32[n, 24] = move %0 {movement=(a:{n} b:6 c:4 -> a (b c))}
                %2: f32[n, 24] = move %0 {movement=(a:{n} b:6 c:4 -> a (b c))}
                %3: f32[n, 4, 6] = move %2 {movement=(a:{n} (b:4 c:6) -> a b c)}
                return %1, %3
              }
            }
        "#]],
    );
}

#[test]
fn positions_take_the_declared_symbol() {
    check(
        |p| {
            let u = p.symbol("u0", 0, Some(12));
            let x = p.input("x", F32, &shape(&[3, 4]));
            let mask = p.call("aten.gt.Scalar", &[x.clone(), int(0)]);
            let declared = TensorType::new(F32, vec![u]);
            let list = Arg::OptionalTensors(vec![mask.as_tensor()]);
            let args = [("self", x), ("indices", list)];
            p.try_call("aten.index.Tensor", &args, vec![declared.into()])
                .unwrap()
        },
        expect![[r#"
            graph "forward" {
              symbol u0 in 0..=12
              constant c0 "literal" f32[1, 1] = [0.0]
              input tensor "x" [0, 1]
              output tensor
              block b0 (%0 "x": f32[3, 4]) {
                %1: f32[1, 1] = constant {value=c0}
                %2: bool[3, 4] = compare %0, %1 {f=gt}
                %3: i64[u0, 2] = non_zero %2 {count=u0}
                %4: i64[u0, 1] = slice %3 {axis=1, start=0, len=1, step=1}
                %5: i64[u0] = move %4 {movement=(a:{u0} 1 -> a)}
                %6: i64[u0, 1] = slice %3 {axis=1, start=1, len=1, step=1}
                %7: i64[u0] = move %6 {movement=(a:{u0} 1 -> a)}
                %8: f32[u0] = index %0, %5, %7 {axis=0, from_start=false}
                return %8
              }
            }
        "#]],
    );
}

#[test]
fn an_item_becomes_a_size() {
    check(
        |p| {
            let u = p.symbol("u0", 0, Some(4));
            let x = p.input("x", F32, &shape(&[4]));
            let n = p.input("n", I64, &[]);
            let declared = vec![Declared::Int(Some(u))];
            let n = p
                .try_call("aten.item.default", &[("self", n)], declared)
                .unwrap();
            let part = p.call("aten.narrow.default", &[x, int(0), int(0), n[0].clone()]);
            vec![part]
        },
        expect![[r#"
            graph "forward" {
              symbol u0 in 0..=4
              input tensor "x" [0]
              input tensor "n" []
              output tensor
              block b0 (%0 "x": f32[4], %1 "n": i64[]) {
                bind_symbol %1 {symbol=u0}
                %2: f32[u0] = slice %0 {axis=0, start=0, len=u0, step=1}
                return %2
              }
            }
        "#]],
    );
}

#[test]
fn indices_apart_come_to_the_front() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[2, 3, 4]));
            let i = p.input("i", I64, &shape(&[5, 1]));
            let j = p.input("j", I64, &shape(&[6]));
            let list = Arg::OptionalTensors(vec![i.as_tensor(), None, j.as_tensor()]);
            vec![p.call("aten.index.Tensor", &[x, list])]
        },
        expect![[r#"
            graph "forward" {
              input tensor "x" [0, 1, 2]
              input tensor "i" [0, 1]
              input tensor "j" [0]
              output tensor
              block b0 (%0 "x": f32[2, 3, 4], %1 "i": i64[5, 1], %2 "j": i64[6]) {
                %3: i64[5, 6] = broadcast %1 {shape=[5, 6]}
                %4: i64[1, 6] = move %2 {movement=(a:6 -> 1 a)}
                %5: i64[5, 6] = broadcast %4 {shape=[5, 6]}
                %6: f32[2, 4, 3] = move %0 {movement=(a:2 b:3 c:4 -> a c b)}
                %7: f32[5, 6, 3] = index %6, %3, %5 {axis=0, from_start=false}
                return %7
              }
            }
        "#]],
    );
}

#[test]
fn nothing_joins_anything() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[2, 3]));
            let nothing = p.input("nothing", F32, &shape(&[0]));
            let list = tensors(&[nothing, x.clone(), x]);
            vec![p.call("aten.cat.default", &[list, int(-1)])]
        },
        expect![[r#"
            graph "forward" {
              input tensor "x" [0, 1]
              input tensor "nothing" [0]
              output tensor
              block b0 (%0 "x": f32[2, 3], %1 "nothing": f32[0]) {
                %2: f32[2, 6] = concat %0, %0 {axis=1}
                return %2
              }
            }
        "#]],
    );
}

#[test]
fn same_padding_puts_the_odd_one_behind() {
    check(
        |p| {
            let x = p.input("x", F32, &shape(&[3, 8]));
            let w = p.input("w", F32, &shape(&[5, 3, 4]));
            let same = ("padding", Arg::Str("same".into()));
            vec![p.with("aten.conv1d.padding", &[x, w], &[same])]
        },
        expect![[r#"
            graph "forward" {
              input tensor "x" [0, 1]
              input tensor "w" [0, 1, 2]
              output tensor
              block b0 (%0 "x": f32[3, 8], %1 "w": f32[5, 3, 4]) {
                %2: f32[1, 3, 8] = move %0 {movement=(a:3 b:8 -> 1 a b)}
                %3: f32[1, 5, 8] = conv %2, %1 {stride=[1], pad_low=[1], pad_high=[2], dilation=[1], groups=1, transposed=false, output_padding=[0]}
                %4: f32[5, 8] = move %3 {movement=(1 a:5 b:8 -> a b)}
                return %4
              }
            }
        "#]],
    );
}

#[test]
fn a_declared_type_that_differs_is_an_error() {
    let error = try_graph(|p| {
        let x = p.input("x", F32, &shape(&[2, 3]));
        let declared = TensorType::new(F32, vec![Dim::constant(3), 2.into()]);
        p.try_call("aten.relu.default", &[("self", x)], vec![declared.into()])
    });
    expect![
        "node1: aten.relu.default: result 0 has type f32[2, 3], but the program declares f32[3, 2]; called with `self` f32[2, 3]"
    ]
    .assert_eq(&error.map(|_| ()).unwrap_err().to_string());
}

#[test]
fn an_unknown_op_names_itself_and_a_remedy() {
    let error = try_graph(|p| p.try_call("aten.no_such_op.default", &[], Vec::new()));
    expect!["node1: aten.no_such_op.default: no such op is known; export with `exported.run_decompositions()` to get core ATen ops, or rewrite this part of the model"].assert_eq(&error.map(|_| ()).unwrap_err().to_string());
}

#[test]
fn dropout_in_training_is_refused() {
    let error = try_graph(|p| {
        let x = p.input("x", F32, &shape(&[2]));
        let args = [
            ("input", x),
            ("p", Arg::Float(0.1)),
            ("train", Arg::Bool(true)),
        ];
        p.try_call("aten.dropout.default", &args, Vec::new())
    });
    expect!["node1: aten.dropout.default: train=True draws random numbers; call `model.eval()` before export, and pass `training=self.training` to functions such as `F.dropout`; called with `input` f32[2], `p` the float 0.1, `train` the bool true"].assert_eq(&error.map(|_| ()).unwrap_err().to_string());
}
