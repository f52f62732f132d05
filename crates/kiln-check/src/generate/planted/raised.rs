//! Patterns for `raise_quantisation`: quantisation that is written out, right and nearly right.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Cast, Linear, MatMul, Reduce, ReduceFn, Simple, UnaryFn};
use kiln_ir::{DType, Dim, Scalar, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("raise_quantisation", "raise_dequantize", "", weight),
    plant("raise_quantisation", "join_views_of_weights", "", weight),
    plant("raise_quantisation", "raise_fake_quantize", "", rounded),
    plant("raise_quantisation", "raise_integer_product", "", product),
];

const F32: DType = DType::F32;
const I8: DType = DType::I8;
const I32: DType = DType::I32;

/// The parts of rows that are quantised.
struct Written {
    x: ValueId,
    scale: ValueId,
    zero_point: ValueId,
    /// The integers, as floats.
    integers: ValueId,
    ends: [i64; 2],
}

/// How far off one of the numbers is: mostly not at all.
fn slip(g: &mut Grower<'_>) -> f64 {
    if g.random.chance(5) { 1.0 } else { 0.0 }
}

impl Grower<'_> {
    /// A number beside a value, in floats.
    fn beside(&mut self, value: ValueId, number: f64) -> ValueId {
        let rank = self.rank(value);
        self.splat(F32, rank, number)
    }

    fn clamped(&mut self, x: ValueId, ends: [i64; 2]) -> Option<ValueId> {
        let [min, max] = ends.map(|end| Some(Scalar::Int(end)));
        self.unary(UnaryFn::Clamp { min, max }, x)
    }

    /// Mostly by way of integers, which mostly hold the numbers.
    fn through_integers(&mut self, x: ValueId, ends: [i64; 2]) -> Option<ValueId> {
        if self.random.chance(30) {
            return Some(x);
        }
        let to = match self.random.chance(85) {
            true if ends[0] < 0 => I8,
            true => DType::U8,
            false => *self.random.pick(&[I8, I32, DType::I16, DType::U8]),
        };
        let mut integers = self.put(Cast { to }, &[x])?;
        if self.random.chance(10) {
            let to = *self.random.pick(&[I32, I8]);
            integers = self.put(Cast { to }, &[integers])?;
        }
        self.put(Cast { to: F32 }, &[integers])
    }

    /// The lesser of the least element and 0, or the greater of the greatest and 0, of each row.
    fn extreme(&mut self, x: ValueId, f: BinaryFn, axes: &[usize]) -> Option<ValueId> {
        let over = match f {
            BinaryFn::Min => ReduceFn::Min,
            _ => ReduceFn::Max,
        };
        let (f, axes) = (f, axes.to_vec());
        let found = self.put(Reduce { f: over, axes }, &[x])?;
        let off = slip(self);
        let zero = self.beside(found, off);
        self.binary(f, found, zero)
    }

    fn written(&mut self, is_symmetric: bool) -> Option<Written> {
        let (rows, columns) = (self.random.between(2, 4), self.random.between(2, 6));
        let x = self.fresh(&[rows, columns]);
        let axes: &[usize] = match self.random.below(10) {
            0 => &[0],
            1 | 2 => &[0, 1],
            _ => &[1],
        };
        let ends @ [min, max] = *self
            .random
            .pick(&[[-128, 127], [-128, 127], [0, 255], [-64, 63]]);
        let least = self.extreme(x, BinaryFn::Min, axes)?;
        let greatest = self.extreme(x, BinaryFn::Max, axes)?;
        let (reach, units) = match is_symmetric {
            false => (
                self.binary(BinaryFn::Sub, greatest, least)?,
                (max - min) as f64,
            ),
            true => {
                let below = self.unary(Simple::Neg, least)?;
                let units = match self.random.chance(50) {
                    true => (max - min) as f64 / 2.0,
                    false => max as f64,
                };
                (self.binary(BinaryFn::Max, below, greatest)?, units)
            }
        };
        let off = slip(self);
        let units = self.beside(reach, units + off);
        let scale = self.binary(BinaryFn::Div, reach, units)?;
        let positive = UnaryFn::Clamp {
            min: Some(Scalar::Float(1e-5)),
            max: None,
        };
        let scale = self.unary(positive, scale)?;
        let off = slip(self);
        let zero_point = match is_symmetric {
            true => self.beside(scale, off),
            false => {
                let steps = self.binary(BinaryFn::Div, least, scale)?;
                let steps = self.unary(Simple::Round, steps)?;
                let start = self.beside(steps, min as f64 + off);
                let zero_point = self.binary(BinaryFn::Sub, start, steps)?;
                let zero_point = self.clamped(zero_point, ends)?;
                self.through_integers(zero_point, ends)?
            }
        };
        let integers = self.integers([x, scale, zero_point], ends)?;
        Some(Written {
            x,
            scale,
            zero_point,
            integers,
            ends,
        })
    }

    fn integers(
        &mut self,
        [x, scale, zero_point]: [ValueId; 3],
        ends: [i64; 2],
    ) -> Option<ValueId> {
        let inverse = self.unary(Simple::Reciprocal, scale)?;
        let one = self.beside(inverse, 1.0);
        let inverse = self.binary(BinaryFn::Mul, inverse, one)?;
        let steps = self.binary(BinaryFn::Mul, x, inverse)?;
        let integers = if self.random.chance(80) {
            let steps = self.unary(Simple::Round, steps)?;
            self.binary(BinaryFn::Add, steps, zero_point)?
        } else {
            let steps = self.binary(BinaryFn::Add, steps, zero_point)?;
            self.unary(Simple::Round, steps)?
        };
        self.clamped(integers, ends)
    }
}

