//! Memory orders: in which order the axes of a value lie in memory inside a delegate.
//!
//! A delegate knows no strides: a tensor is dense, and its dims are listed as they lie in memory. So a value
//! in an order *is* a tensor of the permuted shape.
//!
//! # Invariants
//! - An order is a permutation of the value's axes, outermost first.
//! - A value of rank 3 that lies channels-last has one more dim of size 1 before the channels: one-dimensional
//!   convolutions and pools run as images of width 1 (measured on XNNPACK: of height 1 they take twice as long).

use kiln_ir::movement::Movement;
use kiln_ir::{Dim, Shape};
use smallvec::SmallVec;

/// The axes of a value, outermost in memory first.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Order(SmallVec<[u8; 6]>);

impl Order {
    /// As the shape lists them.
    pub fn plain(rank: usize) -> Order {
        Order((0..rank as u8).collect())
    }

    /// Axis 1 innermost; plain below rank 3.
    pub fn channels_last(rank: usize) -> Order {
        if rank < 3 {
            return Order::plain(rank);
        }
        let spatial = 2..rank as u8;
        Order([0].into_iter().chain(spatial).chain([1]).collect())
    }

    /// The axes in that order; `None` if it is no permutation.
    pub fn new(axes: impl IntoIterator<Item = usize>) -> Option<Order> {
        let axes: SmallVec<[u8; 6]> = axes.into_iter().map(|a| a as u8).collect();
        let mut sorted = axes.clone();
        sorted.sort_unstable();
        (sorted.iter().copied().eq(0..axes.len() as u8)).then_some(Order(axes))
    }

    /// With that axis innermost and the others as they were.
    pub fn with_last(rank: usize, axis: usize) -> Order {
        let others = (0..rank as u8).filter(|&a| usize::from(a) != axis);
        Order(others.chain([axis as u8]).collect())
    }

    /// How many axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The axes as a delegate's border lists them.
    pub fn dim_order(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    /// True if there is the dim of size 1 that makes an image of a row.
    pub fn has_width(&self) -> bool {
        self.0.as_slice() == [0, 2, 1]
    }

    /// The position in memory of an axis.
    pub fn position(&self, axis: usize) -> usize {
        let found = self.0.iter().position(|&a| usize::from(a) == axis);
        let position = found.expect("an order has all axes");
        position + usize::from(self.has_width() && position > 1)
    }

    /// One entry for each dim in memory; `filler` stands at the width of a row.
    pub fn permute<T: Clone>(&self, by_axis: &[T], filler: &T) -> Vec<T> {
        let mut permuted: Vec<T> = self
            .0
            .iter()
            .map(|&a| by_axis[usize::from(a)].clone())
            .collect();
        if self.has_width() {
            permuted.insert(2, filler.clone());
        }
        permuted
    }

    /// The shape in memory.
    pub fn dims(&self, shape: &Shape) -> Vec<Dim> {
        self.permute(shape, &Dim::constant(1))
    }

    /// From the shape to the shape in memory.
    pub fn to_memory(&self, shape: &Shape) -> Movement {
        let axes: Vec<usize> = self.0.iter().map(|&a| usize::from(a)).collect();
        let permuted = Movement::permute(shape, &axes).expect("an order permutes the shape's axes");
        if !self.has_width() {
            return permuted;
        }
        let width = Movement::unsqueeze(&permuted.result_shape(), &[2])
            .expect("a row of rank 3 takes a width");
        let both = permuted.compose(&width).one();
        both.expect("an inserted axis composes with any movement")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_images() {
        let order = Order::channels_last(3);
        let shape = Shape::from([2, 3, 5]);
        assert_eq!(order.dims(&shape), [2, 5, 1, 3].map(Dim::constant));
        assert_eq!(order.to_memory(&shape).result_shape(), order.dims(&shape));
        assert_eq!([0, 1, 2].map(|axis| order.position(axis)), [0, 3, 1]);
    }

    #[test]
    fn an_axis_twice_is_no_order() {
        assert!(Order::new([0, 2, 2]).is_none());
        assert_eq!(Order::new([0, 2, 3, 1]), Some(Order::channels_last(4)));
    }
}
