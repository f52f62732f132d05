//! The ranges of a model's values on samples.

use crate::histogram::Histogram;
use kiln_eval::{EvalError, Observer, Options, State, Tensor, evaluate_observed};
use kiln_ir::graph::{InputSpec, Use};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_process::interruption::{self, Interrupted};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The least and the greatest number that a value had, 0 included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The least; at most 0.
    pub min: f64,
    /// The greatest; at least 0.
    pub max: f64,
}

impl Range {
    /// The scale and the zero point with which the integers `min..=max` cover the range.
    pub fn parameters(self, min: i64, max: i64) -> (f64, i64) {
        let span = self.max - self.min;
        if span <= 0.0 {
            return (1.0, 0);
        }
        let scale = f64::from((span / (max - min) as f64) as f32).max(f64::from(f32::MIN_POSITIVE));
        let zero_point = min - (self.min / scale).round_ties_even() as i64;
        (scale, zero_point.clamp(min, max))
    }

    /// The range of some numbers.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Range {
        let mut range = Range::default();
        range.extend(numbers);
        range
    }

    fn extend(&mut self, numbers: impl Iterator<Item = f64>) {
        for number in numbers.filter(|number| number.is_finite()) {
            self.min = self.min.min(number);
            self.max = self.max.max(number);
        }
    }
}

/// How much less than the greatest score of its row a score is at least told apart. A lesser one weighs less than 6e-6 of the
/// greatest, whatever a mask adds to it.
const TOLD_APART: f64 = 12.0;
/// A row whose greatest score is less than this is masked as a whole. What a softmax gives for it has no use.
const MASKED_ROW: f64 = -5000.0;

/// What a value was on samples.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// How often there was which number.
    histogram: Histogram,
    /// The range of all finite numbers.
    finite: Range,
    /// True if there was NaN or positive infinity, which no mask is.
    has_fault: bool,
    /// True if there was another number than NaN and infinities.
    has_number: bool,
    /// True if there was negative infinity.
    has_nothing: bool,
    /// The least of the greatest numbers of all rows along which a softmax reads the value, but for rows that are masked as a whole.
    least_peak: Option<f64>,
}

impl Seen {
    fn extend(&mut self, numbers: impl Iterator<Item = f64> + Clone) {
        self.finite.extend(numbers.clone());
        self.histogram.extend(numbers.clone());
        self.has_fault |= numbers.clone().any(|x| x.is_nan() || x == f64::INFINITY);
        self.has_number |= numbers.clone().any(f64::is_finite);
        self.has_nothing |= numbers.clone().any(|x| x == f64::NEG_INFINITY);
    }

    fn extend_peaks(&mut self, peaks: impl Iterator<Item = f32>) {
        let peaks = peaks.map(f64::from).filter(|&peak| peak >= MASKED_ROW);
        self.least_peak = self.least_peak.into_iter().chain(peaks).reduce(f64::min);
    }

    /// True if no element was a number, and not all were negative infinity, as those of a mask are.
    fn is_lost(&self) -> bool {
        self.has_fault && !self.has_number
    }

    fn of_scores(&self) -> Range {
        let Range { min, max } = self.finite;
        let min = match self.has_nothing {
            true => f64::NEG_INFINITY,
            false => min,
        };
        match self.least_peak {
            Some(least) => Range {
                min: min.max(least - TOLD_APART).min(0.0),
                max,
            },
            None => self.finite,
        }
    }
}

/// The greatest finite number of each row along an axis.
fn peaks(numbers: &[f32], sizes: &[usize], axis: usize) -> Vec<f32> {
    let [size, inner] = [sizes[axis], sizes[axis + 1..].iter().product()];
    let rows = numbers.len() / size.max(1);
    let mut peaks = vec![f32::NEG_INFINITY; rows];
    for (position, &number) in numbers.iter().enumerate() {
        let row = position / (size * inner) * inner + position % inner;
        if number.is_finite() {
            peaks[row] = peaks[row].max(number);
        }
    }
    peaks.retain(|peak| peak.is_finite());
    peaks
}

/// The ranges of the floats of a graph's outermost block.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    of: FxHashMap<ValueId, Seen>,
    /// The graph's outputs on some samples, by the sample's number.
    outputs: Vec<(usize, Vec<Tensor>)>,
}

/// The number of samples whose outputs are kept.
const KEPT: usize = 8;

/// The samples whose outputs are kept: neighbours may be alike, but state needs the first ones.
fn kept(graph: &Graph, count: usize) -> BTreeSet<usize> {
    let kept = KEPT.min(count);
    match graph.cells().next() {
        Some(_) => (0..kept).collect(),
        None => (0..kept).map(|i| i * count / kept).collect(),
    }
}

