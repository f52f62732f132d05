//! `binary`, `compare` and `select`.

use crate::element::*;
use crate::error::Cause;
use crate::nest::{Nest, filled};
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::ops::{BinaryFn, CompareFn};

/// `f` of each pair of elements; operands repeat along axes of size 1.
fn zip<T: Element, R: Element>(
    a: &Tensor,
    b: &Tensor,
    sizes: &[usize],
    f: impl Fn(T, T) -> R + Sync,
) -> Tensor {
    Tensor::new(sizes, zipped(a.of(), b.of(), (a, b), sizes, f))
}

fn zipped<T: Element, R: Element>(
    a: &[T],
    b: &[T],
    operands: (&Tensor, &Tensor),
    sizes: &[usize],
    f: impl Fn(T, T) -> R + Sync,
) -> Vec<R> {
    let nest = Nest::broadcast(sizes, [operands.0.sizes(), operands.1.sizes()]);
    filled(sizes.iter().product(), |start, part| {
        nest.rows(start, part.len(), |at, run, [i, j], steps| {
            let out = &mut part[at..at + run];
            let (i, j) = (i as usize, j as usize);
            match steps {
                [0, 0] => out.fill(f(a[i], b[j])),
                [0, _] => out
                    .iter_mut()
                    .zip(&b[j..j + run])
                    .for_each(|(o, &y)| *o = f(a[i], y)),
                [_, 0] => out
                    .iter_mut()
                    .zip(&a[i..i + run])
                    .for_each(|(o, &x)| *o = f(x, b[j])),
                [_, _] => {
                    let pairs = a[i..i + run].iter().zip(&b[j..j + run]);
                    out.iter_mut()
                        .zip(pairs)
                        .for_each(|(o, (&x, &y))| *o = f(x, y));
                }
            }
        });
    })
}

/// The function of every pair.
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

fn computed<T: Number>(
    a: &Tensor,
    b: &Tensor,
    sizes: &[usize],
    f: impl Fn(T::Compute, T::Compute) -> T::Compute + Sync,
) -> Tensor {
    zip(a, b, sizes, |x: T, y: T| T::down(f(x.up(), y.up())))
}

fn float<T: Float>(f: BinaryFn, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    match f {
        BinaryFn::Div => computed::<T>(a, b, sizes, Real::div),
        BinaryFn::Atan2 => computed::<T>(a, b, sizes, |y, x| {
            Real::from_f64(libm::atan2(y.to_f64(), x.to_f64()))
        }),
        _ => computed::<T>(a, b, sizes, |x, slope| {
            if x > Arithmetic::ZERO {
                x
            } else {
                x.mul(slope)
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
        BinaryFn::Add => computed::<T>(a, b, sizes, Arithmetic::add),
        BinaryFn::Sub => computed::<T>(a, b, sizes, Arithmetic::sub),
        BinaryFn::Mul => computed::<T>(a, b, sizes, Arithmetic::mul),
        BinaryFn::FloorDiv => computed::<T>(a, b, sizes, Arithmetic::floor_div),
        BinaryFn::TruncDiv => computed::<T>(a, b, sizes, Arithmetic::trunc_div),
        BinaryFn::Remainder => computed::<T>(a, b, sizes, Arithmetic::remainder),
        BinaryFn::Fmod => computed::<T>(a, b, sizes, Arithmetic::fmod),
        BinaryFn::Pow => computed::<T>(a, b, sizes, Arithmetic::pow),
        BinaryFn::Max => computed::<T>(a, b, sizes, Arithmetic::greater),
        BinaryFn::Min => computed::<T>(a, b, sizes, Arithmetic::less),
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

/// True where the relation holds.
pub fn compare(f: CompareFn, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    with_element!(a.dtype(), T, {
        match f {
            CompareFn::Eq => zip(a, b, sizes, |x: T, y: T| x == y),
            CompareFn::Ne => zip(a, b, sizes, |x: T, y: T| x != y),
            CompareFn::Lt => zip(a, b, sizes, |x: T, y: T| x < y),
            CompareFn::Le => zip(a, b, sizes, |x: T, y: T| x <= y),
            CompareFn::Gt => zip(a, b, sizes, |x: T, y: T| x > y),
            CompareFn::Ge => zip(a, b, sizes, |x: T, y: T| x >= y),
        }
    })
}

/// `a` where the condition holds, else `b`.
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
