//! One row for each operator: the facts for verifier, inference, reader, writer and printer.
//!
//! From the specification's tosa.xml, version 1.0.2.

use super::dtype::TosaDtype;
use super::kind::Kind;
use super::spec::Feature;

/// The facts of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The kind of the operator.
    pub kind: Kind,
    /// The operands. If there is a list, it is the last one, repeated.
    pub operands: &'static [Operand],
    /// Whether the last operand is a list: of one or more for `CONCAT`, of any number for other operators.
    pub is_list: bool,
    /// The names of the compile-time operands, which are attributes here. In files they follow the operands, in this
    /// order.
    pub constants: &'static [&'static str],
    /// The dtype columns of the results.
    pub results: &'static [Column],
    /// The column that an attribute gives.
    pub chosen: Option<u8>,
    /// The combinations of dtypes by column, each with the features of which one has to be offered. Empty if any dtypes
    /// go together.
    pub dtypes: &'static [Dtypes],
    /// Further features of which one has to be offered.
    pub features: &'static [Feature],
    /// How the shape of the result follows.
    pub shape: ShapeRule,
    /// What the operator does to axes.
    pub axes: Axes,
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its name.
    pub name: &'static str,
    /// Its dtype.
    pub column: Column,
    /// The least and the greatest rank.
    pub rank: (u8, u8),
}

/// What determines a dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The column of the combination.
    Of(u8),
    /// A fixed dtype.
    Only(TosaDtype),
    /// Any dtype.
    Any,
}

/// A combination of dtypes.
#[derive(Clone, Copy, Debug)]
pub struct Dtypes {
    /// The dtypes by column.
    pub columns: &'static [TosaDtype],
    /// The features of which one has to be offered.
    pub features: &'static [Feature],
}

/// How the shape of a result follows from the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeRule {
    /// The shape of the first operand.
    Same,
    /// Broadcasting: axes of size 1 are repeated.
    Broadcast,
    /// The shape of the operand, with 1 for the axis of the attribute.
    Reduced,
    /// The shape is computed from operands and attributes.
    Computed,
    /// The shape is an attribute.
    Given,
    /// The shapes are those of a region's outputs.
    Region,
}

/// What an operator does to axes, for permutations of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Elementwise: operands and result may be permuted alike.
    Pointwise,
    /// The operator works along one axis, or has attributes by axis. If operand and attribute are permuted, the result
    /// is.
    Named,
    /// The operator only moves axes.
    Moves,
    /// The operator has fixed axes.
    Fixed(&'static str),
    /// The operator has no axes.
    Opaque,
}

/// The greatest rank is that of the level.
pub const MAX_RANK: u8 = u8::MAX;

const ANY: (u8, u8) = (0, MAX_RANK);
const SOME: (u8, u8) = (1, MAX_RANK);

/// The operand that stands for a list of tensors of any types.
const LIST: Operand = Operand {
    name: "input_list",
    column: Column::Any,
    rank: ANY,
};

const fn at(name: &'static str, column: u8, rank: (u8, u8)) -> Operand {
    Operand {
        name,
        column: Column::Of(column),
        rank,
    }
}

const fn only(name: &'static str, dtype: TosaDtype, rank: (u8, u8)) -> Operand {
    Operand {
        name,
        column: Column::Only(dtype),
        rank,
    }
}

macro_rules! dtypes {
    ($($($dtype:ident)+ => $($feature:ident)|+;)*) => {
        &[$(Dtypes {
            columns: &[$(TosaDtype::$dtype),+],
            features: &[$(Feature::$feature),+],
        }),*]
    };
}

