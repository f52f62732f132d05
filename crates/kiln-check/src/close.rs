//! Decides whether two results are equal.

use crate::numbers::numbers;
use crate::run::{Ran, run};
use crate::wobble::{Given, UNITS, Wobbly, unit, wobbly_runs};
use kiln_eval::Tensor;
use kiln_ir::{DType, Graph, Scalar, ValueId};
use kiln_transforms::framework::rewriting::nodes_in_use;
use std::fmt;
use std::ops::Range;

/// How close results must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// The same bits. All NaN are equal.
    Bits,
    /// As close as rounding explains; see [`crate::wobble`].
    Rounding,
    /// Where ops on quantised values are computed by fixed-point arithmetic: within the bounds of its errors around what the graph
    /// before gives ([`crate::wobble::fixed_point`]). Runs of the graph after allow nothing.
    FixedPoint,
    /// As [`Close::Rounding`], where ops on quantised values may be computed by XNNPACK's kernels ([`crate::wobble`], `single_factors`).
    SingleFactors,
}

/// How the spread of runs around the plain one counts.
#[derive(Clone, Copy)]
enum Spread {
    /// So many times, to both sides.
    Around(f64),
    /// From the least to the greatest: an error of fixed-point arithmetic to one side says nothing of the other. Where many errors add
    /// up, hardly any run meets their greatest sum, which some run meets in some element of the tensor. With `pools`, that counts for all
    /// elements of the tensor in which errors add up.
    Between { pools: bool },
}

impl Spread {
    /// The spread of the last runs that are made.
    fn of_last(self) -> Spread {
        match self {
            Spread::Between { .. } => Spread::Between { pools: true },
            around => around,
        }
    }

    /// Between the ways in which graphs round.
    const OF_GRAPHS: Spread = Spread::Around(SAFETY);

    /// Of a graph's own runs. Floats err to both sides, and programs of them as graphs behind a pipeline.
    fn of_own(graph: &Graph, close: Close) -> Spread {
        let is_quantised = |&value: &ValueId| graph.ty(value).quant.is_some();
        let mut nodes = nodes_in_use(graph).into_iter();
        let mut has_integers = || nodes.any(|id| graph.node(id).results.iter().any(is_quantised));
        match close == Close::FixedPoint && has_integers() {
            true => Spread::Between { pools: false },
            false if close == Close::FixedPoint => Spread::OF_GRAPHS,
            false => Spread::Around(1.0),
        }
    }

    fn safety(self) -> f64 {
        match self {
            Spread::Around(times) => times,
            // What becomes infinite or NaN is among the runs.
            Spread::Between { .. } => 0.0,
        }
    }
}

/// The factor on the measured spreads of both graphs, because a few runs do not meet the worst case.
const SAFETY: f64 = 4.0;

/// The values that one error of fixed-point arithmetic leaves, which is less than half a step: those between which the exact real lies.
/// More of them show that errors add up.
const VALUES_OF_ONE_ERROR: usize = 2;

/// The limit on what the new graph's own sensitivity adds to the tolerance, in units of the tensor's greatest element:
/// half of the 24 digits of an f32. A rewrite that cancels more digits without need is wrong, not imprecise.
///
/// It is a limit on the sensitivity of the new graph and no tolerance by itself: an element may only be off by as much as
/// the new graph's own runs spread there. It counts from the greatest element, since the terms that cancel in an element
/// are not known here, and are of that size where elements are sums of the same terms.
const MAX_UNITS_OF_NEW: f64 = 4096.0;

/// The place at which results differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The index of the result: outputs first, then mutated inputs and state.
    pub output: usize,
    /// The index of the element; `None` if the types differ.
    pub element: Option<usize>,
    /// The value before the pass.
    pub expected: String,
    /// The value behind the pass.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "output {}", self.output)?;
        if let Some(element) = self.element {
            write!(f, ", element {element}")?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}

/// A graph with its results on some inputs.
#[derive(Clone, Copy)]
pub struct Side<'r> {
    /// The graph.
    pub graph: &'r Graph,
    /// Its results.
    pub ran: &'r Ran,
}

