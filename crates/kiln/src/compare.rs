//! Compares a tensor with its golden tensor.

use crate::compiler::Job;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_target::Activations;
use serde::Serialize;

/// What a user asks of outputs. What is `None` follows from the dtype.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Relative to the golden value. Integers and bools have none by default.
    pub rtol: Option<f64>,
    /// Absolute. Integers and bools have none by default.
    pub atol: Option<f64>,
    /// Judge by this signal-to-noise ratio in dB instead.
    pub sqnr: Option<f64>,
}

/// A rule that decides whether a tensor is close enough to its golden tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Each element is off by at most `atol + rtol * |golden|`.
    Bounds {
        /// Relative to the golden value.
        rtol: f64,
        /// Absolute.
        atol: f64,
    },
    /// The signal-to-noise ratio is at least so many dB.
    Sqnr(f64),
    /// Either of both.
    Either {
        /// As in `Bounds`.
        rtol: f64,
        /// As in `Bounds`.
        atol: f64,
        /// As in `Sqnr`.
        sqnr: f64,
    },
    /// Each element is off by at most one step of its quantisation.
    Step(f64),
}

/// The comparison of a tensor with its golden tensor.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// True if the tensor is within tolerance.
    pub ok: bool,
    /// The greatest absolute difference of finite elements.
    pub max_abs: f64,
    /// The same as a share of the greatest golden element. `None` where that is 0 or nothing was compared.
    pub max_share: Option<f64>,
    /// What the ratio may hide where the tensor passes by it: small elements beside large ones, many of which differ much. `None` where few
    /// do.
    pub hidden: Option<Hidden>,
    /// `10 log10(sum(golden^2) / sum((golden - got)^2))`. Infinite for equal tensors; JSON leaves it out then.
    pub sqnr: Option<f64>,
    /// The number of elements where one tensor is NaN or infinite and the other is not the same. No other figure counts
    /// these.
    #[serde(skip)]
    pub special: usize,
    /// The rule that decided.
    pub rule: String,
    /// The first element out of tolerance, or the difference in shape or dtype.
    pub mismatch: Option<String>,
}

/// Elements that differ much from small golden ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Hidden {
    /// Their share of all elements.
    pub share: f64,
    /// Each differs by more than this part of its golden element.
    pub beyond: f64,
}

/// Of a tensor whose elements are of one size, a few are near 0 and differ by a large part of themselves.
const LEAST_HIDDEN: f64 = 0.1;

/// An element differs much if it does so by so many times what the ratio allows on the whole.
const HIDDEN_TIMES: f64 = 100.0;

/// A rounding of f64, of 53 bits, in roundings of f32, of 24. A result of f64 may differ by as many roundings as one of
/// f32: both are computed in their own dtype.
const F64_PER_F32: f64 = 1.0 / (1u64 << (53 - 24)) as f64;

/// The same in dB: 20 log10(2^29).
const F64_BEYOND_F32_DB: f64 = 174.6;

impl Tolerance {
    /// True if one is given.
    pub fn is_given(&self) -> bool {
        *self != Tolerance::default()
    }

    /// The rule for results of a dtype. Tolerances that are given decide; without any, a float is close by its elements or as a whole.
    pub fn rule(&self, dtype: DType) -> Rule {
        match (self.by_element(dtype), least_sqnr(dtype)) {
            (Rule::Bounds { rtol, atol }, Some(sqnr)) if !self.is_given() => {
                Rule::Either { rtol, atol, sqnr }
            }
            (strict, _) => strict,
        }
    }

    /// As [`Tolerance::rule`], of the results of a program that rounds its activations.
    pub fn rule_of_program(&self, dtype: DType, activations: Activations) -> Rule {
        let of_activations = match activations {
            Activations::F64 => None,
            Activations::F32 => least_sqnr(DType::F32),
            Activations::F16 => least_sqnr(DType::F16),
            Activations::SumsOfF16 => Some(SUMS_OF_F16_DB),
            Activations::BF16 => least_sqnr(DType::BF16),
            Activations::Integers | Activations::IntegersByRow => Some(INTEGERS_DB),
        };
        match (self.rule(dtype), of_activations) {
            (Rule::Either { rtol, atol, sqnr }, Some(least)) => Rule::Either {
                rtol,
                atol,
                sqnr: sqnr.min(least),
            },
            (given, _) => given,
        }
    }

