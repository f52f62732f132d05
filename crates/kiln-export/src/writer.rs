//! Walks a graph and writes its nodes as calls.

use crate::archive::{Exported, Role, Stored};
use crate::call::Call;
use crate::constants::Constants;
use crate::error::{ExportError, Unwritten};
use crate::module_calls;
use crate::names::Names;
use crate::ops;
use crate::sizes::Sizes;
use crate::source::{Provenance, described, lead};
use crate::tensors::{cpu, scalar_type};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::{DType, Dim, Graph, NodeId, Op, QuantScheme, Scalar, TensorType, ValueId};
use kiln_pt2::{
    self as pt2, Argument, ExportedProgram, InputSpec, Layout, ModuleCall, NodeMetadata, Signature,
    SymInt, TensorMeta,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A program as far as it is written.
pub(crate) struct Writer<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) original: &'a ExportedProgram,
    pub(crate) out: pt2::Graph,
    pub(crate) names: Names,
    pub(crate) sizes: Sizes,
    pub(crate) constants: Constants,
    /// The tensors of values that have one.
    pub(crate) values: FxHashMap<ValueId, String>,
    /// The tensors of dequantised constants, for each module that reads them.
    weights: FxHashMap<(ValueId, DType, Vec<ModuleCall>), String>,
    /// The metadata of the calls that are written.
    pub(crate) metadata: NodeMetadata,
    /// The exporter's name of the node that is written, and the word of its operator.
    own_name: Option<(String, String)>,
    provenance: Provenance<'a>,
    families: BTreeSet<&'static str>,
}

/// An operand of an op that is written.
#[derive(Clone)]
pub(crate) struct Operand {
    value: ValueId,
    /// Its tensor, if that is not the value's own.
    tensor: Option<String>,
    /// Its type.
    pub(crate) ty: TensorType,
}

impl Operand {
    /// A tensor in place of a value.
    pub(crate) fn replaced(&self, tensor: String, ty: TensorType) -> Operand {
        Operand {
            value: self.value,
            tensor: Some(tensor),
            ty,
        }
    }

    /// The number of axes.
    pub(crate) fn rank(&self) -> usize {
        self.ty.rank()
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn new(graph: &'a Graph, original: &'a ExportedProgram) -> Writer<'a> {
        Writer {
            graph,
            original,
            out: pt2::Graph::default(),
            names: Names::default(),
            sizes: Sizes::default(),
            constants: Constants::of(original),
            values: FxHashMap::default(),
            weights: FxHashMap::default(),
            metadata: NodeMetadata::default(),
            own_name: None,
            provenance: Provenance::of(original),
            families: BTreeSet::new(),
        }
    }

    pub(crate) fn run(mut self) -> Result<Exported, ExportError> {
        let inputs = self.inputs()?;
        let nodes = self.graph.nodes_in(self.graph.root());
        let is_read = |node: &Node| matches!(node.op, Op::ReadState(_));
        let (reads, others): (Vec<_>, Vec<_>) = nodes.partition(|(_, node)| is_read(node));
        // Unflattened modules change a state as soon as its new content is computed.
        let nodes: Vec<NodeId> = reads.into_iter().chain(others).map(|(id, _)| id).collect();
        for id in nodes {
            let node = self.graph.node(id);
            self.node(node).map_err(|Unwritten(why)| ExportError::Op {
                op: node.op.name().to_owned(),
                place: described(self.graph, node),
                why,
            })?;
        }
        let outputs = self.outputs()?;
        Ok(self.finish(inputs, outputs))
    }

    fn node(&mut self, node: &Node) -> Result<(), Unwritten> {
        self.metadata = self.provenance.metadata(self.graph, node);
        if matches!(node.op, Op::ReadState(_)) {
            // In front of all modules.
            self.metadata.modules.clear();
        }
        self.own_name = lead(self.graph, node).map(|source| {
            let word = source.operator().unwrap_or_default();
            (source.node.to_string(), word.to_owned())
        });
        if self.is_made_elsewhere(node)? {
            return Ok(());
        }
        let mut operands = Vec::with_capacity(node.operands.len());
        for &value in &node.operands {
            let operand = self.operand(value);
            operands.push(match self.carried(node, value) {
                Some(quantize) => self.rounded_again(&operand, quantize)?,
                None => operand,
            });
        }
        let results: Vec<TensorType> = node
            .results
            .iter()
            .map(|&v| self.graph.ty(v).clone())
            .collect();
        check_quantised(&node.op, &operands)?;
        let tensors = ops::write(self, &node.op, &operands, &results)?;
        self.families.insert(node.op.name());
        for (&value, tensor) in node.results.iter().zip(tensors) {
            self.values.insert(value, tensor);
        }
        Ok(())
    }

