//! Memory orders: in which order the axes of a value lie in memory inside a delegate.
//!
//! A delegate knows no strides: a tensor is dense, and its dims are listed as they lie in memory. So a value
//! in an order *is* a tensor of the permuted shape.
//!
//! # Invariants
//! - An order is a permutation of the value's axes, outermost first.
//! - A row, which is a value of rank 3 that lies channels last, has one more dim of size 1 in memory where the target
//!   computes one-dimensional convolutions and pools as images: the target says where ([`Rows`]).

use kiln_ir::movement::Movement;
use kiln_ir::{Dim, Shape};
use smallvec::SmallVec;

/// How a row lies in memory: a value of rank 3, `[N, C, L]`, with its channels innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rows {
    /// As an image of width 1: `[N, L, 1, C]`.
    WidthOne,
    /// As an image of height 1: `[N, 1, L, C]`.
    HeightOne,
    /// Without another dim, `[N, L, C]`: the target has windows of one axis.
    Plain,
}

impl Rows {
    /// Where in memory the dim of size 1 of a row is.
    fn unit(self) -> Option<usize> {
        match self {
            Rows::WidthOne => Some(2),
            Rows::HeightOne => Some(1),
            Rows::Plain => None,
        }
    }
}

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

    /// Where in memory the dim of size 1 is that makes an image of a row; `None` if the order has none.
    pub fn unit(&self, rows: Rows) -> Option<usize> {
        let is_row = self.0.as_slice() == [0, 2, 1];
        rows.unit().filter(|_| is_row)
    }

    /// The position in memory of an axis.
    pub fn position(&self, axis: usize, rows: Rows) -> usize {
        let found = self.0.iter().position(|&a| usize::from(a) == axis);
        let position = found.expect("an order has all axes");
        position + usize::from(self.unit(rows).is_some_and(|unit| unit <= position))
    }

    /// One entry for each dim in memory; `filler` stands at the dim of size 1 of a row.
    pub fn permute<T: Clone>(&self, by_axis: &[T], filler: &T, rows: Rows) -> Vec<T> {
        let mut permuted: Vec<T> = self
            .0
            .iter()
            .map(|&a| by_axis[usize::from(a)].clone())
            .collect();
        if let Some(unit) = self.unit(rows) {
            permuted.insert(unit, filler.clone());
        }
        permuted
    }

    /// The shape in memory.
    pub fn dims(&self, shape: &Shape, rows: Rows) -> Vec<Dim> {
        self.permute(shape, &Dim::constant(1), rows)
    }

    /// From the shape to the shape in memory.
    pub fn to_memory(&self, shape: &Shape, rows: Rows) -> Movement {
        let axes: Vec<usize> = self.0.iter().map(|&a| usize::from(a)).collect();
        let permuted = Movement::permute(shape, &axes).expect("an order permutes the shape's axes");
        let Some(unit) = self.unit(rows) else {
            return permuted;
        };
        let image = Movement::unsqueeze(&permuted.result_shape(), &[unit])
            .expect("a row of rank 3 takes one more dim");
        let both = permuted.compose(&image).one();
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
        let cases = [
            (Rows::WidthOne, vec![2, 5, 1, 3], [0, 3, 1]),
            (Rows::HeightOne, vec![2, 1, 5, 3], [0, 3, 2]),
            (Rows::Plain, vec![2, 5, 3], [0, 2, 1]),
        ];
        for (rows, dims, positions) in cases {
            let dims: Vec<Dim> = dims.into_iter().map(Dim::constant).collect();
            assert_eq!(order.dims(&shape, rows), dims);
            assert_eq!(order.to_memory(&shape, rows).result_shape(), dims);
            let found = [0, 1, 2].map(|axis| order.position(axis, rows));
            assert_eq!(found, positions);
        }
    }

    #[test]
    fn an_axis_twice_is_no_order() {
        assert!(Order::new([0, 2, 2]).is_none());
        assert_eq!(Order::new([0, 2, 3, 1]), Some(Order::channels_last(4)));
    }
}