fn rounded(g: &mut Grower<'_>) -> Grown {
    let is_symmetric = g.random.chance(30);
    let written = g.written(is_symmetric)?;
    let integers = g.through_integers(written.integers, written.ends)?;
    let steps = g.binary(BinaryFn::Sub, integers, written.zero_point)?;
    let reals = g.binary(BinaryFn::Mul, steps, written.scale)?;
    let columns = g.known(written.x, 1)?;
    let weight = g.constant(F32, &[2, columns]);
    g.put(Linear {}, &[reals, weight]).map(|_| ())
}

/// A product in integers of rows about 0 with a matrix, times the rows' scales.
fn product(g: &mut Grower<'_>) -> Grown {
    let Written {
        x, scale, integers, ..
    } = g.written(true)?;
    let terms = g.known(x, 1)?;
    let columns = g.random.between(1, 4);
    let values = (0..terms * columns).map(|_| Scalar::Int(g.random.between(-128, 127)));
    let values: Vec<Scalar> = values.collect();
    let matrix = g.constant_of(I8, &[terms, columns], values);
    let bytes = g.put(Cast { to: I8 }, &[integers])?;
    let [rows, matrix] = [bytes, matrix].map(|v| g.put(Cast { to: I32 }, &[v]));
    let sums = g.put(MatMul {}, &[rows?, matrix?])?;
    let sums = g.put(Cast { to: F32 }, &[sums])?;
    g.binary(BinaryFn::Mul, sums, scale).map(|_| ())
}

/// A weight that is dequantised by subtraction and multiplication, by tensor, channel or group of a row.
fn weight(g: &mut Grower<'_>) -> Grown {
    let (rows, groups, group) = (g.random.between(2, 3), g.random.between(2, 3), 2);
    let sizes = match g.random.chance(60) {
        true => vec![rows, groups, group],
        false => vec![rows, groups * group],
    };
    let parameter: Vec<i64> = match g.random.below(3) {
        0 => vec![1; sizes.len()],
        1 => {
            let rest = sizes[1..].iter().map(|_| 1);
            std::iter::once(rows).chain(rest).collect()
        }
        _ => sizes[..sizes.len() - 1]
            .iter()
            .copied()
            .chain([1])
            .collect(),
    };
    let count: i64 = parameter.iter().product();
    let numbers = |g: &mut Grower<'_>, count: i64| {
        let numbers = (0..count).map(|_| Scalar::Int(g.random.between(-8, 7)));
        numbers.collect::<Vec<_>>()
    };
    let integers = numbers(g, sizes.iter().product());
    let points = numbers(g, count);
    let scales = (0..count).map(|i| Scalar::Float(0.1 * (1 + i % 3) as f64));
    let scales = scales.collect();
    let integers = g.constant_of(I8, &sizes, integers);
    let points = g.constant_of(I8, &parameter, points);
    let scales = g.constant_of(F32, &parameter, scales);
    let integers = g.put(Cast { to: F32 }, &[integers])?;
    let points = g.put(Cast { to: F32 }, &[points])?;
    let steps = match g.random.chance(80) {
        true => g.binary(BinaryFn::Sub, integers, points)?,
        false => integers,
    };
    let reals = g.binary(BinaryFn::Mul, steps, scales)?;
    let columns = groups * group;
    let matrix: [Dim; 2] = [rows.into(), columns.into()];
    let reals = match sizes.len() {
        3 => g.reshaped(reals, &matrix)?,
        _ => reals,
    };
    let x = g.fresh(&[2, columns]);
    g.put(Linear {}, &[x, reals]).map(|_| ())
}
