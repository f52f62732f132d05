//! Memory problems: what is read is written and read the same, and every plan is valid.

use kiln_plan::{Limits, Problem, read_csv, solve, validate, write_csv};

/// A problem of more buffers is not solved.
const MAX_SOLVED: usize = 64;

/// Reads, writes, reads again; solves with few steps and validates.
pub fn law(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let mut problem = match read_csv(text) {
        Ok(problem) => problem,
        Err(error) => return super::refused(error),
    };
    // The writer's documented exception.
    for buffer in &mut problem.buffers {
        buffer.id = buffer.id.replace('\r', "_");
    }
    let again = read_csv(&write_csv(&problem, None)).expect("what was written is read");
    assert_eq!(again, problem);
    if problem.buffers.len() <= MAX_SOLVED {
        plan(&problem);
    }
}

fn plan(problem: &Problem) {
    let limits = Limits {
        steps: 5_000,
        ..Limits::default()
    };
    match solve(problem, &limits) {
        Ok(solution) => {
            assert_eq!(validate(problem, &solution), Ok(()));
            let placed = read_csv(&write_csv(problem, Some(&solution.offsets)))
                .expect("what was written is read");
            assert!(
                placed
                    .buffers
                    .iter()
                    .zip(&solution.offsets)
                    .all(|(b, &at)| b.pin == Some(at))
            );
        }
        Err(error) => super::refused(error),
    }
}
