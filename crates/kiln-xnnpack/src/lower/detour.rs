//! The moves of detours (movements that keep several unknown sizes) as operators.

use super::Problem;
use super::element::Elements;
use super::slices::Range;
use super::tensors::Parts;
use crate::payload::{BinaryOp, Datatype, ValueId as Tensor, XnnOp};
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
    /// keeps every number.
    pub(super) fn without_units(&mut self, input: Tensor) -> Result<Tensor, Problem> {
        let datatype = self.datatype(input);
        if !datatype.is_float() {
            return Err("a mean of integers".into());
        }
        let mut dims = self.dims(input).to_vec();
        let wide = self.converted(input, Datatype::Fp32);
        dims.drain(dims.len() - 3..dims.len() - 1);
        let output = self.add(Datatype::Fp32, dims);
        let (input, flags) = (wide, 0);
        self.push_op(XnnOp::GlobalAveragePool {
            input,
            output,
            flags,
        });
        Ok(self.converted(output, datatype))
    }
}
