//! Divisions of floats with a rounding mode, and their remainders, with PyTorch's results.
//!
//! The remainder is exact: it subtracts products of halves of the factors, which do not round. It takes two steps of
//! [`STEP`] each, so a quotient has to be less than their product; the remainder is NaN beyond.

use super::Lowering;
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_transforms::framework::target::Reason;

/// The greatest quotient of one step. An estimate of such a quotient is off by less than 1/4.
const STEP: f64 = 1_048_576.0;
/// Divisors above it, or below its reciprocal, are scaled by it, so that no intermediate result overflows or vanishes.
const FAR: f64 = (1u64 << 60) as f64;
/// The factor that splits an f32: `x * HALF - (x * HALF - x)` has the upper half of the bits.
const HALF: f64 = 4097.0;
/// The unit of the upper part of one step's quotient. The lower part is less.
const PART: f64 = 2048.0;

/// The quotient and the remainder of the absolute values of two numbers.
struct Divided {
    /// The quotient, rounded down.
    quotient: TensorId,
    /// The quotient as a division rounds it, before it is rounded down.
    rounded: TensorId,
    /// The remainder.
    rest: TensorId,
}

impl Lowering<'_, '_> {
    /// Half types are computed in f32, which holds the results of all the steps.
    pub(super) fn float_division(
        &mut self,
        f: BinaryFn,
        a: TensorId,
        b: TensorId,
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(a);
        let [a, b] = [
            self.convert(a, TosaDtype::F32)?,
            self.convert(b, TosaDtype::F32)?,
        ];
        let [x, y] = [self.simple(Simple::Abs, a)?, self.simple(Simple::Abs, b)?];
        let divided = self.divide(x, y)?;
        let made = match f {
            BinaryFn::Fmod => self.signed_as(a, divided.rest)?,
            BinaryFn::Remainder => self.remainder(a, b, &divided)?,
            BinaryFn::TruncDiv => {
                let whole = self.simple(Simple::Floor, divided.rounded)?;
                let signs = self.signs_differ(a, b)?;
                let quotient = self.negated_where(signs, whole)?;
                self.unless_divided_by_zero(a, b, quotient)?
            }
            BinaryFn::FloorDiv => self.floor_quotient(a, b, x, &divided)?,
            other => return Err(Reason::new("the division rounds", other.text())),
        };
        self.convert(made, dtype)
    }

    fn remainder(
        &mut self,
        a: TensorId,
        b: TensorId,
        divided: &Divided,
    ) -> Result<TensorId, Reason> {
        let rest = self.signed_as(a, divided.rest)?;
        let is_other = self.is_rest_of_other_sign(a, b, divided)?;
        let moved = self.two(BinaryFn::Add, rest, b)?;
        self.choose(is_other, moved, rest)
    }

    fn floor_quotient(
        &mut self,
        a: TensorId,
        b: TensorId,
        x: TensorId,
        divided: &Divided,
    ) -> Result<TensorId, Reason> {
        let signs = self.signs_differ(a, b)?;
        let quotient = self.negated_where(signs, divided.quotient)?;
        let one = self.parts.number(quotient, 1.0)?;
        let less = self.two(BinaryFn::Sub, quotient, one)?;
        let is_other = self.is_rest_of_other_sign(a, b, divided)?;
        let floor = self.choose(is_other, less, quotient)?;
        // An infinity has no remainder: the result is NaN.
        let nothing = self.two(BinaryFn::Sub, x, x)?;
        let floor = self.two(BinaryFn::Add, floor, nothing)?;
        self.unless_divided_by_zero(a, b, floor)
    }

    /// The quotient and the remainder of two numbers that are not negative.
    fn divide(&mut self, x: TensorId, y: TensorId) -> Result<Divided, Reason> {
        let [down, up] = [
            self.scale(y, 1.0 / FAR, FAR)?,
            self.scale(y, FAR, 1.0 / FAR)?,
        ];
        let [near_x, near_y] = [
            self.two(BinaryFn::Mul, x, down)?,
            self.two(BinaryFn::Mul, y, down)?,
        ];
        let step = self.parts.number(x, STEP)?;
        let coarse = self.two(BinaryFn::Mul, near_y, step)?;
        let (high, left) = self.one_step(near_x, coarse)?;
        let (low, left) = self.one_step(left, near_y)?;
        let is_exact = self.parts.op(TosaOp::Greater, &[step, high])?;
        let high = self.two(BinaryFn::Mul, high, step)?;
        let both = self.two(BinaryFn::Add, high, low)?;
        let quotient = self.choose(is_exact, both, high)?;

        let inverse = self.simple(Simple::Reciprocal, near_y)?;
        let fraction = self.two(BinaryFn::Mul, left, inverse)?;
        let sum = self.two(BinaryFn::Add, both, fraction)?;
        let rounded = self.choose(is_exact, sum, high)?;

        let nan = self.parts.number(x, f64::NAN)?;
        let left = self.choose(is_exact, left, nan)?;
        let rest = self.two(BinaryFn::Mul, left, up)?;
        let zero = self.parts.number(x, 0.0)?;
        let is_less = self.parts.op(TosaOp::Greater, &[y, x])?;
        Ok(Divided {
            quotient: self.choose(is_less, zero, quotient)?,
            rounded: self.choose(is_less, zero, rounded)?,
            rest: self.choose(is_less, x, rest)?,
        })
    }