/// The first difference that rounding does not explain.
pub fn difference(
    before: Side<'_>,
    after: Side<'_>,
    inputs: &[Tensor],
    close: Close,
) -> Option<Difference> {
    if close == Close::FixedPoint {
        return beyond_own_runs(before, after.ran, inputs, close, &Given::default());
    }
    let exact = first_inexact(before.ran, after.ran)?;
    if close == Close::Bits || before.ran.len() != after.ran.len() {
        return Some(exact);
    }
    let spread = Spread::OF_GRAPHS;
    difference_beyond_runs(before, after.ran, exact, spread, |graphs, seeds| {
        let runs = |graph, seeds| wobbly_runs(graph, inputs, seeds, close, &Given::default());
        graphs[0].extend(runs(before.graph, seeds.clone()));
        graphs[1].extend(runs(after.graph, seeds));
    })
}

/// The first difference that counts between what the interpreter gives for a graph and what another executor of the same
/// graph found: the graph's own sensitivity is all that is allowed.
pub fn difference_elsewhere(graph: Side<'_>, found: &Ran, inputs: &[Tensor]) -> Option<Difference> {
    beyond_own_runs(graph, found, inputs, Close::Rounding, &Given::default())
}

/// The first difference that the graph's own runs do not explain. In these and in the graph's results, values are as given.
pub(crate) fn beyond_own_runs(
    graph: Side<'_>,
    found: &Ran,
    inputs: &[Tensor],
    close: Close,
    given: &Given,
) -> Option<Difference> {
    let exact = first_inexact(graph.ran, found)?;
    if graph.ran.len() != found.len() {
        return Some(exact);
    }
    let spread = Spread::of_own(graph.graph, close);
    difference_beyond_runs(graph, found, exact, spread, |[own, _], seeds| {
        own.extend(wobbly_runs(graph.graph, inputs, seeds, close, given));
    })
}

/// Compares what another executor gave for a graph on inputs with what the interpreter gives.
///
/// # Errors
/// If the interpreter fails, a result is missing or of another type, or an element differs by more than rounding explains.
pub fn check_elsewhere(graph: &Graph, inputs: &[Tensor], found: &Ran) -> Result<(), String> {
    let ran = run(graph, inputs)?;
    match difference_elsewhere(Side { graph, ran: &ran }, found, inputs) {
        None => Ok(()),
        Some(difference) => Err(difference.to_string()),
    }
}

/// The difference that more and more runs leave. `add` adds the wobbly runs of those
/// seeds, of the graph before and of the one after.
fn difference_beyond_runs(
    before: Side<'_>,
    after: &Ran,
    exact: Difference,
    spread: Spread,
    add: impl Fn(&mut [Vec<Wobbly>; 2], Range<u64>),
) -> Option<Difference> {
    // A count or a choice that rounding changes differs in about half of the runs, so more runs always include both
    // outcomes.
    let (mut runs, mut known) = ([Vec::new(), Vec::new()], 0);
    let mut found = Some(exact);
    let is_small = before.ran.iter().map(Tensor::len).sum::<usize>() <= SMALL;
    let last = RUNS[if is_small { 4 } else { 3 }];
    for count in RUNS.into_iter() {
        let is_rare = count > last;
        let is_met = |found: &Difference| is_met_elsewhere(before.ran, after, &runs, found);
        if is_rare && !(is_small && found.as_ref().is_some_and(is_met)) {
            break;
        }
        add(&mut runs, known + 1..count + 1);
        known = count;
        let spread = if count >= last {
            spread.of_last()
        } else {
            spread
        };
        found = difference_of_runs(before.ran, after, [&runs[0], &runs[1]], spread);
        if found.is_none() {
            break;
        }
    }
    found
}

