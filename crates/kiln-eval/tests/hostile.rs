//! Ops with mismatched sizes and attributes must return an error, without a panic, an endless loop or huge memory.

use kiln_eval::{Bindings, Cause, Tensor, evaluate_op};
use kiln_ir::ops::*;
use kiln_ir::text::parse;
use kiln_ir::{DType, Dim, Scalar, Symbols};

const LIMIT: u64 = 1 << 24;

fn run(op: impl Into<Op>, operands: &[Tensor]) -> Result<Vec<Tensor>, Cause> {
    let mut bindings = Bindings::new(&Symbols::default());
    evaluate_op(&op.into(), operands, &mut bindings, LIMIT)
}

fn zeros(sizes: &[usize]) -> Tensor {
    Tensor::splat(DType::F32, sizes, Scalar::Int(0))
}

fn conv(v: i64, groups: i64, transposed: bool) -> Conv {
    Conv {
        stride: vec![v.max(1)],
        pad_low: vec![v],
        pad_high: vec![v],
        dilation: vec![v.max(1)],
        groups,
        transposed,
        output_padding: vec![v],
    }
}

#[test]
fn huge_attributes_are_refused() {
    for v in [i64::MAX, i64::MIN, 1 << 31, -(1 << 31)] {
        for transposed in [false, true] {
            let operands = [zeros(&[1, 2, 3]), zeros(&[2, 2, 3])];
            assert!(run(conv(v, 1, transposed), &operands).is_err(), "{v}");
        }
        for f in [
            PoolFn::Max,
            PoolFn::Avg {
                count_include_pad: true,
                divisor: None,
            },
        ] {
            let pool = Pool {
                f,
                kernel: vec![v.max(1)],
                stride: vec![1],
                pad_low: vec![v],
                pad_high: vec![v],
                dilation: vec![v.max(1)],
                ceil: true,
            };
            assert!(run(pool, &[zeros(&[1, 1, 3])]).is_err(), "{v}");
        }
    }
}

#[test]
fn windows_may_lie_far_apart() {
    // The taps are at -2^30, 0 and 2^30, so only the middle one sees the input.
    let x = Tensor::new([1, 1, 3], vec![1f32, 2.0, 3.0]);
    let weight = Tensor::new([1, 1, 3], vec![10f32, 20.0, 30.0]);
    let far = Conv {
        pad_high: vec![(1 << 30) - 2],
        output_padding: vec![0],
        ..conv(1 << 30, 1, false)
    };
    let result = run(far, &[x, weight]).unwrap();
    assert_eq!(result, [Tensor::new([1, 1, 1], vec![20f32])]);
}

#[test]
fn groups_that_do_not_divide_are_refused() {
    let operands = [zeros(&[1, 4, 5]), zeros(&[3, 2, 3])];
    assert!(matches!(
        run(conv(1, 2, false), &operands),
        Err(Cause::Misfit(_))
    ));
}

#[test]
fn results_beyond_the_limit_are_refused_before_they_are_made() {
    let x = zeros(&[1, 1]);
    let broadcast = Broadcast {
        shape: [1 << 40, 1 << 40].into(),
    };
    assert!(matches!(
        run(broadcast, std::slice::from_ref(&x)),
        Err(Cause::OutOfMemory { .. })
    ));
    let pad = Pad {
        low: vec![Dim::constant(1 << 50), Dim::constant(0)],
        high: vec![Dim::constant(0), Dim::constant(i64::MAX)],
        mode: PadMode::Replicate,
    };
    assert!(run(pad, &[x]).is_err());
    let iota = Iota {
        len: Dim::constant(1 << 60),
        dtype: DType::I64,
    };
    assert!(matches!(run(iota, &[]), Err(Cause::OutOfMemory { .. })));
}

#[test]
fn tensors_without_elements_but_large_sizes_take_no_time() {
    let long = zeros(&[0, 1 << 40]);
    let reduce = Reduce {
        f: ReduceFn::Sum,
        axes: vec![0],
    };
    assert!(matches!(
        run(reduce, std::slice::from_ref(&long)),
        Err(Cause::OutOfMemory { .. })
    ));
    assert_eq!(
        run(Reverse { axes: vec![1] }, std::slice::from_ref(&long)).unwrap(),
        std::slice::from_ref(&long)
    );
    let narrow = zeros(&[1 << 40, 0]);
    let sum = run(MatMul {}, &[narrow.clone(), zeros(&[0, 3])]);
    assert!(matches!(sum, Err(Cause::OutOfMemory { .. })));
    let scan = Scan {
        f: ScanFn::Sum,
        axis: 0,
    };
    assert_eq!(
        run(scan, std::slice::from_ref(&narrow)).unwrap(),
        std::slice::from_ref(&narrow)
    );
    let attention = Attention {
        scale: None,
        causal: false,
        grouped: false,
    };
    let none = run(attention, &[narrow.clone(), narrow.clone(), narrow.clone()]).unwrap();
    assert_eq!(none, [narrow]);
}

