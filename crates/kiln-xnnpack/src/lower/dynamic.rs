//! Layers whose weights are integers, on floats: with rows that are quantised when running, or with floats as they are.
//!
//! The library quantises each row of a fully connected layer by parameters of its own, and each image of a convolution (each place, if its
//! kernel is 1x1). A conversion makes the integers of a row once for all layers that read it. Half types are computed in f32 and rounded once.
//!
//! | input | weights | bias |
//! |---|---|---|
//! | rows, images (`qdint8`) | 8 or 4 bits by channel, 4 bits by groups (fully connected only) | f32 |
//! | floats, fully connected | 8 or 4 bits by channel | f32, in units of the channel's scale |
//! | floats, fully connected | 8 or 4 bits by groups: a layer by channel for each group ([`super::weight_groups`]) | f32, added |

use super::element::Elements;
use super::product::{Image, image_of};
use super::{Lowering, Problem};
use crate::payload::{
    ConvKind, ConvParams, Datatype, Quant, Scales, UnaryOp, ValueId as Tensor, XnnOp,
};
use crate::weights;
use kiln_ir::content::LowHalf;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Conv, Dequantised};
use kiln_ir::types::QuantScheme;
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData, TensorType, ValueId};
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The elements of a group of `qbint4` are a multiple of this.
const GROUP: usize = 32;
/// What to do about scales by group that the library does not take.
const GROUPS: &str = "quantise weights by channel, or to 4 bits in groups of 32";
/// The elements of a group beside activations of floats. Layers of shorter groups would take longer than one of floats, even for one row
/// (1,024 numbers by 1,024: groups of 8 take 1.04 of its time, groups of 16 0.60).
const LEAST_GROUP: usize = 16;
/// What to do about shorter groups.
const LARGER_GROUPS: &str = "quantise weights by channel, or in groups of 16 or more";
/// The integers of an activation: with fewer, rows of 8 bits would be nearer to floats than the program says, and not what it says.
const LEAST_LEVELS: i64 = 255;
/// The trailing axes of a fully connected layer's input whose elements share parameters.
pub(crate) const ROW: usize = 1;
/// Those of a convolution's input.
const IMAGE: usize = 3;

/// True for a convolution that multiplies each place's channels alone. The library runs it as a fully connected layer, and then takes
/// the parameters of its input by place. Another convolution of the same integers would still read those of the image, so it
/// has integers of its own (found on the stock runtime: a network of both was 32 dB off).
fn is_of_places(image: &Image) -> bool {
    let ConvParams {
        padding,
        kernel,
        stride,
        groups,
        ..
    } = image.params;
    let is_padded = [padding.top, padding.right, padding.bottom, padding.left] != [0; 4];
    let is_plain = matches!(image.kind, ConvKind::Conv2d) && groups == 1;
    is_plain && !is_padded && kernel == [1, 1] && stride == [1, 1]
}

/// How a layer's weights are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Bytes, with a scale for each output channel.
    Bytes,
    /// Nibbles, with a scale for each output channel.
    Nibbles,
    /// Nibbles, with a scale for each group of a row.
    Groups(usize),
    /// For each group of a row a matrix of its own, with a scale for each output channel.
    Split(Split),
}

/// The groups of the rows of a weight, each of which is a matrix of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// The elements of a group.
    pub(super) group: usize,
    /// True for integers from -8 to 7.
    pub(super) is_narrow: bool,
}

/// The form in which the library takes the node's weights.
///
/// # Errors
/// Why the library does not compute the layer.
pub(crate) fn form(graph: &Graph, node: &Node, op: &Dequantised) -> Result<Form, Reason> {
    check_activation(graph, node, op)?;
    for (i, name) in [(1, "weight"), (2, "bias")] {
        if node
            .operands
            .get(i)
            .is_some_and(|&v| !is_constant(graph, v))
        {
            let rule = format!("XNNPACK takes a constant {name} beside integers");
            return Err(Reason::new(rule, "one that is computed when running"));
        }
    }
    let ty = graph.ty(node.operands[1]);
    let is_quantised = op.activation.is_some();
    let form = form_of(ty, &op.op, is_quantised)?;
    match form {
        // The library adds such biases as they are.
        Form::Split(_) => Ok(form),
        _ if is_quantised => Ok(form),
        _ => check_bias(graph, node, ty).map(|()| form),
    }
}

