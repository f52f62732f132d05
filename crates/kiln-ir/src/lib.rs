//! The graph that Kiln compiles.
//!
//! A [`graph::Graph`] is one method of a program: an SSA graph of tensor values, each with a dtype and a
//! shape of symbolic dims ([`dim`]). Nodes are instances of few, regular op families, each declared once
//! ([`ops`]). What only moves elements is normalised by an algebra of its own ([`movement`]).
//!
//! # Semantics
//! - Values are immutable dense tensors; memory order is no property of a value.
//! - Python numbers are constants with a dtype, type promotion is a `cast`, a missing operand is absent.
//! - Sizes are part of types and attributes, not values. `dim_value` turns a size into a value,
//!   `bind_symbol` a value into a size.
//! - State is in cells: a call reads what they held before it, and updates take effect together at its end.
//! - Branches and loops are nodes with blocks of their own, which see nothing but their parameters.
//!
//! Graphs change only through [`rewrite::Rewriter`]; [`verify`](mod@verify) lists every broken invariant; [`text`]
//! prints and parses. This crate does no IO and imports no other of ours.

pub mod arena;
pub mod content;
pub mod dim;
pub mod dtype;
pub mod graph;
pub mod movement;
pub mod ops;
pub mod quant;
pub mod rewrite;
pub mod tensor;
pub mod text;
pub mod types;
mod uses;
pub mod verify;
pub mod visits;

pub use arena::{BlockId, CellId, ConstId, Id, NodeId, SourceId, SymbolId, ValueId};
pub use content::Content;
pub use dim::{Dim, Symbol, Symbols};
pub use dtype::{DType, Scalar};
pub use graph::Graph;
pub use movement::Movement;
pub use ops::Op;
pub use rewrite::{Place, Rewriter};
pub use tensor::TensorData;
pub use types::{Quant, QuantScheme, Shape, TensorType};
