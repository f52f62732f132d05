//! Quantisation with parameters that are chosen when running, from the extremes of the data.
//!
//! [`DynamicQuant`] says how scale and zero point follow from the least and the greatest element of a block. [`parameters`] and
//! [`fake_quantized`] emit this as arithmetic, in the dtype of the operand, as PyTorch and torchao compute it.

use crate::ValueId;
use crate::builder::Builder;
use crate::dtype::{DType, Scalar};
use crate::ops::attribute::{Attribute, Names, name_attribute, no_dims};
use crate::ops::{BinaryFn, CompareFn, ReduceFn, Simple, UnaryFn};
use crate::text::cursor::{Cursor, ParseError};
use std::fmt::Write;

name_attribute! {
    /// How scale and zero point follow from the extremes of a block. The extremes are widened to hold 0.
    Mapping {
        /// The extremes are the ends of the range. The zero point is rounded from the least element.
        Asymmetric "asymmetric",
        /// As `Asymmetric`, with the zero point rounded from the extreme at which the error is less. XNNPACK chooses it so.
        AsymmetricNearer "asymmetric_nearer",
        /// The greatest magnitude is half the range. The zero point is the middle.
        Symmetric "symmetric",
        /// No element is beyond the range; the zero point is the middle.
        SymmetricUnclipped "symmetric_unclipped",
        /// The greatest magnitude is the greatest integer; the zero point is 0.
        SymmetricByEnd "symmetric_by_end",
    }
}

/// How integers stand for a float tensor, with parameters that are chosen when running.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicQuant {
    /// The number of trailing axes whose elements share parameters: 1 for parameters by row, the rank for one pair.
    pub axes: usize,
    /// How parameters follow from extremes.
    pub mapping: Mapping,
    /// The least integer.
    pub min: i64,
    /// The greatest integer.
    pub max: i64,
    /// The least scale.
    pub eps: f64,
    /// The dtype in which scales are kept, and their reciprocals computed.
    pub scale: DType,
    /// True if the zero point is added before rounding.
    pub zero_point_first: bool,
}

impl DynamicQuant {
    /// The axes of a tensor of this rank whose elements share parameters.
    pub fn shared(&self, rank: usize) -> Vec<usize> {
        (rank.saturating_sub(self.axes)..rank).collect()
    }

    /// The number of integers.
    pub fn levels(&self) -> i64 {
        self.max.saturating_sub(self.min).saturating_add(1)
    }

    fn steps(&self) -> f64 {
        self.max.saturating_sub(self.min) as f64
    }

    /// True if the zero point is the same whatever the data is.
    pub fn is_symmetric(&self) -> bool {
        match self.mapping {
            Mapping::SymmetricByEnd | Mapping::Symmetric | Mapping::SymmetricUnclipped => true,
            Mapping::Asymmetric | Mapping::AsymmetricNearer => false,
        }
    }

    /// True if the zero point is 0 whatever the data is.
    pub fn is_about_zero(&self) -> bool {
        self.is_symmetric() && (self.mapping == Mapping::SymmetricByEnd || self.middle() == 0)
    }

    /// The integer in the middle of the range, as torchao finds it: it truncates toward zero.
    fn middle(&self) -> i64 {
        self.max.saturating_add(self.min).saturating_add(1) / 2
    }
}

impl Attribute for DynamicQuant {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        self.mapping.print(out, names);
        let (axes, min, max, scale) = (self.axes, self.min, self.max, self.scale);
        let text = write!(
            out,
            " over {axes} in [{min}, {max}] eps {:?} scale {scale}",
            self.eps
        );
        text.expect("writing to a string does not fail");
        if self.zero_point_first {
            out.push_str(" zero_point_first");
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let mapping = Mapping::parse(cursor)?;
        cursor.expect("over")?;
        let axes = cursor.index()?;
        cursor.expect("in")?;
        let ends = cursor.list("[", "]", Cursor::integer)?;
        let &[min, max] = ends.as_slice() else {
            return Err(cursor.error("expected [least, greatest]"));
        };
        cursor.expect("eps")?;
        let eps = cursor.float()?;
        cursor.expect("scale")?;
        let scale = DType::parse(cursor)?;
        let zero_point_first = cursor.eat_word("zero_point_first");
        Ok(DynamicQuant {
            axes,
            mapping,
            min,
            max,
            eps,
            scale,
            zero_point_first,
        })
    }
    no_dims!();
}

