//! The run of a region, operator by operator.

use super::numbers::Numbers;
use super::value::{constant, dtype_of};
use super::{
    EvaluateError, convolution, elementwise, fourier, movement, pool, reduce, resize, scale,
};
use crate::dialect::{
    Operator, Region, RegionId, TensorId, TensorType, TosaDtype, TosaGraph, TosaOp,
};
use kiln_eval::Tensor;
use rustc_hash::FxHashMap;

/// The bounds of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The bytes of the tensors that live at one time, about.
    pub max_bytes: u64,
    /// The steps of all loops together.
    pub max_steps: u64,
}

impl Default for Limits {
    /// 16 GiB and a million steps.
    fn default() -> Self {
        Limits {
            max_bytes: 16 << 30,
            max_steps: 1_000_000,
        }
    }
}

/// The values of variables, by name.
#[derive(Clone, Debug, Default)]
pub struct State {
    variables: FxHashMap<String, Tensor>,
}

/// The state of an evaluation.
pub(super) struct Run<'g> {
    graph: &'g TosaGraph,
    state: &'g mut State,
    limits: Limits,
    steps: u64,
    bytes: u64,
}

/// The most bytes per element that an operator takes while it runs.
const WORKING: u64 = 16;

impl<'g> Run<'g> {
    pub fn new(graph: &'g TosaGraph, state: &'g mut State, limits: Limits) -> Self {
        Run {
            graph,
            state,
            limits,
            steps: 0,
            bytes: 0,
        }
    }

