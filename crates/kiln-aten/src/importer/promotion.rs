//! PyTorch's type promotion: the common dtype of operands, and the conversion of operands to it.
//!
//! Categories are ordered: bool, int, float. Tensors with axes decide the dtype first, then tensors of rank 0, then
//! Python numbers. An operand of a later group changes the result's dtype only if its category is higher.

use crate::call::NumberKind;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Operand;
use kiln_ir::{Builder, DType, ValueId};

/// PyTorch's default dtype: ints are converted to it where an op needs floats.
pub(crate) const DEFAULT_FLOAT: DType = DType::F32;

fn promote(a: Option<DType>, b: Option<DType>) -> Option<DType> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.promote(b)),
        (a, b) => a.or(b),
    }
}

fn combine(higher: Option<DType>, lower: Option<DType>) -> Option<DType> {
    match (higher, lower) {
        (Some(h), Some(l)) if !h.is_float() && (h == DType::Bool || l.is_float()) => {
            Some(h.promote(l))
        }
        (h, l) => h.or(l),
    }
}

/// The dtype of a result whose operands are Python numbers of this kind alone.
pub(crate) fn kind_dtype(kind: NumberKind) -> DType {
    match kind {
        NumberKind::Bool => DType::Bool,
        NumberKind::Int => DType::I64,
        NumberKind::Float => DEFAULT_FLOAT,
    }
}

/// The dtype in which PyTorch's kernels compute an op of several steps on tensors of this dtype. Results of halves are
/// rounded once, at the end.
pub(crate) fn computed_in(dtype: DType) -> DType {
    match dtype.is_half() {
        true => DType::F32,
        false => dtype,
    }
}

impl Importer<'_> {
    /// The common dtype of the operands.
    pub(crate) fn result_type(&self, operands: &[&Operand]) -> DType {
        let (mut axes, mut zero, mut number) = (None, None, None);
        for operand in operands {
            let (rank, dtype) = match operand {
                Operand::Tensor(v) if self.rank(*v) > 0 => (&mut axes, self.dtype(*v)),
                Operand::Tensor(v) => (&mut zero, self.dtype(*v)),
                Operand::Known(s) => (&mut number, s.default_dtype()),
                Operand::Symbolic(_) => (&mut number, DType::I64),
                Operand::Running(n) => (&mut number, kind_dtype(n.kind)),
            };
            *rank = promote(*rank, Some(dtype));
        }
        combine(axes, combine(zero, number)).unwrap_or(DEFAULT_FLOAT)
    }

    /// The operand, cast to that dtype. A number becomes a constant of rank `rank` with all sizes 1.
    pub(crate) fn materialise(
        &mut self,
        operand: &Operand,
        dtype: DType,
        rank: usize,
    ) -> Result<ValueId, Problem> {
        match operand {
            Operand::Tensor(v) => self.cast(*v, dtype),
            Operand::Known(s) => Ok(self.scalar(*s, dtype, rank)),
            Operand::Symbolic(d) => {
                let value = self.dim(d, DType::I64, 0)?;
                let value = self.cast(value, dtype)?;
                self.with_rank(value, rank)
            }
            Operand::Running(n) => {
                let value = self.cast(n.value, dtype)?;
                self.with_rank(value, rank)
            }
        }
    }

    /// The rank of the broadcast operands.
    pub(crate) fn common_rank(&self, operands: &[&Operand]) -> usize {
        let ranks = operands.iter().map(|o| match o {
            Operand::Tensor(v) => self.rank(*v),
            Operand::Known(_) | Operand::Symbolic(_) | Operand::Running(_) => 0,
        });
        ranks.max().unwrap_or(0)
    }

    /// The operands, cast to one dtype and with equal rank.
    pub(crate) fn meet<const N: usize>(
        &mut self,
        operands: [&Operand; N],
        dtype: DType,
    ) -> Result<[ValueId; N], Problem> {
        let rank = self.common_rank(&operands);
        let mut values = Vec::with_capacity(N);
        for operand in operands {
            values.push(self.materialise(operand, dtype, rank)?);
        }
        let values: [ValueId; N] = values.try_into().expect("one value for each operand");
        self.align(values)
    }

    /// The operand of an op that computes in floats: ints and bools are cast to the default dtype.
    pub(crate) fn as_float(&mut self, v: ValueId) -> Result<ValueId, Problem> {
        let dtype = self.dtype(v);
        self.cast(v, float_of(dtype))
    }
}

/// The dtype itself if it is a float dtype, else the default dtype.
pub(crate) fn float_of(dtype: DType) -> DType {
    if dtype.is_float() {
        dtype
    } else {
        DEFAULT_FLOAT
    }
}

/// The dtype of a sum: i64 for ints and bools, else the operand's.
pub(crate) fn sum_type(dtype: DType) -> DType {
    if dtype.is_float() { dtype } else { DType::I64 }
}
