//! Families that relate elements to statistics of their neighbours. They are whole ops, so that a target which supports
//! them need not recognise a pattern.

use super::attribute::Attribute;
use super::*;
use crate::dtype::DType;

family! {
    /// `exp(x) / sum(exp(x))` along an axis, or its logarithm. A row of only `-inf` gives NaN.
    Softmax {
        /// The axis.
        axis: usize,
        /// True for the logarithm.
        log: bool,
    }
}

impl Family for Softmax {
    const NAME: &'static str = "softmax";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Mean,
            inner_rounding: InnerRounding::Rounded { least: 0.0 },
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        check_axis(self.axis, operands[0])?;
        if !operands[0].dtype.is_float() {
            misfit!("softmax takes floats, found {}", operands[0].dtype);
        }
        one(operands[0].clone())
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel_but(operands[0].rank(), self.axis, AxisRole::Mixed(self.axis))
    }
}

/// The elements from which a normalisation computes its statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// The last `axes` axes. Weight and bias have the shape of these axes.
    Layer {
        /// The number of axes.
        axes: usize,
    },
    /// As `Layer`, without subtracting the mean: the root is of the mean square.
    Rms {
        /// The number of axes.
        axes: usize,
    },
    /// Each of `groups` groups of channels (axis 1), with all axes behind. Weight and bias have one element per
    /// channel.
    Group {
        /// The number of groups.
        groups: usize,
    },
    /// None: mean and variance are operands with one element per channel (axis 1), as are weight and bias.
    Batch,
}

impl Attribute for NormKind {
    fn print(&self, out: &mut String, names: &Names<'_>) {
        let (name, count) = match self {
            NormKind::Layer { axes } => ("layer ", axes),
            NormKind::Rms { axes } => ("rms ", axes),
            NormKind::Group { groups } => ("group ", groups),
            NormKind::Batch => return out.push_str("batch"),
        };
        out.push_str(name);
        count.print(out, names);
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        match cursor.word()? {
            "layer" => Ok(NormKind::Layer {
                axes: cursor.index()?,
            }),
            "rms" => Ok(NormKind::Rms {
                axes: cursor.index()?,
            }),
            "group" => Ok(NormKind::Group {
                groups: cursor.index()?,
            }),
            "batch" => Ok(NormKind::Batch),
            other => Err(cursor.error(format!("no normalisation is called {other}"))),
        }
    }

    crate::ops::attribute::no_dims!();
}

family! {
    /// `(x - mean) / sqrt(variance + eps) * weight + bias`, with the biased variance. Operands behind `x` are weight
    /// and bias; for `batch` they are mean, variance, weight and bias.
    Normalize {
        /// The elements from which the statistics are computed.
        kind: NormKind,
        /// A number that is added to the variance.
        eps: f64,
    }
}

impl Normalize {
    /// The operand slots of weight and bias, if they are present.
    pub fn affine_operands(&self, operands: usize) -> (Option<usize>, Option<usize>) {
        let first = if self.kind == NormKind::Batch { 3 } else { 1 };
        (
            (first < operands).then_some(first),
            (first + 1 < operands).then_some(first + 1),
        )
    }
}

