//! Families that pick or place elements at indices that are known only at run time.
//!
//! Indices are i64 or i32. Negative indices count from the end unless an op says otherwise, and an index out of range is an error.

use super::attribute::name_attribute;
use super::*;
use crate::dim::Dim;
use crate::dtype::DType;
use crate::types::Shape;

fn check_indices(indices: &[&TensorType]) -> Result<(), Misfit> {
    for index in indices {
        if !matches!(index.dtype, DType::I64 | DType::I32) {
            misfit!("indices are {}, not i64 or i32", index.dtype);
        }
    }
    Ok(())
}

/// The shape of `x`, with the axes `axis..axis + indices.len()` replaced by the axes of the indices.
fn indexed_shape(
    cx: &Infer<'_>,
    axis: usize,
    x: &TensorType,
    indices: &[&TensorType],
) -> Result<Shape, Misfit> {
    check_indices(indices)?;
    let Some(first) = indices.first() else {
        misfit!("no indices")
    };
    if axis + indices.len() > x.rank() {
        misfit!(
            "{} indices from axis {axis} on exceed the rank of {x:?}",
            indices.len()
        );
    }
    if indices
        .iter()
        .any(|i| i.shape.equal(&first.shape, &cx.graph.symbols) == Some(false))
    {
        misfit!("the indices differ in shape");
    }
    let dims: Vec<Dim> = x.shape[..axis]
        .iter()
        .chain(first.shape.iter())
        .chain(&x.shape[axis + indices.len()..])
        .cloned()
        .collect();
    Ok(Shape::from(dims))
}

family! {
    /// Picks elements of `x` by indices along consecutive axes, starting at `axis`; there is one index operand for each
    /// axis. All indices have one shape, which replaces those axes. With a single index and axis 0 this is an embedding
    /// look-up or `index_select`.
    Index {
        /// The first indexed axis.
        axis: usize,
        /// True if a negative index is an error too, as for an embedding.
        from_start: bool,
    }
}

impl Index {
    /// Picks along the axes from `axis` on. Negative indices count from the end.
    pub fn new(axis: usize) -> Index {
        let from_start = false;
        Index { axis, from_start }
    }

    /// Picks rows. No index is negative.
    pub fn rows() -> Index {
        let (axis, from_start) = (0, true);
        Index { axis, from_start }
    }
}

impl Family for Index {
    const NAME: &'static str = "index";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x"), Slot::One("index"), Slot::Many("indices")];

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

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let shape = indexed_shape(cx, self.axis, operands[0], &operands[1..])?;
        one(operands[0].with_shape(shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let (count, index_rank) = (operands.len() - 1, operands[1].rank());
        if operand > 0 {
            return (0..index_rank)
                .map(|i| AxisRole::Parallel(self.axis + i))
                .collect();
        }
        indexed_roles(operands[0].rank(), self.axis, count, index_rank)
    }
}

fn indexed_roles(rank: usize, axis: usize, count: usize, index_rank: usize) -> Vec<AxisRole> {
    let role = |i: usize| match i {
        _ if i < axis => AxisRole::Parallel(i),
        _ if i < axis + count => AxisRole::Indexed,
        _ => AxisRole::Parallel(i - count + index_rank),
    };
    (0..rank).map(role).collect()
}

family! {
    /// Puts `values` into `x` at indices along consecutive axes, starting at `axis` (see `index`). If several values go
    /// to one position, the last one stays, or all are added.
    IndexPut {
        /// The first indexed axis.
        axis: usize,
        /// Add to the elements instead of replacing them.
        accumulate: bool,
    }
}

impl Family for IndexPut {
    const NAME: &'static str = "index_put";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[
        Slot::One("x"),
        Slot::One("values"),
        Slot::One("index"),
        Slot::Many("indices"),
    ];

