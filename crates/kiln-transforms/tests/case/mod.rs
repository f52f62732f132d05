//! Random graphs of a family, evaluated before and after passes.

#![allow(dead_code)]

use crate::fake_target::FakeTarget;
pub use kiln_check::Close;
use kiln_check::{Ran, Side, difference};
use kiln_eval::Tensor;
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::ops::attribute::Attribute;
use kiln_ir::text::cursor::Cursor;
use kiln_ir::text::{Data, print};
use kiln_ir::verify::verify;
use kiln_ir::{
    DType, Graph, Op, Place, Rewriter, Scalar, Shape, Symbol, TensorData, TensorType, ValueId,
};
use kiln_transforms::framework::pass::{Options, Pass, run_pipeline};
use kiln_transforms::passes::all_passes;

/// A graph of one block, and inputs for it.
pub struct Case {
    /// The graph.
    pub graph: Graph,
    /// One tensor for each input.
    pub inputs: Vec<Tensor>,
    seed: u64,
}

impl Case {
    pub fn new(seed: u64) -> Case {
        Case {
            graph: Graph::new("case"),
            inputs: Vec::new(),
            seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    pub fn random(&mut self) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.random() % n
    }

    /// A number between -4 and 4, often a multiple of a quarter.
    pub fn number(&mut self) -> f64 {
        (self.below(33) as f64 - 16.0) / 4.0
    }

    pub fn symbol(&mut self, name: &str, min: i64, max: i64) {
        let (name, max) = (name.into(), Some(max));
        Rewriter::new(&mut self.graph).add_symbol(Symbol {
            name,
            min,
            max,
            hint: None,
        });
    }

    pub fn values(&mut self, dtype: DType, count: usize) -> Vec<Scalar> {
        let make = |case: &mut Case| match dtype {
            DType::Bool => Scalar::Bool(case.below(2) == 0),
            d if d.is_float() => Scalar::Float(case.number()),
            _ => Scalar::Int(case.below(9) as i64 - 4),
        };
        (0..count).map(|_| make(self)).collect()
    }

    /// Adds an input. `shape` is its shape as text, `sizes` its sizes in this case.
    pub fn input(&mut self, dtype: DType, shape: &str, sizes: &[usize]) -> ValueId {
        let values = self.values(dtype, sizes.iter().product());
        self.input_of(dtype, shape, sizes, values)
    }

    pub fn input_of(
        &mut self,
        dtype: DType,
        shape: &str,
        sizes: &[usize],
        values: Vec<Scalar>,
    ) -> ValueId {
        self.inputs.push(Tensor::from(TensorData::from_scalars(
            dtype,
            sizes.to_vec(),
            values,
        )));
        let shape = Shape::parse(&mut Cursor::new(shape, &self.graph.symbols)).expect("a shape");
        let root = self.graph.root();
        let mut rewriter = Rewriter::new(&mut self.graph);
        rewriter.signature().inputs.push(InputSpec::Tensor {
            name: "x".into(),
            dim_order: (0..sizes.len() as u8).collect(),
        });
        rewriter.add_param(root, TensorType::new(dtype, shape), None)
    }

    /// Adds an input of known sizes.
    pub fn known(&mut self, dtype: DType, sizes: &[usize]) -> ValueId {
        self.input(dtype, &format!("{sizes:?}"), sizes)
    }

    pub fn constant(&mut self, dtype: DType, sizes: &[usize]) -> ValueId {
        let values = self.values(dtype, sizes.iter().product());
        self.constant_of(dtype, sizes, &values)
    }

    pub fn constant_of(&mut self, dtype: DType, sizes: &[usize], values: &[Scalar]) -> ValueId {
        let data = TensorData::from_scalars(dtype, sizes.to_vec(), values.iter().copied());
        let place = Place::End(self.graph.root());
        Rewriter::new(&mut self.graph).constant_value(place, "k", data)
    }

    pub fn node(&mut self, op: &str, operands: &[ValueId], attributes: &str) -> ValueId {
        self.nodes(1, op, operands, attributes)[0]
    }

    pub fn nodes(
        &mut self,
        results: usize,
        op: &str,
        operands: &[ValueId],
        attributes: &str,
    ) -> Vec<ValueId> {
        let mut cursor = Cursor::new(attributes, &self.graph.symbols);
        let op =
            Op::parse_attributes(op, &mut cursor).unwrap_or_else(|e| panic!("{e}: {attributes}"));
        let place = Place::End(self.graph.root());
        let node = Rewriter::new(&mut self.graph)
            .insert(place, op, operands)
            .expect("it fits");
        let made = self.graph.node(node).results.to_vec();
        assert_eq!(made.len(), results);
        made
    }

    pub fn result(&mut self, value: ValueId) {
        let root = self.graph.root();
        let mut results = self.graph.block(root).results.clone();
        results.push(value);
        let mut rewriter = Rewriter::new(&mut self.graph);
        rewriter.set_results(root, results);
        rewriter.signature().outputs.push(OutputSpec::TENSOR);
    }

    /// Runs passes for a target and compares the results. Returns the text of the graph behind the passes.
    pub fn check(&self, passes: &str, close: Close) -> String {
        let text = print(&self.graph, Data::Full);
        assert_eq!(verify(&self.graph), Ok(()), "{text}");
        let mut after = self.graph.clone();
        run(&mut after, passes);
        let printed = print(&after, Data::Full);
        assert_same(&self.graph, &after, &self.inputs, close, passes);
        printed
    }

    /// As [`Case::check`], and the graph behind the passes must not have the named op.
    pub fn check_gone(&self, passes: &str, op: &str, close: Close) {
        let printed = self.check(passes, close);
        assert!(
            !printed.contains(&format!(" = {op} ")),
            "{op} stays\n{passes}\n{}\n{printed}",
            print(&self.graph, Data::Full)
        );
    }
}

pub fn run(graph: &mut Graph, passes: &str) {
    let words: Vec<&str> = passes.split_whitespace().collect();
    let lists = ["kernel", "none", "prefers", "copies", "narrow"];
    let split = words
        .iter()
        .position(|w| lists.contains(w))
        .unwrap_or(words.len());
    let named = |name: &&str| {
        *all_passes()
            .iter()
            .find(|p| p.name == *name)
            .expect("a pass")
    };
    let pipeline: Vec<Pass> = words[..split].iter().map(named).collect();
    let target = FakeTarget::parse(words[split..].iter().copied());
    let options = Options {
        verify: true,
        ..Options::default()
    };
    run_pipeline(graph, &target, &pipeline, &options).unwrap_or_else(|e| panic!("{e}"));
}

pub fn evaluated(graph: &Graph, inputs: &[Tensor]) -> Ran {
    kiln_check::run(graph, inputs).unwrap_or_else(|e| panic!("{e}\n{}", print(graph, Data::Full)))
}

/// Checks that both graphs give the same number of results on the inputs, of the same types, and as near as `close` demands.
pub fn assert_same(before: &Graph, after: &Graph, inputs: &[Tensor], close: Close, what: &str) {
    let (old, new) = (evaluated(before, inputs), evaluated(after, inputs));
    let sides = [(before, &old), (after, &new)].map(|(graph, ran)| Side { graph, ran });
    if let Some(difference) = difference(sides[0], sides[1], inputs, close) {
        let texts = [before, after].map(|graph| print(graph, Data::Full));
        panic!("{difference}\n{what}\n{}\n{}", texts[0], texts[1]);
    }
}

pub const F32: DType = DType::F32;

/// Runs a test on cases of many seeds.
pub fn each(mut family: impl FnMut(&mut Case)) {
    for seed in 1..=24 {
        family(&mut Case::new(seed));
    }
}
