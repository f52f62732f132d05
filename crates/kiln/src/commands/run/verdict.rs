//! Compares outputs with golden tensors. A file with which nothing was compared is a failure.

use crate::compare::number_like;
use crate::compare::{Comparison, Hidden, Rule, Tolerance, WITHIN_STEP, compare};
use crate::counted::counted;
use crate::usage::OtherValues;
use anyhow::anyhow;
use kiln_ir::{DType, TensorData};
use kiln_target::{Activations, Role, Runs, name};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A golden tensor and its comparison.
struct Judged {
    run: usize,
    role: Role,
    position: usize,
    /// The step of a quantised output whose reals are compared.
    step: Option<f64>,
    comparison: Comparison,
    floats: Option<FromFloats>,
    /// True if the output is floats that follow from whole numbers, and nobody gave a tolerance for it.
    is_free: bool,
}

/// Distances from the model in floats that was quantised, as signal-to-noise ratios in dB. Infinite for equal tensors, where JSON has none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct FromFloats {
    found: f64,
    golden: f64,
}

/// By so many dB the output of a right program may be farther from the floats than the golden one.
const FARTHER_DB: f64 = 0.5;

/// An output that is farther from the floats, in dB, shows nothing: half of it is noise.
const LEAST_FROM_FLOATS_DB: f64 = 6.0;

impl FromFloats {
    /// True if rounding brought the output as near to the floats as the golden one.
    fn is_as_near(&self) -> bool {
        self.found >= (self.golden - FARTHER_DB).max(LEAST_FROM_FLOATS_DB)
    }
}

/// What rules follow from.
pub struct Basis<'a> {
    /// What the user asks for.
    pub tolerance: &'a Tolerance,
    /// The coarsest numbers that each output follows from, by its position.
    pub activations: &'a BTreeMap<usize, Activations>,
}

impl Basis<'_> {
    /// True if an output follows from whole numbers.
    fn are_integers(&self, output: usize) -> bool {
        let activations = self.activations.get(&output);
        activations.is_some_and(|own| own.are_integers())
    }
}

/// All comparisons with a file of golden tensors.
pub struct Verdict {
    judged: Vec<Judged>,
    /// Outputs for which the file has no golden tensor.
    missing: Vec<String>,
    /// Golden tensors for which there is no output.
    unread: Vec<String>,
}

/// The number of names that a message lists; it counts the others.
const MAX_NAMES: usize = 8;

impl Verdict {
    /// Compares all golden tensors with outputs, and with inputs as the run left them. `step_of` is the step of
    /// a quantised output whose reals are compared; `is_absent` is true for golden tensors that the artifact cannot give.
    pub fn of(
        golden: &Runs,
        got: &Runs,
        basis: &Basis<'_>,
        step_of: impl Fn(usize) -> Option<f64>,
        is_absent: impl Fn(usize, usize) -> bool,
    ) -> Verdict {
        let mut judged = Vec::new();
        let mut unread = golden.others().to_vec();
        for run in 0..golden.count() {
            for role in [Role::Output, Role::InputAfter] {
                for position in golden.positions(run, role) {
                    if role == Role::Output && is_absent(run, position) {
                        unread.push(name(run, role, position));
                        continue;
                    }
                    let step = step_of(position).filter(|_| role == Role::Output);
                    let place = (run, role, position);
                    let is_free = step.is_none() && is_free(golden, basis, place);
                    let (mut comparison, floats) = judge(golden, got, (basis, step), place);
                    let is_near = floats.is_some_and(|floats| floats.is_as_near());
                    if !comparison.ok && is_free && is_near {
                        comparison.pass(AS_NEAR);
                    }
                    judged.push(Judged {
                        step,
                        run,
                        role,
                        position,
                        comparison,
                        floats,
                        is_free,
                    });
                }
            }
        }
        let floats = golden.all(Role::Float);
        let is_paired = |run, i| {
            let of_output = |j: &&Judged| (j.run, j.role, j.position) == (run, Role::Output, i);
            let output = judged.iter().find(of_output);
            output.is_some_and(|j| j.floats.is_some())
        };
        let unpaired = floats.filter(|&(run, i, _)| !is_paired(run, i));
        unread.extend(unpaired.map(|(run, i, _)| name(run, Role::Float, i)));
        let missing = got
            .all(Role::Output)
            .filter(|&(run, i, _)| golden.get(run, Role::Output, i).is_none())
            .map(|(run, i, _)| name(run, Role::Output, i));
        Verdict {
            judged,
            missing: missing.collect(),
            unread,
        }
    }

