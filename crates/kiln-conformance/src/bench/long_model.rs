//! Writes archives of models with any number of ops, in shapes on which a superlinear algorithm becomes slow.
//!
//! All tensors are small and of the same size in every model, so the cost of compiling one op does not depend on the number
//! of ops.

use anyhow::Result;
use bytes::Bytes;
use kiln_pt2::{ArchiveWriter, ExportedProgram, ScalarType, StoredTensor};
use serde_json::{Map, Value, json};
use std::path::Path;

/// How the ops of a model are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// A chain of mixed families: convolution, normalisation, activation, movement, linear, residual sum, softmax, slice,
    /// concatenation, reduction. Each layer has its own weights.
    Chain,
    /// The same chain with a symbolic batch size.
    Symbolic,
    /// A chain that alternates movements and elementwise functions.
    Moves,
    /// Many branches that read the same moved value. A part of each branch equals that of all other branches. A chain of
    /// additions sums up the branches.
    Fork,
    /// Many branches that read one value, joined by a single concatenation.
    Fan,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 5] = [
        Shape::Chain,
        Shape::Symbolic,
        Shape::Moves,
        Shape::Fork,
        Shape::Fan,
    ];
}

/// Writes the archive of a model of about `ops` ops.
///
/// # Errors
/// If the file cannot be written.
pub fn write(shape: Shape, ops: usize, path: &Path) -> Result<()> {
    let batch = match shape {
        Shape::Symbolic => json!({"as_expr": {"expr_str": "s0", "hint": {"as_int": 1}}}),
        _ => json!({"as_int": 1}),
    };
    let mut model = Model::new(batch);
    let x = "x".to_owned();
    let result = match shape {
        Shape::Chain | Shape::Symbolic => model.repeat(ops, x, Model::mixed),
        Shape::Moves => model.repeat(ops, x, Model::there_and_back),
        Shape::Fork => {
            let stem = model.unary("sigmoid", &x, &IMAGE);
            let stem = model.permuted(&stem, [0, 2, 3, 1]);
            model.repeat(ops, x, |model, sum| model.branch(&stem, sum))
        }
        Shape::Fan => model.fan(ops, &x),
    };
    model.finish(&result, path)
}

/// The number of channels of an image, which is also its height and its width.
const SIDE: usize = 4;

/// The sizes of an image without the batch.
const IMAGE: [usize; 3] = [SIDE; 3];

struct Model {
    batch: Value,
    nodes: Vec<Value>,
    values: Map<String, Value>,
    /// The names of the parameters, with their sizes.
    weights: Vec<(String, Vec<usize>)>,
}

fn int(n: usize) -> Value {
    json!({ "as_int": n })
}

fn tensor(name: &str) -> Value {
    json!({"as_tensor": {"name": name}})
}

impl Model {
    fn new(batch: Value) -> Model {
        let (nodes, weights) = (Vec::new(), Vec::new());
        let mut model = Model {
            batch,
            nodes,
            values: Map::new(),
            weights,
        };
        model.add_value("x", &IMAGE, true);
        model
    }

    fn repeat(
        &mut self,
        ops: usize,
        x: String,
        mut block: impl FnMut(&mut Model, String) -> String,
    ) -> String {
        let mut x = x;
        while self.nodes.len() < ops {
            x = block(self, x);
        }
        x
    }

    fn add_value(&mut self, name: &str, sizes: &[usize], batched: bool) {
        let sizes = sizes.iter().map(|&n| int(n));
        let sizes: Vec<Value> = batched
            .then(|| self.batch.clone())
            .into_iter()
            .chain(sizes)
            .collect();
        let meta = json!({
            "dtype": 7, "sizes": sizes, "requires_grad": false, "device": {"type": "cpu", "index": null},
            "strides": vec![int(1); sizes.len()], "storage_offset": int(0), "layout": 7,
        });
        self.values.insert(name.to_owned(), meta);
    }

    fn weight(&mut self, sizes: &[usize]) -> Value {
        let name = format!("w{}", self.weights.len());
        self.add_value(&name, sizes, false);
        self.weights.push((name.clone(), sizes.to_vec()));
        tensor(&name)
    }

