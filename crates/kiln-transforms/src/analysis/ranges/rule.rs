//! The range of each op family's result, given the ranges of its operands.

use super::floats::{Floats, ends, relative_error};
use super::folds::{self, Count, Windows};
use super::{Integers, Range, functions, pairs, reals};
use kiln_ir::dim::Symbols;
use kiln_ir::ops::{
    Attention, CompareFn, Conv, GridSample, Meaning, PadMode, Resize, ResizeMode, SampleMode,
};
use kiln_ir::types::{Quant, TensorType};
use kiln_ir::{DType, Dim, Graph, Op, Scalar, ValueId};

/// An op with the ranges of its operands.
pub(super) struct Rule<'r> {
    pub(super) graph: &'r Graph,
    pub(super) symbols: &'r Symbols,
    pub(super) op: &'r Op,
    pub(super) values: &'r [ValueId],
    pub(super) operands: &'r [Range],
    pub(super) result: &'r TensorType,
    /// The dtype to which results are rounded.
    pub(super) dtype: DType,
    /// The most elements of a constant that are read, if it is a float or quantised.
    pub(super) max_elements_read: usize,
}

impl Rule<'_> {
    /// The range of a result, before integers wrap; `None` if nothing is known.
    pub(super) fn result(&self, slot: u32) -> Option<Range> {
        match (self.op, self.result.quant.as_deref()) {
            (Op::Quantize(_), Some(quant)) => Some(self.quantised(quant).into()),
            (Op::Requantize(_) | Op::Quantised(_), Some(quant)) => {
                Some(Integers::between(quant.min, quant.max).into())
            }
            (op, Some(quant)) if op.on_quantised() == Meaning::Computed => {
                self.through_reals(quant)
            }
            (Op::Constant(_), Some(quant)) => {
                let found = self.constant();
                found.or(Some(Integers::between(quant.min, quant.max).into()))
            }
            _ => self.family(slot),
        }
    }

    /// The range of integers that finite reals are rounded to. What NaN and infinities become depends on the machine.
    fn quantised(&self, quant: &Quant) -> Integers {
        let reals = self.of(0).and_then(Range::floats);
        let is_finite = |r: &Floats| !r.nan && r.low.is_finite() && r.high.is_finite();
        match reals.filter(is_finite) {
            Some(reals) => reals::quantised(reals, quant),
            None => Integers::between(quant.min, quant.max),
        }
    }

    /// The range of an op that is computed on the reals of quantised operands and whose result is rounded to integers.
    fn through_reals(&self, quant: &Quant) -> Option<Range> {
        let real = |i: usize| match self.ty(i).quant.is_some() {
            true => self.real(i).into(),
            false => self.operands[i],
        };
        let operands: Vec<Range> = (0..self.operands.len()).map(real).collect();
        let inner = Rule {
            operands: &operands,
            dtype: DType::F32,
            ..*self
        };
        let made = inner.family(0).and_then(Range::floats);
        Some(reals::quantised(made.unwrap_or(Floats::ANY), quant).into())
    }

    /// True if both operands are the same value, or the reals of the same integers.
    fn are_alike(&self) -> bool {
        let integers = |value: ValueId| {
            let node = self.graph.node(self.graph.producer(value)?);
            matches!(node.op, Op::Dequantize(_)).then(|| node.operands[0])
        };
        let [a, b] = [self.values[0], self.values[1]];
        let is_one_dtype = self.graph.ty(a).dtype == self.graph.ty(b).dtype;
        a == b || is_one_dtype && integers(a).is_some_and(|a| integers(b) == Some(a))
    }

    fn ty(&self, i: usize) -> &TensorType {
        self.graph.ty(self.values[i])
    }

    fn size(&self, i: usize, axis: usize) -> &Dim {
        &self.ty(i).shape[axis]
    }

    fn of(&self, i: usize) -> Option<Range> {
        self.operands.get(i).copied()
    }

    fn real(&self, i: usize) -> Floats {
        reals::of(self.operands[i], self.ty(i).quant.as_deref())
    }

    fn joined(&self, operands: std::ops::Range<usize>) -> Option<Range> {
        let mut found = self.operands.get(operands)?.iter().copied();
        let first = found.next()?;
        found.try_fold(first, Range::joined)
    }

    /// The range by the op's family. A family without an arm has `None`: the range of its type.
    fn family(&self, slot: u32) -> Option<Range> {
        match self.op {
            Op::Constant(_) => self.constant(),
            Op::DimValue(op) => {
                let bounds = self.symbols.bounds(&op.dim);
                let (low, high) = (bounds.lo.unwrap_or(i64::MIN), bounds.hi.unwrap_or(i64::MAX));
                Some(Integers::between(low, high).into())
            }
            Op::Iota(op) => Some(self.index_below(&op.len)),
            Op::Unary(op) => match self.of(0)? {
                Range::Integers(x) => Some(x.unary(op.f, self.dtype)?.into()),
                Range::Floats(x) => functions::unary(op.f, x, self.float_dtype(0)),
            },
            Op::Binary(op) => match (self.of(0)?, self.of(1)?) {
                (Range::Integers(a), Range::Integers(b)) => Some(a.binary(op.f, b)?.into()),
                (Range::Floats(a), Range::Floats(b)) => {
                    let alike = self.are_alike();
                    Some(pairs::binary(op.f, a, b, alike, self.dtype)?.into())
                }
                _ => None,
            },
            Op::Compare(op) => Some(compared(op.f, self.of(0)?, self.of(1)?).into()),
            Op::Select(_) => match self.of(0)?.integers()? {
                Integers { low: 1, .. } => self.of(1),
                Integers { high: 0, .. } => self.of(2),
                _ => self.joined(1..3),
            },
            Op::Cast(_) => cast(self.of(0)?, self.dtype),
            Op::Move(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Reverse(_) => self.of(0),
            Op::Gather(_) | Op::Index(_) => self.of(0),
            Op::Pad(op) => self.padded(&op.mode),
            Op::Concat(_) | Op::If(_) => self.joined(0..self.operands.len()),
            Op::SliceUpdate(_) => self.joined(0..2),
            Op::Scatter(op) if op.f == kiln_ir::ops::ScatterFn::Set => {
                self.of(0)?.joined(self.of(2)?)
            }
            Op::IndexPut(op) if !op.accumulate => self.joined(0..2),
            Op::Reduce(op) => {
                let sizes = op.axes.iter().map(|&axis| self.size(0, axis));
                folds::reduce(
                    op.f,
                    self.of(0)?,
                    Count::of(self.symbols, sizes),
                    self.dtype,
                )
            }
            Op::Scan(op) => {
                let count = Count::of(self.symbols, std::iter::once(self.size(0, op.axis)));
                folds::scan(op.f, self.of(0)?, count, self.dtype)
            }
            Op::ArgReduce(op) => Some(self.index_below(self.size(0, op.axis))),
            Op::Sort(op) if slot == 1 => Some(self.index_below(self.size(0, op.axis))),
            Op::TopK(op) if slot == 1 => Some(self.index_below(self.size(0, op.axis))),
            Op::Sort(_) | Op::TopK(_) => self.of(0),
            Op::NonZero(_) => {
                let shape = &self.ty(0).shape;
                let most = shape
                    .iter()
                    .map(|d| self.symbols.max(d).unwrap_or(i64::MAX))
                    .max();
                Some(Integers::between(0, most.unwrap_or(1).max(1) - 1).into())
            }
            Op::Pool(_) | Op::AdaptivePool(_) if slot == 1 => {
                let all = self.ty(0).shape[2..].iter().cloned();
                Some(self.index_below(&all.fold(Dim::constant(1), |n, d| n * d)))
            }
            Op::Pool(op) => {
                let windows = Windows::of(op, &self.ty(0).shape[2..], self.symbols);
                folds::pool(op.f, self.of(0)?, windows, self.dtype)
            }
            Op::AdaptivePool(op) => {
                let all = Count::of(self.symbols, self.ty(0).shape[2..].iter());
                let taps = all.map_or(i64::MAX, |count| count.most);
                let windows = Windows {
                    taps,
                    may_be_empty: false,
                };
                folds::pool(op.f, self.of(0)?, windows, self.dtype)
            }
            Op::MatMul(_) => self.products(Some(self.size(0, self.ty(0).rank() - 1)), false),
            Op::Linear(_) => self.products(Some(self.size(1, 1)), false),
            Op::Conv(op) => self.convolution(op),
            Op::Resize(op) => Some(self.resized(op)?.into()),
            Op::GridSample(op) => Some(self.sampled(op)?.into()),
            Op::Softmax(op) => Some(softmax(self.of(0)?.floats()?, op.log).into()),
            Op::Attention(op) => Some(self.attention(op)?.into()),
            Op::Dequantize(_) => Some(self.real(0).rounded(self.dtype).into()),
            // Any other family may hold whatever its type holds, which is always a superset.
            _ => None,
        }
    }

    /// The dtype to which intermediate floats are rounded: the result's, or that of operand `i` if the result is no
    /// float.
    fn float_dtype(&self, i: usize) -> DType {
        match self.dtype.is_float() {
            true => self.dtype,
            false => self.ty(i).dtype,
        }
    }

    /// The range of indices into an axis of this size. An axis of size 0 has no indices.
    fn index_below(&self, size: &Dim) -> Range {
        let most = self.symbols.max(size).unwrap_or(i64::MAX).max(1) - 1;
        let range = Integers::between(0, most);
        match self.dtype.is_float() {
            true => cast(range.into(), self.dtype).unwrap_or(Floats::ANY.into()),
            false => range.into(),
        }
    }

    fn constant(&self) -> Option<Range> {
        let Op::Constant(op) = self.op else {
            return None;
        };
        let data = &self.graph.constant(op.value).data;
        if data.dtype().is_float() && data.elements() > self.max_elements_read {
            let number = data.as_splat()?.as_f64();
            return (!number.is_nan()).then(|| Floats::between(number, number).into());
        }
        if self.result.quant.is_some() && data.elements() > self.max_elements_read {
            return None;
        }
        let mut found = None;
        let mut pieces = data.content().pieces();
        while let Some(piece) = pieces.next() {
            for element in piece.chunks_exact(data.dtype().size()) {
                let one = one(kiln_ir::tensor::decode(data.dtype(), element));
                found = match found {
                    Some(found) => Range::joined(found, one),
                    None => Some(one),
                };
            }
        }
        match found? {
            Range::Floats(range) if range.low > range.high => None,
            found => Some(found),
        }
    }

    fn padded(&self, mode: &PadMode) -> Option<Range> {
        let PadMode::Constant(number) = mode else {
            return self.of(0);
        };
        match self.of(0)? {
            Range::Integers(x) => {
                let number = i128::from(self.dtype.saturated(*number).as_i64());
                Some(x.joined(Integers::between(number, number)).into())
            }
            Range::Floats(x) => {
                let number = self.dtype.saturated(*number).as_f64();
                let filled = Floats::between(number, number);
                match number.is_nan() {
                    true => Some(x.with_nan(true).into()),
                    false => Some(x.joined(filled).into()),
                }
            }
        }
    }

    /// The range of a sum of products over axes of these sizes. The third operand is the bias.
    fn products<'d>(
        &self,
        sizes: impl IntoIterator<Item = &'d Dim>,
        padded: bool,
    ) -> Option<Range> {
        let count = Count::of(self.symbols, sizes.into_iter());
        match (self.of(0)?, self.of(1)?) {
            (Range::Floats(a), Range::Floats(b)) => {
                let bias = self.of(2).and_then(Range::floats);
                Some(folds::float_products(a, b, bias, count, padded, self.dtype).into())
            }
            (Range::Integers(a), Range::Integers(b)) => {
                let bias = self.of(2).and_then(Range::integers);
                Some(folds::integer_products(a, b, bias, count, padded)?.into())
            }
            _ => None,
        }
    }

    /// Each element of the result is a sum over the channels of one group, at each tap of the kernel.
    fn convolution(&self, op: &Conv) -> Option<Range> {
        let weight = &self.ty(1).shape;
        let channels = match op.transposed {
            true => &weight[0].floor_div(&op.groups.into()),
            false => &weight[1],
        };
        self.products(std::iter::once(channels).chain(&weight[2..]), true)
    }

    fn resized(&self, op: &Resize) -> Option<Floats> {
        let x = self.of(0)?;
        let Range::Floats(x) = x else {
            return None;
        };
        let axes = op.output.len() as i32;
        Some(match op.mode {
            ResizeMode::Nearest => x,
            ResizeMode::Linear => self.mixed(x, 1.0),
            ResizeMode::Cubic => self.mixed(x, CUBIC_WEIGHT_SUM.powi(axes)),
        })
    }

    fn sampled(&self, op: &GridSample) -> Option<Floats> {
        let x = self.of(0)?.floats()?;
        let zero = Floats::between(0.0, 0.0);
        // Samples outside of the image and at NaN coordinates read 0.
        let x = x.joined(zero);
        let axes = self.ty(0).rank() as i32 - 2;
        let found = match op.mode {
            SampleMode::Nearest => x,
            SampleMode::Linear => self.mixed(x, 1.0),
            SampleMode::Cubic => self.mixed(x, CUBIC_WEIGHT_SUM.powi(axes)),
        };
        Some(found.with_nan(true))
    }

    /// The range of weighted means, whose weights sum to 1. `sizes` is the sum of the weights' absolute values; if it
    /// is greater than 1, some weights are negative.
    fn mixed(&self, x: Floats, sizes: f64) -> Floats {
        if !x.is_finite() {
            let is_kept = |end: f64| sizes == 1.0 && end >= 0.0;
            return Floats {
                low: if is_kept(x.low) {
                    0.0
                } else {
                    f64::NEG_INFINITY
                },
                high: if is_kept(-x.high) { 0.0 } else { f64::INFINITY },
                nan: true,
            };
        }
        let most = x.magnitude() * sizes;
        if most > ends(self.dtype).1 / 16.0 {
            return Floats::ANY;
        }
        let error = most * relative_error(self.dtype, 64);
        if sizes > 1.0 {
            let found = Floats {
                low: -most,
                high: most,
                nan: x.nan,
            };
            return found.widened(self.dtype, error, error);
        }
        let found = x.widened(self.dtype, error, error);
        Floats {
            low: if x.low >= 0.0 {
                found.low.max(0.0)
            } else {
                found.low
            },
            high: if x.high <= 0.0 {
                found.high.min(0.0)
            } else {
                found.high
            },
            nan: x.nan,
        }
    }

    /// The results are means of the rows of `v`, or zeros for a row whose mask keeps nothing.
    fn attention(&self, _: &Attention) -> Option<Floats> {
        let v = self.of(2)?.floats()?;
        let rows = self.size(2, self.ty(2).rank() - 2);
        let steps = self.symbols.max(rows)?;
        if !v.is_finite() || v.magnitude() > ends(self.dtype).1 / 16.0 {
            return None;
        }
        let error = v.magnitude() * relative_error(self.dtype, steps.saturating_mul(2));
        let found = v.joined(Floats::between(0.0, 0.0));
        Some(found.widened(self.dtype, error, error).with_nan(true))
    }
}

