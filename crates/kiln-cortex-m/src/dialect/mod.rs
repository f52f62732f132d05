//! Calls of C functions on typed buffers.
//!
//! A [`Program`] has buffers and calls. In the order of the calls each buffer is written before it is read. A [`Call`] names a
//! [`Function`], its numbers ([`Parameters`], typed as the library's structs), and the buffers that its pointers point to. One
//! [`Row`] of the [`mod@table`] has all facts of a function; the verifier, the printer and the evaluator work from it. A new
//! function of a family is a row and, where it computes otherwise, its arithmetic.
//!
//! ```
//! use kiln_cortex_m::dialect::{Buffer, Build, Dtype, Function, Mul, Program, Role};
//! use kiln_cortex_m::{evaluate::{Data, evaluate}, verify::verify};
//!
//! let mut program = Program::default();
//! let [x, y] = [("x", Role::Input), ("y", Role::Output)].map(|(name, role)| program.add(Buffer::new(name, Dtype::I8, 2, role)));
//! let square = Mul {
//!     out_mult: 1 << 30,
//!     out_shift: 1,
//!     out_activation_min: -128,
//!     out_activation_max: 127,
//!     block_size: 2,
//!     ..Mul::default()
//! };
//! program.call(Function::ElementwiseMulS8, square, &[Some(x), Some(x), Some(y)]);
//! let verified = verify(&program, Build::Dsp).expect("a program");
//! let results = evaluate(&verified, &[Data::I8(vec![3, -20])]).expect("inputs of its types");
//! assert_eq!(results, [Data::I8(vec![9, 127])]);
//! ```
//!
//! # Invariants
//! - Parameters have the names and the order of the library's C arguments, so a program prints as C without further knowledge.
//! - Kiln's own kernels (`kiln_*`) are families like those of the library. All builds have them.
//! - Sizes count elements. A constant has the bytes of the target: little endian, and two 4-bit integers in a byte, the first in
//!   the low bits.
//! - A slot of a call uses a whole buffer, or a [`View`]: contiguous elements of it. A streamed layer is calls with views: each
//!   computes a row tile, in an order that keeps few rows alive.
//! - Calls run one after another, except those of a [`Flow`], a branch or a loop. A buffer that the calls of one branch write is
//!   read in that branch only, unless both branches write it. A buffer that a loop reads from before it, or from its last round,
//!   was written before the loop.
//! - Scratch memory is no buffer. It lives for one call. A row says how many bytes of it the call needs on which build.

mod add;
mod build;
mod dtype;
mod families;
mod fc_quant;
mod float_parameters;
mod flow;
mod kernel_enums;
mod kernel_structs;
mod multiplications;
mod parameters;
mod program;
mod row;
pub(crate) mod scratch;
mod structs;
pub mod table;
mod text;
mod value;
pub(crate) mod work;

pub use build::Build;
pub use dtype::Dtype;
pub use fc_quant::FcQuant;
pub use float_parameters::*;
pub(crate) use flow::Runner;
pub use flow::{Flow, Step};
pub use kernel_enums::{Comparison, ElementType, IntegerFunction, PadMode, ScatterFunction};
pub use kernel_structs::{Average, MAX_RANK, Mean, Operands, Padding, PerAxis, Scaling, Strides};
pub use parameters::*;
pub use program::{Buffer, BufferId, Call, Program, Role, View};
pub use row::{Access, Builds, Extent, Row, Scratch, Slot};
pub use structs::*;
pub use table::Function;
pub use value::{Ints, Misread, Parameter, Value};
