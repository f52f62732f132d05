//! Evaluates graphs.

use crate::bindings::Bindings;
use crate::error::{Cause, EvalError, NodePlace};
use crate::liveness::Liveness;
use crate::op::{Budget, run_op};
use crate::state::State;
use crate::tensor::Tensor;
use kiln_ir::arena::Id;
use kiln_ir::graph::{CellInit, InputSpec, Node};
use kiln_ir::ops::While;
use kiln_ir::types::TensorType;
use kiln_ir::verify::bound_symbol;
use kiln_ir::{BlockId, CellId, Graph, NodeId, Op, ValueId};
use std::rc::Rc;

/// The deepest nesting of blocks; each level takes stack.
const MAX_NESTING: usize = 64;

/// The limits of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most bytes of all values that exist at one time. In addition, a node needs temporary memory proportional to
    /// its operands and results.
    pub max_bytes: u64,
    /// The most iterations of all loops together.
    pub max_iterations: u64,
}

impl Default for Options {
    /// 16 GiB, and a million iterations.
    fn default() -> Options {
        Options {
            max_bytes: 16 << 30,
            max_iterations: 1_000_000,
        }
    }
}

/// The results of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The results of the root block.
    pub outputs: Vec<Tensor>,
    /// The new contents of inputs that the program mutates, by position in the signature's inputs.
    pub updated_inputs: Vec<(u32, Tensor)>,
}

/// Observes the results of every node, and may alter them.
pub trait Observer {
    /// Called after each node, also in nested blocks.
    fn observe(&mut self, graph: &Graph, node: NodeId, results: &[Tensor]);

    /// True if [`Observer::operands`] and [`Observer::alter`] are to be called.
    fn alters(&self) -> bool {
        false
    }

    /// Replacements of a node's operands, with the same types and sizes.
    fn operands(
        &mut self,
        _graph: &Graph,
        _node: NodeId,
        _operands: &[Tensor],
    ) -> Option<Vec<Tensor>> {
        None
    }

    /// Replacements of a node's results, with the same types. `operands` are those of the node, before any replacement.
    fn alter(
        &mut self,
        _graph: &Graph,
        _node: NodeId,
        _operands: &[Tensor],
        results: Vec<Tensor>,
    ) -> Vec<Tensor> {
        results
    }
}

impl<F: FnMut(&Graph, NodeId, &[Tensor])> Observer for F {
    fn observe(&mut self, graph: &Graph, node: NodeId, results: &[Tensor]) {
        self(graph, node, results);
    }
}

/// Evaluates a graph that [`kiln_ir::verify`](mod@kiln_ir::verify) accepts.
///
/// `inputs` are the parameters of the root block in order. Their sizes bind the symbols in the parameters' shapes.
/// State cells change only if the evaluation succeeds.
///
/// # Errors
/// If an input does not match its parameter, or a node fails. The error names it.
pub fn evaluate(
    graph: &Graph,
    inputs: &[Tensor],
    state: &mut State,
    options: &Options,
) -> Result<Outcome, EvalError> {
    let mut nobody = |_: &Graph, _: NodeId, _: &[Tensor]| {};
    evaluate_observed(graph, inputs, state, options, &mut nobody)
}

/// As [`evaluate`], with an observer of every node's results.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_observed(
    graph: &Graph,
    inputs: &[Tensor],
    state: &mut State,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, EvalError> {
    let mut run = Run {
        graph,
        inputs,
        state,
        bindings: Bindings::new(&graph.symbols),
        values: vec![None; graph.value_bound()],
        live: 0,
        iterations: 0,
        liveness: vec![
            None;
            graph
                .blocks()
                .map(|(id, _)| id.index() + 1)
                .max()
                .unwrap_or(0)
        ],
        options,
        observer,
    };
    run.bind_inputs()?;
    run.enter(graph.root(), inputs);
    run.nodes(graph.root(), 0)?;
    let outputs = run.read(&graph.block(graph.root()).results)?;
    let updates = run.updates()?;
    let mut updated_inputs = Vec::new();
    for (cell, content) in updates {
        match graph.cell(cell).init {
            CellInit::Constant(_) => state.set(cell, content),
            CellInit::Input(position) => updated_inputs.push((position, content)),
        }
    }
    Ok(Outcome {
        outputs,
        updated_inputs,
    })
}

