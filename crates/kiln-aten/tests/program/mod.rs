//! Imports a program call by call, for tests: verifies, prints and runs its graph.
#![allow(dead_code)]

use kiln_aten::{Arg, Call, Declared, ImportError, Importer, Tensor, import_call};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::text::{Data, print};
use kiln_ir::{DType, Dim, Graph, Place, Rewriter, Symbol, TensorData, TensorType, verify};
use std::sync::Arc;

/// The importer of a program.
pub struct Program<'g> {
    pub importer: Importer<'g>,
    calls: usize,
}

/// Builds a graph with `build`, whose tensors become the results, and verifies it.
pub fn graph(build: impl FnOnce(&mut Program<'_>) -> Vec<Arg>) -> Graph {
    try_graph(|p| Ok(build(p))).expect("the program is imported")
}

pub fn try_graph(
    build: impl FnOnce(&mut Program<'_>) -> Result<Vec<Arg>, ImportError>,
) -> Result<Graph, ImportError> {
    try_graph_with(|importer| importer, build)
}

/// As [`try_graph`], with an importer that `set` changes.
pub fn try_graph_with(
    set: impl FnOnce(Importer<'_>) -> Importer<'_>,
    build: impl FnOnce(&mut Program<'_>) -> Result<Vec<Arg>, ImportError>,
) -> Result<Graph, ImportError> {
    let mut graph = Graph::new("forward");
    let block = graph.root();
    let mut program = Program {
        importer: set(Importer::new(Rewriter::new(&mut graph), block)),
        calls: 0,
    };
    let results = build(&mut program)?;
    let importer = &mut program.importer;
    let values = results
        .iter()
        .map(|r| {
            let t = r.as_tensor().expect("results are tensors");
            importer.current(t).expect("the content is known")
        })
        .collect::<Vec<_>>();
    let rewriter = importer.rewriter();
    rewriter.signature().outputs = vec![OutputSpec::TENSOR; values.len()];
    rewriter.set_results(block, values);
    if let Err(faults) = verify::verify(&graph) {
        panic!("{faults:#?}\n{}", print(&graph, Data::Digest));
    }
    Ok(graph)
}

/// The text of the graph that `build` makes, without its first line.
pub fn text(build: impl FnOnce(&mut Program<'_>) -> Vec<Arg>) -> String {
    print(&graph(build), Data::Digest)
}

impl Program<'_> {
    pub fn symbol(&mut self, name: &str, min: i64, max: Option<i64>) -> Dim {
        let symbol = Symbol {
            name: name.into(),
            min,
            max,
            hint: None,
        };
        Dim::symbol(self.importer.rewriter().add_symbol(symbol))
    }

    pub fn input(&mut self, name: &str, dtype: DType, shape: &[Dim]) -> Arg {
        let block = self.importer.block();
        let ty = TensorType::new(dtype, shape.to_vec());
        let rank = shape.len() as u8;
        let rewriter = self.importer.rewriter();
        let value = rewriter.add_param(block, ty, Some(Arc::from(name)));
        rewriter.signature().inputs.push(InputSpec::Tensor {
            name: Arc::from(name),
            dim_order: (0..rank).collect(),
        });
        Arg::Tensor(self.importer.bind_ordered(value, Some(true)))
    }

    pub fn constant(&mut self, data: TensorData) -> Arg {
        let place = Place::End(self.importer.block());
        let value = self
            .importer
            .rewriter()
            .constant_value(place, "constant", data);
        Arg::Tensor(self.importer.bind(value))
    }

    pub fn try_call(
        &mut self,
        target: &str,
        args: &[(&str, Arg)],
        declared: Vec<Declared>,
    ) -> Result<Vec<Arg>, ImportError> {
        self.calls += 1;
        let call = Call {
            target: target.into(),
            node: format!("node{}", self.calls),
            args: args
                .iter()
                .map(|(n, a)| (n.to_string(), a.clone()))
                .collect(),
            declared,
        };
        import_call(&mut self.importer, &call)
    }

    /// A call with positional arguments.
    pub fn all(&mut self, target: &str, args: &[Arg]) -> Vec<Arg> {
        let args: Vec<_> = args.iter().map(|a| ("", a.clone())).collect();
        self.try_call(target, &args, Vec::new())
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// The first result of [`Program::all`].
    pub fn call(&mut self, target: &str, args: &[Arg]) -> Arg {
        self.all(target, args).remove(0)
    }

    /// As [`Program::call`], with named arguments behind the positional ones.
    pub fn with(&mut self, target: &str, args: &[Arg], named: &[(&str, Arg)]) -> Arg {
        let args: Vec<_> = args
            .iter()
            .map(|a| ("", a.clone()))
            .chain(named.iter().cloned())
            .collect();
        self.try_call(target, &args, Vec::new())
            .unwrap_or_else(|e| panic!("{e}"))
            .remove(0)
    }
}

pub fn int(value: i64) -> Arg {
    Arg::Int(Dim::constant(value))
}

pub fn ints(values: &[i64]) -> Arg {
    Arg::Ints(values.iter().map(|&v| Dim::constant(v)).collect())
}

pub fn shape(sizes: &[i64]) -> Vec<Dim> {
    sizes.iter().map(|&v| Dim::constant(v)).collect()
}

pub fn tensors(args: &[Arg]) -> Arg {
    let list: Vec<Tensor> = args.iter().filter_map(Arg::as_tensor).collect();
    Arg::Tensors(list)
}
