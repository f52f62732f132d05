//! Rules that cannot be applied on a target whose pipeline lists them.

/// A rule that is never applied on some targets.
pub struct Never {
    /// The pass.
    pub pass: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// The targets.
    pub targets: &'static [&'static str],
    /// What of the target, or of the rule, makes it so.
    pub why: &'static str,
}

impl Never {
    /// True if the rule may be applied to constants all the same. A target whose delegate has integers prefers the parts of a node of integers if none
    /// is a kernel, one of plain C prefers the parts of a node of floats if none is in floats, and parts of constants fold. Too few graphs have
    /// such nodes to ask for one.
    pub fn but_constants(&self, target: &str) -> bool {
        self.why == HAS_KERNEL && INTEGERS.contains(&target) || self.why == HAS_C
    }
}

const fn never(
    pass: &'static str,
    rule: &'static str,
    targets: &'static [&'static str],
    why: &'static str,
) -> Never {
    Never {
        pass,
        rule,
        targets,
        why,
    }
}

const INTEGERS: &[&str] = &["xnnpack", "ethos-u55-128", "ethos-u85-256"];
const TOSA: &[&str] = &["tosa-fp", "tosa-int"];
/// What no delegate takes runs as kernels.
const KERNELS: &[&str] = &["portable", "ethos-u55-128", "ethos-u85-256"];
const XNNPACK_AND_KERNELS: &[&str] = &["xnnpack", "portable", "ethos-u55-128", "ethos-u85-256"];

const HAS_KERNEL: &str = "the delegate or the runtime has a kernel for every such node, and the target prefers no parts to it";
const HAS_OPERATOR: &str = "TOSA's lowering has a form of its own for every such node";

const CORTEX_M: &[&str] = &["cortex-m4"];
const HAS_C: &str = "kiln_nn has a kernel for every such node";

/// All of them.
pub const NEVER: &[Never] = &[
    never("decompose", "any_all", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "cast_to_bool", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never(
        "decompose",
        "division",
        &["xnnpack", "portable", "ethos-u55-128"],
        HAS_KERNEL,
    ),
    never(
        "decompose",
        "index_put_by_scatter",
        &["xnnpack", "portable"],
        HAS_KERNEL,
    ),
    never(
        "decompose",
        "inverse_function",
        XNNPACK_AND_KERNELS,
        HAS_KERNEL,
    ),
    never("decompose", "linear", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "matmul", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "reverse", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "slice_update", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "top_k", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "arg_reduce", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "reduce", XNNPACK_AND_KERNELS, HAS_KERNEL),
    never("decompose", "prod", &["portable"], HAS_KERNEL),
    never("decompose", "strided_slice", KERNELS, HAS_KERNEL),
    never("decompose", "softmax_along_last", KERNELS, HAS_KERNEL),
    never("decompose", "unbranched_function", KERNELS, HAS_KERNEL),
    never("decompose", "arg_reduce", CORTEX_M, HAS_C),
    never("decompose", "reduce", CORTEX_M, HAS_C),
    never("decompose", "softmax_along_last", CORTEX_M, HAS_C),
    never("decompose", "unbranched_function", CORTEX_M, HAS_C),
    never("decompose", "arg_reduce", TOSA, HAS_OPERATOR),
    never("decompose", "reduce", TOSA, HAS_OPERATOR),
    never("decompose", "dequantised_constant", TOSA, HAS_OPERATOR),
    never(
        "decompose",
        "softmax_along_last",
        TOSA,
        "TOSA has no softmax along any axis, so moving the axis gains nothing",
    ),
];
