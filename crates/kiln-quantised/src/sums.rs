//! Sums of a weight by output channel.
//!
//! With an input `x` of zero point `zx` and a weight `w` of zero point `zw`, an output channel computes
//! `sum((x - zx) * (w - zw)) = sum(x * (w - zw)) - zx * sum(w - zw)`. The last sum depends on the weight alone, and is taken ahead
//! of time:
//! - CMSIS-NN reads `bias + input_offset * sum(w)` as the *kernel sums* of fully connected layers on cores with MVE
//!   (`arm_vector_sum_s8`), where `input_offset` is `-zx`: [`folded_bias`].
//! - XNNPACK takes `zx * sum(w)` from the bias when it packs a weight, and needs no sums from a compiler.
//!
//! The sums of sizes, [`reaches`], bound an accumulator closely.

use crate::accumulator::Reach;

/// Where the output channels of a weight lie in row-major order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// How many there are.
    pub count: usize,
    /// Elements in a row that belong to one channel.
    pub inner: usize,
}

impl Channels {
    /// The channels along an axis of a weight of these sizes. A transposed convolution of groups has its weight as
    /// `[inputs, outputs / groups, ..]`: along axis 1 a channel stands for the outputs at its place in all groups.
    pub fn along(sizes: &[usize], axis: usize) -> Channels {
        Channels {
            count: sizes[axis],
            inner: sizes[axis + 1..].iter().product(),
        }
    }

    fn folded<T>(
        self,
        weights: impl IntoIterator<Item = i64>,
        first: T,
        add: impl Fn(&mut T, i64),
    ) -> Vec<T>
    where
        T: Clone,
    {
        let mut sums = vec![first; self.count];
        let mut weights = weights.into_iter();
        let mut channel = 0;
        // As many weights as lie together belong to one channel, and the next ones to the next.
        while let Some(weight) = weights.next() {
            let sum = &mut sums[channel];
            add(sum, weight);
            let rest = weights.by_ref().take(self.inner.max(1) - 1);
            rest.for_each(|weight| add(sum, weight));
            channel = (channel + 1) % self.count;
        }
        sums
    }
}

/// Weights of 8 bits whose sum in 32 bits is exact, less zero points of 16 bits.
const EXACT: usize = 1 << 14;

impl Channels {
    /// Sums of what each weight of 8 bits gives less a zero point.
    fn folded_bytes(self, weights: &[u8], zero_point: i16, of: impl Fn(i32) -> i32) -> Vec<i64> {
        let mut sums = vec![0i64; self.count];
        let rows = weights.chunks(self.inner.max(1));
        for (row, channel) in rows.zip((0..self.count).cycle()) {
            for part in row.chunks(EXACT) {
                let each = part.iter().map(|&bits| i32::from(bits as i8));
                let sum: i32 = each.map(|w| of(w - i32::from(zero_point))).sum();
                sums[channel] += i64::from(sum);
            }
        }
        sums
    }
}

fn integers(weights: &[u8]) -> impl Iterator<Item = i64> + '_ {
    weights.iter().map(|&bits| i64::from(bits as i8))
}

/// As [`kernel_sums`], of weights of 8 bits as they lie in memory; it takes a few instructions for many of them.
pub fn kernel_sums_of_bytes(weights: &[u8], zero_point: i64, channels: Channels) -> Vec<i64> {
    match i16::try_from(zero_point) {
        Ok(zero_point) => channels.folded_bytes(weights, zero_point, |w| w),
        Err(_) => kernel_sums(integers(weights), zero_point, channels),
    }
}

/// As [`reaches`], of weights of 8 bits as they lie in memory; it takes a few instructions for many of them.
pub fn reaches_of_bytes(
    x: Reach,
    weights: &[u8],
    zero_point: i64,
    channels: Channels,
) -> Vec<Reach> {
    let Ok(narrow) = i16::try_from(zero_point) else {
        return reaches(x, integers(weights), zero_point, channels);
    };
    let sizes = channels.folded_bytes(weights, narrow, i32::abs);
    let times = |sum: i64| Reach(u128::from(sum.unsigned_abs()).saturating_mul(x.0));
    sizes.into_iter().map(times).collect()
}

/// `sum(w - zero_point)` of each channel. Sums of up to `2^30` weights of 32 bits are exact.
pub fn kernel_sums(
    weights: impl IntoIterator<Item = i64>,
    zero_point: i64,
    channels: Channels,
) -> Vec<i64> {
    channels.folded(weights, 0, |sum, weight| *sum += weight - zero_point)
}

/// How far the sums of products of each channel are from 0 at most, for inputs of this reach: `x * sum(|w - zero_point|)`.
pub fn reaches(
    x: Reach,
    weights: impl IntoIterator<Item = i64>,
    zero_point: i64,
    channels: Channels,
) -> Vec<Reach> {
    let sizes = channels.folded(weights, Reach(0), |sum, weight| {
        sum.0 = sum.0.saturating_add(weight.abs_diff(zero_point).into());
    });
    let times = |sum: Reach| Reach(sum.0.saturating_mul(x.0));
    sizes.into_iter().map(times).collect()
}

