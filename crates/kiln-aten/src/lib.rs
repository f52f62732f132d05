//! ATen's names and schemas, and the translation between ATen and the core ops.
//!
//! An op of ATen is a row of one table ([`table`]): its schemas and the function that imports it. The
//! caller walks a program's calls in order and hands each to [`import_call`]; what it must keep is only
//! a map from the program's names to [`Arg`]s.
//!
//! # Semantics
//! - A tensor of the program is a [`Tensor`]: a variable with storage, not a value. Views share storage;
//!   an op that writes in place updates every view of it. [`Importer::current`] gives the value that a
//!   variable has after the calls imported so far, [`Importer::bind`] makes a variable of a value.
//! - Type promotion is PyTorch's and becomes explicit casts; Python numbers become constants of the dtype
//!   in which they are used; operands of elementwise ops get equal rank.
//! - Inferred types are held against declared ones: a provable difference is an error. Sizes that are
//!   known only when running take the symbols that the program declares for them.
//! - What is not in the table, or not expressible, is an [`ImportError`] that names op, node and a remedy.
//!
//! # Folders, from the bottom
//! - `call`: a call and its parts, schemas, errors, limits. Knows no graph.
//! - `importer`: the block that grows: nodes, variables, views, promotion, and the arguments of a call as values.
//! - `ops`: the meaning of each op, and the rows that name it.
//! - `table`: all rows by name, and the kernels of the runtime.
//! - `dispatch`: [`import_call`].
//!
//! The crate knows nothing of archives or programs: [`Call`] is its whole input.

mod call;
mod dispatch;
mod importer;
mod ops;
pub mod table;

pub use call::error::{Given, ImportError, Kind, Problem};
pub use call::schema::{Parameter, Schema};
pub use call::{Arg, Call, Declared, MemoryFormat, Number, NumberKind, Tensor};
pub use dispatch::import_call;
pub use importer::Importer;
pub use importer::strided::Strided;
pub use table::kernel::{self, kernel_call};