/// Why ranges cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum RangesError {
    /// There are no samples.
    #[error("there are no samples")]
    NoSamples,
    /// A sample has elements that are no numbers: they have no place in a range, and all that follows from them is lost.
    #[error(
        "input {input} of sample {sample} has {count} NaN among {elements} elements; give samples without"
    )]
    Nan {
        /// The number of the sample.
        sample: usize,
        /// The position of the input.
        input: usize,
        /// How many elements are NaN.
        count: usize,
        /// How many elements there are.
        elements: usize,
    },
    /// An input is nothing but infinities.
    #[error("input {input} has no finite number in any sample")]
    NoNumbers {
        /// The position of the input.
        input: usize,
    },
    /// A signal ends this program, or the work of its host.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The model does not run on a sample.
    #[error("sample {sample}: {error}")]
    Run {
        /// The number of the sample.
        sample: usize,
        /// What failed.
        error: EvalError,
    },
}

impl Ranges {
    /// Runs a graph on samples, each the tensors that it takes. State carries over from one to the next.
    ///
    /// # Errors
    /// There is no sample, one has NaN, an input has no numbers, or the graph does not run on a sample.
    pub fn observe(
        graph: &Graph,
        samples: impl ExactSizeIterator<Item = Vec<Tensor>>,
    ) -> Result<Ranges, RangesError> {
        let kept = kept(graph, samples.len());
        let mut watch = Watch {
            ranges: Ranges::default(),
        };
        let mut state = State::new(graph);
        let mut count = 0;
        for (sample, inputs) in samples.enumerate() {
            for ((input, param), tensor) in tensor_inputs(graph).zip(&inputs) {
                check_numbers(tensor, sample, input)?;
                watch.see(graph, param, tensor);
            }
            let done =
                evaluate_observed(graph, &inputs, &mut state, &Options::default(), &mut watch)
                    .map_err(|error| RangesError::Run { sample, error })?;
            if kept.contains(&sample) {
                watch.ranges.outputs.push((sample, done.outputs));
            }
            interruption::check()?;
            count += 1;
        }
        if count == 0 {
            return Err(RangesError::NoSamples);
        }
        let has_none = |&(_, value): &(usize, ValueId)| {
            let is_empty = graph.ty(value).shape.iter().any(|dim| dim.is(0));
            let seen = watch.ranges.of.get(&value);
            !is_empty && seen.is_some_and(|seen| !seen.has_number)
        };
        match tensor_inputs(graph).find(has_none) {
            Some((input, _)) => Err(RangesError::NoNumbers { input }),
            None => Ok(watch.ranges),
        }
    }

    /// The range of a value; `None` for one that is no float, was never computed, or had no number in any sample.
    pub fn get(&self, value: ValueId) -> Option<Range> {
        let seen = self.of.get(&value)?;
        (!seen.is_lost()).then_some(seen.finite)
    }

    /// The part of a range for which rounding a value to so many steps has the least squared error.
    pub(crate) fn least_error(&self, value: ValueId, range: Range, steps: f64) -> Range {
        match self.of.get(&value) {
            Some(seen) => seen.histogram.least_error(range, steps),
            None => range,
        }
    }

    /// The nodes that computed nothing but NaN and infinities in all samples, in order.
    pub fn lost<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = NodeId> + 'a {
        let is_lost = |value: &ValueId| self.of.get(value).is_some_and(Seen::is_lost);
        graph
            .nodes_in(graph.root())
            .filter(move |(_, node)| !node.operands.is_empty() && node.results.iter().any(is_lost))
            .map(|(id, _)| id)
    }

    /// True if the value had elements of negative infinity.
    pub(crate) fn has_nothing(&self, value: ValueId) -> bool {
        self.of.get(&value).is_some_and(|seen| seen.has_nothing)
    }

    /// The range of scores, which a softmax reads. It ends a little below those that weigh something: the numbers of a mask would leave
    /// no steps to the others.
    pub fn of_scores(&self, value: ValueId) -> Option<Range> {
        self.of.get(&value).map(Seen::of_scores)
    }

    /// The graph's outputs on some samples, by the sample's number.
    pub(crate) fn outputs(&self) -> &[(usize, Vec<Tensor>)] {
        &self.outputs
    }

    /// The inputs that were zero in all samples, by position.
    pub fn zero_inputs(&self, graph: &Graph) -> Vec<usize> {
        let is_zero = |value: &ValueId| {
            let seen = self.of.get(value);
            seen.is_some_and(|seen| seen.has_number && seen.finite == Range::default())
        };
        tensor_inputs(graph)
            .filter(|(_, value)| is_zero(value))
            .map(|(position, _)| position)
            .collect()
    }
}