    /// The outputs of a region without faults.
    pub fn region(
        &mut self,
        id: RegionId,
        inputs: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, EvaluateError> {
        let graph = self.graph;
        let region = &graph.regions[id.index()];
        check_inputs(region, &inputs)?;
        let mut values: Vec<Option<Tensor>> = vec![None; region.tensors.len()];
        for (id, input) in region.inputs.iter().zip(inputs) {
            self.bytes += input.bytes().len() as u64;
            values[id.index()] = Some(input);
        }
        let dead = last_uses(region);
        for (i, operator) in region.operators.iter().enumerate() {
            let results = self.operator(region, operator, &values);
            let results = results.map_err(|wrong| located(wrong, region, i, operator))?;
            for (id, result) in operator.outputs.iter().zip(results) {
                self.bytes += result.bytes().len() as u64;
                values[id.index()] = Some(result);
            }
            for id in &dead[i] {
                let dropped = values[id.index()].take();
                self.bytes -= dropped.map_or(0, |t| t.bytes().len() as u64);
            }
        }
        let outputs: Vec<Tensor> = read(&values, &region.outputs);
        let left = values.iter().flatten().map(|t| t.bytes().len() as u64);
        self.bytes -= left.sum::<u64>();
        Ok(outputs)
    }

    fn operator(
        &mut self,
        region: &Region,
        operator: &'g Operator,
        values: &[Option<Tensor>],
    ) -> Result<Vec<Tensor>, Wrong> {
        let operands = read(values, &operator.inputs);
        let results = operator
            .outputs
            .iter()
            .map(|&id| &region.tensors[id.index()]);
        let results: Vec<TensorType> = results.map(TensorType::from).collect();
        self.check_memory(&results)?;
        match &operator.op {
            TosaOp::CondIf(branch) => {
                let holds = Numbers::ints(&operands[0])[0] != 0;
                let id = if holds { branch.then } else { branch.otherwise };
                Ok(self.region(id, operands[1..].to_vec())?)
            }
            TosaOp::WhileLoop(looped) => {
                let mut state = operands;
                while Numbers::ints(&self.region(looped.cond, state.clone())?[0])[0] != 0 {
                    self.steps += 1;
                    if self.steps > self.limits.max_steps {
                        return Err(format!("more than {} steps", self.limits.max_steps).into());
                    }
                    state = self.region(looped.body, state)?;
                }
                Ok(state)
            }
            TosaOp::Variable(_) | TosaOp::VariableRead { .. } | TosaOp::VariableWrite { .. } => {
                self.variable(&operator.op, operands)
            }
            TosaOp::Fft2d { inverse, .. } => {
                let [real, imaginary] = [0, 1].map(|i| Numbers::floats(&operands[i]));
                let shape = operands[0].sizes();
                let (a, b) = fourier::transformed([&real, &imaginary], shape, *inverse);
                parts([a, b], &results)
            }
            TosaOp::Rfft2d { .. } => {
                let real = Numbers::floats(&operands[0]);
                let (shape, zeros) = (operands[0].sizes(), vec![0.0; real.len()]);
                let (a, b) = fourier::transformed([&real, &zeros], shape, false);
                parts(
                    [a, b].map(|part| fourier::halved(&part, shape[2])),
                    &results,
                )
            }
            op => Ok(vec![one(op, &operands, &results[0])?]),
        }
    }

    fn check_memory(&self, results: &[TensorType]) -> Result<(), Wrong> {
        let elements = results
            .iter()
            .map(|ty| ty.shape.iter().product::<usize>() as u64);
        let needed = self
            .bytes
            .saturating_add(elements.sum::<u64>().saturating_mul(WORKING));
        if needed > self.limits.max_bytes {
            let limit = self.limits.max_bytes;
            return Err(format!("it takes about {needed} bytes, more than {limit}").into());
        }
        Ok(())
    }

    fn variable(&mut self, op: &TosaOp, operands: Vec<Tensor>) -> Result<Vec<Tensor>, Wrong> {
        let variables = &mut self.state.variables;
        match op {
            TosaOp::Variable(variable) => {
                if let (None, Some(initial)) = (variables.get(&variable.name), &variable.initial) {
                    let ty = TensorType::new(variable.dtype, variable.shape.as_slice());
                    variables.insert(variable.name.clone(), constant(&ty, initial)?);
                }
                Ok(Vec::new())
            }
            TosaOp::VariableWrite { name } => {
                variables.extend(operands.into_iter().next().map(|x| (name.clone(), x)));
                Ok(Vec::new())
            }
            TosaOp::VariableRead { name, .. } => match variables.get(name) {
                Some(held) => Ok(vec![held.clone()]),
                None => Err(format!("unpredictable: {name} was never written").into()),
            },
            _ => Ok(Vec::new()),
        }
    }
}

/// An error, without its place or with it.
enum Wrong {
    What(String),
    Placed(EvaluateError),
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Wrong::What(what)
    }
}

impl From<EvaluateError> for Wrong {
    fn from(error: EvaluateError) -> Self {
        Wrong::Placed(error)
    }
}

fn located(wrong: Wrong, region: &Region, i: usize, operator: &Operator) -> EvaluateError {
    match wrong {
        Wrong::Placed(error) => error,
        Wrong::What(what) => EvaluateError::At {
            place: format!("{}, operator {i} ({})", region.name, operator.op.kind()),
            what,
        },
    }
}

fn check_inputs(region: &Region, inputs: &[Tensor]) -> Result<(), EvaluateError> {
    if inputs.len() != region.inputs.len() {
        let (found, needed) = (inputs.len(), region.inputs.len());
        let what = format!("{found} inputs, not {needed}, for {}", region.name);
        return Err(EvaluateError::Input(what));
    }
    for (id, input) in region.inputs.iter().zip(inputs) {
        let expected = &region.tensors[id.index()];
        if dtype_of(expected.dtype) != Some(input.dtype()) || input.sizes() != expected.shape {
            let what = format!("{expected} is given {}{:?}", input.dtype(), input.sizes());
            return Err(EvaluateError::Input(what));
        }
    }
    Ok(())
}