    /// The rule that judges by elements, unless a signal-to-noise ratio is given.
    pub fn by_element(&self, dtype: DType) -> Rule {
        let (rtol, atol) = match dtype {
            DType::F16 => (3e-3, 3e-3),
            DType::BF16 => (1e-2, 1e-2),
            DType::F32 => (1e-4, 1e-5),
            DType::F64 => (1e-4 * F64_PER_F32, 1e-5 * F64_PER_F32),
            DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
                (0.0, 0.0)
            }
        };
        match self.sqnr {
            Some(sqnr) => Rule::Sqnr(sqnr),
            None => Rule::Bounds {
                rtol: self.rtol.unwrap_or(rtol),
                atol: self.atol.unwrap_or(atol),
            },
        }
    }
}

/// The dB to ask of a program of integers beside its model of floats, in place of single steps. `None` where the model's own numbers decide.
pub fn enough(job: &Job) -> Option<f64> {
    job.quantisation.as_ref().map(|_| INTEGERS_DB)
}

/// The signal-to-noise ratio in dB at which floats pass by default; integers and bools have none.
fn least_sqnr(dtype: DType) -> Option<f64> {
    match dtype {
        DType::F16 => Some(45.0),
        DType::BF16 => Some(30.0),
        DType::F32 => Some(80.0),
        DType::F64 => Some(80.0 + F64_BEYOND_F32_DB),
        DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => None,
    }
}

/// The name of the rule of steps.
pub const WITHIN_STEP: &str = "within one step";

/// The signal-to-noise ratio in dB at which floats pass that a program computes of 8-bit integers: a tie that is decided otherwise moves an
/// element by a step, which the layers behind it spread. Right programs of 14 static models are 22 dB from PyTorch or more, those of 12 models
/// with rows that are quantised while running 26. A fault in one layer of many may be as small, so this is a first look and no proof.
pub const INTEGERS_DB: f64 = 20.0;

/// The signal-to-noise ratio in dB at which f16 passes that was added up in f16. Sums of 64 products are 58 dB from sums in f32, those of 1,024
/// 47 and those of 4,096 40, since the error of such a sum grows with the root of its length.
pub const SUMS_OF_F16_DB: f64 = 30.0;

impl Rule {
    /// The relative and the absolute tolerance of an element.
    fn bounds(&self) -> (f64, f64) {
        match *self {
            Rule::Bounds { rtol, atol } | Rule::Either { rtol, atol, .. } => (rtol, atol),
            // Floats of 24 bits near the least and the greatest integer are off by a rounding of what stands for these, and a step
            // in f32 is off from the scale.
            Rule::Step(step) => {
                let rounding = f64::from(f32::EPSILON);
                (rounding, step * (1.0 + rounding))
            }
            Rule::Sqnr(_) => (0.0, 0.0),
        }
    }

    /// The least signal-to-noise ratio in dB, where that decides.
    fn sqnr(&self) -> Option<f64> {
        match *self {
            Rule::Sqnr(sqnr) | Rule::Either { sqnr, .. } => Some(sqnr),
            Rule::Bounds { .. } | Rule::Step(_) => None,
        }
    }

    /// The part of an element by which it differs much, where a ratio decides that nobody asked for.
    fn far(&self) -> Option<f64> {
        match *self {
            Rule::Either { sqnr, .. } => Some(HIDDEN_TIMES / 10f64.powf(sqnr / 20.0)),
            Rule::Bounds { .. } | Rule::Sqnr(_) | Rule::Step(_) => None,
        }
    }