/// The inputs that are tensors, by position.
fn tensor_inputs(graph: &Graph) -> impl Iterator<Item = (usize, ValueId)> {
    let inputs = graph.signature.inputs.iter().enumerate();
    let tensors = inputs.filter(|(_, input)| matches!(input, InputSpec::Tensor { .. }));
    let params = graph.block(graph.root()).params.iter();
    tensors.map(|(position, _)| position).zip(params.copied())
}

/// Refuses NaN.
fn check_numbers(tensor: &Tensor, sample: usize, input: usize) -> Result<(), RangesError> {
    let count = match tensor.elements::<f32>() {
        Some(elements) => elements.iter().filter(|x| x.is_nan()).count(),
        None if tensor.dtype().is_float() => {
            let scalars = tensor.scalars().into_iter();
            scalars.filter(|x| x.as_f64().is_nan()).count()
        }
        None => 0,
    };
    if count == 0 {
        return Ok(());
    }
    Err(RangesError::Nan {
        sample,
        input,
        count,
        elements: tensor.len(),
    })
}

/// Sees all results.
struct Watch {
    ranges: Ranges,
}

impl Watch {
    fn see(&mut self, graph: &Graph, value: ValueId, tensor: &Tensor) {
        if !tensor.dtype().is_float() || tensor.quant().is_some() {
            return;
        }
        let seen = self.ranges.of.entry(value).or_default();
        match tensor.elements::<f32>() {
            Some(elements) => {
                seen.extend(elements.iter().map(|&x| f64::from(x)));
                for axis in softmax_axes(graph, value) {
                    seen.extend_peaks(peaks(elements, tensor.sizes(), axis).into_iter());
                }
            }
            None => {
                let scalars: Vec<f64> = tensor.scalars().into_iter().map(|x| x.as_f64()).collect();
                seen.extend(scalars.into_iter());
            }
        }
    }
}

/// The axes along which softmaxes read a value.
fn softmax_axes(graph: &Graph, value: ValueId) -> BTreeSet<usize> {
    let uses = graph.value(value).uses().iter();
    let axis = |use_: &Use| match *use_ {
        Use::Operand(reader, _) => match &graph.node(reader).op {
            Op::Softmax(op) if !op.log => Some(op.axis),
            _ => None,
        },
        Use::BlockResult(..) | Use::Update(_) => None,
    };
    uses.filter_map(axis).collect()
}

impl Observer for Watch {
    fn observe(&mut self, graph: &Graph, node: NodeId, results: &[Tensor]) {
        let node = graph.node(node);
        if node.block != graph.root() {
            return;
        }
        for (&value, tensor) in node.results.iter().zip(results) {
            self.see(graph, value, tensor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_an_integer_of_its_own() {
        for (min, max) in [
            (0.0, 1.0),
            (-1.0, 0.0),
            (-0.3, 2.9),
            (-7.0, 7.0),
            (0.0, 1e-30),
        ] {
            let (scale, zero_point) = Range { min, max }.parameters(-128, 127);
            assert!((-128..=127).contains(&zero_point), "{min} {max}");
            let real = |integer: i64| scale * (integer - zero_point) as f64;
            assert!(real(-128) <= min + scale / 2.0 && real(127) >= max - scale / 2.0 - 1e-12);
            assert_eq!(real(zero_point), 0.0);
        }
        assert_eq!(Range::default().parameters(-128, 127), (1.0, 0));
    }

    #[test]
    fn a_mask_leaves_steps_to_the_scores() {
        // Two rows of scores, and one that is masked as a whole.
        for mask in [f32::NEG_INFINITY, -1e9, -1e4] {
            let scores = [mask, 3.0, mask - 1.0, -2.0, mask - 2.0, mask];
            let mut seen = Seen::default();
            seen.extend_peaks(peaks(&scores, &[3, 2], 1).into_iter());
            seen.extend(scores.iter().map(|&x| f64::from(x)));
            let range = seen.of_scores();
            assert_eq!((range.min, range.max), (-14.0, 3.0), "{mask}");
        }
    }

    #[test]
    fn rows_may_lie_along_any_axis() {
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, f32::NEG_INFINITY];
        assert_eq!(peaks(&numbers, &[2, 3], 1), [3.0, 5.0]);
        assert_eq!(peaks(&numbers, &[2, 3], 0), [4.0, 5.0, 3.0]);
    }

    #[test]
    fn infinities_have_no_part_in_a_range() {
        let mut range = Range::default();
        range.extend([f64::INFINITY, 2.0, f64::NAN, -1.0, f64::NEG_INFINITY].into_iter());
        assert_eq!(
            range,
            Range {
                min: -1.0,
                max: 2.0
            }
        );
    }
}
