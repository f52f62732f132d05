//! Whether results are right: the rule of the corpus README.

use crate::suite::Case;
use kiln::compare::{Tolerance, compare};
use kiln::tensors::{Role, Runs};
use kiln_ir::{DType, Scalar, TensorData};

/// The worst of all outputs of all runs.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The first thing wrong.
    pub fault: Option<String>,
    /// Greatest absolute difference.
    pub max_abs: f64,
    /// Least SQNR in dB; absent where all outputs are equal.
    pub sqnr: Option<f64>,
}

/// Compares every golden output, and every input that a run changes, with what came out.
pub fn judge(case: &Case, golden: &Runs, got: &Runs) -> Verdict {
    let mut verdict = Verdict::default();
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
    // A Python number has no dtype of its own.
    let got = if got.sizes().is_empty() && got.dtype() != expected.dtype() && is_wide(got.dtype()) {
        TensorData::scalar(expected.dtype(), got.get(0).unwrap_or(Scalar::Int(0)))
    } else {
        got.clone()
    };
    let tolerance = Tolerance {
        rtol: case.rtol,
        atol: match role {
            Role::Output => case.atol_of(position),
            _ => case.atol,
        },
        sqnr: case.sqnr_min,
    };
    let comparison = compare(&got, expected, &tolerance);
    verdict.max_abs = verdict.max_abs.max(comparison.max_abs);
    if let Some(sqnr) = comparison.sqnr {
        verdict.sqnr = Some(verdict.sqnr.map_or(sqnr, |s| s.min(sqnr)));
    }
    if !comparison.ok {
        let text = comparison.mismatch.unwrap_or_default();
        verdict.fault.get_or_insert(format!("{place}: {text}"));
    }
}

fn is_wide(dtype: DType) -> bool {
    matches!(dtype, DType::I64 | DType::F64 | DType::Bool)
}