    /// Adds a call whose result has these sizes behind the batch.
    fn call(&mut self, target: &str, inputs: &[(&str, Value)], sizes: &[usize]) -> String {
        let name = format!("v{}", self.nodes.len());
        let inputs = inputs
            .iter()
            .map(|(name, arg)| json!({"name": name, "arg": arg, "kind": 1}));
        self.nodes.push(json!({
            "target": format!("torch.ops.aten.{target}"),
            "inputs": inputs.collect::<Vec<_>>(),
            "outputs": [tensor(&name)],
            "metadata": {"stack_trace": "File \"model.py\", line 1, in forward\n"},
            "is_hop_single_tensor_return": null,
            "name": name,
        }));
        self.add_value(&name, sizes, true);
        name
    }

    fn unary(&mut self, op: &str, x: &str, sizes: &[usize]) -> String {
        self.call(&format!("{op}.default"), &[("self", tensor(x))], sizes)
    }

    fn binary(&mut self, op: &str, x: &str, y: Value) -> String {
        let inputs = [("self", tensor(x)), ("other", y)];
        self.call(&format!("{op}.Tensor"), &inputs, &IMAGE)
    }

    fn permuted(&mut self, x: &str, axes: [usize; 4]) -> String {
        let dims = json!({ "as_ints": axes });
        self.call(
            "permute.default",
            &[("self", tensor(x)), ("dims", dims)],
            &IMAGE,
        )
    }

    /// Adds twenty ops of different kinds.
    fn mixed(&mut self, x: String) -> String {
        let y = self.conv_block(&x);
        let y = self.linear_block(&y);
        let y = self.binary("add", &y, tensor(&x));
        let y = self.norm_block(&y);
        let y = self.split_block(&y);
        self.unary("sigmoid", &y, &IMAGE)
    }

    fn conv_block(&mut self, x: &str) -> String {
        let [weight, bias] = [vec![SIDE, SIDE, 1, 1], vec![SIDE]].map(|s| self.weight(&s));
        let inputs = [("input", tensor(x)), ("weight", weight), ("bias", bias)];
        let y = self.call("conv2d.default", &inputs, &IMAGE);
        let [weight, bias, mean, variance] = [(); 4].map(|()| self.weight(&[SIDE]));
        let inputs = [
            ("input", tensor(&y)),
            ("weight", weight),
            ("bias", bias),
            ("running_mean", mean),
            ("running_var", variance),
            ("training", json!({"as_bool": false})),
            ("momentum", json!({"as_float": 0.1})),
            ("eps", json!({"as_float": 1e-5})),
            ("cudnn_enabled", json!({"as_bool": false})),
        ];
        let y = self.call("batch_norm.default", &inputs, &IMAGE);
        self.unary("relu", &y, &IMAGE)
    }

    fn linear_block(&mut self, x: &str) -> String {
        let y = self.permuted(x, [0, 2, 3, 1]);
        let [weight, bias] = [vec![SIDE, SIDE], vec![SIDE]].map(|s| self.weight(&s));
        let inputs = [("input", tensor(&y)), ("weight", weight), ("bias", bias)];
        let y = self.call("linear.default", &inputs, &IMAGE);
        let y = self.unary("gelu", &y, &IMAGE);
        self.permuted(&y, [0, 3, 1, 2])
    }

    fn norm_block(&mut self, x: &str) -> String {
        let dim = json!({"as_int": -1});
        let y = self.call("softmax.int", &[("self", tensor(x)), ("dim", dim)], &IMAGE);
        let factor = self.weight(&[SIDE]);
        let y = self.binary("mul", &y, factor);
        let [weight, bias] = [(); 2].map(|()| self.weight(&[SIDE]));
        let shape = json!({"as_ints": [SIDE]});
        let inputs = [
            ("input", tensor(&y)),
            ("normalized_shape", shape),
            ("weight", weight),
            ("bias", bias),
        ];
        let y = self.call("layer_norm.default", &inputs, &IMAGE);
        let (dim, keep) = (json!({"as_ints": [-1]}), json!({"as_bool": true}));
        let inputs = [("self", tensor(&y)), ("dim", dim), ("keepdim", keep)];
        let mean = self.call("mean.dim", &inputs, &[SIDE, SIDE, 1]);
        self.binary("sub", &y, tensor(&mean))
    }

