//! Folds a batch normalisation with known statistics into the weights of the layer before it.
//!
//! For each output channel, with `r = 1 / sqrt(variance + eps)`, the weights become `w * (weight * r)` and the bias
//! `(b - mean) * r * weight + bias`. They are computed in f32, or in f64 for f64. The results differ by rounding from
//! those of the two ops, but the weights have the bits that PyTorch computes when it folds: deep networks amplify the
//! last bits of weights, so other bits would only add differences. A sum that overflows a half type is infinite before
//! normalisation, and may be finite after folding. The rule declines if a new weight overflows, or if all new weights
//! of a channel are subnormal.
//!
//! ```kiln
//! fold_batch_norm
//! graph "fold_batch_norm" {
//!   constant c0 "w" f32[2, 1, 1] = [2.0, 3.0]
//!   constant c1 "mean" f32[2] = [1.0, -1.0]
//!   constant c2 "var" f32[2] = [4.0, 16.0]
//!   constant c3 "gamma" f32[2] = [2.0, 8.0]
//!   constant c4 "beta" f32[2] = [0.5, 0.25]
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 4]) {
//!     %1: f32[2, 1, 1] = constant {value=c0}
//!     %2: f32[2] = constant {value=c1}
//!     %3: f32[2] = constant {value=c2}
//!     %4: f32[2] = constant {value=c3}
//!     %5: f32[2] = constant {value=c4}
//!     %6: f32[1, 2, 4] = conv %0, %1 {stride=[1], pad_low=[0], pad_high=[0], dilation=[1], groups=1, transposed=false, output_padding=[0]}
//!     %7: f32[1, 2, 4] = normalize %6, %2, %3, %4, %5 {kind=batch, eps=0.0}
//!     return %7
//!   }
//! }
//! ---
//! graph "fold_batch_norm" {
//!   constant c0 "w" f32[2, 1, 1] = [2.0, 3.0]
//!   constant c1 "mean" f32[2] = [1.0, -1.0]
//!   constant c2 "var" f32[2] = [4.0, 16.0]
//!   constant c3 "gamma" f32[2] = [2.0, 8.0]
//!   constant c4 "beta" f32[2] = [0.5, 0.25]
//!   constant c5 "w" f32[2, 1, 1] = [2.0, 6.0]
//!   constant c6 "w.bias" f32[2] = [-0.5, 2.25]
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 4]) {
//!     %1: f32[2, 1, 1] = constant {value=c0}
//!     %2: f32[2] = constant {value=c1}
//!     %3: f32[2] = constant {value=c2}
//!     %4: f32[2] = constant {value=c3}
//!     %5: f32[2] = constant {value=c4}
//!     %6: f32[2, 1, 1] = constant {value=c5}
//!     %7: f32[2] = constant {value=c6}
//!     %8: f32[1, 2, 4] = conv %0, %6, %7 {stride=[1], pad_low=[0], pad_high=[0], dilation=[1], groups=1, transposed=false, output_padding=[0]}
//!     return %8
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Applied, PassContext, is_read_once, nodes_in_use};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::content::Scale;
use kiln_ir::graph::{Constant, Node};
use kiln_ir::ops::{NormKind, Normalize};
use kiln_ir::{DType, Graph, NodeId, Op, Place, Rewriter, Scalar, TensorData, ValueId};

guards! {
    /// The channels of a matrix are its last axis; of more axes they are the second.
    MATRIX;
    /// No other node reads the layer, which is erased.
    ONE_READER;
    /// The new weights are normal numbers of f16.
    IN_RANGE;
    /// The new bias is a number of f16.
    FINITE;
}

const NAME: &str = "fold_batch_norm";

/// The pass.
pub const PASS: Pass = Pass {
    name: NAME,
    keeps_bits: false,
    run,
    rules: &[NAME],
    guards: &[GUARDS],
};

/// Folds every batch normalisation that follows a layer with constant weights.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    for node in nodes_in_use(cx.graph()) {
        let before = match behind(cx.graph(), node) {
            None => continue,
            Some(before) => before,
        };
        match folded(cx.graph(), before, node) {
            Err(reason) => cx.report.declined(NAME, node, reason),
            Ok(parts) => {
                if let Applied::Stopped = put(&mut cx, before, node, parts) {
                    return;
                }
            }
        }
    }
}

/// The convolution or linear layer whose result a batch normalisation reads.
fn behind(graph: &Graph, id: NodeId) -> Option<NodeId> {
    let node = graph.node(id);
    if !matches!(&node.op, Op::Normalize(op) if op.kind == NormKind::Batch) {
        return None;
    }
    let before = graph.producer(node.operands[0])?;
    match graph.node(before).op {
        Op::Conv(_) => Some(before),
        // The channels of a matrix are its last axis, which is also that of a linear layer's outputs.
        Op::Linear(_) if MATRIX.holds(graph.ty(node.operands[0]).rank() == 2) => Some(before),
        _ => None,
    }
}

