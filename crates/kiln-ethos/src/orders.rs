//! The memory orders of the NPU, and those in which kernels and delegates exchange tensors.

use crate::core_name::{Core, Family};
use kiln_ir::graph::Node;
use kiln_ir::{Graph, Op};
use kiln_transforms::layout::{Movers, Order, OrderRules};

/// Inside, TOSA's rules. At the border of a region, images are plain or channels last: kernels convert between these
/// two only.
pub(crate) struct Orders {
    pub(crate) core: Core,
}

impl Orders {
    fn of_tosa(&self) -> kiln_tosa::Orders {
        kiln_tosa::Orders {
            machine: self.core.machine(),
        }
    }
}

impl OrderRules for Orders {
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order> {
        match &node.op {
            Op::Reverse(op) if self.core.family() != Family::U85 => {
                let rank = graph.ty(node.result()).rank();
                Some(outer_axes(rank, &op.axes))
            }
            _ => self.of_tosa().required(graph, node),
        }
    }

    fn movers(&self) -> Movers {
        self.of_tosa().movers()
    }

    fn absorbs(&self, graph: &Graph, node: &Node, operand: usize) -> bool {
        self.of_tosa().absorbs(graph, node, operand)
    }

    fn bytes_per_mover(&self) -> u64 {
        self.of_tosa().bytes_per_mover()
    }

    fn takes_input(&self, order: &Order) -> bool {
        *order == Order::channels_last(4)
    }
}

/// A memory order in which none of these axes is innermost, if there is one: U55 and U65 reverse outer axes only.
fn outer_axes(rank: usize, axes: &[usize]) -> Order {
    let last = (0..rank).rev().find(|axis| !axes.contains(axis));
    match last {
        Some(_) if rank >= 3 && !axes.contains(&1) && axes.contains(&(rank - 1)) => {
            Order::channels_last(rank)
        }
        Some(last) => Order::with_last(rank, last),
        None => Order::plain(rank),
    }
}
