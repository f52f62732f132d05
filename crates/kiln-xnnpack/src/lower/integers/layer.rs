//! Fully connected layers, convolutions and matrix products of integers.
//!
//! Weights stay the bytes that they are. Biases are integers in units of the sums. Sums are requantised by a factor for each
//! output channel in f32.

use super::super::block_parts::Part;
use super::super::columns::products;
use super::super::dynamic::nibbles;
use super::super::element::Elements;
use super::super::product::{Image, image_of, windows};
use super::super::window::image as square;
use super::super::window_sum::MAX_AT_ONCE;
use super::tap_channels::TapChannels;
use super::{Lowering, Problem, qparams};
use crate::payload::{ConvKind, Datatype, ValueId as Tensor, XnnOp, flags};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::Conv;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Graph, Movement, NodeId, Op, TensorData, TensorType, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::parameters::Parameters;
use kiln_quantised::xnnpack::pointwise::Qparams;
use kiln_quantised::xnnpack::requantization_scale;
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The least factor of sums (`xnn_init_qs8_conv_minmax_fp32_scalar_params`).
const LEAST_FACTOR: f32 = 1.0 / (1u64 << 32) as f32;

/// The constants of a layer.
pub(crate) struct Layer {
    weight: TensorData,
    /// One scale, or one for each output channel.
    scales: Vec<f32>,
    /// In units of the sums, by output channel.
    bias: Option<Vec<i32>>,
    /// The scale of the input.
    input: f32,
    /// True for the weights of a fully connected layer of which two share a byte.
    is_narrow: bool,
}

impl Layer {
    /// The constants of a part of blocks.
    fn of_part(&self, part: &Part) -> Layer {
        let scales = match self.scales.as_slice() {
            [scale] => vec![*scale],
            scales => part.for_all_taps(scales),
        };
        Layer {
            weight: part.image.filter.clone(),
            scales,
            bias: self.bias.as_ref().map(|bias| part.for_all_taps(bias)),
            input: self.input,
            is_narrow: false,
        }
    }
}

/// The constants of a fully connected layer or a convolution.
///
/// # Errors
/// Why the library does not compute the layer with integers.
pub(crate) fn layer(graph: &Graph, node: &Node, op: &Op) -> Result<Layer, Reason> {
    let [x, y] = [node.operands[0], node.result()].map(|v| graph.ty(v));
    let (from, to) = (qparams(x)?, qparams(y)?);
    for ty in [x, y] {
        if ty.dtype != DType::I8 {
            return Err(Reason::new(
                "XNNPACK's layers are of signed integers",
                ty.dtype.name(),
            ));
        }
    }
    let (weight, mut scales) = weight(graph, node.operands[1], op)?;
    check_taps(op, &weight, [x, y])?;
    check_channels(op, &weight, x)?;
    for &scale in &scales {
        let factor = requantization_scale(from.scale, scale, to.scale);
        if factor.is_none_or(|f| f < LEAST_FACTOR) {
            let rule = "XNNPACK multiplies sums by at least 2^-32 and less than 256";
            let found = format!("{} * {scale} / {}", from.scale, to.scale);
            let advice = "it computes in floats instead; calibrate the result's range, which is far from the products'";
            return Err(Reason::new(rule, found).advise(advice));
        }
    }
    let outputs = channels(&weight, op).1;
    let is_narrow = matches!(op, Op::Linear(_)) && are_pairs(graph.ty(node.operands[1]));
    if is_narrow && scales.len() == 1 {
        // The library has such weights by channel only.
        scales = vec![scales[0]; outputs];
    }
    let bias = match node.operands.get(2) {
        None => None,
        Some(&bias) => {
            let scale = x
                .quant
                .as_ref()
                .map_or(0.0, |quant| quant.scheme.scales()[0]);
            Some(units(graph, bias, scale, &scales, outputs)?)
        }
    };
    let taps = weight.elements() / outputs.max(1);
    let ends = Reach::of_integers(from.min.into(), from.max.into(), from.zero_point.into());
    let sums = Reach::of_products(taps, ends, Reach(128));
    let greatest = bias.iter().flatten().map(|b| i64::from(*b).abs()).max();
    if !sums.with_bias(greatest.unwrap_or(0)).fits(32) {
        return Err(too_many(taps));
    }
    Ok(Layer {
        weight,
        scales,
        bias,
        input: from.scale,
        is_narrow,
    })
}

