//! Random quantised networks, as an archive has them: a dequantisation in front of each op, and a quantisation behind it.
//!
//! A network has 8-bit or 16-bit values. Its scales follow from how far the values reach, so that integers use their range and
//! seldom leave it. Convolutions of images follow one another often enough that a chain of them is computed by rows. Some networks
//! have parts in floats: an edge that is not quantised, or a head.

mod dense;
mod moves;
mod plain;
mod pointwise;
mod windows;

use super::{Grower, Grown, Recipe};
use kiln_ir::graph::OutputSpec;
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Graph, TensorType, ValueId};
use std::sync::Arc;

/// The greatest number of elements of a value in a network.
const MAX_ELEMENTS: i64 = 1 << 13;

/// A dequantised value.
#[derive(Clone, Copy)]
struct Layer {
    value: ValueId,
    /// How far its numbers are from 0, about.
    reach: f64,
    /// Its numbers are not below 0.
    is_positive: bool,
}

/// A network that grows layer by layer.
struct Network<'g> {
    g: Grower<'g>,
    layers: Vec<Layer>,
    /// Values have 16 bits.
    is_wide: bool,
}

type Step = fn(&mut Network<'_>) -> Grown;

/// The steps, with the frequency of each.
const STEPS: &[(usize, Step)] = &[
    (26, dense::conv),
    (10, dense::linear),
    (4, dense::matmul),
    (14, pointwise::pair),
    (12, pointwise::function),
    (4, pointwise::softmax),
    (5, pointwise::reduction),
    (8, windows::pool),
    (2, windows::adaptive),
    (2, windows::resize),
    (3, moves::requantised),
    (6, moves::movement),
    (3, moves::padded),
    (4, moves::joined),
    (3, moves::part),
    (2, moves::picked),
    (1, moves::extreme_place),
];

/// So many of the first steps compute with integers.
const COMPUTING: usize = 7;

/// The network of a seed.
pub fn network(seed: u64) -> Graph {
    let mut graph = Graph::new("network");
    let recipe = Recipe {
        steps: 0,
        symbols: false,
        dtypes: seed.is_multiple_of(2),
        control: false,
    };
    let mut grower = Grower::new(&mut graph, seed ^ 0x006e_6574_776f_726b, recipe);
    grower.most_elements = MAX_ELEMENTS;
    let is_wide = grower.random.chance(25);
    let mut network = Network {
        g: grower,
        layers: Vec::new(),
        is_wide,
    };
    network.grow();
    graph
}

impl Network<'_> {
    fn grow(&mut self) {
        let has_floats = self.g.random.chance(25);
        let sizes = self.input_sizes();
        // What an op makes of the floats may have no elements, or be no floats.
        if self.enter(&sizes, has_floats).is_none() {
            (0..8).find_map(|_| self.enter(&sizes, false));
        }
        if self.g.random.chance(20) {
            self.enter(&sizes, false);
        }
        let steps = 1 + self.g.random.below(8);
        let is_chain = sizes.len() == 4 && self.g.random.chance(45);
        for step in 0..steps {
            let among = match (is_chain, step) {
                (true, _) => &STEPS[..1],
                // The first computes.
                (false, 0) => &STEPS[..COMPUTING],
                (false, _) => STEPS,
            };
            // A step that does not fit adds nothing; another one may.
            (0..8).map(|_| self.step(among)).find(Option::is_some);
        }
        if has_floats && self.g.random.chance(60) {
            for _ in 0..1 + self.g.random.below(3) {
                match self.g.random.chance(50) {
                    true => self.g.step(),
                    false => plain::plain(self),
                };
            }
        }
        self.finish();
    }

    /// An input with its quantisation; with floats in between, if wanted.
    fn enter(&mut self, sizes: &[i64], has_floats: bool) -> Grown {
        let mut x = self.g.fresh(sizes);
        if has_floats && self.g.random.chance(50) {
            self.g.step();
            let like = |t: &TensorType| t.dtype == DType::F32 && t.quant.is_none();
            x = self.g.any(like)?;
        }
        self.quantised(x, 3.0, false)
    }

    fn input_sizes(&mut self) -> Vec<i64> {
        let random = &mut self.g.random;
        let batch = if random.chance(8) { 2 } else { 1 };
        let channels = *random.pick(&[1, 2, 3, 3, 4, 5, 8, 8, 12, 16]);
        // Narrow images take other functions.
        let mut side = || match random.chance(12) {
            true => random.between(1, 2),
            false => random.between(3, 20),
        };
        let (height, width) = (side(), side());
        match random.below(20) {
            0..12 => vec![batch, channels, height, width],
            12..14 => vec![batch, channels, height],
            14..16 => vec![height, channels],
            16..18 => vec![batch, height, channels],
            18 => vec![batch, channels.min(4), 4, height.min(6), width.min(6)],
            _ => vec![height * channels],
        }
    }

    fn step(&mut self, steps: &[(usize, Step)]) -> Grown {
        let total: usize = steps.iter().map(|s| s.0).sum();
        let mut at = self.g.random.below(total);
        for (weight, step) in steps {
            if at < *weight {
                return step(self);
            }
            at -= weight;
        }
        None
    }

    /// A layer of a rank that fits. The last ones are more frequent.
    fn layer(&mut self, fits: impl Fn(usize) -> bool) -> Option<Layer> {
        let rank = |layer: &Layer| self.g.graph().ty(layer.value).rank();
        let fits = |layer: &&Layer| fits(rank(layer));
        let found: Vec<Layer> = self.layers.iter().filter(fits).copied().collect();
        let last = found.last()?;
        Some(match self.g.random.chance(75) {
            true => *last,
            false => *self.g.random.pick(&found),
        })
    }

    fn sizes(&self, value: ValueId) -> Option<Vec<i64>> {
        let shape = self.g.shape(value);
        shape.iter().map(kiln_ir::Dim::as_const).collect()
    }

    /// A quantisation of a value that reaches so far, and its dequantisation: a new layer.
    fn quantised(&mut self, x: ValueId, reach: f64, is_positive: bool) -> Grown {
        let ty = self.g.ty(x);
        let has_elements = ty.shape.iter().all(|d| !d.is(0));
        if ty.dtype != DType::F32 || !reach.is_finite() || !has_elements {
            return None;
        }
        let is_wide = self.is_wide != self.g.random.chance(2);
        let (quant, dtype) = self.activations(reach, is_positive, is_wide);
        let ends = [quant.min, quant.max].map(|end| end.abs_diff(quant.scheme.zero_points()[0]));
        let most = quant.scheme.scales()[0] * ends[0].max(ends[1]) as f64;
        let reach = reach.min(most);
        self.through(x, Arc::new(quant), dtype)?;
        let value = *self.g.values.last()?;
        self.layers.push(Layer {
            value,
            reach,
            is_positive,
        });
        Some(())
    }

    /// `quantize` and `dequantize`.
    fn through(&mut self, x: ValueId, quant: Arc<Quant>, dtype: DType) -> Option<ValueId> {
        let q = self.g.put(Quantize { quant, dtype }, &[x])?;
        let dtype = DType::F32;
        self.g.put(Dequantize { dtype }, &[q])
    }

    /// The type of values that reach so far.
    fn activations(&mut self, reach: f64, is_positive: bool, is_wide: bool) -> (Quant, DType) {
        let random = &mut self.g.random;
        // Observers see other data than a run does, and some see little of it.
        let factor = match random.below(100) {
            0..10 => 4.0,
            10..13 => 20.0,
            _ => 1.4,
        };
        let spread = factor * (random.unit() - 0.5);
        let reach = reach.max(1e-6) * spread.exp2();
        let (min, max, dtype) = match (is_wide, random.chance(1)) {
            (true, _) => (-32768, 32767, DType::I16),
            (false, true) => (0, 255, DType::U8),
            (false, false) => (-128, 127, DType::I8),
        };
        let (min, max) = match random.below(100) {
            // Symmetric, as weights are.
            0..2 => (min + i64::from(min < 0), max),
            // Fewer bits than the type has.
            2 => (min / 8, max / 8),
            _ => (min, max),
        };
        let steps = (max - min) as f64;
        let (width, zero_point) = match (is_wide, is_positive) {
            (true, _) => (2.0 * reach, 0),
            (false, true) => (reach, min),
            (false, false) if random.chance(40) => (2.0 * reach, (min + max + 1) / 2),
            (false, false) => {
                let zero_point = random.between(min / 2, (max - 20).max(max / 2));
                (2.0 * reach, zero_point.clamp(min, max))
            }
        };
        let mut scale = width / steps;
        if random.chance(10) {
            scale = scale.log2().round().exp2();
        } else if random.chance(60) {
            scale = f64::from(scale as f32);
        }
        let scheme = QuantScheme::PerTensor { scale, zero_point };
        (Quant { scheme, min, max }, dtype)
    }

    /// Makes outputs of all values that nobody reads.
    fn finish(&mut self) {
        let graph = self.g.graph();
        let is_unread =
            |&v: &ValueId| graph.producer(v).is_some() && graph.value(v).uses().is_empty();
        let mut outputs: Vec<ValueId> = self.g.values.iter().copied().filter(is_unread).collect();
        if self.g.random.chance(15) && !self.layers.is_empty() {
            let further = *self.g.random.pick(&self.layers);
            if !outputs.contains(&further.value) {
                outputs.push(further.value);
            }
        }
        outputs.extend(
            self.layers
                .last()
                .filter(|_| outputs.is_empty())
                .map(|l| l.value),
        );
        let root = self.g.graph().root();
        self.g.rewriter.signature().outputs = vec![OutputSpec::TENSOR; outputs.len()];
        self.g.rewriter.set_results(root, outputs);
    }

    /// Removes a value from those that later nodes may read: a dequantised weight, which only its layer reads.
    fn forget(&mut self, value: ValueId) {
        self.g.values.retain(|&v| v != value);
    }
}
