//! Powers. TOSA's POW takes positive bases; bases of 0 and below are computed apart, by what is known of the exponent.

use super::Lowering;
use crate::dialect::{TensorId, TosaOp};
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

impl Lowering<'_, '_> {
    pub(super) fn power(&mut self, node: &Node, operands: &[TensorId]) -> Result<TensorId, Reason> {
        let [base, exponent] = *operands else {
            return Err(Reason::new(
                "a power has two operands",
                operands.len().to_string(),
            ));
        };
        if !self.parts.dtype(base).is_float() {
            return Err(Reason::new(
                "TOSA's powers are of floats",
                self.parts.dtype(base).name(),
            ));
        }
        let constant =
            |i: usize| constant_of(self.graph, node.operands[i]).and_then(|d| d.as_splat());
        let (known_base, known_exponent) = (
            constant(0).map(|s| s.as_f64()),
            constant(1).map(|s| s.as_f64()),
        );
        if known_base.is_some_and(|b| b > 0.0) {
            return self.parts.op(TosaOp::Pow, &[base, exponent]);
        }
        if let Some(known) = known_exponent
            && let Some(product) = self.small_power(base, known)?
        {
            return Ok(product);
        }
        self.any_power(base, exponent)
    }

    /// Exponents for which a product, a root or a reciprocal does.
    fn small_power(&mut self, x: TensorId, exponent: f64) -> Result<Option<TensorId>, Reason> {
        Ok(Some(match exponent {
            1.0 => x,
            2.0 => self.two(BinaryFn::Mul, x, x)?,
            3.0 => {
                let square = self.two(BinaryFn::Mul, x, x)?;
                self.two(BinaryFn::Mul, square, x)?
            }
            4.0 => {
                let square = self.two(BinaryFn::Mul, x, x)?;
                self.two(BinaryFn::Mul, square, square)?
            }
            -1.0 => self.simple(Simple::Reciprocal, x)?,
            -2.0 => {
                let square = self.two(BinaryFn::Mul, x, x)?;
                self.simple(Simple::Reciprocal, square)?
            }
            -0.5 => self.simple(Simple::Rsqrt, x)?,
            _ => return Ok(None),
        }))
    }

    fn any_power(&mut self, base: TensorId, exponent: TensorId) -> Result<TensorId, Reason> {
        let (zero, one) = (self.parts.number(base, 0.0)?, self.parts.number(base, 1.0)?);
        let is_zero = self.relation(CompareFn::Eq, base, zero)?;
        let size = self.simple(Simple::Abs, base)?;
        let positive = self.parts.op(TosaOp::Select, &[is_zero, one, size])?;
        let power = self.parts.op(TosaOp::Pow, &[positive, exponent])?;
        let below = self.of_negative(power, exponent)?;
        let is_negative = self.relation(CompareFn::Lt, base, zero)?;
        let signed = self
            .parts
            .op(TosaOp::Select, &[is_negative, below, power])?;
        let of_zero = self.of_zero(exponent)?;
        self.parts.op(TosaOp::Select, &[is_zero, of_zero, signed])
    }

    /// Powers of negative bases: the power of the absolute value, negated for odd exponents. NaN for exponents that are
    /// no integers.
    fn of_negative(&mut self, power: TensorId, exponent: TensorId) -> Result<TensorId, Reason> {
        let half = self.parts.number(exponent, 0.5)?;
        let two = self.parts.number(exponent, 2.0)?;
        let nan = self.parts.number(power, f64::NAN)?;
        let whole = self.simple(Simple::Floor, exponent)?;
        let is_whole = self.relation(CompareFn::Eq, whole, exponent)?;
        let halved = self.two(BinaryFn::Mul, exponent, half)?;
        let halved = self.simple(Simple::Floor, halved)?;
        let doubled = self.two(BinaryFn::Mul, halved, two)?;
        let is_even = self.relation(CompareFn::Eq, doubled, exponent)?;
        let turned = self.simple(Simple::Neg, power)?;
        let signed = self.parts.op(TosaOp::Select, &[is_even, power, turned])?;
        self.parts.op(TosaOp::Select, &[is_whole, signed, nan])
    }

    /// Powers of 0: 0, 1 or infinity for exponents above, at and below 0.
    fn of_zero(&mut self, exponent: TensorId) -> Result<TensorId, Reason> {
        let (zero, one) = (
            self.parts.number(exponent, 0.0)?,
            self.parts.number(exponent, 1.0)?,
        );
        let infinity = self.parts.number(exponent, f64::INFINITY)?;
        let is_above = self.relation(CompareFn::Gt, exponent, zero)?;
        let is_below = self.relation(CompareFn::Lt, exponent, zero)?;
        let low = self.parts.op(TosaOp::Select, &[is_below, infinity, one])?;
        self.parts.op(TosaOp::Select, &[is_above, zero, low])
    }
}