/// The numbers of wobbly runs: none at first, and each next number while a difference is left. Each run costs an execution of
/// the model. A spread is the greatest distance of all runs, so more runs never allow less: to stop early saves time and
/// changes no verdict. From the fifth on, they apply only to results of at most [`SMALL`] elements; from the sixth on, only where a run is off by as
/// much in another element: then errors of several ops may have to meet in this one, which happens once in some hundred runs.
const RUNS: [u64; 7] = [0, 3, 10, 40, 160, 640, 2560];

const SMALL: usize = 1 << 16;

/// True if some run is off in some element of the result by as much as the difference.
fn is_met_elsewhere(
    before: &Ran,
    after: &Ran,
    runs: &[Vec<Wobbly>; 2],
    difference: &Difference,
) -> bool {
    let (output, Some(element)) = (difference.output, difference.element) else {
        return false;
    };
    let sides = [before, after].map(|ran| numbers(&ran[output]));
    let off = (sides[0][element] - sides[1][element]).abs();
    let own = runs.iter().zip(&sides).flat_map(|(runs, own)| {
        let results = runs.iter().filter_map(|run| run.ran.get(output));
        results.map(move |result| (numbers(result), own))
    });
    let mut all = own.filter(|(result, own)| result.len() == own.len());
    all.any(|(result, own)| {
        let mut pairs = result.iter().zip(own);
        pairs.any(|(r, x)| (r - x).abs() >= off * (1.0 - 1e-6))
    })
}

fn difference_of_runs(
    before: &Ran,
    after: &Ran,
    [old, new]: [&[Wobbly]; 2],
    spread: Spread,
) -> Option<Difference> {
    let safety = spread.safety();
    (0..before.len()).find_map(|output| {
        let (a, b) = (&before[output], &after[output]);
        let (mut old, mut new) = (Runs::of(old, output, a), Runs::of(new, output, b));
        if (a.dtype(), a.sizes()) != (b.dtype(), b.sizes()) {
            // Sizes that depend on values may also differ by rounding.
            let is_met = has_sizes_around(&old.plain, a, b, safety)
                || has_sizes_around(&new.plain, b, a, safety);
            return (!is_met).then(|| of_types(output, a, b));
        }
        old.retain_len(a.len());
        new.retain_len(a.len());
        let element = beyond_rounding(a, b, [&old.numbers(), &new.numbers()], spread)?;
        let at = |t: &Tensor| shown(t.scalars()[element]);
        Some(Difference {
            output,
            element: Some(element),
            expected: at(a),
            found: at(b),
        })
    })
}

/// One result of all wobbly runs.
struct Runs<T> {
    /// The results of runs that show how far rounding goes.
    plain: Vec<T>,
    /// The results of runs in which some overflowing values were kept and some were not. Each shows one possible
    /// result; values between two of them are not possible.
    mixed: Vec<T>,
}

impl Runs<Tensor> {
    /// The runs whose result has the rank and the dtype of `like`.
    fn of(runs: &[Wobbly], output: usize, like: &Tensor) -> Runs<Tensor> {
        let found = |mixes: bool| -> Vec<Tensor> {
            let runs = runs.iter().filter(|r| r.mixes == mixes);
            let results = runs.filter_map(|r| r.ran.get(output));
            let kind = (like.dtype(), like.rank());
            results
                .filter(|t| (t.dtype(), t.rank()) == kind)
                .cloned()
                .collect()
        };
        Runs {
            plain: found(false),
            mixed: found(true),
        }
    }

    fn retain_len(&mut self, len: usize) {
        self.plain.retain(|t| t.len() == len);
        self.mixed.retain(|t| t.len() == len);
    }

    fn numbers(&self) -> Runs<Vec<f64>> {
        Runs {
            plain: self.plain.iter().map(numbers).collect(),
            mixed: self.mixed.iter().map(numbers).collect(),
        }
    }
}

fn shown(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(v) => v.to_string(),
        Scalar::Int(v) => v.to_string(),
        Scalar::Float(v) => format!("{v:?}"),
    }
}

