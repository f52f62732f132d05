//! Builds small graphs for tests.

#![allow(dead_code, reason = "each test file uses a part")]

use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{
    DType, Dim, Graph, Op, Place, Rewriter, Scalar, Shape, TensorData, TensorType, ValueId,
};

/// Pseudo-random numbers between -2 and 2, the same for each seed.
pub fn numbers(seed: u64, count: usize) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f64 / f64::from(1 << 22)) - 2.0
    })
}

/// A tensor of such numbers.
pub fn tensor(seed: u64, dtype: DType, sizes: &[usize]) -> TensorData {
    let count = sizes.iter().product();
    TensorData::from_scalars(
        dtype,
        sizes.to_vec(),
        numbers(seed, count).map(Scalar::Float),
    )
}

/// A graph that is being built.
pub struct Build<'g> {
    pub rewriter: Rewriter<'g>,
    seed: u64,
}

impl Build<'_> {
    pub fn input(&mut self, dtype: DType, shape: impl Into<Shape>) -> ValueId {
        let shape = shape.into();
        let dim_order = (0..shape.rank() as u8).collect();
        let name = "x".into();
        self.rewriter
            .signature()
            .inputs
            .push(InputSpec::Tensor { name, dim_order });
        let root = self.rewriter.graph().root();
        self.rewriter
            .add_param(root, TensorType::new(dtype, shape), None)
    }

    pub fn op(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> ValueId {
        let root = self.rewriter.graph().root();
        self.rewriter.value(Place::End(root), op, operands).unwrap()
    }

    pub fn constant(&mut self, data: TensorData) -> ValueId {
        let root = self.rewriter.graph().root();
        self.rewriter.constant_value(Place::End(root), "c", data)
    }

    /// A constant of random numbers, which differ from call to call.
    pub fn weights(&mut self, dtype: DType, sizes: &[usize]) -> ValueId {
        self.seed += 1;
        self.constant(tensor(self.seed, dtype, sizes))
    }

    pub fn splat(&mut self, dtype: DType, rank: usize, value: f64) -> ValueId {
        self.constant(TensorData::splat(
            dtype,
            vec![1; rank],
            Scalar::Float(value),
        ))
    }
}

/// The graph whose results are the values that `make` returns.
pub fn graph(make: impl FnOnce(&mut Build<'_>) -> Vec<ValueId>) -> Graph {
    let mut graph = Graph::new("forward");
    let rewriter = Rewriter::new(&mut graph);
    let mut build = Build {
        rewriter,
        seed: 100,
    };
    let results = make(&mut build);
    let outputs = vec![OutputSpec::TENSOR; results.len()];
    build.rewriter.signature().outputs = outputs;
    let root = build.rewriter.graph().root();
    build.rewriter.set_results(root, results);
    kiln_ir::verify::verify(&graph).unwrap();
    graph
}

/// Known sizes.
pub fn dims(sizes: &[i64]) -> Vec<Dim> {
    sizes.iter().map(|&n| Dim::constant(n)).collect()
}
