//! Softmaxes over any axis.
//!
//! A row of 8-bit integers is computed with 5 integer bits, as in TFLite: the greatest difference whose exponential is not 0 is
//! 31. If the result has another scale than the library's, it is requantised from a finer one: the library has a function of rows
//! with 16-bit results, and along another axis the operand is widened first. A result with a still finer scale is computed in
//! floats.

use super::goal::Goal;
use super::parts::{TensorId, int};
use super::{Lowering, Order};
use crate::dialect::{Activation, AxisSoftmax, Dtype, Function, Parameters, Softmax};
use crate::linked::Linked;
use crate::orders::ROWS;
use kiln_ir::graph::Node;
use kiln_ir::ops;
use kiln_quantised::accumulator::Reach;
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::step::Step;
use kiln_transforms::framework::target::Reason;

/// The scale of an 8-bit softmax.
const BYTE: f64 = 1.0 / 256.0;

/// The greatest step of the kernel, in steps of the result. The kernel rounds to half of its own step, so with up to 2 the result
/// is off by at most one of its own steps. The rest is left for the kernel's own error, a fourteenth of its step.
const COARSEST: f64 = 1.75;

/// The range of all 16-bit integers.
const WORDS: Activation = Activation {
    min: -32_768,
    max: 32_767,
};

/// The integer bits of a difference.
const WHOLE_BITS: i32 = 5;

impl Lowering<'_> {
    pub(super) fn quantised_softmax(
        &mut self,
        node: &Node,
        op: &ops::Softmax,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        if op.log {
            return Err(Reason::new(
                "no function in integers computes the op",
                "log_softmax",
            ));
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
        let (made, own) = match self.parts.dtype(x) {
            Dtype::I8 if inner > 1 && self.parts.linked() == Linked::Runtime => {
                self.softmax_of_rows(x, from, [outer, n, inner], to)?
            }
            Dtype::I8 if inner > 1 && to.step.scale < BYTE => {
                let wide = self.limited(x, Dtype::I16, WORDS)?;
                self.softmax_s16(wide, from, [outer, n, inner])?
            }
            Dtype::I8 => self.softmax_s8(x, from, [outer, n, inner], to)?,
            Dtype::I16 => self.softmax_s16(x, from, [outer, n, inner])?,
            other => return Err(Reason::new("a softmax has the type", other.name())),
        };
        if own.scale > COARSEST * to.step.scale {
            let rule = format!("a softmax gives steps of 1/{}", 1.0 / own.scale);
            return Err(Reason::new(rule, format!("steps of {}", to.step.scale)));
        }
        self.brought_from(made, own, Reach(65_536), to)
    }

    fn softmax_s8(
        &mut self,
        x: TensorId,
        from: Step,
        [outer, n, inner]: [usize; 3],
        to: &Goal,
    ) -> Result<(TensorId, Step), Reason> {
        let exponents = exponents(from)?;
        let sizes = self.parts.sizes(x).to_vec();
        // A result with another scale is requantised from a finer one, if there is any.
        let is_own = to.step == step(BYTE, -128);
        let is_project = self.parts.linked() == Linked::Project;
        if !is_project && !is_own && to.step.scale < BYTE {
            let rule = "a softmax gives steps of 1/256";
            return Err(Reason::new(rule, format!("steps of {}", to.step.scale)));
        }
        let is_fine = inner == 1 && !is_own && is_project;
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
                    mult: exponents.factor.multiplier,
                    shift: exponents.factor.shift,
                    diff_min: exponents.diff_min,
                };
                (function, softmax.into())
            }
            _ => {
                let softmax = exponents.softmax([outer, n, inner])?;
                (Function::KilnSoftmaxS8, softmax.into())
            }
        };
        self.parts.call(function, parameters, &[Some(x), Some(y)])?;
        let own = match is_fine {
            true => step(1.0 / 65_536.0, -32_768),
            false => step(BYTE, -128),
        };
        Ok((y, own))
    }

    /// A softmax of rows: the axis is moved behind the others first, and back.
    fn softmax_of_rows(
        &mut self,
        x: TensorId,
        from: Step,
        [outer, n, inner]: [usize; 3],
        to: &Goal,
    ) -> Result<(TensorId, Step), Reason> {
        let sizes = self.parts.sizes(x).to_vec();
        let x = self.parts.view(x, &[outer, n, inner]);
        let rows = self.parts.transpose(x, &[0, 2, 1])?;
        let (made, own) = self.softmax_s8(rows, from, [outer * inner, n, 1], to)?;
        let made = self.parts.view(made, &[outer, inner, n]);
        let back = self.parts.transpose(made, &[0, 2, 1])?;
        Ok((self.parts.view(back, &sizes), own))
    }

    /// A 16-bit softmax along any axis, by Kiln's own kernel. The library's function has tables of 513 entries and is off by two
    /// steps, and gives -1 for a row of one element.
    fn softmax_s16(
        &mut self,
        x: TensorId,
        from: Step,
        [outer, n, inner]: [usize; 3],
    ) -> Result<(TensorId, Step), Reason> {
        let factor = exponents(from)?;
        let sizes = self.parts.sizes(x).to_vec();
        let softmax = factor.softmax([outer, n, inner])?;
        let y = self.parts.temporary(Dtype::I16, &sizes);
        self.parts
            .call(Function::KilnSoftmaxS16, softmax, &[Some(x), Some(y)])?;
        Ok((y, step(1.0 / 32_768.0, 0)))
    }
}

/// The factor from differences of integers to exponents, and the difference below which an exponential counts as 0.
struct Exponents {
    factor: Multiplier,
    diff_min: i32,
}

/// The exponents of integers with this scale.
fn exponents(from: Step) -> Result<Exponents, Reason> {
    let one = f64::from(31 - WHOLE_BITS).exp2();
    let wrong = || Reason::new("a scale fits 31 bits", from.scale.to_string());
    let factor = Multiplier::of((from.scale * one).min(f64::from(i32::MAX)));
    let factor = factor.ok().filter(|factor| factor.shift >= 0);
    let factor = factor.ok_or_else(wrong)?;
    let most = ((1i64 << WHOLE_BITS) - 1) as f64 * one;
    let diff_min = -((most / f64::from(factor.shift).exp2()).floor() as i32);
    Ok(Exponents { factor, diff_min })
}

impl Exponents {
    /// A softmax along the middle axis.
    fn softmax(&self, [outer, n, inner]: [usize; 3]) -> Result<AxisSoftmax, Reason> {
        Ok(AxisSoftmax {
            outer: int(outer)?,
            n: int(n)?,
            inner: int(inner)?,
            multiplier: self.factor.multiplier,
            shift: self.factor.shift,
            diff_min: self.diff_min,
        })
    }
}

fn step(scale: f64, zero_point: i32) -> Step {
    Step { scale, zero_point }
}
