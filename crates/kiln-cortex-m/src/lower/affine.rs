//! Sums with known floats and products by known floats that differ by channel. Each channel has a factor or a bias of its own, as
//! in a depthwise convolution with windows of one element.

use super::bias;
use super::conv::{Convolution, Sums};
use super::goal::Goal;
use super::parts::TensorId;
use super::window::Axis;
use super::{Lowering, Order};
use crate::dialect::Dtype;
use crate::orders::ROWS;
use kiln_eval::Tensor;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, Broadcast};
use kiln_ir::{DType, Scalar, Shape, TensorData};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::multiplier::Multiplier;
use kiln_target::operands::run;
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

/// How many units of the accumulator one step of the operand is in a sum, so that a known float becomes whole units.
const PARTS: i64 = 64;

/// A channel: the operand's factor in units, the accumulator's factor to reals, and the bias in reals.
type Channel = (i64, f64, f64);

/// The memory axes from which on numbers differ.
fn front(own: &[usize]) -> usize {
    own.iter().take_while(|&&size| size == 1).count()
}

/// Whether numbers of memory axes `own` differ along whole innermost axes of `sizes`.
fn is_inner(own: &[usize], sizes: &[usize]) -> bool {
    own[front(own)..] == sizes[front(own)..]
}

/// The numbers of memory axes `own`, repeated along the innermost axes of `sizes` where the memory order has put other axes behind
/// those along which they differ. Each repeated number takes 13 bytes of flash, as a channel does.
fn inner_axes(numbers: TensorData, own: Vec<usize>, sizes: &[usize]) -> Result<TensorData, Reason> {
    if is_inner(&own, sizes) {
        return Ok(numbers);
    }
    let front = front(&own);
    let dims = sizes
        .iter()
        .enumerate()
        .map(|(axis, &size)| match axis < front {
            true => 1,
            false => size as i64,
        });
    let shape = dims.collect::<Shape>();
    let numbers = numbers
        .reshaped(own)
        .map_err(|error| Reason::new("known numbers are broadcast", error.to_string()))?;
    let found = run(&Broadcast { shape }.into(), &[Tensor::from(numbers)])?;
    Ok(TensorData::from(found))
}

impl Lowering<'_> {
    /// The op on the operand `slot` and on known floats.
    pub(super) fn by_channel(
        &mut self,
        node: &Node,
        (f, slot): (BinaryFn, usize),
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let rule = "a known operand has a float for each channel";
        let other = || Reason::new(rule, f.text());
        let (value, known) = (node.operands[slot], node.operands[1 - slot]);
        let is_float = self.graph.ty(known).quant.is_none();
        let data = constant_of(self.graph, known).filter(|_| is_float);
        let data = data.ok_or_else(other)?;
        let from = self.step(value)?;
        let sizes = self.sizes(node.result(), order)?;
        let x = self.operand(value, order)?;
        let own = order.permute(data.sizes(), &1, ROWS);
        if self.parts.sizes(x) != sizes {
            return Err(other());
        }
        let data = data.moved(&order.to_memory(&self.graph.ty(known).shape, ROWS));
        let numbers = data.ok_or_else(other)?;
        // Where the layout is open, an order in which channels are innermost is better, or floats.
        let numbers = match self.layouts {
            Some(_) => inner_axes(numbers, own, &sizes)?,
            None if is_inner(&own, &sizes) => numbers,
            None => return Err(other()),
        };
        let channel = |c: f64| -> Result<Channel, Reason> {
            let (scale, unit) = (from.scale, from.scale / PARTS as f64);
            Ok(match (f, slot) {
                (BinaryFn::Add, _) => (PARTS, unit, c),
                (BinaryFn::Sub, 0) => (PARTS, unit, -c),
                (BinaryFn::Sub, _) => (-PARTS, unit, c),
                (BinaryFn::Mul, _) => (c.signum() as i64, scale * c.abs(), 0.0),
                (BinaryFn::Div, 0) if c != 0.0 => (c.signum() as i64, scale / c.abs(), 0.0),
                _ => return Err(other()),
            })
        };
        let channels = numbers.scalars().map(|c| channel(c.as_f64()));
        let channels = channels.collect::<Result<Vec<Channel>, Reason>>()?;
        let to = &to.exact();
        let sums = self.sums_by_channel(&channels, self.reach(value), to)?;
        let rows = sizes.iter().product::<usize>() / channels.len();
        let image = [1, rows, 1, channels.len()];
        let flat = self.parts.view(x, &image);
        let axis = |size| Axis { size, ..Axis::UNIT };
        let conv = Convolution {
            axes: [axis(rows), axis(1)],
            groups: channels.len(),
            sums,
            input: from,
        };
        let made = self.convolve(flat, &conv, &image, to)?;
        Ok(self.parts.view(made, &sizes))
    }

    fn sums_by_channel(
        &self,
        channels: &[Channel],
        reach: Reach,
        to: &Goal,
    ) -> Result<Sums, Reason> {
        let is_wide = to.dtype == Dtype::I16;
        let (reals, units): (Vec<f64>, Vec<f64>) =
            channels.iter().map(|(_, unit, bias)| (bias, unit)).unzip();
        let bias = bias::whole(&reals, &units, is_wide, to)?;
        let most = bias.iter().map(|b| b.unsigned_abs()).max().unwrap_or(0);
        let own = Reach::of_products(1, reach, Reach(PARTS as u128));
        let reach = own.with_bias(most as i64);
        let factors = units
            .iter()
            .map(|&unit| to.layer_factor(to.dtype, unit, reach));
        let factors = factors.collect::<Result<Vec<Multiplier>, Reason>>()?;
        let usual = (Some(bias), factors);
        let reaches = vec![own; channels.len()];
        let chosen = self.chosen((&units, Some(&reals)), &reaches, usual, to);
        let biases = chosen.bias.iter().flatten().map(|b| b.unsigned_abs());
        let most = biases.max().unwrap_or(0);
        let weights = channels.iter().map(|(weight, ..)| Scalar::Int(*weight));
        let sizes = vec![channels.len(), 1, 1, 1];
        Ok(Sums {
            weight: TensorData::from_scalars(DType::I8, sizes, weights),
            zero_point: 0,
            bias: chosen.bias,
            is_narrow: false,
            reach: own.with_bias(most as i64),
            factors: chosen.factors,
            lift: chosen.lift,
        })
    }
}
