//! Means of integers: over whole images by the library's mean, over windows by a depthwise convolution with ones.

use super::super::depthwise::kernel_of_channels;
use super::super::element::Elements;
use super::super::pool::{self, Plan, Window};
use super::super::reduce::{self, is_image, stretched};
use super::super::window::{UNIT, image};
use super::super::window_sum::MAX_AT_ONCE;
use super::{Lowering, Problem, qparams};
use crate::orders::ROWS;
use crate::payload::{Datatype, ValueId as Tensor, XnnOp, flags};
use crate::weights::{self, MAX_REPEATED, check_elements};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Pool, Reduce, ReduceFn};
use kiln_ir::{DType, Dim, Graph, NodeId, Op, Shape, TensorType};
use kiln_quantised::xnnpack::pointwise::Qparams;
use kiln_quantised::xnnpack::requantization_scale;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;
use std::ops::Range;

/// The form of a mean.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mean {
    /// Of the dims at these positions, which are adjacent.
    Run(Range<usize>),
    /// Of windows, by weights of 1 with this scale.
    Windows { windows: [Window; 2], scale: f32 },
}

/// The form of a mean.
///
/// # Errors
/// Why the library does not compute it with integers.
pub(crate) fn plan(graph: &Graph, node: &Node) -> Result<Mean, Reason> {
    let [x, y] = [node.operands[0], node.result()].map(|v| graph.ty(v));
    let (from, to) = (qparams(x)?, qparams(y)?);
    if x.dtype != y.dtype {
        return Err(Reason::new(
            "XNNPACK's means keep the type of integers",
            y.dtype.name(),
        ));
    }
    check_memory(graph, y)?;
    match node.op.computing() {
        Op::Reduce(op) if op.f == ReduceFn::Mean => of_axes(&x.shape, op, [from, to]),
        Op::AdaptivePool(op) => of_windows(x, y, &pool::of_adaptive(&x.shape, op)?, None),
        Op::Pool(op) => {
            let taps = op.kernel.iter().product();
            of_windows(x, y, op, Some(taps))
        }
        other => Err(Reason::new(
            "XNNPACK has means of integers only",
            other.name(),
        )),
    }
}

/// Refuses means of an unknown number of results beside other unknown sizes. The library plans the memory of a mean anew when any result
/// grows, for the size of that call: a later call may need more (`lower/growing_means.rs`).
fn check_memory(graph: &Graph, result: &TensorType) -> Result<(), Reason> {
    let is_known = result.shape.as_static().is_some();
    let count = graph.symbols.iter().count();
    (is_known || count < 2).then_some(()).ok_or_else(|| {
        let rule = "XNNPACK averages integers where at most one size is known only when running";
        Reason::new(rule, format!("{count} sizes"))
    })
}

fn of_axes(shape: &Shape, op: &Reduce, [from, to]: [Qparams; 2]) -> Result<Mean, Reason> {
    let plan = reduce::plan(shape, op)?;
    let [run] = plan.runs.as_slice() else {
        return Err(Reason::new(
            "XNNPACK takes one mean of integers at a time",
            format!("{} runs of axes", plan.runs.len()),
        ));
    };
    let dims = op.axes.iter().map(|&axis| shape[axis].clone());
    check_ties([from, to], dims.product::<Dim>().as_const())?;
    let dims = plan.order.dims(shape, ROWS);
    if !is_image(&dims, run) {
        reduce::check_stretched(&dims, run)?;
    }
    Ok(Mean::Run(run.clone()))
}

