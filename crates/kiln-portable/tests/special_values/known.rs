//! Known differences of the runtimes on special values.

/// Kernels of which no probe has a result, and why.
pub const UNREACHED: &[(&str, &str)] = &[
    ("aten::bitwise_left_shift.Tensor_out", UNBOUNDED),
    ("aten::bitwise_right_shift.Tensor_out", UNBOUNDED),
    ("quantized_decomposed::dequantize_per_channel.out", PLAIN),
    ("quantized_decomposed::dequantize_per_tensor.out", PLAIN),
    ("quantized_decomposed::quantize_per_channel.out", PLAIN),
];

const UNBOUNDED: &str = "it takes distances that a range bounds, and no probe bounds its distances";
const PLAIN: &str = "probes have no values with this quantisation";

/// What the builtin runtime computes otherwise than the stock one, by the beginning of its name, and what the stock kernel does.
pub const DIFFERENT: &[(&str, &str)] = &[];