    fn split_block(&mut self, x: &str) -> String {
        let half = |model: &mut Model, start: usize| {
            let [dim, from, to] = [1, start, start + SIDE / 2].map(int);
            let inputs = [
                ("self", tensor(x)),
                ("dim", dim),
                ("start", from),
                ("end", to),
            ];
            model.call("slice.Tensor", &inputs, &[SIDE / 2, SIDE, SIDE])
        };
        let halves = [half(self, 0), half(self, SIDE / 2)];
        let y = self.concat(&[&halves[1], &halves[0]], SIDE);
        let flat = json!({"as_ints": [-1, SIDE, SIDE * SIDE]});
        let inputs = [("self", tensor(&y)), ("size", flat)];
        let y = self.call("view.default", &inputs, &[SIDE, SIDE * SIDE]);
        let y = self.unary("tanh", &y, &[SIDE, SIDE * SIDE]);
        let image = json!({"as_ints": [-1, SIDE, SIDE, SIDE]});
        self.call(
            "view.default",
            &[("self", tensor(&y)), ("size", image)],
            &IMAGE,
        )
    }

    fn concat(&mut self, parts: &[&String], channels: usize) -> String {
        let names: Vec<Value> = parts.iter().map(|p| json!({"name": p})).collect();
        let inputs = [("tensors", json!({"as_tensors": names})), ("dim", int(1))];
        self.call("cat.default", &inputs, &[channels, SIDE, SIDE])
    }

    fn there_and_back(&mut self, x: String) -> String {
        let y = self.permuted(&x, [0, 2, 3, 1]);
        let y = self.unary("exp", &y, &IMAGE);
        let y = self.permuted(&y, [0, 3, 1, 2]);
        self.unary("neg", &y, &IMAGE)
    }

    /// Adds the last value of a branch on `x` to the sum of the branches.
    fn branch(&mut self, x: &str, sum: String) -> String {
        let size = json!({"as_ints": [-1, SIDE, SIDE, SIDE]});
        let x = self.call(
            "expand.default",
            &[("self", tensor(x)), ("size", size)],
            &IMAGE,
        );
        let shared = self.unary("tanh", &x, &IMAGE);
        let factor = self.weight(&[SIDE]);
        let own = self.binary("mul", &x, factor);
        let both = self.binary("add", &own, tensor(&shared));
        self.binary("add", &sum, tensor(&both))
    }

    fn fan(&mut self, ops: usize, x: &str) -> String {
        let mut branches = Vec::new();
        while self.nodes.len() + 1 < ops {
            let factor = self.weight(&[SIDE]);
            let y = self.binary("mul", x, factor);
            branches.push(self.unary("sigmoid", &y, &IMAGE));
        }
        self.concat(&branches.iter().collect::<Vec<_>>(), branches.len() * SIDE)
    }

    fn finish(self, result: &str, path: &Path) -> Result<()> {
        let specs = self
            .weights
            .iter()
            .map(|(name, _)| json!({"parameter": {"arg": {"name": name}, "parameter_name": name}}));
        let input = json!({"user_input": {"arg": {"as_tensor": {"name": "x"}}}});
        let specs: Vec<Value> = specs.chain([input]).collect();
        let inputs = self.weights.iter().map(|(name, _)| tensor(name));
        let inputs: Vec<Value> = inputs.chain([tensor("x")]).collect();
        let output = json!({"user_output": {"arg": {"as_tensor": {"name": result}}}});
        let program = json!({
            "graph_module": {
                "graph": {
                    "inputs": inputs, "outputs": [tensor(result)], "nodes": self.nodes,
                    "tensor_values": self.values,
                    "sym_int_values": {}, "sym_bool_values": {},
                },
                "signature": {"input_specs": specs, "output_specs": [output]},
                "module_call_graph": [],
            },
            "opset_version": {"aten": 10},
            "range_constraints": {"s0": {"min_val": 1, "max_val": 8}},
            "schema_version": {"major": 8, "minor": 20},
            "verifiers": ["TRAINING"],
            "torch_version": "2.15.0",
            "guards_code": [],
        });
        let program = ExportedProgram::parse(&serde_json::to_vec(&program)?)?;
        let mut writer = ArchiveWriter::new(&program);
        // All parameters share one storage, because many storages take long to write.
        let numbers: Vec<u8> = (0..self.weights.len() + SIDE.pow(2))
            .flat_map(|i| (0.5 + i as f32 / 65536.0).to_le_bytes())
            .collect();
        let storage = Bytes::from(numbers);
        for (i, (name, sizes)) in self.weights.iter().enumerate() {
            let strides = (0..sizes.len())
                .map(|a| sizes[a + 1..].iter().product())
                .collect();
            let weight =
                StoredTensor::new(ScalarType::F32, sizes.clone(), strides, i, storage.clone())?;
            writer.weight(name, &weight, true);
        }
        writer.write(
            std::io::BufWriter::new(std::fs::File::create(path)?),
            "model",
        )?;
        Ok(())
    }
}
