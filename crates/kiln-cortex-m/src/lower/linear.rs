//! Fully connected layers, and products of matrices.
//!
//! A single row is multiplied by `arm_fully_connected_*`. Several rows are a 1x1 convolution of an image of height 1, which
//! computes several rows together.

use super::conv::{Convolution, Sums};
use super::goal::Goal;
use super::parts::{TensorId, dims, int};
use super::window::Axis;
use super::{Lowering, Order};
use crate::dialect::{
    BatchMatmul, BmmParams, Build, Dtype, FcParams, FcQuant, FullyConnected, Function, Parameters,
    PerChannel, PerTensor,
};
use kiln_ir::graph::Node;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::sums::{Channels, folded_bias, kernel_sums, kernel_sums_of_bytes};
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    pub(super) fn quantised_linear(
        &mut self,
        node: &Node,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let sums = self.sums(node, 0, to)?;
        let (x, places) = self.dense_operand(node, order)?;
        let weight = self.followed(sums.weight, places)?;
        let input = self.step(node.operands[0])?;
        let sums = Sums { weight, ..sums };
        let sizes = self.sizes(node.result(), order)?;
        let rows: usize = sizes.iter().rev().skip(1).product();
        let is_wide = self.parts.dtype(x) == Dtype::I16;
        let made = match (rows > 1 || is_wide) && sums.zero_point == 0 {
            true => self.rows(x, sums, rows, input, to)?,
            false => {
                let inputs = sums.weight.sizes()[1];
                let flat = self.parts.view(x, &[rows, inputs]);
                self.row(flat, &sums, input.zero_point, to)?
            }
        };
        Ok(self.parts.view(made, &sizes))
    }

    /// Several rows, as a 1x1 convolution.
    fn rows(
        &mut self,
        x: TensorId,
        sums: Sums,
        rows: usize,
        input: kiln_quantised::step::Step,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let [outputs, inputs] = *sums.weight.sizes() else {
            return Err(Reason::new("a weight is a matrix", "others"));
        };
        let x = self.parts.view(x, &[1, 1, rows, inputs]);
        let weight = sums.weight.reshaped(vec![outputs, inputs, 1, 1]);
        let weight = weight.map_err(|e| Reason::new("a weight has its sizes", e.to_string()))?;
        let conv = Convolution {
            axes: [
                Axis::UNIT,
                Axis {
                    size: rows,
                    ..Axis::UNIT
                },
            ],
            groups: 1,
            sums: Sums { weight, ..sums },
            input,
        };
        self.convolve(x, &conv, &[1, 1, rows, outputs], to)
    }

    /// A fully connected layer on each row.
    fn row(
        &mut self,
        x: TensorId,
        sums: &Sums,
        zero_point: i32,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let (&[rows, inputs], outputs) = (
            self.parts.sizes(x).first_chunk().unwrap_or(&[1, 1]),
            sums.factors.len(),
        );
        let params = FcParams {
            input_offset: -zero_point,
            filter_offset: -sums.zero_point,
            output_offset: to.step.zero_point - sums.lift,
            activation: to.range.clone(),
        };
        let is_one = sums.factors.windows(2).all(|pair| pair[0] == pair[1]);
        let (function, quant_params) = match is_one {
            true => (
                Function::FullyConnectedS8,
                FcQuant::Tensor(PerTensor {
                    multiplier: sums.factors[0].multiplier,
                    shift: sums.factors[0].shift,
                }),
            ),
            false => (
                Function::FullyConnectedPerChannelS8,
                FcQuant::Channels(PerChannel::of(&sums.factors)),
            ),
        };
        let layer = FullyConnected {
            fc_params: params,
            quant_params,
            input_dims: dims([rows, 1, 1, inputs])?,
            filter_dims: dims([inputs, 1, 1, outputs])?,
            bias_dims: dims([1, 1, 1, outputs])?,
            output_dims: dims([rows, 1, 1, outputs])?,
        };
        let y = self.parts.temporary(to.dtype, &[rows, outputs]);
        let bias = self.bias(sums, false, false);
        if sums.is_narrow && is_one && sums.zero_point == 0 {
            let packed = self.packed(&sums.weight);
            let slots = [Some(x), Some(packed), bias, Some(y)];
            let narrow = Function::FullyConnectedS4;
            if self.parts.call(narrow, layer.clone(), &slots).is_ok() {
                return Ok(y);
            }
        }
        let kernel_sums = match self.parts.build() {
            Build::Mve => Some(self.kernel_sums(sums, zero_point)?),
            Build::Scalar | Build::Dsp => None,
        };
        let weight = self.parts.data("weight", &sums.weight)?;
        let slots = [Some(x), Some(weight), bias, Some(y), kernel_sums];
        self.parts.call(function, layer, &slots)?;
        Ok(y)
    }

    /// The kernel sums that MVE reads in place of the bias: the bias, plus what the zero point of the input adds.
    fn kernel_sums(&mut self, sums: &Sums, zero_point: i32) -> Result<TensorId, Reason> {
        let channels = Channels::along(sums.weight.sizes(), 0);
        let of_weight = i64::from(sums.zero_point);
        let of_weights = match sums.weight.dtype() {
            DType::I8 => kernel_sums_of_bytes(sums.weight.bytes(), of_weight, channels),
            _ => {
                let integers = sums.weight.scalars().map(Scalar::as_i64);
                kernel_sums(integers, of_weight, channels)
            }
        };
        let bias: Option<Vec<i32>> = sums
            .bias
            .as_ref()
            .map(|bias| bias.iter().map(|&b| b as i32).collect());
        let folded = folded_bias(bias.as_deref(), &of_weights, zero_point);
        let folded =
            folded.ok_or_else(|| Reason::new("kernel sums fit 32 bits", "greater ones"))?;
        Ok(self.parts.words("sums", &folded))
    }

    /// Products of matrices. The library reads the right ones transposed.
    pub(super) fn quantised_matmul(&mut self, node: &Node, to: &Goal) -> Result<TensorId, Reason> {
        let [a, b] = [self.step(node.operands[0])?, self.step(node.operands[1])?];
        let rank = self.graph.ty(node.result()).rank();
        let plain = Order::plain(rank);
        let turned = (0..rank - 2).chain([rank - 1, rank - 2]);
        let turned = Order::new(turned).unwrap_or_else(|| Order::plain(rank));
        let left = self.operand(node.operands[0], &plain)?;
        let right = self.operand(node.operands[1], &turned)?;
        let sizes = self.sizes(node.result(), &plain)?;
        let mut of_right = self.sizes(node.operands[1], &plain)?;
        of_right.swap(rank - 1, rank - 2);
        let [of_left, of_right, of_result] = [
            four(self.parts.sizes(left))?,
            four(&of_right)?,
            four(&sizes)?,
        ];
        let taps = of_left[3];
        let [x, y] = [node.operands[0], node.operands[1]].map(|value| self.reach(value));
        let (reach, unit) = (Reach::of_products(taps, x, y), a.scale * b.scale);
        let factor = match to.dtype {
            Dtype::I8 => to.library_factor(unit, reach)?,
            _ => to.wide_factor(unit, reach)?,
        };
        let product = BatchMatmul {
            bmm_params: BmmParams {
                adj_x: false,
                adj_y: true,
                fc_params: FcParams {
                    input_offset: -a.zero_point,
                    filter_offset: -b.zero_point,
                    output_offset: to.step.zero_point,
                    activation: to.range.clone(),
                },
            },
            quant_params: PerTensor {
                multiplier: factor.multiplier,
                shift: factor.shift,
            },
            input_lhs_dims: dims(of_left)?,
            input_rhs_dims: dims(of_right)?,
            output_dims: dims(of_result)?,
        };
        let function = match to.dtype {
            Dtype::I16 => Function::BatchMatmulS16,
            _ => Function::BatchMatmulS8,
        };
        let made = self.parts.temporary(to.dtype, &sizes);
        let slots = [Some(left), Some(right), Some(made)];
        let candidates = vec![(function, Parameters::from(product))];
        self.parts.call_first(candidates, &slots)?;
        Ok(made)
    }

    /// The weight with its input channels permuted as the operand's are: input `i` moves to `places[i]`.
    pub(super) fn followed(
        &self,
        weight: TensorData,
        places: Option<Vec<usize>>,
    ) -> Result<TensorData, Reason> {
        let Some(places) = places else {
            return Ok(weight);
        };
        let sizes = weight.sizes().to_vec();
        let inner = sizes[2..].iter().product::<usize>() * weight.dtype().size();
        let from = weight.bytes();
        let mut bytes = vec![0; from.len()];
        for start in (0..from.len()).step_by((inner * sizes[1]).max(1)) {
            for (i, place) in places.iter().enumerate() {
                let (a, b) = (start + i * inner, start + place * inner);
                bytes[b..b + inner].copy_from_slice(&from[a..a + inner]);
            }
        }
        let data = TensorData::new(weight.dtype(), sizes, bytes.into());
        data.map_err(|e| Reason::new("a weight can be rearranged", e.to_string()))
    }
}

/// The sizes of a product as the library's four axes.
fn four(sizes: &[usize]) -> Result<[usize; 4], Reason> {
    let mut all = [1; 4];
    match sizes.len() {
        0..=4 => all[4 - sizes.len()..].copy_from_slice(sizes),
        more => {
            let found = format!("{more} axes");
            return Err(Reason::new("products have 4 axes at most", found));
        }
    }
    int(sizes.iter().product())?;
    Ok(all)
}