fn first_inexact(before: &Ran, after: &Ran) -> Option<Difference> {
    if before.len() != after.len() {
        let count = |n: usize| format!("{n} tensors");
        return Some(Difference {
            output: 0,
            element: None,
            expected: count(before.len()),
            found: count(after.len()),
        });
    }
    before
        .iter()
        .zip(after)
        .enumerate()
        .find_map(|(output, (a, b))| {
            if (a.dtype(), a.sizes()) != (b.dtype(), b.sizes()) {
                return Some(of_types(output, a, b));
            }
            if a.bytes() == b.bytes() {
                return None;
            }
            let (a, b) = (a.scalars(), b.scalars());
            let element = (0..a.len()).find(|&i| !is_same(a[i], b[i]))?;
            Some(Difference {
                output,
                element: Some(element),
                expected: shown(a[element]),
                found: shown(b[element]),
            })
        })
}

fn of_types(output: usize, a: &Tensor, b: &Tensor) -> Difference {
    Difference {
        output,
        element: None,
        expected: format!("{:?}", a.tensor_type()),
        found: format!("{:?}", b.tensor_type()),
    }
}

/// True if the sizes of `other` lie within the range of sizes in runs of the graph that gave `own`, widened by `safety` times
/// the range.
fn has_sizes_around(runs: &[Tensor], own: &Tensor, other: &Tensor, safety: f64) -> bool {
    let is_around = |axis: usize| {
        let sizes = runs.iter().chain([own]).map(|t| t.sizes()[axis] as f64);
        let (least, greatest) = sizes.fold((f64::INFINITY, 0.0f64), |(least, greatest), size| {
            (least.min(size), greatest.max(size))
        });
        let size = other.sizes()[axis] as f64;
        (least - size).max(size - greatest) <= safety * (greatest - least)
    };
    let has_kind = (own.dtype(), own.rank()) == (other.dtype(), other.rank());
    has_kind && (0..own.rank()).all(is_around)
}

fn is_same(a: Scalar, b: Scalar) -> bool {
    a == b || (a.as_f64().is_nan() && b.as_f64().is_nan())
}

/// The first element of `b` that differs from `a` by more than rounding explains.
fn beyond_rounding(
    a: &Tensor,
    b: &Tensor,
    [old, new]: [&Runs<Vec<f64>>; 2],
    spread: Spread,
) -> Option<usize> {
    let dtype = a.dtype();
    let (a, b) = (numbers(a), numbers(b));
    let greatest = a
        .iter()
        .filter(|v| v.is_finite())
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    // Counts, truths and choices have no units in the last place: an outcome occurs or it does not.
    let cap = match dtype.is_float() {
        true => MAX_UNITS_OF_NEW * unit(dtype) * greatest,
        false => f64::INFINITY,
    };
    (0..a.len()).find(|&i| {
        let (x, y) = (a[i], b[i]);
        if x == y || (x.is_nan() && y.is_nan()) {
            return false;
        }
        // Where rounding takes the old graph beyond the finite numbers, any value is accepted.
        if x.is_finite() && old.plain.iter().any(|r| !r[i].is_finite()) {
            return false;
        }
        let slack = 4.0 * unit(dtype);
        let margin = Margin {
            safety: spread.safety(),
            slack,
        };
        if !x.is_finite() || !y.is_finite() {
            return !meets(old, i, [y, x], margin) && !meets(new, i, [x, y], margin);
        }
        // Of how far runs are off to either side, the greatest.
        let off = |runs: &[Vec<f64>], of: &dyn Fn(f64) -> f64| {
            let all = runs.iter().map(|r| of(r[i]));
            all.fold(
                0.0,
                |m: f64, v| if v.is_nan() { f64::INFINITY } else { m.max(v) },
            )
        };
        let allowed = match spread {
            Spread::Around(times) => {
                let [old, new] = [(old, x), (new, y)]
                    .map(|(runs, center)| times * off(&runs.plain, &|r: f64| (r - center).abs()));
                old + new.min(cap)
            }
            Spread::Between { pools } => {
                match values_of(&old.plain, i, x, dtype) {
                    // Only floats err, to both sides.
                    1 => SAFETY * off(&old.plain, &|r: f64| (r - x).abs()),
                    values if pools && values > VALUES_OF_ONE_ERROR => pooled(&old.plain, &a),
                    _ => off(&old.plain, &|r: f64| if y > x { r - x } else { x - r }),
                }
            }
        };
        (x - y).abs() > allowed + slack * x.abs().max(y.abs()) + least(dtype)
            && !is_among(old, i, y, margin)
    })
}

