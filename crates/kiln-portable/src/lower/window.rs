//! Pools and resizing. The kernels have two spatial axes; for one spatial axis, it is the second of two.

use super::context::Lower;
use super::dtypes::DTypes;
use kiln_ir::graph::Node;
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn, Resize, ResizeMode};
use kiln_ir::{DType, Dim, Graph, NodeId, Scalar, TensorType};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

fn check_spatial(kernel: &str, spatial: usize) -> Result<(), Reason> {
    match spatial {
        1 | 2 => Ok(()),
        other => {
            let rule = format!("kernel {kernel} has 1 or 2 spatial axes");
            Err(Reason::new(rule, other.to_string()))
        }
    }
}

/// A shape `[n, c, ..]` with two spatial axes.
fn planar(shape: &[Dim]) -> Vec<Dim> {
    let mut planar = shape.to_vec();
    if planar.len() == 3 {
        planar.insert(2, Dim::constant(1));
    }
    planar
}

/// A list with an entry for both spatial axes.
fn both<T: Clone>(list: &[T], absent: T) -> Vec<T> {
    match list {
        [only] => vec![absent, only.clone()],
        list => list.to_vec(),
    }
}

fn is_symmetric(op: &Pool) -> bool {
    op.pad_low == op.pad_high
}

/// The padding that the kernel itself can do. Of a window that lies in padding alone it gives 0.
fn kernel_pads(graph: &Graph, node: &Node, op: &Pool) -> bool {
    let halves = op.kernel.iter().zip(&op.pad_low);
    let (from, to) = (graph.ty(node.operands[0]), graph.ty(node.results[0]));
    let has_empty_window = |axis: usize| {
        let sizes = [from, to].map(|ty| ty.shape[2 + axis].as_const());
        let [Some(size), Some(count)] = sizes else {
            return false;
        };
        is_any_window_empty(op, axis, size, count)
    };
    is_symmetric(op)
        && halves.clone().all(|(k, p)| *p >= 0 && *p <= k / 2)
        && !(0..op.spatial()).any(has_empty_window)
}

/// The most windows that reach into padding and are looked at one by one.
const MAX_WINDOWS_IN_PADDING: usize = 1 << 16;

/// True if a window along an axis of so many elements, with so many windows, has no element: gaps between its elements may
/// be wider than the axis. Also true if too many windows reach into padding to tell.
fn is_any_window_empty(op: &Pool, axis: usize, size: i64, count: i64) -> bool {
    let wide = |list: &[i64]| i128::from(list[axis]);
    let (kernel, gap) = (wide(&op.kernel), wide(&op.dilation));
    let (size, count) = (i128::from(size), i128::from(count));
    if gap <= 1 {
        return false;
    }
    let start = |window: i128| window * wide(&op.stride) - wide(&op.pad_low);
    let is_empty = |window: i128| {
        let skipped = (-start(window)).max(0).div_euclid(gap)
            + i128::from((-start(window)).max(0).rem_euclid(gap) != 0);
        skipped >= kernel || start(window) + skipped * gap >= size
    };
    let before = (0..count).take_while(|&window| start(window) < 0);
    let behind = (0..count)
        .rev()
        .take_while(|&window| start(window) + (kernel - 1) * gap >= size);
    let mut candidates = before.chain(behind);
    candidates
        .by_ref()
        .take(MAX_WINDOWS_IN_PADDING)
        .any(is_empty)
        || candidates.next().is_some()
}

pub(super) fn check_pool(graph: &Graph, node: &Node, op: &Pool) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    match op.f {
        PoolFn::Avg { .. } => {
            DTypes::FLOATS.check("aten::avg_pool2d.out", dtype)?;
            check_spatial("aten::avg_pool2d.out", op.spatial())?;
            if op.dilation.iter().any(|&d| d != 1) {
                return Err(Reason::new(
                    "an average's window has no gaps",
                    format!("dilation {:?}", op.dilation),
                ));
            }
        }
        PoolFn::Max | PoolFn::MaxWithIndices => {
            DTypes::NUMBERS.check("aten::max_pool2d_with_indices.out", dtype)?;
            check_spatial("aten::max_pool2d_with_indices.out", op.spatial())?;
        }
    }
    let pads_before =
        op.f == PoolFn::Max && !op.ceil && op.pad_low.iter().chain(&op.pad_high).all(|&p| p >= 0);
    if kernel_pads(graph, node, op) || pads_before {
        return Ok(());
    }
    Err(Reason::new(
        "a pool's padding is the same before and behind, at most half the window, and never all of a window",
        format!(
            "{:?} before and {:?} behind {:?} with gaps of {:?}",
            op.pad_low, op.pad_high, op.kernel, op.dilation
        ),
    ))
}

