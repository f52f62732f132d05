//! Programs that move elements, sum along axes of images, and read by indices, also outside of an axis.

use crate::probes::{Bench, Line, Probe, made};
use crate::values::{DTYPES, exact_tensor, tensor};
use kiln_eval::Tensor;
use kiln_ir::DType;

fn images(dtype: DType) -> Vec<Probe> {
    let inputs = vec![tensor(dtype, &[2, 3, 4, 5]), tensor(dtype, &[3, 6])];
    let mut bench = Bench::new(dtype, inputs);
    let own = |sizes: &str| format!("{dtype}[{sizes}]");
    for mode in ["reflect", "replicate", "constant 1"] {
        let pad = |x: &str, low: &str, high: &str| {
            format!("pad {x} {{low=[{low}], high=[{high}], mode={mode}}}")
        };
        bench.lines.extend([
            made(own("3, 9"), pad("%1", "0, 2", "0, 1")),
            made(own("2, 3, 6, 7"), pad("%0", "0, 0, 1, 2", "0, 0, 1, 0")),
            made(own("2, 5, 6, 7"), pad("%0", "0, 1, 1, 2", "0, 1, 1, 0")),
        ]);
    }
    for axes in ["0", "2", "1, 3", "0, 1, 2, 3"] {
        let one = |axis: usize, size: usize| {
            if axes.contains(&axis.to_string()) {
                1
            } else {
                size
            }
        };
        let sizes = [2, 3, 4, 5]
            .into_iter()
            .enumerate()
            .map(|(a, size)| one(a, size).to_string());
        let ty = own(&sizes.collect::<Vec<_>>().join(", "));
        for f in ["sum", "mean", "prod", "max", "min"] {
            bench.lines.push(made(
                ty.clone(),
                format!("reduce %0 {{f={f}, axes=[{axes}]}}"),
            ));
        }
    }
    bench
        .lines
        .push(made(own("2, 3, 4, 5"), "scan %0 {f=sum, axis=1}"));
    let windows = "stride=[2, 1], pad_low=[1, 1], pad_high=[1, 1]";
    for f in ["max", "avg none", "max_with_indices"] {
        let mut types = vec![own("2, 3, 2, 5")];
        if f == "max_with_indices" {
            types.push("i64[2, 3, 2, 5]".into());
        }
        let op =
            format!("pool %0 {{f={f}, kernel=[3, 3], {windows}, dilation=[1, 1], ceil=false}}");
        bench.lines.push(Line { types, op });
    }
    bench.lines.push(made(
        own("2, 3, 3, 2"),
        "adaptive_pool %0 {f=avg none, output=[3, 2]}",
    ));
    for aligned in [true, false] {
        let op = format!(
            "resize %0 {{mode=linear, align_corners={aligned}, output=[7, 6], scales=[none, none]}}"
        );
        bench.lines.push(made(own("2, 3, 7, 6"), op));
    }
    for kind in ["layer 1", "layer 3", "group 1", "group 3"] {
        bench.lines.push(made(
            own("2, 3, 4, 5"),
            format!("normalize %0 {{kind={kind}, eps=1e-05}}"),
        ));
    }
    bench.probes()
}

/// Batch norms with given statistics, and layer norms with factors.
fn norms(dtype: DType) -> Vec<Probe> {
    let rows = tensor(dtype, &[4, 6]);
    let columns = |_| tensor(dtype, &[6]);
    let inputs = std::iter::once(rows).chain((0..4).map(columns)).collect();
    let mut bench = Bench::new(dtype, inputs);
    let own = format!("{dtype}[4, 6]");
    bench.lines.extend([
        made(
            own.clone(),
            "normalize %0, %1, %2, %3, %4 {kind=batch, eps=1e-05}",
        ),
        made(own, "normalize %0, %3, %4 {kind=layer 1, eps=1e-05}"),
    ]);
    bench.probes()
}

/// Matrix products whose sums are exact, so that every order of the terms gives the same result.
fn products(dtype: DType) -> Vec<Probe> {
    if !dtype.is_float() {
        return Vec::new();
    }
    let sizes: [&[usize]; 5] = [&[7, 9], &[9, 5], &[5, 9], &[2, 7, 9], &[2, 9, 5]];
    let inputs = sizes
        .iter()
        .map(|sizes| exact_tensor(dtype, sizes))
        .collect();
    let mut bench = Bench::new(dtype, inputs);
    bench.lines.extend([
        made(format!("{dtype}[7, 5]"), "matmul %0, %1 {}"),
        made(format!("{dtype}[7, 5]"), "linear %0, %2 {}"),
        made(format!("{dtype}[2, 7, 5]"), "matmul %3, %4 {}"),
    ]);
    bench.probes()
}

/// Reads and writes by indices. One of the indices is `index`.
fn indexed(dtype: DType, index: i64) -> Vec<Probe> {
    let indices = |sizes: &[usize]| {
        let count: usize = sizes.iter().product();
        let mut indices = [2i64, 0, 1, 3].repeat(count)[..count].to_vec();
        indices[count / 2] = index;
        Tensor::new(sizes, indices)
    };
    let inputs = vec![
        tensor(dtype, &[4, 4]),
        indices(&[3]),
        indices(&[3, 4]),
        tensor(dtype, &[3, 4]),
    ];
    let mut bench = Bench::new(dtype, inputs);
    let own = |sizes: &str| format!("{dtype}[{sizes}]");
    bench.lines.extend([
        // This line comes first: if it wrongly changes its operand, the later lines show it.
        made(own("4, 4"), "slice_update %0, %3 {axis=0, start=1, step=1}"),
        made(own("3, 4"), "index %0, %1 {axis=0, from_start=false}"),
        made(own("4, 3"), "index %0, %1 {axis=1, from_start=false}"),
        made(own("3, 4"), "index %0, %1 {axis=0, from_start=true}"),
        made(own("3, 4, 4"), "index %0, %2 {axis=0, from_start=true}"),
        made(own("3, 4"), "gather %0, %2 {axis=0}"),
        made(
            own("4, 4"),
            "index_put %0, %3, %1 {axis=0, accumulate=false}",
        ),
        made(
            own("4, 4"),
            "index_put %0, %3, %1 {axis=0, accumulate=true}",
        ),
        made(own("4, 4"), "scatter %0, %2, %3 {axis=0, f=set}"),
        made(own("4, 4"), "scatter %0, %2, %3 {axis=0, f=add}"),
    ]);
    let named = |mut probe: Probe| {
        let of_lines = probe.lines.iter_mut().flat_map(|(_, names)| names);
        let names = probe.names.iter_mut().chain(of_lines);
        names.for_each(|name| *name += &format!(" with index {index}"));
        probe
    };
    bench.probes().into_iter().map(named).collect()
}

/// Indices of an axis of size 4: inside, counted from the end, and outside.
pub const INDICES: [i64; 7] = [3, -1, -4, 4, -5, i64::MAX, i64::MIN];

/// Every probe.
pub fn all() -> Vec<Probe> {
    let mut probes = Vec::new();
    for dtype in DTYPES {
        for family in [images, norms, products] {
            probes.extend(family(dtype));
        }
    }
    for index in INDICES {
        for dtype in [DType::F32, DType::I64, DType::BF16] {
            probes.extend(indexed(dtype, index));
        }
    }
    probes
}