impl Family for Normalize {
    const NAME: &'static str = "normalize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x"), Slot::Many("parameters")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Mean,
            inner_rounding: InnerRounding::Rounded { least: 0.0 },
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        if !x.dtype.is_float() {
            misfit!("a normalisation takes floats, found {}", x.dtype);
        }
        let (from, to, counts): (usize, usize, &[usize]) = match self.kind {
            NormKind::Layer { axes } | NormKind::Rms { axes } => {
                if axes == 0 || axes > x.rank() {
                    misfit!("a normalisation over {axes} axes of {x:?}");
                }
                (x.rank() - axes, x.rank(), &[1, 2, 3])
            }
            NormKind::Group { .. } => (1, 2, &[1, 2, 3]),
            NormKind::Batch => (1, 2, &[3, 4, 5]),
        };
        if x.rank() < to || !counts.contains(&operands.len()) {
            misfit!("a normalisation of {x:?} with {} operands", operands.len());
        }
        if let NormKind::Group { groups } = self.kind
            && (groups == 0
                || x.shape[1]
                    .as_const()
                    .is_some_and(|c| c % groups as i64 != 0))
        {
            misfit!("{groups} groups do not divide {} channels", x.shape[1]);
        }
        for parameter in &operands[1..] {
            let shape = crate::types::Shape::from(&x.shape[from..to]);
            if parameter.shape.equal(&shape, &cx.graph.symbols) == Some(false) {
                misfit!("a parameter is {parameter:?}, but the normalised axes are {shape:?}");
            }
        }
        one(x.clone())
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let rank = operands[0].rank();
        match (self.kind, operand) {
            (NormKind::Layer { axes } | NormKind::Rms { axes }, 0) => (0..rank)
                .map(|i| {
                    if i < rank - axes {
                        AxisRole::Parallel(i)
                    } else {
                        AxisRole::Mixed(i)
                    }
                })
                .collect(),
            (NormKind::Layer { axes } | NormKind::Rms { axes }, _) => {
                (rank - axes..rank).map(AxisRole::Parallel).collect()
            }
            (NormKind::Group { .. }, 0) => (0..rank)
                .map(|i| {
                    if i == 0 {
                        AxisRole::Parallel(0)
                    } else {
                        AxisRole::Mixed(i)
                    }
                })
                .collect(),
            (NormKind::Batch, 0) => parallel(rank),
            (NormKind::Group { .. } | NormKind::Batch, _) => vec![AxisRole::Parallel(1)],
        }
    }
}

family! {
    /// Scaled dot-product attention: `softmax(scale * q k^T + mask) v`.
    ///
    /// `q[.., l, e]`, `k[.., s, e]` and `v[.., s, d]` of equal rank give `[.., l, d]`. The mask is broadcast to `[..,
    /// l, s]`. A bool mask keeps the positions where it is true, and a float mask is added. A row that keeps no
    /// position gives zeros.
    Attention {
        /// The scale; `1 / sqrt(e)` if absent.
        scale: Option<f64>,
        /// True if position `i` depends only on positions up to `i`.
        causal: bool,
        /// True if axis -3 of `k` and `v` is shorter by a whole factor, so that each of their heads serves consecutive
        /// heads of `q`.
        grouped: bool,
    }
}

impl Family for Attention {
    const NAME: &'static str = "attention";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[
        Slot::One("q"),
        Slot::One("k"),
        Slot::One("v"),
        Slot::Optional("mask"),
    ];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Cheap,
            rounding: Rounding::Mean,
            inner_rounding: InnerRounding::Rounded { least: 0.0 },
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (q, k, v) = (operands[0], operands[1], operands[2]);
        let rank = q.rank();
        if rank < 2 || k.rank() != rank || v.rank() != rank {
            misfit!("attention of {q:?}, {k:?} and {v:?}: ranks are equal and at least 2");
        }
        let symbols = &cx.graph.symbols;
        if symbols.equal(&q.shape[rank - 1], &k.shape[rank - 1]) == Some(false)
            || symbols.equal(&k.shape[rank - 2], &v.shape[rank - 2]) == Some(false)
        {
            misfit!("attention of {q:?}, {k:?} and {v:?}: sizes do not match");
        }
        if let Some(mask) = operands.get(3)
            && (mask.rank() != rank || !(mask.dtype == DType::Bool || mask.dtype == q.dtype))
        {
            misfit!("the mask is {mask:?}; it needs the rank of q, and bools or the dtype of q");
        }
        let mut shape = q.shape.clone();
        shape[rank - 1] = v.shape[rank - 1].clone();
        for i in 0..rank - 2 {
            if let Some(size) = broadcast_dim(&q.shape[i], &k.shape[i], symbols)
                && !(self.grouped && i + 3 == rank)
            {
                shape[i] = size;
            }
        }
        one(q.with_shape(shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let rank = operands[operand].rank();
        let role = |i: usize| match (operand, rank - i) {
            (0, 1) => AxisRole::Contracted,
            (0, 2) => AxisRole::Parallel(i),
            (1, 1 | 2) | (2, 2) => AxisRole::Contracted,
            (2, 1) => AxisRole::Parallel(i),
            (3, 1) => AxisRole::Opaque,
            (_, 3) if self.grouped && operand > 0 => AxisRole::Opaque,
            _ => AxisRole::Parallel(i),
        };
        (0..rank).map(role).collect()
    }
}