    /// Constants and dequantisations are written where they are read, and sizes that are inputs are there. Each reader has a
    /// dequantisation of an activation of its own: delegates are cut between them. Each module has one of a constant.
    fn is_made_elsewhere(&mut self, node: &Node) -> Result<bool, Unwritten> {
        match &node.op {
            Op::Constant(_) => {
                self.families.insert(node.op.name());
                Ok(true)
            }
            Op::Dequantize(_) => {
                self.families.insert(node.op.name());
                Ok(true)
            }
            Op::BindSymbol(op) => {
                let symbol = Dim::symbol(op.symbol);
                if self.is_size_input(node.operands[0]) {
                    self.families.insert(node.op.name());
                    return Ok(true);
                }
                Err(Unwritten::new(format!(
                    "the size {} follows from data while running",
                    self.graph
                        .symbols
                        .get(symbol.as_symbol().unwrap_or(op.symbol))
                        .name
                )))
            }
            _ => Ok(false),
        }
    }

    /// The quantisation of integers that only moved on the way to a node that computes with them.
    fn carried(&self, reader: &Node, value: ValueId) -> Option<Quantize> {
        let moves = |op: &Op| {
            matches!(
                op,
                Op::Move(_) | Op::Slice(_) | Op::Broadcast(_) | Op::Reverse(_)
            )
        };
        if moves(&reader.op) || matches!(reader.op, Op::Quantize(_)) {
            return None;
        }
        let mut node = self.graph.node(self.graph.producer(value)?);
        if !moves(&node.op) {
            return None;
        }
        while moves(&node.op) {
            node = self.graph.node(self.graph.producer(node.operands[0])?);
        }
        let integers = *node.operands.first()?;
        let ty = self.graph.ty(integers);
        let quant = ty.quant.clone()?;
        let is_activation =
            matches!(node.op, Op::Dequantize(_)) && self.graph.as_constant(integers).is_none();
        let is_simple = is_activation && matches!(quant.scheme, QuantScheme::PerTensor { .. });
        is_simple.then_some(Quantize {
            quant,
            dtype: ty.dtype,
        })
    }

    /// An operand behind a quantisation that changes nothing: other compilers look for one right in front of what computes.
    fn rounded_again(&mut self, x: &Operand, quantize: Quantize) -> Result<Operand, Unwritten> {
        let integers = TensorType {
            dtype: quantize.dtype,
            quant: Some(quantize.quant.clone()),
            ..x.ty.clone()
        };
        let one = |tensors: Vec<String>| {
            tensors
                .into_iter()
                .next()
                .ok_or_else(|| Unwritten::new("no integers"))
        };
        let rounded = ops::write(
            self,
            &quantize.into(),
            std::slice::from_ref(x),
            std::slice::from_ref(&integers),
        )?;
        let rounded = x.replaced(one(rounded)?, integers);
        let dtype = x.ty.dtype;
        let reals = ops::write(
            self,
            &Dequantize { dtype }.into(),
            &[rounded],
            std::slice::from_ref(&x.ty),
        )?;
        Ok(x.replaced(one(reals)?, x.ty.clone()))
    }

    /// A value as an operand.
    pub(crate) fn operand(&self, value: ValueId) -> Operand {
        let ty = self.graph.ty(value).clone();
        Operand {
            value,
            tensor: None,
            ty,
        }
    }

    /// The name of an operand's tensor. A constant gets one here.
    pub(crate) fn tensor(&mut self, operand: &Operand) -> Result<String, Unwritten> {
        match &operand.tensor {
            Some(tensor) => Ok(tensor.clone()),
            None => self.value_tensor(operand.value),
        }
    }

    /// The name of a value's tensor. A constant gets one here.
    pub(crate) fn value_tensor(&mut self, value: ValueId) -> Result<String, Unwritten> {
        let value = self.first_equal(value);
        if let Some(tensor) = self.values.get(&value) {
            return Ok(tensor.clone());
        }
        if let Some(id) = self.graph.producer(value)
            && let node = self.graph.node(id)
            && matches!(node.op, Op::Dequantize(_))
        {
            return self.reals(value, node);
        }
        let name = match self.graph.as_constant(value) {
            Some(_) => self.constant(value)?,
            None => return Err(Unwritten::new("an operand is no tensor of the program")),
        };
        self.values.insert(value, name.clone());
        Ok(name)
    }

    /// The tensor of a dequantisation.
    fn reals(&mut self, value: ValueId, node: &Node) -> Result<String, Unwritten> {
        let integers = self.first_equal(node.operands[0]);
        let ty = self.graph.ty(value).clone();
        let place = (integers, ty.dtype, self.metadata.modules.clone());
        if let Some(tensor) = self.weights.get(&place) {
            return Ok(tensor.clone());
        }
        let operand = self.operand(integers);
        let tensors = ops::write(self, &node.op, &[operand], &[ty])?;
        let tensor = tensors.into_iter().next();
        let tensor = tensor.ok_or_else(|| Unwritten::new("no reals"))?;
        if self.graph.as_constant(integers).is_some() {
            self.weights.insert(place, tensor.clone());
        }
        Ok(tensor)
    }

    /// The number that an operand is, if all its axes have size 1. None for a flag: flags are no numbers for ATen.
    pub(crate) fn number(&self, operand: &Operand) -> Option<Scalar> {
        if operand.tensor.is_some() || operand.ty.quant.is_some() {
            return None;
        }
        let data = &self.graph.as_constant(operand.value)?.data;
        let number = data.get(0).filter(|_| data.elements() == 1)?;
        (!matches!(number, Scalar::Bool(_))).then_some(number)
    }