#[test]
fn unbound_sizes_and_negative_ones_are_refused() {
    let graph =
        parse("graph \"g\" {\n  symbol s0 in 0..\n  block b0 () {\n    return\n  }\n}\n").unwrap();
    let s = graph.symbols.find("s0").unwrap();
    let mut bindings = Bindings::new(&graph.symbols);
    let op: Op = Slice {
        axis: 0,
        start: Dim::symbol(s),
        len: Dim::constant(2) - Dim::symbol(s),
        step: 1,
    }
    .into();
    let x = [zeros(&[4])];
    let unbound = evaluate_op(&op, &x, &mut bindings, LIMIT).unwrap_err();
    assert!(
        unbound.to_string().starts_with("s0 has no value"),
        "{unbound}"
    );
    bindings.bind(s, 1).unwrap();
    assert_eq!(
        evaluate_op(&op, &x, &mut bindings, LIMIT).unwrap()[0].len(),
        1
    );
    bindings.bind(s, 3).unwrap();
    assert!(evaluate_op(&op, &x, &mut bindings, LIMIT).is_err());
}

#[test]
fn indices_out_of_range_are_named() {
    let x = zeros(&[2, 3]);
    let index = Tensor::new([1], vec![-4i64]);
    let error = run(Index::new(1), &[x.clone(), index]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index -4 is out of range for axis 1 of size 3"
    );
    for (index, is_row) in [(1, true), (2, false), (-1, false), (i64::MIN, false)] {
        let found = run(Index::rows(), &[x.clone(), Tensor::new([1], vec![index])]);
        assert_eq!(found.is_ok(), is_row, "{index}");
        let message = format!("index {index} is out of range for axis 0 of size 2");
        assert!(found.err().is_none_or(|e| e.to_string() == message));
    }
    let least = Tensor::new([1, 1], vec![i64::MIN]);
    assert!(run(Gather { axis: 0 }, &[x.clone(), least.clone()]).is_err());
    let scatter = Scatter {
        axis: 0,
        f: ScatterFn::Add,
    };
    assert!(run(scatter, &[x.clone(), least, x.clone()]).is_err());
    let wide = Tensor::new([1, 4], vec![0i64; 4]);
    assert!(run(Gather { axis: 0 }, &[x, wide]).is_err());
}

#[test]
fn extremes_of_nothing_are_errors() {
    let none = zeros(&[2, 0]);
    let reduce = Reduce {
        f: ReduceFn::Max,
        axes: vec![1],
    };
    assert!(matches!(
        run(reduce, std::slice::from_ref(&none)),
        Err(Cause::ExtremeOfNothing { .. })
    ));
    let arg = ArgReduce {
        f: ArgFn::Min,
        axis: 1,
    };
    assert!(matches!(
        run(arg, std::slice::from_ref(&none)),
        Err(Cause::ExtremeOfNothing { .. })
    ));
    let pool = AdaptivePool {
        f: PoolFn::Max,
        output: vec![Dim::constant(2)],
    };
    assert!(run(pool, &[zeros(&[1, 1, 0])]).is_err());
}

#[test]
fn division_by_zero_is_an_error_for_integers_only() {
    let one = Tensor::new([1], vec![1i32]);
    let zero = Tensor::new([1], vec![0i32]);
    for f in [
        BinaryFn::FloorDiv,
        BinaryFn::TruncDiv,
        BinaryFn::Remainder,
        BinaryFn::Fmod,
    ] {
        let error = run(Binary { f }, &[one.clone(), zero.clone()]).unwrap_err();
        assert_eq!(error, Cause::DivisionByZero);
    }
    let floats = [Tensor::new([1], vec![1f32]), zeros(&[1])];
    let quotient = run(
        Binary {
            f: BinaryFn::FloorDiv,
        },
        &floats,
    )
    .unwrap();
    assert_eq!(quotient, [Tensor::new([1], vec![f32::INFINITY])]);
}

#[test]
fn padding_that_the_mode_cannot_fill_is_refused() {
    for (mode, most) in [(PadMode::Reflect, 2), (PadMode::Circular, 3)] {
        let pad = |n: i64| Pad {
            low: vec![Dim::constant(n)],
            high: vec![Dim::constant(0)],
            mode,
        };
        assert!(run(pad(most), &[zeros(&[3])]).is_ok());
        assert!(run(pad(most + 1), &[zeros(&[3])]).is_err());
    }
}

#[test]
fn more_than_three_spatial_axes_have_no_kernel() {
    let pool = Pool {
        f: PoolFn::Max,
        kernel: vec![1; 4],
        stride: vec![1; 4],
        pad_low: vec![0; 4],
        pad_high: vec![0; 4],
        dilation: vec![1; 4],
        ceil: false,
    };
    assert!(run(pool, &[zeros(&[1; 6])]).is_err());
}

#[test]
fn graph_ops_are_refused_alone() {
    let op = While {
        condition: kiln_ir::arena::Id::new(0),
        body: kiln_ir::arena::Id::new(7),
        carried: 1,
    };
    assert!(matches!(
        run(op, &[zeros(&[1])]),
        Err(Cause::Unsupported(_))
    ));
}
