//! Imports an export archive: walks the saved program in order and hands each call to the importer.
//!
//! Weights and constants become constants over the mapped file. A buffer that the program writes becomes a state cell.
//! An input that it writes becomes a cell whose first content is the caller's tensor. Only this module knows the
//! archive's names: it maps them to arguments, one map for each saved graph.

mod control;
mod inlined;
mod integers;
mod refused;
mod shared;
mod signature;
mod source;
mod stride;
mod symbols;
mod unknown;
mod weights;
mod wrapper;

pub use weights::dtype;

use anyhow::{Context, Result, anyhow, bail};
use indexmap::IndexMap;
use kiln_aten::{Arg, Call, CustomOps, Declared, Importer, Tensor, import_call};
use kiln_ir::content::Keeper;
use kiln_ir::verify::verify;
use kiln_ir::{Dim, Graph, Rewriter, Shape, SourceId, TensorType, ValueId};
use kiln_pt2 as pt2;
use kiln_pt2::{Archive, Argument, ExportedProgram, TensorMeta};
pub use refused::Refusals;
use shared::Shared;
use source::{describe, source_of};
use std::collections::BTreeSet;
use std::sync::Arc;
use stride::is_contiguous;
use symbols::Sizes;
use unknown::UnknownOps;
use wrapper::Wrapper;

/// The most axes of a tensor: memory orders list them as bytes.
const MAX_AXES: usize = 255;

/// What the user says about the import.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportOptions<'a> {
    /// Symbols that have these sizes.
    pub fixed: &'a [(String, i64)],
    /// The ops that are kernels that the user registers with the runtime.
    pub custom: Option<&'a CustomOps>,
    /// Whether recurrent layers of many steps become loops. Otherwise up to 4,096 steps are unrolled.
    pub loops: bool,
}

/// Imports the program of an archive as a graph for the method `name`.
///
/// # Errors
/// The program uses something that Kiln does not support, or does not allow a size. The error names the node and the user's line.
pub fn import_archive(archive: &Archive, name: &str, options: ImportOptions<'_>) -> Result<Graph> {
    let program = archive.program()?;
    let none = CustomOps::default();
    let unknown = unknown::of(&program, options.custom.unwrap_or(&none));
    let sizes = Sizes {
        program: &program,
        fixed: options.fixed,
    };
    sizes.check()?;
    let mut kept = BTreeSet::new();
    let mut graph = Graph::new(name);
    while let Some(more) = import_into(&mut graph, archive, (sizes, &options, &unknown), &kept)? {
        kept.extend(more);
        graph = Graph::new(name);
    }
    verify(&graph).map_err(|faults| {
        let list: Vec<String> = faults.iter().map(ToString::to_string).collect();
        anyhow!(
            "the imported graph is broken (a bug in Kiln): {}",
            list.join("; ")
        )
    })?;
    Ok(graph)
}

/// Imports into an empty graph. `kept` names the buffers that are known to be written. Gives further such buffers, if there are any: what
/// is a constant to the importer was read before it turned out to be state, so the graph is of no use.
fn import_into(
    graph: &mut Graph,
    archive: &Archive,
    (sizes, options, unknown): (Sizes<'_>, &ImportOptions<'_>, &UnknownOps),
    kept: &BTreeSet<String>,
) -> Result<Option<BTreeSet<String>>> {
    let (file, program) = (archive.file(), sizes.program);
    let root = graph.root();
    let importer = Importer::new(Rewriter::new(graph), root);
    let importer = match options.custom {
        Some(custom) => importer.with_custom(custom),
        None => importer,
    };
    let mut walker = Walker {
        archive,
        keeper: file.map(|file| Arc::new(weights::Mapped(file.clone())) as Arc<dyn Keeper>),
        program,
        sizes,
        cx: importer.with_loops(options.loops),
        source: None,
        shared: Shared::of(archive, &program.signature.input_specs),
        wrappers: IndexMap::new(),
        state: Vec::new(),
        kept,
        written: BTreeSet::new(),
        refused: Refusals::new(unknown.clone()),
    };
    let imported = walker.program();
    walker.refused.or(imported)?;
    Ok(Some(walker.written).filter(|written| !written.is_empty()))
}

/// The meaning of each name in a saved graph.
type Names = IndexMap<String, Arg>;

/// A tensor that outlives the call.
struct State {
    /// The name of the buffer or the input in the archive.
    name: String,
    tensor: Tensor,
    /// Its value before the call.
    initial: ValueId,
    kind: StateKind,
}

