//! Patterns for `raise_quantisation`: quantisation that is written out, right or with one fault (a near miss).

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Cast, Index, Linear, MatMul, Reduce, ReduceFn, Simple, UnaryFn};
use kiln_ir::{DType, Dim, Scalar, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("raise_quantisation", "unpack_integers", "", unpacked),
    plant("raise_quantisation", "raise_dequantize", "", weight),
    plant("raise_quantisation", "join_views_of_weights", "", weight),
    plant("raise_quantisation", "rows_of_table", "", table),
    plant("raise_quantisation", "raise_fake_quantize", "", rounded),
    plant("raise_quantisation", "raise_integer_product", "", product),
];

const F32: DType = DType::F32;
const I8: DType = DType::I8;
const I32: DType = DType::I32;

/// What is wrong with quantisation that is written out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Miss {
    Nothing,
    /// The reals have another scale than the integers.
    Scale,
    /// The reals have another zero point than the integers.
    ZeroPoint,
    /// The integers pass through a type that does not hold them.
    Wrap,
    /// The range has another number in place of 0.
    Zero,
    /// The range has another number of steps than the integers.
    Steps,
    /// The least elements are those of other axes than the greatest ones.
    Axes,
    /// The zero points count from another integer than the least.
    Start,
}

/// The parts of rows that are quantised.
struct Written {
    x: ValueId,
    scale: ValueId,
    zero_point: ValueId,
    /// The integers, as floats.
    integers: ValueId,
    ends: [i64; 2],
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

    /// Mostly by way of integers that hold the numbers.
    fn through_integers(&mut self, x: ValueId, ends: [i64; 2], miss: Miss) -> Option<ValueId> {
        if miss != Miss::Wrap && self.random.chance(30) {
            return Some(x);
        }
        let to = match (ends[0] < 0, miss) {
            (true, Miss::Wrap) => DType::U8,
            (false, Miss::Wrap) => I8,
            (true, _) => *self.random.pick(&[I8, I8, I32, DType::I16]),
            (false, _) => *self.random.pick(&[DType::U8, DType::U8, I32, DType::I16]),
        };
        let mut integers = self.put(Cast { to }, &[x])?;
        if self.random.chance(10) {
            integers = self.put(Cast { to: I32 }, &[integers])?;
        }
        self.put(Cast { to: F32 }, &[integers])
    }

    /// The lesser of the least element and 0, or the greater of the greatest and 0, of each row.
    fn extreme(&mut self, x: ValueId, f: BinaryFn, axes: &[usize], miss: Miss) -> Option<ValueId> {
        let (over, other) = match f {
            BinaryFn::Min => (ReduceFn::Min, -50.0),
            _ => (ReduceFn::Max, 50.0),
        };
        let axes = axes.to_vec();
        let found = self.put(Reduce { f: over, axes }, &[x])?;
        let zero = match miss {
            Miss::Zero => other,
            _ => 0.0,
        };
        let zero = self.beside(found, zero);
        self.binary(f, found, zero)
    }

