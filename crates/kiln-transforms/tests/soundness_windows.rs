//! Decompositions of windows, products, data movements and reductions keep the results.

mod case;
mod fake_target;

use case::{Case, Close, F32, each};
use kiln_ir::{DType, ValueId};

#[test]
fn adaptive_pools() {
    each(|case| {
        for f in ["avg none", "max", "max_with_indices"] {
            let f = if f == "avg none" {
                "avg_of_padded none"
            } else {
                f
            };
            let (h, w) = (1 + case.below(7), 1 + case.below(7));
            let (oh, ow) = (1 + case.below(4), 1 + case.below(4));
            let mut case = Case::new(case.random());
            let x = case.known(F32, &[1, 2, h as usize, w as usize]);
            let count = if f == "max_with_indices" { 2 } else { 1 };
            let y = case.nodes(
                count,
                "adaptive_pool",
                &[x],
                &format!("f={f}, output=[{oh}, {ow}]"),
            );
            y.into_iter().for_each(|v| case.result(v));
            case.check_gone(
                "decompose none adaptive_pool",
                "adaptive_pool",
                Close::Rounding,
            );
        }
    });
}

#[test]
fn pools_of_one_and_three_axes() {
    each(|case| {
        for n in [1usize, 3] {
            for f in [
                "avg none",
                "avg_of_padded none",
                "avg 3",
                "max",
                "max_with_indices",
            ] {
                let mut case = Case::new(case.random());
                let mut list = |low: u64, high: u64| -> String {
                    let v: Vec<u64> = (0..n).map(|_| low + case.below(high - low + 1)).collect();
                    format!("{v:?}")
                };
                let (kernel, stride) = (list(2, 3), list(1, 3));
                let (low, high) = (list(0, 1), list(0, 1));
                let dilation = if f.starts_with("max") {
                    list(1, 2)
                } else {
                    format!("{:?}", vec![1; n])
                };
                let ceil = case.below(2) == 0;
                let mut sizes = vec![1 + case.below(2) as usize, 2];
                (0..n).for_each(|_| sizes.push(5 + case.below(3) as usize));
                let x = case.known(F32, &sizes);
                let count = if f == "max_with_indices" { 2 } else { 1 };
                let y = case.nodes(count, "pool", &[x], &format!("f={f}, kernel={kernel}, stride={stride}, pad_low={low}, pad_high={high}, dilation={dilation}, ceil={ceil}"));
                y.into_iter().for_each(|v| case.result(v));
                let printed = case.check(&format!("decompose none pool.{n}d"), Close::Rounding);
                assert!(
                    printed.contains("kernel=[") && !printed.contains(&format!("kernel={kernel},"))
                        || n == 2,
                    "{printed}"
                );
            }
        }
    });
}

#[test]
fn convolutions_of_one_and_three_axes() {
    each(|case| {
        for n in [1usize, 3] {
            for transposed in [false, true] {
                let mut case = Case::new(case.random());
                let mut list = |low: u64, high: u64| -> Vec<u64> {
                    (0..n).map(|_| low + case.below(high - low + 1)).collect()
                };
                let (kernel, stride, low, high, dilation) =
                    (list(1, 3), list(1, 2), list(0, 1), list(0, 1), list(1, 2));
                let extra: Vec<u64> = stride
                    .iter()
                    .map(|s| if transposed { s - 1 } else { 0 })
                    .collect();
                let groups = 1 + case.below(2) as usize;
                let (inputs, outputs) = (2 * groups, 3 * groups);
                let mut sizes = vec![case.below(3) as usize, inputs];
                (0..n).for_each(|_| sizes.push(6));
                let mut weight = if transposed {
                    vec![inputs, outputs / groups]
                } else {
                    vec![outputs, inputs / groups]
                };
                weight.extend(kernel.iter().map(|&k| k as usize));
                let dtype = if case.below(4) == 0 { DType::F16 } else { F32 };
                let mut operands = vec![case.known(dtype, &sizes)];
                operands.push(if case.below(2) == 0 {
                    case.known(dtype, &weight)
                } else {
                    case.constant(dtype, &weight)
                });
                if case.below(2) == 0 {
                    operands.push(case.known(dtype, &[outputs]));
                }
                let y = case.node("conv", &operands, &format!("stride={stride:?}, pad_low={low:?}, pad_high={high:?}, dilation={dilation:?}, groups={groups}, transposed={transposed}, output_padding={extra:?}"));
                case.result(y);
                let printed = case.check(&format!("decompose none conv.{n}d"), Close::Rounding);
                assert!(
                    !printed.contains(&format!("stride={stride:?}")),
                    "{printed}"
                );
            }
        }
    });
}

