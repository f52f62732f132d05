//! Fixed-point and quantised arithmetic, below the targets.
//!
//! An integer target computes `real = scale * (integer - zero_point)` without reals: products are summed exactly in wide
//! integers, and one multiplication by a fixed-point number brings the sum to the result's scale. This crate has that
//! arithmetic bit for bit as libraries compute it, and what is decided ahead of time: multipliers, common scales of
//! operands, tables, bounds of accumulators. Nothing here knows a target's operators.
//!
//! | wanted | module | source |
//! |---|---|---|
//! | a real factor as multiplier and shift | [`multiplier`] | gemmlowp, TFLite `QuantizeMultiplier`; TOSA 1.0 |
//! | `apply_scale_32`, `apply_scale_16`, `reciprocal_scale` | [`tosa`] | TOSA 1.0, 1.9 and RESCALE |
//! | doubling high multiply, division by powers of two | [`gemmlowp`] | gemmlowp `fixedpoint.h` |
//! | `arm_nn_requantize` and its kin, functions of a softmax | [`cmsis`] | CMSIS-NN `arm_nnsupportfunctions.h` |
//! | requantisation in f32 by a magic bias | [`xnnpack`] | XNNPACK `qs8-requantization/fp32-scalar-fmagic` |
//! | scale and zero point, qparams of a range, common scales of a sum | [`step`] | |
//! | a function of one 8- or 16-bit integer as a table | [`table`] | TOSA TABLE; CMSIS-NN `arm_s8_lut` has the same entries |
//! | averages, and to which side their ties round | [`average`] | TOSA, CMSIS-NN, PyTorch |
//! | two integers of 4 bits in a byte | [`int4`] | XNNPACK, CMSIS-NN (low nibble first); ExecuTorch (high first) |
//! | whether sums fit 32 or 48 bits | [`accumulator`] | |
//!
//! # Rounding
//! Three rules occur. *Up*: ties go to plus infinity (`(x + half) >> n`). *Away*: ties go away from 0. *Even*: ties go to the
//! even neighbour. Each function says which is its own; where it rounds twice it says so, and how far that is from once.
//!
//! ```
//! use kiln_quantised::cmsis::requantize;
//! use kiln_quantised::multiplier::Multiplier;
//!
//! // 1000 units of 0.02 * 0.005 in steps of 0.1 are 1.
//! let factor = Multiplier::of(0.02 * 0.005 / 0.1)?;
//! assert_eq!(requantize(1000, factor), 1);
//! # Ok::<(), kiln_quantised::multiplier::OutOfRange>(())
//! ```

pub mod accumulator;
pub mod average;
pub mod bias;
pub mod cmsis;
pub mod gemmlowp;
pub mod int4;
pub mod multiplier;
pub mod parameters;
pub mod quotient;
pub mod step;
pub mod sums;
pub mod table;
pub mod tosa;
pub mod xnnpack;
