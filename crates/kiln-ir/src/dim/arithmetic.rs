//! Sums, differences and products of dims.

use super::Dim;
use super::term::{plus, times};
use std::ops::{Add, Mul, Neg, Sub};

fn sum(a: &Dim, b: &Dim) -> Dim {
    match (a.as_const(), b.as_const()) {
        (Some(x), Some(y)) => Dim::constant(plus(x, y)),
        _ => Dim::from_terms([a.to_terms(), b.to_terms()].concat()),
    }
}

fn product(a: &Dim, b: &Dim) -> Dim {
    match (a.as_const(), b.as_const()) {
        (Some(x), Some(y)) => Dim::constant(times(x, y)),
        _ => {
            let (left, right) = (a.to_terms(), b.to_terms());
            Dim::from_terms(
                left.iter()
                    .flat_map(|l| right.iter().map(|r| l.multiply(r)))
                    .collect(),
            )
        }
    }
}

impl Neg for &Dim {
    type Output = Dim;
    fn neg(self) -> Dim {
        product(self, &Dim::constant(-1))
    }
}

impl Neg for Dim {
    type Output = Dim;
    fn neg(self) -> Dim {
        -&self
    }
}

macro_rules! arithmetic {
    ($($trait:ident $method:ident $function:expr;)*) => {$(
        impl<D: Into<Dim>> $trait<D> for Dim {
            type Output = Dim;
            fn $method(self, other: D) -> Dim { $function(&self, &other.into()) }
        }
        impl<D: Into<Dim>> $trait<D> for &Dim {
            type Output = Dim;
            fn $method(self, other: D) -> Dim { $function(self, &other.into()) }
        }
    )*};
}

arithmetic! {
    Add add sum;
    Sub sub |a: &Dim, b: &Dim| sum(a, &-b);
    Mul mul product;
}

impl std::iter::Product for Dim {
    fn product<I: Iterator<Item = Dim>>(dims: I) -> Dim {
        dims.fold(Dim::constant(1), |a, b| product(&a, &b))
    }
}

impl std::iter::Sum for Dim {
    fn sum<I: Iterator<Item = Dim>>(dims: I) -> Dim {
        dims.fold(Dim::constant(0), |a, b| sum(&a, &b))
    }
}
