//! Limits of the work that one call may cause. A count in an argument is any 64-bit int, so a malformed or hostile call
//! could ask for any amount.

use crate::call::error::Problem;

/// The most nodes that one call may make. Recurrent layers need the most: they are unrolled for up to 4096 steps, into
/// some nodes for each step, layer and direction. No target runs a larger graph soon.
pub(crate) const MAX_NODES: usize = 1 << 20;

/// The most results of one call, such as the parts of a tensor. Each result becomes a value for which memory is
/// planned.
const MAX_RESULTS: i64 = 1 << 16;

/// The most elements of a constant that an op computes from its arguments. The constant is computed at import and
/// stored in the program: 128 MiB as i64.
const MAX_ELEMENTS: i64 = 1 << 24;

/// `count` as a number of results.
///
/// # Errors
/// If `count` is negative or greater than [`MAX_RESULTS`].
pub(crate) fn results(count: i64) -> Result<usize, Problem> {
    within("results", count, MAX_RESULTS)
}

/// The number of elements of a constant with these sizes.
///
/// # Errors
/// If a size is negative, or if the product of the sizes other than 0 is greater than [`MAX_ELEMENTS`]. Sizes of 0 do
/// not count as factors, because loops over the other sizes run all the same.
pub(crate) fn elements(sizes: &[i64]) -> Result<usize, Problem> {
    let product = |sizes: &[i64]| {
        let negative = sizes.iter().any(|&size| size < 0);
        let product = sizes.iter().try_fold(1i64, |n, &size| n.checked_mul(size));
        product.filter(|_| !negative).unwrap_or(i64::MAX)
    };
    let outer: Vec<i64> = sizes.iter().map(|&size| size.max(1)).collect();
    within("elements of a constant", product(&outer), MAX_ELEMENTS)?;
    within("elements of a constant", product(sizes), MAX_ELEMENTS)
}

fn within(what: &str, found: i64, most: i64) -> Result<usize, Problem> {
    match usize::try_from(found) {
        Ok(count) if found <= most => Ok(count),
        _ if found == i64::MAX => Err(Problem::unsupported(format!(
            "would make more {what} than the {most} that one call may"
        ))),
        _ => Err(Problem::unsupported(format!(
            "would make {found} {what}; one call may make 0 to {most}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_held_against_what_is_looped_over() {
        assert_eq!(elements(&[3, 4]), Ok(12));
        assert_eq!(elements(&[3, 0]), Ok(0));
        for sizes in [
            &[-1, 4][..],
            &[-1, -1],
            &[1 << 40, 0],
            &[1 << 40, 1 << 40],
            &[i64::MAX],
        ] {
            assert!(elements(sizes).is_err(), "{sizes:?}");
        }
        assert!(results(-1).is_err());
        assert!(results(1 << 16).is_ok());
        assert!(results(1 + (1 << 16)).is_err());
    }
}