    /// The factor by which a divisor is scaled: one for large divisors, one for small ones, 1 for the others.
    fn scale(&mut self, y: TensorId, of_large: f64, of_small: f64) -> Result<TensorId, Reason> {
        let [far, near] = [self.parts.number(y, FAR)?, self.parts.number(y, 1.0 / FAR)?];
        let is_large = self.parts.op(TosaOp::Greater, &[y, far])?;
        let is_small = self.parts.op(TosaOp::Greater, &[near, y])?;
        let one = self.parts.number(y, 1.0)?;
        let [large, small] = [
            self.parts.number(y, of_large)?,
            self.parts.number(y, of_small)?,
        ];
        let other = self.choose(is_small, small, one)?;
        self.choose(is_large, large, other)
    }

    /// The quotient `x / y`, rounded down, and the remainder.
    fn one_step(&mut self, x: TensorId, y: TensorId) -> Result<(TensorId, TensorId), Reason> {
        let estimate = self.two(BinaryFn::Div, x, y)?;
        let half = self.parts.number(x, 0.5)?;
        let estimate = self.two(BinaryFn::Add, estimate, half)?;
        let quotient = self.simple(Simple::Floor, estimate)?;
        let mut rest = x;
        let (of_quotient, of_divisor) =
            (self.parts_of_quotient(quotient)?, self.parts_of_number(y)?);
        for divisor in of_divisor {
            for quotient in of_quotient {
                let product = self.two(BinaryFn::Mul, quotient, divisor)?;
                rest = self.two(BinaryFn::Sub, rest, product)?;
            }
        }
        let (zero, one) = (self.parts.number(x, 0.0)?, self.parts.number(x, 1.0)?);
        let is_too_much = self.relation(CompareFn::Lt, rest, zero)?;
        let (more, less) = (
            self.two(BinaryFn::Add, rest, y)?,
            self.two(BinaryFn::Sub, quotient, one)?,
        );
        Ok((
            self.choose(is_too_much, less, quotient)?,
            self.choose(is_too_much, more, rest)?,
        ))
    }

    /// The upper and the lower bits of an integer.
    fn parts_of_quotient(&mut self, x: TensorId) -> Result<[TensorId; 2], Reason> {
        let [part, inverse] = [
            self.parts.number(x, PART)?,
            self.parts.number(x, 1.0 / PART)?,
        ];
        let high = self.two(BinaryFn::Mul, x, inverse)?;
        let high = self.simple(Simple::Floor, high)?;
        let high = self.two(BinaryFn::Mul, high, part)?;
        Ok([high, self.two(BinaryFn::Sub, x, high)?])
    }

    /// The upper and the lower half of a number's bits.
    fn parts_of_number(&mut self, x: TensorId) -> Result<[TensorId; 2], Reason> {
        let half = self.parts.number(x, HALF)?;
        let larger = self.two(BinaryFn::Mul, x, half)?;
        let rest = self.two(BinaryFn::Sub, larger, x)?;
        let high = self.two(BinaryFn::Sub, larger, rest)?;
        Ok([high, self.two(BinaryFn::Sub, x, high)?])
    }

    fn signs_differ(&mut self, a: TensorId, b: TensorId) -> Result<TensorId, Reason> {
        let zero = self.parts.number(a, 0.0)?;
        let is_below = self.relation(CompareFn::Lt, a, zero)?;
        let is_negative = self.relation(CompareFn::Lt, b, zero)?;
        self.parts.op(TosaOp::LogicalXor, &[is_below, is_negative])
    }

    fn is_rest_of_other_sign(
        &mut self,
        a: TensorId,
        b: TensorId,
        divided: &Divided,
    ) -> Result<TensorId, Reason> {
        let zero = self.parts.number(a, 0.0)?;
        let is_rest = self.relation(CompareFn::Ne, divided.rest, zero)?;
        let differ = self.signs_differ(a, b)?;
        self.parts.op(TosaOp::LogicalAnd, &[is_rest, differ])
    }

    fn signed_as(&mut self, a: TensorId, size: TensorId) -> Result<TensorId, Reason> {
        let zero = self.parts.number(a, 0.0)?;
        let is_below = self.relation(CompareFn::Lt, a, zero)?;
        self.negated_where(is_below, size)
    }

    fn negated_where(&mut self, condition: TensorId, x: TensorId) -> Result<TensorId, Reason> {
        let negative = self.simple(Simple::Neg, x)?;
        self.choose(condition, negative, x)
    }

    /// The quotient by 0: infinite, with the sign of the zero, or NaN.
    fn unless_divided_by_zero(
        &mut self,
        a: TensorId,
        b: TensorId,
        quotient: TensorId,
    ) -> Result<TensorId, Reason> {
        let zero = self.parts.number(b, 0.0)?;
        let is_zero = self.relation(CompareFn::Eq, b, zero)?;
        let plain = self.two(BinaryFn::Div, a, b)?;
        self.choose(is_zero, plain, quotient)
    }

    fn choose(
        &mut self,
        condition: TensorId,
        then: TensorId,
        otherwise: TensorId,
    ) -> Result<TensorId, Reason> {
        self.parts.op(TosaOp::Select, &[condition, then, otherwise])
    }
}
