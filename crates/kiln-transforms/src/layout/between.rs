//! A permutation of more axes than a transpose has, as two transposes.
//!
//! Axes that stay neighbours are one block to a transpose. So the order between the two transposes needs enough neighbours
//! of the first order for the one, and enough neighbours of the last order for the other.

/// The order of the axes between two transposes of at most `most` blocks each, as indices of the source's axes.
/// `permutation` has the source's axis for each axis of the result, and no two of these stay neighbours. `None` if there is
/// no such order. An innermost axis that stays innermost does so in between, if possible: elements are then moved in rows.
pub(super) fn order_between(permutation: &[usize], most: usize) -> Option<Vec<usize>> {
    let axes = permutation.len();
    let needed = axes.checked_sub(most)?;
    // `most` blocks keep all but `most - 1` pairs of neighbours, and an order has `axes - 1` pairs.
    if 2 * needed > axes - 1 || axes > 16 {
        return None;
    }
    let mut found = None;
    for kept in (0u32..1 << (axes - 1)).filter(|kept| kept.count_ones() as usize == needed) {
        let mut chains = Chains::new(axes);
        for pair in (0..axes - 1).filter(|pair| kept >> pair & 1 == 1) {
            chains.join(permutation[pair], permutation[pair + 1]);
        }
        let joined = (1..axes).filter(|&axis| chains.join(axis - 1, axis));
        if joined.count() < needed {
            continue;
        }
        let order = chains.order();
        if order.last() == Some(&(axes - 1)) {
            return Some(order);
        }
        found = found.or(Some(order));
    }
    found
}

/// Axes in chains of neighbours.
struct Chains {
    next: Vec<Option<usize>>,
    is_first: Vec<bool>,
}

impl Chains {
    fn new(axes: usize) -> Chains {
        Chains {
            next: vec![None; axes],
            is_first: vec![true; axes],
        }
    }

    fn last(&self, mut axis: usize) -> usize {
        while let Some(next) = self.next[axis] {
            axis = next;
        }
        axis
    }

    /// Puts `b` behind `a`. False, without effect, if one has another neighbour there, or if that closes a ring.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let is_free = self.next[a].is_none() && self.is_first[b] && self.last(b) != a;
        if is_free {
            self.next[a] = Some(b);
            self.is_first[b] = false;
        }
        is_free
    }

    /// All chains one after the other, by their first axes; that which ends with the innermost axis is last.
    fn order(&self) -> Vec<usize> {
        let axes = self.next.len();
        let mut firsts: Vec<usize> = (0..axes).filter(|&a| self.is_first[a]).collect();
        firsts.sort_by_key(|&first| self.last(first) == axes - 1);
        let chain = |first| std::iter::successors(Some(first), |&axis| self.next[axis]);
        firsts.into_iter().flat_map(chain).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(from: &[usize], to: &[usize]) -> usize {
        let place = |axis: &usize| from.iter().position(|a| a == axis).unwrap();
        1 + to
            .windows(2)
            .filter(|w| place(&w[1]) != place(&w[0]) + 1)
            .count()
    }

    /// All permutations of seven axes without neighbours, and some of those of eight and nine.
    #[test]
    fn two_transposes_of_six_axes_are_a_permutation_of_more() {
        for (axes, step) in [(7, 1), (8, 7), (9, 97)] {
            let source: Vec<usize> = (0..axes).collect();
            let mut tried = 0;
            let all = permutations(axes).into_iter().step_by(step);
            for permutation in all.filter(|p| blocks(&source, p) == axes) {
                tried += 1;
                let Some(between) = order_between(&permutation, 6) else {
                    panic!("{permutation:?}");
                };
                let first = blocks(&source, &between);
                let second = blocks(&between, &permutation);
                assert!(first <= 6 && second <= 6, "{permutation:?}: {between:?}");
            }
            assert!(tried > 500, "{tried} of {axes} axes");
        }
    }

    #[test]
    fn eleven_axes_are_the_most() {
        let reversed = |axes: usize| (0..axes).rev().collect::<Vec<usize>>();
        assert!(order_between(&reversed(12), 6).is_none());
        assert!(order_between(&reversed(40), usize::MAX).is_none());
    }

    /// Nested windows of an image: the channels stay innermost.
    #[test]
    fn the_innermost_axis_stays() {
        let permutation = [3, 7, 2, 6, 1, 5, 0, 4, 8];
        let between = order_between(&permutation, 6).unwrap();
        assert_eq!(between.last(), Some(&8));
    }

    fn permutations(axes: usize) -> Vec<Vec<usize>> {
        let mut all = vec![vec![]];
        for axis in 0..axes {
            let longer = |p: &Vec<usize>| {
                let p = p.clone();
                (0..=p.len()).map(move |at| {
                    let mut longer = p.clone();
                    longer.insert(at, axis);
                    longer
                })
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }
}