fn check_activation(graph: &Graph, node: &Node, op: &Dequantised) -> Result<(), Reason> {
    let x = graph.ty(node.operands[0]);
    let is_float = matches!(x.dtype, DType::F32 | DType::F16 | DType::BF16);
    if x.quant.is_some() || !is_float || graph.ty(node.result()).dtype == DType::F64 {
        let rule = "XNNPACK's layers with integer weights take f32, f16 and bf16";
        return Err(Reason::new(rule, format!("{x:?}")));
    }
    let Some(quant) = &op.activation else {
        return match &*op.op {
            Op::Linear(_) => Ok(()),
            other => Err(Reason::new(
                "XNNPACK multiplies floats by integers in fully connected layers",
                other.name(),
            )
            .advise("quantise what the layer reads and what it gives")),
        };
    };
    if quant.levels() < LEAST_LEVELS || quant.levels() > 256 {
        let rule = "XNNPACK quantises rows to 8 bits";
        return Err(Reason::new(rule, format!("{} integers", quant.levels())));
    }
    let is_split = matches!(&*op.op, Op::Conv(_)) && quant.axes + 1 < x.rank();
    match is_split {
        true => Err(Reason::new(
            "XNNPACK quantises the whole of an image alike",
            format!("parameters over {} axes", quant.axes),
        )),
        false => Ok(()),
    }
}

fn form_of(ty: &TensorType, op: &Op, is_quantised: bool) -> Result<Form, Reason> {
    let rule = "XNNPACK's layers on floats take weights of 8 or 4 bits, with a scale by output channel or by group";
    let refused = || Reason::new(rule, format!("{ty:?}"));
    let quant = ty.quant.as_ref().ok_or_else(refused)?;
    if ty.dtype != DType::I8 {
        return Err(refused());
    }
    if quant.scheme.zero_points().iter().any(|&z| z != 0) {
        let rule = "XNNPACK's layers on floats take weights about 0";
        let reason = Reason::new(rule, "zero points");
        return Err(reason.advise("quantise weights symmetrically"));
    }
    let is_normal = |scale: &f64| (*scale as f32).is_normal();
    if !quant.scheme.scales().iter().all(is_normal) {
        return Err(Reason::new(
            "XNNPACK's scales are normal numbers of f32",
            "others",
        ));
    }
    let is_linear = matches!(op, Op::Linear(_));
    let columns = ty.shape.last().and_then(|n| n.as_const()).unwrap_or(1);
    let is_narrow = quant.min >= -8 && quant.max <= 7;
    match &quant.scheme {
        QuantScheme::PerGroup { group, .. } if !is_quantised => {
            let group = *group;
            // The library packs two integers to a byte.
            let is_narrow = is_narrow && group.is_multiple_of(2);
            let split = Form::Split(Split { group, is_narrow });
            (group >= LEAST_GROUP).then_some(split).ok_or_else(|| {
                let rule = "XNNPACK multiplies floats by integers with scales by channel, or by groups of at least 16";
                Reason::new(rule, format!("groups of {group}")).advise(LARGER_GROUPS)
            })
        }
        QuantScheme::PerGroup { group, .. } => {
            let rule = "XNNPACK takes scales by group for fully connected layers' weights of 4 bits, in groups of a multiple of 32";
            let reason = |found: String| Reason::new(rule, found).advise(GROUPS);
            match (is_linear, is_narrow, group % GROUP) {
                (true, true, 0) => Ok(Form::Groups(*group)),
                (false, ..) => Err(reason("another layer".into())),
                (_, false, _) => Err(reason(format!(
                    "integers from {} to {}",
                    quant.min, quant.max
                ))),
                _ => Err(reason(format!("groups of {group}"))),
            }
        }
        QuantScheme::PerChannel { axis, .. } if *axis != channel_axis(op) => Err(refused()),
        // The library and ExecuTorch disagree on packed rows of an odd length.
        _ if is_narrow && is_linear && columns % 2 == 0 => Ok(Form::Nibbles),
        _ => Ok(Form::Bytes),
    }
}

