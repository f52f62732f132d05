//! Kernel calls. ATen's table imports the single call for the actual sizes, and the interpreter evaluates it. Where the
//! stock kernel differs from ATen, its operands are changed first, or its arithmetic is repeated.

use super::empty::{self, Outcome};
use super::error::Fault;
use super::{Cell, Runtime, stock};
use crate::ValueIndex;
use kiln_aten::kernel::{kernel, kernel_call};
use kiln_aten::{Arg, Importer, Tensor as Variable, import_call};
use kiln_eval::{Bindings, State, Tensor, evaluate};
use kiln_ir::{Builder, Dim, Graph, Op, Rewriter, Symbols, TensorData};

/// The most bytes of the values of one kernel call. Its results lie in planned memory, which is bounded; intermediate
/// values may be twice as wide.
const MAX_CALL_BYTES: u64 = 1 << 33;

/// Evaluates one op on tensors.
pub(super) fn evaluate_op(op: &Op, operands: &[Tensor]) -> Result<Vec<Tensor>, Fault> {
    let mut bindings = Bindings::new(&Symbols::default());
    kiln_eval::evaluate_op(op, operands, &mut bindings, MAX_CALL_BYTES).map_err(Fault::of)
}

/// Executes a kernel call.
pub(super) fn call(runtime: &mut Runtime<'_>, key: &str, args: &[ValueIndex]) -> Result<(), Fault> {
    let kernel = kernel(key).ok_or_else(|| Fault(format!("there is no kernel {key}")))?;
    let inputs = kernel.inputs().count();
    if args.len() < inputs + kernel.outs {
        return Err(Fault(format!(
            "{} arguments, expected at least {}",
            args.len(),
            inputs + kernel.outs
        )));
    }
    let outs = out_tensors(runtime, &args[inputs..inputs + kernel.outs])?;
    let becomes = empty::outcome(runtime, key, &args[..inputs])?;
    let results = {
        let mut graph = Graph::new("kernel");
        let mut call = Importing {
            runtime,
            tensors: Vec::new(),
        };
        let made = call.import(&mut graph, key, &args[..inputs], outs.first().copied())?;
        let tensors = call.tensors;
        let stock = stock_results(runtime, key, &args[..inputs], &graph, outs.first().copied())?;
        match stock {
            Some(results) => results,
            None => {
                let tensors = stock::operands(runtime, key, &args[..inputs], tensors)?;
                let results = evaluated(&graph, &tensors)?;
                debug_assert_eq!(made, results.len());
                results
            }
        }
    };
    let targets = if kernel.writes_first() {
        vec![args[0]]
    } else {
        outs
    };
    for (&target, result) in targets.iter().zip(&results) {
        let result = as_dtype(result, runtime.slot(target)?.dtype)?;
        match &becomes {
            Outcome::Written => runtime.store(target, &result)?,
            Outcome::Kept => runtime.resize(target, result.sizes())?,
            Outcome::Sized(sizes) => runtime.resize(target, sizes)?,
        }
    }
    Ok(())
}

/// What the stock kernel gives, where that is not what ATen's op gives; `graph` is the call.
fn stock_results(
    runtime: &Runtime<'_>,
    key: &str,
    args: &[ValueIndex],
    graph: &Graph,
    out: Option<ValueIndex>,
) -> Result<Option<Vec<Tensor>>, Fault> {
    // A kernel without an out argument writes its first tensor.
    let Some(out) = out.or(args.first().copied()) else {
        return Ok(None);
    };
    let results = graph.block(graph.root()).results.iter();
    let sizes = results.map(|&value| {
        let shape = graph.ty(value).shape.iter();
        let sizes: Option<Vec<usize>> = shape
            .map(|dim| dim.as_const().and_then(|n| usize::try_from(n).ok()))
            .collect();
        sizes
    });
    // Sizes that the call computes from data are not known before; no such kernel differs.
    let Some(sizes) = sizes.collect() else {
        return Ok(None);
    };
    let call = stock::Arguments {
        runtime,
        args,
        sizes,
        dtype: runtime.slot(out)?.dtype,
    };
    stock::results(key, &call)
}

fn evaluated(graph: &Graph, tensors: &[Tensor]) -> Result<Vec<Tensor>, Fault> {
    let mut state = State::new(graph);
    let options = kiln_eval::Options {
        max_bytes: MAX_CALL_BYTES,
        ..Default::default()
    };
    let outcome = evaluate(graph, tensors, &mut state, &options).map_err(Fault::of)?;
    Ok(outcome.outputs)
}