/// The new weight and bias.
fn folded(graph: &Graph, before: NodeId, id: NodeId) -> Result<[Constant; 2], Reason> {
    let (node, before) = (graph.node(id), graph.node(before));
    if !ONE_READER.holds(is_read_once(graph, node.operands[0])) {
        return Err(Reason::new(
            "the batch normalisation is the only reader of the layer's result",
            "several readers",
        ));
    }
    let Op::Normalize(op) = &node.op else {
        return Err(Reason::new("the node normalises", node.op.name()));
    };
    let weight = constant(graph, before.operands[1], "weight")?;
    let affine = Affine::of(graph, op, node)?;
    let mut bias = vec![0.0; affine.factor.len()];
    if let Some(&own) = before.operands.get(2) {
        bias = numbers(constant(graph, own, "bias")?);
    }
    if bias.len() != affine.factor.len() {
        let found = format!("{} and {}", bias.len(), affine.factor.len());
        return Err(Reason::new(
            "weights and statistics have the same number of channels",
            found,
        ));
    }
    let shifted = affine.shift(&bias);
    let (dtype, name) = (weight.data.dtype(), &weight.name);
    let data = TensorData::from_scalars(
        dtype,
        vec![shifted.len()],
        shifted.into_iter().map(Scalar::Float),
    );
    let bias = Constant {
        name: format!("{name}.bias").into(),
        ty: data.tensor_type(),
        data,
    };
    let data = scaled(&before.op, weight, &affine)?;
    check_range(&before.op, weight, &affine, &bias.data)?;
    Ok([
        Constant {
            name: name.clone(),
            ty: data.tensor_type(),
            data,
        },
        bias,
    ])
}

fn constant<'g>(graph: &'g Graph, value: ValueId, what: &str) -> Result<&'g Constant, Reason> {
    let known = graph
        .as_constant(value)
        .filter(|c| c.ty.quant.is_none() && c.ty.dtype.is_float());
    known.ok_or_else(|| {
        Reason::new(
            format!("{what} is a constant of floats"),
            graph.type_text(value),
        )
    })
}

fn numbers(constant: &Constant) -> Vec<f64> {
    constant.data.scalars().map(Scalar::as_f64).collect()
}

/// Rounds to the dtype in which `dtype` is computed.
fn in_compute_type(dtype: DType, value: f64) -> f64 {
    if dtype == DType::F64 {
        value
    } else {
        f64::from(value as f32)
    }
}

/// A normalisation as `(x - mean) * reciprocal * weight + bias`, by channel.
struct Affine {
    dtype: DType,
    /// The reciprocal of the standard deviation.
    reciprocal: Vec<f64>,
    weight: Option<Vec<f64>>,
    /// The product of reciprocal and weight.
    factor: Vec<f64>,
    mean: Vec<f64>,
    bias: Option<Vec<f64>>,
}

impl Affine {
    fn of(graph: &Graph, op: &Normalize, node: &Node) -> Result<Affine, Reason> {
        let parameter = |i: usize, what| constant(graph, node.operands[i], what).map(numbers);
        let (weight, bias) = op.affine_operands(node.operands.len());
        let weight = weight
            .map(|i| parameter(i, "the weight of the normalisation"))
            .transpose()?;
        let dtype = graph.ty(node.operands[0]).dtype;
        let round = |v| in_compute_type(dtype, v);
        let of_deviation = |v: f64| round(1.0 / round(round(v + round(op.eps)).sqrt()));
        let variance = parameter(2, "the variance")?;
        let reciprocal: Vec<f64> = variance.into_iter().map(of_deviation).collect();
        let mut factor = reciprocal.clone();
        if let Some(weight) = &weight {
            let pairs = factor.iter_mut().zip(weight);
            pairs.for_each(|(factor, w)| *factor = round(w * *factor));
        }
        let mean = parameter(1, "the mean")?;
        let bias = bias
            .map(|i| parameter(i, "the bias of the normalisation"))
            .transpose()?;
        Ok(Affine {
            dtype,
            reciprocal,
            weight,
            factor,
            mean,
            bias,
        })
    }

