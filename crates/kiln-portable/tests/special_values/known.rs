//! What is known of special values on the stock runtime.

/// Kernels that no probe calls, and why.
pub const UNREACHED: &[(&str, &str)] = &[(
    "aten::sym_size.int",
    "a primitive op of the runtime, not a kernel",
)];

/// What the builtin runtime computes otherwise than the stock one, by the beginning of its name, and what the stock kernel does.
pub const DIFFERENT: &[(&str, &str)] = &[];