/// `bias - input_zero_point * kernel_sum` of each channel, for kernels that multiply the input's integers as they are. No bias
/// is a bias of zeros. `None` if a number does not fit 32 bits, or if there is not a bias for each channel.
///
/// ```
/// use kiln_quantised::sums::folded_bias;
/// assert_eq!(folded_bias(Some(&[10, 20]), &[3, -4], -128), Some(vec![394, -492]));
/// assert_eq!(folded_bias(None, &[1 << 25], -128), None);
/// ```
pub fn folded_bias(
    bias: Option<&[i32]>,
    kernel_sums: &[i64],
    input_zero_point: i32,
) -> Option<Vec<i32>> {
    if bias.is_some_and(|bias| bias.len() != kernel_sums.len()) {
        return None;
    }
    let folded = |(channel, &sum): (usize, &i64)| {
        let bias = bias.map_or(0, |bias| bias[channel]);
        let shift = i128::from(input_zero_point) * i128::from(sum);
        i32::try_from(i128::from(bias) - shift).ok()
    };
    kernel_sums.iter().enumerate().map(folded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_channels_and_no_weights_have_no_sums() {
        let none = Channels::along(&[0, 3], 0);
        assert!(kernel_sums([], 0, none).is_empty());
        let empty = Channels::along(&[2, 0, 3], 0);
        assert_eq!(kernel_sums([], 7, empty), [0, 0]);
        assert_eq!(kernel_sums_of_bytes(&[], 7, empty), [0, 0]);
        assert!(kernel_sums_of_bytes(&[], 0, none).is_empty());
        assert_eq!(reaches(Reach(255), [], 7, empty), [Reach(0); 2]);
        assert_eq!(folded_bias(None, &[], 3), Some(vec![]));
        assert_eq!(folded_bias(Some(&[1]), &[], 3), None);
    }

    #[test]
    fn reaches_saturate() {
        let one = Channels::along(&[1, 2], 0);
        let found = reaches(Reach(u128::MAX), [2, 2], 0, one);
        assert_eq!(found, [Reach(u128::MAX)]);
    }

    proptest! {
        /// A sum of products in integers, for weights of 8 and 4 bits, along either axis.
        #[test]
        fn folded_biases_take_the_zero_point_from_the_input(
            (outputs, taps, axis) in (1usize..5, 1usize..9, 0usize..2),
            numbers in proptest::collection::vec(any::<i8>(), 40),
            (zx, zw) in (-128i32..128, -8i64..8),
            (bias, is_small) in (any::<i16>(), any::<bool>()),
        ) {
            let sizes = if axis == 0 { [outputs, taps] } else { [taps, outputs] };
            let narrow = |w: i8| if is_small { w >> 4 } else { w };
            let weights: Vec<i64> = numbers[..outputs * taps].iter().map(|&w| narrow(w).into()).collect();
            let xs: Vec<i64> = numbers[32..32 + taps.min(8)].iter().map(|&x| x.into()).collect();
            let channels = Channels::along(&sizes, axis);
            let at = |channel: usize, tap: usize| match axis {
                0 => weights[channel * taps + tap] - zw,
                _ => weights[tap * outputs + channel] - zw,
            };
            let sums = kernel_sums(weights.iter().copied(), zw, channels);
            let bytes: Vec<u8> = weights.iter().map(|&w| w as u8).collect();
            let far = i64::from(i16::MAX) + zw + 9;
            for zero_point in [zw, far] {
                let of_bytes = weights.iter().map(|&w| i64::from(w as i8));
                let expected = kernel_sums(of_bytes.clone(), zero_point, channels);
                prop_assert_eq!(kernel_sums_of_bytes(&bytes, zero_point, channels), expected);
                let expected = reaches(Reach(255), of_bytes, zero_point, channels);
                prop_assert_eq!(reaches_of_bytes(Reach(255), &bytes, zero_point, channels), expected);
            }
            let biases = vec![i32::from(bias); outputs];
            let folded = folded_bias(Some(&biases), &sums, zx).expect("small numbers");
            let x = Reach::of_integers(-128, 127, zx.into());
            let reaches = reaches(x, weights.iter().copied(), zw, channels);
            for channel in 0..outputs {
                let exact: i64 = (0..xs.len()).map(|tap| (xs[tap] - i64::from(zx)) * at(channel, tap)).sum();
                let found: i64 = (0..xs.len()).map(|tap| xs[tap] * at(channel, tap)).sum();
                prop_assert_eq!(found + i64::from(folded[channel]), exact + i64::from(bias));
                prop_assert!(u128::from(exact.unsigned_abs()) <= reaches[channel].0);
            }
        }
    }
}
