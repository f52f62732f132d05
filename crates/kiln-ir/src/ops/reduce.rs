//! Families that reduce or sort elements along axes.

use super::attribute::name_attribute;
use super::*;
use crate::arena::SymbolId;
use crate::dim::Dim;
use crate::dtype::DType;

name_attribute! {
    /// How elements are reduced.
    ReduceFn {
        /// The sum; 0 for no elements. Half types accumulate in f32.
        Sum "sum",
        /// The sum divided by the number of elements; NaN for no elements.
        Mean "mean",
        /// The product; 1 for no elements.
        Prod "prod",
        /// The maximum; NaN if an element is NaN. No elements are an error.
        Max "max",
        /// The minimum; NaN if an element is NaN. No elements are an error.
        Min "min",
        /// True if any element is; for bools only.
        Any "any",
        /// True if all elements are; for bools only.
        All "all",
    }
}

family! {
    /// Reduces the elements along axes, which stay with size 1.
    Reduce {
        /// The reduction.
        f: ReduceFn,
        /// The axes, ascending.
        axes: Vec<usize>,
    }
}

impl Family for Reduce {
    const NAME: &'static str = "reduce";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        let rounding = match self.f {
            ReduceFn::Sum | ReduceFn::Mean => Rounding::Terms,
            ReduceFn::Prod => Rounding::Product,
            ReduceFn::Max | ReduceFn::Min => Rounding::Extreme,
            ReduceFn::Any | ReduceFn::All => Rounding::Exact,
        };
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding,
            inner_rounding: InnerRounding::Exact,
            quantised: match rounding {
                Rounding::Extreme => Meaning::Carried,
                _ => Meaning::Computed,
            },
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        self.axes.iter().try_for_each(|&a| check_axis(a, x))?;
        if !self.axes.is_sorted_by(|a, b| a < b) {
            misfit!("axes {:?} are not ascending", self.axes);
        }
        let fits = match self.f {
            ReduceFn::Any | ReduceFn::All => x.dtype == DType::Bool,
            ReduceFn::Mean => x.dtype.is_float(),
            ReduceFn::Sum | ReduceFn::Prod => x.dtype != DType::Bool,
            ReduceFn::Max | ReduceFn::Min => true,
        };
        if !fits {
            misfit!("{} does not take {}", self.f.text(), x.dtype);
        }
        let mut shape = x.shape.clone();
        self.axes.iter().for_each(|&a| shape[a] = Dim::constant(1));
        one(x.with_shape(shape))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        let role = |i| {
            if self.axes.contains(&i) {
                AxisRole::Reduced(i)
            } else {
                AxisRole::Parallel(i)
            }
        };
        (0..operands[0].rank()).map(role).collect()
    }
}

name_attribute! {
    /// The extreme whose index an `ArgReduce` gives. The first of equal elements counts, and NaN exceeds all numbers.
    ArgFn {
        /// The maximum.
        Max "max",
        /// The minimum.
        Min "min",
    }
}

family! {
    /// The i64 index of the extreme element along an axis, which stays with size 1.
    ArgReduce {
        /// The extreme.
        f: ArgFn,
        /// The axis.
        axis: usize,
    }
}

impl Family for ArgReduce {
    const NAME: &'static str = "arg_reduce";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Compared,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        check_axis(self.axis, operands[0])?;
        let mut shape = operands[0].shape.clone();
        shape[self.axis] = Dim::constant(1);
        one(TensorType::new(DType::I64, shape))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel_but(operands[0].rank(), self.axis, AxisRole::Reduced(self.axis))
    }
}

name_attribute! {
    /// How a scan accumulates.
    ScanFn {
        /// The running sum.
        Sum "sum",
        /// The running product.
        Prod "prod",
        /// The running maximum; NaN from the first NaN on.
        Max "max",
        /// The running minimum; NaN from the first NaN on.
        Min "min",
    }
}

family! {
    /// The reduction of all elements up to and including each index along the axis.
    Scan {
        /// The reduction.
        f: ScanFn,
        /// The axis.
        axis: usize,
    }
}

impl Family for Scan {
    const NAME: &'static str = "scan";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: match self.f {
                ScanFn::Sum => Rounding::Terms,
                ScanFn::Prod => Rounding::Product,
                ScanFn::Max | ScanFn::Min => Rounding::Extreme,
            },
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Computed,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        check_axis(self.axis, operands[0])?;
        if operands[0].dtype == DType::Bool {
            misfit!("a scan takes numbers, not bools");
        }
        one(operands[0].clone())
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel_but(operands[0].rank(), self.axis, AxisRole::Mixed(self.axis))
    }
}

family! {
    /// The elements in order along an axis, and their i64 indices. NaN counts as the greatest. Equal elements keep
    /// their order.
    Sort {
        /// The axis.
        axis: usize,
        /// True for the greatest first.
        descending: bool,
    }
}

impl Family for Sort {
    const NAME: &'static str = "sort";
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
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        check_axis(self.axis, operands[0])?;
        Ok(Types::from_iter([
            operands[0].clone(),
            operands[0].with_dtype(DType::I64),
        ]))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel_but(operands[0].rank(), self.axis, AxisRole::Mixed(self.axis))
    }
}

family! {
    /// The `k` extreme elements along an axis, in order, and their i64 indices. NaN counts as the greatest.
    TopK {
        /// The axis.
        axis: usize,
        /// The number of elements.
        k: Dim,
        /// True for the greatest elements, false for the least.
        largest: bool,
    }
}

impl Family for TopK {
    const NAME: &'static str = "top_k";
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
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        check_axis(self.axis, operands[0])?;
        let mut shape = operands[0].shape.clone();
        if cx.graph.symbols.less_equal(&self.k, &shape[self.axis]) == Some(false) {
            misfit!("the {} extreme elements of {}", self.k, shape[self.axis]);
        }
        shape[self.axis] = self.k.clone();
        let values = operands[0].with_shape(shape);
        let indices = values.with_dtype(DType::I64);
        Ok(Types::from_iter([values, indices]))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel_but(operands[0].rank(), self.axis, AxisRole::Opaque)
    }
}

family! {
    /// The indices of the elements that are not zero, in row-major order, as i64 `[count, rank]`. Binds their number to
    /// a symbol.
    NonZero {
        /// The symbol, which is bound nowhere else.
        count: SymbolId,
    }
}

impl Family for NonZero {
    const NAME: &'static str = "non_zero";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

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
        if !cx.graph.symbols.contains(self.count) {
            misfit!("there is no symbol {}", self.count);
        }
        let rank = Dim::constant(operands[0].rank() as i64);
        one(TensorType::new(
            DType::I64,
            vec![Dim::symbol(self.count), rank],
        ))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        vec![AxisRole::Opaque; operands[0].rank()]
    }
}