/// The range of one element. The range of NaN contains no number.
fn one(element: Scalar) -> Range {
    match element {
        Scalar::Float(number) if number.is_nan() => {
            Floats::between(f64::INFINITY, f64::NEG_INFINITY)
                .with_nan(true)
                .into()
        }
        Scalar::Float(number) => Floats::between(number, number).into(),
        other => Integers::between(other.as_i64(), other.as_i64()).into(),
    }
}

/// The greatest sum of absolute values of the four weights of a cubic interpolation (a = -0.75).
const CUBIC_WEIGHT_SUM: f64 = 1.375;

/// A row of only minus infinity, or with an infinity, gives NaN.
fn softmax(x: Floats, log: bool) -> Floats {
    let (low, high) = if log {
        (f64::NEG_INFINITY, 0.0)
    } else {
        (0.0, 1.0)
    };
    Floats {
        low,
        high,
        nan: x.nan || !x.is_finite(),
    }
}

/// The range after a cast to another dtype, before integers wrap; `None` if floats may not fit any integer.
fn cast(x: Range, to: DType) -> Option<Range> {
    match (x, to) {
        (Range::Integers(x), DType::Bool) => Some(truth(x.contains(0), x.low == 0 && x.high == 0)),
        (Range::Floats(x), DType::Bool) => {
            let may_be_zero = x.low <= 0.0 && x.high >= 0.0;
            Some(truth(may_be_zero, x.low == 0.0 && x.high == 0.0 && !x.nan))
        }
        (Range::Integers(x), to) if to.is_float() => {
            let exact = Floats::between(x.low as f64, x.high as f64);
            Some(match exact.magnitude() <= max_exact_integer(to) {
                true => exact.into(),
                false => exact.rounded(to).into(),
            })
        }
        (Range::Integers(x), _) => Some(x.into()),
        (Range::Floats(x), to) if to.is_float() => Some(x.rounded(to).into()),
        (Range::Floats(x), _) => {
            let fits = !x.nan && x.magnitude() < 2f64.powi(63);
            fits.then(|| Integers::between(x.low as i128, x.high as i128).into())
        }
    }
}

