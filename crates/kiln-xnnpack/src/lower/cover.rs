//! Windows covered by depthwise kernels of other sizes.
//!
//! XNNPACK's depthwise kernels take 3, 4, 9 or 25 taps. For any other number of taps they read beside the window
//! ([`super::window_sum`]). Such a window is covered by parts with exactly these numbers of taps, all inside the
//! window. A tap where parts overlap is shared by powers of two, which is exact and keeps infinities.

/// The numbers of taps of the library's depthwise kernels; guards by images choose among them.
pub(super) const TILES: [u32; 4] = [3, 4, 9, 25];

/// True if a depthwise kernel for this number of taps reads nothing beside the window.
pub(crate) fn is_tile(taps: u32) -> bool {
    TILES.contains(&taps)
}

/// The cost of one pass over the image, in taps (measured: it loads, adds and stores once more).
const PASS: u64 = 8;
/// A tap's weight in a program is worth as much as the tap at this many places, which is about 5 ns for a byte. So a window at few places has
/// no tap twice.
const WEIGHT: u64 = 400;
/// More places change no choice.
const MAX_PLACES: u64 = 1 << 20;
/// The most taps of a window that is covered.
const MAX_TAPS: u32 = 1 << 10;
/// The lengths that are tried for the first of two pieces: those of tiles, and the rest beside them.
const PIECES: [u32; 7] = [1, 2, 3, 4, 5, 9, 25];
/// The most rows by which two pieces overlap.
const MAX_OVERLAP: u32 = 4;
/// The side lengths that are tried for two squares at opposite corners.
const SQUARES: [u32; 2] = [3, 5];

/// A window of adjacent rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) start: [u32; 2],
    pub(crate) taps: [u32; 2],
}

/// The cheapest cover of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Tile,
    /// Two pieces of these lengths along an axis, the first at its start, the second at its end.
    Pieces(usize, [u32; 2]),
    /// Two rectangles of this size at opposite corners, and covers of the other two corners.
    Corners([u32; 2]),
}

/// The parts that cover a window of this many rows and columns, which is moved to so many places. `None` if it is too small (1 or 2 taps) or too
/// large.
pub(crate) fn cover(window: [u32; 2], places: u64) -> Option<Vec<Part>> {
    let taps = window[0].checked_mul(window[1])?;
    if taps > MAX_TAPS {
        return None;
    }
    let ways = Ways::new(window, places.min(MAX_PLACES));
    ways.best(window)?;
    let mut parts = Vec::new();
    ways.collect([0, 0], window, &mut parts);
    Some(parts)
}

/// Parts of equal size that cover a window and all contain its middle. Padding by half a window then reaches into every
/// part. `None` if no tile size does that.
pub(crate) fn halves([h, w]: [u32; 2]) -> Option<Vec<Part>> {
    const SIZES: [[u32; 2]; 11] = [
        [3, 1],
        [4, 1],
        [9, 1],
        [25, 1],
        [1, 3],
        [1, 4],
        [1, 9],
        [1, 25],
        [2, 2],
        [3, 3],
        [5, 5],
    ];
    let fits = |length: u32, tile: u32| (tile..=2 * tile).contains(&length);
    let taps = SIZES.into_iter().find(|&[a, b]| fits(h, a) && fits(w, b))?;
    let starts = |length: u32, tile: u32| match length - tile {
        0 => vec![0],
        rest => vec![0, rest],
    };
    let (rows, columns) = (starts(h, taps[0]), starts(w, taps[1]));
    let all = rows
        .iter()
        .flat_map(|&y| columns.iter().map(move |&x| [y, x]));
    Some(all.map(|start| Part { start, taps }).collect())
}

/// The share of each tap in each part: by part, then row by row.
pub(crate) fn shares(window: [u32; 2], parts: &[Part]) -> Vec<Vec<f32>> {
    let mut open = vec![0u32; (window[0] * window[1]) as usize];
    let places = |part: &Part| {
        let Part { start, taps } = *part;
        let rows = start[0]..start[0] + taps[0];
        rows.flat_map(move |y| (start[1]..start[1] + taps[1]).map(move |x| y * window[1] + x))
            .map(|place| place as usize)
    };
    for place in parts.iter().flat_map(places) {
        open[place] += 1;
    }
    let mut left = vec![1.0f32; open.len()];
    let mut take = |place: usize| {
        open[place] -= 1;
        if open[place] > 0 {
            left[place] /= 2.0;
        }
        left[place]
    };
    parts
        .iter()
        .map(|part| places(part).map(&mut take).collect())
        .collect()
}

/// The cheapest cover of every size up to a window's.
struct Ways {
    columns: u32,
    places: u64,
    best: Vec<Option<(u64, Way)>>,
}

impl Ways {
    fn new([rows, columns]: [u32; 2], places: u64) -> Ways {
        let count = (rows * columns) as usize;
        let mut ways = Ways {
            columns,
            places,
            best: Vec::with_capacity(count),
        };
        for h in 1..=rows {
            for w in 1..=columns {
                let found = ways.find([h, w]);
                ways.best.push(found);
            }
        }
        ways
    }

    fn best(&self, [h, w]: [u32; 2]) -> Option<(u64, Way)> {
        self.best[((h - 1) * self.columns + w - 1) as usize]
    }

