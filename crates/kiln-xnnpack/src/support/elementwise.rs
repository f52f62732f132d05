//! Support rules for elementwise ops.

use super::{ALL, F32, NO_FUNCTION, Query, is_number, rounding};
use crate::weights::{MAX_REPEATED, check_elements};
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};
use kiln_ir::{DType, Dim, TypeNames};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::target::Reason;

const NONE: &[DType] = &[];
/// The dtypes for which a function has a kernel with PyTorch's results.
fn dtypes(f: Simple) -> &'static [DType] {
    use Simple as S;
    match f {
        S::Neg | S::Abs | S::Square => ALL,
        S::Sigmoid
        | S::Hardswish
        | S::Hardsigmoid
        | S::Silu
        | S::Floor
        | S::Ceil
        | S::Tanh
        | S::Gelu
        | S::Reciprocal
        | S::Rsqrt
        | S::Exp
        | S::Log
        | S::Sqrt
        | S::Sin
        | S::Cos
        | S::Round => F32,
        S::Sign
        | S::Trunc
        | S::Exp2
        | S::Expm1
        | S::Log2
        | S::Log10
        | S::Log1p
        | S::Tan
        | S::Asin
        | S::Acos
        | S::Atan
        | S::Sinh
        | S::Cosh
        | S::Asinh
        | S::Acosh
        | S::Atanh
        | S::Erf
        | S::Erfinv
        | S::LogSigmoid
        | S::GeluTanh
        | S::Mish
        | S::BitNot
        | S::IsNan
        | S::IsInf => NONE,
    }
}

