//! Intervals of integers. They are 128 bits wide, because ops may compute integers beyond their dtype before these
//! wrap.

use kiln_ir::DType;
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};

/// The integers from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    /// The least element.
    pub low: i128,
    /// The greatest element.
    pub high: i128,
}

impl Integers {
    /// The integers from `low` to `high`, both included.
    pub fn between(low: impl Into<i128>, high: impl Into<i128>) -> Integers {
        Integers {
            low: low.into(),
            high: high.into(),
        }
    }

    /// All integers of an integer dtype or bool; only 0 for a float dtype.
    pub(super) fn of_dtype(dtype: DType) -> Integers {
        match dtype.int_range() {
            Some((low, high)) => Integers::between(low, high),
            None => Integers::between(0, i32::from(dtype == DType::Bool)),
        }
    }

    /// True if this range contains the other.
    pub fn holds(self, other: Integers) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// True if this range contains the number.
    pub fn contains(self, number: i128) -> bool {
        self.low <= number && number <= self.high
    }

    pub(super) fn joined(self, other: Integers) -> Integers {
        Integers::between(self.low.min(other.low), self.high.max(other.high))
    }

    /// The intersection; `None` if it is empty.
    pub(super) fn met(self, other: Integers) -> Option<Integers> {
        let met = Integers::between(self.low.max(other.low), self.high.min(other.high));
        (met.low <= met.high).then_some(met)
    }

    /// The image under a non-decreasing function.
    fn rising(self, f: impl Fn(i128) -> i128) -> Integers {
        Integers::between(f(self.low), f(self.high))
    }

    /// The hull of a function's values at the four pairs of ends.
    fn corners(self, b: Integers, f: impl Fn(i128, i128) -> i128) -> Integers {
        let ends = [
            f(self.low, b.low),
            f(self.low, b.high),
            f(self.high, b.low),
            f(self.high, b.high),
        ];
        let hull = |ends: Integers, n: i128| ends.joined(Integers::between(n, n));
        let first = Integers::between(ends[0], ends[0]);
        ends.into_iter().fold(first, hull)
    }

    /// The range of a sum of `least` to `most` elements; `None` if it overflows 128 bits.
    pub(super) fn summed(self, least: i64, most: i64) -> Option<Integers> {
        let times = |n: i128, count: i64| n.checked_mul(i128::from(count));
        let (low, high) = (self.low, self.high);
        Some(Integers {
            low: times(low, if low < 0 { most } else { least })?,
            high: times(high, if high > 0 { most } else { least })?,
        })
    }

    pub(super) fn product(self, b: Integers) -> Integers {
        self.corners(b, |a, b| a * b)
    }

    /// The range of `f(x)`; `None` if nothing is known.
    pub(super) fn unary(self, f: UnaryFn, dtype: DType) -> Option<Integers> {
        let x = self;
        match f {
            UnaryFn::Simple(Simple::Neg) => Some(Integers::between(-x.high, -x.low)),
            UnaryFn::Simple(Simple::Abs) => {
                let least = if x.contains(0) {
                    0
                } else {
                    x.low.abs().min(x.high.abs())
                };
                Some(Integers::between(least, x.low.abs().max(x.high.abs())))
            }
            UnaryFn::Simple(Simple::Sign) => Some(x.rising(i128::signum)),
            UnaryFn::Simple(Simple::Square) => {
                let size = x.unary(Simple::Abs.into(), dtype)?;
                Some(size.rising(|n| n * n))
            }
            UnaryFn::Simple(Simple::BitNot) if dtype == DType::Bool => {
                Some(Integers::between(1 - x.high, 1 - x.low))
            }
            UnaryFn::Simple(Simple::BitNot) => Some(Integers::between(!x.high, !x.low)),
            UnaryFn::Clamp { min, max } => {
                let bound = |b: kiln_ir::Scalar| i128::from(dtype.saturated(b).as_i64());
                let (min, max) = (min.map(bound), max.map(bound));
                Some(x.rising(|n| {
                    let n = min.map_or(n, |min| n.max(min));
                    max.map_or(n, |max| n.min(max))
                }))
            }
            _ => None,
        }
    }