const FLOATS: &[Dtypes] = dtypes! { F16 => Fp; BF16 => Bf16; F32 => Fp; };
const BOOLS: &[Dtypes] = dtypes! { Bool => Int | Fp; };
const INTS: &[Dtypes] = dtypes! { I8 => Int; I16 => Int; I32 => Int; };
const SUMS: &[Dtypes] = dtypes! { I32 => Int | Fp; F16 => Fp; BF16 => Bf16; F32 => Fp; };
const ORDERED: &[Dtypes] = dtypes! { I32 => Int; F16 => Fp; BF16 => Bf16; F32 => Fp; };
const REDUCED: &[Dtypes] =
    dtypes! { I8 => Int; I16 => Int; I32 => Int; F16 => Fp; BF16 => Bf16; F32 => Fp; };
const COMPARED: &[Dtypes] =
    dtypes! { I32 Bool => Int; F16 Bool => Fp; BF16 Bool => Bf16; F32 Bool => Fp; };
const MOVED: &[Dtypes] = dtypes! {
    Bool => Int | Fp; I8 => Int; I16 => Int; I32 => Int; F8E4M3 => Fp8E4M3; F8E5M2 => Fp8E5M2;
    F16 => Fp; BF16 => Bf16; F32 => Fp;
};
const INDEXED: &[Dtypes] = dtypes! {
    I8 => Int; I16 => Int; I32 => Int; F8E4M3 => Fp8E4M3; F8E5M2 => Fp8E5M2; F16 => Fp; BF16 => Bf16; F32 => Fp;
};
const HELD: &[Dtypes] = dtypes! {
    Bool => Int | Fp; I4 => Int4; I8 => Int | Fp; I16 => Int | Fp; I32 => Int | Fp; I48 => Int16;
    F8E4M3 => Fp8E4M3; F8E5M2 => Fp8E5M2; F16 => Fp; BF16 => Bf16; F32 => Fp;
};
const KEPT: &[Dtypes] = dtypes! { I8 => Int; F16 => Fp; F32 => Fp; };
const CONVOLVED: &[Dtypes] = dtypes! {
    I8 I8 I32 I32 => Int; I8 I4 I32 I32 => Int4; I16 I8 I48 I48 => Int16;
    F8E4M3 F8E4M3 F16 F16 => Fp8E4M3; F8E5M2 F8E5M2 F16 F16 => Fp8E5M2;
    F16 F16 F16 F16 => Fp; F16 F16 F16 F32 => Fp; BF16 BF16 BF16 F32 => Bf16; F32 F32 F32 F32 => Fp;
};
const MULTIPLIED: &[Dtypes] = dtypes! {
    I8 I32 => Int; I16 I48 => Int16; F8E4M3 F16 => Fp8E4M3; F8E5M2 F16 => Fp8E5M2;
    F16 F16 => Fp; F16 F32 => Fp; BF16 F32 => Bf16; F32 F32 => Fp;
};
const AVERAGED: &[Dtypes] = dtypes! {
    I8 I32 => Int; I16 I32 => Int16; F8E4M3 F16 => Fp8E4M3; F8E5M2 F16 => Fp8E5M2;
    F16 F16 => Fp; F16 F32 => Fp; BF16 F32 => Bf16; F32 F32 => Fp;
};
const POOLED: &[Dtypes] = dtypes! {
    I8 => Int; I16 => Int16; F8E4M3 => Fp8E4M3; F8E5M2 => Fp8E5M2; F16 => Fp; BF16 => Bf16; F32 => Fp;
};
const SOUGHT: &[Dtypes] = dtypes! {
    I8 I32 => Int; I16 I32 => Int16; F8E4M3 I32 => Fp8E4M3; F8E5M2 I32 => Fp8E5M2;
    F16 I32 => Fp; BF16 I32 => Bf16; F32 I32 => Fp;
};
const CLAMPED: &[Dtypes] = dtypes! { I8 => Int; I16 => Int16; F16 => Fp; BF16 => Bf16; F32 => Fp; };
const SHIFTED: &[Dtypes] = dtypes! { I8 => Int | Fp; I16 => Int | Fp; I32 => Int | Fp; };
const PRODUCTS: &[Dtypes] = dtypes! {
    I8 I32 => Int; I16 I32 => Int; I32 I32 => Int | Fp; F16 F16 => Fp; BF16 BF16 => Bf16; F32 F32 => Fp;
};
const SELECTED: &[Dtypes] = dtypes! {
    Bool => Int | Fp; I8 => Int; I16 => Int; I32 => Int; F16 => Fp; BF16 => Bf16; F32 => Fp;
};
const CHAINED: &[Dtypes] = dtypes! {
    Bool => Int | Fp; I8 => Int; I16 => Int16; I32 => Int; F8E4M3 => Fp8E4M3; F8E5M2 => Fp8E5M2;
    F16 => Fp; BF16 => Bf16; F32 => Fp;
};
const RESIZED: &[Dtypes] = dtypes! {
    I8 I32 => Int; I8 I8 => Int; I16 I48 => Int16; I16 I16 => Int16; F16 F16 => Fp; BF16 BF16 => Bf16; F32 F32 => Fp;
};
const RESCALED: &[Dtypes] = dtypes! {
    I8 I8 => Int; I8 I16 => Int; I8 I32 => Int; I16 I8 => Int; I16 I16 => Int; I16 I32 => Int;
    I32 I8 => Int; I32 I16 => Int; I32 I32 => Int; I48 I8 => Int16; I48 I16 => Int16; I48 I32 => Int16;
};
const CAST: &[Dtypes] = dtypes! {
    Bool I8 => Int; Bool I16 => Int; Bool I32 => Int;
    I8 Bool => Int; I8 I16 => Int; I8 I32 => Int; I8 F16 => Fp; I8 BF16 => Bf16; I8 F32 => Fp;
    I16 Bool => Int; I16 I8 => Int; I16 I32 => Int; I16 F16 => Fp; I16 BF16 => Bf16; I16 F32 => Fp;
    I32 Bool => Int; I32 I8 => Int; I32 I16 => Int; I32 F16 => Fp; I32 BF16 => Bf16; I32 F32 => Fp;
    BF16 I8 => Bf16; BF16 I16 => Bf16; BF16 I32 => Bf16; BF16 F32 => Bf16;
    BF16 F8E4M3 => Bf16; BF16 F8E5M2 => Bf16;
    F8E4M3 F16 => Fp8E4M3; F8E4M3 BF16 => Fp8E4M3; F8E4M3 F32 => Fp8E4M3;
    F8E5M2 F16 => Fp8E5M2; F8E5M2 BF16 => Fp8E5M2; F8E5M2 F32 => Fp8E5M2;
    F16 I8 => Fp; F16 I16 => Fp; F16 I32 => Fp; F16 F8E4M3 => Fp8E4M3; F16 F8E5M2 => Fp8E5M2; F16 F32 => Fp;
    F32 I8 => Fp; F32 I16 => Fp; F32 I32 => Fp; F32 F8E4M3 => Fp8E4M3; F32 F8E5M2 => Fp8E5M2;
    F32 BF16 => Bf16; F32 F16 => Fp;
};

