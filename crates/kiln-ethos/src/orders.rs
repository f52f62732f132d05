//! The memory orders in which the NPU computes, and in which kernels hand tensors over.

use kiln_ir::Graph;
use kiln_ir::graph::Node;
use kiln_transforms::layout::{Order, OrderRules};

/// TOSA's rules inside; at the border images plain or channels last, which is all that kernels convert between.
pub(crate) struct Orders;

impl OrderRules for Orders {
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order> {
        kiln_tosa::Orders.required(graph, node)
    }

    fn absorbs(&self, graph: &Graph, node: &Node, operand: usize) -> bool {
        kiln_tosa::Orders.absorbs(graph, node, operand)
    }

    fn bytes_per_step(&self) -> u64 {
        kiln_tosa::Orders.bytes_per_step()
    }

    fn takes_input(&self, order: &Order) -> bool {
        *order == Order::channels_last(4)
    }
}
