//! Judges the results of a case by the rule of the corpus's README.

use crate::suite::Case;
use kiln::compare::number_like;
use kiln::compare::{Tolerance, compare};
use kiln_ir::{DType, TensorData};
use kiln_target::{Role, Runs};

/// The verdict on all outputs of all runs of a case.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The first fault; `None` if the results are right.
    pub fault: Option<String>,
    /// The greatest absolute difference of any element.
    pub max_abs: f64,
    /// The least SQNR of any output in dB; absent if all outputs are equal.
    pub sqnr: Option<f64>,
}

/// Compares every golden output, and every input that a run changes, with the tensor that the executor gave.
pub fn judge(case: &Case, golden: &Runs, got: &Runs) -> Verdict {
    let mut verdict = Verdict {
        fault: uncompared(golden, got),
        ..Verdict::default()
    };
    for run in 0..golden.count() {
        for role in [Role::Output, Role::InputAfter] {
            for position in golden.positions(run, role).collect::<Vec<_>>() {
                let expected = golden
                    .get(run, role, position)
                    .expect("the position was listed");
                judge_one(
                    case,
                    expected,
                    got.get(run, role, position),
                    &mut verdict,
                    (run, role, position),
                );
            }
        }
    }
    verdict
}

/// The fault of results that no golden tensor can be compared with: a run without golden tensors, or an output without one. A
/// program may have no outputs and only change its inputs.
fn uncompared(golden: &Runs, got: &Runs) -> Option<String> {
    if golden.count() == 0 {
        return Some("there are no golden runs".into());
    }
    let has = |run: usize, role: Role| golden.positions(run, role).next().is_some();
    let is_empty = |run: &usize| !has(*run, Role::Output) && !has(*run, Role::InputAfter);
    if let Some(run) = (0..golden.count()).find(is_empty) {
        return Some(format!("run {run} has no golden tensors"));
    }
    let mut outputs = got.all(Role::Output);
    let extra = outputs.find(|&(run, i, _)| golden.get(run, Role::Output, i).is_none());
    extra.map(|(run, i, _)| format!("run {run} Output {i} has no golden tensor"))
}

fn judge_one(
    case: &Case,
    expected: &TensorData,
    got: Option<&TensorData>,
    verdict: &mut Verdict,
    (run, role, position): (usize, Role, usize),
) {
    let place = format!("run {run} {role:?} {position}");
    let Some(got) = got else {
        verdict.fault.get_or_insert(format!("{place} is missing"));
        return;
    };
    let got = number_like(got, expected);
    let dtype = expected.dtype();
    let own = tolerance(case, dtype, role, position).by_element(dtype);
    let mut comparison = compare(&got, expected, &own);
    let is_sum = role == Role::Output && case.sums_of_f16.contains(&position);
    if !comparison.ok && is_sum && dtype == DType::F16 {
        comparison = compare(&got, expected, &Tolerance::default().rule(dtype));
    }
    verdict.max_abs = verdict.max_abs.max(comparison.max_abs);
    if let Some(sqnr) = comparison.sqnr {
        verdict.sqnr = Some(verdict.sqnr.map_or(sqnr, |s| s.min(sqnr)));
    }
    if !comparison.ok {
        let text = comparison.mismatch.unwrap_or_default();
        verdict.fault.get_or_insert(format!("{place}: {text}"));
    }
}