fn too_many(products: usize) -> Reason {
    Reason::new(
        "XNNPACK's sums have 32 bits",
        format!("{products} products"),
    )
}

/// True for rows of an even number of integers from -8 to 7. The library and ExecuTorch disagree on packed rows of an odd length.
fn are_pairs(weight: &TensorType) -> bool {
    let columns = weight.shape.last().and_then(Dim::as_const);
    let quant = weight.quant.as_ref();
    quant.is_some_and(|quant| quant.min >= -8 && quant.max <= 7)
        && columns.is_some_and(|columns| columns % 2 == 0)
}

/// The most places of all images at which integers take a window of many taps. A place of a 7x7 window takes 30 ns longer than in floats,
/// whose weights take 49 bytes more in f16 (measured with AVX2). So a layer over 36 or 49 places takes 2.5 to 2.9 times as long as in floats
/// (measured with AVX-512), where such layers hold less than a hundredth of a network's weights. At the fewest places networks have the
/// most channels, and layers of channels take little time.
const MOST_PLACES: i64 = 32;

/// The most places that are moved for such windows: what they reach, and taps of weight 0.
const MOST_MOVED: i64 = 128;

/// The advice where integers would take longer.
const IN_FLOATS: &str = "nothing to do: floats are faster there";

/// Refuses depthwise convolutions for which the library has no kernel of its own, over more than a few places: with taps as channels they take
/// about five times as long as in floats (measured). Of a transposed convolution it has none at all.
fn check_taps(op: &Op, weight: &TensorData, [x, y]: [&TensorType; 2]) -> Result<(), Reason> {
    let (Op::Conv(op), [_, 1, window @ ..]) = (op, weight.sizes()) else {
        return Ok(());
    };
    let taps = window.iter().product::<usize>();
    if op.groups < 2 || taps <= MAX_AT_ONCE as usize {
        return Ok(());
    }
    let is_one_place = y.shape.iter().skip(2).all(|size| size.is(1));
    if op.transposed {
        let rule = format!(
            "XNNPACK's transposed convolutions of channels have at most {MAX_AT_ONCE} taps"
        );
        let refused = || Reason::new(rule, taps.to_string()).advise(IN_FLOATS);
        return is_one_place.then_some(()).ok_or_else(refused);
    }
    let image = image_of(op, weight).filter(has_many_taps);
    let sizes: Option<Vec<i64>> = x.shape.iter().map(Dim::as_const).collect();
    let moved = image.zip(sizes).and_then(|(image, sizes)| {
        let way = TapChannels::of(windows(&image.params))?;
        way.places(sizes[0], square(&sizes[2..], 1))
    });
    let places = y.shape.iter().enumerate().filter(|(axis, _)| *axis != 1);
    let mut places = places.map(|(_, size)| size.as_const());
    let places = places.try_fold(1i64, |all, size| all.checked_mul(size?));
    // Layers over images of many sizes share one reason.
    let found = match (places, moved) {
        (None, _) => "for an unknown number of results".to_owned(),
        (Some(places), _) if places > MOST_PLACES => {
            format!("for more than {MOST_PLACES} results")
        }
        (_, Some(moved)) if moved <= MOST_MOVED => return Ok(()),
        _ => format!("that read more than {MOST_MOVED} places"),
    };
    let rule = format!(
        "XNNPACK's depthwise kernels of integers have at most {MAX_AT_ONCE} taps; larger windows take integers for at most {MOST_PLACES} results of a channel, which read at most {MOST_MOVED} places"
    );
    Err(Reason::new(rule, format!("{taps} taps {found}")).advise(IN_FLOATS))
}

