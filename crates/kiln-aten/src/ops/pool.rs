//! Pools.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{AdaptivePool, Op, Pool, PoolFn, Scatter, ScatterFn};
use kiln_ir::{Builder, Dim, Scalar, Shape, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| average(cx, a, 1),
        &[
            "aten.avg_pool1d.default(self, kernel_size, stride=[], padding=0, ceil_mode=False, count_include_pad=True)",
        ],
    ),
    Row::new(
        |cx, a| average(cx, a, 2),
        &[
            "aten.avg_pool2d.default(self, kernel_size, stride=[], padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
        ],
    ),
    Row::new(
        |cx, a| average(cx, a, 3),
        &[
            "aten.avg_pool3d.default(self, kernel_size, stride=[], padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
        ],
    ),
    Row::new(
        |cx, a| greatest(cx, a, 1, PoolFn::Max),
        &[
            "aten.max_pool1d.default(self, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
        ],
    ),
    Row::new(
        |cx, a| greatest(cx, a, 2, PoolFn::Max),
        &[
            "aten.max_pool2d.default(self, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
        ],
    ),
    Row::new(
        |cx, a| greatest(cx, a, 3, PoolFn::Max),
        &[
            "aten.max_pool3d.default(self, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
        ],
    ),
    Row::new(
        |cx, a| greatest(cx, a, 1, PoolFn::MaxWithIndices),
        &[
            "aten.max_pool1d_with_indices.default(self, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
        ],
    ),
    Row::new(
        |cx, a| greatest(cx, a, 2, PoolFn::MaxWithIndices),
        &[
            "aten.max_pool2d_with_indices.default(self, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
        ],
    ),
    Row::new(
        |cx, a| greatest(cx, a, 3, PoolFn::MaxWithIndices),
        &[
            "aten.max_pool3d_with_indices.default(self, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
        ],
    ),
    Row::new(
        |cx, a| unpool(cx, a, 2),
        &["aten.max_unpool2d.default(self, indices, output_size)"],
    ),
    Row::new(
        |cx, a| unpool(cx, a, 3),
        &["aten.max_unpool3d.default(self, indices, output_size, stride, padding)"],
    ),
    Row::new(
        |cx, a| adaptive(cx, a, 1, AVERAGE),
        &["aten.adaptive_avg_pool1d.default(self, output_size)"],
    ),
    Row::new(
        |cx, a| adaptive(cx, a, 2, AVERAGE),
        &[
            "aten.adaptive_avg_pool2d.default(self, output_size)",
            "aten._adaptive_avg_pool2d.default(self, output_size)",
        ],
    ),
    Row::new(
        |cx, a| adaptive(cx, a, 3, AVERAGE),
        &[
            "aten.adaptive_avg_pool3d.default(self, output_size)",
            "aten._adaptive_avg_pool3d.default(self, output_size)",
        ],
    ),
    Row::new(
        |cx, a| adaptive(cx, a, 1, PoolFn::MaxWithIndices),
        &["aten.adaptive_max_pool1d.default(self, output_size)"],
    ),
    Row::new(
        |cx, a| adaptive(cx, a, 2, PoolFn::MaxWithIndices),
        &["aten.adaptive_max_pool2d.default(self, output_size)"],
    ),
    Row::new(
        |cx, a| adaptive(cx, a, 3, PoolFn::MaxWithIndices),
        &["aten.adaptive_max_pool3d.default(self, output_size)"],
    ),
];

const AVERAGE: PoolFn = PoolFn::Avg {
    count_include_pad: false,
    divisor: None,
};

/// The input with a batch axis of size 1 if it has none.
fn apply(
    cx: &mut Importer<'_>,
    x: ValueId,
    n: usize,
    op: impl Into<Op>,
) -> Result<Returns, Problem> {
    let single = cx.rank(x) == n + 1;
    let x = if single { cx.unsqueeze(x, &[0])? } else { x };
    let results = cx.results(op, &[x])?;
    results
        .into_iter()
        .map(|y| Ok(if single { cx.squeeze(y, &[0])? } else { y }.into()))
        .collect()
}

fn pool(a: &Args<'_>, n: usize, f: PoolFn) -> Result<Pool, Problem> {
    let kernel = a.spatial("kernel_size", n)?;
    let stride = if a.dims("stride")?.is_empty() {
        kernel.clone()
    } else {
        a.spatial("stride", n)?
    };
    let pad = a.spatial("padding", n)?;
    let dilation = if a.has("dilation") {
        a.spatial("dilation", n)?
    } else {
        vec![1; n]
    };
    Ok(Pool {
        f,
        kernel,
        stride,
        pad_low: pad.clone(),
        pad_high: pad,
        dilation,
        ceil: a.bool("ceil_mode")?,
    })
}

fn average(cx: &mut Importer<'_>, a: &Args<'_>, n: usize) -> Result<Returns, Problem> {
    let divisor = if a.has("divisor_override") {
        a.optional_int("divisor_override")?
    } else {
        None
    };
    if divisor == Some(0) {
        return Err(Problem::unsupported("divisor_override=0"));
    }
    let f = PoolFn::Avg {
        count_include_pad: a.bool("count_include_pad")?,
        divisor,
    };
    apply(cx, a.tensor("self")?, n, pool(a, n, f)?)
}

fn greatest(cx: &mut Importer<'_>, a: &Args<'_>, n: usize, f: PoolFn) -> Result<Returns, Problem> {
    apply(cx, a.tensor("self")?, n, pool(a, n, f)?)
}

/// Adaptive pools. A single output size counts for all axes.
fn adaptive(cx: &mut Importer<'_>, a: &Args<'_>, n: usize, f: PoolFn) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let mut output = a.dims("output_size")?;
    if let [all] = output.as_slice() {
        output = vec![all.clone(); n];
    }
    apply(cx, x, n, AdaptivePool { f, output })
}

/// Unpooling: each element goes to the position from which a max pool took it. The other positions are 0.
fn unpool(cx: &mut Importer<'_>, a: &Args<'_>, n: usize) -> Result<Returns, Problem> {
    let (x, index) = (a.tensor("self")?, a.tensor("indices")?);
    let (shape, output) = (cx.shape(x), a.dims("output_size")?);
    let Some(front) = shape.rank().checked_sub(n).map(|f| &shape[..f]) else {
        return Err(Problem::unsupported(format!("takes {n} spatial axes")));
    };
    let rows = |dims: &[Dim]| [front, &[dims.iter().cloned().product()]].concat();
    let source = cx.reshape(x, rows(&shape[front.len()..]))?;
    let index = cx.reshape(index, rows(&shape[front.len()..]))?;
    let dtype = cx.dtype(x);
    let base = cx.full(&Shape::from(rows(&output)), dtype, Scalar::Int(0))?;
    let op = Scatter {
        axis: front.len(),
        f: ScatterFn::Set,
    };
    let placed = cx.value(op, &[base, index, source])?;
    one(cx.reshape(placed, [front, &output].concat())?)
}