    /// The range of `f(a, b)`; `None` if nothing is known. Division by 0 has no result.
    pub(super) fn binary(self, f: BinaryFn, b: Integers) -> Option<Integers> {
        let a = self;
        match f {
            BinaryFn::Add => Some(Integers::between(a.low + b.low, a.high + b.high)),
            BinaryFn::Sub => Some(Integers::between(a.low - b.high, a.high - b.low)),
            BinaryFn::Mul => Some(a.product(b)),
            BinaryFn::Max => Some(Integers::between(a.low.max(b.low), a.high.max(b.high))),
            BinaryFn::Min => Some(Integers::between(a.low.min(b.low), a.high.min(b.high))),
            BinaryFn::FloorDiv => a.by_signs(b, |a, b| {
                a.corners(b, |a, b| {
                    a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)
                })
            }),
            BinaryFn::TruncDiv => a.by_signs(b, |a, b| a.corners(b, |a, b| a / b)),
            BinaryFn::Remainder => a.by_signs(b, Integers::remainder),
            BinaryFn::Fmod => {
                let most = b.low.abs().max(b.high.abs()) - 1;
                let low = a.low.min(0).max(-most.max(0));
                Some(Integers::between(low, a.high.max(0).min(most.max(0))))
            }
            BinaryFn::BitAnd | BinaryFn::BitOr | BinaryFn::BitXor => Some(a.bits(f, b)),
            BinaryFn::Shr => Some(Integers::between(a.low.min(0), a.high.max(-1))),
            BinaryFn::Shl | BinaryFn::Div | BinaryFn::Pow | BinaryFn::Atan2 | BinaryFn::Prelu => {
                None
            }
        }
    }

    /// The union of the results for positive and for negative divisors.
    fn by_signs(self, b: Integers, f: impl Fn(Integers, Integers) -> Integers) -> Option<Integers> {
        let parts = [
            Integers::between(1, i128::MAX),
            Integers::between(i128::MIN, -1),
        ];
        let found = parts
            .into_iter()
            .filter_map(|part| Some(f(self, b.met(part)?)));
        found.reduce(Integers::joined)
    }

    /// The range of remainders by divisors of one sign. A remainder has the sign of its divisor.
    fn remainder(self, b: Integers) -> Integers {
        if b.low > 0 {
            let most = if self.low >= 0 { self.high } else { i128::MAX };
            Integers::between(0, most.min(b.high - 1))
        } else {
            let least = if self.high <= 0 { self.low } else { i128::MIN };
            Integers::between(least.max(b.low + 1), 0)
        }
    }

    /// The range of a bitwise function: operands of n bits give results of n bits.
    fn bits(self, f: BinaryFn, b: Integers) -> Integers {
        if self.low >= 0 && b.low >= 0 && f == BinaryFn::BitAnd {
            return Integers::between(0, self.high.min(b.high));
        }
        let both = self.joined(b);
        let size = both.high.max(!both.low);
        let bits = i128::BITS - size.leading_zeros();
        let low = if both.low < 0 { -1i128 << bits } else { 0 };
        Integers::between(low, (1i128 << bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_eval::{Options, State, Tensor, evaluate};
    use kiln_ir::ops::BinaryFn;

    /// All functions on all pairs of two small ranges, compared with what the interpreter computes.
    #[test]
    fn results_lie_within_and_ends_are_reached_by_most_functions() {
        use BinaryFn::*;
        let spans = [(-5, -2), (-3, 4), (0, 0), (0, 6), (1, 3), (2, 7), (-1, -1)];
        let (mut checked, mut tight) = (0, 0);
        for f in [
            Add, Sub, Mul, Max, Min, FloorDiv, TruncDiv, Remainder, Fmod, BitAnd, BitOr, BitXor,
            Shr,
        ] {
            for (a, b) in spans.iter().flat_map(|&a| spans.map(|b| (a, b))) {
                let pairs: Vec<(i64, i64)> = (a.0..=a.1)
                    .flat_map(|x| (b.0..=b.1).map(move |y| (x, y)))
                    .filter(|&(_, y)| y != 0)
                    .collect();
                if pairs.is_empty() {
                    continue;
                }
                let range = Integers::between(a.0, a.1)
                    .binary(f, Integers::between(b.0, b.1))
                    .expect("a range");
                let found = computed(f, &pairs);
                for &n in &found {
                    assert!(
                        range.contains(n.into()),
                        "{f:?} of {a:?}, {b:?}: {n} {range:?}"
                    );
                }
                checked += found.len();
                let ends =
                    [found.iter().min(), found.iter().max()].map(|n| n.map(|&n| i128::from(n)));
                tight += usize::from(ends == [Some(range.low), Some(range.high)]);
            }
        }
        assert!(
            checked > 5_000 && tight > 250,
            "{checked} checked, {tight} tight"
        );
    }

    fn computed(f: BinaryFn, pairs: &[(i64, i64)]) -> Vec<i64> {
        let n = pairs.len();
        let text = format!(
            "graph \"g\" {{\n  input tensor \"a\" [0]\n  input tensor \"b\" [0]\n  output tensor\n  block b0 (%0 \"a\": i64[{n}], %1 \"b\": i64[{n}]) {{\n    %2: i64[{n}] = binary %0, %1 {{f={}}}\n    return %2\n  }}\n}}\n",
            f.text()
        );
        let graph = kiln_ir::text::parse(&text).expect("a graph");
        let (a, b): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
        let inputs = [Tensor::new([n], a), Tensor::new([n], b)];
        let mut state = State::new(&graph);
        let found = evaluate(&graph, &inputs, &mut state, &Options::default()).expect("it runs");
        found.outputs[0].elements::<i64>().expect("i64").to_vec()
    }
}