    /// Why the comparison failed; `None` if it did not. Other values are an [`OtherValues`].
    pub fn failure(&self, file: &str) -> Option<anyhow::Error> {
        let outputs = self.judged.iter().filter(|j| j.role == Role::Output);
        let bad: Vec<&Judged> = self.judged.iter().filter(|j| !j.comparison.ok).collect();
        if let Some(first) = bad.first() {
            let differ = if bad.len() == 1 { "differs" } else { "differ" };
            let message = format!(
                "{} of {} {differ} from {file}; the first is {}: {}{} (rule: {})",
                bad.len(),
                counted(self.judged.len(), "tensor"),
                first.text(),
                first.why(),
                figures(&first.comparison),
                first.comparison.rule
            );
            return Some(OtherValues::new(message).into());
        }
        if outputs.count() == 0 {
            return Some(anyhow!(
                "{file} has no outputs to compare with; expected tensors <run>.out.<i>{}",
                listed(", as ", &self.missing)
            ));
        }
        (!self.missing.is_empty()).then(|| {
            anyhow!(
                "{} of the model not compared: {file} has no {}",
                counted(self.missing.len(), "output"),
                listed("", &self.missing)
            )
        })
    }

    /// The least signal-to-noise ratio in dB of all tensors; infinite where all are equal. `None` where one was not compared.
    pub fn least_sqnr(&self) -> Option<f64> {
        let ratio = |j: &Judged| {
            let equal = is_equal(&j.comparison).then_some(f64::INFINITY);
            j.comparison.sqnr.or(equal)
        };
        let all: Option<Vec<f64>> = self.judged.iter().map(ratio).collect();
        let all = all.filter(|all| !all.is_empty() && self.missing.is_empty())?;
        Some(all.into_iter().fold(f64::INFINITY, f64::min))
    }

    /// The comparisons as JSON.
    pub fn rows(&self) -> Vec<Value> {
        let row = |j: &Judged| {
            let c = &j.comparison;
            json!({
                "run": j.run,
                "kind": j.kind(),
                "index": j.position,
                "ok": c.ok,
                "equal": is_equal(c),
                "max_abs": c.max_abs,
                "max_share": c.max_share,
                "hidden": c.hidden,
                "sqnr": c.sqnr,
                "step": j.step,
                "steps": j.steps(),
                "from_floats": j.floats,
                "rule": c.rule,
                "mismatch": c.mismatch,
            })
        };
        self.judged.iter().map(row).collect()
    }

    /// Outputs without a golden tensor.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Golden tensors without an output.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// One line of text for each comparison.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for j in &self.judged {
            let c = &j.comparison;
            let verdict = if c.ok { "ok" } else { "WRONG" };
            let figures = figures(c) + &j.steps_text();
            let rule = match is_equal(c) {
                true => String::new(),
                false => format!(" (rule: {})", c.rule),
            };
            writeln!(text, "  {}: {verdict}{figures}{rule}", j.text()).expect("a string takes all");
            if !c.ok {
                writeln!(text, "    {}", j.why()).expect("a string takes all");
            }
            if let Some(FromFloats { found, golden }) = j.floats {
                writeln!(
                    text,
                    "    from the floats: {found:.1} dB, the golden output {golden:.1} dB"
                )
                .expect("a string takes all");
            }
            if let Some(Hidden { share, beyond }) = c.hidden {
                let (share, beyond) = (share * 100.0, beyond * 100.0);
                let hidden = format!(
                    "{share:.0} % of the elements differ by more than {beyond:.0} % of themselves"
                );
                writeln!(text, "    {hidden}: --rtol judges each").expect("a string takes all");
            }
        }
        let is_beside = |j: &Judged| !j.comparison.ok && j.comparison.rule == WITHIN_STEP;
        if self.judged.iter().any(is_beside) {
            let hint = "a deep network, or integers beside their model of floats, are some steps away; --sqnr judges them as a whole";
            writeln!(text, "  {hint}").expect("a string takes all");
        }
        let far: Vec<&Judged> = self.judged.iter().filter(|j| j.is_far()).collect();
        if let Some(hint) = match far.iter().all(|j| j.floats.is_some()) {
            _ if far.is_empty() => None,
            true => Some(DEEP.to_owned()),
            false => Some(format!("{DEEP}, and {FLOATS}")),
        } {
            writeln!(text, "  {hint}").expect("a string takes all");
        }
        if !self.unread.is_empty() {
            let names = listed("", &self.unread);
            writeln!(text, "  not compared: {names}").expect("a string takes all");
        }
        text
    }
}

