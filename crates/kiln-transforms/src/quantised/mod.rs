//! Passes about quantisation, in the order of pipelines:
//!
//! - arithmetic that quantises becomes the ops that say so (`raise_quantisation`);
//! - unsigned bytes get a sign (`signed_integers`), channels of zeros a usable scale (`live_scales`), weights zero points of 0
//!   (`centred_weights`);
//! - float ops between dequantisation and quantisation become integer ops (`fold_quantised`), and weights beside floats keep their
//!   integers (`fold_dequantised`);
//! - integers of a type that the target does not have become integers of 32 bits (`widen_integers`);
//! - operands of quantisations change where a kernel would not saturate (`saturate_quantize`), or give NaN another integer
//!   (`quantize_nan`).

pub mod centred_weights;
pub mod fold_dequantised;
pub mod fold_quantised;
pub mod live_scales;
pub mod quantize_nan;
pub mod raise_quantisation;
mod retype;
pub mod saturate_quantize;
pub mod signed_integers;
mod weight_readers;
pub(crate) mod whole_weights;
pub mod widen_integers;
