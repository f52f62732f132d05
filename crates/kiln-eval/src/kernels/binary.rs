//! `binary`, `compare` and `select`.

use crate::dispatch::{with_element, with_float, with_int, with_number, with_word};
use crate::element::*;
use crate::error::Cause;
use crate::nest::{Nest, filled};
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::ops::{BinaryFn, CompareFn};

/// `f` of each pair of elements. Operands are broadcast along axes of size 1. `f` is a function pointer, so that there
/// is one loop for each pair of types, instead of one for each function.
fn zip<T: Element, R: Element>(
    a: &Tensor,
    b: &Tensor,
    sizes: &[usize],
    f: fn(T, T) -> R,
) -> Tensor {
    Tensor::new(sizes, zipped(a.of(), b.of(), (a, b), sizes, f))
}

fn zipped<T: Element, R: Element>(
    a: &[T],
    b: &[T],
    operands: (&Tensor, &Tensor),
    sizes: &[usize],
    f: fn(T, T) -> R,
) -> Vec<R> {
    let nest = Nest::broadcast(sizes, [operands.0.sizes(), operands.1.sizes()]);
    filled(sizes.iter().product(), |start, part| {
        nest.rows(start, part.len(), |at, run, [i, j], [si, sj]| {
            let (mut i, mut j) = (i, j);
            for o in &mut part[at..at + run] {
                *o = f(a[i as usize], b[j as usize]);
                i += si;
                j += sj;
            }
        });
    })
}

/// The function of each pair of elements.
///
/// # Errors
/// If the function does not take the dtype, or an integer is divided by zero.
pub fn binary(f: BinaryFn, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    match f {
        BinaryFn::BitAnd | BinaryFn::BitOr | BinaryFn::BitXor => Ok(bitwise(f, a, b, sizes)),
        BinaryFn::Max if a.dtype() == DType::Bool => Ok(zip(a, b, sizes, |x: bool, y| x | y)),
        BinaryFn::Min if a.dtype() == DType::Bool => Ok(zip(a, b, sizes, |x: bool, y| x & y)),
        BinaryFn::Shl => with_int!(a.dtype(), T, Ok(zip(a, b, sizes, <T as Int>::shl))),
        BinaryFn::Shr => with_int!(a.dtype(), T, Ok(zip(a, b, sizes, <T as Int>::shr))),
        BinaryFn::Div | BinaryFn::Atan2 | BinaryFn::Prelu => {
            with_float!(a.dtype(), T, Ok(float::<T>(f, a, b, sizes)))
        }
        _ => with_number!(a.dtype(), T, number::<T>(f, a, b, sizes)),
    }
}

fn bitwise(f: BinaryFn, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    with_word!(a.dtype(), W, {
        let words = |f: fn(W, W) -> W| zipped(a.words::<W>(), b.words::<W>(), (a, b), sizes, f);
        let words = match f {
            BinaryFn::BitAnd => words(|x, y| x & y),
            BinaryFn::BitOr => words(|x, y| x | y),
            _ => words(|x, y| x ^ y),
        };
        Tensor::from_words(a.dtype(), sizes.to_vec(), words)
    })
}

fn float<T: Float>(f: BinaryFn, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    match f {
        BinaryFn::Div => zip(a, b, sizes, |x: T, y: T| T::down(x.up().div(y.up()))),
        BinaryFn::Atan2 => zip(a, b, sizes, |y: T, x: T| {
            T::down(Real::from_f64(libm::atan2(y.term(), x.term())))
        }),
        _ => zip(a, b, sizes, |x: T, slope: T| {
            if x > T::default() {
                x
            } else {
                T::down(x.up().mul(slope.up()))
            }
        }),
    }
}

fn number<T: Number>(
    f: BinaryFn,
    a: &Tensor,
    b: &Tensor,
    sizes: &[usize],
) -> Result<Tensor, Cause> {
    let divides = matches!(
        f,
        BinaryFn::FloorDiv | BinaryFn::TruncDiv | BinaryFn::Remainder | BinaryFn::Fmod
    );
    if divides && T::DTYPE.is_int() && b.of::<T>().contains(&T::default()) {
        return Err(Cause::DivisionByZero);
    }
    Ok(match f {
        BinaryFn::Add => zip(a, b, sizes, |x: T, y: T| T::down(x.up().add(y.up()))),
        BinaryFn::Sub => zip(a, b, sizes, |x: T, y: T| T::down(x.up().sub(y.up()))),
        BinaryFn::Mul => zip(a, b, sizes, |x: T, y: T| T::down(x.up().mul(y.up()))),
        BinaryFn::FloorDiv => zip(a, b, sizes, |x: T, y: T| T::down(x.up().floor_div(y.up()))),
        BinaryFn::TruncDiv => zip(a, b, sizes, |x: T, y: T| T::down(x.up().trunc_div(y.up()))),
        BinaryFn::Remainder => zip(a, b, sizes, |x: T, y: T| T::down(x.up().remainder(y.up()))),
        BinaryFn::Fmod => zip(a, b, sizes, |x: T, y: T| T::down(x.up().fmod(y.up()))),
        BinaryFn::Pow => zip(a, b, sizes, |x: T, y: T| T::down(x.up().pow(y.up()))),
        BinaryFn::Max => zip(a, b, sizes, |x: T, y: T| T::down(x.up().greater(y.up()))),
        BinaryFn::Min => zip(a, b, sizes, |x: T, y: T| T::down(x.up().less(y.up()))),
        BinaryFn::Div
        | BinaryFn::Atan2
        | BinaryFn::Prelu
        | BinaryFn::BitAnd
        | BinaryFn::BitOr
        | BinaryFn::BitXor
        | BinaryFn::Shl
        | BinaryFn::Shr => unreachable!("functions of some numbers are chosen before"),
    })
}

/// The comparison of each pair of elements.
pub fn compare(f: CompareFn, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    with_element!(a.dtype(), T, {
        match f {
            CompareFn::Eq => zip(a, b, sizes, |x: T, y: T| x.eq(&y)),
            CompareFn::Ne => zip(a, b, sizes, |x: T, y: T| x.ne(&y)),
            CompareFn::Lt => zip(a, b, sizes, |x: T, y: T| x.lt(&y)),
            CompareFn::Le => zip(a, b, sizes, |x: T, y: T| x.le(&y)),
            CompareFn::Gt => zip(a, b, sizes, |x: T, y: T| x.gt(&y)),
            CompareFn::Ge => zip(a, b, sizes, |x: T, y: T| x.ge(&y)),
        }
    })
}

/// `a` where the condition is true, else `b`.
pub fn select(condition: &Tensor, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    let nest = Nest::broadcast(sizes, [condition.sizes(), a.sizes(), b.sizes()]);
    let holds = condition.of::<bool>();
    with_word!(a.dtype(), W, {
        let (x, y) = (a.words::<W>(), b.words::<W>());
        let words = filled(sizes.iter().product(), |start, part: &mut [W]| {
            nest.rows(start, part.len(), |at, run, [c, i, j], [sc, si, sj]| {
                let out = part[at..at + run].iter_mut();
                (0isize..).zip(out).for_each(|(n, o)| {
                    let (i, j) = ((i + n * si) as usize, (j + n * sj) as usize);
                    *o = if holds[(c + n * sc) as usize] {
                        x[i]
                    } else {
                        y[j]
                    };
                });
            });
        });
        Tensor::from_words(a.dtype(), sizes.to_vec(), words)
    })
}
