//! A transpose with as few axes as possible: `[1, C, H, W]` by `(0, 2, 3, 1)` is `[1, C, HW]` by `(0, 2, 1)`.

/// The sizes and the permutation of a transpose whose neighbouring axes, if they stay neighbours, are joined into axes
/// of at most `most` elements. `None` if no axes can be joined.
pub(crate) fn joined(
    shape: &[usize],
    perms: &[usize],
    most: usize,
) -> Option<(Vec<usize>, Vec<usize>)> {
    let runs = runs(shape, perms, most);
    if runs.len() == perms.len() {
        return None;
    }
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|&run| runs[run].0);
    let sizes = order.iter().map(|&run| runs[run].1).collect();
    let place = |run: usize| order.iter().position(|&o| o == run).unwrap_or(run);
    Some((sizes, (0..runs.len()).map(place).collect()))
}

/// The first axis and the size of each run of axes that stay together, in the order of the result.
fn runs(shape: &[usize], perms: &[usize], most: usize) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for &axis in perms {
        let size = shape[axis];
        match runs.last_mut() {
            Some((_, whole)) if before == axis.checked_sub(1) && *whole * size <= most => {
                *whole *= size;
            }
            _ => runs.push((axis, size)),
        }
        before = Some(axis);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn neighbours_are_joined() {
        let image = [1, 3, 224, 224];
        let found = joined(&image, &[0, 2, 3, 1], 1 << 16);
        assert_eq!(found, Some((vec![1, 3, 50176], vec![0, 2, 1])));
        let found = joined(&[2, 5, 6, 7], &[0, 3, 1, 2], 1 << 16);
        assert_eq!(found, Some((vec![2, 30, 7], vec![0, 2, 1])));
    }

    #[test]
    fn axes_that_part_or_are_too_large_are_not() {
        assert_eq!(joined(&[2, 3, 4], &[2, 1, 0], 1 << 16), None);
        assert_eq!(joined(&[1, 3, 300, 300], &[0, 2, 3, 1], 1 << 16), None);
    }
}