    /// Writes a call with one result.
    pub(crate) fn emit(&mut self, call: Call, ty: &TensorType) -> String {
        let [name] = self.emit_all(call, [ty]);
        name
    }

    /// Writes a call with several results.
    pub(crate) fn emit_all<const N: usize>(
        &mut self,
        call: Call,
        types: [&TensorType; N],
    ) -> [String; N] {
        let word = match &self.own_name {
            Some((name, word)) if word == call.word() => name.clone(),
            _ => call.word().to_owned(),
        };
        let name = self.names.unique(&word);
        let outputs = match N {
            1 => std::array::from_fn(|_| name.clone()),
            _ => std::array::from_fn(|_| self.names.unique("getitem")),
        };
        for (output, ty) in outputs.iter().zip(types) {
            self.declare(output, ty, None);
        }
        self.out.nodes.push(pt2::Node {
            target: format!("torch.ops.{}", call.target),
            inputs: call.inputs,
            outputs: outputs.iter().cloned().map(Argument::Tensor).collect(),
            metadata: self.metadata.clone(),
            is_hop_single_tensor_return: None,
            name: Some(name),
        });
        outputs
    }

    /// Declares a tensor. `order` lists its axes in memory, outermost first; row-major if absent.
    pub(crate) fn declare(&mut self, name: &str, ty: &TensorType, order: Option<&[u8]>) {
        let rank = ty.rank();
        let mut strides = vec![Dim::constant(1); rank];
        let mut step = Dim::constant(1);
        for i in (0..rank).rev() {
            let axis = order.map_or(i, |order| usize::from(order[i]));
            strides[axis] = step.clone();
            if !ty.shape[axis].is(0) {
                step = step * &ty.shape[axis];
            }
        }
        let meta = TensorMeta {
            dtype: scalar_type(ty.dtype),
            sizes: ty.shape.iter().map(|size| self.sym_int(size)).collect(),
            requires_grad: false,
            device: cpu(),
            strides: strides.iter().map(|stride| self.sym_int(stride)).collect(),
            storage_offset: SymInt::Int(0),
            layout: Layout::Strided,
        };
        self.out.tensor_values.insert(name.to_owned(), meta);
    }

    fn finish(
        self,
        inputs: Vec<(InputSpec, Argument)>,
        outputs: Vec<(pt2::OutputSpec, Argument)>,
    ) -> Exported {
        let (constants, mut tensors) = (self.constants, Vec::new());
        let mut input_specs = Vec::new();
        let mut out = self.out;
        module_calls::number(&mut out.nodes);
        for role in [
            Role::Parameter,
            Role::Buffer,
            Role::Temporary,
            Role::Constant,
        ] {
            for stored in constants.stored.iter().filter(|stored| stored.role == role) {
                out.inputs.push(Argument::Tensor(stored.name.clone()));
                input_specs.push(spec(stored));
            }
        }
        tensors.extend(constants.stored);
        for (spec, argument) in inputs {
            out.inputs.push(argument);
            input_specs.push(spec);
        }
        let mut output_specs = Vec::new();
        for (spec, argument) in outputs {
            out.outputs.push(argument);
            output_specs.push(spec);
        }
        let is_functional = output_specs
            .iter()
            .any(|spec| !matches!(spec, pt2::OutputSpec::UserOutput { .. }));
        let dialect = if is_functional { "ATEN" } else { "TRAINING" };
        let program = ExportedProgram {
            graph: out,
            signature: Signature {
                input_specs,
                output_specs,
            },
            verifiers: vec![dialect.to_owned()],
            ..self.original.clone()
        };
        Exported {
            program,
            tensors,
            families: self.families,
        }
    }
}

/// The input of the graph that a stored tensor is.
fn spec(stored: &Stored) -> InputSpec {
    let (name, fqn) = (stored.name.clone(), stored.fqn.clone());
    match stored.role {
        Role::Parameter => InputSpec::Parameter { name, fqn },
        Role::Buffer => InputSpec::Buffer {
            name,
            fqn,
            persistent: true,
        },
        Role::Temporary => InputSpec::Buffer {
            name,
            fqn,
            persistent: false,
        },
        Role::Constant => InputSpec::TensorConstant { name, fqn },
    }
}

/// Integers that stand for reals are no more than integers for ATen: only ops that carry them mean the same.
fn check_quantised(op: &Op, operands: &[Operand]) -> Result<(), Unwritten> {
    use kiln_ir::ops::facts::Meaning;
    let is_quantised = operands.iter().any(|operand| operand.ty.quant.is_some());
    match op.facts().quantised {
        Meaning::Own | Meaning::Carried | Meaning::Compared | Meaning::Plain => Ok(()),
        Meaning::Computed | Meaning::Refused if !is_quantised => Ok(()),
        Meaning::Computed | Meaning::Refused => Err(Unwritten::new(
            "it computes with integers that stand for reals, which ATen does between dequantisation and quantisation",
        )),
    }
}
