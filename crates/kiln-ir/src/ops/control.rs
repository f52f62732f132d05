//! Families with nested blocks. A block sees only its parameters, constants and state cells.

use super::*;
use crate::arena::{BlockId, ValueId};
use crate::dtype::DType;

impl Op {
    /// The nested blocks of the node; most families have none.
    pub fn bodies(&self) -> SmallVec<[BlockId; 2]> {
        match self {
            Op::If(op) => SmallVec::from([op.then, op.otherwise]),
            Op::While(op) => SmallVec::from([op.condition, op.body]),
            _ => SmallVec::new(),
        }
    }
}

fn types_of(cx: &Infer<'_>, values: &[ValueId]) -> Result<Types, Misfit> {
    let found: Option<Types> = values
        .iter()
        .map(|&v| cx.graph.values.get(v).map(|v| v.ty.clone()))
        .collect();
    found.ok_or_else(|| Misfit("the block names values that do not exist".into()))
}

fn check_params(cx: &Infer<'_>, block: BlockId, operands: &[&TensorType]) -> Result<(), Misfit> {
    let Some(body) = cx.graph.blocks.get(block) else {
        misfit!("there is no block {block}")
    };
    let params = types_of(cx, &body.params)?;
    let fits = |(p, o): (&TensorType, &&TensorType)| {
        p.dtype == o.dtype
            && p.quant == o.quant
            && p.shape.equal(&o.shape, &cx.graph.symbols) != Some(false)
    };
    if params.len() != operands.len() || !params.iter().zip(operands).all(fits) {
        misfit!("block {block} takes {params:?}, found {operands:?}");
    }
    Ok(())
}

fn check_bool(ty: &TensorType) -> Result<(), Misfit> {
    if ty.dtype != DType::Bool || !ty.shape.elements().is(1) {
        misfit!("the condition is {ty:?}, not one bool");
    }
    Ok(())
}

family! {
    /// Runs one of two blocks, chosen by the condition, and gives its results. Both blocks take the arguments.
    If {
        /// The block that runs if the condition is true.
        then: BlockId,
        /// The block that runs if the condition is false.
        otherwise: BlockId,
    }
}

impl Family for If {
    const NAME: &'static str = "if";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("condition"), Slot::Many("arguments")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: false,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Own,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        check_bool(operands[0])?;
        check_params(cx, self.then, &operands[1..])?;
        check_params(cx, self.otherwise, &operands[1..])?;
        let then = types_of(cx, &cx.graph.blocks[self.then].results)?;
        let otherwise = types_of(cx, &cx.graph.blocks[self.otherwise].results)?;
        let fits = |(a, b): (&TensorType, &TensorType)| {
            a.dtype == b.dtype && a.quant == b.quant && a.rank() == b.rank()
        };
        if then.len() != otherwise.len() || !then.iter().zip(&otherwise).all(fits) {
            misfit!("the branches give different types, {then:?} and {otherwise:?}");
        }
        Ok(then)
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        vec![AxisRole::Opaque; operands[operand].rank()]
    }
}

family! {
    /// Runs the body on the carried values while the condition block gives true, and gives the last carried values.
    /// Both blocks take the carried values, followed by the constant ones.
    While {
        /// The block that computes the condition, one bool.
        condition: BlockId,
        /// The block that computes the next carried values.
        body: BlockId,
        /// The number of operands that are carried. The others keep their values.
        carried: usize,
    }
}

impl Family for While {
    const NAME: &'static str = "while";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::Many("values")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: false,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Own,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if self.carried > operands.len() {
            misfit!(
                "{} carried values, but only {} operands",
                self.carried,
                operands.len()
            );
        }
        check_params(cx, self.condition, operands)?;
        check_params(cx, self.body, operands)?;
        match types_of(cx, &cx.graph.blocks[self.condition].results)?.as_slice() {
            [only] => check_bool(only)?,
            other => misfit!("the condition block gives {other:?}, not one bool"),
        }
        let next = types_of(cx, &cx.graph.blocks[self.body].results)?;
        let fits = |(a, b): (&TensorType, &&TensorType)| {
            a.dtype == b.dtype
                && a.quant == b.quant
                && a.shape.equal(&b.shape, &cx.graph.symbols) != Some(false)
        };
        if next.len() != self.carried || !next.iter().zip(operands).all(fits) {
            misfit!(
                "the body gives {next:?}, the carried values are {:?}",
                &operands[..self.carried]
            );
        }
        Ok(operands[..self.carried]
            .iter()
            .map(|&t| t.clone())
            .collect())
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        vec![AxisRole::Opaque; operands[operand].rank()]
    }
}
