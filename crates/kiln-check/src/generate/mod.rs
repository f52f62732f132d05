//! Random well-typed graphs.
//!
//! A graph has inputs and steps. Each step adds a node of some op family, or a pattern that passes look for, on values
//! made before. Sizes come from a small palette, so that they often coincide. Values are read several times, and
//! constants are shared. Some graphs have symbolic dims, state, branches or loops. A step that does not fit adds
//! nothing. Every graph passes the verifier, and its values have at most [`MAX_ELEMENTS`] elements.

mod contraction;
mod control;
mod data;
mod elementwise;
mod indexing;
mod network;
mod normalise;
mod patterns;
mod planted;
mod quantise;
mod reduce;
mod window;

pub use network::network;
pub use planted::{Plant, near_misses, planted, plants};

use crate::random::Random;
use kiln_ir::graph::{CellInit, InputSpec, OutputSpec, StateCell};
use kiln_ir::ops::{Constant, ReadState};
use kiln_ir::{
    ConstId, DType, Dim, Graph, Op, Place, Rewriter, Scalar, Shape, Symbol, TensorData, TensorType,
    ValueId,
};

/// The greatest number of elements of a value, at the greatest sizes.
pub const MAX_ELEMENTS: i64 = 4096;

/// What graphs may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The greatest number of steps.
    pub steps: usize,
    /// Symbolic dims in some graphs.
    pub symbols: bool,
    /// Half types, f64, integers and bools. Without this, f32 only, except for results that have another type by
    /// definition.
    pub dtypes: bool,
    /// State, branches and loops in some graphs.
    pub control: bool,
}

impl Recipe {
    /// Everything.
    pub const ANY: Recipe = Recipe {
        steps: 14,
        symbols: true,
        dtypes: true,
        control: true,
    };

    /// What delegates take: f32 with known sizes.
    pub const DENSE: Recipe = Recipe {
        steps: 14,
        symbols: false,
        dtypes: false,
        control: false,
    };
}

/// The graph of a seed.
pub fn generate(seed: u64, recipe: &Recipe) -> Graph {
    let mut graph = Graph::new("random");
    let mut grower = Grower::new(&mut graph, seed, *recipe);
    grower.inputs();
    for _ in 0..1 + grower.random.below(recipe.steps) {
        grower.step();
    }
    grower.later(seed);
    grower.finish();
    graph
}

/// The outcome of a step; `None` if something did not fit.
type Grown = Option<()>;

/// A graph that grows step by step.
pub(crate) struct Grower<'g> {
    rewriter: Rewriter<'g>,
    random: Random,
    recipe: Recipe,
    /// Values that steps may read, without constants.
    values: Vec<ValueId>,
    /// Sizes of this graph's inputs and weights.
    palette: Vec<i64>,
    /// Sizes that are symbols.
    symbols: Vec<Dim>,
    constants: Vec<ValueId>,
    /// The greatest number of elements of a new value.
    most_elements: i64,
}