/// Refuses convolutions of one channel where the library's kernels of integers take longer than those of floats, which have no padding of
/// channels. An element takes integers 0.4 of the time of floats (measured with AVX2).
fn check_channels(op: &Op, weight: &TensorData, input: &TensorType) -> Result<(), Reason> {
    let Op::Conv(conv) = op else { return Ok(()) };
    let Some(image) = image_of(conv, weight).filter(Image::is_of_one_channel) else {
        return Ok(());
    };
    let windows = windows(&image.params);
    let sizes: Vec<Option<i64>> = input.shape.iter().skip(2).map(Dim::as_const).collect();
    let [integers, floats] = products(windows, square(&sizes, Some(1)), 1);
    // A window of one element has the kernel of fully connected layers.
    if windows.iter().all(|w| w.kernel == 1) || integers * 2 <= floats * 5 {
        return Ok(());
    }
    let rule = "XNNPACK's convolutions of integers take eight channels at a time";
    Err(Reason::new(rule, "one channel").advise(IN_FLOATS))
}

/// The axis of the output channels in the weight, and how many there are in all groups.
fn channels(weight: &TensorData, op: &Op) -> (usize, usize) {
    let sizes = weight.sizes();
    match op {
        Op::Conv(op) if op.transposed => (1, sizes[1] * op.groups.max(1) as usize),
        _ => (0, sizes[0]),
    }
}

/// A weight's type and quantisation in words, without its sizes: equal causes of several layers are said once.
fn weight_in_words(ty: &TensorType) -> String {
    let Some(quant) = &ty.quant else {
        return format!("{ty:?}");
    };
    let about = match has_zero_points(ty) {
        true => " and with zero points (of uint8: others than 128)",
        false => "",
    };
    format!(
        "{} with {}{about}",
        ty.dtype.name(),
        quant.scheme.in_words()
    )
}

fn has_zero_points(ty: &TensorType) -> bool {
    let quant = ty.quant.as_ref();
    quant.is_some_and(|quant| quant.scheme.zero_points().iter().any(|&z| z != 0))
}

fn weight(graph: &Graph, value: ValueId, op: &Op) -> Result<(TensorData, Vec<f32>), Reason> {
    let ty = graph.ty(value);
    let rule = "XNNPACK's layers take constant weights of 8 bits about 0, with one scale or one for each output channel";
    let refused = || {
        let reason = Reason::new(rule, weight_in_words(ty));
        match has_zero_points(ty) {
            true => reason.advise("quantise weights symmetrically"),
            false => reason.advise(
                "it computes in floats instead; give the weight 8 bits about 0, with one scale or one for each output channel",
            ),
        }
    };
    let (quant, data) = ty
        .quant
        .as_ref()
        .zip(constant_of(graph, value))
        .ok_or_else(refused)?;
    if ty.dtype != DType::I8 || has_zero_points(ty) {
        return Err(refused());
    }
    let (axis, outputs) = channels(&data, op);
    let scales = match &quant.scheme {
        QuantScheme::PerTensor { scale, .. } => vec![*scale as f32],
        QuantScheme::PerChannel {
            axis: own, scales, ..
        } if *own == axis => (0..outputs)
            .map(|i| scales[i % scales.len()] as f32)
            .collect(),
        QuantScheme::PerChannel { .. } => {
            return Err(Reason::new(rule, weight_in_words(ty)).advise(format!(
                "it computes in floats instead; give the weight a scale for each output channel, along its axis {axis}, or one scale"
            )));
        }
        QuantScheme::PerGroup { .. } => return Err(refused()),
    };
    match scales.iter().find(|s| !s.is_normal()) {
        None => Ok((data, scales)),
        Some(scale) => Err(Reason::new(
            "XNNPACK's scales are normal numbers of f32",
            scale.to_string(),
        )),
    }
}

