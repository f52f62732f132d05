//! Families that multiply and add: matrix products and convolutions.
//!
//! Half types multiply and add in f32, and round once.

use super::*;
use crate::dim::Dim;
use crate::dtype::DType;
use crate::types::Shape;

fn check_operand_dtypes(operands: &[&TensorType]) -> Result<DType, Misfit> {
    let dtype = operands[0].dtype;
    if let Some(other) = operands.iter().find(|t| t.dtype != dtype) {
        misfit!("operands have dtypes {dtype} and {}", other.dtype);
    }
    Ok(dtype)
}

fn check_meet(cx: &Infer<'_>, what: &str, a: &Dim, b: &Dim) -> Result<(), Misfit> {
    if cx.graph.symbols.equal(a, b) == Some(false) {
        misfit!("{what}: {a} and {b} differ");
    }
    Ok(())
}

family! {
    /// `[.., m, k]` times `[.., k, n]` gives `[.., m, n]`. Ranks are equal and at least 2. Leading axes of size 1 are
    /// broadcast.
    MatMul {}
}

impl Family for MatMul {
    const NAME: &'static str = "matmul";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("a"), Slot::One("b")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Cheap,
            rounding: Rounding::Terms,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (a, b) = (operands[0], operands[1]);
        let rank = a.rank();
        if rank < 2 || b.rank() != rank {
            misfit!(
                "ranks {rank} and {}: a product takes equal ranks of at least 2",
                b.rank()
            );
        }
        let dtype = check_operand_dtypes(operands)?;
        check_meet(
            cx,
            "the contracted axes",
            &a.shape[rank - 1],
            &b.shape[rank - 2],
        )?;
        let mut shape = Shape::default();
        for i in 0..rank - 2 {
            match broadcast_dim(&a.shape[i], &b.shape[i], &cx.graph.symbols) {
                Some(size) => shape.push(size),
                None => misfit!(
                    "batch sizes {} and {} are neither equal nor 1",
                    a.shape[i],
                    b.shape[i]
                ),
            }
        }
        shape.push(a.shape[rank - 2].clone());
        shape.push(b.shape[rank - 1].clone());
        one(TensorType::new(dtype, shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let rank = operands[operand].rank();
        parallel_but(
            rank,
            if operand == 0 { rank - 1 } else { rank - 2 },
            AxisRole::Contracted,
        )
    }
}

family! {
    /// `x[.., i]` times `weight[o, i]`, summed over `i`, plus `bias[o]`, gives `[.., o]`.
    Linear {}
}

impl Family for Linear {
    const NAME: &'static str = "linear";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] =
        &[Slot::One("x"), Slot::One("weight"), Slot::Optional("bias")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Cheap,
            rounding: Rounding::Terms,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (x, weight) = (operands[0], operands[1]);
        if x.rank() < 1 || weight.rank() != 2 {
            misfit!(
                "a linear layer of {x:?} by {weight:?} needs a rank of at least 1 and a matrix"
            );
        }
        let dtype = check_operand_dtypes(operands)?;
        let last = x.rank() - 1;
        check_meet(cx, "input features", &x.shape[last], &weight.shape[1])?;
        if let Some(bias) = operands.get(2) {
            if bias.rank() != 1 {
                misfit!("the bias is {bias:?}, not a vector");
            }
            check_meet(cx, "output features", &weight.shape[0], &bias.shape[0])?;
        }
        let mut shape = x.shape.clone();
        shape[last] = weight.shape[0].clone();
        one(TensorType::new(dtype, shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let out = operands[0].rank() - 1;
        match operand {
            0 => parallel_but(out + 1, out, AxisRole::Contracted),
            1 => vec![AxisRole::Parallel(out), AxisRole::Contracted],
            _ => vec![AxisRole::Parallel(out)],
        }
    }
}

family! {
    /// Convolution over the spatial axes, which are those behind the first two of `x[n, c, ..]`.
    ///
    /// The weight is `[o, c / groups, kernel..]`, or `[c, o / groups, kernel..]` if transposed. A transposed
    /// convolution is the gradient of a normal one, so its padding crops the result.
    Conv {
        /// The distance of neighbouring windows along each spatial axis.
        stride: Vec<i64>,
        /// The number of zeros before each spatial axis.
        pad_low: Vec<i64>,
        /// The number of zeros behind each spatial axis.
        pad_high: Vec<i64>,
        /// The distance of neighbouring taps along each spatial axis.
        dilation: Vec<i64>,
        /// The number of groups. Outputs of a group depend on inputs of the same group only.
        groups: i64,
        /// True for a transposed convolution.
        transposed: bool,
        /// The size that is added at the end of each spatial axis of a transposed convolution's result.
        output_padding: Vec<i64>,
    }
}

impl Conv {
    /// The number of spatial axes.
    pub fn spatial(&self) -> usize {
        self.stride.len()
    }

    /// True if the channels of each place are multiplied alone, for weights of this shape: a product of matrices.
    pub fn is_of_places(&self, weight: &Shape) -> bool {
        let is_plain = !self.transposed && self.groups == 1 && self.stride.iter().all(|&n| n == 1);
        let mut pads = self.pad_low.iter().chain(&self.pad_high);
        is_plain && pads.all(|&n| n == 0) && weight.iter().skip(2).all(|dim| dim.is(1))
    }

    fn check(&self, x: &TensorType, weight: &TensorType) -> Result<(), Misfit> {
        let n = self.spatial();
        let lists = [
            &self.pad_low,
            &self.pad_high,
            &self.dilation,
            &self.output_padding,
        ];
        if x.rank() != n + 2 || weight.rank() != n + 2 || lists.iter().any(|l| l.len() != n) {
            misfit!("{x:?} and {weight:?} do not have the {n} spatial axes of the attributes");
        }
        if self.groups < 1 || self.stride.iter().chain(&self.dilation).any(|&v| v < 1) {
            misfit!("stride, dilation and groups are at least 1");
        }
        let lists = lists.into_iter().chain([&self.stride]).flatten();
        super::window::check_magnitudes(lists.chain([&self.groups]))
    }

    fn spatial_size(&self, i: usize, size: &Dim, kernel: &Dim) -> Dim {
        let extent = (kernel - 1) * self.dilation[i] + 1;
        let pad = Dim::constant(self.pad_low[i]) + self.pad_high[i];
        if self.transposed {
            (size - 1) * self.stride[i] + extent - &pad + self.output_padding[i]
        } else {
            (size + &pad - extent).floor_div(&self.stride[i].into()) + 1
        }
    }
}

impl Family for Conv {
    const NAME: &'static str = "conv";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] =
        &[Slot::One("x"), Slot::One("weight"), Slot::Optional("bias")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Cheap,
            rounding: Rounding::Terms,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (x, weight) = (operands[0], operands[1]);
        self.check(x, weight)?;
        let dtype = check_operand_dtypes(operands)?;
        let groups = Dim::constant(self.groups);
        let (inputs, outputs) = if self.transposed {
            (weight.shape[0].clone(), &weight.shape[1] * &groups)
        } else {
            (&weight.shape[1] * &groups, weight.shape[0].clone())
        };
        check_meet(cx, "input channels", &x.shape[1], &inputs)?;
        if let Some(bias) = operands.get(2) {
            if bias.rank() != 1 {
                misfit!("the bias is {bias:?}, not a vector");
            }
            check_meet(cx, "output channels", &outputs, &bias.shape[0])?;
        }
        let mut shape = Shape::from_iter([x.shape[0].clone(), outputs]);
        for i in 0..self.spatial() {
            let size = self.spatial_size(i, &x.shape[i + 2], &weight.shape[i + 2]);
            if cx.graph.symbols.less_equal(&0.into(), &size) == Some(false) {
                misfit!("the window does not fit: spatial axis {i} would have size {size}");
            }
            shape.push(size);
        }
        one(TensorType::new(dtype, shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let rank = operands[0].rank();
        let outer = if self.groups == 1 {
            AxisRole::Contracted
        } else {
            AxisRole::Opaque
        };
        let spatial = |i| AxisRole::Windowed(i);
        match operand {
            0 => [AxisRole::Parallel(0), outer]
                .into_iter()
                .chain((2..rank).map(spatial))
                .collect(),
            1 => vec![AxisRole::Opaque; rank],
            _ => vec![AxisRole::Parallel(1)],
        }
    }
}