/// The tensors of the out arguments, including the members of lists.
fn out_tensors(runtime: &Runtime<'_>, args: &[ValueIndex]) -> Result<Vec<ValueIndex>, Fault> {
    let mut outs = Vec::new();
    for &index in args {
        match &runtime.cells[index.index()] {
            Cell::Tensor(_) => outs.push(index),
            Cell::TensorList(items) => outs.extend(items),
            other => return Err(Fault(format!("out is {other:?}"))),
        }
    }
    Ok(outs)
}

/// Kernels cast their results to the dtype of the out argument.
pub(super) fn as_dtype(tensor: &Tensor, dtype: kiln_ir::DType) -> Result<Tensor, Fault> {
    if tensor.dtype() == dtype {
        return Ok(tensor.clone());
    }
    let cast = kiln_ir::ops::Cast { to: dtype };
    let mut results = evaluate_op(&cast.into(), std::slice::from_ref(tensor))?;
    results
        .pop()
        .ok_or_else(|| Fault("a cast gives one tensor".into()))
}

/// The import of one call. Tensors that it reads become parameters of the graph.
struct Importing<'r, 'p> {
    runtime: &'r Runtime<'p>,
    tensors: Vec<Tensor>,
}

impl Importing<'_, '_> {
    /// Builds the graph. Returns the number of results.
    fn import(
        &mut self,
        graph: &mut Graph,
        key: &str,
        args: &[ValueIndex],
        out: Option<ValueIndex>,
    ) -> Result<usize, Fault> {
        let out_slot = out.map(|index| self.runtime.slot(index)).transpose()?;
        let root = graph.root();
        let mut cx = Importer::new(Rewriter::new(graph), root);
        let args: Result<Vec<Arg>, Fault> = args
            .iter()
            .map(|&index| self.argument(&mut cx, index))
            .collect();
        let call = kernel_call(key, &args?, out_slot.map(|s| s.dtype)).map_err(Fault::of)?;
        let results = import_call(&mut cx, &call).map_err(Fault::of)?;
        let mut values = Vec::new();
        for result in results {
            match result {
                Arg::Tensor(t) => values.push(cx.current(t).map_err(Fault::of)?),
                Arg::Tensors(list) => {
                    for t in list {
                        values.push(cx.current(t).map_err(Fault::of)?);
                    }
                }
                Arg::None => {}
                other => return Err(Fault(format!("the kernel gives {other:?}"))),
            }
        }
        let count = values.len();
        cx.rewriter().set_results(root, values);
        Ok(count)
    }

    fn argument(&mut self, cx: &mut Importer<'_>, index: ValueIndex) -> Result<Arg, Fault> {
        Ok(match &self.runtime.cells[index.index()] {
            Cell::None => Arg::None,
            Cell::Int(v) => Arg::Int(Dim::constant(*v)),
            Cell::Bool(v) => Arg::Bool(*v),
            Cell::Double(v) => Arg::Float(*v),
            Cell::Text(v) => Arg::Str(v.to_string()),
            Cell::IntList(_) => {
                let ints = super::primitive::int_list(self.runtime, index)?;
                Arg::Ints(ints.into_iter().map(Dim::constant).collect())
            }
            Cell::DoubleList(v) => Arg::Floats(v.clone()),
            Cell::BoolList(v) => Arg::Bools(v.clone()),
            Cell::TensorList(items) => {
                let items: Result<Vec<Variable>, Fault> =
                    items.iter().map(|&i| self.tensor(cx, i)).collect();
                Arg::Tensors(items?)
            }
            Cell::OptionalTensorList(items) => {
                let item = |i: &Option<ValueIndex>| i.map(|i| self.tensor(cx, i)).transpose();
                Arg::OptionalTensors(items.iter().map(item).collect::<Result<_, Fault>>()?)
            }
            Cell::Tensor(_) => Arg::Tensor(self.tensor(cx, index)?),
        })
    }

    /// Makes a tensor that the call reads a parameter of the graph.
    fn tensor(&mut self, cx: &mut Importer<'_>, index: ValueIndex) -> Result<Variable, Fault> {
        let tensor = self.runtime.load_tensor(index)?;
        let root = cx.graph().root();
        let data = TensorData::from(tensor.clone());
        let value = cx.rewriter().add_param(root, data.tensor_type(), None);
        self.tensors.push(tensor);
        Ok(cx.bind_ordered(value, Some(true)))
    }
}
