//! Matrix products.

use crate::element::{Arithmetic, Number};
use crate::nest::Nest;
use crate::tensor::Tensor;
use gemm::Parallelism;
use rayon::prelude::*;
use std::borrow::Cow;

/// The number of rows of a result per task. It is fixed, so that the result does not depend on the number of threads.
const ROWS: usize = 32;

/// A matrix whose element `(i, j)` is `elements[i * row_step + j * column_step]`.
#[derive(Clone, Copy)]
pub struct Matrix<'m, C> {
    /// The memory of the matrix.
    pub elements: &'m [C],
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The distance of neighbouring rows.
    pub row_step: usize,
    /// The distance of neighbouring columns.
    pub column_step: usize,
}

impl<'m, C> Matrix<'m, C> {
    /// A dense row-major matrix.
    pub fn dense(elements: &'m [C], rows: usize, columns: usize) -> Matrix<'m, C> {
        Matrix {
            elements,
            rows,
            columns,
            row_step: columns,
            column_step: 1,
        }
    }

    /// The transposed matrix.
    pub fn transposed(self) -> Matrix<'m, C> {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_step: self.column_step,
            column_step: self.row_step,
            ..self
        }
    }

    fn rows_from(self, start: usize, rows: usize) -> Matrix<'m, C> {
        Matrix {
            elements: &self.elements[start * self.row_step..],
            rows,
            ..self
        }
    }

    fn is_within(&self) -> bool {
        let last = (self.rows - 1) * self.row_step + (self.columns - 1) * self.column_step;
        last < self.elements.len()
    }
}

/// A compute type with a matrix product.
pub trait Product: Arithmetic {
    /// Writes `a` times `b` to the rows of `out`, which are `step` apart. No size may be 0.
    fn multiply(a: Matrix<'_, Self>, b: Matrix<'_, Self>, out: &mut [Self], step: usize);
}

macro_rules! float_product {
    ($($ty:ident)*) => {$(
        impl Product for $ty {
            fn multiply(a: Matrix<'_, $ty>, b: Matrix<'_, $ty>, out: &mut [$ty], step: usize) {
                let last = (a.rows - 1) * step + b.columns - 1;
                assert!(
                    a.columns == b.rows && a.is_within() && b.is_within() && last < out.len(),
                    "the matrices lie within their memory"
                );
                // SAFETY: every element that the steps reach is within its slice, as just checked; the result's is
                // borrowed mutably, so it overlaps no operand.
                unsafe {
                    gemm::gemm(
                        a.rows, b.columns, a.columns,
                        out.as_mut_ptr(), 1, step as isize, false,
                        a.elements.as_ptr(), a.column_step as isize, a.row_step as isize,
                        b.elements.as_ptr(), b.column_step as isize, b.row_step as isize,
                        0.0, 1.0, false, false, false, Parallelism::None,
                    );
                }
            }
        }
    )*};
}

float_product! { f32 f64 }

macro_rules! int_product {
    ($($ty:ident)*) => {$(
        impl Product for $ty {
            fn multiply(a: Matrix<'_, $ty>, b: Matrix<'_, $ty>, out: &mut [$ty], step: usize) {
                for i in 0..a.rows {
                    let row = &mut out[i * step..i * step + b.columns];
                    row.fill(0);
                    for k in 0..a.columns {
                        let factor = a.elements[i * a.row_step + k * a.column_step];
                        for (j, o) in row.iter_mut().enumerate() {
                            let other = b.elements[k * b.row_step + j * b.column_step];
                            *o = o.wrapping_add(factor.wrapping_mul(other));
                        }
                    }
                }
            }
        }
    )*};
}

int_product! { u8 i8 i16 i32 i64 }

/// Writes `a` times `b` to the rows of `out`, which are `step` apart, in parallel. A sum of no products is 0.
pub fn multiply<C: Product>(a: Matrix<'_, C>, b: Matrix<'_, C>, out: &mut [C], step: usize) {
    if a.rows == 0 || b.columns == 0 {
        return;
    }
    if a.columns == 0 {
        out.chunks_mut(step)
            .for_each(|row| row[..b.columns].fill(C::ZERO));
        return;
    }
    out.par_chunks_mut(ROWS * step)
        .enumerate()
        .for_each(|(block, part)| {
            let start = block * ROWS;
            if start < a.rows {
                let rows = ROWS.min(a.rows - start);
                C::multiply(a.rows_from(start, rows), b, part, step);
            }
        });
}

/// For each matrix of a result with these leading axes, the indices of its operands' matrices. Leading axes of size 1
/// are broadcast.
pub fn batches(sizes: &[usize], a: &Tensor, b: &Tensor) -> Vec<(usize, usize)> {
    let outer = sizes.len();
    let nest = Nest::broadcast(sizes, [&a.sizes()[..outer], &b.sizes()[..outer]]);
    let count: usize = sizes.iter().product();
    let mut places = Vec::with_capacity(count);
    nest.rows(0, count, |_, run, [i, j], [si, sj]| {
        places.extend((0..run as isize).map(|r| ((i + r * si) as usize, (j + r * sj) as usize)));
    });
    places
}

/// The elements in the compute type.
pub fn raised<T: Number>(x: &Tensor) -> Cow<'_, [T::Compute]> {
    match x.elements::<T::Compute>() {
        Some(same) => Cow::Borrowed(same),
        None => Cow::Owned(x.of::<T>().par_iter().map(|e| e.up()).collect()),
    }
}

/// A tensor of elements given in the compute type, rounded once.
pub fn lowered<T: Number>(sizes: &[usize], elements: Vec<T::Compute>) -> Tensor {
    let computed = Tensor::new(sizes, elements);
    if computed.dtype() == T::DTYPE {
        return computed;
    }
    super::unary::map(&computed, &T::down)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[i64], b: &[i64], (m, k, n): (usize, usize, usize)) -> Vec<i64> {
        let cell = |i: usize, j: usize| (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
        (0..m * n).map(|at| cell(at / n, at % n)).collect()
    }

    proptest! {
        #[test]
        fn products_of_small_numbers_are_exact(
            m in 0usize..70, k in 0usize..9, n in 1usize..9, seed in prop::collection::vec(-4i64..5, 9)
        ) {
            let numbers = |count: usize, by: usize| -> Vec<i64> { (0..count).map(|i| seed[(i * by) % 9]).collect() };
            let (a, b) = (numbers(m * k, 5), numbers(k * n, 7));
            let expected = naive(&a, &b, (m, k, n));
            let mut ints = vec![9; m * n];
            multiply(Matrix::dense(&a, m, k), Matrix::dense(&b, k, n), &mut ints, n);
            prop_assert_eq!(&ints, &expected);
            let a: Vec<f32> = a.iter().map(|&v| v as f32).collect();
            let turned: Vec<f32> = (0..k * n).map(|i| b[(i % k) * n + i / k] as f32).collect();
            let mut floats = vec![9.0; m * n];
            multiply(Matrix::dense(&a, m, k), Matrix::dense(&turned, n, k).transposed(), &mut floats, n);
            prop_assert!(floats.iter().zip(&expected).all(|(&f, &e)| f == e as f32));
        }
    }
}
