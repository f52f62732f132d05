//! Runs a payload on tensors, by the interpreter of core ops.
//!
//! Tensors have the sizes that they have in memory: a channels-last argument of sizes `[n, c, h, w]` comes in and goes
//! out as `[n, h, w, c]`. Results equal the library's up to rounding. Where a kernel of the library treats NaN in its
//! own way (see [`crate::support()`]), the result here is PyTorch's. Integers equal the library's to the bit ([`integers`]).

mod integers;
mod operators;

use crate::payload::{
    ConstantData, ConstantIndex, Datatype, ReadError, UnaryOp, ValueId, XnnGraph, XnnNode, XnnOp,
    XnnValue, read,
};
use bytes::Bytes;
use kiln_eval::{Cause, Tensor};
use kiln_ir::movement::MovementError;
use kiln_ir::ops::{Simple, Unary};
use kiln_ir::tensor::SizeMismatch;
use kiln_ir::{DType, TensorData};
use kiln_quantised::int4::{Order, turned, unpack};
use operators::{
    batch_matmul, binary, clamp_of, clamped, concat, conv, convert, elu, fully_connected,
    global_average, leaky_relu, one, pad, permute, pool, reshape, resize, slice, softmax,
};

/// Why a payload did not run.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The payload is damaged.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The program lacks data that the payload names.
    #[error("the payload names the data {0:?}, which the program does not have")]
    Unnamed(String),
    /// A constant has another number of bytes than its type takes.
    #[error(transparent)]
    Size(#[from] SizeMismatch),
    /// A movement does not fit its operand's sizes.
    #[error(transparent)]
    Movement(#[from] MovementError),
    /// This interpreter does not run the operator.
    #[error("{0} is not interpreted")]
    Unsupported(String),
    /// The number of inputs is not the payload's.
    #[error("the delegate takes {expected} tensors, found {found}")]
    Arguments {
        /// The number of inputs of the payload.
        expected: usize,
        /// The number of inputs given.
        found: usize,
    },
    /// A node could not be evaluated.
    #[error("{node}: {cause}")]
    Node {
        /// The node's name.
        node: &'static str,
        /// Why.
        cause: Cause,
    },
}

/// Limits of one run.
const MAX_BYTES: u64 = 16 << 30;

/// A payload that was read, with its constants.
#[derive(Clone, Debug)]
pub struct Loaded {
    graph: XnnGraph,
    /// By index of the constant.
    data: Vec<Bytes>,
    /// By value.
    constants: Vec<Option<Tensor>>,
}

impl Loaded {
    /// Reads a payload. `named` returns the program's data for a key.
    ///
    /// # Errors
    /// If the payload is damaged, names data that is not there, or holds tensors that are not interpreted.
    pub fn new(
        blob: &Bytes,
        named: &dyn Fn(&str) -> Option<Bytes>,
    ) -> Result<Loaded, ExecuteError> {
        let graph = read(blob.clone())?;
        let found = |constant: &ConstantData| match constant {
            ConstantData::Inline(data) => Ok(data.clone()),
            ConstantData::Named(key) => {
                named(key).ok_or_else(|| ExecuteError::Unnamed(key.clone()))
            }
        };
        let data: Vec<Bytes> = graph
            .constants
            .iter()
            .map(found)
            .collect::<Result<_, _>>()?;
        let constants = graph.values.iter().map(|value| constant(&data, value));
        let constants = constants.collect::<Result<_, _>>()?;
        Ok(Loaded {
            graph,
            data,
            constants,
        })
    }

    fn bytes_of(&self, index: ConstantIndex) -> Result<&Bytes, ExecuteError> {
        bytes_of(&self.data, index)
    }

    /// Runs the payload on tensors by position, and returns its results by position.
    ///
    /// # Errors
    /// If the inputs do not fit, or a node could not be evaluated.
    pub fn execute(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, ExecuteError> {
        let taken = self.graph.inputs();
        if taken.len() != inputs.len() {
            let (expected, found) = (taken.len(), inputs.len());
            return Err(ExecuteError::Arguments { expected, found });
        }
        let mut run = Run {
            loaded: self,
            graph: &self.graph,
            values: self.constants.clone(),
        };
        for (id, input) in taken.into_iter().zip(inputs) {
            run.values[id.index()] = Some(without_booleans(input)?);
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

/// Booleans as the integers of their bytes, which is what a payload calls them.
fn without_booleans(input: &Tensor) -> Result<Tensor, ExecuteError> {
    if input.dtype() != DType::Bool {
        return Ok(input.clone());
    }
    let data = TensorData::from(input.clone());
    let bytes = data.bytes().clone();
    Ok(TensorData::new(DType::U8, data.sizes().to_vec(), bytes)?.into())
}

fn dtype(datatype: Datatype) -> Result<DType, ExecuteError> {
    match datatype {
        Datatype::Fp32 => Ok(DType::F32),
        Datatype::Fp16 => Ok(DType::F16),
        Datatype::Bf16 => Ok(DType::BF16),
        Datatype::Int32 | Datatype::QInt32 | Datatype::QcInt32 => Ok(DType::I32),
        Datatype::QInt8 | Datatype::QcInt8 => Ok(DType::I8),
        // Kept as the reals that the integers stand for.
        Datatype::QdInt8 => Ok(DType::F64),
        Datatype::QcInt4 | Datatype::QbInt4 => Ok(DType::I8),
        Datatype::QUInt8 => Ok(DType::U8),
        other => Err(ExecuteError::Unsupported(format!("a tensor of {other}"))),
    }
}

fn bytes_of(data: &[Bytes], index: ConstantIndex) -> Result<&Bytes, ExecuteError> {
    let found = data.get(index.index());
    found.ok_or_else(|| ExecuteError::Unsupported(format!("constant {}", index.0)))
}

fn constant(data: &[Bytes], value: &XnnValue) -> Result<Option<Tensor>, ExecuteError> {
    let dtype = dtype(value.datatype)?;
    let Some(index) = value.constant else {
        return Ok(None);
    };
    let data = bytes_of(data, index)?;
    let length = value
        .nbytes()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(usize::MAX);
    let data = data.slice(..length.min(data.len()));
    let sizes: Vec<usize> = value.dims.iter().map(|&n| n as usize).collect();
    let data = match value.datatype {
        Datatype::QcInt4 | Datatype::QbInt4 => nibbles(&data, sizes.iter().product())?,
        _ => data,
    };
    Ok(Some(Tensor::from(TensorData::new(dtype, sizes, data)?)))
}

/// Integers of 4 bits about 8, one to a byte.
fn nibbles(packed: &Bytes, count: usize) -> Result<Bytes, ExecuteError> {
    let found = unpack(&turned(packed), count, Order::LowFirst);
    let found = found.ok_or_else(|| ExecuteError::Unsupported("rows of an odd length".into()))?;
    Ok(found
        .into_iter()
        .map(|n| n as u8)
        .collect::<Vec<u8>>()
        .into())
}

struct Run<'g> {
    loaded: &'g Loaded,
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
        let made = match self.integers(node)? {
            Some(made) => made,
            None => {
                let made = self.compute(node)?;
                match clamp_of(node) {
                    Some(clamp) => clamped(made, clamp)?,
                    None => made,
                }
            }
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
            XnnOp::Elu { alpha, input, .. } => elu(self.value(*input)?, *alpha),
            XnnOp::LeakyRelu {
                negative_slope,
                input,
                ..
            } => leaky_relu(self.value(*input)?, *negative_slope),
            XnnOp::Softmax { input, .. } => softmax(self.value(*input)?),
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
            } => pad(self.value(*input)?, before, after, *value),
            XnnOp::Concat { axis, inputs, .. } => {
                let parts: Result<Vec<&Tensor>, _> =
                    inputs.iter().map(|&i| self.value(i)).collect();
                concat(&parts?, *axis)
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
