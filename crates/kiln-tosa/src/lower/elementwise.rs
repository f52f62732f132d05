//! Elementwise ops.

use super::Lowering;
use crate::dialect::{NanMode, Negate, TensorId, TosaDtype, TosaOp};
use kiln_ir::Scalar;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple, UnaryFn};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

const NAN: NanMode = NanMode::Propagate;

/// Every f32 from here on is an integer.
const WHOLE_FROM: f64 = 8_388_608.0;

impl Lowering<'_, '_> {
    pub(super) fn unary(
        &mut self,
        node: &Node,
        f: UnaryFn,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        match f {
            UnaryFn::Simple(f) => self.simple(f, x),
            UnaryFn::Clamp { min, max } => self.clamp(x, min, max),
            UnaryFn::Elu { .. } | UnaryFn::LeakyRelu { .. } | UnaryFn::Softplus { .. } => {
                Err(self.no_operator(f.function(), node))
            }
        }
    }

    /// A function of one operand. NaN and infinities give what PyTorch gives.
    pub(crate) fn simple(&mut self, f: Simple, x: TensorId) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let op = match f {
            Simple::Neg => TosaOp::Negate(Negate::default()),
            Simple::Abs => TosaOp::Abs,
            Simple::Floor => TosaOp::Floor,
            Simple::Ceil => TosaOp::Ceil,
            Simple::Exp => TosaOp::Exp,
            Simple::Log => TosaOp::Log,
            Simple::Rsqrt => TosaOp::Rsqrt,
            Simple::Reciprocal => TosaOp::Reciprocal,
            Simple::Sin => TosaOp::Sin,
            Simple::Cos => TosaOp::Cos,
            Simple::Tanh => TosaOp::Tanh,
            Simple::Sigmoid => TosaOp::Sigmoid,
            Simple::Erf => TosaOp::Erf,
            Simple::BitNot if dtype == TosaDtype::Bool => TosaOp::LogicalNot,
            Simple::BitNot => TosaOp::BitwiseNot,
            Simple::Sqrt => return self.root(x),
            Simple::Round => return self.round(x),
            other => {
                let rule = format!("TOSA has no operator for {other:?}");
                return Err(Reason::new(rule, dtype.name()));
            }
        };
        if !dtype.is_float() && matches!(f, Simple::Neg | Simple::Abs) {
            return self.in_words(&[x], |this, x| this.parts.op(op, x));
        }
        self.parts.op(op, &[x])
    }

    /// `sqrt(x)` as `1 / rsqrt(x)`: 0 and infinity, and their signs, come out right.
    fn root(&mut self, x: TensorId) -> Result<TensorId, Reason> {
        let inverse = self.parts.op(TosaOp::Rsqrt, &[x])?;
        self.parts.op(TosaOp::Reciprocal, &[inverse])
    }

    /// Rounds half to even by a conversion to integers and back. Large numbers, infinities and NaN are left as they
    /// are.
    fn round(&mut self, x: TensorId) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let size = self.parts.op(TosaOp::Abs, &[x])?;
        let limit = self
            .parts
            .number(x, WHOLE_FROM.min(greatest_fraction(dtype)))?;
        let has_fraction = self.parts.op(TosaOp::Greater, &[limit, size])?;
        let zero = self.parts.number(x, 0.0)?;
        let small = self.parts.op(TosaOp::Select, &[has_fraction, x, zero])?;
        let to = if dtype == TosaDtype::F32 {
            TosaDtype::I32
        } else {
            TosaDtype::I16
        };
        let whole = self.parts.op(TosaOp::Cast { to }, &[small])?;
        let back = self.parts.op(TosaOp::Cast { to: dtype }, &[whole])?;
        self.parts.op(TosaOp::Select, &[has_fraction, back, x])
    }

    fn clamp(
        &mut self,
        x: TensorId,
        min: Option<Scalar>,
        max: Option<Scalar>,
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let (least, greatest) = match dtype.int_range() {
            Some((least, greatest)) => (Scalar::Int(least), Scalar::Int(greatest)),
            None => (
                Scalar::Float(f64::NEG_INFINITY),
                Scalar::Float(f64::INFINITY),
            ),
        };
        let own = |bound: Scalar| match dtype.int_range() {
            Some((least, greatest)) => Scalar::Int(bound.as_i64().clamp(least, greatest)),
            None => Scalar::Float(super::parts::rounded(dtype, bound.as_f64())),
        };
        let (min, max) = (min.map_or(least, own), max.map_or(greatest, own));
        if min.as_f64() > max.as_f64() {
            // If the bounds are in the wrong order, PyTorch's result is the upper one.
            let low = self.parts.clamp(x, min, greatest)?;
            return self.parts.clamp(low, least, max);
        }
        self.parts.clamp(x, min, max)
    }

    pub(super) fn binary(
        &mut self,
        node: &Node,
        f: BinaryFn,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let operands = self.operands(node, order)?;
        if f == BinaryFn::Pow {
            return self.power(node, &operands);
        }
        let [a, b] = operands[..] else {
            return Err(Reason::new(
                "the op has two operands",
                operands.len().to_string(),
            ));
        };
        self.two(f, a, b)
    }

    /// A function of two operands.
    pub(crate) fn two(
        &mut self,
        f: BinaryFn,
        a: TensorId,
        b: TensorId,
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(a);
        let is_bool = dtype == TosaDtype::Bool;
        let op = match f {
            BinaryFn::Add if is_bool => TosaOp::LogicalOr,
            BinaryFn::Mul if is_bool => TosaOp::LogicalAnd,
            BinaryFn::Max | BinaryFn::BitOr if is_bool => TosaOp::LogicalOr,
            BinaryFn::Min | BinaryFn::BitAnd if is_bool => TosaOp::LogicalAnd,
            BinaryFn::BitXor if is_bool => TosaOp::LogicalXor,
            BinaryFn::Add => TosaOp::Add,
            BinaryFn::Sub => TosaOp::Sub,
            BinaryFn::Mul => TosaOp::Mul { shift: 0 },
            BinaryFn::Max => TosaOp::Maximum { nan_mode: NAN },
            BinaryFn::Min => TosaOp::Minimum { nan_mode: NAN },
            BinaryFn::BitAnd => TosaOp::BitwiseAnd,
            BinaryFn::BitOr => TosaOp::BitwiseOr,
            BinaryFn::BitXor => TosaOp::BitwiseXor,
            BinaryFn::Div if dtype.is_float() => {
                let inverse = self.parts.op(TosaOp::Reciprocal, &[b])?;
                return self.parts.op(TosaOp::Mul { shift: 0 }, &[a, inverse]);
            }
            BinaryFn::FloorDiv | BinaryFn::TruncDiv | BinaryFn::Remainder | BinaryFn::Fmod
                if dtype.is_float() =>
            {
                return self.float_division(f, a, b);
            }
            BinaryFn::TruncDiv if !dtype.is_float() => TosaOp::IntDiv,
            BinaryFn::FloorDiv if !dtype.is_float() => {
                return self.in_words(&[a, b], |this, operands| this.floor_div(operands));
            }
            BinaryFn::Shl => TosaOp::LogicalLeftShift,
            BinaryFn::Shr => TosaOp::ArithmeticRightShift { round: false },
            other => {
                let rule = format!("TOSA has no operator for {other:?}");
                return Err(Reason::new(rule, dtype.name()));
            }
        };
        let is_bitwise = matches!(
            op,
            TosaOp::BitwiseAnd
                | TosaOp::BitwiseOr
                | TosaOp::BitwiseXor
                | TosaOp::LogicalLeftShift
                | TosaOp::ArithmeticRightShift { .. }
        );
        if dtype.is_float() || is_bool || is_bitwise {
            return self.parts.op(op, &[a, b]);
        }
        self.in_words(&[a, b], |this, operands| this.parts.op(op, operands))
    }

    /// The integer quotient rounded down: the quotient toward zero, less 1 if there is a remainder of the other sign.
    fn floor_div(&mut self, operands: &[TensorId]) -> Result<TensorId, Reason> {
        let (a, b) = (operands[0], operands[1]);
        let quotient = self.parts.op(TosaOp::IntDiv, &[a, b])?;
        let product = self.parts.op(TosaOp::Mul { shift: 0 }, &[quotient, b])?;
        let rest = self.parts.op(TosaOp::Sub, &[a, product])?;
        let (zero, one) = (self.parts.number(rest, 0.0)?, self.parts.number(rest, 1.0)?);
        let is_rest = self.relation(CompareFn::Ne, rest, zero)?;
        let is_below = self.relation(CompareFn::Lt, rest, zero)?;
        let is_negative = self.relation(CompareFn::Lt, b, zero)?;
        let differs = self
            .parts
            .op(TosaOp::LogicalXor, &[is_below, is_negative])?;
        let is_less = self.parts.op(TosaOp::LogicalAnd, &[is_rest, differs])?;
        let less = self.parts.op(TosaOp::Sub, &[quotient, one])?;
        self.parts.op(TosaOp::Select, &[is_less, less, quotient])
    }

    /// Integers of 8 and 16 bits are computed in 32 bits and truncated: they wrap, as in PyTorch.
    fn in_words(
        &mut self,
        operands: &[TensorId],
        compute: impl FnOnce(&mut Self, &[TensorId]) -> Result<TensorId, Reason>,
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(operands[0]);
        if dtype == TosaDtype::I32 {
            return compute(self, operands);
        }
        let to = TosaDtype::I32;
        let wide: Result<Vec<TensorId>, Reason> = operands
            .iter()
            .map(|&x| self.parts.op(TosaOp::Cast { to }, &[x]))
            .collect();
        let made = compute(self, &wide?)?;
        self.parts.op(TosaOp::Cast { to: dtype }, &[made])
    }

    pub(super) fn compare(
        &mut self,
        node: &Node,
        f: CompareFn,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let operands = self.operands(node, order)?;
        self.relation(f, operands[0], operands[1])
    }

    /// A comparison.
    pub(crate) fn relation(
        &mut self,
        f: CompareFn,
        a: TensorId,
        b: TensorId,
    ) -> Result<TensorId, Reason> {
        let [a, b] = [self.comparable(a)?, self.comparable(b)?];
        let (op, operands, is_turned) = match f {
            CompareFn::Eq => (TosaOp::Equal, [a, b], false),
            CompareFn::Ne => (TosaOp::Equal, [a, b], true),
            CompareFn::Gt => (TosaOp::Greater, [a, b], false),
            CompareFn::Lt => (TosaOp::Greater, [b, a], false),
            CompareFn::Ge => (TosaOp::GreaterEqual, [a, b], false),
            CompareFn::Le => (TosaOp::GreaterEqual, [b, a], false),
        };
        let holds = self.parts.op(op, &operands)?;
        if is_turned {
            return self.parts.op(TosaOp::LogicalNot, &[holds]);
        }
        Ok(holds)
    }

    /// Operands of types that TOSA does not compare, as 32-bit integers.
    fn comparable(&mut self, x: TensorId) -> Result<TensorId, Reason> {
        match self.parts.dtype(x) {
            TosaDtype::Bool => self.convert(x, TosaDtype::I32),
            dtype if dtype.is_float() || dtype == TosaDtype::I32 => Ok(x),
            _ => self.parts.op(TosaOp::Cast { to: TosaDtype::I32 }, &[x]),
        }
    }

    pub(super) fn select(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let operands = self.operands(node, order)?;
        self.parts.op(TosaOp::Select, &operands)
    }
}

/// The least number from which on every number of the type is an integer and fits the integers of the conversion.
fn greatest_fraction(dtype: TosaDtype) -> f64 {
    match dtype {
        TosaDtype::F16 => 1024.0,
        TosaDtype::BF16 => 128.0,
        _ => WHOLE_FROM,
    }
}
