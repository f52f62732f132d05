//! The parameters of a quantisation as a call gives them, and the type that can hold them.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Operand;
use kiln_ir::{Builder, DType, Dim, Quant, QuantScheme, Scalar, ValueId};
use std::sync::Arc;

/// The block size along each axis. The elements of a block share their parameters.
pub(super) type Blocks = Vec<Dim>;

/// The parameters of a call.
#[derive(Clone)]
pub(super) struct Parameters {
    pub(super) scale: Operand,
    pub(super) zero_point: Option<Operand>,
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) blocks: Blocks,
    /// True if the zero point is added before rounding, as in the ops by token and by group.
    pub(super) zero_point_first: bool,
    /// True if the parameters count as Python numbers, which do not promote the dtype, even if they are tensors.
    pub(super) by_item: bool,
}

/// The numbers of an operand that is a known number, or a tensor that follows from constants.
fn known(cx: &Importer<'_>, operand: &Operand) -> Option<Vec<f64>> {
    match operand {
        Operand::Known(s) => Some(vec![s.as_f64()]),
        Operand::Tensor(v) => {
            let data = cx.known_value(*v)?;
            Some(data.scalars().map(Scalar::as_f64).collect())
        }
        Operand::Symbolic(_) | Operand::Running(_) => None,
    }
}

/// The zero points, if all are whole: types hold integers, while the ops compute with what tensors of floats hold.
fn whole(numbers: Vec<f64>) -> Option<Vec<i64>> {
    let is_whole = |z: &f64| z.fract() == 0.0;
    let all = numbers.iter().all(is_whole);
    all.then(|| numbers.into_iter().map(|z| z as i64).collect())
}

/// The integer that an operand is known to be.
pub(crate) fn known_integer(cx: &Importer<'_>, operand: &Operand) -> Option<i64> {
    match whole(known(cx, operand)?)?.as_slice() {
        &[integer] => Some(integer),
        _ => None,
    }
}

impl Parameters {
    /// The dtype in which an operand of dtype `own` is computed with the scales.
    pub(super) fn meeting(&self, cx: &Importer<'_>, own: DType) -> DType {
        match self.scale {
            Operand::Tensor(v) if !self.by_item => own.promote(cx.dtype(v)),
            _ => own,
        }
    }

    /// The kind of the block along an axis of that size.
    fn block(&self, size: &Dim, block: &Dim) -> Block {
        match block.as_const() {
            _ if block == size => Block::All,
            Some(1) => Block::One,
            Some(n) => Block::Some(n),
            None => Block::All,
        }
    }

    fn layout(&self, cx: &Importer<'_>, x: ValueId) -> Vec<Block> {
        let sizes = cx.shape(x);
        let axes = sizes.iter().zip(&self.blocks);
        axes.map(|(size, block)| self.block(size, block)).collect()
    }

    /// The quantisation as a part of a type, if a type can hold it and all parameters are known.
    pub(super) fn quant(&self, cx: &mut Importer<'_>, x: ValueId) -> Option<Quant> {
        let scales = known(cx, &self.scale)?;
        let zero_points = match &self.zero_point {
            Some(z) => whole(known(cx, z)?)?,
            None => vec![0; scales.len()],
        };
        let good = |s: &f64| s.is_finite() && *s > 0.0;
        let within = |z: &i64| (self.min..=self.max).contains(z);
        if !scales.iter().all(good)
            || !zero_points.iter().all(within)
            || scales.len() != zero_points.len()
        {
            return None;
        }
        let zero_points = cx.zero_points.shared(zero_points);
        Some(Quant {
            scheme: self.scheme(cx, x, scales, zero_points)?,
            min: self.min,
            max: self.max,
        })
    }

    fn scheme(
        &self,
        cx: &Importer<'_>,
        x: ValueId,
        scales: Vec<f64>,
        zero_points: Arc<[i64]>,
    ) -> Option<QuantScheme> {
        let layout = self.layout(cx, x);
        let split: Vec<usize> = (0..layout.len())
            .filter(|&i| layout[i] != Block::All)
            .collect();
        let count = scales.len() as i64;
        match (split.as_slice(), layout.as_slice()) {
            ([], _) => Some(QuantScheme::PerTensor {
                scale: *scales.first().filter(|_| count == 1)?,
                zero_point: zero_points[0],
            }),
            (&[axis], _) if layout[axis] == Block::One && cx.shape(x)[axis].is(count) => {
                Some(QuantScheme::PerChannel {
                    axis,
                    scales: scales.into(),
                    zero_points,
                })
            }
            (_, &[rows, Block::Some(group)]) => {
                let is_by_row = rows == Block::One || cx.shape(x)[0].is(1);
                let height = cx.size(x, 0).ok()?.as_const().filter(|_| is_by_row)?;
                let runs = cx.size(x, 1).ok()?.as_const()? / group;
                (height.checked_mul(runs) == Some(count)).then(|| QuantScheme::PerGroup {
                    group: group as usize,
                    scales: scales.into(),
                    zero_points,
                })
            }
            _ => None,
        }
    }

    /// The operand with each block as an axis of its own, and the shape in which the parameters broadcast to it.
    pub(super) fn spread(&self, cx: &Importer<'_>, x: ValueId) -> (Vec<Dim>, Vec<Dim>) {
        let (mut whole, mut shared) = (Vec::new(), Vec::new());
        for (size, block) in cx.shape(x).iter().zip(self.layout(cx, x)) {
            let size = size.clone();
            match block {
                Block::One => {
                    whole.push(size.clone());
                    shared.push(size);
                }
                Block::All => {
                    whole.push(size);
                    shared.push(1.into());
                }
                Block::Some(n) => {
                    let count = size.floor_div(&n.into());
                    whole.extend([count.clone(), n.into()]);
                    shared.extend([count, 1.into()]);
                }
            }
        }
        (whole, shared)
    }

    /// A parameter, in the dtype and shape in which it broadcasts to the operand.
    pub(super) fn value(
        &self,
        cx: &mut Importer<'_>,
        operand: &Operand,
        dtype: DType,
        shape: &[Dim],
    ) -> Result<ValueId, Problem> {
        let v = cx.materialise(operand, dtype, shape.len())?;
        let lone = cx.shape(v).elements().is(1);
        if lone {
            let units = vec![Dim::constant(1); shape.len()];
            return cx.reshape(v, &units);
        }
        cx.reshape(v, shape)
    }
}

/// The size of a block along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    One,
    All,
    Some(i64),
}

/// The number of trailing axes whose elements share parameters; `None` if blocks are no whole rows.
pub(crate) fn trailing(sizes: &[Dim], blocks: &[Dim]) -> Option<usize> {
    let rank = sizes.len();
    let is_whole = |axes: usize| {
        let (front, row) = blocks.split_at(rank - axes);
        front.iter().all(|b| b.is(1)) && row == &sizes[rank - axes..]
    };
    (blocks.len() == rank).then(|| (1..=rank).find(|&axes| is_whole(axes)))?
}
