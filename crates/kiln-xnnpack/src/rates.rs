//! How long XNNPACK's operators take, and ExecuTorch's kernels beside them.

use kiln_target::Rates;

/// Measured on one core of an x86 server with AVX-512 and VNNI, and rounded (`docs/guide/explain.md` lists them). They tell where to
/// look first. What a device needs, only the device tells.
pub const RATES: Rates = Rates {
    product: 0.018,
    integer_product: 0.0055,
    depthwise: 0.05,
    // As many kernels of up to 25 taps as it takes.
    large_depthwise: 0.1,
    large_integer_depthwise: 0.5,
    few_taps: 25.0,
    transposed: 0.045,
    kernel_product: 1.0,
    weight_byte: 0.017,
    element: 0.11,
    function: 0.25,
    softmax: 0.37,
    norm: 1.0,
    tap: 0.07,
    kernel: 8.0,
};
