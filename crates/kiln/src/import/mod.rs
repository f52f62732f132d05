//! An export archive to a graph: walks the saved program in order and hands each call to the importer.
//!
//! Weights and constants become constants over the mapped file; buffers that the program writes become
//! state cells; inputs that it writes become cells whose first content is the caller's. Names of the
//! archive live only here: a map from name to argument for each saved graph.

mod control;
mod symbols;
mod weights;

pub use weights::dtype;

use anyhow::{Context, Result, anyhow, bail};
use indexmap::IndexMap;
use kiln_aten::{Arg, Call, Declared, Importer, Tensor, import_call};
use kiln_ir::graph::{CellInit, InputSpec, OutputSpec, Source, StateCell};
use kiln_ir::ops;
use kiln_ir::verify::verify;
use kiln_ir::{DType, Dim, Graph, Place, Rewriter, Scalar, Shape, TensorType, ValueId};
use kiln_pt2 as pt2;
use kiln_pt2::{Archive, Argument, ExportedProgram, TensorMeta};
use std::sync::Arc;

/// The graph of an archive's program, as method `name`.
///
/// # Errors
/// If the program uses what Kiln does not have; the error names the node and the user's line.
pub fn import_archive(archive: &Archive, name: &str) -> Result<Graph> {
    let program = archive.program()?;
    let mut graph = Graph::new(name);
    let root = graph.root();
    let importer = Importer::new(Rewriter::new(&mut graph), root);
    let mut walker = Walker {
        archive,
        program: &program,
        cx: importer,
        state: Vec::new(),
    };
    walker.program()?;
    verify(&graph).map_err(|faults| {
        let list: Vec<String> = faults.iter().map(ToString::to_string).collect();
        anyhow!(
            "the imported graph is broken (a bug in Kiln): {}",
            list.join("; ")
        )
    })?;
    Ok(graph)
}

/// What the names of one saved graph stand for.
type Names = IndexMap<String, Arg>;

/// A tensor that outlives the call: its cell is made when the program turns out to write it.
struct State {
    /// The archive's name, or the input's.
    name: String,
    tensor: Tensor,
    /// The value before the call.
    initial: ValueId,
    kind: StateKind,
}

enum StateKind {
    Buffer(kiln_ir::ConstId),
    Input(u32),
}

struct Walker<'a, 'g> {
    archive: &'a Archive,
    program: &'a ExportedProgram,
    cx: Importer<'g>,
    state: Vec<State>,
}

impl Walker<'_, '_> {
    fn program(&mut self) -> Result<()> {
        let program = self.program;
        let graph = &program.graph;
        let mut names = Names::new();
        let specs = &program.signature.input_specs;
        if specs.len() != graph.inputs.len() {
            bail!(
                "the signature has {} inputs, the graph {}",
                specs.len(),
                graph.inputs.len()
            );
        }
        // User inputs come last in an archive but bind the symbols, so their order among themselves is all
        // that matters.
        for (spec, input) in specs.iter().zip(&graph.inputs) {
            self.input(spec, input, &mut names)?;
        }
        self.nodes(graph, &mut names)?;
        self.outputs(&mut names)
    }