/// `ties` is the number of integers in each mean where PyTorch adds them in memory order even if the window is the whole image.
fn of_windows(
    x: &TensorType,
    y: &TensorType,
    pool: &Pool,
    ties: Option<i64>,
) -> Result<Mean, Reason> {
    let (from, to) = (qparams(x)?, qparams(y)?);
    let (windows, factor) = match pool::plan(&x.shape, pool)? {
        Plan::Global => {
            if let Some(count) = ties {
                check_ties([from, to], Some(count))?;
            }
            return Ok(Mean::Run(1..3));
        }
        Plan::Sum { windows, factor } => (windows, factor),
        Plan::Max(_) | Plan::Counted { .. } => {
            return Err(Reason::new(
                "XNNPACK averages as many integers in each window",
                "windows that count others",
            ));
        }
    };
    check_ties([from, to], Some((1.0 / factor).round() as i64))?;
    if x.dtype != DType::I8 {
        return Err(Reason::new(
            "XNNPACK's windows average signed integers",
            x.dtype.name(),
        ));
    }
    let windows = image(&windows, UNIT);
    let taps = windows.iter().fold(1u32, |n, w| n.saturating_mul(w.kernel));
    let is_one = y.shape.iter().skip(2).all(|size| size.is(1));
    if taps > MAX_AT_ONCE && !is_one {
        let rule = format!("XNNPACK sums at most {MAX_AT_ONCE} integers at many places");
        return Err(Reason::new(rule, taps.to_string()));
    }
    let sizes = [i64::from(taps)].into_iter().chain(x.shape[1].as_const());
    check_elements("a filter that sums windows", MAX_REPEATED, sizes)?;
    let scale = factor as f32;
    match requantization_scale(from.scale, scale, to.scale).filter(|f| f.is_normal()) {
        Some(_) if scale > 0.0 => Ok(Mean::Windows { windows, scale }),
        _ => Err(Reason::new(
            "XNNPACK multiplies sums by less than 256",
            "more",
        )),
    }
}

/// Refuses means whose results are often in the middle of two integers: those of an even number of integers in the result's own steps.
/// The rounding errors of PyTorch's floats decide such a tie. Floats in a delegate add in memory order, as PyTorch's average pools and the
/// runtime's kernel of means do, and decide alike. PyTorch pools whole images to one place in an order that neither has; there
/// integers are as good, and ExecuTorch's choice.
fn check_ties([from, to]: [Qparams; 2], count: Option<i64>) -> Result<(), Reason> {
    if from.scale != to.scale || count.is_some_and(|n| n % 2 != 0) {
        return Ok(());
    }
    Err(Reason::new(
        "means of an even number of integers, in the same steps, are taken in floats, which decide most ties as PyTorch does",
        count.map_or("a number that is not known".into(), |n| n.to_string()),
    ))
}

impl Lowering<'_> {
    pub(super) fn integer_mean(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let plan = plan(self.graph, node).map_err(|reason| reason.to_string())?;
        let input = self.tensors.operand(node.operands[0], order)?;
        match plan {
            Mean::Run(run) => self.mean_of_run(id, order, input, &run),
            Mean::Windows { windows, scale } => {
                self.mean_of_windows(id, order, input, windows, scale)
            }
        }
    }

    fn mean_of_run(
        &mut self,
        id: NodeId,
        order: &Order,
        input: Tensor,
        run: &Range<usize>,
    ) -> Result<(), Problem> {
        let dims = self.tensors.dims(input).to_vec();
        let flags = flags::KEEP_DIMS;
        if is_image(&dims, run) {
            self.push_limited(id, order, |output| XnnOp::GlobalAveragePool {
                input,
                output,
                flags,
            });
            return Ok(());
        }
        let mut form = stretched(&dims, run);
        let input = self.tensors.reshape(input, &form);
        form[1] = Dim::constant(1);
        let elements = self.type_of(self.result(id))?;
        let mean = self.tensors.add(elements, form);
        self.push(XnnOp::GlobalAveragePool {
            input,
            output: mean,
            flags,
        });
        let clamp = self.integer_range(id);
        let output = self.target(id, order);
        match clamp {
            None => self.tensors.push_reshape(mean, output),
            Some(clamp) => {
                let limited = self.like(mean);
                self.clamp_integers(mean, limited, clamp);
                self.tensors.push_reshape(limited, output);
            }
        }
        Ok(())
    }

    fn mean_of_windows(
        &mut self,
        id: NodeId,
        order: &Order,
        input: Tensor,
        windows: [Window; 2],
        scale: f32,
    ) -> Result<(), Problem> {
        let channels = self.tensors.dims(input)[3]
            .as_const()
            .ok_or("channels that are not known")?;
        let [h, w] = windows;
        let sizes = [1, h.kernel as usize, w.kernel as usize, channels as usize];
        let ones = weights::splat(DType::I8, &sizes, 1.0);
        let elements = Elements::per_channel(Datatype::QcInt8, vec![scale; channels as usize], 3);
        let filter = self.tensors.constant_of(&ones, elements)?;
        let kernel = kernel_of_channels(windows, channels as u32);
        let (output, clamp) = (self.target(id, order), self.integer_range(id));
        self.push_clamped(XnnOp::conv(kernel, [input, filter], None, output), clamp);
        Ok(())
    }
}
