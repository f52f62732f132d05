//! The public problems of minimalloc, and large synthetic problems. The planner must solve each within the default budget
//! or the budget given here.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_plan::{Buffer, Limits, Problem, Proof, read_csv, solve, validate};
use kiln_testing::corpus::Corpus;

fn puzzle(name: &str) -> Problem {
    let suite = Corpus::open().unwrap().suite("minimalloc").unwrap();
    let path = suite.case(name).unwrap().file("csv");
    let capacity = name.split('.').nth(1).and_then(|field| field.parse().ok());
    Problem {
        capacity,
        ..read_csv(&std::fs::read_to_string(path).unwrap()).unwrap()
    }
}

#[test]
fn all_puzzles_fit_their_capacity() {
    let limits = Limits::patient();
    for letter in 'A'..='K' {
        let problem = puzzle(&format!("{letter}.1048576"));
        let solution = solve(&problem, &limits).unwrap();
        assert_eq!(validate(&problem, &solution), Ok(()), "{letter}");
        assert!(solution.peak <= 1_048_576, "{letter}: {}", solution.peak);
    }
}

#[test]
fn the_small_example_is_optimal() {
    let problem = puzzle("input.12");
    let solution = solve(&problem, &Limits::default()).unwrap();
    assert_eq!((solution.peak, solution.proof), (12, Proof::LiveLoadMet));
}

/// A chain in which each buffer is read by the next two. Sizes come from a fixed sequence.
fn chain(length: u64) -> Problem {
    let size = |i: u64| 64 * (1 + i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1000);
    Problem::new(
        (0..length)
            .map(|i| Buffer::new(format!("t{i}"), i, i + 3, size(i)).aligned(16))
            .collect(),
    )
}

#[test]
fn deep_partitions_do_not_exhaust_the_stack() {
    let mut problem = chain(3_900);
    problem
        .buffers
        .push(Buffer::new("state", 0, 4_000, 1 << 20));
    let solution = solve(&problem, &Limits::default()).unwrap();
    assert_eq!(validate(&problem, &solution), Ok(()));
}

#[test]
fn large_problems_are_planned() {
    let mut everywhere: Vec<Buffer> = (0..50_000)
        .map(|i| Buffer::new("x", 0, 1, i % 97))
        .collect();
    for problem in [chain(50_000), Problem::new(everywhere.clone())] {
        let solution = solve(&problem, &Limits::greedy()).unwrap();
        assert_eq!(validate(&problem, &solution), Ok(()));
    }
    everywhere
        .iter_mut()
        .enumerate()
        .for_each(|(i, b)| b.upper = 1 + i as u64);
    let problem = Problem::new(everywhere);
    let solution = solve(&problem, &Limits::default()).unwrap();
    assert_eq!(
        (validate(&problem, &solution), solution.proof),
        (Ok(()), Proof::LiveLoadMet)
    );
}