    fn input(&mut self, spec: &pt2::InputSpec, input: &Argument, names: &mut Names) -> Result<()> {
        match spec {
            pt2::InputSpec::Parameter { name, fqn }
            | pt2::InputSpec::TensorConstant { name, fqn } => {
                let (value, _) = self.weight(name, fqn)?;
                let tensor = self.cx.bind_ordered(value, Some(true));
                define(names, name, Arg::Tensor(tensor))?;
            }
            pt2::InputSpec::Buffer { name, fqn, .. } => {
                let (value, constant) = self.weight(name, fqn)?;
                let tensor = self.cx.bind_ordered(value, Some(true));
                define(names, name, Arg::Tensor(tensor))?;
                let kind = StateKind::Buffer(constant);
                self.state.push(State {
                    name: fqn.clone(),
                    tensor,
                    initial: value,
                    kind,
                });
            }
            pt2::InputSpec::UserInput { arg } => self.user_input(arg, names)?,
            pt2::InputSpec::ConstantInput { name, value } => {
                let frozen = frozen_input(value);
                if let Some(key) = input_name(input) {
                    names.insert(key.to_string(), frozen_arg(value));
                }
                names
                    .entry(name.clone())
                    .or_insert_with(|| frozen_arg(value));
                self.cx.rewriter().signature().inputs.push(frozen);
            }
            pt2::InputSpec::CustomObj { fqn, .. } => {
                bail!(
                    "input {fqn} is a custom object, which no target runs; replace it by tensors before export"
                )
            }
            pt2::InputSpec::Token { name } => {
                bail!(
                    "input {name} is an effect token, which no target runs; remove the op with side effects"
                )
            }
        }
        Ok(())
    }

    fn user_input(&mut self, arg: &Argument, names: &mut Names) -> Result<()> {
        match arg {
            Argument::Tensor(name) => {
                let meta = self.meta(&self.program.graph, name)?.clone();
                let ty = self.tensor_type(&meta, name)?;
                let dim_order = dim_order(&meta);
                let contiguous = dim_order
                    .iter()
                    .enumerate()
                    .all(|(i, &a)| i == usize::from(a));
                let value = self.add_input(name, ty, dim_order);
                let tensor = self.cx.bind_ordered(value, Some(contiguous));
                let position = self.cx.graph().signature.inputs.len() as u32 - 1;
                self.state.push(State {
                    name: name.clone(),
                    tensor,
                    initial: value,
                    kind: StateKind::Input(position),
                });
                define(names, name, Arg::Tensor(tensor))?;
            }
            Argument::SymInt(pt2::SymIntArg::Name(name)) => {
                let value = self.add_input(name, TensorType::new(DType::I64, []), Vec::new());
                let dim = self.sym_int(&self.program.graph, name)?;
                let Some(symbol) = dim.as_ref().and_then(Dim::as_symbol) else {
                    bail!("input {name} is a symbolic int that is no symbol of its own");
                };
                let place = Place::End(self.cx.block());
                self.cx
                    .rewriter()
                    .insert(place, ops::BindSymbol { symbol }, &[value])?;
                self.cx.bind_symbol(symbol);
                define(names, name, Arg::Int(Dim::symbol(symbol)))?;
            }
            Argument::None => self.cx.rewriter().signature().inputs.push(InputSpec::None),
            Argument::Int(v) => self.freeze(Scalar::Int(*v)),
            Argument::Float(v) => self.freeze(Scalar::Float(*v)),
            Argument::Bool(v) => self.freeze(Scalar::Bool(*v)),
            Argument::String(v) => self
                .cx
                .rewriter()
                .signature()
                .inputs
                .push(InputSpec::Text(v.clone())),
            other => bail!("an input is {other:?}; inputs are tensors, numbers, strings or None"),
        }
        Ok(())
    }

    fn freeze(&mut self, scalar: Scalar) {
        self.cx
            .rewriter()
            .signature()
            .inputs
            .push(InputSpec::Scalar(scalar));
    }

    fn add_input(&mut self, name: &str, ty: TensorType, dim_order: Vec<u8>) -> ValueId {
        let root = self.cx.graph().root();
        let rewriter = self.cx.rewriter();
        rewriter.signature().inputs.push(InputSpec::Tensor {
            name: name.into(),
            dim_order,
        });
        rewriter.add_param(root, ty, Some(name.into()))
    }

    /// Imports the nodes of a saved graph into the current block.
    fn nodes(&mut self, graph: &pt2::Graph, names: &mut Names) -> Result<()> {
        for node in &graph.nodes {
            let source = self.cx.rewriter().add_source(source_of(node));
            self.cx.rewriter().set_sources([source]);
            self.node(graph, node, names)
                .with_context(|| describe(node))?;
        }
        Ok(())
    }