/// The axis of the weight's output channels.
fn channel_axis(op: &Op) -> usize {
    usize::from(matches!(op, Op::Conv(op) if op.transposed))
}

/// Refuses biases that are beyond f32 in units of their scales.
fn check_bias(graph: &Graph, node: &Node, weight: &TensorType) -> Result<(), Reason> {
    let Some(data) = node.operands.get(2).and_then(|&v| constant_of(graph, v)) else {
        return Ok(());
    };
    let scales = by_channel(weight, data.elements());
    let mut biases = data.scalars().zip(scales);
    let is_within = biases.all(|(bias, scale)| bias.as_f64().abs() / f64::from(scale) < 1e30);
    is_within.then_some(()).ok_or_else(|| {
        Reason::new(
            "a bias is a number of f32 in units of its channel's scale",
            "one beyond",
        )
    })
}

/// The scales of a layer's output channels, of which there are as many as given.
fn by_channel(ty: &TensorType, outputs: usize) -> Vec<f32> {
    let scales = ty
        .quant
        .as_ref()
        .map(|quant| quant.scheme.scales().to_vec());
    let scales = scales.unwrap_or_default();
    (0..outputs)
        .map(|i| {
            scales
                .get(i % scales.len().max(1))
                .map_or(1.0, |&s| s as f32)
        })
        .collect()
}

/// A matrix of integers from -8 to 7, two to a byte.
pub(super) fn nibbles(data: &TensorData) -> Result<TensorData, Problem> {
    let packed = data.packed(LowHalf::First);
    packed.ok_or_else(|| "weights that are no rows of pairs".into())
}