const BASE: Row = Row {
    kind: Kind::Identity,
    operands: &[],
    is_list: false,
    constants: &[],
    results: &[Column::Of(0)],
    chosen: None,
    dtypes: &[],
    features: &[],
    shape: ShapeRule::Same,
    axes: Axes::Pointwise,
};

const fn unary(kind: Kind, dtypes: &'static [Dtypes]) -> Row {
    Row {
        kind,
        operands: const { &[at("input1", 0, ANY)] },
        dtypes,
        ..BASE
    }
}

const fn binary(kind: Kind, dtypes: &'static [Dtypes]) -> Row {
    Row {
        kind,
        operands: const { &[at("input1", 0, ANY), at("input2", 0, ANY)] },
        dtypes,
        shape: ShapeRule::Broadcast,
        ..BASE
    }
}

const fn comparison(kind: Kind) -> Row {
    Row {
        results: &[Column::Of(1)],
        ..binary(kind, COMPARED)
    }
}

const fn reduction(kind: Kind, dtypes: &'static [Dtypes]) -> Row {
    Row {
        kind,
        operands: const { &[at("input", 0, SOME)] },
        dtypes,
        shape: ShapeRule::Reduced,
        axes: Axes::Named,
        ..BASE
    }
}

const fn movement(kind: Kind, axes: Axes, constants: &'static [&'static str]) -> Row {
    Row {
        kind,
        operands: const { &[at("input1", 0, SOME)] },
        constants,
        dtypes: MOVED,
        shape: ShapeRule::Computed,
        axes,
        ..BASE
    }
}

