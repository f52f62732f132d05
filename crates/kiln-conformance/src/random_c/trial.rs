//! The C of projects, built and run together, compared with the evaluator.

use super::case::{Case, Run};
use kiln_cortex_m::project::Project;
use kiln_cortex_m::{Outcome, Workshop};
use kiln_ir::DType;

/// For each case, the elements that are equal to the bit, or what is wrong.
pub fn run_together(cases: &[&Case], workshop: &Workshop) -> Vec<Result<u64, String>> {
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
    let outcomes = program.run(&inputs).into_iter();
    let compared = cases
        .iter()
        .zip(outcomes)
        .map(|(case, outcomes)| match outcomes {
            Err(said) => Err(format!("the program ends: {said}")),
            Ok(outcomes) => compare(case, &outcomes),
        });
    compared.collect()
}

fn bytes(case: &Case) -> Vec<Vec<&[u8]>> {
    let runs = case.runs.iter();
    runs.map(|run| run.inputs.iter().map(|t| &**t.bytes()).collect())
        .collect()
}

/// Compares the outcomes of the C with those of the evaluator.
fn compare(case: &Case, outcomes: &[Outcome]) -> Result<u64, String> {
    let mut elements = 0;
    for (run, outcome) in case.runs.iter().zip(outcomes) {
        elements += compare_run(run, outcome)?;
    }
    Ok(elements)
}

fn compare_run(run: &Run, outcome: &Outcome) -> Result<u64, String> {
    let (expected, found) = match (&run.outputs, outcome) {
        (None, Err(_)) => return Ok(0),
        (None, Ok(_)) => return Err("the C takes what the evaluator refuses".to_owned()),
        (Some(_), Err(status)) => return Err(format!("the C gives a status: {status}")),
        (Some(expected), Ok(found)) => (expected, found),
    };
    let mut elements = 0;
    for (output, (expected, found)) in expected.iter().zip(found).enumerate() {
        let size = expected.dtype().size();
        let own: &[u8] = expected.bytes();
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
    Ok(elements)
}

/// Whether both are a NaN: any NaN is as good as another.
fn are_nan(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    let is_nan = |bytes: &[u8]| {
        let bytes = <[u8; 4]>::try_from(bytes);
        bytes.is_ok_and(|bytes| f32::from_le_bytes(bytes).is_nan())
    };
    dtype == DType::F32 && is_nan(a) && is_nan(b)
}