    fn facts(&self) -> Facts {
        let (rounding, quantised) = match self.accumulate {
            true => (Rounding::Terms, Meaning::Refused),
            false => (Rounding::Picked, Meaning::Carried),
        };
        Facts {
            memory: Alias::Update,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding,
            inner_rounding: InnerRounding::Exact,
            quantised,
            meeting: Meeting::FirstTwo,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (x, values) = (operands[0], operands[1]);
        let shape = indexed_shape(cx, self.axis, x, &operands[2..])?;
        if values.dtype != x.dtype || values.shape.equal(&shape, &cx.graph.symbols) == Some(false) {
            misfit!("values are {values:?}, the places are {}{shape:?}", x.dtype);
        }
        one(x.clone())
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let (count, index_rank) = (operands.len() - 2, operands[2].rank());
        let rank = operands[operand].rank();
        match operand {
            0 => indexed_roles(rank, self.axis, count, count),
            1 => {
                let role = |i: usize| match i {
                    _ if i < self.axis => AxisRole::Parallel(i),
                    _ if i < self.axis + index_rank => AxisRole::Indexed,
                    _ => AxisRole::Parallel(i + count - index_rank),
                };
                (0..rank).map(role).collect()
            }
            _ => vec![AxisRole::Indexed; rank],
        }
    }
}

family! {
    /// `result[i][j][k] = x[i][index[i][j][k]][k]` for axis 1, and similar for other axes. `index` has the rank of `x`,
    /// and along the other axes it is no larger.
    Gather {
        /// The indexed axis.
        axis: usize,
    }
}

impl Family for Gather {
    const NAME: &'static str = "gather";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x"), Slot::One("index")];

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
        let (x, index) = (operands[0], operands[1]);
        check_axis(self.axis, x)?;
        check_indices(&[index])?;
        if x.rank() != index.rank() {
            misfit!(
                "the index has rank {}, the operand {}",
                index.rank(),
                x.rank()
            );
        }
        one(x.with_shape(index.shape.clone()))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let rank = operands[operand].rank();
        if operand == 0 {
            parallel_but(rank, self.axis, AxisRole::Indexed)
        } else {
            parallel(rank)
        }
    }
}

name_attribute! {
    /// How a scattered value changes the element at its position.
    ScatterFn {
        /// Replaces it. The last of several values stays.
        Set "set",
        /// Adds to it.
        Add "add",
        /// Multiplies it.
        Mul "mul",
        /// The greater of both stays.
        Max "max",
        /// The lesser of both stays.
        Min "min",
    }
}

family! {
    /// `x` after `result[i][index[i][j][k]][k] = source[i][j][k]` for axis 1, and similar for other axes.
    Scatter {
        /// The indexed axis.
        axis: usize,
        /// How a value changes the element.
        f: ScatterFn,
    }
}

impl Family for Scatter {
    const NAME: &'static str = "scatter";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x"), Slot::One("index"), Slot::One("source")];

    fn facts(&self) -> Facts {
        let (rounding, quantised) = match self.f {
            ScatterFn::Set => (Rounding::Picked, Meaning::Carried),
            ScatterFn::Add | ScatterFn::Mul => (Rounding::Terms, Meaning::Refused),
            ScatterFn::Max | ScatterFn::Min => (Rounding::Extreme, Meaning::Refused),
        };
        Facts {
            memory: Alias::Update,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding,
            inner_rounding: InnerRounding::Exact,
            quantised,
            meeting: Meeting::AllBut(1),
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (x, index, source) = (operands[0], operands[1], operands[2]);
        check_axis(self.axis, x)?;
        check_indices(&[index])?;
        if x.rank() != index.rank() || x.rank() != source.rank() || x.dtype != source.dtype {
            misfit!(
                "a scatter of {source:?} at {index:?} into {x:?}: ranks and dtypes must be equal"
            );
        }
        one(x.clone())
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        parallel_but(operands[operand].rank(), self.axis, AxisRole::Indexed)
    }
}