    fn node(&mut self, graph: &pt2::Graph, node: &pt2::Node, names: &mut Names) -> Result<()> {
        if let Some(op) = node.target.strip_prefix("torch.ops.higher_order.") {
            let results = self.higher_order(op, node, names)?;
            return bind_outputs(node, results, names);
        }
        let target = node
            .target
            .strip_prefix("torch.ops.")
            .unwrap_or(&node.target)
            .to_string();
        if let Some(results) = self.declared_sizes(graph, node)? {
            return bind_outputs(node, results, names);
        }
        let args: Result<Vec<(String, Arg)>> = node
            .inputs
            .iter()
            .map(|i| Ok((i.name.clone(), self.argument(&i.arg, names)?)))
            .collect();
        let declared: Result<Vec<Declared>> = node
            .outputs
            .iter()
            .map(|o| self.declared(graph, o))
            .collect();
        let call = Call {
            target,
            node: node_name(node),
            args: args?,
            declared: declared?,
        };
        let results = import_call(&mut self.cx, &call)?;
        bind_outputs(node, results, names)
    }

    /// The results of a call on sizes alone, which the archive states as expressions.
    fn declared_sizes(&mut self, graph: &pt2::Graph, node: &pt2::Node) -> Result<Option<Vec<Arg>>> {
        let sized = node.target.starts_with("_operator.")
            || node.target.starts_with("torch.sym_")
            || node.target == "torch.ops.aten.sym_size.int";
        let [Argument::SymInt(pt2::SymIntArg::Name(name))] = node.outputs.as_slice() else {
            return Ok(None);
        };
        if !sized {
            return Ok(None);
        }
        Ok(self.sym_int(graph, name)?.map(|dim| vec![Arg::Int(dim)]))
    }

    fn argument(&mut self, arg: &Argument, names: &Names) -> Result<Arg> {
        let tensor = |name: &str| tensor_of(names, name);
        Ok(match arg {
            Argument::None => Arg::None,
            Argument::Tensor(name) => lookup(names, name)?.clone(),
            Argument::OptionalTensor(None) => Arg::None,
            Argument::OptionalTensor(Some(name)) => lookup(names, name)?.clone(),
            Argument::Tensors(list) => {
                Arg::Tensors(list.iter().map(|n| tensor(n)).collect::<Result<_>>()?)
            }
            Argument::OptionalTensors(list) => {
                let one = |n: &Option<String>| n.as_deref().map(tensor).transpose();
                Arg::OptionalTensors(list.iter().map(one).collect::<Result<_>>()?)
            }
            Argument::Int(v) => Arg::Int(Dim::constant(*v)),
            Argument::Ints(list) => Arg::Ints(list.iter().map(|&v| Dim::constant(v)).collect()),
            Argument::Float(v) => Arg::Float(*v),
            Argument::Floats(list) => Arg::Floats(list.clone()),
            Argument::Bool(v) => Arg::Bool(*v),
            Argument::Bools(list) => Arg::Bools(list.clone()),
            Argument::String(text) => Arg::Str(text.clone()),
            Argument::SymInt(pt2::SymIntArg::Int(v)) => Arg::Int(Dim::constant(*v)),
            Argument::SymInt(pt2::SymIntArg::Name(name)) => lookup(names, name)?.clone(),
            Argument::SymInts(list) => Arg::Ints(
                list.iter()
                    .map(|i| sym_dim(i, names))
                    .collect::<Result<_>>()?,
            ),
            Argument::SymFloat(pt2::SymFloatArg::Float(v)) => Arg::Float(*v),
            Argument::SymFloat(pt2::SymFloatArg::Name(name)) => lookup(names, name)?.clone(),
            Argument::SymBool(pt2::SymBoolArg::Bool(v)) => Arg::Bool(*v),
            Argument::SymBool(pt2::SymBoolArg::Name(name)) => lookup(names, name)?.clone(),
            Argument::ScalarType(t) => Arg::DType(weights::dtype(*t)?),
            Argument::MemoryFormat(format) => Arg::MemoryFormat(memory_format(*format)?),
            Argument::Layout(_) | Argument::Device(_) => Arg::Ignored,
            other => bail!("an argument is {other:?}, which no import reads"),
        })
    }

