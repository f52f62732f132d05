//! Softmaxes over any axis.
//!
//! A row of 8 bits is computed with 5 bits in front of the point, as TFLite has it: the greatest difference whose exponential is not 0
//! is 31. A result of another step than the library's is brought to it.

use super::goal::Goal;
use super::parts::{TensorId, int};
use super::{Lowering, Order};
use crate::dialect::{
    AxisSoftmax, Dtype, Function, Parameters, Softmax, SoftmaxLuts, SoftmaxTable,
};
use crate::orders::ROWS;
use kiln_ir::graph::Node;
use kiln_ir::ops;
use kiln_quantised::accumulator::Reach;
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::step::Step;
use kiln_quantised::table::balanced;
use kiln_transforms::framework::target::Reason;

/// The bits in front of the point of a difference.
const WHOLE_BITS: i32 = 5;

/// The differences that the table of exponentials of 16 bits covers.
const TABLE_RANGE: f64 = 10.0;

impl Lowering<'_> {
    pub(super) fn quantised_softmax(
        &mut self,
        node: &Node,
        op: &ops::Softmax,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        if op.log {
            let rule = "a softmax is no logarithm";
            return Err(Reason::new(rule, "log_softmax"));
        }
        let from = self.step(node.operands[0])?;
        let x = self.operand(node.operands[0], order)?;
        let axis = order.position(op.axis, ROWS);
        let sizes = self.parts.sizes(x).to_vec();
        let (outer, n, inner): (usize, usize, usize) = (
            sizes[..axis].iter().product(),
            sizes[axis],
            sizes[axis + 1..].iter().product(),
        );
        let made = match self.parts.dtype(x) {
            Dtype::I8 => self.softmax_s8(x, from, [outer, n, inner], to)?,
            Dtype::I16 => self.softmax_s16(x, from, [outer, n, inner])?,
            other => return Err(Reason::new("a softmax has the type", other.name())),
        };
        let own = match self.parts.dtype(made) {
            Dtype::I16 if self.parts.dtype(x) == Dtype::I16 => step(1.0 / 32_768.0, 0),
            Dtype::I16 => step(1.0 / 65_536.0, -32_768),
            _ => step(1.0 / 256.0, -128),
        };
        self.brought_from(made, own, Reach(65_536), to)
    }

    fn softmax_s8(
        &mut self,
        x: TensorId,
        from: Step,
        [outer, n, inner]: [usize; 3],
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let factor = (from.scale * f64::from(31 - WHOLE_BITS).exp2()).min(f64::from(i32::MAX));
        let factor = Multiplier::of(factor)
            .map_err(|_| Reason::new("a scale fits 31 bits", from.scale.to_string()))?;
        let most = ((1i64 << WHOLE_BITS) - 1) as f64 * f64::from(31 - WHOLE_BITS).exp2();
        let diff_min = -((most / f64::from(factor.shift).exp2()).floor() as i32);
        let sizes = self.parts.sizes(x).to_vec();
        // A result of another step is brought to it from finer ones, where there are any.
        let is_own = to.step == step(1.0 / 256.0, -128);
        let is_fine = inner == 1 && !is_own;
        let dtype = if is_fine { Dtype::I16 } else { Dtype::I8 };
        let y = self.parts.temporary(dtype, &sizes);
        let (function, parameters): (Function, Parameters) = match inner {
            1 => {
                let function = match is_fine {
                    true => Function::SoftmaxS8S16,
                    false => Function::SoftmaxS8,
                };
                let softmax = Softmax {
                    num_rows: int(outer)?,
                    row_size: int(n)?,
                    mult: factor.multiplier,
                    shift: factor.shift,
                    diff_min,
                };
                (function, softmax.into())
            }
            _ => {
                let softmax = AxisSoftmax {
                    outer: int(outer)?,
                    n: int(n)?,
                    inner: int(inner)?,
                    multiplier: factor.multiplier,
                    shift: factor.shift,
                    diff_min,
                };
                (Function::KilnSoftmaxS8, softmax.into())
            }
        };
        self.parts.call(function, parameters, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// Of rows only: another axis is moved behind the others first, and back.
    fn softmax_s16(
        &mut self,
        x: TensorId,
        from: Step,
        [outer, n, inner]: [usize; 3],
    ) -> Result<TensorId, Reason> {
        let sizes = self.parts.sizes(x).to_vec();
        if inner > 1 {
            let x = self.parts.view(x, &[outer, n, inner]);
            let rows = self.parts.transpose(x, &[0, 2, 1])?;
            let made = self.softmax_s16(rows, from, [outer * inner, n, 1])?;
            let back = self.parts.transpose(made, &[0, 2, 1])?;
            return Ok(self.parts.view(back, &sizes));
        }
        let factor = Multiplier::of(from.scale * 65_535.0 / TABLE_RANGE)
            .map_err(|_| Reason::new("a scale fits 31 bits", from.scale.to_string()))?;
        let mut lut = |what: &str, entries: Vec<i16>| {
            let bytes: Vec<u8> = entries.iter().flat_map(|e| e.to_le_bytes()).collect();
            self.parts
                .constant(what, Dtype::I16, &[entries.len()], bytes)
        };
        let exponentials = lut("exp", balanced(-(TABLE_RANGE as f32), 0.0, f32::exp));
        let quotients = lut("one_by_one", balanced(0.0, 1.0, |x| 1.0 / (1.0 + x)));
        let softmax = SoftmaxTable {
            num_rows: int(outer)?,
            row_size: int(n)?,
            mult: factor.multiplier,
            shift: factor.shift,
            softmax_params: SoftmaxLuts {},
        };
        let y = self.parts.temporary(Dtype::I16, &sizes);
        let slots = [Some(x), Some(exponentials), Some(quotients), Some(y)];
        self.parts.call(Function::SoftmaxS16, softmax, &slots)?;
        Ok(y)
    }
}

fn step(scale: f64, zero_point: i32) -> Step {
    Step { scale, zero_point }
}