const fn convolution(kind: Kind, rank: u8, axes: &'static str) -> Row {
    const BIAS: Operand = at("bias", 2, (1, 1));
    const FLAT: &[Operand] = &[at("input", 0, (4, 4)), at("weight", 1, (4, 4)), BIAS];
    const DEEP: &[Operand] = &[at("input", 0, (5, 5)), at("weight", 1, (5, 5)), BIAS];
    Row {
        kind,
        operands: if rank == 4 { FLAT } else { DEEP },
        constants: &["input_zp", "weight_zp"],
        results: &[Column::Of(2)],
        chosen: Some(3),
        dtypes: CONVOLVED,
        shape: ShapeRule::Computed,
        axes: Axes::Fixed(axes),
        ..BASE
    }
}

/// The rows of all operators, in the order of their codes.
static ROWS: [Row; Kind::ALL.len()] = [
    Row {
        results: &[Column::Of(1)],
        shape: ShapeRule::Computed,
        ..reduction(Kind::ArgMax, SOUGHT)
    },
    Row {
        kind: Kind::AvgPool2d,
        operands: const { &[at("input", 0, (4, 4))] },
        constants: &["input_zp", "output_zp"],
        chosen: Some(1),
        dtypes: AVERAGED,
        shape: ShapeRule::Computed,
        axes: Axes::Fixed("NHWC"),
        ..BASE
    },
    convolution(Kind::Conv2d, 4, "NHWC"),
    convolution(Kind::Conv3d, 5, "NDHWC"),
    convolution(Kind::DepthwiseConv2d, 4, "NHWC"),
    Row {
        kind: Kind::Fft2d,
        operands: const { &[at("input_real", 0, (3, 3)), at("input_imag", 0, (3, 3))] },
        results: &[Column::Of(0), Column::Of(0)],
        dtypes: dtypes! { F32 => Fft; },
        axes: Axes::Fixed("NHW"),
        ..BASE
    },
    Row {
        kind: Kind::MatMul,
        operands: const { &[at("A", 0, (3, 3)), at("B", 0, (3, 3))] },
        constants: &["A_zp", "B_zp"],
        results: &[Column::Of(1)],
        chosen: Some(1),
        dtypes: MULTIPLIED,
        shape: ShapeRule::Computed,
        axes: Axes::Fixed("NHC"),
        ..BASE
    },
    Row {
        kind: Kind::MaxPool2d,
        operands: const { &[at("input", 0, (4, 4))] },
        dtypes: POOLED,
        shape: ShapeRule::Computed,
        axes: Axes::Fixed("NHWC"),
        ..BASE
    },
    Row {
        kind: Kind::Rfft2d,
        operands: const { &[at("input_real", 0, (3, 3))] },
        results: &[Column::Of(0), Column::Of(0)],
        dtypes: dtypes! { F32 => Fft; },
        shape: ShapeRule::Computed,
        axes: Axes::Fixed("NHW"),
        ..BASE
    },
    convolution(Kind::TransposeConv2d, 4, "NHWC"),
    unary(Kind::Clamp, CLAMPED),
    unary(Kind::Erf, FLOATS),
    unary(Kind::Sigmoid, FLOATS),
    unary(Kind::Tanh, FLOATS),
    binary(Kind::Add, SUMS),
    binary(Kind::ArithmeticRightShift, INTS),
    binary(Kind::BitwiseAnd, INTS),
    binary(Kind::BitwiseOr, INTS),
    binary(Kind::BitwiseXor, INTS),
    binary(Kind::IntDiv, dtypes! { I32 => Int | Fp; }),
    binary(Kind::LogicalAnd, BOOLS),
    binary(Kind::LogicalLeftShift, SHIFTED),
    binary(Kind::LogicalRightShift, SHIFTED),
    binary(Kind::LogicalOr, BOOLS),
    binary(Kind::LogicalXor, BOOLS),
    binary(Kind::Maximum, ORDERED),
    binary(Kind::Minimum, ORDERED),
    Row {
        constants: &["shift"],
        results: &[Column::Of(1)],
        ..binary(Kind::Mul, PRODUCTS)
    },
    binary(Kind::Pow, FLOATS),
    binary(Kind::Sub, SUMS),
    Row {
        constants: &["table"],
        results: &[Column::Of(1)],
        ..unary(Kind::Table, dtypes! { I8 I8 => Int; I16 I32 => Int16; })
    },
    unary(Kind::Abs, ORDERED),
    unary(Kind::BitwiseNot, INTS),
    unary(Kind::Ceil, FLOATS),
    unary(Kind::Clz, dtypes! { I32 => Int; }),
    unary(Kind::Cos, FLOATS),
    unary(Kind::Exp, FLOATS),
    unary(Kind::Floor, FLOATS),
    unary(Kind::Log, FLOATS),
    unary(Kind::LogicalNot, BOOLS),
    Row {
        constants: &["input1_zp", "output_zp"],
        ..unary(Kind::Negate, REDUCED)
    },
    unary(Kind::Reciprocal, FLOATS),
    unary(Kind::Rsqrt, FLOATS),
    unary(Kind::Sin, FLOATS),
    Row {
        operands: const {
            &[
                only("input1", TosaDtype::Bool, ANY),
                at("input2", 0, ANY),
                at("input3", 0, ANY),
            ]
        },
        ..binary(Kind::Select, SELECTED)
    },
    comparison(Kind::Equal),
    comparison(Kind::Greater),
    comparison(Kind::GreaterEqual),
    reduction(Kind::ReduceAll, BOOLS),
    reduction(Kind::ReduceAny, BOOLS),
    reduction(Kind::ReduceMax, REDUCED),
    reduction(Kind::ReduceMin, REDUCED),
    reduction(Kind::ReduceProduct, FLOATS),
    reduction(Kind::ReduceSum, ORDERED),
    Row {
        is_list: true,
        dtypes: CHAINED,
        ..movement(Kind::Concat, Axes::Named, &[])
    },
    movement(Kind::Pad, Axes::Named, &["padding", "pad_const"]),
    Row {
        operands: const { &[at("input1", 0, ANY)] },
        shape: ShapeRule::Given,
        ..movement(Kind::Reshape, Axes::Moves, &["shape"])
    },
    Row {
        shape: ShapeRule::Same,
        ..movement(Kind::Reverse, Axes::Named, &[])
    },
    movement(Kind::Slice, Axes::Named, &["start", "size"]),
    movement(Kind::Tile, Axes::Named, &["multiples"]),
    movement(Kind::Transpose, Axes::Moves, &[]),
    Row {
        kind: Kind::Gather,
        operands: const {
            &[
                at("values", 0, (3, 3)),
                only("indices", TosaDtype::I32, (2, 2)),
            ]
        },
        dtypes: INDEXED,
        shape: ShapeRule::Computed,
        axes: Axes::Fixed("NKC"),
        ..BASE
    },
    Row {
        kind: Kind::Scatter,
        operands: const {
            &[
                at("values_in", 0, (3, 3)),
                only("indices", TosaDtype::I32, (2, 2)),
                at("input", 0, (3, 3)),
            ]
        },
        dtypes: INDEXED,
        shape: ShapeRule::Computed,
        axes: Axes::Fixed("NKC"),
        ..BASE
    },
    Row {
        kind: Kind::Resize,
        operands: const { &[at("input", 0, (4, 4))] },
        constants: &["scale", "offset", "border"],
        results: &[Column::Of(1)],
        dtypes: RESIZED,
        shape: ShapeRule::Computed,
        axes: Axes::Fixed("NHWC"),
        ..BASE
    },
    Row {
        results: &[Column::Of(1)],
        chosen: Some(1),
        ..unary(Kind::Cast, CAST)
    },
    Row {
        constants: &["multiplier", "shift", "input_zp", "output_zp"],
        results: &[Column::Of(1)],
        chosen: Some(1),
        ..unary(Kind::Rescale, RESCALED)
    },
    Row {
        kind: Kind::Const,
        chosen: Some(0),
        dtypes: HELD,
        shape: ShapeRule::Given,
        axes: Axes::Opaque,
        ..BASE
    },
    unary(Kind::Identity, HELD),
    Row {
        kind: Kind::Custom,
        operands: const { &[LIST] },
        is_list: true,
        results: &[],
        features: &[Feature::Int, Feature::Fp],
        shape: ShapeRule::Given,
        axes: Axes::Opaque,
        ..BASE
    },
    Row {
        kind: Kind::CondIf,
        operands: const { &[only("condition", TosaDtype::Bool, ANY), LIST] },
        is_list: true,
        results: &[],
        features: &[Feature::ControlFlow],
        shape: ShapeRule::Region,
        axes: Axes::Opaque,
        ..BASE
    },
    Row {
        kind: Kind::WhileLoop,
        operands: const { &[LIST] },
        is_list: true,
        results: &[],
        features: &[Feature::ControlFlow],
        shape: ShapeRule::Region,
        axes: Axes::Opaque,
        ..BASE
    },
    Row {
        kind: Kind::Variable,
        results: &[],
        chosen: Some(0),
        dtypes: KEPT,
        features: &[Feature::Variable],
        shape: ShapeRule::Given,
        axes: Axes::Opaque,
        ..BASE
    },
    Row {
        operands: const { &[at("input1", 0, ANY)] },
        results: &[],
        features: &[Feature::Variable],
        axes: Axes::Opaque,
        ..unary(Kind::VariableWrite, KEPT)
    },
    Row {
        kind: Kind::VariableRead,
        chosen: Some(0),
        dtypes: KEPT,
        features: &[Feature::Variable],
        shape: ShapeRule::Given,
        axes: Axes::Opaque,
        ..BASE
    },
];

/// The operator's row.
pub fn row(kind: Kind) -> Row {
    ROWS[kind as usize - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_codes() {
        for &kind in Kind::ALL {
            assert_eq!(row(kind).kind, kind);
        }
    }

    #[test]
    fn fixed_axes_are_those_of_the_first_operand() {
        for &kind in Kind::ALL {
            let row = row(kind);
            if let Axes::Fixed(names) = row.axes {
                let rank = names.len() as u8;
                assert_eq!(row.operands[0].rank, (rank, rank), "{kind}");
            }
        }
    }

    #[test]
    fn columns_are_those_of_the_combinations() {
        for &kind in Kind::ALL {
            let row = row(kind);
            let columns = row
                .operands
                .iter()
                .map(|o| o.column)
                .chain(row.results.iter().copied());
            let chosen = row.chosen.map(Column::Of);
            for column in columns.chain(chosen) {
                let Column::Of(i) = column else { continue };
                let is_there = |d: &Dtypes| usize::from(i) < d.columns.len();
                assert!(
                    !row.dtypes.is_empty() && row.dtypes.iter().all(is_there),
                    "{kind}"
                );
            }
        }
    }
}
