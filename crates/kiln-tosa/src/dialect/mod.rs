//! TOSA 1.0 as a graph of typed operators.
//!
//! A [`TosaGraph`] is a list of regions. The first is `main`; the others are the bodies of `COND_IF` and `WHILE_LOOP`.
//! A [`Region`] has tensors and operators, in an order in which each tensor is made before it is read. Shapes are
//! static.
//!
//! Operands that the specification wants as compile-time constants are attributes here: zero points, the shift of
//! `MUL`, multipliers and shifts of `RESCALE`, the table of `TABLE`, the value of `PAD`, and all operands of type
//! shape. So an operator's operands are the tensors of the computation, weights and biases among them, and there is no
//! `CONST_SHAPE`. In files these attributes are operands again.
//!
//! # Building
//! ```
//! use kiln_tosa::dialect::{Builder, Conv, Rescale, Rounding, TosaDtype, TosaOp};
//!
//! let mut b = Builder::new();
//! let x = b.input("x", TosaDtype::I8, &[1, 8, 8, 3]);
//! let weight = b.integers(TosaDtype::I8, &[4, 3, 3, 3], &[1; 108])?;
//! let bias = b.integers(TosaDtype::I32, &[4], &[0; 4])?;
//! let conv = Conv { pad: [[1, 1], [1, 1]], input_zp: -3, ..Conv::new(TosaDtype::I32) };
//! let y = b.op(TosaOp::Conv2d(conv), &[x, weight, bias])?;
//! assert_eq!(b.shape(y), [1, 8, 8, 4]);
//! let scale = Rescale { output_zp: 7, ..Rescale::new(TosaDtype::I8, vec![1 << 30], vec![38]) };
//! let y = b.op(TosaOp::Rescale(scale), &[y])?;
//! let graph = b.finish(&[y]);
//! # assert_eq!(graph.main().operators.len(), 4);
//! # Ok::<(), kiln_tosa::dialect::Misfit>(())
//! ```
//! [`Builder::op`] infers the result's dtype and shape and names it. [`Builder::ops`] is for operators with several
//! results or none. [`Builder::constant`] takes any [`kiln_ir::Content`], so that weights are not computed before they
//! are written. [`Builder::region`] builds the body of a branch or a loop.
//!
//! # Invariants
//! - The facts of an operator are one row of [`table`]: name, operands, dtypes by profile, shape rule, axes.
//! - The bytes of constants are those of files: little endian, `i48` in 6 bytes, two `i4` to a byte with the first in
//!   the low bits, `bool` in one byte as 0 or 1.
//! - A zero point is the number that is meant, also if an unsigned one is stored in a signed type.
//! - A [`Scalar`](kiln_ir::Scalar) is an int for integers, a bool for bool, and for floats a float that its dtype
//!   represents exactly.

mod attributes;
mod builder;
mod dtype;
mod graph;
mod infer;
mod kind;
mod op;
mod shape;
mod spec;
pub mod table;
mod text;

pub use attributes::{
    ArgMax, AvgPool, Clamp, CondIf, Conv, Custom, MatMul, MaxPool, NanMode, Negate, Pad, Rescale,
    Resize, ResizeMode, Rounding, Slice, TransposeConv, Variable, WhileLoop,
};
pub use builder::Builder;
pub use dtype::TosaDtype;
pub use graph::{Operator, Region, RegionId, Tensor, TensorId, TosaGraph};
pub(crate) use infer::combination;
pub use infer::{Misfit, TensorType, infer};
pub use kind::Kind;
pub use op::TosaOp;
pub use spec::{Feature, Spec, SpecError};
