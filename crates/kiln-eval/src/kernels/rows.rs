//! Tensors as rows along some axes, for kernels that reduce or sort.

use crate::element::Element;
use crate::nest::{Nest, copied, strides};
use crate::tensor::Tensor;
use std::borrow::Cow;

/// A tensor with some axes permuted to the end: `count` rows of `width` elements.
pub struct Rows<'t, T: Element> {
    /// The rows, in row-major order of the other axes.
    pub elements: Cow<'t, [T]>,
    /// The number of rows.
    pub count: usize,
    /// The number of elements per row.
    pub width: usize,
}

impl<'t, T: Element> Rows<'t, T> {
    /// The rows along `axes`, ascending.
    pub fn along(x: &'t Tensor, axes: &[usize]) -> Rows<'t, T> {
        let kept = (0..x.rank()).filter(|a| !axes.contains(a));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let width = axes.iter().map(|&a| x.sizes()[a]).product();
        let outer = order[..x.rank() - axes.len()].iter();
        let count = outer.map(|&a| x.sizes()[a]).product();
        let elements = if order.is_sorted() {
            Cow::Borrowed(x.of::<T>())
        } else {
            let steps = strides(x.sizes());
            let sizes: Vec<usize> = order.iter().map(|&a| x.sizes()[a]).collect();
            let steps: Vec<[isize; 1]> = order.iter().map(|&a| [steps[a]]).collect();
            let nest = Nest::new(&sizes, &steps, [0]);
            Cow::Owned(copied(&nest, x.len(), x.of::<T>()))
        };
        Rows {
            elements,
            count,
            width,
        }
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.elements[row * self.width..(row + 1) * self.width]
    }
}

/// A tensor of `sizes` from its rows along `axis`.
pub fn from_rows<T: Element>(elements: Vec<T>, sizes: &[usize], axis: usize) -> Tensor {
    let inner: usize = sizes[axis + 1..].iter().product();
    if inner == 1 {
        return Tensor::new(sizes, elements);
    }
    let outer: usize = sizes[..axis].iter().product();
    let width = sizes[axis];
    let steps = [[(inner * width) as isize], [1], [width as isize]];
    let nest = Nest::new(&[outer, width, inner], &steps, [0]);
    let elements = copied(&nest, elements.len(), &elements);
    Tensor::new(sizes, elements)
}
