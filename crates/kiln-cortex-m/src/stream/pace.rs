//! How many rows a group gives in each round.
//!
//! Where operands are read faster than results grow, there is more and more room for rows: rounds may then grow. Where results grow
//! faster, rounds may shrink.

/// How rounds follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pace {
    /// All rounds are alike.
    Even,
    /// As many rounds, some of which are shorter by a row, in place of a last one that is shorter by many.
    Balanced,
    /// A round is twice as long when twice as many rows are there, from so many rounds on.
    Growing(usize),
    /// The same from the last round backwards.
    Shrinking(usize),
}

/// The paces that are tried.
pub(super) const UNEVEN: [Pace; 9] = [
    Pace::Balanced,
    Pace::Growing(1),
    Pace::Shrinking(1),
    Pace::Growing(2),
    Pace::Shrinking(2),
    Pace::Growing(4),
    Pace::Shrinking(4),
    Pace::Growing(8),
    Pace::Shrinking(8),
];

impl Pace {
    /// How many rows of a result are there behind each round, whose least one has `tile` rows.
    pub fn ends(self, tile: usize, height: usize) -> Vec<usize> {
        match self {
            Pace::Even => (1..=height.div_ceil(tile))
                .map(|round| (tile * round).min(height))
                .collect(),
            Pace::Balanced => {
                let rounds = height.div_ceil(tile);
                (1..=rounds)
                    .map(|round| (height * round).div_ceil(rounds))
                    .collect()
            }
            Pace::Growing(rounds) => growing(tile, rounds, height),
            Pace::Shrinking(rounds) => {
                let mut ends: Vec<usize> = growing(tile, rounds, height)
                    .iter()
                    .map(|end| height - end)
                    .collect();
                ends.pop();
                ends.reverse();
                ends.push(height);
                ends
            }
        }
    }
}

fn growing(tile: usize, rounds: usize, height: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut done, mut rows) = (0, tile);
    while done < height {
        if done >= 2 * rounds * rows {
            rows *= 2;
        }
        done = (done + rows).min(height);
        ends.push(done);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_or_shrink() {
        assert_eq!(Pace::Even.ends(4, 10), [4, 8, 10]);
        assert_eq!(Pace::Balanced.ends(9, 25), [9, 17, 25]);
        assert_eq!(Pace::Growing(1).ends(1, 12), [1, 2, 4, 8, 12]);
        assert_eq!(Pace::Growing(2).ends(1, 12), [1, 2, 3, 4, 6, 8, 12]);
        assert_eq!(Pace::Shrinking(1).ends(1, 12), [4, 8, 10, 11, 12]);
        assert_eq!(Pace::Growing(8).ends(3, 7), [3, 6, 7]);
        assert_eq!(Pace::Shrinking(8).ends(3, 7), [1, 4, 7]);
    }
}
