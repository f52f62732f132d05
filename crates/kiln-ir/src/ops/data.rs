//! Families that move, repeat, pick or join elements without computing.

use super::attribute::Attribute;
use super::*;
use crate::dim::Dim;
use crate::dtype::Scalar;
use crate::movement::Movement;
use crate::types::Shape;

family! {
    /// Splits axes, permutes the factors and merges them: reshape, permute, squeeze, flatten and similar. The text form
    /// is like that of einops. If channels have quantisation parameters of their own, their axis must stay whole.
    Move {
        /// The movement.
        movement: Movement,
    }
}

impl Family for Move {
    const NAME: &'static str = "move";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::View,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Carried,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let source = Shape::from(self.movement.source_shape());
        if source.equal(&operands[0].shape, &cx.graph.symbols) == Some(false) {
            misfit!(
                "the movement takes {source:?}, the operand is {:?}",
                operands[0].shape
            );
        }
        one(operands[0].with_shape(self.movement.result_shape()))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        let whole = |axis| {
            self.movement
                .is_axis_kept(axis)
                .map_or(AxisRole::Opaque, AxisRole::Parallel)
        };
        (0..operands[0].rank()).map(whole).collect()
    }
}

family! {
    /// Broadcasts the operand along axes of size 1 to a shape of the same rank.
    Broadcast {
        /// The shape of the result.
        shape: Shape,
    }
}

impl Family for Broadcast {
    const NAME: &'static str = "broadcast";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Carried,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let from = &operands[0].shape;
        if from.rank() != self.shape.rank() {
            misfit!(
                "a broadcast keeps the rank, found {} and {}",
                from.rank(),
                self.shape.rank()
            );
        }
        for (a, b) in from.iter().zip(self.shape.iter()) {
            if !a.is(1) && cx.graph.symbols.equal(a, b) == Some(false) {
                misfit!("an axis of size {a} cannot be broadcast to size {b}");
            }
        }
        one(operands[0].with_shape(self.shape.clone()))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}

family! {
    /// The `len` elements `start, start + step, ..` along one axis.
    Slice {
        /// The axis.
        axis: usize,
        /// The first index; not negative.
        start: Dim,
        /// The number of elements.
        len: Dim,
        /// The distance of neighbouring elements; at least 1.
        step: i64,
    }
}

impl Family for Slice {
    const NAME: &'static str = "slice";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Carried,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        check_axis(self.axis, x)?;
        check_window(cx, &self.start, &self.len, self.step, &x.shape[self.axis])?;
        let mut shape = x.shape.clone();
        shape[self.axis] = self.len.clone();
        one(x.with_shape(shape))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel_but(operands[0].rank(), self.axis, AxisRole::Windowed(self.axis))
    }
}

/// Refuses a slice that provably leaves `0..size`.
fn check_window(
    cx: &Infer<'_>,
    start: &Dim,
    len: &Dim,
    step: i64,
    size: &Dim,
) -> Result<(), Misfit> {
    let symbols = &cx.graph.symbols;
    if step < 1 {
        misfit!("a step is at least 1, found {step}");
    }
    if symbols.less_equal(&0.into(), start) == Some(false)
        || symbols.less_equal(&0.into(), len) == Some(false)
    {
        misfit!("start {start} or length {len} is negative");
    }
    let end = start + (len - 1) * step + 1;
    if symbols.less_equal(len, &0.into()) == Some(false)
        && symbols.less_equal(&end, size) == Some(false)
    {
        misfit!("elements up to {end} exceed an axis of size {size}");
    }
    Ok(())
}

family! {
    /// Reverses the order of elements along some axes.
    Reverse {
        /// The axes.
        axes: Vec<usize>,
    }
}

impl Family for Reverse {
    const NAME: &'static str = "reverse";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Carried,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        self.axes
            .iter()
            .try_for_each(|&a| check_axis(a, operands[0]))?;
        one(operands[0].clone())
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        let role = |i| {
            if self.axes.contains(&i) {
                AxisRole::Windowed(i)
            } else {
                AxisRole::Parallel(i)
            }
        };
        (0..operands[0].rank()).map(role).collect()
    }
}

/// The values of the padding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PadMode {
    /// This number, converted to the dtype. For a quantised operand it is a real, which is quantised as the operand is.
    Constant(Scalar),
    /// The elements reflected at the border. The border element itself is not repeated.
    Reflect,
    /// The border element.
    Replicate,
    /// The elements from the other end.
    Circular,
}