fn truth(may_be_false: bool, must_be_false: bool) -> Range {
    Integers::between(!may_be_false, !must_be_false).into()
}

/// Up to this number, the float dtype holds every integer.
fn max_exact_integer(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(11),
        DType::BF16 => 2f64.powi(8),
        DType::F32 => 2f64.powi(24),
        _ => 2f64.powi(53),
    }
}

/// The possible truth values of a comparison: known if the ranges do not overlap.
fn compared(f: CompareFn, a: Range, b: Range) -> Integers {
    let (below, meets, nan) = match (a, b) {
        (Range::Integers(a), Range::Integers(b)) => {
            let below = [
                a.high < b.low,
                a.high <= b.low,
                b.high < a.low,
                b.high <= a.low,
            ];
            (below, a.met(b).is_some(), false)
        }
        (Range::Floats(a), Range::Floats(b)) => {
            let below = [
                a.high < b.low,
                a.high <= b.low,
                b.high < a.low,
                b.high <= a.low,
            ];
            (below, !below[0] && !below[2], a.nan || b.nan)
        }
        _ => ([false; 4], true, true),
    };
    let [less, less_or_equal, greater, greater_or_equal] = below;
    let (holds, fails) = match f {
        CompareFn::Lt => (less, greater_or_equal),
        CompareFn::Le => (less_or_equal, greater),
        CompareFn::Gt => (greater, less_or_equal),
        CompareFn::Ge => (greater_or_equal, less),
        CompareFn::Eq => (false, !meets),
        // NaN is unequal to everything.
        CompareFn::Ne => return Integers::between(!meets, 1),
    };
    Integers::between(holds && !nan, !fails)
}
