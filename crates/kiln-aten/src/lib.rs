//! ATen's names and schemas, and the translation of ATen calls to core ops.
//!
//! An op of ATen is a row of one table ([`table`]): its schemas, and the function that imports it. The caller walks a
//! program's calls in order and hands each to [`import_call`]. The caller keeps only a map from the program's names to
//! [`Arg`]s.
//!
//! # Semantics
//! - A tensor of the program is a [`Tensor`]: a variable with storage, not a value. Views share storage, and an op that
//!   writes in place changes every view of it. [`Importer::current`] gives a variable's value after the calls imported
//!   so far. [`Importer::bind`] makes a variable of a value.
//! - Type promotion is PyTorch's, and becomes explicit casts. A Python number becomes a constant of the dtype in which it
//!   is used. Operands of elementwise ops get equal rank.
//! - Inferred types are compared with declared types: a provable difference is an error. A size that is known only at
//!   run time takes the symbol that the program declares for it.
//! - An op that is not in the table, or a case that core ops cannot express, is an [`ImportError`], which names the op,
//!   the node and a remedy.
//!
//! # Folders, from the bottom
//! - `call`: a call and its parts, schemas, errors, limits. This folder knows no graph.
//! - `importer`: the block under construction: nodes, variables, views, promotion, and a call's arguments as values.
//! - `ops`: the import functions of ops, and the rows that name them.
//! - `table`: all rows by name, and the kernels of the runtime.
//! - `dispatch`: [`import_call`].
//!
//! The crate knows nothing of archives or programs: [`Call`] is its whole input.

mod call;
mod dispatch;
mod importer;
mod ops;
pub mod table;

pub use call::custom::CustomOps;
pub use call::error::{Given, ImportError, Kind, Problem};
pub use call::schema::{Parameter, Schema};
pub use call::{Arg, Call, Declared, MemoryFormat, Number, NumberKind, Tensor};
pub use dispatch::import_call;
pub use importer::strided::Strided;
pub use importer::{Importer, LITERAL};
pub use table::kernel::{self, kernel_call};