    fn declared(&mut self, graph: &pt2::Graph, output: &Argument) -> Result<Declared> {
        Ok(match output {
            Argument::Tensor(name) => {
                let meta = self.meta(graph, name)?.clone();
                match self.tensor_type(&meta, name) {
                    Ok(ty) => Declared::Tensor {
                        ty,
                        contiguous: is_contiguous(&meta),
                    },
                    Err(_) => Declared::Unknown,
                }
            }
            Argument::Tensors(list) => {
                let types = list.iter().map(|name| {
                    let meta = self.meta(graph, name)?.clone();
                    self.tensor_type(&meta, name)
                });
                Declared::Tensors(types.collect::<Result<_>>()?)
            }
            Argument::SymInt(pt2::SymIntArg::Name(name)) => {
                Declared::Int(self.sym_int(graph, name)?)
            }
            Argument::SymFloat(_) => Declared::Float,
            Argument::SymBool(_) => Declared::Bool,
            _ => Declared::Unknown,
        })
    }

    fn meta<'m>(&self, graph: &'m pt2::Graph, name: &str) -> Result<&'m TensorMeta> {
        graph
            .tensor_values
            .get(name)
            .ok_or_else(|| anyhow!("the archive declares no tensor {name}"))
    }

    fn tensor_type(&mut self, meta: &TensorMeta, name: &str) -> Result<TensorType> {
        let dtype = weights::dtype(meta.dtype).with_context(|| format!("tensor {name}"))?;
        if meta.layout != pt2::Layout::Strided {
            bail!(
                "tensor {name} is {:?}; Kiln takes strided (dense) tensors",
                meta.layout
            );
        }
        let program = self.program;
        let symbols = self.cx.rewriter().symbols();
        let dims: Option<Vec<Dim>> = meta
            .sizes
            .iter()
            .map(|s| symbols::dim(s, program, symbols))
            .collect();
        let dims =
            dims.ok_or_else(|| anyhow!("tensor {name} has a size that is no integer expression"))?;
        Ok(TensorType::new(dtype, Shape::from(dims)))
    }

    fn sym_int(&mut self, graph: &pt2::Graph, name: &str) -> Result<Option<Dim>> {
        let Some(size) = graph.sym_int_values.get(name) else {
            bail!("the archive declares no symbolic int {name}");
        };
        Ok(symbols::dim(
            size,
            self.program,
            self.cx.rewriter().symbols(),
        ))
    }

    fn outputs(&mut self, names: &mut Names) -> Result<()> {
        let program = self.program;
        let (specs, outputs) = (&program.signature.output_specs, &program.graph.outputs);
        if specs.len() != outputs.len() {
            bail!(
                "the signature has {} outputs, the graph {}",
                specs.len(),
                outputs.len()
            );
        }
        let mut results = Vec::new();
        for spec in specs {
            match spec {
                pt2::OutputSpec::UserOutput { arg } => {
                    self.user_output(arg, names, &mut results)?
                }
                pt2::OutputSpec::LossOutput { name } => {
                    self.tensor_output(name, names, &mut results)?
                }
                pt2::OutputSpec::BufferMutation { name, fqn } => self.mutation(name, fqn, names)?,
                pt2::OutputSpec::UserInputMutation { name, input } => {
                    self.mutation(name, input, names)?
                }
                pt2::OutputSpec::ParameterMutation { fqn, .. } => {
                    bail!("the program changes its parameter {fqn}; make it a buffer")
                }
                other => bail!("an output is {other:?}, which an inference program does not have"),
            }
        }
        let root = self.cx.graph().root();
        self.cx.rewriter().set_results(root, results);
        self.state_cells()
    }

    fn user_output(
        &mut self,
        arg: &Argument,
        names: &Names,
        results: &mut Vec<ValueId>,
    ) -> Result<()> {
        let spec = match arg {
            Argument::Tensor(name) | Argument::OptionalTensor(Some(name)) => {
                return self.tensor_output(name, names, results);
            }
            Argument::None | Argument::OptionalTensor(None) => OutputSpec::None,
            Argument::Int(v) => OutputSpec::Scalar(Scalar::Int(*v)),
            Argument::Float(v) => OutputSpec::Scalar(Scalar::Float(*v)),
            Argument::Bool(v) => OutputSpec::Scalar(Scalar::Bool(*v)),
            Argument::String(v) => OutputSpec::Text(v.clone()),
            Argument::SymInt(_) | Argument::SymFloat(_) | Argument::SymBool(_) => {
                let number = self.argument(arg, names)?;
                let value = self.number_value(&number)?;
                results.push(value);
                OutputSpec::Tensor
            }
            other => bail!("an output is {other:?}; outputs are tensors, numbers, strings or None"),
        };
        self.cx.rewriter().signature().outputs.push(spec);
        Ok(())
    }

    /// The rank-0 value of a number known only when running, or of a known one.
    fn number_value(&mut self, number: &Arg) -> Result<ValueId> {
        let place = Place::End(self.cx.block());
        let known = match number {
            Arg::Number(n) => return Ok(n.value),
            Arg::Int(dim) => {
                let op = ops::DimValue {
                    dim: self.cx.resolve(dim),
                };
                return Ok(self.cx.rewriter().value(place, op, &[])?);
            }
            Arg::Float(v) => (DType::F64, Scalar::Float(*v)),
            Arg::Bool(v) => (DType::Bool, Scalar::Bool(*v)),
            other => bail!("{other:?} is no number"),
        };
        let data = kiln_ir::TensorData::scalar(known.0, known.1);
        Ok(self.cx.rewriter().constant_value(place, "", data))
    }

    fn tensor_output(
        &mut self,
        name: &str,
        names: &Names,
        results: &mut Vec<ValueId>,
    ) -> Result<()> {
        let tensor = tensor_of(names, name)?;
        let value = self.cx.current(tensor)?;
        results.push(value);
        self.cx
            .rewriter()
            .signature()
            .outputs
            .push(OutputSpec::Tensor);
        Ok(())
    }

    /// In functional form the new content of a buffer or input is an output.
    fn mutation(&mut self, name: &str, target: &str, names: &Names) -> Result<()> {
        let new = self.cx.current(tensor_of(names, name)?)?;
        let state = self.state.iter().find(|s| s.name == target);
        let tensor = state
            .ok_or_else(|| anyhow!("{target}, which the program changes, is no buffer or input"))?
            .tensor;
        self.cx.assign(tensor, new)?;
        Ok(())
    }

    /// Makes cells of the buffers and inputs that the program wrote, and reads of their first content.
    fn state_cells(&mut self) -> Result<()> {
        for state in std::mem::take(&mut self.state) {
            let last = self.cx.current(state.tensor)?;
            if last == state.initial {
                continue;
            }
            let ty = self.cx.graph().ty(state.initial).clone();
            let root = self.cx.graph().root();
            let rewriter = self.cx.rewriter();
            let init = match state.kind {
                StateKind::Buffer(constant) => CellInit::Constant(constant),
                StateKind::Input(position) => CellInit::Input(position),
            };
            let cell = rewriter.add_cell(StateCell {
                name: state.name.as_str().into(),
                ty,
                init,
            });
            rewriter.add_update(cell, last);
            if let StateKind::Buffer(_) = state.kind {
                let read = rewriter.value(Place::Start(root), ops::ReadState { cell }, &[])?;
                rewriter.replace_value(state.initial, read);
                rewriter.name_value(read, state.name.as_str());
            }
        }
        self.cx.rewriter().remove_unused_constants();
        Ok(())
    }
}