#[test]
fn products() {
    each(|case| {
        for (a, b) in [
            (vec![2, 3, 4, 5], vec![2, 3, 5, 2]),
            (vec![2, 3, 4, 5], vec![1, 1, 5, 2]),
            (vec![2, 1, 4, 5], vec![1, 3, 5, 2]),
            (vec![1, 4, 5], vec![3, 5, 2]),
            (vec![0, 2, 1, 3], vec![0, 2, 3, 1]),
        ] {
            let mut case = Case::new(case.random());
            let (x, y) = (case.known(F32, &a), case.known(F32, &b));
            let z = case.node("matmul", &[x, y], "");
            case.result(z);
            case.check(
                &format!(
                    "decompose none matmul.4d matmul.{}d",
                    if a.len() == 4 { 4 } else { 5 }
                ),
                Close::Rounding,
            );
        }
        for shape in [vec![3], vec![2, 3], vec![2, 0, 3]] {
            let mut case = Case::new(case.random());
            let mut operands = vec![case.known(F32, &shape), case.known(F32, &[4, 3])];
            if case.below(2) == 0 {
                operands.push(case.known(F32, &[4]));
            }
            let z = case.node("linear", &operands, "");
            case.result(z);
            case.check_gone("decompose none linear", "linear", Close::Rounding);
            case.check("decompose none linear.1d", Close::Rounding);
        }
    });
}

#[test]
fn resizes() {
    each(|case| {
        for mode in ["nearest", "linear", "cubic"] {
            let mut case = Case::new(case.random());
            let sizes = [1, 2, 1 + case.below(6) as usize, 1 + case.below(6) as usize];
            let output = if case.below(3) == 0 {
                [2 * sizes[2], 3 * sizes[3]]
            } else {
                [1 + case.below(9) as usize, 1 + case.below(9) as usize]
            };
            let align = mode != "nearest" && case.below(2) == 0;
            let dtype = if case.below(4) == 0 { DType::F16 } else { F32 };
            let x = case.known(dtype, &sizes);
            let y = case.node(
                "resize",
                &[x],
                &format!(
                    "mode={mode}, align_corners={align}, output={output:?}, scales=[none, none]"
                ),
            );
            case.result(y);
            case.check_gone("decompose none resize", "resize", Close::Rounding);
        }
    });
}

#[test]
fn data_movement() {
    each(|case| {
        case.symbol("s0", 3, 9);
        let n = 3 + case.below(7) as usize;
        let x = case.input(F32, "[s0, 4]", &[n, 4]);
        let u = case.known(F32, &[2, 4]);
        let values = [
            ("reverse", vec![x], "axes=[0, 1]", "reverse"),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[1, 3], mode=reflect",
                "pad",
            ),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[4, 0], mode=replicate",
                "pad",
            ),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[0, 3], mode=circular",
                "pad",
            ),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[0, 3], mode=constant -inf",
                "pad",
            ),
            (
                "slice",
                vec![x],
                "axis=1, start=1, len=2, step=2",
                "slice.strided",
            ),
            (
                "slice",
                vec![x],
                "axis=1, start=0, len=2, step=2",
                "slice.strided",
            ),
            (
                "slice",
                vec![x],
                "axis=0, start=0, len=1, step=3",
                "slice.strided",
            ),
            (
                "slice_update",
                vec![x, u],
                "axis=0, start=1, step=1",
                "slice_update",
            ),
            (
                "slice_update",
                vec![x, u],
                "axis=0, start=0, step=1",
                "slice_update",
            ),
        ];
        let results: Vec<ValueId> = values
            .iter()
            .map(|(op, operands, attributes, _)| case.node(op, operands, attributes))
            .collect();
        results.into_iter().for_each(|v| case.result(v));
        let lacks: Vec<&str> = values.iter().map(|v| v.3).collect();
        let printed = case.check(&format!("decompose none {}", lacks.join(" ")), Close::Bits);
        for gone in ["reverse", "slice_update"] {
            assert!(!printed.contains(&format!(" = {gone} ")), "{printed}");
        }
        assert!(
            !printed.contains("step=2") && !printed.contains("mode=re"),
            "{printed}"
        );
    });
}