type Emitted<B, T> = Result<T, <B as Builder>::Error>;

/// The lesser of the least element and 0, and the greater of the greatest element and 0, over axes that stay with size 1.
fn extent<B: Builder>(b: &mut B, x: ValueId, axes: &[usize]) -> Emitted<B, [ValueId; 2]> {
    let least = b.reduce(ReduceFn::Min, x, axes, true)?;
    let greatest = b.reduce(ReduceFn::Max, x, axes, true)?;
    let zero = b.scalar_like(Scalar::Float(0.0), x);
    Ok([
        b.binary(BinaryFn::Min, least, zero)?,
        b.binary(BinaryFn::Max, greatest, zero)?,
    ])
}

fn at_least<B: Builder>(b: &mut B, x: ValueId, min: f64) -> Emitted<B, ValueId> {
    let (min, max) = (Some(Scalar::Float(min)), None);
    b.unary(UnaryFn::Clamp { min, max }, x)
}

fn within<B: Builder>(b: &mut B, x: ValueId, quant: &DynamicQuant) -> Emitted<B, ValueId> {
    let (min, max) = (Some(Scalar::Int(quant.min)), Some(Scalar::Int(quant.max)));
    b.unary(UnaryFn::Clamp { min, max }, x)
}

/// Scale and zero point of each block, in the dtype of `x`, over the axes of a block, which stay with size 1.
///
/// # Errors
/// If `x` is no float, or an axis does not exist.
pub fn parameters<B: Builder>(
    b: &mut B,
    x: ValueId,
    axes: &[usize],
    quant: &DynamicQuant,
) -> Emitted<B, [ValueId; 2]> {
    parameters_in(b, x, axes, quant, b.dtype(x))
}

/// As [`parameters`]. A zero point that is rounded from the least element is of the dtype `zero_point`: that of `x`, or f32.
fn parameters_in<B: Builder>(
    b: &mut B,
    x: ValueId,
    axes: &[usize],
    quant: &DynamicQuant,
    zero_point: DType,
) -> Emitted<B, [ValueId; 2]> {
    let extent = extent(b, x, axes)?;
    let scale = scale(b, extent, quant)?;
    let zero_point = match quant.mapping {
        Mapping::Asymmetric => from_least(b, extent[0], scale, quant, zero_point)?,
        Mapping::AsymmetricNearer => from_nearer(b, extent, scale, quant)?,
        Mapping::Symmetric | Mapping::SymmetricUnclipped | Mapping::SymmetricByEnd => {
            let middle = match quant.mapping {
                Mapping::SymmetricByEnd => 0,
                _ => quant.middle(),
            };
            let middle = b.scalar_like(Scalar::Int(middle), scale);
            let shape = b.shape(scale);
            b.broadcast(middle, shape)?
        }
    };
    Ok([scale, zero_point])
}

fn scale<B: Builder>(
    b: &mut B,
    [least, greatest]: [ValueId; 2],
    quant: &DynamicQuant,
) -> Emitted<B, ValueId> {
    let scale = match quant.mapping {
        Mapping::Asymmetric | Mapping::AsymmetricNearer => {
            let span = b.binary(BinaryFn::Sub, greatest, least)?;
            b.with(BinaryFn::Div, span, quant.steps())?
        }
        Mapping::Symmetric | Mapping::SymmetricByEnd => {
            let below = b.unary(Simple::Neg, least)?;
            let reach = b.binary(BinaryFn::Max, below, greatest)?;
            let units = match quant.mapping {
                Mapping::Symmetric => quant.steps() / 2.0,
                _ => quant.max as f64,
            };
            b.with(BinaryFn::Div, reach, units)?
        }
        Mapping::SymmetricUnclipped => {
            let below = b.with(BinaryFn::Div, least, quant.min as f64)?;
            let above = b.with(BinaryFn::Div, greatest, quant.max as f64)?;
            let more = b.compare(CompareFn::Gt, below, above)?;
            b.select(more, below, above)?
        }
    };
    at_least(b, scale, quant.eps)
}

