//! The nodes that kernels run.

use kiln_ir::{DType, Graph, NodeId, Op};
use kiln_transforms::framework::target::{Placement, Reason};

/// Checks that kernels of the stock runtime can run the node, or that the node costs nothing (a constant, a view).
///
/// # Errors
/// The reason why not, in words for the user.
pub fn support(graph: &Graph, node: NodeId) -> Result<(), Reason> {
    crate::lower::check(graph, node)
}

/// The place of a node that a delegate declined for this reason.
pub fn placement(graph: &Graph, node: NodeId, reason: Reason) -> Placement {
    match support(graph, node) {
        Ok(()) => Placement::Kernel(reason),
        // The runtime's kernels compute in floats, so only the delegate could have taken it.
        Err(_) if matches!(graph.node(node).op, Op::Quantised(_) | Op::Dequantised(_)) => {
            Placement::None(reason)
        }
        Err(kernel) => Placement::None(Reason::new(
            format!(
                "{}, and the runtime's kernels: {}",
                reason.rule, kernel.rule
            ),
            format!("{} and {}", reason.found, kernel.found),
        )),
    }
}

/// The quotient from which the stock kernels of a quantisation no longer saturate. See [`Target::quotients_below`].
///
/// The kernels are `quantize_val` and `quantize_arm` of ExecuTorch's `kernels/quantized/cpu/op_quantize.cpp`. The first
/// converts the quotient to 64 bits; on x86 the conversion of 2^63 and more gives the least integer (measured). The second,
/// for f32 to 8 bits on Arm, converts the elements beyond the last whole vector to 32 bits and adds the zero point, which wraps
/// near 2^31. A program runs on both machines, so the lower bound counts.
///
/// [`Target::quotients_below`]: kiln_transforms::framework::target::Target::quotients_below
pub fn quotients_below(graph: &Graph, node: NodeId) -> Option<f64> {
    const IN_32_BITS: f64 = 2147483648.0;
    const IN_64_BITS: f64 = 9223372036854775808.0;
    let node = graph.node(node);
    let Op::Quantize(op) = &node.op else {
        return None;
    };
    let is_narrow = matches!(op.dtype, DType::I8 | DType::U8);
    match graph.ty(node.operands[0]).dtype {
        DType::F32 if is_narrow => Some(IN_32_BITS),
        _ => Some(IN_64_BITS),
    }
}
