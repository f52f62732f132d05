//! Support rules for movements, broadcasts, slices and joins.

use super::{ALL, F32, Query};
use crate::orders::MOVERS;
use crate::weights::{MAX_REPEATED, check_elements};
use kiln_ir::dim::DimNames;
use kiln_ir::graph::Use;
use kiln_ir::ops::{Pad, PadMode, Slice};
use kiln_ir::{DType, Dim, Movement, Op, Shape, ShapeNames};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::movers::Mover;

impl Query<'_> {
    pub(super) fn movement(&self, movement: &Movement) -> Result<(), Reason> {
        self.dtype_moves()?;
        match MOVERS.moves(movement, &self.ty(0).shape) {
            Some(moves) if !self.drops_units() && moves.contains(&Mover::Drop) => {
                let rule = "XNNPACK takes dims of 1 from between unknown ones by a mean, of floats and of quantised integers of 8 bits";
                return Err(Reason::new(rule, self.sizes()));
            }
            Some(_) => return Ok(()),
            None => {}
        }
        let rule = "XNNPACK neither splits nor merges a size that is not known beside another, and has 6 dims";
        Err(Reason::new(rule, self.sizes()))
    }

    /// True for elements that a mean of one keeps.
    fn drops_units(&self) -> bool {
        let is_byte = matches!(self.dtype(), DType::I8 | DType::U8);
        self.dtype().is_float() || self.is_quantised() && is_byte
    }

    /// The sizes before and behind the node.
    fn sizes(&self) -> String {
        let sizes = [self.ty(0), self.graph.ty(self.node.result())];
        let [from, to] = sizes.map(|ty| ShapeNames(&ty.shape, &self.graph.symbols));
        format!("{from} to {to}")
    }

    /// A size as types show it.
    pub(super) fn size(&self, size: &Dim) -> String {
        DimNames(size, &self.graph.symbols).to_string()
    }

    /// Refuses types whose elements no operator moves.
    pub(super) fn dtype_moves(&self) -> Result<(), Reason> {
        match self.is_quantised() || self.takes_bytes(self.dtype()) {
            true => Ok(()),
            false => self.dtype_in(ALL),
        }
    }

    pub(super) fn broadcast(&self, to: &Shape) -> Result<(), Reason> {
        self.dtype_moves()?;
        if self.is_only_carried() {
            let rule = "a kernel fills what a loop starts with; a delegate would keep ones of it in the file";
            return Err(Reason::new(rule, self.sizes()));
        }
        self.repeats(&self.ty(0).shape, to)
    }

    /// True if the result is one repeated number that only loops take.
    fn is_only_carried(&self) -> bool {
        let result = self.node.result();
        let mut uses = self.graph.value(result).uses().iter().peekable();
        let is_loop = |use_: &Use| match use_ {
            Use::Operand(node, _) => matches!(self.graph.node(*node).op, Op::While(_)),
            Use::BlockResult(..) | Use::Update(_) => false,
        };
        uses.peek().is_some() && uses.all(is_loop) && self.graph.as_number(result).is_some()
    }

    /// Refuses a repetition that is no product with a few ones.
    pub(super) fn repeats(&self, from: &Shape, to: &Shape) -> Result<(), Reason> {
        let mut ones = Vec::new();
        for (from, to) in from.iter().zip(to.iter()).filter(|(from, to)| from != to) {
            let Some(size) = to.as_const().filter(|_| from.is(1)) else {
                let rule = "XNNPACK repeats to known sizes only";
                let [from, to] = [from, to].map(|size| self.size(size));
                return Err(Reason::new(rule, format!("{from} to {to}")));
            };
            ones.push(size);
        }
        check_elements("the ones of a repetition", MAX_REPEATED, ones)
    }

    pub(super) fn slice(&self, op: &Slice) -> Result<(), Reason> {
        self.dtype_moves()?;
        let (Some(start), Some(len)) = (op.start.as_const(), op.len.as_const()) else {
            let rule = "XNNPACK cuts out at a known place";
            return Err(Reason::new(
                rule,
                format!(
                    "{} elements from {}",
                    self.size(&op.len),
                    self.size(&op.start)
                ),
            ));
        };
        if op.step == 1 {
            return Ok(());
        }
        crate::lower::data::stride_phase(&self.ty(0).shape, op.axis, start, len, op.step)
            .map(|_| ())
    }

    pub(super) fn pad(&self, op: &Pad) -> Result<(), Reason> {
        if !self.is_quantised() && !self.takes_bytes(self.dtype()) {
            self.dtype_in(F32)?;
        }
        let PadMode::Constant(value) = op.mode else {
            return Err(Reason::new(
                "XNNPACK pads with one value",
                format!("{:?}", op.mode),
            ));
        };
        if value.as_f64().is_nan() {
            return Err(Reason::new("XNNPACK pads with a number", "NaN"));
        }
        // PyTorch truncates the number, and the library rounds it.
        if self.takes_bytes(self.dtype()) && !self.is_quantised() && value.as_f64().fract() != 0.0 {
            let rule = "XNNPACK pads integers with a whole number";
            return Err(Reason::new(rule, value.as_f64().to_string()));
        }
        match op
            .low
            .iter()
            .chain(&op.high)
            .find(|d| d.as_const().is_none())
        {
            None => Ok(()),
            Some(size) => Err(Reason::new("XNNPACK pads by known sizes", self.size(size))),
        }
    }
}
