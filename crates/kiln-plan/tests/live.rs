//! Arrangements of random sequences, executed on a toy memory in which every write stores a number of its own. Whatever
//! the control flow, a point must read what was last written to the place.

use kiln_plan::live::{
    Area, Arrangement, Next, Overwrite, Place, PlaceId, Point, Scratch, Sequence, arrange, check,
};
use kiln_plan::{Limits, ProblemError};

const SEQUENCES: u64 = 1500;
const RUNS: u64 = 6;

/// A minimal random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x14057b7ef767814f);
        (self.0 >> 33) as usize % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Builds a sequence of plain points, branches and loops.
struct Maker {
    random: Random,
    made: Sequence,
    /// The places that hold data, whatever the control flow was.
    held: Vec<PlaceId>,
}

const SIZES: [u64; 4] = [4, 8, 8, 12];

impl Maker {
    fn place(&mut self, from_start: bool, keeps: bool) -> PlaceId {
        let size = SIZES[self.random.below(SIZES.len())];
        self.made.places.push(Place {
            alignment: [1, 2, 4][self.random.below(3)],
            from_start,
            keeps,
            ..Place::new(size)
        });
        PlaceId(self.made.places.len() - 1)
    }

    fn pick(&mut self) -> PlaceId {
        self.held[self.random.below(self.held.len())]
    }

    /// All of a place, or its first half.
    fn area(&mut self, place: PlaceId) -> Area {
        let whole = self.made.whole(place);
        match self.random.chance(20) {
            true => Area {
                size: whole.size / 2,
                ..whole
            },
            false => whole,
        }
    }

    fn straight(&mut self) {
        let mut point = Point::default();
        for _ in 0..1 + self.random.below(2) {
            let place = self.pick();
            let area = self.area(place);
            point.reads.push(area);
        }
        if self.random.chance(20) {
            point.scratch.push(Scratch {
                size: 1 + self.random.below(9) as u64,
                alignment: [1, 4][self.random.below(2)],
            });
        }
        if self.random.chance(20) {
            // New content for all or half of an existing place.
            let place = self.pick();
            let area = self.area(place);
            point.writes.push(area);
            self.made.points.push(point);
            return;
        }
        let out = self.place(false, false);
        if self.random.chance(15) {
            // In halves, by two points.
            let whole = self.made.whole(out);
            let half = whole.size / 2;
            let first = Area {
                size: half,
                ..whole
            };
            let second = Area {
                offset: half,
                size: whole.size - half,
                ..whole
            };
            let reads = point.reads.clone();
            point.writes.push(first);
            self.made.points.push(point);
            point = Point {
                reads,
                writes: vec![second],
                ..Point::default()
            };
        } else {
            point.writes.push(self.made.whole(out));
            let whole: Vec<Area> = point.reads.clone();
            for area in whole {
                if area == self.made.whole(area.place) && self.random.chance(70) {
                    point.overwrites.push(Overwrite {
                        out,
                        operand: area.place,
                    });
                }
            }
        }
        self.made.points.push(point);
        self.held.push(out);
    }

    /// A point that reads something and may jump. The target is set later.
    fn jump(&mut self) -> usize {
        let place = self.pick();
        let reads = vec![self.made.whole(place)];
        self.made.points.push(Point {
            reads,
            ..Point::default()
        });
        self.made.points.len() - 1
    }

    fn land(&mut self, jump: usize, to: usize) {
        self.made.points[jump].next = Next::Either(to);
    }

    fn branch(&mut self, depth: usize) {
        let joined: Vec<PlaceId> = (0..self.random.below(2))
            .map(|_| self.place(false, false))
            .collect();
        let held = self.held.len();
        let other = self.jump();
        self.items(depth + 1);
        self.give(&joined);
        self.held.truncate(held);
        let end = self.jump();
        let here = self.made.points.len();
        self.land(other, here);
        self.items(depth + 1);
        self.give(&joined);
        self.held.truncate(held);
        let here = self.made.points.len();
        self.land(end, here);
        self.held.extend(joined);
    }

    /// Writes existing places, each by a point that may do so in place.
    fn give(&mut self, places: &[PlaceId]) {
        for &out in places {
            let from = self.pick();
            let whole = self.made.whole(from);
            let overwrites = vec![Overwrite { out, operand: from }];
            let writes = vec![self.made.whole(out)];
            self.made.points.push(Point {
                reads: vec![whole],
                writes,
                overwrites,
                ..Point::default()
            });
        }
    }