/// How many values runs give for an element, its own among them, that rounding of floats does not explain.
fn values_of(runs: &[Vec<f64>], element: usize, own: f64, dtype: DType) -> usize {
    let mut values: Vec<f64> = runs.iter().map(|r| r[element]).collect();
    values.push(own);
    values.sort_unstable_by(f64::total_cmp);
    let is_apart = |pair: &&[f64]| {
        let rounding = 2.0 * UNITS * unit(dtype) * pair[0].abs().max(pair[1].abs());
        pair[1] - pair[0] > rounding
    };
    1 + values.windows(2).filter(is_apart).count()
}

/// How far some element of some run is off at most.
fn pooled(runs: &[Vec<f64>], own: &[f64]) -> f64 {
    let pairs = runs.iter().flat_map(|run| run.iter().zip(own));
    let off = pairs.map(|(r, x)| (r - x).abs());
    off.filter(|off| off.is_finite()).fold(0.0, f64::max)
}

/// How far a value may lie beside a range of values.
#[derive(Clone, Copy)]
struct Margin {
    /// How often the width of the range counts.
    safety: f64,
    /// Relative to the value.
    slack: f64,
}

impl Margin {
    fn around(self, value: f64, width: f64) -> f64 {
        self.safety * width + self.slack * value.abs()
    }
}

/// True if runs of a graph that gives `own` explain `value`: one of them gives the same NaN or infinity, or finite
/// values around it, widened by the margin. If an infinity is among them, there is no limit on that side.
fn meets(runs: &Runs<Vec<f64>>, element: usize, [value, own]: [f64; 2], margin: Margin) -> bool {
    if is_among(runs, element, value, margin) {
        return true;
    }
    let found = || runs.plain.iter().map(|r| r[element]);
    if !value.is_finite() {
        // Infinities of opposite signs give NaN. Where rounding leaves one of them finite, the other one remains.
        let is_left = own.is_nan() && value.is_infinite() && found().any(f64::is_finite);
        return is_left || found().any(|v| v == value || (v.is_nan() && value.is_nan()));
    }
    let [least, greatest] = finite_range(&runs.plain, element);
    let reach = margin.around(value, greatest - least);
    let has = |infinity: f64| own == infinity || found().any(|v| v == infinity);
    let is_above = value >= least - reach || has(f64::NEG_INFINITY);
    let is_below = value <= greatest + reach || has(f64::INFINITY);
    least <= greatest && is_above && is_below
}

/// True if a mixed run explains the value: it gives the same NaN or infinity, or a finite value as near as rounding
/// explains.
fn is_among(runs: &Runs<Vec<f64>>, element: usize, value: f64, margin: Margin) -> bool {
    let mut found = runs.mixed.iter().map(|r| r[element]);
    if !value.is_finite() {
        return found.any(|v| v == value || (v.is_nan() && value.is_nan()));
    }
    let [least, greatest] = finite_range(&runs.plain, element);
    let reach = margin.around(value, (greatest - least).max(0.0));
    found.any(|v| (v - value).abs() <= reach)
}

/// The least and the greatest of the finite values. If there are none, an empty interval.
fn finite_range(runs: &[Vec<f64>], element: usize) -> [f64; 2] {
    let finite = || runs.iter().map(|r| r[element]).filter(|v| v.is_finite());
    [
        finite().fold(f64::INFINITY, f64::min),
        finite().fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// A few times the distance of neighbouring numbers around zero.
fn least(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 4.0 * 2f64.powi(-24),
        DType::BF16 => 4.0 * 2f64.powi(-133),
        DType::F32 => 4.0 * 2f64.powi(-149),
        _ => 0.0,
    }
}
