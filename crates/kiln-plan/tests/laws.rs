//! Properties of all problems, tested on small random ones: validity, bounds, proofs against brute force, determinism.

use kiln_plan::{
    Buffer, Cause, Conflict, Fault, Limits, Problem, ProblemError, Proof, Solution, Tricks,
    conflict, read_csv, solve, validate, write_csv,
};
use proptest::prelude::*;

/// The buffers of a random problem, including zero sizes and empty live ranges. A pin is a small multiple of the
/// alignment.
fn buffers(
    most: usize,
    alignments: &'static [u64],
    pins: bool,
) -> impl Strategy<Value = Vec<Buffer>> {
    let pin = if pins {
        prop_oneof![4 => Just(None), 1 => (0u64..6).prop_map(Some)].boxed()
    } else {
        Just(None).boxed()
    };
    let one = (
        0u64..8,
        0u64..5,
        0u64..9,
        prop::sample::select(alignments),
        pin,
    );
    let name =
        |i: usize, (lower, length, size, alignment, pin): (u64, u64, u64, u64, Option<u64>)| {
            Buffer {
                pin: pin.map(|pin| pin * alignment),
                ..Buffer::new(format!("b{i}"), lower, lower + length, size).aligned(alignment)
            }
        };
    prop::collection::vec(one, 0..=most).prop_map(move |rows| {
        rows.into_iter()
            .enumerate()
            .map(|(i, row)| name(i, row))
            .collect()
    })
}

/// Buffers that fill `[0, 8)` up to a load of 6, as far as the random proposals allow. Only such problems have gaps
/// above the live load.
fn crowded(most: usize) -> impl Strategy<Value = Vec<Buffer>> {
    prop::collection::vec((0u64..8, 1u64..5, 1u64..4), 60).prop_map(move |proposals| {
        let (mut load, mut buffers) = ([0; 8], Vec::new());
        for (lower, length, size) in proposals {
            let upper = (lower + length).min(8);
            let steps = lower as usize..upper as usize;
            if buffers.len() < most && load[steps.clone()].iter().all(|load| load + size <= 6) {
                load[steps].iter_mut().for_each(|load| *load += size);
                buffers.push(Buffer::new(
                    format!("b{}", buffers.len()),
                    lower,
                    upper,
                    size,
                ));
            }
        }
        buffers
    })
}

/// The least peak, by trying every offset for every buffer; `None` if pins collide.
fn least_peak(buffers: &[Buffer]) -> Option<u64> {
    let reach: u64 = buffers.iter().map(|b| b.size + b.alignment).sum::<u64>()
        + buffers.iter().filter_map(|b| b.pin).max().unwrap_or(0);
    (0..=reach).find(|&capacity| fits(buffers, &mut Vec::new(), capacity))
}

fn fits(buffers: &[Buffer], offsets: &mut Vec<u64>, capacity: u64) -> bool {
    let Some(b) = buffers.get(offsets.len()) else {
        return true;
    };
    let top = capacity.saturating_sub(b.size);
    let choices: Vec<u64> = match b.pin {
        Some(pin) => vec![pin],
        None if b.size == 0 || b.lower == b.upper => vec![0],
        None => (0..=top).step_by(b.alignment as usize).collect(),
    };
    choices
        .into_iter()
        .filter(|&at| at + b.size <= capacity)
        .any(|at| {
            let free = buffers
                .iter()
                .zip(offsets.iter())
                .all(|(o, &o_at)| !o.overlaps(b) || o_at + o.size <= at || at + b.size <= o_at);
            offsets.push(at);
            let found = free && fits(buffers, offsets, capacity);
            offsets.pop();
            found
        })
}