    fn written(&mut self, is_symmetric: bool, miss: Miss) -> Option<Written> {
        let (rows, columns) = (self.random.between(2, 4), self.random.between(2, 6));
        let x = self.fresh(&[rows, columns]);
        let axes: &[usize] = match self.random.below(10) {
            0 | 1 if miss == Miss::Nothing => &[0, 1],
            _ => &[1],
        };
        let ends @ [min, max] = *self
            .random
            .pick(&[[-128, 127], [-128, 127], [0, 255], [-64, 63]]);
        let of_least: &[usize] = match miss {
            Miss::Axes => &[0, 1],
            _ => axes,
        };
        let least = self.extreme(x, BinaryFn::Min, of_least, miss)?;
        let greatest = self.extreme(x, BinaryFn::Max, axes, miss)?;
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
        let units = match miss {
            Miss::Steps => 3.0 * units,
            _ => units,
        };
        let units = self.beside(reach, units);
        let scale = self.binary(BinaryFn::Div, reach, units)?;
        let positive = UnaryFn::Clamp {
            min: Some(Scalar::Float(1e-5)),
            max: None,
        };
        let scale = self.unary(positive, scale)?;
        let zero_point = match is_symmetric {
            true => self.beside(scale, 0.0),
            false => {
                let steps = self.binary(BinaryFn::Div, least, scale)?;
                let steps = self.unary(Simple::Round, steps)?;
                let start = match miss {
                    Miss::Start => min + 40,
                    _ => min,
                };
                let start = self.beside(steps, start as f64);
                let zero_point = self.binary(BinaryFn::Sub, start, steps)?;
                let zero_point = self.clamped(zero_point, ends)?;
                self.through_integers(zero_point, ends, Miss::Nothing)?
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
    rounded_but(g, Miss::Nothing)
}

fn product(g: &mut Grower<'_>) -> Grown {
    product_but(g, Miss::Nothing)
}

/// Rows that are rounded in front of a layer.
pub(super) fn rounded_but(g: &mut Grower<'_>, miss: Miss) -> Grown {
    let is_symmetric = miss != Miss::Start && g.random.chance(30);
    let mut written = g.written(is_symmetric, miss)?;
    match miss {
        Miss::Scale => written.scale = g.beside(written.scale, 0.5),
        Miss::ZeroPoint => {
            let forty = g.beside(written.zero_point, 40.0);
            written.zero_point = g.binary(BinaryFn::Add, written.zero_point, forty)?;
        }
        _ => {}
    }
    let integers = g.through_integers(written.integers, written.ends, miss)?;
    let steps = g.binary(BinaryFn::Sub, integers, written.zero_point)?;
    let reals = g.binary(BinaryFn::Mul, steps, written.scale)?;
    let columns = g.known(written.x, 1)?;
    let weight = g.constant(F32, &[2, columns]);
    g.put(Linear {}, &[reals, weight]).map(|_| ())
}

/// A product in integers of rows about 0 with a matrix, times the rows' scales.
pub(super) fn product_but(g: &mut Grower<'_>, miss: Miss) -> Grown {
    let mut written = g.written(true, Miss::Nothing)?;
    if miss == Miss::Scale {
        let half = g.beside(written.scale, 0.5);
        written.scale = g.binary(BinaryFn::Mul, written.scale, half)?;
    }
    let Written {
        x, scale, integers, ..
    } = written;
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
/// A look-up in a table of bytes about fractions. Sometimes another op reads the table, or the fractions are those of columns.
fn table(g: &mut Grower<'_>) -> Grown {
    let [rows, columns, ids] = [(2, 5), (2, 4), (1, 4)].map(|(a, b)| g.random.between(a, b));
    let bytes = (0..rows * columns).map(|_| Scalar::Int(g.random.between(0, 255)));
    let bytes = bytes.collect();
    let bytes = g.constant_of(DType::U8, &[rows, columns], bytes);
    let by_row = g.random.chance(80);
    let sizes = if by_row { [rows, 1] } else { [1, columns] };
    let count = sizes.iter().product::<i64>();
    let points = (0..count).map(|_| Scalar::Float(g.random.between(-40, 1100) as f64 * 0.25));
    let points = points.collect();
    let scales = (0..count).map(|i| Scalar::Float(0.1 * (1 + i % 3) as f64));
    let scales = scales.collect();
    let points = g.constant_of(F32, &sizes, points);
    let scales = g.constant_of(F32, &sizes, scales);
    let reals = g.put(Cast { to: F32 }, &[bytes])?;
    let steps = g.binary(BinaryFn::Sub, reals, points)?;
    let table = g.binary(BinaryFn::Mul, steps, scales)?;
    g.sometimes_read(table, 10)?;
    let picks = (0..ids).map(|_| Scalar::Int(g.random.between(0, rows - 1)));
    let picks = picks.collect();
    let picks = g.constant_of(DType::I64, &[ids], picks);
    g.put(Index::rows(), &[table, picks]).map(|_| ())
}

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

fn unpacked(g: &mut Grower<'_>) -> Grown {
    unpacked_from(g, -8, 7)
}

/// A layer whose weight is computed from constants of integers, which have these bounds, and is scaled behind or in front of the cast.
pub(super) fn unpacked_from(g: &mut Grower<'_>, least: i64, greatest: i64) -> Grown {
    let (rows, columns) = (g.random.between(2, 3), g.random.between(2, 4));
    let numbers = |g: &mut Grower<'_>, count: i64| {
        let numbers = (0..count).map(|_| Scalar::Int(g.random.between(least, greatest)));
        numbers.collect::<Vec<_>>()
    };
    let dtype = *g.random.pick(&[I32, DType::I16, DType::I64]);
    let mut parts = Vec::new();
    for _ in 0..2 {
        let part = numbers(g, rows * columns);
        parts.push(g.constant_of(dtype, &[rows, columns], part));
    }
    let integers = g.binary(BinaryFn::Add, parts[0], parts[1])?;
    let floats = g.put(Cast { to: F32 }, &[integers])?;
    let weight = match g.random.chance(70) {
        true => {
            let scales = (0..rows).map(|i| Scalar::Float(0.1 * (1 + i % 3) as f64));
            let scales = g.constant_of(F32, &[rows, 1], scales.collect());
            g.binary(BinaryFn::Mul, floats, scales)?
        }
        false => floats,
    };
    let x = g.fresh(&[2, columns]);
    g.put(Linear {}, &[x, weight]).map(|_| ())
}
