//! The text form of graphs: one node per line. A printed graph parses to the same graph.
//!
//! ```text
//! graph "forward" {
//!   symbol s0 in 2..=64
//!   constant c0 "fc.weight" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   state m0 "cache" f32[4] = c1
//!   input tensor "x" [0, 1]
//!   output tensor
//!   buffer "mask"
//!   source l0 "linear" "aten.linear.default" "fc" "model.py:12 in forward: y = self.fc(x)"
//!   block b0 (%0 "x": f32[s0, 3]) {
//!     %1 = constant {value=c0}
//!     %2 = linear %0, %1 {} @ l0
//!     return %2
//!   }
//!   update m0 = %2
//! }
//! ```
//!
//! Blocks follow the bodies of their nodes, so the root is last. Ids are numbered in order of appearance. Result types
//! are inferred by the op table. They are printed for readers, and the parser checks them. A constant of more than 16
//! elements prints as `hex` if the printer is asked for all data, otherwise as the `digest` of its bytes. A digest
//! parses only if the caller can supply the bytes.

pub mod cursor;
mod parse;
mod print;

pub use cursor::ParseError;
pub use parse::{ConstantSource, parse, parse_with};
pub use print::{Data, digest, print};