impl Lowering<'_> {
    pub(super) fn dequantised(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Dequantised,
        order: &Order,
    ) -> Result<(), Problem> {
        match &*op.op {
            Op::Linear(_) => self.linear_of_integers(id, node, op, order),
            Op::Conv(conv) => self.conv_of_integers(id, node, conv, order),
            other => Err(format!("there is no lowering of {} on reals", other.name())),
        }
    }

    fn linear_of_integers(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Dequantised,
        order: &Order,
    ) -> Result<(), Problem> {
        let form = form(self.graph, node, op).map_err(|reason| reason.to_string())?;
        if let Form::Split(split) = form {
            return self.linear_by_groups(id, node, split, order);
        }
        let input = self.tensors.operand(node.operands[0], order)?;
        let input = match op.activation {
            Some(_) => self.quantised_rows(input, ROW),
            None => input,
        };
        let weight = node.operands[1];
        let filter = self.packed_filter(weight, form)?;
        let outputs = self.tensors.dims(filter)[0].as_const().unwrap_or(0) as usize;
        let scales = by_channel(self.graph.ty(weight), outputs);
        let units = op.activation.is_none().then_some(scales.as_slice());
        let bias = self.single_bias(node, units)?;
        let (output, clamp, flags) = (self.target(id, order), self.clamp(id), 0);
        let layer = XnnOp::FullyConnected {
            input,
            filter,
            bias,
            output,
            flags,
        };
        self.push_clamped(layer, clamp);
        Ok(())
    }

    fn conv_of_integers(
        &mut self,
        id: NodeId,
        node: &Node,
        conv: &Conv,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let weight = node.operands[1];
        let data = constant_of(self.graph, weight).ok_or("weights that are no constant")?;
        let image = image_of(conv, &data).ok_or("weights of other sizes than the convolution's")?;
        let (input, image) = self.in_columns(input, image);
        let is_of_places = is_of_places(&image);
        let input = self.quantised_rows(input, if is_of_places { ROW } else { IMAGE });
        let (kind, filter) = match image.kind {
            // The library has no depthwise kernel for rows that are quantised when running.
            ConvKind::Depthwise => {
                let sizes = image.filter.sizes();
                let as_groups = [sizes[3], sizes[1], sizes[2], 1];
                let filter = weights::permuted(&image.filter, &[3, 1, 2, 0], &as_groups);
                (
                    ConvKind::Conv2d,
                    filter.ok_or("depthwise weights of another form")?,
                )
            }
            kind => (kind, image.filter.clone()),
        };
        let scales = by_channel(self.graph.ty(weight), filter.sizes()[0]);
        let elements = Elements::per_channel(Datatype::QcInt8, scales, 0);
        let filter = match is_of_places {
            true => {
                let sizes = [filter.sizes()[0], filter.sizes()[3]].to_vec();
                filter.reshaped(sizes).map_err(|e| e.to_string())?
            }
            false => filter,
        };
        let filter = self.tensors.constant_of(&filter, elements)?;
        let bias = self.single_bias(node, None)?;
        let (output, clamp) = (self.target(id, order), self.clamp(id));
        let layer = match is_of_places {
            true => XnnOp::FullyConnected {
                input,
                filter,
                bias,
                output,
                flags: 0,
            },
            false => XnnOp::conv((kind, image.params), [input, filter], bias, output),
        };
        self.push_clamped(layer, clamp);
        Ok(())
    }

    /// The integers of a tensor, whose last `axes` dims share parameters that are chosen when running.
    fn quantised_rows(&mut self, input: Tensor, axes: usize) -> Tensor {
        if let Some(&known) = self.rows.get(&(input, axes)) {
            return known;
        }
        let quant = Quant::PerTokenDynamic {
            num_nonbatch_dims: axes as i32,
        };
        let elements = Elements {
            datatype: Datatype::QdInt8,
            quant: Some(quant),
        };
        let dims = self.tensors.dims(input).to_vec();
        let rows = self.tensors.add(elements, dims);
        self.push_unary(UnaryOp::Convert, input, rows);
        self.rows.insert((input, axes), rows);
        rows
    }

    fn packed_filter(&mut self, weight: ValueId, form: Form) -> Result<Tensor, Problem> {
        let ty = self.graph.ty(weight);
        let data = constant_of(self.graph, weight).ok_or("weights that are no constant")?;
        let sizes = data.sizes().to_vec();
        let scales = by_channel(ty, sizes[0]);
        match form {
            Form::Bytes => {
                let elements = Elements::per_channel(Datatype::QcInt8, scales, 0);
                self.tensors.constant_of(&data, elements)
            }
            Form::Nibbles => {
                let elements = Elements::per_channel(Datatype::QcInt4, scales, 0);
                self.tensors.packed(&nibbles(&data)?, elements, &sizes)
            }
            Form::Groups(group) => {
                let scales = ty.quant.as_ref().map(|quant| quant.scheme.scales());
                let scales = scales.unwrap_or_default();
                let halves = scales.iter().map(|&s| Scalar::Float(s));
                let halves = TensorData::from_scalars(DType::BF16, vec![scales.len()], halves);
                let elements = Elements {
                    datatype: Datatype::QbInt4,
                    quant: Some(Quant::PerGroup {
                        scales: Scales::Constant {
                            data: self.tensors.data(&halves),
                            count: scales.len() as u32,
                        },
                        channel_dim: 0,
                        group_size: group as i32,
                    }),
                };
                self.tensors.packed(&nibbles(&data)?, elements, &sizes)
            }
            Form::Split(_) => Err("weights of many matrices as one".into()),
        }
    }

    /// The bias in f32; in units of each channel's scale where the library multiplies it by that.
    pub(super) fn single_bias(
        &mut self,
        node: &Node,
        units: Option<&[f32]>,
    ) -> Result<Option<Tensor>, Problem> {
        let Some(&bias) = node.operands.get(2) else {
            return Ok(None);
        };
        let data = constant_of(self.graph, bias).ok_or("a bias that is no constant")?;
        let data = match units {
            None => weights::cast(&data, DType::F32),
            Some(units) => {
                let reals = data.scalars().zip(units);
                let in_units = reals.map(|(b, &unit)| Scalar::Float(b.as_f64() / f64::from(unit)));
                TensorData::from_scalars(DType::F32, data.sizes().to_vec(), in_units)
            }
        };
        self.tensors.constant(&data).map(Some)
    }
}
