//! Compares what the stock runtime gives for a probe with what the interpreter gives.

use super::probe::{Probe, feeds};
use super::{device, losses};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::{Graph, Scalar, TensorData};
use kiln_xnnpack::{Options, compile};
use std::collections::HashSet;
use std::path::PathBuf;

/// The differences in all runs of a probe.
#[derive(Default)]
pub struct Compared {
    /// Elements of another kind than expected, in words.
    pub kinds: Vec<String>,
    /// Results that are farther from those expected than rounding and the kernels' formulas explain, in words.
    pub values: Vec<String>,
    /// The number of elements that were compared as numbers.
    pub numbers: usize,
    /// Pairs of numbers that are known to be near. Most elements are the same in all runs of a probe.
    near: HashSet<Pair>,
}

/// The indices of a result and of an element, and the bits of the number found and of the number expected.
type Pair = (usize, usize, u64, u64);

/// Runs the probe on all its inputs.
pub fn compare(probe: &Probe, runner: &PathBuf, options: &Options) -> Compared {
    let feeds = feeds(&probe.graph);
    let lowered = probe.lowered(options);
    let regions = compile(&lowered, options).unwrap_or_else(|e| panic!("{}: {e}", probe.name));
    let found = device::run_all(runner, &lowered, regions, &feeds);
    assert_eq!(feeds.len(), found.len(), "{}", probe.name);
    let mut compared = Compared::default();
    for (feed, found) in feeds.iter().zip(&found) {
        let expected = interpreted(&probe.graph, feed);
        let types = |all: &[Tensor]| -> Vec<_> {
            all.iter()
                .map(|t| (t.dtype(), t.sizes().to_vec()))
                .collect()
        };
        assert_eq!(types(found), types(&expected), "{}", probe.name);
        compared.kinds(feed, found, &expected);
        compared.values(&lowered, feed, found);
    }
    compared
}

fn interpreted(graph: &Graph, feed: &[Tensor]) -> Vec<Tensor> {
    let settings = kiln_eval::Options::default();
    let outcome = evaluate(graph, feed, &mut State::new(graph), &settings);
    outcome.unwrap().outputs
}

impl Compared {
    /// Compares NaN and infinities with those of the graph as it was before the passes.
    fn kinds(&mut self, feed: &[Tensor], found: &[Tensor], expected: &[Tensor]) {
        for (found, expected) in found.iter().zip(expected) {
            let pairs = found.scalars().into_iter().zip(expected.scalars());
            for (i, (a, b)) in pairs.enumerate() {
                let (a, b) = (kind(a), kind(b));
                if a != b {
                    let of = fed(feed);
                    self.kinds
                        .push(format!("element {i} is {a}, not {b}, of {of:?}"));
                }
            }
        }
    }

    /// Compares the elements that are finite on both.
    fn values(&mut self, lowered: &Graph, feed: &[Tensor], found: &[Tensor]) {
        let own = interpreted(lowered, feed);
        let mut pairs = HashSet::new();
        let results = found.iter().zip(&own).enumerate();
        let numbers = results.map(|(i, (found, own))| self.numbers_of(i, found, own, &mut pairs));
        let numbers: Vec<Tensor> = numbers.collect();
        if pairs.is_empty() {
            return;
        }
        match losses::check(lowered, feed, &own, &numbers) {
            Ok(()) => self.near.extend(pairs),
            Err(difference) => {
                let of = fed(feed);
                self.values.push(format!("{difference}, of {of:?}"));
            }
        }
    }

    /// The device's result, with the interpreter's element wherever one of the two is not finite, or the pair is known to
    /// be near. Adds all other pairs to `pairs`.
    fn numbers_of(
        &mut self,
        result: usize,
        found: &Tensor,
        own: &Tensor,
        pairs: &mut HashSet<Pair>,
    ) -> Tensor {
        let each = found.scalars().into_iter().zip(own.scalars()).enumerate();
        let scalars: Vec<Scalar> = each
            .map(|(i, (found, own))| {
                let [a, b] = [found, own].map(Scalar::as_f64);
                let are_numbers = a.is_finite() && b.is_finite();
                self.numbers += usize::from(are_numbers);
                let pair = (result, i, a.to_bits(), b.to_bits());
                let is_open = are_numbers && a != b && !self.near.contains(&pair);
                if is_open {
                    pairs.insert(pair);
                }
                if is_open { found } else { own }
            })
            .collect();
        let (dtype, sizes) = (own.dtype(), own.sizes().to_vec());
        Tensor::from(TensorData::from_scalars(dtype, sizes, scalars))
    }
}

/// NaN, an infinity with its sign, or finite.
fn kind(scalar: Scalar) -> &'static str {
    match scalar.as_f64() {
        x if x.is_nan() => "NaN",
        f64::INFINITY => "inf",
        f64::NEG_INFINITY => "-inf",
        _ => "finite",
    }
}

/// The first special numbers of each input, with their places.
fn fed(feed: &[Tensor]) -> Vec<Vec<String>> {
    let of = |t: &Tensor| {
        let all = t.scalars().into_iter().enumerate();
        let special = all.filter(|(_, s)| !s.as_f64().is_finite());
        let words = special.map(|(i, s)| format!("{i}={}", s.as_f64()));
        words.take(4).collect()
    };
    feed.iter().map(of).collect()
}
