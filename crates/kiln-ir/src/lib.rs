//! The graph that Kiln compiles: types, symbolic dims, the op table, the movement algebra, verifier,
//! text form and rewriter. (Draft while the crate grows.)
pub mod arena;
pub mod dim;
pub mod dtype;