#[derive(Clone, Copy)]
enum StateKind {
    /// A constant, unless the program writes it.
    Buffer,
    /// A buffer that is known to be written, and its cell.
    Kept(kiln_ir::CellId),
    /// An input, at this position. Its cell is made once the program writes it.
    Input(u32),
}

struct Walker<'a, 'g> {
    archive: &'a Archive,
    keeper: Option<Arc<dyn Keeper>>,
    program: &'a ExportedProgram,
    sizes: Sizes<'a>,
    cx: Importer<'g>,
    /// The source of the nodes that are inserted.
    source: Option<SourceId>,
    shared: Shared,
    /// Tensors that wrap others, by their names in the program.
    wrappers: IndexMap<String, Wrapper>,
    state: Vec<State>,
    /// Buffers that the program is known to write.
    kept: &'a BTreeSet<String>,
    /// Other buffers that the program turned out to write.
    written: BTreeSet<String>,
    /// Calls that are refused. The calls behind them are tried on stand-ins.
    refused: Refusals,
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
        // User inputs are last in an archive. They bind the symbols, so only the order among them matters.
        for (spec, input) in specs.iter().zip(&graph.inputs) {
            self.input(spec, input, &mut names)?;
        }
        self.nodes(graph, &mut names)?;
        self.outputs(&mut names)
    }

    /// Imports the nodes of a saved graph into the current block.
    fn nodes(&mut self, graph: &pt2::Graph, names: &mut Names) -> Result<()> {
        let around = self.source;
        for node in &graph.nodes {
            let source = self.cx.rewriter().add_source(source_of(node));
            self.attribute(source);
            self.node(graph, node, names)
                .with_context(|| describe(node))?;
        }
        // Nodes that follow the body's own nodes have the source of the node that owns the body.
        if let Some(source) = around {
            self.attribute(source);
        }
        Ok(())
    }

    /// Sets the source of the nodes that are inserted from now on.
    fn attribute(&mut self, source: SourceId) {
        self.source = Some(source);
        self.cx.rewriter().set_sources([source]);
    }

    fn node(&mut self, graph: &pt2::Graph, node: &pt2::Node, names: &mut Names) -> Result<()> {
        if let Some(op) = node.target.strip_prefix("torch.ops.higher_order.") {
            match op {
                "wrap_with_set_grad_enabled" => return self.wrapped_in_grad_mode(node, names),
                "wrap_with_autocast" => return self.wrapped_in_autocast(node, names),
                _ => {}
            }
            let results = self.higher_order(op, node, names)?;
            return bind_outputs(node, results, names);
        }
        if self.access(node, names)? {
            return Ok(());
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
            node: node.label().to_owned(),
            args: args?,
            declared: declared?,
        };
        let results = match import_call(&mut self.cx, &call) {
            Ok(results) => results,
            Err(error) if !error.problem.is_refusal() => return Err(error.into()),
            Err(error) => {
                self.refused.add(node, &error);
                let stand_ins = self.cx.stand_ins(&call);
                stand_ins.context("the results of a refused call have no stand-ins")?
            }
        };
        bind_outputs(node, results, names)
    }

    /// The results of a call on sizes only. The archive states them as expressions.
    fn declared_sizes(&mut self, graph: &pt2::Graph, node: &pt2::Node) -> Result<Option<Vec<Arg>>> {
        let sized = node.target.starts_with("_operator.")
            || node.target.starts_with("torch.sym_")
            || node.target.starts_with("torch.ops.aten.sym_");
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
        let rank = meta.sizes.len();
        if rank > MAX_AXES {
            bail!("tensor {name} has {rank} axes; Kiln takes up to {MAX_AXES}");
        }
        let sizes = self.sizes;
        let symbols = self.cx.rewriter().symbols();
        let dims: Option<Vec<Dim>> = meta
            .sizes
            .iter()
            .map(|s| symbols::dim(s, sizes, symbols))
            .collect();
        let dims =
            dims.ok_or_else(|| anyhow!("tensor {name} has a size that is no integer expression"))?;
        Ok(TensorType::new(dtype, Shape::from(dims)))
    }

    fn sym_int(&mut self, graph: &pt2::Graph, name: &str) -> Result<Option<Dim>> {
        let Some(size) = graph.sym_int_values.get(name) else {
            bail!("the archive declares no symbolic int {name}");
        };
        Ok(symbols::dim(size, self.sizes, self.cx.rewriter().symbols()))
    }
}

/// Gives a value a name. A second value of the same name would hide the first from its readers, so it is refused.
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

/// Binds the results of a node to the names of its outputs.
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
                if let Some(name) = output.value_name() {
                    define(names, name, result)?;
                }
            }
        }
    }
    Ok(())
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