impl Attribute for PadMode {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        match self {
            PadMode::Constant(value) => {
                out.push_str("constant ");
                value.print(out, names);
            }
            PadMode::Reflect => out.push_str("reflect"),
            PadMode::Replicate => out.push_str("replicate"),
            PadMode::Circular => out.push_str("circular"),
        }
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        match cursor.word()? {
            "constant" => Scalar::parse(cursor).map(PadMode::Constant),
            "reflect" => Ok(PadMode::Reflect),
            "replicate" => Ok(PadMode::Replicate),
            "circular" => Ok(PadMode::Circular),
            other => Err(cursor.error(format!("no padding is called {other}"))),
        }
    }

    crate::ops::attribute::no_dims!();
}

family! {
    /// Adds elements before and behind along every axis.
    Pad {
        /// The number of elements before, by axis; not negative.
        low: Vec<Dim>,
        /// The number of elements behind, by axis; not negative.
        high: Vec<Dim>,
        /// The values of the padding.
        mode: PadMode,
    }
}

impl Family for Pad {
    const NAME: &'static str = "pad";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Computed,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        if self.low.len() != x.rank() || self.high.len() != x.rank() {
            misfit!(
                "padding for {} and {} axes, the operand has {}",
                self.low.len(),
                self.high.len(),
                x.rank()
            );
        }
        let negative = |d: &&Dim| cx.graph.symbols.less_equal(&0.into(), d) == Some(false);
        if let Some(pad) = self.low.iter().chain(&self.high).find(negative) {
            misfit!("a padding of {pad} is negative");
        }
        let sizes = x.shape.iter().zip(&self.low).zip(&self.high);
        one(x.with_shape(
            sizes
                .map(|((n, low), high)| n + low + high)
                .collect::<Shape>(),
        ))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        let padded = |i: usize| !(self.low[i].is(0) && self.high[i].is(0));
        let role = |i| {
            if padded(i) {
                AxisRole::Windowed(i)
            } else {
                AxisRole::Parallel(i)
            }
        };
        (0..operands[0].rank()).map(role).collect()
    }
}

family! {
    /// Concatenates the operands along an axis. Quantised operands need the same quantisation, or parameters by channel
    /// along that axis, which are concatenated too.
    Concat {
        /// The axis.
        axis: usize,
    }
}

impl Family for Concat {
    const NAME: &'static str = "concat";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("first"), Slot::Many("others")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Carried,
            meeting: Meeting::All,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let first = operands[0];
        check_axis(self.axis, first)?;
        let mut shape = first.shape.clone();
        for other in &operands[1..] {
            if other.dtype != first.dtype || other.rank() != first.rank() {
                misfit!("{other:?} cannot be concatenated with {first:?}");
            }
            for (i, dim) in shape.iter_mut().enumerate() {
                if i == self.axis {
                    *dim = &*dim + &other.shape[i];
                } else if cx.graph.symbols.equal(dim, &other.shape[i]) == Some(false) {
                    misfit!(
                        "{other:?} cannot be concatenated with {first:?} along axis {}",
                        self.axis
                    );
                }
            }
        }
        one(first.with_shape(shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        parallel_but(
            operands[operand].rank(),
            self.axis,
            AxisRole::Windowed(self.axis),
        )
    }
}

family! {
    /// Replaces the elements `start, start + step, ..` of `x` along one axis by those of `source`.
    SliceUpdate {
        /// The axis.
        axis: usize,
        /// The first index; not negative.
        start: Dim,
        /// The distance of neighbouring elements; at least 1.
        step: i64,
    }
}

impl Family for SliceUpdate {
    const NAME: &'static str = "slice_update";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x"), Slot::One("source")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::Update,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Carried,
            meeting: Meeting::FirstTwo,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (x, source) = (operands[0], operands[1]);
        check_axis(self.axis, x)?;
        if x.dtype != source.dtype || x.rank() != source.rank() {
            misfit!("{source:?} cannot replace elements of {x:?}");
        }
        check_window(
            cx,
            &self.start,
            &source.shape[self.axis],
            self.step,
            &x.shape[self.axis],
        )?;
        for i in (0..x.rank()).filter(|&i| i != self.axis) {
            if cx.graph.symbols.equal(&x.shape[i], &source.shape[i]) == Some(false) {
                misfit!(
                    "{source:?} cannot replace elements of {x:?} along axis {}",
                    self.axis
                );
            }
        }
        one(x.clone())
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        parallel_but(
            operands[operand].rank(),
            self.axis,
            AxisRole::Windowed(self.axis),
        )
    }
}
