//! Fixed-point arithmetic of quantised tensors, shared by the integer targets.
//!
//! An integer stands for a real by `real = scale * (integer - zero_point)`. A target computes without reals: it sums
//! products exactly in a wide accumulator, and multiplies the sum once by a fixed-point number, which brings it to the
//! result's scale (requantisation). This crate has the arithmetic of the kernels, bit for bit as the libraries compute
//! it, and what a compiler computes ahead of time for them. It knows neither operators nor nodes: emitting them is the
//! lowering of a target.
//!
//! | wanted | module | source |
//! |---|---|---|
//! | scales and zero points of elements, weights by output channel | [`parameters`] | |
//! | a scale with its zero point, qparams of a range, the common step of a sum | [`step`] | PyTorch `MinMaxObserver`; CMSIS-NN, TFLite `add` |
//! | a real factor as multiplier and shift | [`multiplier`] | TFLite `QuantizeMultiplier`; TOSA 1.0 |
//! | the exact quotient by a scale, half to even | [`quotient`] | |
//! | `apply_scale_32`, `apply_scale_16`, `reciprocal_scale`, and their bounds | [`tosa`] | TOSA 1.0 |
//! | doubling high multiply, division by powers of two | [`gemmlowp`] | gemmlowp `fixedpoint.h` |
//! | `arm_nn_requantize` and its variants, functions of a softmax | [`cmsis`] | CMSIS-NN `arm_nnsupportfunctions.h` |
//! | sums and a real bias to results, rounded once by `arm_nn_requantize` | [`mod@line`] | |
//! | sigmoid and tanh of 16-bit integers | [`sigmoid`] | CMSIS-NN `arm_nn_activation_s16` |
//! | requantisation in f32, element-wise operators, dynamic qparams | [`xnnpack`] | XNNPACK `qs8-requantization/fp32-scalar-fmagic`, `reference-utils.h`, `quantization.h` |
//! | sums of weights by channel, biases with the input's zero point | [`sums`] | CMSIS-NN `arm_vector_sum_s8` |
//! | a real bias as integers, and what is left of it | [`bias`] | |
//! | an output channel's bias and factor, where the function adds whole units | [`channel`] | CMSIS-NN |
//! | a function of one 8- or 16-bit integer as a table | [`table`] | TOSA TABLE; ExecuTorch's Cortex-M activations; TFLite `gen_lut` |
//! | averages: ties, and fractions by position | [`average`] | TOSA, CMSIS-NN, PyTorch |
//! | two integers of 4 bits in a byte | [`int4`] | TOSA, CMSIS-NN, XNNPACK, ExecuTorch |
//! | whether sums fit 32 or 48 bits | [`accumulator`] | |
//!
//! # Rounding
//! Three rules occur. *Up*: ties go to plus infinity (`(x + half) >> n`). *Away*: ties go away from 0. *Even*: ties go
//! to the even neighbour. Each function names its rule. A function that rounds twice says so, and how much its result
//! may differ from one rounding.
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
pub mod channel;
pub mod cmsis;
pub mod gemmlowp;
pub mod int4;
pub mod line;
pub mod multiplier;
pub mod parameters;
pub mod quotient;
pub mod sigmoid;
pub mod step;
pub mod sums;
pub mod table;
pub mod tosa;
pub mod xnnpack;
