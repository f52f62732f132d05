//! The moves of detours (movements that keep several unknown sizes) as operators.

use super::Problem;
use super::element::Elements;
use super::slices::Range;
use super::tensors::Parts;
use crate::payload::{BinaryOp, Datatype, UnaryOp, ValueId as Tensor, XnnOp};
use crate::weights;
use kiln_ir::{DType, Dim};

impl Parts<'_> {
    /// Ones of the type of a tensor: a product with them keeps its elements.
    pub(super) fn ones(&mut self, like: Tensor, sizes: &[usize]) -> Result<Tensor, Problem> {
        let datatype = self.datatype(like);
        let dtype = match datatype {
            Datatype::Fp32 => DType::F32,
            Datatype::Fp16 => DType::F16,
            Datatype::Bf16 => DType::BF16,
            Datatype::Int32 => DType::I32,
            Datatype::QInt8 => DType::I8,
            Datatype::QUInt8 => DType::U8,
            other => return Err(format!("a product of {other}")),
        };
        let ones = weights::splat(dtype, sizes, 1.0);
        match self.elements(like).quant {
            None => self.constant(&ones),
            Some(_) => self.constant_of(&ones, Elements::per_tensor(datatype, 1.0, 0)),
        }
    }

    /// Adds leading dims of size 1 by a product with a one of that rank.
    pub(super) fn raise(&mut self, input: Tensor, more: usize) -> Result<Tensor, Problem> {
        let mut dims = vec![Dim::constant(1); more];
        dims.extend_from_slice(self.dims(input));
        let one = self.ones(input, &vec![1; dims.len()])?;
        let elements = self.elements(input);
        let output = self.add(elements, dims);
        let (op, inputs, flags) = (BinaryOp::Multiply, [input, one], 0);
        self.push_op(XnnOp::Binary {
            op,
            inputs,
            output,
            flags,
        });
        Ok(output)
    }

    /// Cuts one dim into parts and joins them along another.
    pub(super) fn deal(
        &mut self,
        input: Tensor,
        [from, to]: [usize; 2],
        parts: usize,
    ) -> Result<Tensor, Problem> {
        let size = self.dims(input)[from].as_const();
        let len = size.ok_or("a cut of an unknown size")? / parts as i64;
        let cut = |i: usize| {
            let (dim, start) = (from, i as i64 * len);
            self.sliced(input, &[Range { dim, start, len }])
        };
        let cut: Vec<Tensor> = (0..parts).map(cut).collect();
        Ok(self.join(&cut, to))
    }

    /// Removes the two dims of size 1 in front of the last, by their mean. The mean is computed in f32, whose kernel
    /// keeps every number. Integers of 8 bits are converted to it and back, which gives the same integers unless their reals overflow.
    pub(super) fn without_units(&mut self, input: Tensor) -> Result<Tensor, Problem> {
        let elements = self.elements(input);
        if !drops_units(elements.datatype) {
            return Err(format!("a mean of {}", elements.datatype));
        }
        let mut dims = self.dims(input).to_vec();
        let wide = self.converted(input, Datatype::Fp32);
        dims.drain(dims.len() - 3..dims.len() - 1);
        let mean = self.add(Datatype::Fp32, dims.clone());
        self.push_op(XnnOp::GlobalAveragePool {
            input: wide,
            output: mean,
            flags: 0,
        });
        if elements.quant.is_none() {
            return Ok(self.converted(mean, elements.datatype));
        }
        let output = self.add(elements, dims);
        self.push_op(XnnOp::Unary {
            op: UnaryOp::Convert,
            input: mean,
            output,
            flags: 0,
        });
        Ok(output)
    }
}

/// True for the datatypes from whose tensors dims of size 1 between unknown ones can be removed.
pub(super) fn drops_units(datatype: Datatype) -> bool {
    datatype.is_float() || matches!(datatype, Datatype::QInt8 | Datatype::QUInt8)
}