/// A constant bias in units of the sums.
fn units(
    graph: &Graph,
    bias: ValueId,
    input: f64,
    scales: &[f32],
    outputs: usize,
) -> Result<Vec<i32>, Reason> {
    let rule = "XNNPACK's layers of integers take a constant bias";
    let ty = graph.ty(bias);
    let data = constant_of(graph, bias)
        .ok_or_else(|| Reason::new(rule, "one that is computed when running"))?;
    let reals = match &ty.quant {
        Some(quant) => {
            dequantised(quant, &data).ok_or_else(|| Reason::new(rule, format!("{ty:?}")))?
        }
        None => data.scalars().map(|s| s.as_f64()).collect(),
    };
    let units = (0..outputs).map(|i| input * f64::from(scales[i % scales.len()]));
    let found = reals
        .iter()
        .zip(units)
        .map(|(&real, unit)| whole(real, unit));
    let found: Option<Vec<i32>> = found.collect();
    found.ok_or_else(|| Reason::new("XNNPACK's biases have 32 bits", "one beyond"))
}

/// A number of units. A bias in the middle of two is rounded as PyTorch quantises it, by a reciprocal in f32, so that programs agree with
/// those of ExecuTorch.
fn whole(real: f64, unit: f64) -> Option<i32> {
    let exact = real / unit;
    let single = f64::from((real as f32 * (1.0 / unit as f32)).round_ties_even());
    let found = if (single - exact).abs() < 0.501 {
        single
    } else {
        exact.round_ties_even()
    };
    (found.abs() < f64::from(i32::MAX)).then_some(found as i32)
}

fn dequantised(quant: &Quant, data: &TensorData) -> Option<Vec<f64>> {
    let parameters = Parameters::of(quant, data.sizes()).ok()?;
    let integers = data.scalars().map(|s| s.as_i64());
    Some(parameters.reals(integers))
}

/// Refuses products of two computed matrices whose scales do not fit the library's kernel.
pub(crate) fn check_product(graph: &Graph, node: &Node) -> Result<(), Reason> {
    let [a, b, y] = [node.operands[0], node.operands[1], node.result()].map(|v| graph.ty(v));
    let [from, other, to] = [qparams(a)?, qparams(b)?, qparams(y)?];
    if [a, b, y].iter().any(|ty| ty.dtype != DType::I8) || other.zero_point != 0 {
        let rule = "XNNPACK's products are of signed integers, the second factor about 0";
        return Err(Reason::new(
            rule,
            format!("a zero point of {}", other.zero_point),
        ));
    }
    let depth = a.shape.last().and_then(Dim::as_const);
    let reach = |q: Qparams| Reach::of_integers(q.min.into(), q.max.into(), q.zero_point.into());
    let taps = depth.and_then(|depth| usize::try_from(depth).ok());
    let sums = taps.map(|taps| Reach::of_products(taps, reach(from), reach(other)));
    if sums.is_some_and(|sums| !sums.fits(32)) {
        return Err(too_many(taps.unwrap_or_default()));
    }
    match requantization_scale(from.scale, other.scale, to.scale) {
        Some(factor) if (LEAST_FACTOR..=255.0).contains(&factor) => Ok(()),
        _ => Err(Reason::new(
            "XNNPACK multiplies sums by at most 255",
            "more",
        )),
    }
}