#[test]
fn scans_and_orders() {
    each(|case| {
        for dtype in [F32, DType::I32, DType::BF16] {
            for f in ["sum", "prod", "max", "min"] {
                let mut case = Case::new(case.random());
                case.symbol("s0", 0, 9);
                let n = case.below(10) as usize;
                let x = case.input(dtype, "[2, s0]", &[2, n]);
                let y = case.node("scan", &[x], &format!("f={f}, axis=1"));
                case.result(y);
                case.check_gone("decompose none scan", "scan", Close::Rounding);
            }
        }
        let x = case.known(F32, &[2, 5]);
        let y = case.nodes(2, "sort", &[x], "axis=1, descending=true")[0];
        case.result(y);
        case.check_gone("decompose none sort", "sort", Close::Bits);
    });
}

#[test]
fn reductions() {
    each(|case| {
        for (f, other) in [
            ("sum", ""),
            ("mean", ""),
            ("max", ""),
            ("min", ""),
            ("prod", ""),
        ] {
            for dtype in [F32, DType::F16] {
                let mut case = Case::new(case.random());
                let x = case.known(dtype, &[2, 3, 5]);
                let axes = ["[1]", "[0, 2]", "[0, 1, 2]"][case.below(3) as usize];
                let y = case.node("reduce", &[x], &format!("f={f}, axes={axes}"));
                case.result(y);
                let printed = case.check(
                    &format!("decompose none reduce.{f} {other}"),
                    Close::Rounding,
                );
                assert!(!printed.contains(&format!("f={f},")), "{printed}");
            }
        }
        for f in ["any", "all"] {
            for lacks in [format!("reduce.{f}"), "reduce.any reduce.all".to_string()] {
                let mut case = Case::new(case.random());
                let x = case.known(DType::Bool, &[2, 3]);
                let y = case.node("reduce", &[x], &format!("f={f}, axes=[1]"));
                case.result(y);
                case.check(&format!("decompose none {lacks}"), Close::Bits);
            }
        }
        let x = case.known(F32, &[2, 5]);
        let y = case.node("arg_reduce", &[x], "f=min, axis=1");
        case.result(y);
        let printed = case.check("decompose none arg_reduce.min", Close::Bits);
        assert!(
            printed.contains("arg_reduce") && !printed.contains("f=min"),
            "{printed}"
        );
    });
}

#[test]
fn what_is_preferred_decomposed_is_so_only_if_all_parts_are_delegated() {
    let mut case = Case::new(3);
    let x = case.known(F32, &[2, 3]);
    let y = case.node("normalize", &[x], "kind=layer 1, eps=1e-5");
    case.result(y);
    case.check_gone("decompose prefers normalize", "normalize", Close::Rounding);
    case.check_gone(
        "decompose prefers normalize none unary.rsqrt",
        "normalize",
        Close::Rounding,
    );
    let printed = case.check(
        "decompose prefers normalize kernel unary.sqrt none unary.rsqrt",
        Close::Bits,
    );
    assert!(
        printed.contains(" = normalize ") && !printed.contains(" = reduce "),
        "{printed}"
    );
}
