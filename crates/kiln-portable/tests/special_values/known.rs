//! Known differences of the runtimes on special values.

/// The kernels that no probe calls, with the reasons.
pub const UNREACHED: &[(&str, &str)] = &[(
    "aten::sym_size.int",
    "a primitive op of the runtime, not a kernel",
)];

/// The ops that the builtin runtime computes differently, by the beginning of their names, and what the stock kernel does.
pub const DIFFERENT: &[(&str, &str)] = &[];
