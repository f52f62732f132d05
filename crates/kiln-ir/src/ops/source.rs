//! Families without operands, and families that make values of symbols and state.

use super::*;
use crate::arena::{CellId, ConstId, SymbolId};
use crate::dim::Dim;
use crate::dtype::DType;

family! {
    /// A constant tensor of the graph.
    Constant {
        /// The constant.
        value: ConstId,
    }
}

impl Family for Constant {
    const NAME: &'static str = "constant";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: false,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, _: &[&TensorType]) -> Result<Types, Misfit> {
        match cx.graph.constants.get(self.value) {
            Some(constant) => one(constant.ty.clone()),
            None => misfit!("there is no constant {}", self.value),
        }
    }

    fn axes(&self, _: &[&TensorType], _: usize) -> Vec<AxisRole> {
        Vec::new()
    }
}

family! {
    /// The content of a state cell at the start of the call.
    ReadState {
        /// The cell.
        cell: CellId,
    }
}

impl Family for ReadState {
    const NAME: &'static str = "read_state";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: false,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, _: &[&TensorType]) -> Result<Types, Misfit> {
        match cx.graph.cells.get(self.cell) {
            Some(cell) => one(cell.ty.clone()),
            None => misfit!("there is no state cell {}", self.cell),
        }
    }

    fn axes(&self, _: &[&TensorType], _: usize) -> Vec<AxisRole> {
        Vec::new()
    }
}

family! {
    /// The value of a symbolic expression, as an i64 scalar.
    DimValue {
        /// The expression.
        dim: Dim,
    }
}

impl Family for DimValue {
    const NAME: &'static str = "dim_value";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Plain,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, _: &[&TensorType]) -> Result<Types, Misfit> {
        one(TensorType::new(DType::I64, []))
    }

    fn axes(&self, _: &[&TensorType], _: usize) -> Vec<AxisRole> {
        Vec::new()
    }
}

family! {
    /// Binds a symbol to the value of an integer tensor of one element. A value outside of the symbol's range is an
    /// error at run time.
    BindSymbol {
        /// The symbol, which is bound nowhere else.
        symbol: SymbolId,
    }
}

impl Family for BindSymbol {
    const NAME: &'static str = "bind_symbol";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("value")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: false,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if !cx.graph.symbols.contains(self.symbol) {
            misfit!("there is no symbol {}", self.symbol);
        }
        if operands[0].dtype != DType::I64 || !operands[0].shape.elements().is(1) {
            misfit!(
                "a symbol takes its value from one i64, found {:?}",
                operands[0]
            );
        }
        Ok(Types::new())
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        vec![AxisRole::Opaque; operands[0].rank()]
    }
}

family! {
    /// `0, 1, .., len - 1`.
    Iota {
        /// The number of elements.
        len: Dim,
        /// The dtype: an integer or float.
        dtype: DType,
    }
}

impl Family for Iota {
    const NAME: &'static str = "iota";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, _: &[&TensorType]) -> Result<Types, Misfit> {
        if self.dtype == DType::Bool {
            misfit!("iota makes numbers, not bools");
        }
        one(TensorType::new(self.dtype, vec![self.len.clone()]))
    }

    fn axes(&self, _: &[&TensorType], _: usize) -> Vec<AxisRole> {
        Vec::new()
    }
}