    fn repeat(&mut self, depth: usize) {
        let held = self.held.len();
        let head = self.made.points.len();
        let exit = self.random.chance(50).then(|| self.jump());
        self.items(depth + 1);
        let carried = self.held[self.random.below(held)];
        self.give(&[carried]);
        let back = self.jump();
        self.land(back, head);
        let here = self.made.points.len();
        if let Some(exit) = exit {
            self.land(exit, here);
            self.held.truncate(held);
        }
    }

    fn items(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(10) {
                0 | 1 if depth < 3 => self.branch(depth),
                2 | 3 if depth < 3 => self.repeat(depth),
                _ => self.straight(),
            }
        }
    }
}

fn sequence(seed: u64) -> Sequence {
    let mut maker = Maker {
        random: Random(seed),
        made: Sequence::default(),
        held: Vec::new(),
    };
    let first = maker.place(true, false);
    maker.held.push(first);
    if maker.random.chance(50) {
        let state = maker.place(false, true);
        maker.held.push(state);
    }
    maker.items(0);
    maker.items(0);
    let last = maker.pick();
    maker.made.places[last.0].to_end = true;
    maker.made
}

/// Executes a sequence in separate memory and in the arena at the same time. Reports the points that read something else
/// than was written.
struct Toy<'s> {
    sequence: &'s Sequence,
    arrangement: &'s Arrangement,
    own: Vec<Vec<u64>>,
    arena: Vec<u64>,
    number: u64,
}

impl Toy<'_> {
    fn write(&mut self, area: Area) {
        let start = (self.arrangement.places[area.place.0] + area.offset) as usize;
        for i in 0..area.size as usize {
            self.number += 1;
            self.own[area.place.0][area.offset as usize + i] = self.number;
            self.arena[start + i] = self.number;
        }
    }

    /// True if the bytes are those that were written last. Bytes that were never written may be anything.
    fn holds(&self, area: Area) -> bool {
        let start = (self.arrangement.places[area.place.0] + area.offset) as usize;
        (0..area.size as usize).all(|i| {
            let own = self.own[area.place.0][area.offset as usize + i];
            own == 0 || own == self.arena[start + i]
        })
    }

    fn run_point(&mut self, number: usize) -> bool {
        let point = &self.sequence.points[number];
        if !point.reads.iter().all(|&area| self.holds(area)) {
            return false;
        }
        let lies = |place: PlaceId| self.arrangement.places[place.0];
        let is_over = |area: &&Area| {
            let mut all = point.overwrites.iter();
            all.any(|o| o.out == area.place && lies(o.operand) == lies(o.out))
        };
        let (late, early): (Vec<Area>, Vec<Area>) = point.writes.iter().partition(is_over);
        for (scratch, &at) in point.scratch.iter().zip(&self.arrangement.scratch[number]) {
            self.number += 1;
            self.arena[at as usize..(at + scratch.size) as usize].fill(self.number);
        }
        early.iter().for_each(|&area| self.write(area));
        if !point.reads.iter().all(|&area| self.holds(area)) {
            return false;
        }
        late.iter().for_each(|&area| self.write(area));
        true
    }

    fn run(&mut self, random: &mut Random) -> Result<(), usize> {
        let sequence = self.sequence;
        for (id, place) in sequence.places.iter().enumerate() {
            if place.from_start || place.keeps {
                self.write(sequence.whole(PlaceId(id)));
            }
        }
        let (mut at, mut done) = (0, 0);
        while at < sequence.points.len() {
            if !self.run_point(at) {
                return Err(at);
            }
            done += 1;
            at = match sequence.points[at].next {
                Next::Either(to) if (to > at || done < 300) && random.chance(50) => to,
                _ => at + 1,
            };
        }
        let ends = sequence
            .places
            .iter()
            .enumerate()
            .filter(|(_, p)| p.to_end || p.keeps);
        let mut ends = ends.map(|(id, _)| self.holds(sequence.whole(PlaceId(id))));
        ends.all(|holds| holds).then_some(()).ok_or(at)
    }
}

