//! The C of projects, built and run together, compared with the evaluator.

use super::case::{Case, Compared};
use kiln_cortex_m::project::Project;
use kiln_cortex_m::{Outcome, Workshop};
use kiln_ir::{DType, TensorData};

/// For each case, what is equal to the bit, or what is wrong.
pub fn run_together(cases: &[&Case], workshop: &Workshop) -> Vec<Result<Compared, String>> {
    let projects: Vec<&Project> = cases.iter().map(|case| &case.project).collect();
    let inputs: Vec<Vec<Vec<&[u8]>>> = cases.iter().map(|case| bytes(case)).collect();
    let program = match workshop.assemble(&projects) {
        Ok(program) => program,
        Err(error) if cases.len() == 1 => {
            return vec![Err(format!("the C does not build: {error}"))];
        }
        // One of them is at fault.
        Err(_) => {
            let alone = cases
                .iter()
                .flat_map(|case| run_together(&[case], workshop));
            return alone.collect();
        }
    };
    let mut outcomes = program.run(&inputs).into_iter();
    let mut compared = |case: &&Case| match outcomes.next() {
        None => Err("the program has no outcome of the case".to_owned()),
        Some(Err(said)) => Err(format!("the program ends: {said}")),
        Some(Ok(outcomes)) => compare(case, &outcomes),
    };
    cases.iter().map(&mut compared).collect()
}

fn bytes(case: &Case) -> Vec<Vec<&[u8]>> {
    let runs = case.runs.iter();
    runs.map(|run| run.inputs.iter().map(|t| &**t.bytes()).collect())
        .collect()
}

/// Compares the outcomes of the C with those of the evaluator.
fn compare(case: &Case, outcomes: &[Outcome]) -> Result<Compared, String> {
    same_count("runs", case.runs.len(), outcomes.len())?;
    let mut all = Compared::default();
    for (run, outcome) in case.runs.iter().zip(outcomes) {
        all.add(compare_run(run.outputs.as_deref(), outcome)?);
    }
    Ok(all)
}

fn same_count(what: &str, expected: usize, found: usize) -> Result<(), String> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("{found} {what} in place of {expected}")),
    }
}

/// The outputs of the evaluator, if it takes the inputs, and the outcome of the C.
fn compare_run(outputs: Option<&[TensorData]>, outcome: &Outcome) -> Result<Compared, String> {
    let (expected, found) = match (outputs, outcome) {
        (None, Err(_)) => return Ok(Compared::default()),
        (None, Ok(_)) => return Err("the C takes what the evaluator refuses".to_owned()),
        (Some(_), Err(status)) => return Err(format!("the C gives a status: {status}")),
        (Some(expected), Ok(found)) => (expected, found),
    };
    same_count("outputs", expected.len(), found.len())?;
    let mut elements = 0;
    for (output, (expected, found)) in expected.iter().zip(found).enumerate() {
        let size = expected.dtype().size();
        let own: &[u8] = expected.bytes();
        same_count("bytes of an output", own.len(), found.len())?;
        let pairs = own.chunks(size).zip(found.chunks(size));
        let is_wrong = |(a, b): (&[u8], &[u8])| a != b && !are_nan(expected.dtype(), a, b);
        if let Some(element) = pairs.clone().position(is_wrong) {
            let at = element * size..(element + 1) * size;
            return Err(format!(
                "other bits: output {output}, element {element}: the C gives {:?}, the evaluator {:?} of {}",
                &found[at.clone()],
                &own[at],
                expected.dtype().name()
            ));
        }
        elements += pairs.count() as u64;
    }
    Ok(Compared::of_run(elements))
}

/// Whether both are a NaN: any NaN is as good as another.
fn are_nan(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    let is_nan = |bytes: &[u8]| {
        let bytes = <[u8; 4]>::try_from(bytes);
        bytes.is_ok_and(|bytes| f32::from_le_bytes(bytes).is_nan())
    };
    dtype == DType::F32 && is_nan(a) && is_nan(b)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn outputs() -> Vec<TensorData> {
        let of = |bytes: [u8; 2]| TensorData::new(DType::I8, vec![2], bytes.to_vec().into());
        vec![of([1, 2]).unwrap(), of([3, 4]).unwrap()]
    }

    fn compared(found: &[&[u8]]) -> Result<Compared, String> {
        let found = found.iter().map(|bytes| bytes.to_vec()).collect();
        compare_run(Some(&outputs()), &Ok(found))
    }

    #[test]
    fn all_outputs_have_all_elements() {
        let all = Compared {
            runs: 1,
            elements: 4,
        };
        assert_eq!(compared(&[&[1, 2], &[3, 4]]), Ok(all));
        assert!(compared(&[&[1, 2]]).is_err());
        assert!(compared(&[&[1, 2], &[3]]).is_err());
        assert!(compared(&[&[1, 2], &[3, 4], &[]]).is_err());
        assert!(compared(&[&[1, 2], &[3, 5]]).is_err());
    }

    #[test]
    fn a_refusing_run_compares_nothing() {
        assert_eq!(compare_run(None, &Err(-1)), Ok(Compared::default()));
        assert_eq!(
            compare_run(Some(&[]), &Ok(Vec::new())),
            Ok(Compared::default())
        );
        assert!(compare_run(None, &Ok(Vec::new())).is_err());
    }
}