    /// Whether a tensor passes, and which part of the rule decided.
    fn decide(&self, are_within: bool, is_special: bool, sqnr: f64) -> (bool, String) {
        let (rtol, atol) = self.bounds();
        let is_clear = |least: f64| !is_special && sqnr >= least;
        let elements = match self {
            Rule::Step(_) => WITHIN_STEP.to_owned(),
            _ if (rtol, atol) == (0.0, 0.0) => "equal".to_owned(),
            _ => format!("within rtol {rtol:e} and atol {atol:e}"),
        };
        let whole = self
            .sqnr()
            .map(|least| (least, format!("at least {least} dB")));
        match (self, whole) {
            (Rule::Sqnr(_), Some((least, text))) => (is_clear(least), text),
            (_, None) => (are_within, elements),
            (_, Some((least, text))) if is_clear(least) => (true, text),
            (_, Some(_)) if are_within => (true, elements),
            (_, Some((_, text))) => (false, format!("{text}, or {elements}")),
        }
    }
}

/// Compares by logical index: NaN and infinities at the same places, finite values as the rule says.
pub fn compare(got: &TensorData, golden: &TensorData, rule: &Rule) -> Comparison {
    if got.dtype() != golden.dtype() || got.sizes() != golden.sizes() {
        let sorted = |data: &TensorData| {
            let mut sizes = data.sizes().to_vec();
            sizes.sort_unstable();
            sizes
        };
        let hint = if got.dtype().is_int() && golden.dtype().is_float() {
            "; a file that gives integers is compared with integers, and with floats if it is compiled with --float-io"
        } else if got.sizes() != golden.sizes() && sorted(got) == sorted(golden) {
            "; the file gives its axes in the order of the model's memory, which the report's io has as dim_order"
        } else {
            ""
        };
        return Comparison::without_elements(format!("found {got:?}, expected {golden:?}{hint}"));
    }
    let (rtol, atol) = rule.bounds();
    let (mut max_abs, mut signal, mut noise) = (0f64, 0f64, 0f64);
    let (mut mismatch, mut special) = (None, 0);
    let beyond = rule.far();
    let (mut largest, mut far, mut count) = (0f64, 0, 0);
    for (i, (a, b)) in got.scalars().zip(golden.scalars()).enumerate() {
        let apart = distance(a, b);
        let size = b.as_f64();
        if let Some(apart) = apart {
            max_abs = max_abs.max(apart);
            noise += apart * apart;
        }
        if size.is_finite() && apart.is_some() {
            signal += size * size;
            largest = largest.max(size.abs());
        }
        let is_far = |beyond| apart.is_some_and(|apart| apart > beyond * size.abs());
        far += usize::from(beyond.is_some_and(is_far));
        count += 1;
        special += usize::from(apart.is_none());
        if mismatch.is_none() && !apart.is_some_and(|d| d == 0.0 || d <= atol + rtol * size.abs()) {
            let (a, b) = (Number(a), Number(b));
            mismatch = Some(format!("element {i}: found {a}, expected {b}"));
        }
    }
    let sqnr = if noise == 0.0 {
        f64::INFINITY
    } else {
        10.0 * (signal / noise).log10()
    };
    let share = far as f64 / count as f64;
    let hidden = beyond.map(|beyond| Hidden { share, beyond });
    let hidden = hidden.filter(|_| mismatch.is_some() && share >= LEAST_HIDDEN);
    let (ok, rule) = rule.decide(mismatch.is_none(), special > 0, sqnr);
    Comparison {
        ok,
        max_abs,
        max_share: (largest > 0.0).then(|| max_abs / largest),
        hidden: hidden.filter(|_| ok),
        sqnr: sqnr.is_finite().then_some(sqnr),
        special,
        rule,
        mismatch: mismatch.filter(|_| !ok),
    }
}

impl Comparison {
    /// Lets the tensor pass by another rule.
    pub fn pass(&mut self, rule: &str) {
        self.ok = true;
        self.mismatch = None;
        rule.clone_into(&mut self.rule);
    }

    /// The comparison of what has no elements to compare.
    pub fn without_elements(mismatch: String) -> Comparison {
        Comparison {
            ok: false,
            max_abs: f64::INFINITY,
            max_share: None,
            hidden: None,
            sqnr: None,
            special: 0,
            rule: "the same dtype and sizes".to_owned(),
            mismatch: Some(mismatch),
        }
    }
}