fn run(sequence: &Sequence, arrangement: &Arrangement, seed: u64) -> Result<(), usize> {
    let own = sequence.places.iter().map(|p| vec![0; p.size as usize]);
    let mut toy = Toy {
        sequence,
        arrangement,
        own: own.collect(),
        arena: vec![0; arrangement.bytes as usize],
        number: 0,
    };
    toy.run(&mut Random(seed))
}

fn limits() -> Limits {
    Limits::default()
}

#[test]
fn arrangements_keep_what_is_read() -> Result<(), ProblemError> {
    let (mut merged, mut scratches, mut jumps) = (0, 0, 0);
    for seed in 0..SEQUENCES {
        let sequence = sequence(seed);
        let arrangement = arrange(&sequence, &limits())?;
        assert_eq!(
            check(&sequence, &arrangement),
            [],
            "seed {seed}: {sequence:#?}"
        );
        assert!(arrangement.bytes >= arrangement.lower_bound, "seed {seed}");
        let roots = arrangement.merged.iter().enumerate();
        merged += roots.filter(|(place, root)| root.0 != *place).count();
        scratches += sequence
            .points
            .iter()
            .filter(|s| !s.scratch.is_empty())
            .count();
        jumps += sequence
            .points
            .iter()
            .filter(|s| s.next != Next::Following)
            .count();
        for way in 0..RUNS {
            assert_eq!(
                run(&sequence, &arrangement, way),
                Ok(()),
                "seed {seed}, way {way}"
            );
        }
    }
    assert!(
        merged > 500 && scratches > 500 && jumps > 1000,
        "{merged} {scratches} {jumps}"
    );
    Ok(())
}

/// Arrangements that the checker accepts execute correctly. Most of those that it refuses fail when they are executed.
#[test]
fn the_judge_refuses_what_breaks() -> Result<(), ProblemError> {
    let (mut refused, mut broken, mut accepted) = (0, 0, 0);
    for seed in 0..SEQUENCES {
        let sequence = sequence(seed);
        let mut arrangement = arrange(&sequence, &limits())?;
        let mut random = Random(seed ^ 0xabcd);
        let place = random.below(sequence.places.len());
        let room = arrangement.bytes - sequence.places[place].size;
        let alignment = sequence.places[place].alignment;
        arrangement.places[place] = random.below(room as usize + 1) as u64 / alignment * alignment;
        let is_refused = !check(&sequence, &arrangement).is_empty();
        let fails = (0..RUNS).any(|way| run(&sequence, &arrangement, way).is_err());
        assert!(is_refused || !fails, "seed {seed}: accepted, and fails");
        refused += usize::from(is_refused);
        broken += usize::from(fails);
        accepted += usize::from(!is_refused);
    }
    assert!(
        broken > 300 && accepted > 100,
        "{refused} refused, {broken} broken, {accepted} accepted"
    );
    // The other refused arrangements fail only on a path that no run takes, or with a content that no run tells apart.
    assert!(broken * 2 > refused, "{refused} refused, {broken} broken");
    Ok(())
}

#[test]
fn pins_and_alignments_hold() -> Result<(), ProblemError> {
    let mut sequence = Sequence {
        places: vec![Place::new(8), Place::new(8), Place::new(3)],
        points: Vec::new(),
    };
    sequence.places[1].pin = Some(16);
    sequence.places[1].from_start = true;
    sequence.places[2].alignment = 8;
    let (read, out, other) = (PlaceId(1), PlaceId(0), PlaceId(2));
    let area = |place: PlaceId| sequence.whole(place);
    let points = vec![
        Point {
            reads: vec![area(read)],
            writes: vec![area(out)],
            overwrites: vec![Overwrite { out, operand: read }],
            ..Point::default()
        },
        Point {
            reads: vec![area(out)],
            writes: vec![area(other)],
            scratch: vec![Scratch {
                size: 5,
                alignment: 4,
            }],
            ..Point::default()
        },
    ];
    sequence.points = points;
    sequence.places[2].to_end = true;
    let found = arrange(&sequence, &limits())?;
    assert_eq!(check(&sequence, &found), []);
    assert_eq!((found.places[1], found.places[0]), (16, 16));
    assert!(found.places[2].is_multiple_of(8) && found.scratch[1][0].is_multiple_of(4));
    assert_eq!(found.lower_bound, 16);
    let mut moved = found.clone();
    moved.places[1] = 0;
    assert!(!check(&sequence, &moved).is_empty());
    Ok(())
}
