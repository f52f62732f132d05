//! The graph IR of Kiln.
//!
//! A [`graph::Graph`] is one method of a program: an SSA graph of tensor values, each with a dtype and a shape of
//! symbolic dims ([`dim`]). Nodes are instances of a few regular op families, each declared once ([`ops`]). Ops that
//! only move elements have their own algebra with a normal form ([`movement`]).
//!
//! # Semantics
//! - Values are immutable dense tensors. Memory order is no property of a value.
//! - A Python number is a constant with a dtype, a type promotion is a `cast`, and a missing operand is absent.
//! - Sizes are part of types and attributes, not values. `dim_value` turns a size into a value, `bind_symbol` a value
//!   into a size.
//! - State is in cells. A call reads their content from before the call, and all updates take effect together at its
//!   end.
//! - Branches and loops are nodes with nested blocks, which see only their parameters, constants and cells.
//!
//! Graphs change only through [`rewrite::Rewriter`]. [`verify`](mod@verify) lists every broken invariant. [`text`]
//! prints and parses graphs. This crate does no IO and imports no other crate of Kiln.

pub mod arena;
pub mod builder;
pub mod content;
pub mod dim;
pub mod dtype;
pub mod dynamic_quant;
pub mod graph;
pub mod movement;
pub mod ops;
pub mod quant;
pub mod rewrite;
pub mod tensor;
pub mod text;
pub mod types;
mod unread;
mod uses;
pub mod verify;
pub mod visits;

pub use arena::{BlockId, CellId, ConstId, Id, NodeId, SourceId, SymbolId, ValueId};
pub use builder::Builder;
pub use content::Content;
pub use dim::{Dim, Symbol, Symbols};
pub use dtype::{DType, Scalar};
pub use dynamic_quant::{DynamicQuant, Mapping};
pub use graph::Graph;
pub use movement::Movement;
pub use ops::Op;
pub use rewrite::{Place, Rewriter};
pub use tensor::TensorData;
pub use types::{Quant, QuantScheme, Shape, ShapeNames, TensorType, TypeNames};