pub(super) fn pool(cx: &mut Lower<'_, '_>, id: NodeId, op: &Pool) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let ty = cx.graph.ty(node.operands[0]).clone();
    let x = cx.tensor(node.operands[0])?;
    let shape = planar(&ty.shape);
    let mut x = cx.view(x, &ty.shape, &shape)?;
    let mut pads = both(&op.pad_low, 0);
    if !kernel_pads(cx.graph, node, op) {
        x = pad_with_least(cx, x, &ty, &shape, op)?;
        pads = vec![0, 0];
    }
    let window = Window {
        kernel: cx.draft.ints(&both(&op.kernel, 1)),
        stride: cx.draft.ints(&both(&op.stride, 1)),
        pads: cx.draft.ints(&pads),
        ceil: cx.draft.bool(op.ceil),
    };
    let result = planar(&cx.graph.ty(cx.graph.node(id).results[0]).shape);
    match op.f {
        PoolFn::Avg {
            count_include_pad,
            divisor,
        } => {
            let include = cx.draft.bool(count_include_pad);
            let divisor = match divisor {
                Some(d) => cx.draft.int(d),
                None => cx.draft.none(),
            };
            cx.result_as(id, 0, &result, |cx, out| {
                let args = [
                    x,
                    window.kernel,
                    window.stride,
                    window.pads,
                    window.ceil,
                    include,
                    divisor,
                ];
                cx.draft.call("aten::avg_pool2d.out", &args, &[out]);
                Ok(())
            })
        }
        PoolFn::Max => {
            let indices = cx.temporary(DType::I64, &result)?;
            cx.result_as(id, 0, &result, |cx, out| {
                max_pool(cx, op, &window, x, [out, indices])
            })
        }
        PoolFn::MaxWithIndices => cx.result_as(id, 0, &result.clone(), |cx, out| {
            cx.result_as(id, 1, &result, |cx, indices| {
                max_pool(cx, op, &window, x, [out, indices])
            })
        }),
    }
}

struct Window {
    kernel: ValueIndex,
    stride: ValueIndex,
    pads: ValueIndex,
    ceil: ValueIndex,
}

fn max_pool(
    cx: &mut Lower<'_, '_>,
    op: &Pool,
    window: &Window,
    x: ValueIndex,
    outs: [ValueIndex; 2],
) -> Result<(), Reason> {
    let dilation = cx.draft.ints(&both(&op.dilation, 1));
    let args = [
        x,
        window.kernel,
        window.stride,
        window.pads,
        dilation,
        window.ceil,
    ];
    cx.draft
        .call("aten::max_pool2d_with_indices.out", &args, &outs);
    Ok(())
}

/// The input, padded with the type's least number, which no maximum takes.
fn pad_with_least(
    cx: &mut Lower<'_, '_>,
    x: ValueIndex,
    ty: &TensorType,
    shape: &[Dim],
    op: &Pool,
) -> Result<ValueIndex, Reason> {
    let (low, high) = (both(&op.pad_low, 0), both(&op.pad_high, 0));
    let mut padded = shape.to_vec();
    for i in 0..2 {
        padded[i + 2] = &padded[i + 2] + low[i] + high[i];
    }
    let least = match ty.dtype.int_range() {
        Some((least, _)) => Scalar::Int(least),
        None => Scalar::Float(f64::NEG_INFINITY),
    };
    let pads = cx.draft.ints(&[low[1], high[1], low[0], high[0]]);
    let least = cx.draft.scalar(least);
    let out = cx.temporary(ty.dtype, &padded)?;
    cx.draft
        .call("aten::constant_pad_nd.out", &[x, pads, least], &[out]);
    Ok(out)
}

