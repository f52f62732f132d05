//! Imports the program's signature: inputs become parameters and constants, outputs become results, and written tensors
//! become state.

use super::source::describe;
use super::stride::{dim_order, kept_order};
use super::{Names, State, StateKind, Walker, define, lookup, tensor_of};
use anyhow::{Context, Result, anyhow, bail};
use kiln_aten::{Arg, Tensor};
use kiln_ir::graph::{CellInit, InputSpec, OutputSpec, StateCell};
use kiln_ir::{Builder, DType, Dim, Place, Scalar, TensorType, ValueId, ops};
use kiln_pt2::{self as pt2, Argument};

impl Walker<'_, '_> {
    pub(super) fn input(
        &mut self,
        spec: &pt2::InputSpec,
        input: &Argument,
        names: &mut Names,
    ) -> Result<()> {
        if let pt2::InputSpec::Parameter { name, fqn }
        | pt2::InputSpec::TensorConstant { name, fqn }
        | pt2::InputSpec::Buffer { name, fqn, .. } = spec
        {
            if self.wrapper(name, fqn, names)? {
                return Ok(());
            }
            if let Some(parts) = self.complex_weight(fqn)? {
                return define(names, name, parts);
            }
        }
        match spec {
            pt2::InputSpec::Parameter { name, fqn }
            | pt2::InputSpec::TensorConstant { name, fqn } => {
                let tensor = self.stored(name, fqn, false)?;
                define(names, name, Arg::Tensor(tensor))?;
            }
            pt2::InputSpec::Buffer { name, fqn, .. } => {
                let tensor = self.stored(name, fqn, true)?;
                define(names, name, Arg::Tensor(tensor))?;
            }
            pt2::InputSpec::UserInput { arg } => self.user_input(arg, names)?,
            pt2::InputSpec::ConstantInput { name, value } => {
                let frozen = frozen_input(value);
                if let Some(key) = input.value_name() {
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
                let ty = self.with_reals(name, ty);
                let dim_order = dim_order(&meta);
                let contiguous = dim_order.iter().map(|&a| usize::from(a)).eq(0..ty.rank());
                let dim_order = kept_order(dim_order);
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

    pub(super) fn outputs(&mut self, names: &mut Names) -> Result<()> {
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
                OutputSpec::TENSOR
            }
            other => bail!("an output is {other:?}; outputs are tensors, numbers, strings or None"),
        };
        self.cx.rewriter().signature().outputs.push(spec);
        Ok(())
    }

    /// The rank-0 value of a number, whether it is known now or only at run time.
    pub(super) fn number_value(&mut self, number: &Arg) -> Result<ValueId> {
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
        let tensor = self
            .output_tensor(name, names)
            .with_context(|| self.producer(name))?;
        let value = self.cx.current(tensor)?;
        results.push(value);
        let order = kept_order(dim_order(self.meta(&self.program.graph, name)?));
        let is_plain = order.iter().enumerate().all(|(i, &a)| i == usize::from(a));
        let dim_order = if is_plain { Vec::new() } else { order };
        let outputs = &mut self.cx.rewriter().signature().outputs;
        outputs.push(OutputSpec::Tensor { dim_order });
        Ok(())
    }

    fn output_tensor(&self, name: &str, names: &Names) -> Result<Tensor> {
        match lookup(names, name)? {
            Arg::Tensor(tensor) => Ok(*tensor),
            Arg::Complex { .. } => bail!(
                "output {name} is complex, which no target gives; return its parts, as torch.view_as_real makes them"
            ),
            other => bail!("output {name} is {other:?}, expected a tensor"),
        }
    }

    /// The node that gives an output, for messages.
    fn producer(&self, name: &str) -> String {
        let mut nodes = self.program.graph.nodes.iter();
        let gives = |node: &&pt2::Node| node.outputs.iter().any(|o| o.value_name() == Some(name));
        nodes
            .find(gives)
            .map_or_else(|| format!("output {name}"), describe)
    }

    /// In functional form, an output holds the new content of a buffer or an input.
    fn mutation(&mut self, name: &str, target: &str, names: &Names) -> Result<()> {
        let new = self.cx.current(tensor_of(names, name)?)?;
        let state = self.state.iter().find(|s| s.name == target);
        let tensor = state
            .map(|s| s.tensor)
            .or_else(|| self.shared.tensor(target))
            .ok_or_else(|| anyhow!("{target}, which the program changes, is no buffer or input"))?;
        self.cx.assign(tensor, new)?;
        Ok(())
    }

    /// Notes a buffer that the program reads but does not write.
    fn note_buffer(&mut self, state: &State) {
        let is_read = !self.cx.graph().value(state.initial).uses().is_empty();
        if is_read && !matches!(state.kind, StateKind::Input(_)) {
            let buffers = &mut self.cx.rewriter().signature().buffers;
            buffers.push(state.name.as_str().into());
        }
    }

    /// Gives cells of buffers and inputs that the program writes their new contents.
    fn state_cells(&mut self) -> Result<()> {
        for state in std::mem::take(&mut self.state) {
            let last = self.cx.current(state.tensor)?;
            let cell = match state.kind {
                StateKind::Kept(cell) => cell,
                _ if last == state.initial => {
                    self.note_buffer(&state);
                    continue;
                }
                StateKind::Buffer => {
                    self.shared.check_write(&state.name)?;
                    self.written.insert(state.name);
                    continue;
                }
                StateKind::Input(position) => {
                    let ty = self.cx.graph().ty(state.initial).clone();
                    let (name, init) = (state.name.as_str().into(), CellInit::Input(position));
                    self.cx.rewriter().add_cell(StateCell { name, ty, init })
                }
            };
            let last = self.as_content(&state, last)?;
            self.cx.rewriter().add_update(cell, last);
        }
        self.cx.rewriter().remove_unused_constants();
        Ok(())
    }

    /// The value that a program writes to a buffer or an input, in its type.
    fn as_content(&mut self, state: &State, last: ValueId) -> Result<ValueId> {
        let ty = self.cx.graph().ty(state.initial).clone();
        let last = match self.cx.graph().ty(last).quant == ty.quant {
            true => last,
            false => self.cx.integers(last)?,
        };
        let found = self.cx.graph().ty(last).clone();
        if !found.agrees(&ty, &self.cx.graph().symbols) {
            bail!(
                "{} is {ty:?}, but the program writes {found:?} to it; export the model again",
                state.name
            );
        }
        Ok(last)
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
