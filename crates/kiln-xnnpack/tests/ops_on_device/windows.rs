//! Pools and resizes.

use super::*;

#[test]
fn windows() {
    for (f, name) in [
        (PoolFn::Max, "max"),
        (
            PoolFn::Avg {
                count_include_pad: false,
                divisor: None,
            },
            "avg",
        ),
        (
            PoolFn::Avg {
                count_include_pad: true,
                divisor: None,
            },
            "avg of padded",
        ),
        (
            PoolFn::Avg {
                count_include_pad: true,
                divisor: Some(5),
            },
            "avg by 5",
        ),
    ] {
        for ceil in [false, true] {
            for (kernel, stride, pad) in [
                ([2, 2], [2, 2], [0, 0]),
                ([3, 3], [2, 2], [1, 1]),
                ([3, 2], [1, 3], [1, 0]),
                ([2, 1], [3, 3], [0, 0]),
                ([1, 1], [2, 2], [0, 0]),
                ([1, 1], [1, 1], [0, 0]),
                ([7, 6], [1, 1], [0, 0]),
                ([7, 8], [1, 1], [0, 0]),
            ] {
                check(
                    &format!("{name} {kernel:?} {stride:?} {pad:?} {ceil}"),
                    |b| {
                        let x = b.input(DType::F32, [2, 3, 7, 8]);
                        vec![b.op(
                            Pool {
                                ceil,
                                ..pool(f, kernel, stride, pad)
                            },
                            &[x],
                        )]
                    },
                );
            }
        }
    }
    check("dilated max", |b| {
        let x = b.input(DType::F32, [2, 3, 7, 8]);
        vec![b.op(
            Pool {
                dilation: vec![2, 1],
                ..pool(PoolFn::Max, [2, 3], [1, 2], [0, 1])
            },
            &[x],
        )]
    });
    check("rows", |b| {
        let x = b.input(DType::F32, [2, 3, 9]);
        vec![b.op(
            Pool {
                f: PoolFn::Max,
                kernel: vec![3],
                stride: vec![2],
                pad_low: vec![1],
                pad_high: vec![1],
                dilation: vec![1],
                ceil: false,
            },
            &[x],
        )]
    });
    check("adaptive", |b| {
        let x = b.input(DType::F32, [2, 3, 6, 8]);
        vec![b.op(
            AdaptivePool {
                f: PoolFn::Avg {
                    count_include_pad: false,
                    divisor: None,
                },
                output: dims(&[3, 2]),
            },
            &[x],
        )]
    });
    check("adaptive to one", |b| {
        let x = b.input(DType::F32, [2, 3, 6, 8]);
        vec![b.op(
            AdaptivePool {
                f: PoolFn::Avg {
                    count_include_pad: false,
                    divisor: None,
                },
                output: dims(&[1, 1]),
            },
            &[x],
        )]
    });
    for align_corners in [false, true] {
        for (h, w) in [(12, 16), (5, 9), (3, 4), (1, 7)] {
            check(&format!("bilinear {align_corners} {h} {w}"), |b| {
                let x = b.input(DType::F32, [2, 3, 6, 8]);
                vec![b.op(
                    Resize {
                        mode: ResizeMode::Linear,
                        align_corners,
                        output: dims(&[h, w]),
                        scales: vec![None, None],
                    },
                    &[x],
                )]
            });
        }
    }
    check("linear rows", |b| {
        let x = b.input(DType::F32, [2, 3, 6]);
        vec![b.op(
            Resize {
                mode: ResizeMode::Linear,
                align_corners: false,
                output: dims(&[12]),
                scales: vec![None],
            },
            &[x],
        )]
    });
    check("nearest", |b| {
        let x = b.input(DType::F32, [2, 3, 6, 8]);
        vec![b.op(
            Resize {
                mode: ResizeMode::Nearest,
                align_corners: false,
                output: dims(&[12, 24]),
                scales: vec![Some(2.0), None],
            },
            &[x],
        )]
    });
}
