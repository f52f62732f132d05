//! Inputs, outputs and state.

use crate::archive::Role;
use crate::call::Call;
use crate::error::{ExportError, Unwritten};
use crate::writer::Writer;
use kiln_ir::graph::{CellInit, InputSpec, OutputSpec, Update, Use};
use kiln_ir::{CellId, Dim, Op, Scalar, SymbolId, TensorType, ValueId};
use kiln_pt2::{self as pt2, Argument, SymIntArg};
use std::collections::BTreeSet;

/// Specs of a program's inputs with their arguments.
pub(crate) type Inputs = Vec<(pt2::InputSpec, Argument)>;
/// Specs of a program's outputs with their arguments.
pub(crate) type Outputs = Vec<(pt2::OutputSpec, Argument)>;

impl Writer<'_> {
    /// The caller's inputs, under the names of the original program.
    pub(crate) fn inputs(&mut self) -> Result<Inputs, ExportError> {
        let originals = self.users_inputs();
        let originals: Inputs = originals
            .map(|(spec, argument)| (spec.clone(), argument.clone()))
            .collect();
        let mut params = self
            .graph
            .block(self.graph.root())
            .params
            .clone()
            .into_iter();
        for (_, argument) in &originals {
            if let Argument::Tensor(name) | Argument::SymInt(SymIntArg::Name(name)) = argument {
                self.names.reserve(name);
            }
        }
        let tensors = self.graph.signature.inputs.iter().zip(&originals);
        for (position, (input, (_, argument))) in tensors.enumerate() {
            let InputSpec::Tensor { dim_order, .. } = input else {
                continue;
            };
            if let Some(param) = params.next() {
                self.input(param, argument, dim_order)?;
                if self.is_changed(position)
                    && let Argument::Tensor(name) = argument
                {
                    let ty = self.graph.ty(param).clone();
                    let before = self.copied(name, &ty);
                    self.values.insert(param, before);
                }
            }
        }
        Ok(originals)
    }

    fn input(
        &mut self,
        param: ValueId,
        argument: &Argument,
        order: &[u8],
    ) -> Result<(), ExportError> {
        match argument {
            Argument::Tensor(name) => {
                let ty = self.graph.ty(param).clone();
                let order = (order.len() == ty.rank()).then_some(order);
                self.declare(name, &ty, order);
                self.sizes.admit(name, &ty.shape);
                self.values.insert(param, name.clone());
                Ok(())
            }
            Argument::SymInt(SymIntArg::Name(name)) => match self.bound_by(param) {
                Some(symbol) => {
                    let size = Dim::symbol(symbol);
                    self.declare_size(name, &size);
                    self.sizes.define(size, name);
                    Ok(())
                }
                None => Err(border(
                    "an input that is a number",
                    "no size follows from it",
                )),
            },
            _ => Err(border("an input", "it is neither a tensor nor a number")),
        }
    }

    /// The symbol that an input defines.
    fn bound_by(&self, param: ValueId) -> Option<SymbolId> {
        let mut readers = self.graph.value(param).uses().iter();
        readers.find_map(|reader| match *reader {
            Use::Operand(node, _) => match &self.graph.node(node).op {
                Op::BindSymbol(op) => Some(op.symbol),
                _ => None,
            },
            Use::BlockResult(..) | Use::Update(_) => None,
        })
    }

    /// True for an input that is a size, whose symbol has a value already.
    pub(crate) fn is_size_input(&self, value: ValueId) -> bool {
        self.graph.producer(value).is_none() && !self.values.contains_key(&value)
    }

    /// The new contents of state, and the caller's outputs.
    pub(crate) fn outputs(&mut self) -> Result<Outputs, ExportError> {
        let mut outputs = Vec::new();
        let mut changed = BTreeSet::new();
        for update in self.graph.updates() {
            outputs.push(self.mutation(update.cell, update.value, &mut changed)?);
        }
        let is_users = |spec: &&pt2::OutputSpec| {
            matches!(
                spec,
                pt2::OutputSpec::UserOutput { .. } | pt2::OutputSpec::LossOutput { .. }
            )
        };
        let originals = self.original.signature.output_specs.iter().filter(is_users);
        let originals: Vec<&pt2::OutputSpec> = originals.collect();
        let mut results = self
            .graph
            .block(self.graph.root())
            .results
            .clone()
            .into_iter();
        for (i, output) in self.graph.signature.outputs.iter().enumerate() {
            let argument = match output {
                OutputSpec::None => Argument::None,
                OutputSpec::Scalar(Scalar::Int(number)) => Argument::Int(*number),
                OutputSpec::Scalar(Scalar::Float(number)) => Argument::Float(*number),
                OutputSpec::Scalar(Scalar::Bool(flag)) => Argument::Bool(*flag),
                OutputSpec::Text(text) => Argument::String(text.clone()),
                OutputSpec::Tensor { dim_order } => {
                    let Some(result) = results.next() else {
                        return Err(border(&format!("output {i}"), "the graph does not give it"));
                    };
                    self.output(result, dim_order, originals.get(i).copied())
                        .map_err(|Unwritten(why)| border(&format!("output {i}"), &why))?
                }
            };
            let spec = pt2::OutputSpec::UserOutput {
                arg: argument.clone(),
            };
            outputs.push((spec, argument));
        }
        Ok(outputs)
    }

    fn output(
        &mut self,
        value: ValueId,
        order: &[u8],
        original: Option<&pt2::OutputSpec>,
    ) -> Result<Argument, Unwritten> {
        if let Some(pt2::OutputSpec::UserOutput { arg }) = original
            && !matches!(arg, Argument::Tensor(_) | Argument::OptionalTensor(Some(_)))
        {
            return self.number_output(value);
        }
        let ty = self.graph.ty(value).clone();
        let mut tensor = self.value_tensor(value)?;
        if self
            .graph
            .updates()
            .iter()
            .any(|update| update.value == value)
        {
            // PyTorch returns the state itself otherwise, which the next call changes.
            tensor = self.copied(&tensor, &ty);
        }
        if order.len() == ty.rank() && self.graph.producer(value).is_some() {
            self.declare(&tensor, &ty, Some(order));
        }
        Ok(Argument::Tensor(tensor))
    }

    /// A copy of what a state holds: views of the state itself would have its new content at the end of a call.
    pub(crate) fn copied(&mut self, state: &str, ty: &TensorType) -> String {
        let call = Call::new("aten.clone.default").arg("self", state);
        self.emit(call, ty)
    }

    /// True for what a node computes, behind all reads of states and changed inputs.
    fn is_computed(&self, value: ValueId) -> bool {
        let op = self.graph.producer_op(value);
        op.is_some_and(|op| !matches!(op, Op::ReadState(_) | Op::Constant(_)))
    }

    /// True for an input that the program changes.
    fn is_changed(&self, position: usize) -> bool {
        let is_input = |update: &Update| match self.graph.cell(update.cell).init {
            CellInit::Input(input) => input as usize == position,
            CellInit::Constant(_) => false,
        };
        self.graph.updates().iter().any(is_input)
    }

    /// An output that is a number of Python's.
    fn number_output(&mut self, value: ValueId) -> Result<Argument, Unwritten> {
        match self.graph.producer_op(value) {
            Some(Op::DimValue(op)) => self.size(&op.dim),
            None if self.bound_by(value).is_some() => {
                let size = self.bound_by(value).map(Dim::symbol).unwrap_or(0.into());
                self.size(&size)
            }
            _ => Err(Unwritten::new(
                "it is a number that follows from data while running; return a tensor",
            )),
        }
    }

    /// The new content of a state cell, in functional form. PyTorch may change the state as soon as the content is there. So it is the
    /// result of a node behind all reads, and of one cell: `changed` has those of the others.
    fn mutation(
        &mut self,
        cell: CellId,
        value: ValueId,
        changed: &mut BTreeSet<String>,
    ) -> Result<(pt2::OutputSpec, Argument), ExportError> {
        let state = self.graph.cell(cell);
        let what = format!("the new content of {}", state.name);
        let mut tensor = self
            .value_tensor(value)
            .map_err(|Unwritten(why)| border(&what, &why))?;
        if !self.is_computed(value) || changed.contains(&tensor) {
            let ty = self.graph.ty(value).clone();
            tensor = self.copied(&tensor, &ty);
        }
        changed.insert(tensor.clone());
        let spec = match state.init {
            CellInit::Input(position) => {
                let input = self
                    .input_name(position)
                    .ok_or_else(|| border(&what, "no input has it"))?;
                pt2::OutputSpec::UserInputMutation {
                    name: tensor.clone(),
                    input,
                }
            }
            CellInit::Constant(_) => {
                let buffer = self
                    .state(cell)
                    .map_err(|Unwritten(why)| border(&what, &why))?;
                pt2::OutputSpec::BufferMutation {
                    name: tensor.clone(),
                    fqn: self.path_of(&buffer),
                }
            }
        };
        Ok((spec, Argument::Tensor(tensor)))
    }

    /// The name of the input at a position.
    pub(crate) fn input_name(&self, position: u32) -> Option<String> {
        let (_, argument) = self.users_inputs().nth(position as usize)?;
        match argument {
            Argument::Tensor(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// The caller's inputs of the original program, with their specs.
    fn users_inputs(&self) -> impl Iterator<Item = (&pt2::InputSpec, &Argument)> {
        let specs = self.original.signature.input_specs.iter();
        let pairs = specs.zip(&self.original.graph.inputs);
        pairs.filter(|(spec, _)| {
            matches!(
                spec,
                pt2::InputSpec::UserInput { .. } | pt2::InputSpec::ConstantInput { .. }
            )
        })
    }

    /// The tensor of a state cell before the call.
    pub(crate) fn state(&mut self, cell: CellId) -> Result<String, Unwritten> {
        let state = self.graph.cell(cell);
        let constant = match state.init {
            CellInit::Constant(constant) => self.graph.constant(constant),
            CellInit::Input(position) => {
                let name = self.input_name(position);
                return name.ok_or_else(|| Unwritten::new("its state is no input"));
            }
        };
        if let Some(stored) = self
            .constants
            .stored
            .iter()
            .find(|stored| stored.fqn == *state.name)
        {
            return Ok(stored.name.clone());
        }
        self.buffer(&state.name, &constant.data)
    }

    fn buffer(&mut self, name: &str, data: &kiln_ir::TensorData) -> Result<String, Unwritten> {
        let role = match self.constants.role(name) {
            Some(Role::Temporary) => Role::Temporary,
            _ => Role::Buffer,
        };
        self.add(name, data, role)
    }
}

fn border(what: &str, why: &str) -> ExportError {
    ExportError::Border {
        what: what.to_owned(),
        why: why.to_owned(),
    }
}
