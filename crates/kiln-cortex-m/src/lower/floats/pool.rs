//! Pools of floats.

use crate::dialect::{Dtype, FloatAvgPool, FloatMaxPool, Function, Windows};
use crate::lower::parts::{TensorId, dims, int};
use crate::lower::window::{tile, unsigned};
use crate::lower::{Lowering, Order};
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
        let axes = self.pool_axes(node, op)?;
        let x = self.operand(node.operands[0], order)?;
        self.check_float(x)?;
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
                if count_include_pad && divisor.is_none() && op.pad_low != op.pad_high {
                    let rule = "padding that counts is the same on both sides";
                    return Err(Reason::new(rule, format!("{op:?}")));
                }
                let [divisor] = unsigned([divisor.unwrap_or(0)])?;
                let pool = FloatAvgPool {
                    windows,
                    divisor: int(divisor)?,
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
}
