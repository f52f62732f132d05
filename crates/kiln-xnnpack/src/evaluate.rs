//! Runs a payload on tensors: what the delegate computes, by the core's interpreter.
//!
//! Tensors have the sizes that they have in memory: a channels-last argument of sizes `[n, c, h, w]` comes in
//! and goes out as `[n, h, w, c]`. Results agree with the library's up to rounding; where its kernels treat a
//! NaN on their own (see [`crate::support()`]), this gives PyTorch's result. Quantised tensors are refused.

use crate::payload::{
    BinaryOp, Clamp, ConstantData, ConvKind, ConvParams, Datatype, PoolKind, PoolParams, ReadError,
    UnaryOp, ValueId, XnnGraph, XnnNode, XnnOp, XnnValue, flags, read,
};
use bytes::Bytes;
use kiln_eval::{Bindings, Cause, Tensor, evaluate_op};
use kiln_ir::movement::MovementError;
use kiln_ir::ops::{
    Binary, BinaryFn, Cast, Concat, Conv, Linear, MatMul, Move, Pad, PadMode, Pool, PoolFn, Reduce,
    ReduceFn, Resize, ResizeMode, Simple, Slice, Softmax, Unary, UnaryFn,
};
use kiln_ir::tensor::SizeMismatch;
use kiln_ir::{DType, Dim, Movement, Op, Scalar, Symbols, TensorData};

