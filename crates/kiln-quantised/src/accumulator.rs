//! The reach of sums of products, and the accumulators that hold them. A reach is the greatest distance from 0.

/// An upper bound of `|bias + sum of (x - x_zero) * (w - w_zero)|`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reach(pub u128);

impl Reach {
    /// The greatest distance of an integer of `min..=max` from its zero point.
    pub fn of_integers(min: i64, max: i64, zero_point: i64) -> Reach {
        Reach(
            min.abs_diff(zero_point)
                .max(max.abs_diff(zero_point))
                .into(),
        )
    }

    /// The reach of a sum of `taps` products, each of one integer of either reach. It saturates.
    pub fn of_products(taps: usize, x: Reach, weight: Reach) -> Reach {
        let product = x.0.saturating_mul(weight.0);
        Reach(product.saturating_mul(taps as u128))
    }

    /// The reach of the sum and a bias.
    pub fn with_bias(self, bias: i64) -> Reach {
        Reach(self.0.saturating_add(bias.unsigned_abs().into()))
    }

    /// The bound as a float, rounded up or down beyond `2^53`.
    pub fn size(self) -> f64 {
        self.0 as f64
    }

    /// True if a signed accumulator of `bits` bits holds every such sum, in any order of terms.
    ///
    /// ```
    /// use kiln_quantised::accumulator::Reach;
    /// let (x, w) = (Reach::of_integers(-128, 127, -128), Reach::of_integers(-127, 127, 0));
    /// assert!(Reach::of_products(60_000, x, w).fits(32));
    /// assert!(!Reach::of_products(70_000, x, w).fits(32));
    /// ```
    pub fn fits(self, bits: u32) -> bool {
        self.0 < 1u128 << (bits - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::{Channels, reaches};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_sum_lies_beyond(
            terms in proptest::collection::vec((-128i64..128, -8i64..8), 1..20),
            zero in -128i64..128,
            bias in any::<i16>(),
        ) {
            let sum: i64 = terms.iter().map(|(x, w)| (x - zero) * w).sum::<i64>() + i64::from(bias);
            let x = Reach::of_integers(-128, 127, zero);
            let one = Channels::along(&[1, terms.len()], 0);
            let close = reaches(x, terms.iter().map(|t| t.1), 0, one)[0].with_bias(bias.into());
            let far = Reach::of_products(terms.len(), x, Reach::of_integers(-8, 7, 0)).with_bias(bias.into());
            prop_assert!(u128::from(sum.unsigned_abs()) <= close.0 && close <= far);
        }
    }
}