fn switched(bits: u8) -> Tricks {
    let on = |bit: u8| bits & (1 << bit) != 0;
    Tricks {
        decompose: on(0),
        dominance: on(1),
        support: on(2),
        twins: on(3),
        hatless: on(4),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_solution_is_valid(buffers in buffers(40, &[1, 2, 3, 8], true), steps in 0u64..20_000) {
        let problem = Problem::new(buffers);
        match solve(&problem, &Limits { steps, ..Limits::default() }) {
            Ok(solution) => {
                prop_assert_eq!(validate(&problem, &solution), Ok(()));
                prop_assert!(solution.lower_bound <= solution.peak);
            }
            Err(error) => prop_assert!(matches!(error, ProblemError::PinsCollide { .. }), "{}", error),
        }
    }

    #[test]
    fn a_proof_agrees_with_brute_force(buffers in buffers(6, &[1, 2, 3, 4], true), tricks in 0u8..32) {
        let problem = Problem::new(buffers);
        let limits = Limits { tricks: switched(tricks), ..Limits::default() };
        match (solve(&problem, &limits), least_peak(&problem.buffers)) {
            (Ok(solution), Some(least)) => {
                prop_assert_eq!(validate(&problem, &solution), Ok(()));
                prop_assert!(solution.is_optimal(), "{:?}", solution);
                prop_assert_eq!(solution.peak, least);
            }
            (Err(ProblemError::PinsCollide { .. }), None) => {}
            (solved, least) => prop_assert!(false, "{:?} against {:?}", solved, least),
        }
    }

    #[test]
    fn a_proof_agrees_with_brute_force_where_it_is_crowded(buffers in crowded(9), tricks in 0u8..32) {
        let problem = Problem::new(buffers);
        let limits = Limits { tricks: switched(tricks), ..Limits::patient() };
        let solution = solve(&problem, &limits).unwrap();
        prop_assert!(solution.is_optimal(), "{:?}", solution);
        prop_assert_eq!(solution.peak, least_peak(&problem.buffers).unwrap());
    }

    #[test]
    fn tricks_prove_what_the_plain_search_proves(buffers in crowded(16), tricks in 0u8..32) {
        let problem = Problem::new(buffers);
        let plain = solve(&problem, &Limits { tricks: Tricks::NONE, ..Limits::default() }).unwrap();
        let tricky = solve(&problem, &Limits { tricks: switched(tricks), ..Limits::default() }).unwrap();
        prop_assert!(plain.lower_bound <= tricky.peak && tricky.lower_bound <= plain.peak);
    }

    #[test]
    fn a_bound_holds_whatever_the_budget(buffers in buffers(6, &[1, 4], false), steps in 0u64..200) {
        let problem = Problem::new(buffers);
        let solution = solve(&problem, &Limits { steps, ..Limits::default() }).unwrap();
        let least = least_peak(&problem.buffers).unwrap();
        prop_assert!(solution.lower_bound <= least && least <= solution.peak);
    }

    #[test]
    fn a_conflict_cannot_fit_and_is_irreducible(buffers in buffers(6, &[1, 2], true), capacity in 0u64..30) {
        let problem = Problem { buffers, capacity: Some(capacity) };
        let Some(least) = least_peak(&problem.buffers) else { return Ok(()) };
        let found = conflict(&problem, &Limits::default()).unwrap();
        prop_assert_eq!(found.is_some(), least > capacity);
        let Some(Conflict { buffers, irreducible, .. }) = found else { return Ok(()) };
        let pick = |skip: Option<usize>| -> Vec<Buffer> {
            buffers.iter().filter(|&&i| Some(i) != skip).map(|&i| problem.buffers[i].clone()).collect()
        };
        prop_assert!(least_peak(&pick(None)).unwrap() > capacity);
        for &i in buffers.iter().filter(|_| irreducible) {
            prop_assert!(least_peak(&pick(Some(i))).unwrap() <= capacity);
        }
    }

    #[test]
    fn the_same_problem_gives_the_same_plan(buffers in buffers(60, &[1, 16], false)) {
        let problem = Problem::new(buffers);
        let limits = Limits { steps: 100_000, ..Limits::default() };
        prop_assert_eq!(solve(&problem, &limits), solve(&problem, &limits));
    }

    #[test]
    fn a_capacity_that_suffices_is_met(buffers in buffers(6, &[1, 2], false), spare in 0u64..10) {
        let least = least_peak(&buffers).unwrap();
        let problem = Problem { buffers, capacity: Some(least + spare) };
        prop_assert!(solve(&problem, &Limits::default()).unwrap().peak <= least + spare);
    }

    #[test]
    fn the_validator_sees_a_moved_buffer(buffers in buffers(12, &[1], false), which: prop::sample::Index, to in 0u64..40) {
        prop_assume!(!buffers.is_empty());
        let problem = Problem::new(buffers);
        let mut solution = solve(&problem, &Limits::greedy()).unwrap();
        solution.offsets[which.index(problem.buffers.len())] = to;
        solution.peak = problem.buffers.iter().zip(&solution.offsets).map(|(b, at)| at + b.size).max().unwrap();
        solution.lower_bound = 0;
        solution.proof = if solution.peak == 0 { Proof::LiveLoadMet } else { Proof::Gap { bytes: solution.peak } };
        prop_assert_eq!(validate(&problem, &solution).is_err(), clash(&problem, &solution));
    }

    #[test]
    fn csv_comes_back(buffers in buffers(12, &[1, 4], true)) {
        let problem = Problem::new(buffers);
        prop_assert_eq!(read_csv(&write_csv(&problem, None)), Ok(problem));
    }

    #[test]
    fn csv_takes_any_text(text in "(id,lower,upper,size(,offset)?\n)?[a-z0-9,\\-.\n\u{feff}é]{0,60}") {
        if let Ok(problem) = read_csv(&text) {
            let _ = solve(&problem, &Limits::greedy());
        }
    }
}

/// True if two buffers share a byte, by comparing all pairs.
fn clash(problem: &Problem, solution: &Solution) -> bool {
    let placed: Vec<_> = problem.buffers.iter().zip(&solution.offsets).collect();
    placed.iter().enumerate().any(|(i, (a, a_at))| {
        placed[..i]
            .iter()
            .any(|(b, b_at)| a.overlaps(b) && **a_at < *b_at + b.size && **b_at < *a_at + a.size)
    })
}

#[test]
fn an_optimum_above_the_live_load_is_proven() {
    let rows = [
        (2, 5, 1),
        (3, 6, 3),
        (5, 6, 3),
        (0, 1, 3),
        (0, 2, 2),
        (1, 4, 2),
        (1, 3, 2),
        (4, 5, 1),
    ];
    let buffers: Vec<_> = rows
        .iter()
        .map(|&(lower, upper, size)| Buffer::new("b", lower, upper, size))
        .collect();
    assert_eq!(least_peak(&buffers), Some(7));
    for tricks in [Tricks::NONE, Tricks::ALL] {
        let limits = Limits {
            tricks,
            ..Limits::default()
        };
        let solution = solve(&Problem::new(buffers.clone()), &limits).unwrap();
        assert_eq!(
            (solution.peak, solution.lower_bound, solution.proof),
            (7, 7, Proof::SearchExhausted)
        );
    }
    let greedy = solve(&Problem::new(buffers.clone()), &Limits::greedy()).unwrap();
    assert_eq!((greedy.lower_bound, greedy.is_optimal()), (6, false));
    let problem = Problem {
        buffers,
        capacity: Some(6),
    };
    let found = conflict(&problem, &Limits::default()).unwrap().unwrap();
    assert_eq!((found.cause, found.irreducible), (Cause::Search, true));
}

#[test]
fn each_fault_is_named() {
    let problem = Problem::new(vec![
        Buffer::new("a", 0, 2, 4).aligned(4),
        Buffer::new("b", 1, 3, 4).pinned(4),
    ]);
    let faults = |offsets: &[u64], peak, lower_bound, proof| {
        validate(
            &problem,
            &Solution {
                offsets: offsets.to_vec(),
                peak,
                lower_bound,
                proof,
            },
        )
        .unwrap_err()
    };
    let met = Proof::LiveLoadMet;
    assert_eq!(
        faults(&[0], 8, 8, met),
        [Fault::Count {
            offsets: 1,
            buffers: 2
        }]
    );
    assert_eq!(
        faults(&[4, 4], 8, 8, met),
        [Fault::Shared {
            first: 0,
            second: 1,
            step: 1
        }]
    );
    assert_eq!(
        faults(&[0, 8], 12, 12, met),
        [Fault::Moved {
            buffer: 1,
            pin: 4,
            offset: 8
        }]
    );
    assert_eq!(
        faults(&[9, 4], 13, 13, met),
        [Fault::Misaligned {
            buffer: 0,
            offset: 9,
            alignment: 4
        }]
    );
    assert_eq!(
        faults(&[0, 4], 9, 9, met),
        [Fault::Peak { said: 9, found: 8 }]
    );
    assert_eq!(
        faults(&[0, 4], 8, 7, met),
        [Fault::Claim {
            peak: 8,
            lower_bound: 7,
            proof: met
        }]
    );
    let end = u64::MAX - 3;
    assert_eq!(
        faults(&[end, 4], 8, 8, met),
        [Fault::Overflow {
            buffer: 0,
            offset: end
        }]
    );
}

#[test]
fn meaningless_problems_are_refused_with_the_buffer_named() {
    let refused = |buffers: Vec<Buffer>| {
        solve(&Problem::new(buffers), &Limits::default())
            .unwrap_err()
            .to_string()
    };
    let cases = [
        (vec![Buffer::new("a", 3, 2, 1)], "`a` lives in [3, 2)"),
        (
            vec![Buffer::new("a", 0, 2, 1).aligned(0)],
            "`a` has alignment 0",
        ),
        (
            vec![Buffer::new("a", 0, 2, 1).aligned(4).pinned(6)],
            "`a` is pinned to 6",
        ),
        (vec![Buffer::new("a", 0, 2, u64::MAX)], "up to buffer `a`"),
        (
            vec![
                Buffer::new("a", 0, 2, 8).pinned(0),
                Buffer::new("b", 1, 3, 8).pinned(4),
            ],
            "`a` and `b` are pinned",
        ),
    ];
    for (buffers, expected) in cases {
        let message = refused(buffers);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn csv_errors_name_line_and_column() {
    let cases = [
        ("", "line 1: the file is empty"),
        ("id,lower,upper\n", "line 1: there is no column `size`"),
        (
            "id,lower,upper,size,colour\n",
            "line 1, column 5: `colour` is no column",
        ),
        (
            "id,lower,upper,size,size\n",
            "line 1, column 5: `size` is named twice",
        ),
        (
            "id,lower,upper,size\na,0,1\n",
            "line 2: 3 fields, where the first line names 4",
        ),
        (
            "id,lower,upper,size\na,0,1,2\n\nb,0,x,2\n",
            "line 4, column `upper`: found `x`",
        ),
        (
            "id,lower,upper,size\na,0,-1,2\n",
            "line 2, column `upper`: found `-1`",
        ),
        (
            "id,lower,upper,size\na,0,1,18446744073709551616\n",
            "line 2, column `size`",
        ),
        (
            "id,lower,upper,size\na,5,1,2\n",
            "line 2, column `upper`: 1 lies before lower = 5",
        ),
        (
            "id,lower,upper,size,alignment\na,0,1,2,0\n",
            "line 2, column `alignment`: 0 is no alignment",
        ),
        (
            "id,lower,upper,size,alignment,offset\na,0,1,2,4,6\n",
            "line 2, column `offset`: 6 is no multiple",
        ),
    ];
    for (text, expected) in cases {
        let message = read_csv(text).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
}