/// Names a value. A second value of a name would hide the first from what reads it.
fn define(names: &mut Names, name: &str, value: Arg) -> Result<()> {
    match names.insert(name.to_string(), value) {
        None => Ok(()),
        Some(_) => bail!("two values are called {name}; an export names each once"),
    }
}

fn lookup<'n>(names: &'n Names, name: &str) -> Result<&'n Arg> {
    names
        .get(name)
        .ok_or_else(|| anyhow!("nothing above is called {name}"))
}

fn tensor_of(names: &Names, name: &str) -> Result<Tensor> {
    lookup(names, name)?
        .as_tensor()
        .ok_or_else(|| anyhow!("{name} is no tensor"))
}

fn sym_dim(arg: &pt2::SymIntArg, names: &Names) -> Result<Dim> {
    match arg {
        pt2::SymIntArg::Int(v) => Ok(Dim::constant(*v)),
        pt2::SymIntArg::Name(name) => match lookup(names, name)? {
            Arg::Int(dim) => Ok(dim.clone()),
            other => bail!("{name} is {other:?}, where a size is expected"),
        },
    }
}

/// Binds a node's results to the names of its outputs.
fn bind_outputs(node: &pt2::Node, results: Vec<Arg>, names: &mut Names) -> Result<()> {
    let mut results = results.into_iter();
    for output in &node.outputs {
        let result = results.next().unwrap_or(Arg::None);
        match (output, result) {
            (Argument::Tensors(list), Arg::Tensors(tensors)) => {
                for (name, tensor) in list.iter().zip(tensors) {
                    define(names, name, Arg::Tensor(tensor))?;
                }
            }
            (output, result) => {
                if let Some(name) = input_name(output) {
                    define(names, name, result)?;
                }
            }
        }
    }
    Ok(())
}