/// `min - round(least / scale)`, clamped to the range of the integers.
fn from_least<B: Builder>(
    b: &mut B,
    least: ValueId,
    scale: ValueId,
    quant: &DynamicQuant,
    dtype: DType,
) -> Emitted<B, ValueId> {
    let steps = b.binary(BinaryFn::Div, least, scale)?;
    let steps = b.cast(steps, dtype)?;
    let steps = b.unary(Simple::Round, steps)?;
    let start = b.scalar_like(Scalar::Int(quant.min), steps);
    let zero_point = b.binary(BinaryFn::Sub, start, steps)?;
    within(b, zero_point, quant)
}

/// The zero point from the end of the range at which the error is less.
fn from_nearer<B: Builder>(
    b: &mut B,
    [least, greatest]: [ValueId; 2],
    scale: ValueId,
    quant: &DynamicQuant,
) -> Emitted<B, ValueId> {
    let least = b.binary(BinaryFn::Div, least, scale)?;
    let greatest = b.binary(BinaryFn::Div, greatest, scale)?;
    let min = b.scalar_like(Scalar::Int(quant.min), scale);
    let max = b.scalar_like(Scalar::Int(quant.max), scale);
    let (low, high) = (
        b.binary(BinaryFn::Add, min, least)?,
        b.binary(BinaryFn::Add, max, greatest)?,
    );
    let error = b.binary(BinaryFn::Add, low, high)?;
    let by_least = b.compare_with(CompareFn::Gt, error, 0i64)?;
    let (from_least, from_greatest) = (
        b.binary(BinaryFn::Sub, min, least)?,
        b.binary(BinaryFn::Sub, max, greatest)?,
    );
    let zero_point = b.select(by_least, from_least, from_greatest)?;
    let zero_point = within(b, zero_point, quant)?;
    b.unary(Simple::Round, zero_point)
}

/// The reals of the integers to which `x` is quantised, in the dtype `to`.
///
/// # Errors
/// If `x` is no float, or has fewer axes than the blocks.
pub fn fake_quantized<B: Builder>(
    b: &mut B,
    x: ValueId,
    quant: &DynamicQuant,
    to: DType,
) -> Emitted<B, ValueId> {
    let axes = quant.shared(b.rank(x));
    let own = match b.dtype(x) {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    };
    // Half types hold all integers up to 256. A zero point beyond is clamped, to the same bound in both dtypes.
    let is_exact = quant.min >= -256 && quant.max <= 256;
    let of_zero_point = if is_exact { own } else { b.dtype(x) };
    let [scale, zero_point] = parameters_in(b, x, &axes, quant, of_zero_point)?;
    let scale = b.cast(scale, quant.scale)?;
    let unit = b.scalar_like(Scalar::Float(1.0), scale);
    let inverse = b.binary(BinaryFn::Div, unit, scale)?;
    let [inverse, scale, zero_point, x] = [inverse, scale, zero_point, x].map(|v| b.cast(v, own));
    let (inverse, scale, zero_point, x) = (inverse?, scale?, zero_point?, x?);
    let steps = b.binary(BinaryFn::Mul, x, inverse)?;
    let integers = match quant.zero_point_first {
        true => {
            let steps = b.binary(BinaryFn::Add, steps, zero_point)?;
            b.unary(Simple::Round, steps)?
        }
        false => {
            let steps = b.unary(Simple::Round, steps)?;
            b.binary(BinaryFn::Add, steps, zero_point)?
        }
    };
    let integers = within(b, integers, quant)?;
    let steps = b.binary(BinaryFn::Sub, integers, zero_point)?;
    let real = b.binary(BinaryFn::Mul, steps, scale)?;
    b.cast(real, to)
}
