//! PyTorch's type promotion: the dtype in which operands meet, and operands brought to it.
//!
//! Tensors with axes outrank tensors of rank 0, which outrank Python numbers: an operand of lower rank
//! changes the result's dtype only if it is of a higher category (bool, int, float).

use crate::call::NumberKind;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Operand;
use kiln_ir::{DType, ValueId};

/// PyTorch's default dtype: what ints become where floats are needed.
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

/// The dtype that a Python number alone gives.
pub(crate) fn kind_dtype(kind: NumberKind) -> DType {
    match kind {
        NumberKind::Bool => DType::Bool,
        NumberKind::Int => DType::I64,
        NumberKind::Float => DEFAULT_FLOAT,
    }
}

impl Importer<'_> {
    /// The dtype in which the operands meet.
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

    /// The operand in that dtype. A number is of rank `rank` with all sizes 1.
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
                let value = self.dim_value(d)?;
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

    /// The operands in one dtype and of one rank.
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

    /// The float tensor that a float op computes with: ints and bools become the default dtype.
    pub(crate) fn as_float(&mut self, v: ValueId) -> Result<ValueId, Problem> {
        let dtype = self.dtype(v);
        self.cast(v, float_of(dtype))
    }
}

/// The dtype itself if it is of floats, else the default one.
pub(crate) fn float_of(dtype: DType) -> DType {
    if dtype.is_float() {
        dtype
    } else {
        DEFAULT_FLOAT
    }
}

/// The dtype of a sum: ints and bools add up in i64.
pub(crate) fn sum_type(dtype: DType) -> DType {
    if dtype.is_float() { dtype } else { DType::I64 }
}
