//! Graphs that take special numbers, and the numbers.

use super::build::{Build, graph, numbers};
use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_ir::ops::{Simple, UnaryFn};
use kiln_ir::text::{Data, print};
use kiln_ir::{DType, Graph, Op, Scalar, TensorData, ValueId};
use kiln_transforms::framework::pass::{self, run_pipeline};
use kiln_xnnpack::{Options, Xnnpack, compile, difference, pipeline};

/// A graph, with its name and dtype for messages.
pub struct Probe {
    pub name: String,
    pub dtype: DType,
    pub graph: Graph,
}

impl Probe {
    /// The graph behind the target's passes.
    pub fn lowered(&self, options: &Options) -> Graph {
        let mut graph = self.graph.clone();
        let target = Xnnpack::new(*options);
        run_pipeline(&mut graph, &target, pipeline(), &pass::Options::default()).unwrap();
        graph
    }

    /// The graph behind the passes as text, and the payloads of its delegates.
    pub fn program(&self, options: &Options) -> (String, Vec<Bytes>) {
        let lowered = self.lowered(options);
        let regions = compile(&lowered, options).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let text = print(&lowered, Data::Digest);
        let blobs = regions.iter().map(|r| r.blob().unwrap().clone());
        (text, blobs.collect())
    }

    /// True if the graph multiplies matrices or convolves.
    pub fn has_products(&self) -> bool {
        let mut nodes = self.graph.nodes_in(self.graph.root());
        nodes.any(|(_, node)| matches!(node.op, Op::Conv(_) | Op::Linear(_) | Op::MatMul(_)))
    }

    /// True if the target says that NaN or infinities may differ from PyTorch's in a delegate of this graph.
    pub fn is_known(&self, options: &Options) -> bool {
        let lowered = self.lowered(options);
        let regions = compile(&lowered, options).unwrap();
        let mut nodes = regions.iter().flat_map(|r| &r.nodes);
        // Angles of millions of turns are finite numbers; no probe has them.
        let is_turn = |f: UnaryFn| matches!(f, UnaryFn::Simple(Simple::Sin | Simple::Cos));
        nodes.any(|&node| {
            let op = &lowered.node(node).op;
            let turns = matches!(op, Op::Unary(op) if is_turn(op.f));
            !turns && difference(&lowered, node, options).is_some()
        })
    }
}

/// The float dtypes of a delegate.
pub const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

/// The probe of a graph.
pub fn probe(name: &str, dtype: DType, make: impl FnOnce(&mut Build<'_>) -> Vec<ValueId>) -> Probe {
    Probe {
        name: name.to_owned(),
        dtype,
        graph: graph(make),
    }
}

/// The probe of one op on one input.
pub fn of_op(name: &str, dtype: DType, sizes: &[i64], op: impl Into<Op>) -> Probe {
    probe(name, dtype, |b| {
        let x = b.input(dtype, super::build::dims(sizes));
        vec![b.op(op, &[x])]
    })
}

/// A clamp to a range of floats.
pub fn clamp(min: Option<f64>, max: Option<f64>) -> UnaryFn {
    UnaryFn::Clamp {
        min: min.map(Scalar::Float),
        max: max.map(Scalar::Float),
    }
}

const SPECIALS: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
/// The number of places in each input at which one special number stands alone.
const PLACES: usize = 24;
/// The number of runs in which special numbers stand beside each other.
const CROWDED: u64 = 12;

/// The inputs of all runs: none special, then one special number in one input, then several in all inputs.
pub fn feeds(graph: &Graph) -> Vec<Vec<Tensor>> {
    let params = &graph.block(graph.root()).params;
    let types: Vec<(DType, Vec<usize>)> = params
        .iter()
        .map(|&p| {
            let ty = graph.ty(p);
            (ty.dtype, ty.shape.as_static().unwrap())
        })
        .collect();
    let plain: Vec<Vec<f64>> = types
        .iter()
        .zip(1..)
        .map(|((_, sizes), seed)| numbers(seed, sizes.iter().product()).collect())
        .collect();
    let tensors = |values: &[Vec<f64>]| -> Vec<Tensor> {
        let pairs = values.iter().zip(&types);
        let tensor = |(v, (dtype, sizes)): (&Vec<f64>, &(DType, Vec<usize>))| {
            let scalars = v.iter().map(|&x| Scalar::Float(x));
            Tensor::from(TensorData::from_scalars(*dtype, sizes.clone(), scalars))
        };
        pairs.map(tensor).collect()
    };
    let mut feeds = vec![tensors(&plain)];
    for input in 0..plain.len() {
        let count = plain[input].len();
        // An odd stride reaches all places of a vector register.
        let stride = (count / PLACES).max(1) | 1;
        for special in SPECIALS {
            for place in (0..count).step_by(stride).chain([count - 1]) {
                let mut values = plain.clone();
                values[input][place] = special;
                feeds.push(tensors(&values));
            }
        }
    }
    for seed in 0..CROWDED {
        let mut values = plain.clone();
        for (i, input) in values.iter_mut().enumerate() {
            let picks: Vec<f64> = numbers(1000 + seed * 7 + i as u64, 2 * input.len()).collect();
            for (pair, value) in picks.chunks(2).zip(input) {
                if pair[0] > 1.2 {
                    *value = SPECIALS[((pair[1] + 2.0) * 0.75) as usize % 3];
                }
            }
        }
        feeds.push(tensors(&values));
    }
    feeds
}