/// A value, and its bytes that count against the limit.
type Held = (Tensor, u64);

struct Run<'r> {
    graph: &'r Graph,
    inputs: &'r [Tensor],
    state: &'r State,
    bindings: Bindings,
    values: Vec<Option<Held>>,
    live: u64,
    iterations: u64,
    liveness: Vec<Option<Rc<Liveness>>>,
    options: &'r Options,
    observer: &'r mut dyn Observer,
}

impl Run<'_> {
    fn bind_inputs(&mut self) -> Result<(), Cause> {
        let params = &self.graph.block(self.graph.root()).params;
        if params.len() != self.inputs.len() {
            return Err(Cause::InputCount {
                found: self.inputs.len(),
                expected: params.len(),
            });
        }
        for (input, &param) in params.iter().enumerate() {
            self.check_input_type(input, self.graph.ty(param))?;
        }
        // Dims that are a single symbol come first, because other dims may be expressions of these symbols.
        for whole in [true, false] {
            for (input, &param) in params.iter().enumerate() {
                for axis in 0..self.inputs[input].rank() {
                    self.bind_input_size(input, axis, self.graph.ty(param), whole)?;
                }
            }
        }
        Ok(())
    }

    fn check_input_type(&self, input: usize, expected: &TensorType) -> Result<(), Cause> {
        let found = &self.inputs[input];
        if found.dtype() == expected.dtype && found.rank() == expected.rank() {
            return Ok(());
        }
        Err(Cause::InputType {
            input,
            found: format!("{:?}", found.tensor_type()),
            expected: format!("{expected:?}"),
        })
    }

    fn bind_input_size(
        &mut self,
        input: usize,
        axis: usize,
        ty: &TensorType,
        whole: bool,
    ) -> Result<(), Cause> {
        let (dim, found) = (&ty.shape[axis], self.inputs[input].sizes()[axis]);
        if whole && dim.as_symbol().is_none() {
            return Ok(());
        }
        let wrong = |why: String| Cause::InputSize {
            input,
            axis,
            found,
            why,
        };
        let size = found as i64;
        if let Some(symbol) = self.bindings.only_unknown(dim) {
            let value = self
                .bindings
                .solve(dim, symbol, size)
                .ok_or_else(|| wrong(format!("no value makes it {}", self.bindings.name(dim))))?;
            return self
                .bindings
                .bind(symbol, value)
                .map_err(|e| wrong(e.to_string()));
        }
        match self.bindings.value(dim) {
            Ok(expected) if expected == size => Ok(()),
            Ok(expected) if dim.as_const().is_some() => Err(wrong(format!("expected {expected}"))),
            Ok(expected) => Err(wrong(format!(
                "expected {} = {expected}",
                self.bindings.name(dim)
            ))),
            Err(cause) => Err(wrong(cause.to_string())),
        }
    }

    /// Binds a block's parameters to values.
    fn enter(&mut self, block: BlockId, arguments: &[Tensor]) {
        for (&param, argument) in self.graph.block(block).params.iter().zip(arguments) {
            let quant = self.graph.ty(param).quant.clone();
            self.values[param.index()] = Some((argument.clone().with_quant(quant), 0));
        }
        let liveness = self.liveness_of(block);
        liveness.unused_params.iter().for_each(|&v| self.drop(v));
    }

    fn liveness_of(&mut self, block: BlockId) -> Rc<Liveness> {
        let graph = self.graph;
        self.liveness[block.index()]
            .get_or_insert_with(|| Rc::new(Liveness::of(graph, block)))
            .clone()
    }

    fn drop(&mut self, value: ValueId) {
        if let Some((_, bytes)) = self.values[value.index()].take() {
            self.live -= bytes;
        }
    }

    fn read(&self, values: &[ValueId]) -> Result<Vec<Tensor>, Cause> {
        let one = |&value: &ValueId| match &self.values[value.index()] {
            Some((tensor, _)) => Ok(tensor.clone()),
            None => Err(Cause::Misfit(format!("{value} is read before it is made"))),
        };
        values.iter().map(one).collect()
    }

    /// Evaluates the nodes of a block.
    fn nodes(&mut self, block: BlockId, depth: usize) -> Result<(), EvalError> {
        let graph = self.graph;
        let liveness = self.liveness_of(block);
        for (position, (id, node)) in graph.nodes_in(block).enumerate() {
            self.node(id, node, depth).map_err(|error| EvalError {
                place: error.place.or_else(|| Some(place(graph, id, node))),
                cause: error.cause,
            })?;
            liveness.dying[position].iter().for_each(|&v| self.drop(v));
        }
        Ok(())
    }

    fn node(&mut self, id: NodeId, node: &Node, depth: usize) -> Result<(), EvalError> {
        let operands = self.read(&node.operands)?;
        self.forget_symbols_of(&node.op);
        let results = if self.observer.alters() {
            let others = self.observer.operands(self.graph, id, &operands);
            let others = others.unwrap_or_else(|| operands.clone());
            let results = self.results(node, others, depth)?;
            self.observer.alter(self.graph, id, &operands, results)
        } else {
            self.results(node, operands, depth)?
        };
        if results.len() != node.results.len() {
            return Err(Cause::Misfit(format!(
                "{} results, the graph has {}",
                results.len(),
                node.results.len()
            ))
            .into());
        }
        self.observer.observe(self.graph, id, &results);
        let counts = !matches!(node.op, Op::Constant(_) | Op::ReadState(_));
        for (i, (&value, result)) in node.results.iter().zip(results).enumerate() {
            let ty = self.graph.ty(value);
            self.check_result(i, ty, &result)?;
            let bytes = if counts {
                result.bytes().len() as u64
            } else {
                0
            };
            self.live += bytes;
            self.values[value.index()] = Some((result.with_quant(ty.quant.clone()), bytes));
        }
        Ok(())
    }

    /// Removes the values of symbols that the blocks of a branch or loop bound in an earlier evaluation.
    fn forget_symbols_of(&mut self, op: &Op) {
        for body in op.bodies() {
            for (_, node) in self.graph.nodes_in(body) {
                if let Some(symbol) = bound_symbol(&node.op) {
                    self.bindings.forget(symbol);
                }
            }
        }
    }

    fn results(
        &mut self,
        node: &Node,
        operands: Vec<Tensor>,
        depth: usize,
    ) -> Result<Vec<Tensor>, EvalError> {
        match &node.op {
            Op::Constant(op) => Ok(vec![Tensor::from(&self.graph.constant(op.value).data)]),
            Op::ReadState(op) => Ok(vec![self.read_cell(op.cell)?]),
            Op::If(op) => {
                let (condition, arguments) = operands
                    .split_first()
                    .ok_or_else(|| Cause::Misfit("no condition".into()))?;
                let taken = if holds(condition)? {
                    op.then
                } else {
                    op.otherwise
                };
                self.block(taken, arguments, depth)
            }
            Op::While(op) => self.repeat(op, operands, depth),
            op => {
                let budget = Budget {
                    limit: self.options.max_bytes,
                    used: self.live,
                };
                Ok(run_op(op, &operands, &mut self.bindings, budget)?)
            }
        }
    }

    fn block(
        &mut self,
        block: BlockId,
        arguments: &[Tensor],
        depth: usize,
    ) -> Result<Vec<Tensor>, EvalError> {
        if depth == MAX_NESTING {
            return Err(Cause::Nesting { limit: MAX_NESTING }.into());
        }
        self.enter(block, arguments);
        self.nodes(block, depth + 1)?;
        let results = self.read(&self.graph.block(block).results)?;
        let kept = self.liveness_of(block);
        kept.kept.iter().for_each(|&v| self.drop(v));
        Ok(results)
    }

    fn repeat(
        &mut self,
        op: &While,
        mut values: Vec<Tensor>,
        depth: usize,
    ) -> Result<Vec<Tensor>, EvalError> {
        loop {
            let condition = self.block(op.condition, &values, depth)?;
            let go_on = condition
                .first()
                .ok_or_else(|| Cause::Misfit("the condition gives nothing".into()))?;
            if !holds(go_on)? {
                values.truncate(op.carried);
                return Ok(values);
            }
            if self.iterations == self.options.max_iterations {
                let limit = self.options.max_iterations;
                return Err(Cause::Iterations { limit }.into());
            }
            self.iterations += 1;
            let next = self.block(op.body, &values, depth)?;
            values.splice(..op.carried.min(values.len()), next);
        }
    }

    fn read_cell(&self, cell: CellId) -> Result<Tensor, Cause> {
        match self.graph.cell(cell).init {
            CellInit::Constant(_) => self.state.read(self.graph, cell),
            CellInit::Input(position) => {
                let is_tensor = |i: &&InputSpec| matches!(i, InputSpec::Tensor { .. });
                let before = self.graph.signature.inputs.iter().take(position as usize);
                self.inputs
                    .get(before.filter(is_tensor).count())
                    .cloned()
                    .ok_or_else(|| Cause::State {
                        name: self.graph.cell(cell).name.to_string(),
                        why: format!("there is no input {position}"),
                    })
            }
        }
    }

    /// Checks a result against its type in the graph. If a size is a symbol without a value (bound inside of a branch),
    /// binds the symbol.
    fn check_result(
        &mut self,
        result: usize,
        ty: &TensorType,
        found: &Tensor,
    ) -> Result<(), Cause> {
        let mut fits = ty.dtype == found.dtype() && ty.rank() == found.rank();
        for (dim, &size) in ty.shape.iter().zip(found.sizes()) {
            match (self.bindings.value(dim), dim.as_symbol()) {
                (Ok(expected), _) => fits &= expected == size as i64,
                (Err(_), Some(symbol)) => self.bindings.bind(symbol, size as i64)?,
                (Err(_), None) => {}
            }
        }
        if fits {
            return Ok(());
        }
        let sizes: Vec<String> = ty.shape.iter().map(|d| self.bindings.name(d)).collect();
        Err(Cause::ResultType {
            result,
            found: format!("{:?}", found.tensor_type()),
            expected: format!("{}[{}]", ty.dtype, sizes.join(", ")),
        })
    }

    fn updates(&mut self) -> Result<Vec<(CellId, Tensor)>, Cause> {
        let mut updates = Vec::new();
        for update in self.graph.updates() {
            let content = self.read(&[update.value])?.remove(0);
            let cell = self.graph.cell(update.cell);
            self.check_result(0, &cell.ty, &content)
                .map_err(|why| Cause::State {
                    name: cell.name.to_string(),
                    why: why.to_string(),
                })?;
            updates.push((update.cell, content));
        }
        Ok(updates)
    }
}

fn holds(condition: &Tensor) -> Result<bool, Cause> {
    match condition.elements::<bool>() {
        Some(&[holds]) => Ok(holds),
        _ => Err(Cause::Misfit(format!(
            "the condition is {condition:?}, not one bool"
        ))),
    }
}

fn place(graph: &Graph, id: NodeId, node: &Node) -> NodePlace {
    let name = |&s: &kiln_ir::SourceId| graph.source(s).node.to_string();
    NodePlace {
        node: id,
        op: node.op.name(),
        sources: node.sources.iter().map(name).collect(),
    }
}