impl Lowering<'_> {
    pub(super) fn integer_linear(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let layer =
            layer(self.graph, node, computing(node)).map_err(|reason| reason.to_string())?;
        let input = self.tensors.operand(node.operands[0], order)?;
        let filter = self.filter(&layer, &layer.weight, 0)?;
        let bias = self.unit_bias(&layer)?;
        let (output, clamp, flags) = (self.target(id, order), self.integer_range(id), 0);
        self.push_clamped(
            XnnOp::FullyConnected {
                input,
                filter,
                bias,
                output,
                flags,
            },
            clamp,
        );
        Ok(())
    }

    pub(super) fn integer_conv(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Conv,
        order: &Order,
    ) -> Result<(), Problem> {
        let layer =
            layer(self.graph, node, computing(node)).map_err(|reason| reason.to_string())?;
        let input = self.tensors.operand(node.operands[0], order)?;
        let image =
            image_of(op, &layer.weight).ok_or("weights of other sizes than the convolution's")?;
        let (output, clamp) = (self.target(id, order), self.integer_range(id));
        if let Some(blocks) = self.blocks(&image, output) {
            return self.in_blocks(&blocks, output, |own, part, made| {
                let layer = layer.of_part(part);
                let filter = own.filter(&layer, &layer.weight, 0)?;
                let bias = own.unit_bias(&layer)?;
                let kernel = (part.image.kind, part.image.params);
                own.push_clamped(XnnOp::conv(kernel, [input, filter], bias, made), clamp);
                Ok(())
            });
        }
        let (input, image) = match has_many_taps(&image) {
            true => self.in_tap_channels(input, &image)?,
            false => self.in_columns(input, image),
        };
        let dim = match image.kind {
            ConvKind::Depthwise => 3,
            _ => 0,
        };
        let filter = self.filter(&layer, &image.filter, dim)?;
        let bias = self.unit_bias(&layer)?;
        let kernel = (image.kind, image.params);
        self.push_clamped(XnnOp::conv(kernel, [input, filter], bias, output), clamp);
        Ok(())
    }

    pub(super) fn integer_product(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let a = self.tensors.operand(node.operands[0], order)?;
        let value = node.operands[1];
        let shape = &self.graph.ty(value).shape;
        let mut axes: Vec<usize> = (0..shape.rank()).collect();
        axes.swap(shape.rank() - 2, shape.rank() - 1);
        let swapped = Movement::permute(shape, &axes).map_err(|e| e.to_string())?;
        let straight = self.tensors.cost_of(value, &Movement::identity(shape));
        let is_turned = self.tensors.cost_of(value, &swapped) < straight;
        let (b, flags) = match is_turned {
            true => (
                self.tensors.moved(value, &swapped)?,
                flags::TRANSPOSE_WEIGHTS,
            ),
            false => (self.tensors.operand(value, order)?, 0),
        };
        self.push_limited(id, order, |output| XnnOp::BatchMatMul {
            inputs: [a, b],
            output,
            flags,
        });
        Ok(())
    }

    /// The weights, whose output channels lie along a dim.
    fn filter(&mut self, layer: &Layer, data: &TensorData, dim: usize) -> Result<Tensor, Problem> {
        let elements = match layer.scales.as_slice() {
            [scale] if !layer.is_narrow => {
                Elements::per_tensor(Datatype::QInt8, (*scale).into(), 0)
            }
            scales => {
                let scales = match layer.bias {
                    Some(_) => self.tensors.scales(scales),
                    None => scales.to_vec().into(),
                };
                let datatype = match layer.is_narrow {
                    true => Datatype::QcInt4,
                    false => Datatype::QcInt8,
                };
                Elements::per_channel(datatype, scales, dim)
            }
        };
        if layer.is_narrow {
            return self.tensors.packed(&nibbles(data)?, elements, data.sizes());
        }
        self.tensors.constant_of(data, elements)
    }

    /// The bias in units of the sums. The library reads its integers alone. So one by channel has the scales of the weights, which are in the
    /// payload anyway.
    fn unit_bias(&mut self, layer: &Layer) -> Result<Option<Tensor>, Problem> {
        let Some(units) = &layer.bias else {
            return Ok(None);
        };
        let elements = match layer.scales.as_slice() {
            [scale] if !layer.is_narrow => {
                Elements::per_tensor(Datatype::QInt32, (layer.input * scale).into(), 0)
            }
            scales => Elements::per_channel(Datatype::QcInt32, self.tensors.scales(scales), 0),
        };
        self.tensors
            .constant_of(&weights::integers(units), elements)
            .map(Some)
    }
}

/// True for a window that the library's depthwise kernels do not have.
fn has_many_taps(image: &Image) -> bool {
    let [rows, columns] = image.params.kernel;
    image.kind == ConvKind::Depthwise && rows.saturating_mul(columns) > MAX_AT_ONCE
}

fn computing(node: &Node) -> &Op {
    node.op.computing()
}
