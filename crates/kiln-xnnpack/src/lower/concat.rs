//! Concatenation as a tree of nodes, each with as many parts as the library joins at once.

use super::tensors::Parts;
use super::{Lowering, Problem};
use crate::orders::ROWS;
use crate::payload::{UnaryOp, ValueId as Tensor, XnnOp};
use kiln_ir::NodeId;
use kiln_ir::graph::Node;
use kiln_transforms::layout::Order;

/// The most parts that the library joins at once.
const MAX_JOINED: usize = 5;

impl Lowering<'_> {
    pub(super) fn concat(
        &mut self,
        id: NodeId,
        node: &Node,
        axis: usize,
        order: &Order,
    ) -> Result<(), Problem> {
        let parts: Result<Vec<Tensor>, _> = node
            .operands
            .iter()
            .map(|&v| self.tensors.operand(v, order))
            .collect();
        let position = order.position(axis, ROWS);
        let parts = parts?;
        if let Some(joined) = self.tensors.turned_join(&parts, position) {
            let output = self.target(id, order);
            self.tensors.push_turned_back(joined, position, output);
            return Ok(());
        }
        let inputs = self.tensors.branches(&parts, position);
        let output = self.target(id, order);
        let (axis, flags) = (position as u32, 0);
        match inputs.as_slice() {
            [only] => self.push_unary(UnaryOp::Copy, *only, output),
            _ => self.push(XnnOp::Concat {
                axis,
                inputs,
                output,
                flags,
            }),
        }
        Ok(())
    }
}

impl Parts<'_> {
    /// Joins the parts along a dim.
    pub(super) fn join(&mut self, parts: &[Tensor], position: usize) -> Tensor {
        let inputs = self.branches(parts, position);
        self.branch(&inputs, position)
    }

    /// Joins parts until at most [`MAX_JOINED`] are left.
    fn branches(&mut self, mut parts: &[Tensor], position: usize) -> Vec<Tensor> {
        let mut branches = Vec::new();
        for count in shares(parts.len()) {
            let (own, others) = parts.split_at(count);
            branches.push(self.branch(own, position));
            parts = others;
        }
        branches
    }

    fn branch(&mut self, parts: &[Tensor], position: usize) -> Tensor {
        if let [only] = parts {
            return *only;
        }
        let inputs = self.branches(parts, position);
        let (axis, flags) = (position as u32, 0);
        let output = self.joined(&inputs, position);
        self.push_op(XnnOp::Concat {
            axis,
            inputs,
            output,
            flags,
        });
        output
    }

    fn joined(&mut self, parts: &[Tensor], position: usize) -> Tensor {
        let mut dims = self.dims(parts[0]).to_vec();
        dims[position] = parts.iter().map(|&p| self.dims(p)[position].clone()).sum();
        let elements = self.elements(parts[0]);
        self.add(elements, dims)
    }
}

/// The number of parts in each branch of a tree. Branches differ in height by at most one, so each part is copied about
/// equally often. No tree of fewer operators joins as many parts.
fn shares(parts: usize) -> Vec<usize> {
    let mut most = 1;
    while most * MAX_JOINED < parts {
        most *= MAX_JOINED;
    }
    let least = (most / MAX_JOINED).max(1);
    let (mut rest, mut shares) = (parts, Vec::new());
    while rest > 0 {
        let later = (MAX_JOINED - 1).saturating_sub(shares.len()) * least;
        let share = rest.saturating_sub(later).clamp(1, most);
        shares.push(share);
        rest -= share;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{MAX_JOINED, shares};

    /// The number of operators in the tree, and how often parts are copied in total.
    fn measure(parts: usize) -> (usize, usize) {
        let below = shares(parts).into_iter().filter(|&n| n > 1).map(measure);
        below.fold((1, parts), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    #[test]
    fn trees_are_low_and_have_no_needless_operators() {
        for parts in 2..1000 {
            assert!(shares(parts).len() <= MAX_JOINED);
            assert_eq!(shares(parts).iter().sum::<usize>(), parts);
            let (operators, copies) = measure(parts);
            assert_eq!(operators, (parts - 1).div_ceil(MAX_JOINED - 1), "{parts}");
            let mut height = 1;
            while MAX_JOINED.pow(height) < parts {
                height += 1;
            }
            assert!(copies <= parts * height as usize, "{parts}");
        }
    }
}
