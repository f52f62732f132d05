//! Rules that cannot be applied on a target whose pipeline lists them.

use std::fmt;

/// What of a target, or of a rule, makes it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The target has a kernel for every such node.
    HasKernel,
    /// The kernels in C do.
    HasC,
    /// The lowering to TOSA has a form for every such node.
    HasOperator,
    /// TOSA's softmax has no axis that the rule would change.
    AnyAxis,
    /// The rule is for a delegate of integers that takes images and not rows.
    NoSuchDelegate,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::HasKernel => {
                "the delegate or the runtime has a kernel for every such node, and the target prefers no parts to it"
            }
            Why::HasC => "kiln_nn has a kernel for every such node",
            Why::HasOperator => "TOSA's lowering has a form of its own for every such node",
            Why::AnyAxis => "TOSA has no softmax along any axis, so moving the axis gains nothing",
            Why::NoSuchDelegate => {
                "no delegate takes such a node for images where it does not for rows"
            }
        })
    }
}

/// A rule that is never applied on some targets.
pub struct Never {
    /// The pass.
    pub pass: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// The targets.
    pub targets: &'static [&'static str],
    /// The reason.
    pub why: Why,
}

impl Never {
    /// True if the rule may be applied to constants all the same. A target whose delegate has integers prefers the parts of a node of integers if none
    /// is a kernel, one of plain C prefers the parts of a node of floats if none is in floats, and parts of constants fold. Too few graphs have
    /// such nodes to ask for one.
    pub fn but_constants(&self, target: &str) -> bool {
        self.why == Why::HasKernel && INTEGERS.contains(&target) || self.why == Why::HasC
    }
}

const fn never(
    pass: &'static str,
    rule: &'static str,
    targets: &'static [&'static str],
    why: Why,
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

const CORTEX_M: &[&str] = &["cortex-m4"];
const ALL_BUT_XNNPACK: &[&str] = &[
    "portable",
    "ethos-u55-128",
    "ethos-u85-256",
    "tosa-fp",
    "tosa-int",
    "cortex-m4",
];

/// All of them.
pub const NEVER: &[Never] = &[
    never("decompose", "any_all", XNNPACK_AND_KERNELS, Why::HasKernel),
    never(
        "decompose",
        "cast_to_bool",
        XNNPACK_AND_KERNELS,
        Why::HasKernel,
    ),
    never(
        "decompose",
        "division",
        &["xnnpack", "portable", "ethos-u55-128"],
        Why::HasKernel,
    ),
    never(
        "decompose",
        "index_put_by_scatter",
        &["xnnpack", "portable"],
        Why::HasKernel,
    ),
    never(
        "decompose",
        "inverse_function",
        XNNPACK_AND_KERNELS,
        Why::HasKernel,
    ),
    never(
        "decompose",
        "conv1d_of_integers",
        ALL_BUT_XNNPACK,
        Why::NoSuchDelegate,
    ),
    never(
        "decompose",
        "conv1d_by_integers",
        ALL_BUT_XNNPACK,
        Why::NoSuchDelegate,
    ),
    never("decompose", "linear", XNNPACK_AND_KERNELS, Why::HasKernel),
    never("decompose", "matmul", XNNPACK_AND_KERNELS, Why::HasKernel),
    never("decompose", "reverse", XNNPACK_AND_KERNELS, Why::HasKernel),
    never(
        "decompose",
        "slice_update",
        XNNPACK_AND_KERNELS,
        Why::HasKernel,
    ),
    never("decompose", "top_k", XNNPACK_AND_KERNELS, Why::HasKernel),
    never(
        "decompose",
        "arg_reduce",
        XNNPACK_AND_KERNELS,
        Why::HasKernel,
    ),
    never("decompose", "reduce", XNNPACK_AND_KERNELS, Why::HasKernel),
    never("decompose", "prod", &["portable"], Why::HasKernel),
    never("decompose", "strided_slice", KERNELS, Why::HasKernel),
    never("decompose", "softmax_along_last", KERNELS, Why::HasKernel),
    never("decompose", "unbranched_function", KERNELS, Why::HasKernel),
    never("decompose", "arg_reduce", CORTEX_M, Why::HasC),
    never("decompose", "reduce", CORTEX_M, Why::HasC),
    never("decompose", "softmax_along_last", CORTEX_M, Why::HasC),
    never("decompose", "unbranched_function", CORTEX_M, Why::HasC),
    never("decompose", "arg_reduce", TOSA, Why::HasOperator),
    never("decompose", "reduce", TOSA, Why::HasOperator),
    never("decompose", "dequantised_constant", TOSA, Why::HasOperator),
    never("decompose", "softmax_along_last", TOSA, Why::AnyAxis),
];