    fn shift(&self, bias: &[f64]) -> Vec<f64> {
        let round = |v| in_compute_type(self.dtype, v);
        let channel = |i: usize| {
            let whitened = round(round(bias[i] - self.mean[i]) * self.reciprocal[i]);
            let weight = self.weight.as_ref();
            let scaled = weight.map_or(whitened, |w| round(whitened * w[i]));
            self.bias.as_ref().map_or(scaled, |b| round(scaled + b[i]))
        };
        (0..bias.len()).map(channel).collect()
    }
}

/// The weight, with each element multiplied by the factor of its output channel.
fn scaled(op: &Op, weight: &Constant, affine: &Affine) -> Result<TensorData, Reason> {
    let sizes = weight.data.sizes();
    let channels = channels(op, sizes).filter(|c| c.count == affine.factor.len());
    let scaled = channels.and_then(|channels| {
        weight.data.scaled(&Scale {
            sizes: &channels.sizes,
            strides: &channels.strides,
            factors: &affine.factor,
        })
    });
    let rule = "weights and statistics have the same number of channels";
    scaled.ok_or_else(|| Reason::new(rule, format!("{sizes:?}")))
}

/// Declines f16 weights that overflow or are subnormal in a whole channel, and an f16 bias that overflows.
fn check_range(
    op: &Op,
    weight: &Constant,
    affine: &Affine,
    bias: &TensorData,
) -> Result<(), Reason> {
    const GREATEST: f64 = 65504.0;
    const LEAST_NORMAL: f64 = 1.0 / 16384.0;
    if weight.data.dtype() != DType::F16 {
        return Ok(());
    }
    let Some(channels) = channels(op, weight.data.sizes()) else {
        return Ok(());
    };
    let mut greatest = vec![0.0f64; channels.count];
    for (i, element) in weight.data.scalars().enumerate() {
        let of_channel = &mut greatest[channels.of(i)];
        *of_channel = of_channel.max(element.as_f64().abs());
    }
    let scaled = greatest
        .iter()
        .zip(&affine.factor)
        .map(|(w, f)| w * f.abs());
    let wrong = scaled
        .filter(|&w| !IN_RANGE.holds(w <= GREATEST && (w <= 0.0 || w >= LEAST_NORMAL)))
        .chain(
            bias.scalars()
                .map(Scalar::as_f64)
                .filter(|b| !FINITE.holds(!b.is_infinite())),
        )
        .next();
    let rule = "the new weights and bias are normal numbers of f16";
    wrong.map_or(Ok(()), |found| Err(Reason::new(rule, format!("{found:e}"))))
}

/// Maps elements of a weight to their output channels: loops over the elements, each with the number of channels by
/// which it steps.
struct Channels {
    count: usize,
    sizes: Vec<usize>,
    strides: Vec<usize>,
}

impl Channels {
    /// The output channel of an element, given its row-major index.
    fn of(&self, mut element: usize) -> usize {
        let mut channel = 0;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides).rev() {
            channel += element % size * stride;
            element /= size;
        }
        channel
    }
}

fn channels(op: &Op, sizes: &[usize]) -> Option<Channels> {
    match op {
        // The weight is [inputs, outputs / groups, taps..], with the inputs of a group in a row.
        Op::Conv(op) if op.transposed => {
            let groups = usize::try_from(op.groups).ok().filter(|&g| g > 0)?;
            let ([inputs, outputs], taps) = (sizes.first_chunk()?, &sizes[2..]);
            Some(Channels {
                count: groups * outputs,
                sizes: vec![groups, inputs / groups, *outputs, taps.iter().product()],
                strides: vec![*outputs, 0, 1, 0],
            })
        }
        _ => {
            let (outputs, rest) = sizes.split_first()?;
            Some(Channels {
                count: *outputs,
                sizes: vec![*outputs, rest.iter().product()],
                strides: vec![1, 0],
            })
        }
    }
}

fn put(
    cx: &mut PassContext<'_, '_>,
    before: NodeId,
    node: NodeId,
    parts: [Constant; 2],
) -> Applied {
    let mark = cx.mark();
    let (op, x) = (
        cx.graph().node(before).op.clone(),
        cx.graph().node(before).operands[0],
    );
    cx.rewriter.set_sources_of(&[before, node]);
    let mut emitter = Emitter::new(cx.rewriter, cx.target, Place::Before(node));
    let [weight, bias] = parts.map(|part| emitter.known_constant(part));
    match emitter.unfolded(op, &[x, weight, bias]) {
        Err(reason) => {
            cx.take_back(mark);
            cx.report.declined(NAME, node, reason);
            Applied::No
        }
        Ok(value) => {
            let applied = cx.commit(NAME, node, &[Some(value)], mark);
            if matches!(applied, Applied::Yes(_)) {
                cx.rewriter.erase(before);
            }
            applied
        }
    }
}
