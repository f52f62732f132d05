//! Families that convert between reals and the integers that represent them.
//!
//! `quantize` and `dequantize` compute in floats as PyTorch does, which is not exact. `requantize` and all ops on
//! quantised operands ([`Quantised`], see [`super::quantised`]) give the exact real result, rounded half to even and
//! saturated.

use super::attribute::{Attribute, Names};
use super::*;
use crate::dim::Dim;
use crate::dtype::DType;
use crate::text::cursor::{Cursor, ParseError};
use crate::types::Quant;
use std::sync::Arc;

fn quantised(
    cx: &Infer<'_>,
    x: &TensorType,
    quant: &Arc<Quant>,
    dtype: DType,
) -> Result<Types, Misfit> {
    let symbols = &cx.graph.symbols;
    quant.check(dtype, &x.shape, symbols).map_err(Misfit)?;
    one(TensorType {
        dtype,
        shape: x.shape.clone(),
        quant: Some(quant.clone()),
    })
}

family! {
    /// Quantises reals as PyTorch's `quantize_per_*`: `round(x * (1 / scale)) + zero_point`, saturated to the range of
    /// `quant`. The reciprocal is computed in f64 and rounded to the dtype of `x`. Product and sum are each rounded to
    /// that dtype (a half type computes in f32), and ties go to even. So a quotient near a tie may round either way.
    /// NaN becomes 0, or the nearest end of the range.
    Quantize {
        /// The quantisation of the result.
        quant: Arc<Quant>,
        /// The dtype of the result.
        dtype: DType,
    }
}

impl Family for Quantize {
    const NAME: &'static str = "quantize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if !operands[0].dtype.is_float() {
            misfit!("quantize takes floats, found {}", operands[0].dtype);
        }
        quantised(cx, operands[0], &self.quant, self.dtype)
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}

family! {
    /// Dequantises as PyTorch's `dequantize_per_*`: `(x - zero_point) * scale`. The difference is exact. The scale of a
    /// whole tensor is first rounded to the dtype of the result (to f32 for a half type); other scales stay f64. The
    /// product is rounded once.
    Dequantize {
        /// The dtype of the result.
        dtype: DType,
    }
}

impl Family for Dequantize {
    const NAME: &'static str = "dequantize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Function,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Own,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if operands[0].quant.is_none() || !self.dtype.is_float() {
            misfit!("{:?} cannot be dequantised to {}", operands[0], self.dtype);
        }
        one(TensorType::new(self.dtype, operands[0].shape.clone()))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}

family! {
    /// Changes the quantisation: the exact quotient of each real and the new scale, rounded half to even and saturated.
    Requantize {
        /// The quantisation of the result.
        quant: Arc<Quant>,
        /// The dtype of the result.
        dtype: DType,
    }
}

impl Family for Requantize {
    const NAME: &'static str = "requantize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Own,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if operands[0].quant.is_none() {
            misfit!(
                "requantize takes a quantised tensor, found {:?}",
                operands[0]
            );
        }
        quantised(cx, operands[0], &self.quant, self.dtype)
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}

family! {
    /// An op on reals whose result is quantised once. The inner op computes exactly on the dequantised operands, with
    /// float operands as they are. The result is rounded to the nearest integer, ties to even, and saturated.
    /// Unquantised integers and bools (indices, conditions, operands of a cast) are passed on unchanged. The inner op
    /// must give a single float. A function that may jump or have poles takes the dequantised operands rounded to f32:
    /// so an integer that represents 1 gives exactly 1, and no number close to it.
    Quantised {
        /// The inner op.
        op: Box<Op>,
        /// The quantisation of the result.
        quant: Arc<Quant>,
        /// The dtype of the result.
        dtype: DType,
    }
}

impl Quantised {
    /// The operand types of the inner op: f32 for each operand that is quantised or a float.
    pub fn real_types(operands: &[&TensorType]) -> Vec<TensorType> {
        let real = |ty: &&TensorType| match ty.quant.is_some() || ty.dtype.is_float() {
            true => ty.with_dtype(DType::F32),
            false => (*ty).clone(),
        };
        operands.iter().map(real).collect()
    }
}

impl Family for Quantised {
    const NAME: &'static str = "quantised";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::Many("operands")];

    fn facts(&self) -> Facts {
        let work = match self.op.computes_reals() {
            true => self.op.facts().work,
            false => Growth::PerElement,
        };
        Facts {
            memory: Alias::No,
            folds: true,
            work,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Own,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if !self.op.computes_reals() {
            misfit!("{} computes no reals that could be rounded", self.op.name());
        }
        let reals = Quantised::real_types(operands);
        let results = self.op.infer(cx, &reals.iter().collect::<Vec<_>>())?;
        match results.as_slice() {
            [real] if real.dtype.is_float() => quantised(cx, real, &self.quant, self.dtype),
            _ => misfit!("{} gives {results:?}, not one float", self.op.name()),
        }
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        self.op.axes(operands, operand)
    }
}

/// Prints as the op's name, with its attributes in braces.
impl Attribute for Box<Op> {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        out.push_str(self.name());
        out.push_str(" {");
        self.print_attributes(out, names);
        out.push('}');
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let name = cursor.word()?.to_string();
        if [Quantised::NAME, Dequantised::NAME].contains(&name.as_str()) {
            return Err(cursor.error("an op on quantised operands computes with another family"));
        }
        cursor.expect("{")?;
        let op = Op::parse_attributes(&name, cursor)?;
        cursor.expect("}")?;
        Ok(Box::new(op))
    }

    fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        Op::for_each_dim(self, visit);
    }
    fn map_dims(&self, map: &mut dyn FnMut(&Dim) -> Dim) -> Result<Self, Misfit> {
        Op::map_dims(self, map).map(Box::new)
    }
}