/// Why a payload did not run.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The payload is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The program lacks data that the payload names.
    #[error("the payload names the data {0:?}, which the program does not have")]
    Unnamed(String),
    /// A constant's bytes are not as many as its type takes.
    #[error(transparent)]
    Size(#[from] SizeMismatch),
    /// Sizes that do not move so.
    #[error(transparent)]
    Movement(#[from] MovementError),
    /// Something that this interpreter does not run.
    #[error("{0} is not interpreted")]
    Unsupported(String),
    /// Another number of inputs than the payload has.
    #[error("the delegate takes {expected} tensors, found {found}")]
    Arguments {
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A node has no value.
    #[error("{node}: {cause}")]
    Node {
        /// The node's name.
        node: &'static str,
        /// Why.
        cause: Cause,
    },
}

/// What one run may take.
const MAX_BYTES: u64 = 16 << 30;

/// A payload that was read and has its constants.
#[derive(Clone, Debug)]
pub struct Loaded {
    graph: XnnGraph,
    /// By value.
    constants: Vec<Option<Tensor>>,
}

impl Loaded {
    /// Reads a payload; `named` gives the program's data under a key.
    ///
    /// # Errors
    /// If it is damaged, names data that is not there, or holds quantised tensors.
    pub fn new(
        blob: &Bytes,
        named: &dyn Fn(&str) -> Option<Bytes>,
    ) -> Result<Loaded, ExecuteError> {
        let graph = read(blob.clone())?;
        let constants = graph
            .values
            .iter()
            .map(|value| constant(&graph, value, named));
        let constants = constants.collect::<Result<_, _>>()?;
        Ok(Loaded { graph, constants })
    }

    /// Runs it on tensors by position, and gives what it writes by position.
    ///
    /// # Errors
    /// If the inputs do not fit, or a node has no value.
    pub fn execute(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, ExecuteError> {
        let taken = self.graph.inputs();
        if taken.len() != inputs.len() {
            let (expected, found) = (taken.len(), inputs.len());
            return Err(ExecuteError::Arguments { expected, found });
        }
        let mut run = Run {
            graph: &self.graph,
            values: self.constants.clone(),
        };
        for (id, input) in taken.into_iter().zip(inputs) {
            run.values[id.index()] = Some(input.clone());
        }
        for node in &self.graph.nodes {
            run.node(node)?;
        }
        self.graph
            .outputs()
            .into_iter()
            .map(|id| run.value(id).cloned())
            .collect()
    }
}

/// Reads and runs a payload; see [`Loaded`].
///
/// # Errors
/// As [`Loaded::new`] and [`Loaded::execute`].
pub fn execute(
    blob: &Bytes,
    named: &dyn Fn(&str) -> Option<Bytes>,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, ExecuteError> {
    Loaded::new(blob, named)?.execute(inputs)
}

fn dtype(datatype: Datatype) -> Result<DType, ExecuteError> {
    match datatype {
        Datatype::Fp32 => Ok(DType::F32),
        Datatype::Fp16 => Ok(DType::F16),
        Datatype::Bf16 => Ok(DType::BF16),
        Datatype::Int32 => Ok(DType::I32),
        other => Err(ExecuteError::Unsupported(format!("a tensor of {other}"))),
    }
}

fn constant(
    graph: &XnnGraph,
    value: &XnnValue,
    named: &dyn Fn(&str) -> Option<Bytes>,
) -> Result<Option<Tensor>, ExecuteError> {
    let dtype = dtype(value.datatype)?;
    let Some(index) = value.constant else {
        return Ok(None);
    };
    let data = match graph.constants.get(index.index()) {
        Some(ConstantData::Inline(data)) => data.clone(),
        Some(ConstantData::Named(key)) => {
            named(key).ok_or_else(|| ExecuteError::Unnamed(key.clone()))?
        }
        None => return Err(ExecuteError::Unsupported(format!("constant {}", index.0))),
    };
    let length = value
        .nbytes()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(usize::MAX);
    let data = data.slice(..length.min(data.len()));
    let sizes = value.dims.iter().map(|&n| n as usize).collect();
    Ok(Some(Tensor::from(TensorData::new(dtype, sizes, data)?)))
}

struct Run<'g> {
    graph: &'g XnnGraph,
    values: Vec<Option<Tensor>>,
}

type Result1 = Result<Tensor, ExecuteError>;

impl Run<'_> {
    fn value(&self, id: ValueId) -> Result<&Tensor, ExecuteError> {
        let found = self.values.get(id.index()).and_then(Option::as_ref);
        found.ok_or_else(|| ExecuteError::Unsupported(format!("{id}, read before it is written,")))
    }

    fn node(&mut self, node: &XnnNode) -> Result<(), ExecuteError> {
        let made = self.compute(node)?;
        let made = match node.clamp.filter(|_| takes_clamp(&node.op)) {
            Some(clamp) => clamped(made, clamp)?,
            None => made,
        };
        for output in node.op.outputs() {
            self.values[output.index()] = Some(made.clone());
        }
        Ok(())
    }

    fn compute(&self, node: &XnnNode) -> Result1 {
        match &node.op {
            XnnOp::Unary {
                op, input, output, ..
            } => self.unary(*op, self.value(*input)?, *output),
            XnnOp::Binary {
                op, inputs: [a, b], ..
            } => binary(*op, self.value(*a)?, self.value(*b)?),
            XnnOp::Elu { alpha, input, .. } => {
                let f = UnaryFn::Elu {
                    alpha: f64::from(*alpha),
                    scale: 1.0,
                    input_scale: 1.0,
                };
                one(Unary { f }, &[self.value(*input)?])
            }
            XnnOp::LeakyRelu {
                negative_slope,
                input,
                ..
            } => {
                let f = UnaryFn::LeakyRelu {
                    slope: f64::from(*negative_slope),
                };
                one(Unary { f }, &[self.value(*input)?])
            }
            XnnOp::Softmax { input, .. } => {
                let x = self.value(*input)?;
                one(
                    Softmax {
                        axis: x.rank().saturating_sub(1),
                        log: false,
                    },
                    &[x],
                )
            }
            XnnOp::FullyConnected {
                input,
                filter,
                bias,
                flags,
                ..
            } => {
                let bias = bias.map(|b| self.value(b)).transpose()?;
                fully_connected(self.value(*input)?, self.value(*filter)?, bias, *flags)
            }
            XnnOp::BatchMatMul {
                inputs: [a, b],
                flags,
                ..
            } => batch_matmul(self.value(*a)?, self.value(*b)?, *flags),
            XnnOp::Conv {
                kind,
                params,
                input,
                filter,
                bias,
                flags: 0,
                ..
            } => {
                let bias = bias.map(|b| self.value(b)).transpose()?;
                conv(
                    *kind,
                    params,
                    self.value(*input)?,
                    self.value(*filter)?,
                    bias,
                )
            }
            XnnOp::Pool {
                kind,
                params,
                input,
                ..
            } => pool(*kind, params, self.value(*input)?),
            XnnOp::GlobalAveragePool { input, flags, .. } => {
                global_average(self.value(*input)?, *flags)
            }
            XnnOp::ResizeBilinear {
                size, input, flags, ..
            } => resize(self.value(*input)?, *size, *flags),
            XnnOp::Reshape { shape, input, .. } => reshape(self.value(*input)?, shape),
            XnnOp::Transpose { perm, input, .. } => {
                let axes: Vec<usize> = perm.iter().map(|&p| p as usize).collect();
                permute(self.value(*input)?, &axes)
            }
            XnnOp::Slice {
                offsets,
                sizes,
                input,
                ..
            } => slice(self.value(*input)?, offsets, sizes),
            XnnOp::ConstantPad {
                before,
                after,
                value,
                input,
                ..
            } => {
                let amounts =
                    |list: &[u32]| list.iter().map(|&n| Dim::constant(i64::from(n))).collect();
                let mode = PadMode::Constant(Scalar::Float(f64::from(*value)));
                one(
                    Pad {
                        low: amounts(before),
                        high: amounts(after),
                        mode,
                    },
                    &[self.value(*input)?],
                )
            }
            XnnOp::Concat { axis, inputs, .. } => {
                let parts: Result<Vec<&Tensor>, _> =
                    inputs.iter().map(|&i| self.value(i)).collect();
                let parts = parts?;
                let last = parts.first().map_or(0, |t| t.rank().saturating_sub(1));
                let axis = if *axis == u32::MAX {
                    last
                } else {
                    *axis as usize
                };
                one(Concat { axis }, &parts)
            }
            XnnOp::Conv { .. } | XnnOp::ArgMaxPool { .. } | XnnOp::Attention { .. } => {
                Err(ExecuteError::Unsupported(node.op.name().to_owned()))
            }
        }
    }

    fn unary(&self, op: UnaryOp, x: &Tensor, output: ValueId) -> Result1 {
        let f = match op {
            UnaryOp::Abs => Simple::Abs,
            UnaryOp::Ceiling => Simple::Ceil,
            UnaryOp::Cos => Simple::Cos,
            UnaryOp::Exp => Simple::Exp,
            UnaryOp::Floor => Simple::Floor,
            UnaryOp::Gelu => Simple::Gelu,
            UnaryOp::Hardswish => Simple::Hardswish,
            UnaryOp::Log => Simple::Log,
            UnaryOp::Negate => Simple::Neg,
            UnaryOp::ReciprocalSquareRoot => Simple::Rsqrt,
            UnaryOp::Sigmoid => Simple::Sigmoid,
            UnaryOp::Sin => Simple::Sin,
            UnaryOp::Square => Simple::Square,
            UnaryOp::SquareRoot => Simple::Sqrt,
            UnaryOp::Tanh => Simple::Tanh,
            UnaryOp::Clamp | UnaryOp::Copy => return Ok(x.clone()),
            UnaryOp::Convert => {
                let to = dtype(self.graph.values[output.index()].datatype)?;
                return convert(x, to);
            }
        };
        one(Unary { f: f.into() }, &[x])
    }
}

/// One op of one result.
fn one(op: impl Into<Op>, operands: &[&Tensor]) -> Result1 {
    let op = op.into();
    let operands: Vec<Tensor> = operands.iter().map(|&t| t.clone()).collect();
    let results = evaluate_op(
        &op,
        &operands,
        &mut Bindings::new(&Symbols::default()),
        MAX_BYTES,
    );
    let node = op.name();
    let results = results.map_err(|cause| ExecuteError::Node { node, cause })?;
    let first = results.into_iter().next();
    first.ok_or_else(|| ExecuteError::Unsupported(format!("{node} without results")))
}

fn takes_clamp(op: &XnnOp) -> bool {
    match op {
        XnnOp::Unary { op, .. } => *op == UnaryOp::Clamp,
        XnnOp::Binary { op, .. } => {
            matches!(
                op,
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide
            )
        }
        XnnOp::FullyConnected { .. } | XnnOp::Conv { .. } | XnnOp::Pool { .. } => true,
        _ => false,
    }
}

fn clamped(x: Tensor, clamp: Clamp) -> Result1 {
    let bound = |b: f32| Some(Scalar::Float(f64::from(b)));
    one(
        Unary {
            f: UnaryFn::Clamp {
                min: bound(clamp.min),
                max: bound(clamp.max),
            },
        },
        &[&x],
    )
}

fn convert(x: &Tensor, to: DType) -> Result1 {
    if x.dtype().is_float() && to == DType::I32 {
        let rounded = one(
            Unary {
                f: Simple::Round.into(),
            },
            &[x],
        )?;
        return one(Cast { to }, &[&rounded]);
    }
    one(Cast { to }, &[x])
}

/// With axes of size 1 in front, up to that rank.
fn raised(x: &Tensor, rank: usize) -> Result1 {
    let mut sizes = vec![1; rank.saturating_sub(x.rank())];
    sizes.extend_from_slice(x.sizes());
    x.reshaped(sizes).map_err(|cause| ExecuteError::Node {
        node: "broadcast",
        cause,
    })
}

fn binary(op: BinaryOp, a: &Tensor, b: &Tensor) -> Result1 {
    let f = match op {
        BinaryOp::Add => BinaryFn::Add,
        BinaryOp::Subtract => BinaryFn::Sub,
        BinaryOp::Multiply => BinaryFn::Mul,
        BinaryOp::Divide if a.dtype() == DType::I32 => BinaryFn::FloorDiv,
        BinaryOp::Divide => BinaryFn::Div,
        BinaryOp::Minimum => BinaryFn::Min,
        BinaryOp::Maximum => BinaryFn::Max,
        BinaryOp::PRelu => BinaryFn::Prelu,
    };
    let rank = a.rank().max(b.rank());
    one(Binary { f }, &[&raised(a, rank)?, &raised(b, rank)?])
}

fn shape(x: &Tensor) -> Vec<Dim> {
    x.sizes().iter().map(|&n| Dim::constant(n as i64)).collect()
}

fn permute(x: &Tensor, axes: &[usize]) -> Result1 {
    let movement = Movement::permute(&shape(x), axes)?;
    one(Move { movement }, &[x])
}

fn swapped(x: &Tensor) -> Result1 {
    let mut axes: Vec<usize> = (0..x.rank()).collect();
    let Some(last) = x.rank().checked_sub(1).filter(|&n| n > 0) else {
        return Err(ExecuteError::Unsupported(
            "the transpose of a vector".into(),
        ));
    };
    axes.swap(last - 1, last);
    permute(x, &axes)
}

fn fully_connected(x: &Tensor, filter: &Tensor, bias: Option<&Tensor>, flags: u32) -> Result1 {
    let filter = match flags {
        0 => filter.clone(),
        flags::TRANSPOSE_WEIGHTS => swapped(filter)?,
        other => {
            return Err(ExecuteError::Unsupported(format!(
                "fully_connected with flags {other:#x}"
            )));
        }
    };
    let wide = |t: &Tensor| convert(t, DType::F32);
    let mut operands = vec![wide(x)?, wide(&filter)?];
    operands.extend(bias.map(wide).transpose()?);
    let y = one(Linear {}, &operands.iter().collect::<Vec<_>>())?;
    convert(&y, x.dtype())
}

fn batch_matmul(a: &Tensor, b: &Tensor, flags: u32) -> Result1 {
    let b = match flags {
        0 => b.clone(),
        flags::TRANSPOSE_WEIGHTS => swapped(b)?,
        other => {
            return Err(ExecuteError::Unsupported(format!(
                "batch_matmul with flags {other:#x}"
            )));
        }
    };
    let rank = a.rank().max(b.rank());
    one(MatMul {}, &[&raised(a, rank)?, &raised(&b, rank)?])
}

const TO_NCHW: [usize; 4] = [0, 3, 1, 2];
const TO_NHWC: [usize; 4] = [0, 2, 3, 1];

fn pair(list: [u32; 2]) -> Vec<i64> {
    list.iter().map(|&n| i64::from(n)).collect()
}

fn conv(
    kind: ConvKind,
    p: &ConvParams,
    x: &Tensor,
    filter: &Tensor,
    bias: Option<&Tensor>,
) -> Result1 {
    let transposed = kind == ConvKind::Transposed;
    let weight = match kind {
        ConvKind::Conv2d => permute(filter, &TO_NCHW)?,
        ConvKind::Depthwise => permute(filter, &[3, 0, 1, 2])?,
        ConvKind::Transposed => transposed_weight(filter, p)?,
    };
    let op = Conv {
        stride: pair(p.stride),
        pad_low: pair([p.padding.top, p.padding.left]),
        pad_high: pair([p.padding.bottom, p.padding.right]),
        dilation: pair(p.dilation),
        groups: i64::from(p.groups),
        transposed,
        output_padding: pair(p.adjustment),
    };
    let weight = convert(&weight, x.dtype())?;
    let x = permute(x, &TO_NCHW)?;
    let y = match bias {
        Some(bias) => one(op, &[&x, &weight, bias])?,
        None => one(op, &[&x, &weight])?,
    };
    permute(&y, &TO_NHWC)
}

/// `[g * o, h, w, i]` to `[g * i, o, h, w]`.
fn transposed_weight(filter: &Tensor, p: &ConvParams) -> Result1 {
    let [groups, outputs, inputs] =
        [p.groups, p.group_output_channels, p.group_input_channels].map(|n| n as usize);
    let [h, w] = p.kernel.map(|n| n as usize);
    let failed = |cause| ExecuteError::Node {
        node: "conv_transpose",
        cause,
    };
    let split = filter
        .reshaped(vec![groups, outputs, h, w, inputs])
        .map_err(failed)?;
    let turned = permute(&split, &[0, 4, 1, 2, 3])?;
    turned
        .reshaped(vec![groups * inputs, outputs, h, w])
        .map_err(failed)
}

fn pool(kind: PoolKind, p: &PoolParams, x: &Tensor) -> Result1 {
    let f = match kind {
        PoolKind::Max => PoolFn::Max,
        PoolKind::Average => PoolFn::Avg {
            count_include_pad: false,
            divisor: None,
        },
    };
    let op = Pool {
        f,
        kernel: pair(p.kernel),
        stride: pair(p.stride),
        pad_low: pair([p.padding.top, p.padding.left]),
        pad_high: pair([p.padding.bottom, p.padding.right]),
        dilation: pair(p.dilation.map(|d| d.max(1))),
        ceil: false,
    };
    let y = one(op, &[&permute(x, &TO_NCHW)?])?;
    permute(&y, &TO_NHWC)
}

fn global_average(x: &Tensor, flags: u32) -> Result1 {
    let rank = x.rank();
    if rank < 3 {
        return Err(ExecuteError::Unsupported(format!(
            "a global average of rank {rank}"
        )));
    }
    let y = one(
        Reduce {
            f: ReduceFn::Mean,
            axes: vec![rank - 3, rank - 2],
        },
        &[x],
    )?;
    if flags & flags::KEEP_DIMS != 0 {
        return Ok(y);
    }
    let movement = Movement::squeeze(&shape(&y), &[rank - 3, rank - 2])?;
    one(Move { movement }, &[&y])
}

fn resize(x: &Tensor, size: [u32; 2], flags: u32) -> Result1 {
    let align_corners = match flags {
        0 => false,
        flags::ALIGN_CORNERS => true,
        other => {
            return Err(ExecuteError::Unsupported(format!(
                "resize_bilinear with flags {other:#x}"
            )));
        }
    };
    let output = pair(size).into_iter().map(Dim::constant).collect();
    let op = Resize {
        mode: ResizeMode::Linear,
        align_corners,
        output,
        scales: vec![None, None],
    };
    let y = one(op, &[&permute(x, &TO_NCHW)?])?;
    permute(&y, &TO_NHWC)
}

fn reshape(x: &Tensor, to: &[u32]) -> Result1 {
    let known: usize = to
        .iter()
        .filter(|&&n| n != 0)
        .map(|&n| n as usize)
        .product();
    let inferred = x.len().checked_div(known).unwrap_or(0);
    let sizes = to
        .iter()
        .map(|&n| if n == 0 { inferred } else { n as usize });
    x.reshaped(sizes.collect())
        .map_err(|cause| ExecuteError::Node {
            node: "reshape",
            cause,
        })
}

fn slice(x: &Tensor, offsets: &[u32], sizes: &[u32]) -> Result1 {
    let mut y = x.clone();
    for (axis, (&start, &len)) in offsets.iter().zip(sizes).enumerate() {
        let size = x.sizes().get(axis).copied().unwrap_or(0);
        if (start, len) == (0, 0) || (start == 0 && len as usize == size) {
            continue;
        }
        let (start, len) = (i64::from(start).into(), i64::from(len).into());
        y = one(
            Slice {
                axis,
                start,
                len,
                step: 1,
            },
            &[&y],
        )?;
    }
    Ok(y)
}