impl Judged {
    fn kind(&self) -> &'static str {
        match self.role {
            Role::Output => "output",
            Role::Input | Role::InputAfter | Role::Float => "input after",
        }
    }

    /// The greatest difference in steps.
    fn steps(&self) -> Option<f64> {
        let steps = self.comparison.max_abs / self.step?;
        steps.is_finite().then_some(steps)
    }

    fn steps_text(&self) -> String {
        let (steps, step) = (self.steps(), self.step.unwrap_or_default());
        steps.map_or(String::new(), |steps| {
            format!(", {steps:.2} steps of {step} at most")
        })
    }

    /// The first wrong element, or the difference in shape or dtype.
    fn why(&self) -> &str {
        self.comparison.mismatch.as_deref().unwrap_or_default()
    }

    /// True for an output of whole numbers whose ratio is too low.
    fn is_far(&self) -> bool {
        self.is_free && !self.comparison.ok && self.comparison.sqnr.is_some()
    }

    fn text(&self) -> String {
        format!("run {} {} {}", self.run, self.kind(), self.position)
    }
}

/// The rule for a tensor. A quantised output may be a step beside, unless a tolerance is given.
fn rule(basis: &Basis<'_>, step: Option<f64>, output: Option<usize>, golden: &TensorData) -> Rule {
    let tolerance = basis.tolerance;
    match step.filter(|_| *tolerance == Tolerance::default()) {
        Some(step) => Rule::Step(step),
        None => {
            let activations = output.and_then(|output| basis.activations.get(&output));
            tolerance.rule_of_program(golden.dtype(), activations.copied().unwrap_or_default())
        }
    }
}

