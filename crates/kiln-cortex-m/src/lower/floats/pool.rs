//! Pools of floats.

use crate::dialect::{Dtype, FloatAvgPool, FloatMaxPool, Function, PadMode, Windows};
use crate::lower::data::narrow;
use crate::lower::parts::{TensorId, dims};
use crate::lower::window::{Axis, tile, unsigned};
use crate::lower::{Lowering, Order};
use kiln_ir::Scalar;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, PoolFn};
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    pub(in crate::lower) fn float_pool(
        &mut self,
        node: &Node,
        op: &ops::Pool,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let mut axes = self.pool_axes(node, op)?;
        let mut x = self.operand(node.operands[0], order)?;
        self.check_float(x)?;
        // The kernel's padding is the same on both sides.
        if matches!(
            op.f,
            PoolFn::Avg {
                count_include_pad: true,
                divisor: None
            }
        ) && op.pad_low != op.pad_high
        {
            x = self.between_zeros(x, op, &mut axes)?;
        }
        let windows = Windows {
            stride: tile(&axes, |axis| axis.stride)?,
            padding: tile(&axes, |axis| axis.pad)?,
            dilation: tile(&axes, |axis| axis.dilation)?,
        };
        let sizes = self.sizes(node.results[0], order)?;
        let quad = |sizes: &[usize]| dims(<[usize; 4]>::try_from(sizes).unwrap_or([1; 4]));
        let (input_dims, output_dims) = (quad(self.parts.sizes(x))?, quad(&sizes)?);
        let filter_dims = dims([1, axes[0].kernel, axes[1].kernel, 1])?;
        let y = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(x), Some(y)];
        match op.f {
            PoolFn::Avg {
                count_include_pad,
                divisor,
            } => {
                let pool = FloatAvgPool {
                    windows,
                    divisor: narrow(divisor.unwrap_or(0))?,
                    padding_counts: count_include_pad,
                    input_dims,
                    filter_dims,
                    output_dims,
                };
                self.parts.call(Function::KilnAvgPoolF32, pool, &slots)?;
            }
            PoolFn::Max | PoolFn::MaxWithIndices => {
                let pool = FloatMaxPool {
                    windows,
                    input_dims,
                    filter_dims,
                    output_dims,
                };
                self.parts.call(Function::KilnMaxPoolF32, pool, &slots)?;
            }
        }
        Ok(y)
    }

    /// The operand with its padding, which the axes lose.
    fn between_zeros(
        &mut self,
        x: TensorId,
        op: &ops::Pool,
        axes: &mut [Axis; 2],
    ) -> Result<TensorId, Reason> {
        let spatial = op.spatial();
        let mut pairs = vec![[0; 2]; 4];
        for (i, pair) in pairs[3 - spatial..3].iter_mut().enumerate() {
            *pair = [op.pad_low[i], op.pad_high[i]];
        }
        for (axis, pair) in axes.iter_mut().zip(&pairs[1..3]) {
            let [low, high] = unsigned(*pair)?;
            (axis.size, axis.pad) = (axis.size + low + high, 0);
        }
        let mut sizes = self.parts.sizes(x).to_vec();
        for (size, pair) in sizes.iter_mut().zip(&pairs) {
            *size += (pair[0] + pair[1]) as usize;
        }
        let zero = (PadMode::Constant, Some(Scalar::Float(0.0)));
        self.bordered(x, &pairs, zero, &sizes)
    }
}
