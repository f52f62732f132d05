//! Recurrent layers in a loop, for a sequence whose length is known only at run time.

use super::cell::{Cell, Sequence, State, Weights};
use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::ops::{CompareFn, Index, IndexPut, While};
use kiln_ir::{BlockId, Builder, DType, Scalar, ValueId};

/// The operands of the loop. Carried: position (i64 `[1]`), outputs, `h` and `c`. Constant: the number of steps, the
/// input's products, and those parameters of the hidden side that are no constants of the program.
pub(super) fn looped(
    cx: &mut Importer<'_>,
    cell: Cell,
    products: Sequence,
    state: State,
    w: &Weights,
    backward: bool,
) -> Result<(ValueId, State), Problem> {
    let steps = cx.size(products.x, products.time)?;
    let count = cx.dim(&steps, DType::I64, 0)?;
    let count = cx.unsqueeze(count, &[0])?;
    let start = cx.scalar(Scalar::Int(0), DType::I64, 1);
    let outputs = empty_outputs(cx, products, &state)?;
    let carried: Vec<ValueId> = [start, outputs, state.h]
        .into_iter()
        .chain(state.c)
        .collect();
    let parameters = [Some(w.hidden), w.hidden_bias, w.projection];
    let parameters = parameters.into_iter().flatten();
    let passed: Vec<ValueId> = parameters.filter(|&v| !cx.is_remakable(v)).collect();
    let operands: Vec<ValueId> = carried
        .iter()
        .copied()
        .chain([count, products.x])
        .chain(passed)
        .collect();
    let condition = condition_block(cx, &operands, carried.len())?;
    let plan = Body {
        cell,
        time: products.time,
        backward,
        carried: carried.len(),
        weights: *w,
    };
    let body = plan.block(cx, &operands)?;
    let op = While {
        condition,
        body,
        carried: carried.len(),
    };
    let results = cx.results(op, &operands)?;
    let state = State {
        h: results[2],
        c: results.get(3).copied(),
    };
    Ok((results[1], state))
}

fn empty_outputs(
    cx: &mut Importer<'_>,
    products: Sequence,
    state: &State,
) -> Result<ValueId, Problem> {
    let mut shape = cx.shape(products.x);
    shape[2] = cx.size(state.h, 1)?;
    let dtype = cx.dtype(state.h);
    cx.full(&shape, dtype, Scalar::Int(0))
}

fn condition_block(
    cx: &mut Importer<'_>,
    operands: &[ValueId],
    carried: usize,
) -> Result<BlockId, Problem> {
    cx.nested(operands, |cx, params| {
        let more = cx.compare(CompareFn::Lt, params[0], params[carried])?;
        Ok(vec![cx.squeeze(more, &[0])?])
    })
}

/// The parts of a layer that the body of the loop needs.
struct Body {
    cell: Cell,
    time: usize,
    backward: bool,
    carried: usize,
    weights: Weights,
}

impl Body {
    fn block(&self, cx: &mut Importer<'_>, operands: &[ValueId]) -> Result<BlockId, Problem> {
        cx.nested(operands, |cx, params| self.fill(cx, params))
    }

    fn fill(&self, cx: &mut Importer<'_>, params: &[ValueId]) -> Result<Vec<ValueId>, Problem> {
        let (carried, constant) = params.split_at(self.carried);
        let mut passed = constant[2..].iter().copied();
        let w = self.weights.hidden_side(|v| match cx.remade(v)? {
            Some(constant) => Ok(constant),
            None => Ok(passed
                .next()
                .expect("the loop passes what it cannot make again")),
        })?;
        let (position, outputs) = (carried[0], carried[1]);
        let state = State {
            h: carried[2],
            c: carried.get(3).copied(),
        };
        let unit = cx.scalar(Scalar::Int(1), DType::I64, 1);
        let next = cx.add(position, unit)?;
        let at = if self.backward {
            cx.sub(constant[0], next)?
        } else {
            position
        };
        let axis = self.time;
        let product = cx.value(Index::new(axis), &[constant[1], at])?;
        let product = cx.squeeze(product, &[axis])?;
        let state = self.cell.step(cx, product, state, &w)?;
        let output = cx.unsqueeze(state.h, &[axis])?;
        let put = IndexPut {
            axis,
            accumulate: false,
        };
        let outputs = cx.value(put, &[outputs, output, at])?;
        Ok([next, outputs, state.h]
            .into_iter()
            .chain(state.c)
            .collect())
    }
}
