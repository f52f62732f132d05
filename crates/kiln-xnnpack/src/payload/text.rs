//! A payload as text, for people: boundary and constants first, then one node a line.

use std::fmt::{self, Display, Formatter};

use super::graph::{ConstantData, ConstantIndex, ValueId, XnnGraph, XnnValue};
use super::node::{ConvParams, Padding2d, PoolParams, XnnNode, XnnOp};
use super::quant::{Quant, Scales};

/// The values that cross the boundary, with their position in the call; the constants; then each node as
/// `%5 fp32[1, 8] = fully_connected(%0, %1, %2) clamp 0..inf`.
impl Display for XnnGraph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (value, id) in self.values.iter().zip(0..) {
            if let Some(external) = value.external {
                let direction = match (external.input, external.output) {
                    (true, true) => "input output",
                    (true, false) => "input",
                    (false, _) => "output",
                };
                writeln!(
                    f,
                    "{direction} {} {} {}",
                    external.position,
                    ValueId(id),
                    Type(value)
                )?;
            }
            if let Some(constant) = value.constant {
                writeln!(
                    f,
                    "constant {} {} = {}",
                    ValueId(id),
                    Type(value),
                    Place(self, constant)
                )?;
            }
        }
        self.nodes
            .iter()
            .try_for_each(|node| writeln!(f, "{}", Line(self, node)))
    }
}

/// A node without its line break.
struct Line<'a>(&'a XnnGraph, &'a XnnNode);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Line(graph, node) = self;
        for (i, output) in node.op.outputs().into_iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            match graph.value(output) {
                Some(value) => write!(f, "{separator}{output} {}", Type(value))?,
                None => write!(f, "{separator}{output}")?,
            }
        }
        write!(f, " = {}(", node.op.name())?;
        for (i, input) in node.op.inputs().into_iter().enumerate() {
            write!(f, "{}{input}", if i == 0 { "" } else { ", " })?;
        }
        write!(f, "){}", Attributes(&node.op))?;
        if let Some(clamp) = node.clamp {
            write!(f, " clamp {}..{}", clamp.min, clamp.max)?;
        }
        match node.op.flags() {
            0 => Ok(()),
            flags => write!(f, " flags {flags:#x}"),
        }
    }
}

/// Type, shape and quantisation of a value.
struct Type<'a>(&'a XnnValue);

impl Display for Type<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.0.datatype, self.0.dims)?;
        match &self.0.quant {
            None => Ok(()),
            Some(Quant::PerTensor { scale, zero_point }) => {
                write!(f, " scale {scale} zero {zero_point}")
            }
            Some(Quant::PerChannel {
                scales,
                channel_dim,
            }) => {
                write!(
                    f,
                    " scales {} per channel of dim {channel_dim}",
                    Count(scales)
                )
            }
            Some(Quant::PerTokenDynamic { num_nonbatch_dims }) => {
                write!(f, " dynamic per {num_nonbatch_dims} dims")
            }
            Some(Quant::PerGroup {
                scales,
                channel_dim,
                group_size,
            }) => {
                write!(
                    f,
                    " scales {} per {group_size} of dim {channel_dim}",
                    Count(scales)
                )
            }
        }
    }
}

/// How many scales, and where they are if not inline.
struct Count<'a>(&'a Scales);

impl Display for Count<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Scales::Inline(scales) => write!(f, "{}", scales.len()),
            Scales::Constant { data, count } => write!(f, "{count} ({data:?})"),
        }
    }
}

/// Where a constant's bytes are.
struct Place<'a>(&'a XnnGraph, ConstantIndex);

impl Display for Place<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.constants.get(self.1.index()) {
            Some(ConstantData::Inline(data)) => write!(f, "{} bytes inline", data.len()),
            Some(ConstantData::Named(key)) => write!(f, "named {key}"),
            None => write!(f, "constant {} (absent)", self.1.0),
        }
    }
}

/// The numbers of a node that are neither values, clamp nor flags.
struct Attributes<'a>(&'a XnnOp);

impl Display for Attributes<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            XnnOp::Elu { alpha, .. } => write!(f, " alpha {alpha}"),
            XnnOp::LeakyRelu { negative_slope, .. } => write!(f, " slope {negative_slope}"),
            XnnOp::Conv { params, .. } => conv(f, params),
            XnnOp::Pool { params, .. } => pool(f, params),
            XnnOp::ArgMaxPool {
                padding, kernel, ..
            } => {
                write!(f, " kernel {kernel:?}")?;
                pad(f, padding)
            }
            XnnOp::ResizeBilinear { size, .. } => write!(f, " to {size:?}"),
            XnnOp::Reshape { shape, .. } => write!(f, " to {shape:?}"),
            XnnOp::Transpose { perm, .. } => write!(f, " by {perm:?}"),
            XnnOp::Slice { offsets, sizes, .. } => write!(f, " at {offsets:?} of {sizes:?}"),
            XnnOp::ConstantPad {
                before,
                after,
                value,
                ..
            } => write!(f, " by {before:?} and {after:?} with {value}"),
            XnnOp::Concat { axis: u32::MAX, .. } => write!(f, " along the last dim"),
            XnnOp::Concat { axis, .. } => write!(f, " along {axis}"),
            XnnOp::Unary { .. }
            | XnnOp::Binary { .. }
            | XnnOp::Softmax { .. }
            | XnnOp::FullyConnected { .. }
            | XnnOp::BatchMatMul { .. }
            | XnnOp::GlobalAveragePool { .. }
            | XnnOp::Attention { .. } => Ok(()),
        }
    }
}

fn conv(f: &mut Formatter<'_>, params: &ConvParams) -> fmt::Result {
    write!(f, " kernel {:?} stride {:?}", params.kernel, params.stride)?;
    pad(f, &params.padding)?;
    if params.dilation != [1, 1] {
        write!(f, " dilation {:?}", params.dilation)?;
    }
    if params.groups != 1 {
        let (inputs, outputs) = (params.group_input_channels, params.group_output_channels);
        write!(f, " groups {} of {inputs} to {outputs}", params.groups)?;
    }
    if params.adjustment != [0, 0] {
        write!(f, " adjustment {:?}", params.adjustment)?;
    }
    Ok(())
}

fn pool(f: &mut Formatter<'_>, params: &PoolParams) -> fmt::Result {
    write!(f, " kernel {:?} stride {:?}", params.kernel, params.stride)?;
    pad(f, &params.padding)?;
    match params.dilation {
        [0 | 1, 0 | 1] => Ok(()),
        dilation => write!(f, " dilation {dilation:?}"),
    }
}

fn pad(f: &mut Formatter<'_>, padding: &Padding2d) -> fmt::Result {
    match *padding {
        Padding2d {
            top: 0,
            right: 0,
            bottom: 0,
            left: 0,
        } => Ok(()),
        Padding2d {
            top,
            right,
            bottom,
            left,
        } => write!(f, " padding {top}, {right}, {bottom}, {left}"),
    }
}