/// The name that an argument refers to or defines.
fn input_name(arg: &Argument) -> Option<&str> {
    match arg {
        Argument::Tensor(name)
        | Argument::OptionalTensor(Some(name))
        | Argument::SymInt(pt2::SymIntArg::Name(name))
        | Argument::SymFloat(pt2::SymFloatArg::Name(name))
        | Argument::SymBool(pt2::SymBoolArg::Name(name)) => Some(name),
        _ => None,
    }
}

fn frozen_input(value: &pt2::ConstantValue) -> InputSpec {
    match value {
        pt2::ConstantValue::None => InputSpec::None,
        pt2::ConstantValue::Int(v) => InputSpec::Scalar(Scalar::Int(*v)),
        pt2::ConstantValue::Float(v) => InputSpec::Scalar(Scalar::Float(*v)),
        pt2::ConstantValue::Bool(v) => InputSpec::Scalar(Scalar::Bool(*v)),
        pt2::ConstantValue::String(v) => InputSpec::Text(v.clone()),
    }
}

fn frozen_arg(value: &pt2::ConstantValue) -> Arg {
    match value {
        pt2::ConstantValue::None => Arg::None,
        pt2::ConstantValue::Int(v) => Arg::Int(Dim::constant(*v)),
        pt2::ConstantValue::Float(v) => Arg::Float(*v),
        pt2::ConstantValue::Bool(v) => Arg::Bool(*v),
        pt2::ConstantValue::String(v) => Arg::Str(v.clone()),
    }
}

