//! Linear layers and products of matrices.
//!
//! A linear layer is a 1x1 convolution whose rows lie along the width: rows along the height cost up to twice as much
//! on Ethos-U. A product of two computed matrices is a MATMUL.

use super::Lowering;
use super::conv::{Finish, accumulator, as_it_is, zeros};
use crate::dialect::{Conv, MatMul, TensorId, TosaOp};
use kiln_ir::graph::Node;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

impl Lowering<'_, '_> {
    pub(super) fn linear(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let (x, places) = self.dense_operand(node, order)?;
        let weight = self.weight(node.operands[1])?;
        let weight = self.followed(weight, 1, places)?;
        let outputs = weight.sizes(&self.parts)[0];
        let bias = match node.operands.get(2) {
            Some(&bias) => self.operand(bias, &Order::plain(1))?,
            None => zeros(self.parts.dtype(x), outputs)?.tensor(&mut self.parts)?,
        };
        let weight = weight.tensor(&mut self.parts)?;
        self.rows_by(x, [weight, bias], [0, 0], &as_it_is)
    }

    /// A linear layer on the innermost axis, with a weight `[O, C]`, a bias, and the zero points of input and weight.
    /// `finish` gets the sums before they are reshaped, since TOSA cannot reshape sums of 48 bits.
    pub(crate) fn rows_by(
        &mut self,
        x: TensorId,
        [weight, bias]: [TensorId; 2],
        [input_zp, weight_zp]: [i32; 2],
        finish: Finish<'_>,
    ) -> Result<TensorId, Reason> {
        let shape = self.parts.shape(x).to_vec();
        let (&channels, rows) = shape
            .split_last()
            .ok_or_else(|| Reason::new("rows have elements", "a scalar"))?;
        let outputs = self.parts.shape(weight)[0];
        let image = self
            .parts
            .reshape(x, &[1, 1, rows.iter().product(), channels])?;
        let weight = self.parts.reshape(weight, &[outputs, 1, 1, channels])?;
        let conv = Conv {
            input_zp,
            weight_zp,
            ..Conv::new(accumulator(self.parts.dtype(x)))
        };
        let made = self
            .parts
            .op(TosaOp::Conv2d(conv), &[image, weight, bias])?;
        let made = finish(self, made, 0..outputs)?;
        let to: Vec<usize> = rows.iter().copied().chain([outputs]).collect();
        self.parts.reshape(made, &to)
    }

    pub(super) fn matmul(&mut self, node: &Node) -> Result<TensorId, Reason> {
        let order = Order::plain(self.graph.ty(node.result()).rank());
        let operands = self.operands(node, &order)?;
        self.product([operands[0], operands[1]], [0, 0], &as_it_is)
    }

    /// The products of the matrices in the last two axes. `finish` gets the sums before they are reshaped.
    pub(crate) fn product(
        &mut self,
        [a, b]: [TensorId; 2],
        zero_points: [i32; 2],
        finish: Finish<'_>,
    ) -> Result<TensorId, Reason> {
        let (of_a, of_b) = (self.parts.shape(a).to_vec(), self.parts.shape(b).to_vec());
        let rank = of_a.len();
        let batch: Vec<usize> = of_a[..rank - 2]
            .iter()
            .zip(&of_b)
            .map(|(&m, &n)| m.max(n))
            .collect();
        let count = batch.iter().product();
        let mut flat = |x: TensorId, sizes: &[usize]| {
            let to: Vec<usize> = batch.iter().chain(&sizes[rank - 2..]).copied().collect();
            let x = self.tile_to(x, &to)?;
            self.parts
                .reshape(x, &[count, sizes[rank - 2], sizes[rank - 1]])
        };
        let (a, b) = (flat(a, &of_a)?, flat(b, &of_b)?);
        let [a_zp, b_zp] = zero_points;
        let dtype = self.parts.dtype(a);
        let to = if dtype.is_int() || dtype == crate::dialect::TosaDtype::BF16 {
            accumulator(dtype)
        } else {
            dtype
        };
        let made = self
            .parts
            .op(TosaOp::MatMul(MatMul { a_zp, b_zp, to }), &[a, b])?;
        let made = if dtype.is_float() {
            self.convert(made, dtype)?
        } else {
            made
        };
        let made = finish(self, made, 0..of_b[rank - 1])?;
        let to: Vec<usize> = batch
            .into_iter()
            .chain([of_a[rank - 2], of_b[rank - 1]])
            .collect();
        self.parts.reshape(made, &to)
    }
}