fn judge(
    golden: &Runs,
    got: &Runs,
    (basis, step): (&Basis<'_>, Option<f64>),
    (run, role, position): (usize, Role, usize),
) -> (Comparison, Option<FromFloats>) {
    let expected = golden.get(run, role, position);
    let expected = expected.expect("the position was listed");
    let Some(found) = got.get(run, role, position) else {
        let none = Comparison::without_elements("the model gave none".into());
        return (none, None);
    };
    let found = number_like(found, expected);
    let output = Some(position).filter(|_| role == Role::Output);
    let rule = rule(basis, step, output, expected);
    let comparison = compare(&found, expected, &rule);
    let floats = output.and_then(|output| golden.get(run, Role::Float, output));
    let floats = floats.and_then(|floats| from_floats(&found, expected, floats));
    (comparison, floats)
}

/// The distances of an output and of the golden one from floats. `None` where these do not fit.
fn from_floats(found: &TensorData, golden: &TensorData, floats: &TensorData) -> Option<FromFloats> {
    let wide = |data: &TensorData| {
        let is_float = data.dtype().is_float();
        is_float
            .then(|| TensorData::from_scalars(DType::F64, data.sizes().to_vec(), data.scalars()))
    };
    let floats = wide(floats)?;
    let distance = |data: &TensorData| {
        let found = compare(&wide(data)?, &floats, &Rule::Sqnr(0.0));
        let is_measured = found.special == 0 && found.max_abs.is_finite();
        is_measured.then(|| found.sqnr.unwrap_or(f64::INFINITY))
    };
    Some(FromFloats {
        found: distance(found)?,
        golden: distance(golden)?,
    })
}

/// True for floats of an output that follow from whole numbers, if nobody gave a tolerance.
fn is_free(golden: &Runs, basis: &Basis<'_>, (run, role, position): (usize, Role, usize)) -> bool {
    let expected = golden.get(run, role, position);
    let is_float = expected.is_some_and(|data| data.dtype().is_float());
    let is_output = role == Role::Output && is_float;
    is_output && basis.are_integers(position) && !basis.tolerance.is_given()
}

/// The name of the rule that the model in floats decides.
const AS_NEAR: &str = "as near to the floats as the golden output";

/// What to do about an output of whole numbers that is far from the golden one.
const DEEP: &str = "each tie that is decided otherwise spreads over a deep network, most of all with random weights; --sqnr asks for less";
const FLOATS: &str = "tensors <run>.float.<i> in the golden file, what the model gave before it was quantised, judge it too";

fn is_equal(c: &Comparison) -> bool {
    c.ok && c.sqnr.is_none() && c.max_abs == 0.0
}

/// The measured differences. Nothing for tensors that cannot be compared element by element.
fn figures(c: &Comparison) -> String {
    if is_equal(c) {
        return ", equal".into();
    }
    if c.special > 0 {
        let elements = counted(c.special, "element");
        let others = match c.max_abs {
            0.0 => String::new(),
            max_abs => format!(", max abs {max_abs:.3e} of the others"),
        };
        return format!(", {elements} NaN or infinite and not as expected{others}");
    }
    let share = c.max_share;
    let share = share.map_or(String::new(), |share| {
        format!(" ({share:.1e} of the largest)")
    });
    let max_abs = c
        .max_abs
        .is_finite()
        .then(|| format!(", max abs {:.3e}{share}", c.max_abs));
    let sqnr = c.sqnr.map(|sqnr| format!(", {sqnr:.1} dB"));
    max_abs.into_iter().chain(sqnr).collect()
}

fn listed(before: &str, names: &[String]) -> String {
    let mut text = match names.is_empty() {
        true => return String::new(),
        false => before.to_owned(),
    };
    text += &names[..names.len().min(MAX_NAMES)].join(", ");
    if names.len() > MAX_NAMES {
        write!(text, " and {} more", names.len() - MAX_NAMES).expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_ir::Scalar;

    const BY_DTYPE: Tolerance = Tolerance {
        rtol: None,
        atol: None,
        sqnr: None,
    };

    fn basis(tolerance: &Tolerance) -> Basis<'_> {
        static NONE: BTreeMap<usize, Activations> = BTreeMap::new();
        Basis {
            tolerance,
            activations: &NONE,
        }
    }

    fn outputs(positions: &[usize]) -> Runs {
        let mut runs = Runs::default();
        for &i in positions {
            runs.insert(0, Role::Output, i, TensorData::from_i64(vec![1], &[1]));
        }
        runs
    }

    fn failure(golden: &[usize], got: &[usize]) -> Option<String> {
        let verdict = Verdict::of(
            &outputs(golden),
            &outputs(got),
            &basis(&BY_DTYPE),
            |_| None,
            |_, _| false,
        );
        said(&verdict)
    }

    /// The failure as text.
    fn said(verdict: &Verdict) -> Option<String> {
        verdict.failure("golden").map(|error| error.to_string())
    }

    #[test]
    fn every_output_is_compared_or_it_fails() {
        assert_eq!(failure(&[0, 2], &[0, 2]), None);
        assert_eq!(
            failure(&[0], &[0, 2]).unwrap_or_default(),
            "1 output of the model not compared: golden has no 0.out.2"
        );
        assert_eq!(
            failure(&[], &[0]).unwrap_or_default(),
            "golden has no outputs to compare with; expected tensors <run>.out.<i>, as 0.out.0"
        );
        assert!(failure(&[], &[]).is_some());
        assert!(
            failure(&[0, 1], &[0])
                .unwrap_or_default()
                .contains("the model gave none")
        );
    }

    #[test]
    fn a_python_number_has_the_dtype_of_the_golden_one() {
        let number = |dtype, value| {
            let mut runs = Runs::default();
            let data = TensorData::scalar(dtype, Scalar::Float(value));
            runs.insert(0, Role::Output, 0, data);
            runs
        };
        let failure = |value| {
            let (golden, got) = (number(DType::F32, value), number(DType::F64, 2.5));
            Verdict::of(&golden, &got, &basis(&BY_DTYPE), |_| None, |_, _| false).failure("golden")
        };
        assert!(failure(2.5).is_none());
        assert!(failure(2.75).is_some_and(|error| error.is::<OtherValues>()));
    }

    #[test]
    fn a_quantised_output_is_within_a_step() {
        let floats = |values: &[f32]| {
            let mut runs = Runs::default();
            let data = TensorData::from_f32(vec![values.len()], values);
            runs.insert(0, Role::Output, 0, data);
            runs
        };
        let golden = floats(&[1.0, 2.0]);
        let verdict = |values: &[f32], tolerance: &Tolerance| {
            Verdict::of(
                &golden,
                &floats(values),
                &basis(tolerance),
                |_| Some(0.25),
                |_, _| false,
            )
        };
        let near = verdict(&[1.25, 2.0], &BY_DTYPE);
        assert!(near.failure("golden").is_none());
        assert_eq!(
            near.text(),
            "  run 0 output 0: ok, max abs 2.500e-1 (1.2e-1 of the largest), 19.0 dB, 1.00 steps of 0.25 at most (rule: within one step)\n"
        );
        assert_eq!(near.rows()[0]["steps"], 1.0);
        assert!(verdict(&[1.0, 2.5], &BY_DTYPE).failure("golden").is_some());
        let two = Tolerance {
            atol: Some(0.5),
            ..BY_DTYPE
        };
        assert!(verdict(&[1.0, 2.5], &two).failure("golden").is_none());
    }

    #[test]
    fn whole_numbers_may_be_as_near_to_the_floats_as_the_golden_output() {
        let floats = |values: [f32; 2]| TensorData::from_f32(vec![2], &values);
        let verdict = |found: [f32; 2], activations: Activations, tolerance: &Tolerance| {
            let (mut golden, mut got) = (Runs::default(), Runs::default());
            golden.insert(0, Role::Output, 0, floats([1.2, 1.0]));
            // In another type than the output.
            let wide = TensorData::from_scalars(DType::F64, vec![2], [Scalar::Float(1.0); 2]);
            golden.insert(0, Role::Float, 0, wide);
            got.insert(0, Role::Output, 0, floats(found));
            let basis = Basis {
                tolerance,
                activations: &[(0, activations)].into_iter().collect(),
            };
            Verdict::of(&golden, &got, &basis, |_| None, |_, _| false)
        };
        let near = verdict([0.8, 1.0], Activations::Integers, &BY_DTYPE);
        assert!(near.failure("golden").is_none(), "{}", near.text());
        assert!(near.text().contains(AS_NEAR), "{}", near.text());
        assert!(
            near.text()
                .contains("from the floats: 17.0 dB, the golden output 17.0 dB")
        );
        let is_wrong = |verdict: Verdict| verdict.failure("golden").is_some();
        let far = verdict([0.7, 1.0], Activations::Integers, &BY_DTYPE);
        assert!(far.text().contains(DEEP), "{}", far.text());
        assert!(!far.text().contains(FLOATS), "{}", far.text());
        assert!(is_wrong(far));
        assert!(is_wrong(verdict([0.8, 1.0], Activations::F32, &BY_DTYPE)));
        let asked = Tolerance {
            sqnr: Some(20.0),
            ..BY_DTYPE
        };
        assert!(is_wrong(verdict([0.8, 1.0], Activations::Integers, &asked)));
    }

    #[test]
    fn indices_are_not_judged_by_the_floats() {
        let index = |i| TensorData::from_i64(vec![1], &[i]);
        let (mut golden, mut got) = (outputs(&[]), outputs(&[]));
        golden.insert(0, Role::Output, 0, index(7));
        golden.insert(0, Role::Float, 0, index(5));
        got.insert(0, Role::Output, 0, index(3));
        let basis = Basis {
            tolerance: &BY_DTYPE,
            activations: &[(0, Activations::Integers)].into_iter().collect(),
        };
        let verdict = Verdict::of(&golden, &got, &basis, |_| None, |_, _| false);
        assert!(verdict.failure("golden").is_some());
        assert!(
            verdict.text().contains("not compared: 0.float.0"),
            "{}",
            verdict.text()
        );
    }

    #[test]
    fn a_nan_is_no_difference_of_nothing() {
        let floats = |value| {
            let mut runs = Runs::default();
            let data = TensorData::from_f32(vec![2], &[value, 1.0]);
            runs.insert(0, Role::Output, 0, data);
            runs
        };
        let verdict = Verdict::of(
            &floats(1.0),
            &floats(f32::NAN),
            &basis(&BY_DTYPE),
            |_| None,
            |_, _| false,
        );
        assert_eq!(
            verdict.text(),
            "  run 0 output 0: WRONG, 1 element NaN or infinite and not as expected (rule: at least 80 dB, or within rtol 1e-4 and atol 1e-5)\n    element 0: found NaN, expected 1\n"
        );
    }

    #[test]
    fn what_cannot_be_measured_has_no_figures() {
        let verdict = Verdict::of(
            &outputs(&[0]),
            &Runs::default(),
            &basis(&BY_DTYPE),
            |_| None,
            |_, _| false,
        );
        assert_eq!(
            verdict.text(),
            "  run 0 output 0: WRONG (rule: the same dtype and sizes)\n    the model gave none\n"
        );
    }
}