type Step = fn(&mut Grower<'_>) -> Grown;

/// Steps at the end of a graph, with the percentage of graphs that have each. Each draws from random numbers of its
/// own. A new family goes here, so that the graphs of known seeds stay as they are.
const LATER: &[(u64, Step)] = &[(8, contraction::distances), (8, planted::dynamic::on_any)];

/// The steps, with the frequency of each.
const STEPS: &[(u32, Step)] = &[
    (10, elementwise::unary),
    (10, elementwise::binary),
    (3, elementwise::compare_and_select),
    (3, elementwise::cast),
    (12, data::movement),
    (2, data::broadcast),
    (4, data::slice),
    (1, data::reverse),
    (3, data::pad),
    (4, data::concat),
    (1, data::slice_update),
    (5, reduce::reduce),
    (1, reduce::arg_reduce),
    (1, reduce::scan),
    (1, reduce::sort),
    (1, reduce::top_k),
    (1, reduce::non_zero),
    (4, contraction::matmul),
    (5, contraction::linear),
    (6, contraction::conv),
    (3, window::pool),
    (1, window::adaptive_pool),
    (1, window::resize),
    (1, window::grid_sample),
    (1, indexing::index),
    (1, indexing::gather),
    (1, indexing::scatter),
    (1, indexing::index_put),
    (3, normalise::softmax),
    (3, normalise::normalize),
    (2, normalise::attention),
    (2, quantise::there_and_back),
    (1, quantise::layer),
    (1, quantise::rounded_once),
    (1, control::branch),
    (1, control::repeat),
    (1, control::state),
    (1, control::size_as_value),
    (30, patterns::any),
];

impl<'g> Grower<'g> {
    fn new(graph: &'g mut Graph, seed: u64, recipe: Recipe) -> Grower<'g> {
        let mut random = Random::new(seed);
        let palette = if random.chance(30) {
            vec![4]
        } else {
            (0..3)
                .map(|_| *random.pick(&[1, 2, 3, 4, 4, 5, 6, 8]))
                .collect()
        };
        Grower {
            rewriter: Rewriter::new(graph),
            random,
            recipe,
            values: Vec::new(),
            palette,
            symbols: Vec::new(),
            constants: Vec::new(),
            most_elements: MAX_ELEMENTS,
        }
    }

    fn graph(&self) -> &Graph {
        self.rewriter.graph()
    }

    fn inputs(&mut self) {
        if self.recipe.symbols && self.random.chance(35) {
            for name in ["s0", "s1"].iter().take(1 + self.random.below(2)) {
                let symbol = self.symbol(name);
                self.symbols.push(symbol);
            }
        }
        for i in 0..1 + self.random.below(3) {
            let rank = *self.random.pick(&[1, 2, 3, 4, 4, 4]);
            let shape: Vec<Dim> = (0..rank).map(|_| self.input_size()).collect();
            let dtype = if i == 0 { DType::F32 } else { self.dtype() };
            self.input(TensorType::new(dtype, shape));
        }
        let used = |g: &Graph, s: &Dim| {
            let params = &g.block(g.root()).params;
            params.iter().any(|&p| g.ty(p).shape.contains(s))
        };
        for symbol in self.symbols.clone() {
            if !used(self.graph(), &symbol) {
                let four = Dim::constant(4);
                self.input(TensorType::new(DType::F32, vec![symbol, four]));
            }
        }
    }

    fn symbol(&mut self, name: &str) -> Dim {
        let min = self.random.between(1, 2);
        let max = min + self.random.between(0, 6);
        let hint = Some(self.random.between(min, max));
        let (name, max) = (name.into(), Some(max));
        let symbol = Symbol {
            name,
            min,
            max,
            hint,
        };
        Dim::symbol(self.rewriter.add_symbol(symbol))
    }

    fn input_size(&mut self) -> Dim {
        if !self.symbols.is_empty() && self.random.chance(30) {
            return self.random.pick(&self.symbols).clone();
        }
        Dim::constant(self.size())
    }

    /// A size of the palette.
    fn size(&mut self) -> i64 {
        *self.random.pick(&self.palette)
    }

    fn dtype(&mut self) -> DType {
        if !self.recipe.dtypes || self.random.chance(60) {
            return DType::F32;
        }
        use DType::*;
        *self
            .random
            .pick(&[F16, F16, BF16, F64, I64, I64, I32, U8, I8, Bool])
    }

    fn input(&mut self, ty: TensorType) -> ValueId {
        let mut dim_order: Vec<u8> = (0..ty.rank() as u8).collect();
        if ty.rank() == 4 && self.random.chance(10) {
            dim_order = vec![0, 2, 3, 1];
        }
        let name = "x".into();
        let spec = InputSpec::Tensor { name, dim_order };
        self.rewriter.signature().inputs.push(spec);
        let root = self.graph().root();
        let value = self.rewriter.add_param(root, ty, None);
        self.values.push(value);
        value
    }

    fn step(&mut self) -> Grown {
        let total: u32 = STEPS.iter().map(|s| s.0).sum();
        let mut at = self.random.below(total as usize) as u32;
        for (weight, step) in STEPS {
            if at < *weight {
                return step(self);
            }
            at -= weight;
        }
        None
    }

    /// Makes outputs of all values that nobody reads, and of some others.
    fn finish(&mut self) {
        let mut outputs: Vec<ValueId> = Vec::new();
        for value in self.values.clone() {
            let is_param = self.graph().producer(value).is_none();
            let is_unread = self.graph().value(value).uses().is_empty();
            if (is_unread && !is_param) || self.random.chance(8) {
                outputs.push(value);
            }
        }
        // Some nodes stay dead, for passes to remove.
        if outputs.len() > 2 && self.random.chance(30) {
            outputs.remove(0);
        }
        if outputs.is_empty() {
            outputs.extend(self.values.last());
        }
        let root = self.graph().root();
        self.rewriter.signature().outputs = vec![OutputSpec::TENSOR; outputs.len()];
        self.rewriter.set_results(root, outputs);
    }

    /// Inserts a node at the end and makes its results readable; `None` if it does not fit or is too large.
    fn put_all(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let place = Place::End(self.graph().root());
        let node = self.rewriter.insert(place, op, operands).ok()?;
        let (graph, limit) = (self.graph(), self.most_elements);
        let results = graph.node(node).results.to_vec();
        let fits = |&v: &ValueId| {
            let shape = &graph.ty(v).shape;
            let is_positive = |d: &Dim| graph.symbols.less_equal(&0.into(), d) == Some(true);
            let most = shape.max_elements(&graph.symbols);
            most.is_some_and(|n| n <= limit) && shape.iter().all(is_positive)
        };
        if !results.iter().all(fits) {
            self.rewriter.erase(node);
            return None;
        }
        self.values.extend(&results);
        Some(results)
    }

    /// As [`Grower::put_all`], of an op with one result.
    fn put(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Option<ValueId> {
        self.put_all(op, operands).map(|results| results[0])
    }

    fn ty(&self, value: ValueId) -> TensorType {
        self.graph().ty(value).clone()
    }

    fn shape(&self, value: ValueId) -> Shape {
        self.graph().ty(value).shape.clone()
    }

    fn rank(&self, value: ValueId) -> usize {
        self.graph().ty(value).rank()
    }

    /// The size of an axis, if it is known.
    fn known(&self, value: ValueId, axis: usize) -> Option<i64> {
        self.graph().ty(value).shape[axis].as_const()
    }

    /// Runs the steps of [`LATER`].
    fn later(&mut self, seed: u64) {
        for (number, &(percent, step)) in LATER.iter().enumerate() {
            let own = Random::new(seed.rotate_left(32) ^ (number as u64 + 1));
            let outer = std::mem::replace(&mut self.random, own);
            if self.random.chance(percent) {
                step(self);
            }
            self.random = outer;
        }
    }

    /// A value whose type satisfies the condition. Recent values are more frequent.
    fn any(&mut self, fits: impl Fn(&TensorType) -> bool) -> Option<ValueId> {
        let graph = self.rewriter.graph();
        let found: Vec<ValueId> = self
            .values
            .iter()
            .copied()
            .filter(|&v| fits(graph.ty(v)))
            .collect();
        if found.is_empty() {
            return None;
        }
        let from = if self.random.chance(60) {
            found.len().saturating_sub(3)
        } else {
            0
        };
        Some(found[from + self.random.below(found.len() - from)])
    }

    /// A float value of at least this rank.
    fn float(&mut self, least_rank: usize) -> Option<ValueId> {
        self.any(|ty| ty.dtype.is_float() && ty.quant.is_none() && ty.rank() >= least_rank)
    }

    /// A float value with this many spatial axes behind batch and channels. All sizes but the batch are known.
    fn image(&mut self, spatial: usize) -> Option<ValueId> {
        let fits = |ty: &TensorType| {
            let known = ty.shape.iter().skip(1).all(|d| d.as_const().is_some());
            ty.dtype.is_float() && ty.quant.is_none() && ty.rank() == spatial + 2 && known
        };
        if let Some(found) = self.any(fits) {
            return Some(found);
        }
        let shape: Vec<i64> = (0..spatial + 2).map(|_| self.size()).collect();
        let shape: Shape = shape.into_iter().collect();
        Some(self.input(TensorType::new(DType::F32, shape)))
    }

    /// A constant of random numbers, or sometimes an existing one.
    fn constant(&mut self, dtype: DType, sizes: &[i64]) -> ValueId {
        let shape: Shape = sizes.iter().copied().collect();
        let wanted = TensorType::new(dtype, shape);
        if self.random.chance(35) {
            let graph = self.rewriter.graph();
            let found: Vec<ValueId> = self
                .constants
                .iter()
                .copied()
                .filter(|&c| *graph.ty(c) == wanted)
                .collect();
            if !found.is_empty() {
                let found = *self.random.pick(&found);
                return if self.random.chance(50) {
                    found
                } else {
                    self.again(found)
                };
            }
        }
        let count: i64 = sizes.iter().product();
        let splat = self.random.chance(15).then(|| self.finite(dtype));
        let values: Vec<Scalar> = (0..count)
            .map(|_| splat.unwrap_or_else(|| self.finite(dtype)))
            .collect();
        self.constant_of(dtype, sizes, values)
    }

    fn constant_of(&mut self, dtype: DType, sizes: &[i64], values: Vec<Scalar>) -> ValueId {
        let sizes: Vec<usize> = sizes.iter().map(|&n| n as usize).collect();
        let data = TensorData::from_scalars(dtype, sizes, values);
        let place = Place::End(self.graph().root());
        let value = self.rewriter.constant_value(place, "k", data);
        self.constants.push(value);
        value
    }

    /// A further node for the same constant.
    fn again(&mut self, constant: ValueId) -> ValueId {
        let Some(Op::Constant(op)) = self.graph().producer_op(constant) else {
            return constant;
        };
        let value: ConstId = op.value;
        let place = Place::End(self.graph().root());
        let made = self.rewriter.value(place, Constant { value }, &[]);
        made.expect("the constant exists")
    }

    /// One number as a constant that broadcasts to every shape of a rank.
    fn number_of_rank(&mut self, dtype: DType, rank: usize) -> ValueId {
        if self.random.chance(50) {
            return self.constant(dtype, &vec![1; rank]);
        }
        let number = self.number(dtype);
        self.constant_of(dtype, &vec![1; rank], vec![number])
    }

    fn splat(&mut self, dtype: DType, rank: usize, value: f64) -> ValueId {
        self.constant_of(dtype, &vec![1; rank], vec![Scalar::Float(value)])
    }

    /// As [`Grower::number`], but finite, as weights are.
    fn finite(&mut self, dtype: DType) -> Scalar {
        let number = self.number(dtype);
        match number {
            Scalar::Float(v) if !v.is_finite() => Scalar::Float(1.0),
            other => other,
        }
    }

    /// A number for a constant: mostly a multiple of a quarter, sometimes an awkward one.
    fn number(&mut self, dtype: DType) -> Scalar {
        if dtype == DType::Bool {
            return Scalar::Bool(self.random.chance(50));
        }
        if let Some((min, max)) = dtype.int_range() {
            let least = (-4).max(min);
            return Scalar::Int(self.random.between(least, 4.min(max)));
        }
        const AWKWARD: [f64; 8] = [0.0, -0.0, 1.0, -1.0, 0.1, f64::INFINITY, f64::NAN, 1e-3];
        Scalar::Float(match self.random.below(100) {
            0 => *self.random.pick(&AWKWARD),
            1..40 => self.random.normal(),
            40..50 => *self.random.pick(&AWKWARD[..5]),
            _ => self.random.between(-8, 8) as f64 / 4.0,
        })
    }

    /// Positive numbers, for variances and scales.
    fn positive(&mut self, dtype: DType, sizes: &[i64]) -> ValueId {
        let count: i64 = sizes.iter().product();
        let values = (0..count).map(|_| Scalar::Float(self.random.between(1, 8) as f64 / 4.0));
        let values = values.collect();
        self.constant_of(dtype, sizes, values)
    }

    /// A state cell of this type, and the value that reads it.
    fn cell(&mut self, ty: TensorType) -> Option<(kiln_ir::CellId, ValueId)> {
        let sizes = ty.shape.as_static()?;
        let splat = TensorData::splat(ty.dtype, sizes, Scalar::Float(0.5));
        let init = CellInit::Constant(self.rewriter.add_constant("state", splat));
        let name = format!("cell{}", self.graph().cells().count()).into();
        let cell = self.rewriter.add_cell(StateCell { name, ty, init });
        let read = self.put(ReadState { cell }, &[])?;
        Some((cell, read))
    }
}
