//! Programs of calls as ExecuTorch programs. Each call becomes one of the runtime's `cortex_m::*` kernels, or a stock kernel that
//! moves elements.
//!
//! The kernels are those of ExecuTorch 1.5.1 (`backends/cortex_m/ops` of its sources; the wheel has `operators.yaml`). Each calls
//! one function of CMSIS-NN with numbers that the lowering computed ahead of time. [`convert`] makes calls of kernels.
//! [`Library`] goes the other way: on the builtin runtime a kernel computes as the call of its function.
//!
//! # Invariants
//! - What [`check_kernel`] accepts converts.
//! - A kernel gives the bits of the function that it calls.

mod convert;
mod dense;
mod elementwise;
mod given;
mod images;
mod library;
mod moves;
mod target;

use convert::calls;
pub(crate) use convert::check_kernel;
pub use library::Library;
pub use target::{Firmware, regions, regions_of};

/// The kernels of a program.
mod names {
    pub(super) const QUANTIZE: &str = "cortex_m::quantize_per_tensor.out";
    pub(super) const DEQUANTIZE: &str = "cortex_m::dequantize_per_tensor.out";
    pub(super) const ADD: &str = "cortex_m::quantized_add.out";
    pub(super) const MUL: &str = "cortex_m::quantized_mul.out";
    pub(super) const DIV: &str = "cortex_m::quantized_div.out";
    pub(super) const ACTIVATION: &str = "cortex_m::quantized_activation.out";
    pub(super) const MINIMUM: &str = "cortex_m::minimum.out";
    pub(super) const MAXIMUM: &str = "cortex_m::maximum.out";
    pub(super) const LINEAR: &str = "cortex_m::quantized_linear.out";
    pub(super) const SOFTMAX: &str = "cortex_m::softmax.out";
    pub(super) const TRANSPOSE: &str = "cortex_m::transpose.out";
    pub(super) const PAD: &str = "cortex_m::pad.out";
    pub(super) const CONV: &str = "cortex_m::quantized_conv2d.out";
    pub(super) const DEPTHWISE: &str = "cortex_m::quantized_depthwise_conv2d.out";
    pub(super) const TRANSPOSE_CONV: &str = "cortex_m::quantized_transpose_conv2d.out";
    pub(super) const AVG_POOL: &str = "cortex_m::quantized_avg_pool2d.out";
    pub(super) const MAX_POOL: &str = "cortex_m::quantized_max_pool2d.out";
    pub(super) const BATCH_MATMUL: &str = "cortex_m::quantized_batch_matmul.out";
    pub(super) const CAT: &str = "aten::cat.out";
    pub(super) const CLONE: &str = "aten::clone.out";
    pub(super) const PERMUTE: &str = "aten::permute_copy.out";
    pub(super) const AS_STRIDED: &str = "aten::as_strided_copy.out";
}