pub(super) fn check_adaptive(graph: &Graph, node: &Node, op: &AdaptivePool) -> Result<(), Reason> {
    if !matches!(op.f, PoolFn::Avg { divisor: None, .. }) {
        return Err(Reason::new(
            "the only adaptive pool with a kernel is an average",
            "another",
        ));
    }
    let ty = graph.ty(node.operands[0]);
    // The kernel adds up in f32, also f64. Averages between unknown places have no parts that are better.
    let places = ty.shape.iter().skip(2).chain(&op.output);
    let dtypes = match places.into_iter().all(|d| d.as_const().is_some()) {
        true => DTypes::FLOATS.but(DType::F64),
        false => DTypes::FLOATS,
    };
    dtypes.check("aten::_adaptive_avg_pool2d.out", ty.dtype)?;
    check_spatial("aten::_adaptive_avg_pool2d.out", op.output.len())
}

pub(super) fn adaptive(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    op: &AdaptivePool,
) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    let shape = cx.graph.ty(node.operands[0]).shape.clone();
    let x = cx.view(x, &shape, &planar(&shape))?;
    let sizes = cx.sizes(&both(&op.output, Dim::constant(1)))?;
    let result = planar(&cx.graph.ty(node.results[0]).shape);
    cx.result_as(id, 0, &result, |cx, out| {
        cx.draft
            .call("aten::_adaptive_avg_pool2d.out", &[x, sizes], &[out]);
        Ok(())
    })
}

pub(super) fn check_resize(graph: &Graph, node: &Node, op: &Resize) -> Result<(), Reason> {
    let ty = graph.ty(node.operands[0]);
    let dtype = ty.dtype;
    // For u8, the kernel rounds differently from PyTorch. Its weights are in f32, also for f64; resizing of unknown sizes has
    // no parts that are better.
    let blended = match ty.shape.as_static() {
        Some(_) => DTypes::FLOATS.but(DType::F64),
        None => DTypes::FLOATS,
    };
    match op.mode {
        ResizeMode::Linear => blended.check("aten::upsample_bilinear2d.vec_out", dtype)?,
        ResizeMode::Nearest => DTypes::NUMBERS.check("aten::upsample_nearest2d.vec_out", dtype)?,
        ResizeMode::Cubic => return Err(Reason::new("cubic resizing has no kernel", "cubic")),
    }
    check_spatial("of resizing", op.output.len())?;
    let given = op.scales.iter().flatten().count();
    if given != 0 && given != op.scales.len() {
        return Err(Reason::new(
            "all axes have a factor or none has",
            format!("{:?}", op.scales),
        ));
    }
    Ok(())
}

pub(super) fn resize(cx: &mut Lower<'_, '_>, id: NodeId, op: &Resize) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    let shape = cx.graph.ty(node.operands[0]).shape.clone();
    let x = cx.view(x, &shape, &planar(&shape))?;
    let factors: Vec<f64> = op.scales.iter().copied().flatten().collect();
    let (sizes, scales) = if factors.is_empty() {
        (
            cx.sizes(&both(&op.output, Dim::constant(1)))?,
            cx.draft.none(),
        )
    } else {
        (cx.draft.none(), cx.draft.double_list(both(&factors, 1.0)))
    };
    let result = planar(&cx.graph.ty(node.results[0]).shape);
    cx.result_as(id, 0, &result, |cx, out| {
        match op.mode {
            ResizeMode::Linear => {
                let corners = cx.draft.bool(op.align_corners);
                let args = [x, sizes, corners, scales];
                cx.draft
                    .call("aten::upsample_bilinear2d.vec_out", &args, &[out]);
            }
            ResizeMode::Nearest | ResizeMode::Cubic => {
                cx.draft.call(
                    "aten::upsample_nearest2d.vec_out",
                    &[x, sizes, scales],
                    &[out],
                );
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_in_padding_alone_are_found() {
        let pool = |kernel, stride, pad, gap| Pool {
            f: PoolFn::Max,
            kernel: vec![kernel],
            stride: vec![stride],
            pad_low: vec![pad],
            pad_high: vec![pad],
            dilation: vec![gap],
            ceil: false,
        };
        let is_empty = |op: &Pool, size, count| is_any_window_empty(op, 0, size, count);
        // Elements at -1 and 1 of an axis of one.
        assert!(is_empty(&pool(2, 1, 1, 2), 1, 1));
        // The second window of an axis of two has elements at 0 and 2.
        assert!(!is_empty(&pool(2, 1, 1, 2), 2, 2));
        assert!(!is_empty(&pool(3, 1, 1, 1), 1, 1));
        // The last window has elements at 3, 8 and 13.
        assert!(is_empty(&pool(3, 4, 1, 5), 3, 2));
    }
}
