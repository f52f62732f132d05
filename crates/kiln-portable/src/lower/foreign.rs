//! Calls of kernels that the user registers with the runtime.

use super::context::Lower;
use kiln_ir::NodeId;
use kiln_ir::ops::Foreign;
use kiln_ir::ops::foreign::Argument;
use kiln_pte::{Value, ValueIndex};
use kiln_transforms::framework::target::Reason;

pub(super) fn lower(cx: &mut Lower<'_, '_>, id: NodeId, op: &Foreign) -> Result<(), Reason> {
    let operands = cx.graph.node(id).operands.clone();
    let mut operands = operands.into_iter();
    let mut args = Vec::with_capacity(op.arguments.len());
    for argument in &op.arguments {
        args.push(match argument {
            Argument::Tensor => tensor(cx, operands.next())?,
            Argument::Tensors(count) => {
                let all = (0..*count).map(|_| tensor(cx, operands.next()));
                let all = all.collect::<Result<Vec<ValueIndex>, Reason>>()?;
                cx.draft.add(Value::TensorList(all))
            }
            Argument::None => cx.draft.none(),
            Argument::Int(dim) => cx.size(dim)?,
            Argument::Ints(dims) => {
                let all = dims.iter().map(|dim| cx.size(dim));
                let all = all.collect::<Result<Vec<ValueIndex>, Reason>>()?;
                cx.draft.int_list(all)
            }
            Argument::Float(float) => cx.draft.double(*float),
            Argument::Bool(bool) => cx.draft.bool(*bool),
            Argument::Text(text) => cx.draft.text(&text.0),
            Argument::DType(dtype) => cx.draft.dtype(*dtype),
        });
    }
    let outs = (0..op.results.len()).map(|i| cx.result(id, i));
    let outs = outs.collect::<Result<Vec<ValueIndex>, Reason>>()?;
    cx.draft.call_any(&op.kernel.0, &args, &outs);
    Ok(())
}

fn tensor(cx: &mut Lower<'_, '_>, operand: Option<kiln_ir::ValueId>) -> Result<ValueIndex, Reason> {
    let operand = operand.ok_or_else(|| Reason::new("the arguments take the operands", "fewer"))?;
    cx.tensor(operand)
}