/// The distance of two elements of one dtype. `None` where one is NaN or infinite and the other is not the same.
fn distance(a: Scalar, b: Scalar) -> Option<f64> {
    if let (Scalar::Int(a), Scalar::Int(b)) = (a, b) {
        // Integers are not converted to floats, where two different ones may be equal.
        return Some(a.abs_diff(b) as f64);
    }
    let (a, b) = (a.as_f64(), b.as_f64());
    match a.is_finite() && b.is_finite() {
        true => Some((a - b).abs()),
        false => (a == b || (a.is_nan() && b.is_nan())).then_some(0.0),
    }
}

/// An element as text for messages.
struct Number(Scalar);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Scalar::Int(number) => number.fmt(f),
            other => other.as_f64().fmt(f),
        }
    }
}

/// A Python number takes the dtype of the golden tensor, because it has none of its own. Any other tensor stays as it
/// is.
pub fn number_like(found: &TensorData, golden: &TensorData) -> TensorData {
    let is_number = found.sizes().is_empty()
        && match found.dtype() {
            DType::F64 => golden.dtype().is_float(),
            DType::I64 => !golden.dtype().is_float() && golden.dtype() != DType::Bool,
            _ => false,
        };
    match found.get(0).filter(|_| is_number) {
        Some(number) => TensorData::scalar(golden.dtype(), number),
        None => found.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// By the tolerance that follows from the dtype.
    fn compare(got: &TensorData, golden: &TensorData, tolerance: &Tolerance) -> Comparison {
        super::compare(got, golden, &tolerance.rule(golden.dtype()))
    }

    const BY_DTYPE: Tolerance = Tolerance {
        rtol: None,
        atol: None,
        sqnr: None,
    };

    fn of(dtype: DType, values: &[i64]) -> TensorData {
        let scalars = values.iter().map(|&v| Scalar::Int(v));
        TensorData::from_scalars(dtype, vec![values.len()], scalars)
    }

    #[test]
    fn integers_and_bools_are_equal_or_wrong() {
        for dtype in [DType::U8, DType::I8, DType::I32, DType::I64] {
            let (a, b) = (of(dtype, &[0, 100]), of(dtype, &[0, 101]));
            assert!(compare(&a, &a, &BY_DTYPE).ok);
            let differs = compare(&a, &b, &BY_DTYPE);
            assert_eq!(
                differs.mismatch.unwrap(),
                "element 1: found 100, expected 101"
            );
        }
        let bools = |v| TensorData::from_scalars(DType::Bool, vec![1], [Scalar::Bool(v)]);
        assert!(!compare(&bools(true), &bools(false), &BY_DTYPE).ok);
    }

    #[test]
    fn integers_beyond_floats_are_told_apart() {
        let (a, b) = (of(DType::I64, &[1 << 60]), of(DType::I64, &[(1 << 60) + 1]));
        let found = compare(&a, &b, &BY_DTYPE);
        assert_eq!((found.ok, found.max_abs), (false, 1.0));
        let ends = compare(
            &of(DType::I64, &[i64::MIN]),
            &of(DType::I64, &[i64::MAX]),
            &BY_DTYPE,
        );
        assert_eq!(ends.max_abs, u64::MAX as f64);
    }

    #[test]
    fn a_tolerance_that_is_given_holds_for_integers() {
        let (a, b) = (of(DType::I8, &[100]), of(DType::I8, &[101]));
        let one = Tolerance {
            atol: Some(1.0),
            ..BY_DTYPE
        };
        assert!(compare(&a, &b, &one).ok);
        assert!(!compare(&of(DType::I8, &[99]), &b, &one).ok);
    }

    /// 500 roundings are few in either dtype.
    #[test]
    fn f64_differs_by_as_many_roundings_as_f32() {
        let one =
            |dtype, by: f64| TensorData::from_scalars(dtype, vec![1], [Scalar::Float(1.0 + by)]);
        for (dtype, rounding) in [(DType::F32, -24), (DType::F64, -53)] {
            let near = one(dtype, 500.0 * 2f64.powi(rounding));
            let far = one(dtype, 5000.0 * 2f64.powi(rounding));
            let golden = one(dtype, 0.0);
            assert!(compare(&near, &golden, &BY_DTYPE).ok, "{dtype}");
            assert!(!compare(&far, &golden, &BY_DTYPE).ok, "{dtype}");
        }
    }

    #[test]
    fn floats_are_close_and_special_ones_the_same() {
        let f32s = |v: &[f32]| TensorData::from_f32(vec![v.len()], v);
        let golden = f32s(&[1.0, f32::NAN, f32::INFINITY]);
        assert!(
            compare(
                &f32s(&[1.00001, f32::NAN, f32::INFINITY]),
                &golden,
                &BY_DTYPE
            )
            .ok
        );
        for wrong in [
            [1.1, f32::NAN, f32::INFINITY],
            [1.0, 0.0, f32::INFINITY],
            [1.0, f32::NAN, f32::NEG_INFINITY],
        ] {
            assert!(!compare(&f32s(&wrong), &golden, &BY_DTYPE).ok);
        }
    }

    #[test]
    fn a_float_passes_as_a_whole_or_by_each_element() {
        let f32s = |v: &[f32]| TensorData::from_f32(vec![v.len()], v);
        let golden = f32s(&[1000.0, 1e-3]);
        let as_a_whole = compare(&f32s(&[1000.0, 2e-3]), &golden, &BY_DTYPE);
        assert_eq!((as_a_whole.ok, &*as_a_whole.rule), (true, "at least 80 dB"));
        let small = f32s(&[1e-6, 1e-6]);
        let by_element = compare(&f32s(&[2e-6, 1e-6]), &small, &BY_DTYPE);
        assert_eq!(
            (by_element.ok, &*by_element.rule),
            (true, "within rtol 1e-4 and atol 1e-5")
        );
        let neither = compare(&f32s(&[1000.0, 1.0]), &golden, &BY_DTYPE);
        assert_eq!(
            (neither.ok, &*neither.rule),
            (false, "at least 80 dB, or within rtol 1e-4 and atol 1e-5")
        );
        let given = Tolerance {
            rtol: Some(1e-4),
            ..BY_DTYPE
        };
        assert!(!compare(&f32s(&[1000.0, 2e-3]), &golden, &given).ok);
        assert!(
            !super::compare(
                &f32s(&[1000.0, 2e-3]),
                &golden,
                &BY_DTYPE.by_element(DType::F32)
            )
            .ok
        );
    }

    #[test]
    fn small_elements_beside_large_ones_are_said() {
        let f32s = |v: &[f32]| TensorData::from_f32(vec![v.len()], v);
        let golden = f32s(&[640.0, 320.0, 0.5, 0.25]);
        let found = compare(&f32s(&[640.0, 320.0, 0.52, 0.27]), &golden, &BY_DTYPE);
        let hidden = found.hidden.unwrap();
        assert!(found.ok && hidden.share == 0.5, "{found:?}");
        assert!((hidden.beyond - 0.01).abs() < 1e-12);
        let share = found.max_share.unwrap();
        assert!((share - 0.02 / 640.0).abs() < 1e-9, "{share}");
        // One element in a hundred that happens to be near 0.
        let mut many = vec![1.0f32; 100];
        many[7] = 1e-5;
        let golden = f32s(&many);
        many[7] = 1e-4;
        let found = compare(&f32s(&many), &golden, &BY_DTYPE);
        assert!(found.ok && found.hidden.is_none(), "{found:?}");
    }

    #[test]
    fn a_nan_passes_at_no_ratio() {
        let f32s = |v: &[f32]| TensorData::from_f32(vec![v.len()], v);
        let golden = f32s(&[1.0, 2.0]);
        assert!(!compare(&f32s(&[1.0, f32::NAN]), &golden, &BY_DTYPE).ok);
    }
}
