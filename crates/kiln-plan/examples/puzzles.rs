//! Solves the problem files on the command line, and prints peak, bound and time.
//!
//! `cargo run --release -p kiln-plan --example puzzles -- [--seconds S] [--steps N] [--least] FILE...` The number
//! before the extension is the capacity (`A.1048576.csv`). With `--least`, the least peak is searched instead.

use std::time::Instant;

use kiln_plan::{Limits, Problem, read_csv, solve, validate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut limits = Limits {
        steps: 20_000_000_000,
        ..Limits::default()
    };
    let (mut least, mut files) = (false, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => {
                limits =
                    Limits::within_seconds(args.next().ok_or("--seconds needs a number")?.parse()?)
            }
            "--steps" => limits.steps = args.next().ok_or("--steps needs a number")?.parse()?,
            "--least" => least = true,
            _ => files.push(arg),
        }
    }
    for file in &files {
        let mut problem = read_csv(&std::fs::read_to_string(file)?)?;
        problem.capacity = if least { None } else { capacity(file) };
        report(file, &problem, &limits)?;
    }
    Ok(())
}

fn capacity(file: &str) -> Option<u64> {
    file.rsplit('.').nth(1)?.parse().ok()
}

fn report(
    file: &str,
    problem: &Problem,
    limits: &Limits,
) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let solution = solve(problem, limits)?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    validate(problem, &solution).map_err(|faults| format!("{file}: {faults:?}"))?;
    let fits = problem
        .capacity
        .is_none_or(|capacity| solution.peak <= capacity);
    let (peak, bound, proof) = (solution.peak, solution.lower_bound, solution.proof);
    println!("{ms:10.2} ms  fits {fits:5}  peak {peak}  bound {bound}  {proof:?}  {file}");
    Ok(())
}