impl Query<'_> {
    pub(super) fn unary(&self, f: UnaryFn) -> Result<(), Reason> {
        match f {
            UnaryFn::Simple(f) => self.simple(f),
            UnaryFn::Clamp { min, max } => {
                self.dtype_in(F32)?;
                let bound = |s: Option<kiln_ir::Scalar>| s.map(kiln_ir::Scalar::as_f64);
                check_range(bound(min), bound(max))
            }
            UnaryFn::Elu {
                scale,
                input_scale,
                alpha,
            } => {
                self.dtype_in(F32)?;
                if alpha < 0.0 || !alpha.is_finite() {
                    return Err(Reason::new(
                        "XNNPACK's ELU has an alpha of at least 0",
                        alpha.to_string(),
                    ));
                }
                if scale == 1.0 && input_scale == 1.0 {
                    return Ok(());
                }
                Err(Reason::new(
                    "XNNPACK's ELU has no scales",
                    format!("{scale} and {input_scale}"),
                ))
            }
            UnaryFn::LeakyRelu { slope } => {
                self.dtype_in(F32)?;
                if slope.is_finite() && slope as f32 != 0.0 {
                    return Ok(());
                }
                Err(Reason::new(
                    "XNNPACK's leaky ReLU has a finite slope other than 0",
                    slope.to_string(),
                ))
            }
            UnaryFn::Softplus { .. } => Err(Reason::new(NO_FUNCTION, "softplus")),
        }
    }

    fn simple(&self, f: Simple) -> Result<(), Reason> {
        let dtypes = dtypes(f);
        if dtypes.is_empty() {
            return Err(Reason::new(NO_FUNCTION, f.text()));
        }
        self.dtype_in(dtypes)?;
        match f {
            Simple::Round => rounding::check(self.graph, self.node),
            _ => Ok(()),
        }
    }

    pub(super) fn binary(&self, f: BinaryFn) -> Result<(), Reason> {
        match f {
            BinaryFn::Add | BinaryFn::Sub | BinaryFn::Mul => self.dtype_in(ALL),
            BinaryFn::Max | BinaryFn::Min => self.extreme(),
            BinaryFn::Div => self.dtype_in(F32),
            BinaryFn::Prelu => self.prelu(),
            BinaryFn::Pow => self.pow(),
            BinaryFn::FloorDiv
            | BinaryFn::TruncDiv
            | BinaryFn::Remainder
            | BinaryFn::Fmod
            | BinaryFn::Atan2
            | BinaryFn::BitAnd
            | BinaryFn::BitOr
            | BinaryFn::BitXor
            | BinaryFn::Shl
            | BinaryFn::Shr => Err(Reason::new(NO_FUNCTION, f.text())),
        }
    }

    /// The library's minimum and maximum see a NaN in one operand only, and in neither operand if one is repeated along
    /// the innermost dim. So computed operands are repeated before.
    fn extreme(&self) -> Result<(), Reason> {
        self.dtype_in(&[DType::F32, DType::I32])?;
        let float = self.dtype().is_float();
        let constant = (0..2).find(|&i| is_constant(self.graph, self.node.operands[i]));
        let result = self.graph.ty(self.node.result());
        match constant.map(|i| (i, self.constant(i))) {
            _ if !float => self.exact_bound(),
            _ if self.node.operands.iter().all(|&v| is_number(self.graph, v)) => Ok(()),
            Some((i, Some(data))) => {
                if data.scalars().any(|s| s.as_f64().is_nan()) {
                    return Err(Reason::new(
                        "XNNPACK's extremes pass over a NaN",
                        "one in a constant",
                    ));
                }
                if data.as_splat().is_some() && self.ty(1 - i).shape == result.shape {
                    return Ok(());
                }
                self.same_as_result(1 - i)?;
                self.known_sizes()
            }
            _ => {
                self.repeats_to_result(0)?;
                self.repeats_to_result(1)
            }
        }
    }

    /// Refuses a computed operand that is not as large as the result and cannot be made so.
    fn repeats_to_result(&self, operand: usize) -> Result<(), Reason> {
        let (found, result) = (self.ty(operand), self.graph.ty(self.node.result()));
        match found.rank() == result.rank() {
            true => self.repeats(&found.shape, &result.shape),
            false => self.same_as_result(operand),
        }
    }

    /// The library makes a clamp, whose bounds are f32, of an extreme with a number.
    fn exact_bound(&self) -> Result<(), Reason> {
        let numbers = (0..2).filter_map(|i| self.constant(i)?.as_splat());
        let mut numbers = numbers.map(|number| number.as_i64());
        match numbers.find(|&n| i32::try_from((n as f32) as i64).map(i64::from) != Ok(n)) {
            None => Ok(()),
            Some(number) => Err(Reason::new(
                "XNNPACK's clamps of i32 have bounds that are numbers of f32",
                number.to_string(),
            )),
        }
    }

    fn same_as_result(&self, operand: usize) -> Result<(), Reason> {
        let (found, result) = (self.ty(operand), self.graph.ty(self.node.result()));
        if found.shape == result.shape {
            return Ok(());
        }
        let rule = "XNNPACK's extremes see a NaN only of operands as large as the result";
        let [found, result] = [found, result].map(|ty| TypeNames(ty, &self.graph.symbols));
        Err(Reason::new(rule, format!("{found} for {result}")))
    }

    /// Refuses results for which a constant is not repeated: of sizes that are not known, or too large.
    fn known_sizes(&self) -> Result<(), Reason> {
        let result = self.graph.ty(self.node.result());
        let sizes: Option<Vec<i64>> = result.shape.iter().map(Dim::as_const).collect();
        let sizes = sizes.ok_or_else(|| {
            let rule = "a bound is a constant as large as the result, whose sizes are known";
            Reason::new(rule, TypeNames(result, &self.graph.symbols).to_string())
        })?;
        check_elements("a bound as large as the result", MAX_REPEATED, sizes)
    }

    /// The slope varies along one axis, which can lie innermost.
    fn prelu(&self) -> Result<(), Reason> {
        self.dtype_in(F32)?;
        self.require_constant(1, "slope")?;
        if self.graph.ty(self.node.operands[0]).rank() == 0 {
            return Err(Reason::new("XNNPACK's slope lies along an axis", "rank 0"));
        }
        let Some(slope) = self.constant(1) else {
            return Err(Reason::new("a slope has the sizes of its type", "others"));
        };
        if slope.scalars().any(|s| !s.as_f64().is_finite()) {
            return Err(Reason::new("a slope is finite", "one that is not"));
        }
        match slope.sizes().iter().filter(|&&n| n != 1).count() {
            0 | 1 => Ok(()),
            n => Err(Reason::new(
                "XNNPACK's slope varies along one axis",
                format!("{n} axes"),
            )),
        }
    }

    fn pow(&self) -> Result<(), Reason> {
        self.dtype_in(F32)?;
        match self
            .graph
            .as_splat(self.node.operands[1])
            .map(|s| s.as_f64())
        {
            Some(2.0) => Ok(()),
            Some(other) => Err(Reason::new(
                "XNNPACK has no powers but squares",
                format!("exponent {other}"),
            )),
            None => Err(Reason::new(
                "XNNPACK has no powers but squares",
                "an exponent that varies",
            )),
        }
    }

    pub(super) fn cast(&self, to: DType) -> Result<(), Reason> {
        let from = self.dtype();
        let float = |d: DType| d == DType::F32 || d.is_half();
        let is_converted = float(from) || from == DType::I32 || self.takes_bytes(from);
        if from == to || (is_converted && float(to)) {
            return Ok(());
        }
        let rule = "XNNPACK converts between f32, f16 and bf16, and from integers of 8 and 32 bits (to integers it rounds, PyTorch truncates)";
        Err(Reason::new(rule, format!("{from} to {to}")))
    }
}

fn check_range(min: Option<f64>, max: Option<f64>) -> Result<(), Reason> {
    let (min, max) = (
        min.unwrap_or(f64::NEG_INFINITY),
        max.unwrap_or(f64::INFINITY),
    );
    if (min as f32) < (max as f32) {
        return Ok(());
    }
    Err(Reason::new(
        "XNNPACK clamps to a range of more than one number",
        format!("{min} to {max}"),
    ))
}