    fn cost(&self, size: [u32; 2]) -> Option<u64> {
        self.best(size).map(|(cost, _)| cost)
    }

    fn find(&self, size: [u32; 2]) -> Option<(u64, Way)> {
        let taps = size[0] * size[1];
        let cost = u64::from(taps) * (self.places + WEIGHT) + PASS * self.places;
        let tile = is_tile(taps).then_some((cost, Way::Tile));
        let pieces = (0..2).flat_map(|axis| self.pieces(size, axis));
        let corners = self.corners(size);
        let all = tile.into_iter().chain(pieces).chain(corners);
        all.min_by_key(|(cost, _)| *cost)
    }

    fn pieces(&self, size: [u32; 2], axis: usize) -> Vec<(u64, Way)> {
        let length = size[axis];
        let with = |n: u32| {
            if axis == 0 {
                [n, size[1]]
            } else {
                [size[0], n]
            }
        };
        let mut found = Vec::new();
        for a in PIECES.into_iter().filter(|&a| a < length) {
            for b in (length - a..length).take(1 + MAX_OVERLAP as usize) {
                if let (Some(first), Some(second)) = (self.cost(with(a)), self.cost(with(b))) {
                    found.push((first + second, Way::Pieces(axis, [a, b])));
                }
            }
        }
        found
    }

    fn corners(&self, [h, w]: [u32; 2]) -> Vec<(u64, Way)> {
        let mut found = Vec::new();
        for a in SQUARES.into_iter().filter(|&a| a < h && h <= 2 * a) {
            for b in SQUARES.into_iter().filter(|&b| b < w && w <= 2 * b) {
                let costs = (self.cost([a, b]), self.cost([h - a, w - b]));
                if let (Some(square), Some(rest)) = costs {
                    found.push((2 * (square + rest), Way::Corners([a, b])));
                }
            }
        }
        found
    }

    fn collect(&self, start: [u32; 2], size: [u32; 2], parts: &mut Vec<Part>) {
        let Some((_, way)) = self.best(size) else {
            return;
        };
        match way {
            Way::Tile => parts.push(Part { start, taps: size }),
            Way::Pieces(axis, [a, b]) => {
                let (mut first, mut second, mut at) = (size, size, start);
                (first[axis], second[axis]) = (a, b);
                at[axis] += size[axis] - b;
                self.collect(start, first, parts);
                self.collect(at, second, parts);
            }
            Way::Corners(square) => {
                let rest = [size[0] - square[0], size[1] - square[1]];
                let [y, x] = start;
                self.collect(start, square, parts);
                self.collect([y + rest[0], x + rest[1]], square, parts);
                self.collect([y, x + square[1]], rest, parts);
                self.collect([y + square[0], x], rest, parts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_of_three_taps_or_more_is_covered() {
        for (h, w) in (1..=32).flat_map(|h| (1..=32).map(move |w| (h, w))) {
            for places in [1, 10_000] {
                let Some(parts) = cover([h, w], places) else {
                    assert!(h * w <= 2, "{h} x {w}");
                    continue;
                };
                let mut sum = vec![0.0; (h * w) as usize];
                for (part, shares) in parts.iter().zip(shares([h, w], &parts)) {
                    assert!(is_tile(part.taps[0] * part.taps[1]));
                    let mut shares = shares.into_iter();
                    for y in part.start[0]..part.start[0] + part.taps[0] {
                        for x in part.start[1]..part.start[1] + part.taps[1] {
                            let share = shares.next().unwrap();
                            assert!(share > 0.0);
                            sum[(y * w + x) as usize] += share;
                        }
                    }
                }
                assert!(sum.iter().all(|&s| s == 1.0), "{h} x {w}: {sum:?}");
            }
        }
    }

    #[test]
    fn halves_cover_what_two_tiles_reach() {
        for window in [[7, 7], [9, 9], [31, 1], [1, 15], [7, 1], [5, 8]] {
            let parts = halves(window).unwrap();
            let sum: f32 = shares(window, &parts).concat().iter().sum();
            assert_eq!(sum, (window[0] * window[1]) as f32, "{window:?}");
            for Part { start, taps } in parts {
                for axis in 0..2 {
                    assert!(2 * start[axis] <= window[axis]);
                    assert!(2 * (start[axis] + taps[axis]) >= window[axis]);
                }
            }
        }
        assert_eq!(halves([3, 7]), None);
    }

    #[test]
    fn few_taps_are_counted_twice() {
        let taps = |window| {
            let taps = |places| -> u32 {
                let parts: Vec<Part> = cover(window, places).unwrap();
                parts.iter().map(|p| p.taps[0] * p.taps[1]).sum()
            };
            [10_000, 49].map(taps)
        };
        assert_eq!(taps([7, 7]), [58, 49]);
        assert_eq!(taps([9, 9]), [100, 81]);
        assert_eq!(taps([1, 31]), [34, 31]);
        assert_eq!(taps([8, 8]), [68, 64]);
    }

    #[test]
    fn windows_of_any_length_end() {
        assert!(cover([1, 1024], 1).is_some());
        assert_eq!(cover([33, 32], 1), None);
        assert_eq!(cover([65_535, 65_535], 1), None);
        assert_eq!(cover([1, 2], 1), None);
    }
}