/// The tolerance for one tensor. A suite's `rtol`, `atol` and `sqnr_min` are for floats. Integers and bools may be off only
/// by the quantisation steps that the suite allows.
fn tolerance(case: &Case, dtype: DType, role: Role, position: usize) -> Tolerance {
    let steps = match role {
        Role::Output => case.steps_of(position),
        _ => 0.0,
    };
    if !dtype.is_float() {
        return Tolerance {
            rtol: None,
            atol: Some(steps),
            sqnr: None,
        };
    }
    Tolerance {
        rtol: case.rtol,
        atol: match steps {
            0.0 => case.atol,
            steps => Some(case.atol.unwrap_or(0.0) + steps),
        },
        sqnr: case.sqnr_min,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_ir::Scalar;

    /// A case with float tolerances that nearly every result passes.
    fn loose() -> Case {
        Case {
            name: "loose".into(),
            rtol: Some(1.0),
            atol: Some(100.0),
            sqnr_min: None,
            qtol: 1.0,
            out_scales: vec![None, Some(2.0)],
            ..Case::default()
        }
    }

    fn judged(case: &Case, position: usize, golden: i64, got: i64) -> Verdict {
        let tensor = |v| TensorData::from_scalars(DType::I64, vec![1], [Scalar::Int(v)]);
        let mut verdict = Verdict::default();
        let place = (0, Role::Output, position);
        judge_one(
            case,
            &tensor(golden),
            Some(&tensor(got)),
            &mut verdict,
            place,
        );
        verdict
    }

    #[test]
    fn sums_of_f16_are_right_as_a_whole() {
        let case = |sums_of_f16| Case {
            rtol: Some(3e-3),
            atol: Some(3e-3),
            sums_of_f16,
            ..Case::default()
        };
        let of = |dtype, small| {
            let numbers = [10.0, small].map(Scalar::Float);
            TensorData::from_scalars(dtype, vec![2], numbers)
        };
        let is_right = |case: &Case, dtype, small| {
            let (mut verdict, golden) = (Verdict::default(), of(dtype, 0.25));
            let place = (0, Role::Output, 0);
            judge_one(case, &golden, Some(&of(dtype, small)), &mut verdict, place);
            verdict.fault.is_none()
        };
        assert!(is_right(&case(vec![0]), DType::F16, 0.26));
        assert!(!is_right(&case(vec![0]), DType::F16, 0.35), "40 dB");
        assert!(
            !is_right(&case(vec![1]), DType::F16, 0.26),
            "another output"
        );
        assert!(!is_right(&case(vec![]), DType::F16, 0.26));
        assert!(!is_right(&case(vec![0]), DType::F32, 0.26));
    }

    #[test]
    fn integers_are_off_by_quantisation_steps_only() {
        let case = loose();
        assert_eq!(judged(&case, 0, 100_000, 100_000).fault, None);
        assert!(judged(&case, 0, 100_000, 100_001).fault.is_some());
        assert_eq!(judged(&case, 1, 100_000, 100_002).fault, None);
        assert!(judged(&case, 1, 100_000, 100_003).fault.is_some());
        let by_noise = Case {
            sqnr_min: Some(20.0),
            ..case
        };
        assert!(judged(&by_noise, 0, 100_000, 100_001).fault.is_some());
    }

    fn runs(outputs: &[(usize, usize)]) -> Runs {
        let mut runs = Runs::default();
        let one = TensorData::from_scalars(DType::I64, vec![1], [Scalar::Int(1)]);
        for &(run, position) in outputs {
            runs.insert(run, Role::Output, position, one.clone());
        }
        runs
    }

    #[test]
    fn what_is_missing_is_a_fault() {
        let fault = |golden: &[(usize, usize)], got: &[(usize, usize)]| {
            let verdict = judge(&loose(), &runs(golden), &runs(got));
            verdict.fault.unwrap_or_default()
        };
        assert_eq!(fault(&[(0, 0)], &[(0, 0)]), "");
        assert_eq!(fault(&[], &[]), "there are no golden runs");
        assert_eq!(fault(&[(1, 0)], &[(1, 0)]), "run 0 has no golden tensors");
        assert_eq!(
            fault(&[(0, 0), (0, 1)], &[(0, 0)]),
            "run 0 Output 1 is missing"
        );
        assert_eq!(
            fault(&[(0, 0)], &[(0, 0), (0, 1)]),
            "run 0 Output 1 has no golden tensor"
        );
    }

    #[test]
    fn a_program_may_only_change_its_inputs() {
        let changed = |value: i64| {
            let mut runs = Runs::default();
            let data = TensorData::from_scalars(DType::I64, vec![1], [Scalar::Int(value)]);
            runs.insert(0, Role::InputAfter, 0, data);
            runs
        };
        assert!(judge(&loose(), &changed(1), &changed(1)).fault.is_none());
        assert!(judge(&loose(), &changed(1), &changed(2)).fault.is_some());
    }
}