fn memory_format(format: pt2::MemoryFormat) -> Result<kiln_aten::MemoryFormat> {
    Ok(match format {
        pt2::MemoryFormat::Contiguous => kiln_aten::MemoryFormat::Contiguous,
        pt2::MemoryFormat::ChannelsLast => kiln_aten::MemoryFormat::ChannelsLast,
        pt2::MemoryFormat::ChannelsLast3d => kiln_aten::MemoryFormat::ChannelsLast3d,
        pt2::MemoryFormat::Preserve => kiln_aten::MemoryFormat::Preserve,
        pt2::MemoryFormat::Unknown(code) => bail!("memory format {code} is not known"),
    })
}

/// The memory order of an input's axes: by stride, the axis order where strides tell nothing.
fn dim_order(meta: &TensorMeta) -> Vec<u8> {
    let known = |s: &pt2::SymInt| match s {
        pt2::SymInt::Int(v) => Some(*v),
        pt2::SymInt::Expr { hint, .. } => *hint,
    };
    let strides: Option<Vec<i64>> = meta.strides.iter().map(known).collect();
    let sizes: Option<Vec<i64>> = meta.sizes.iter().map(known).collect();
    let mut order: Vec<u8> = (0..meta.sizes.len() as u8).collect();
    let (Some(strides), Some(sizes)) = (strides, sizes) else {
        return order;
    };
    if strides.len() != sizes.len() {
        return order;
    }
    let is_row_major = {
        let mut expected = 1i64;
        (0..sizes.len()).rev().all(|i| {
            let fits = sizes[i] == 1 || strides[i] == expected;
            expected = expected.saturating_mul(sizes[i].max(1));
            fits
        })
    };
    if !is_row_major && !strides.contains(&0) {
        order.sort_by_key(|&a| std::cmp::Reverse(strides[usize::from(a)]));
    }
    order
}

/// Whether a value is row-major in the exporter's memory, where all sizes are known or hinted.
fn is_contiguous(meta: &TensorMeta) -> Option<bool> {
    let order = dim_order(meta);
    Some(order.iter().enumerate().all(|(i, &a)| i == usize::from(a)) && !has_broken_strides(meta))
}

/// True if strides leave gaps or repeat elements.
fn has_broken_strides(meta: &TensorMeta) -> bool {
    let known = |s: &pt2::SymInt| s.as_int();
    let mut expected = 1i64;
    for (size, stride) in meta.sizes.iter().zip(&meta.strides).rev() {
        match (known(size), known(stride)) {
            (Some(1), _) => {}
            (Some(size), Some(stride)) => {
                if stride != expected {
                    return true;
                }
                expected = expected.saturating_mul(size.max(1));
            }
            _ => return false,
        }
    }
    false
}

fn node_name(node: &pt2::Node) -> String {
    let first = node.outputs.first().and_then(|o| match o {
        Argument::Tensors(list) => list.first().map(String::as_str),
        other => input_name(other),
    });
    node.name
        .as_deref()
        .or(first)
        .unwrap_or(&node.target)
        .to_string()
}

fn source_of(node: &pt2::Node) -> Source {
    let module = node.metadata.module.as_ref().map_or("", |m| &m.path);
    let line = node.metadata.frames.last().map(|f| {
        let code = if f.code.is_empty() {
            String::new()
        } else {
            format!(": {}", f.code)
        };
        format!("{}:{} in {}{code}", f.file, f.line, f.function)
    });
    Source {
        node: node_name(node).into(),
        target: node
            .target
            .strip_prefix("torch.ops.")
            .unwrap_or(&node.target)
            .into(),
        module: module.into(),
        line: Arc::from(line.unwrap_or_default()),
    }
}

/// Where in the user's program an error arose.
fn describe(node: &pt2::Node) -> String {
    let source = source_of(node);
    let mut text = format!("node {}", source.node);
    if !source.module.is_empty() {
        text.push_str(&format!(" of module {}", source.module));
    }
    if !source.line.is_empty() {
        text.push_str(&format!(" ({})", source.line));
    }
    text
}