fn read(values: &[Option<Tensor>], ids: &[TensorId]) -> Vec<Tensor> {
    let value = |id: &TensorId| values[id.index()].clone();
    let values = ids.iter().map(value);
    let values: Option<Vec<Tensor>> = values.collect();
    values.expect("a graph without faults makes tensors before they are read")
}

/// For each operator, the tensors that nothing reads after it.
fn last_uses(region: &Region) -> Vec<Vec<TensorId>> {
    let mut last = vec![None; region.tensors.len()];
    for (i, operator) in region.operators.iter().enumerate() {
        for id in operator.inputs.iter().chain(&operator.outputs) {
            last[id.index()] = Some(i);
        }
    }
    region.outputs.iter().for_each(|id| last[id.index()] = None);
    let mut dead = vec![Vec::new(); region.operators.len()];
    for (index, last) in last.into_iter().enumerate() {
        if let Some(i) = last {
            dead[i].push(TensorId(index as u32));
        }
    }
    dead
}

fn parts(parts: [Vec<f64>; 2], results: &[TensorType]) -> Result<Vec<Tensor>, Wrong> {
    let parts = parts.into_iter().zip(results);
    let tensors = parts.map(|(part, ty)| Numbers::Floats(part).tensor(ty));
    Ok(tensors.collect::<Result<_, _>>()?)
}

/// The result of an operator with one result and without regions.
fn one(op: &TosaOp, operands: &[Tensor], result: &TensorType) -> Result<Tensor, String> {
    let to = result.shape.as_slice();
    match op {
        TosaOp::Const { values, .. } => constant(result, values),
        TosaOp::Conv2d(conv) => convolution::convolved(conv, operands, result),
        TosaOp::Conv3d(conv) => convolution::convolved(conv, operands, result),
        TosaOp::DepthwiseConv2d(conv) => convolution::depthwise(conv, operands, result),
        TosaOp::TransposeConv2d(conv) => convolution::transposed(conv, operands, result),
        TosaOp::MatMul(product) => convolution::product(product, operands, result),
        TosaOp::AvgPool2d(a) => pool::average(a, &operands[0], result)?.tensor(result),
        TosaOp::MaxPool2d(a) => pool::greatest(a, &operands[0], result).tensor(result),
        TosaOp::Resize(a) => resize::resized(a, &operands[0], result).tensor(result),
        TosaOp::ArgMax(a) => Numbers::Ints(reduce::arg_max(a, &operands[0])).tensor(result),
        TosaOp::Select => Ok(elementwise::selected(operands, to)),
        TosaOp::Table { table } => elementwise::looked_up(table.bytes(), &operands[0], result),
        TosaOp::Rescale(rescale) => {
            let from = rescaled_type(&operands[0]);
            let values = Numbers::ints(&operands[0]);
            Numbers::Ints(scale::rescale(rescale, &from, &values)?).tensor(result)
        }
        TosaOp::Gather => movement::gathered(&operands[0], &Numbers::ints(&operands[1]), to),
        TosaOp::Scatter => {
            movement::scattered(&operands[0], &Numbers::ints(&operands[1]), &operands[2])
        }
        TosaOp::Custom(custom) => Err(format!(
            "{}.{} is not known here",
            custom.domain, custom.operator
        )),
        _ => movement::moved(op, operands, result)
            .map(Ok)
            .or_else(|| {
                operands
                    .first()
                    .and_then(|x| Some(reduce::reduced(op, x)?.tensor(result)))
            })
            .or_else(|| elementwise::binary(op, operands, result))
            .or_else(|| {
                operands
                    .first()
                    .and_then(|x| elementwise::unary(op, x, result))
            })
            .unwrap_or_else(|| Err(format!("{} is not evaluated", op.kind()))),
    }
}

/// The operand of an unsigned rescale has the same bits as its tensor.
fn rescaled_type(x: &Tensor) -> TensorType {
    let dtype = TosaDtype::of(x.dtype()).unwrap_or(TosaDtype::I48);
    TensorType::new(dtype, x.sizes())
}
