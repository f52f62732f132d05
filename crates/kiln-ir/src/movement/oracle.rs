//! The meaning of movements by brute force over index maps, and random movements for tests.
//!
//! An index map has, for every element of the result in row-major order, its index in the source.

use super::{Composed, Movement};
use crate::arena::{Id, SymbolId};
use crate::dim::{Dim, Symbol, Symbols};
use proptest::prelude::*;

/// Randomly drawn factors, not in normal form, of known or symbolic sizes.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) sizes: Vec<Dim>,
    pub(super) source: Vec<Vec<usize>>,
    pub(super) result: Vec<Vec<usize>>,
}

/// The values of the symbols `s0` and `s1`.
pub(super) type Values = [i64; 2];

pub(super) fn symbols() -> Symbols {
    let mut symbols = Symbols::default();
    for name in ["s0", "s1"] {
        symbols.add(Symbol {
            name: name.into(),
            min: 0,
            max: None,
            hint: None,
        });
    }
    symbols
}

pub(super) fn known(sizes: &[i64]) -> Vec<Dim> {
    sizes.iter().map(|&size| Dim::constant(size)).collect()
}

pub(super) fn at(shape: &[Dim], values: Values) -> Vec<usize> {
    let value = |size: &Dim| size.evaluate(&|id: SymbolId| values.get(id.index()).copied());
    let value = |size: &Dim| usize::try_from(value(size).unwrap()).unwrap();
    shape.iter().map(value).collect()
}

impl Drawn {
    pub(super) fn movement(&self) -> Movement {
        let (source, result) = (self.source.clone(), self.result.clone());
        Movement::from_parts(self.sizes.clone(), source, result).unwrap()
    }

    pub(super) fn shape(&self, axes: &[Vec<usize>]) -> Vec<Dim> {
        let size = |axis: &Vec<usize>| axis.iter().map(|&f| self.sizes[f].clone()).product();
        axes.iter().map(size).collect()
    }

    pub(super) fn index_map(&self, values: Values) -> Vec<usize> {
        let sizes = at(&self.sizes, values);
        let (source, result) = (self.source.concat(), self.result.concat());
        (0..sizes.iter().product())
            .map(|mut index: usize| {
                let mut digits = vec![0; sizes.len()];
                for &factor in result.iter().rev() {
                    digits[factor] = index % sizes[factor];
                    index /= sizes[factor];
                }
                source.iter().fold(0, |at, &f| at * sizes[f] + digits[f])
            })
            .collect()
    }
}

/// The index map of a movement.
pub(super) fn map_of(movement: &Movement, values: Values) -> Vec<usize> {
    let as_drawn = |axes: &[super::AxisFactors]| -> Vec<Vec<usize>> {
        axes.iter()
            .map(|axis| axis.iter().map(|f| f.index()).collect())
            .collect()
    };
    let drawn = Drawn {
        sizes: movement.sizes().to_vec(),
        source: as_drawn(movement.source()),
        result: as_drawn(movement.result()),
    };
    drawn.index_map(values)
}

pub(super) fn then(first: &[usize], second: &[usize]) -> Vec<usize> {
    second.iter().map(|&middle| first[middle]).collect()
}

pub(super) fn map_of_steps(steps: &Composed, values: Values) -> Vec<usize> {
    let maps = steps.steps().into_iter().map(|m| map_of(m, values));
    maps.reduce(|first, second| then(&first, &second)).unwrap()
}

/// The coordinates of element `index` of a tensor.
pub(super) fn coordinates(shape: &[usize], mut index: usize) -> Vec<usize> {
    let mut coordinates = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        coordinates[axis] = index % shape[axis];
        index /= shape[axis];
    }
    coordinates
}

/// The shortest loop nest that visits the indices of the map: (steps, stride in the source), innermost first. `None` if
/// there is no nest whose strides are those of factors. The map must not be empty.
pub(super) fn nest(map: &[usize]) -> Option<Vec<(usize, usize)>> {
    let mut loops = Vec::new();
    let mut starts = map.to_vec();
    while starts.len() > 1 {
        let stride = starts[1].checked_sub(starts[0])?;
        let steps = 1 + starts
            .windows(2)
            .take_while(|w| w[0] + stride == w[1])
            .count();
        let whole = starts
            .chunks(steps)
            .all(|c| c.len() == steps && c.windows(2).all(|w| w[0] + stride == w[1]));
        if !whole {
            return None;
        }
        loops.push((steps, stride));
        starts = starts.into_iter().step_by(steps).collect();
    }
    let mut by_stride = loops.clone();
    by_stride.sort_by_key(|l| l.1);
    let mut expected = 1;
    for (steps, stride) in by_stride {
        if stride != expected {
            return None;
        }
        expected *= steps;
    }
    Some(loops)
}

/// True if the map is one split, permutation and merge between tensors of these shapes. No size may be 0.
pub(super) fn has_normal_form(map: &[usize], source: &[usize], result: &[usize]) -> bool {
    let Some(loops) = nest(map) else {
        return false;
    };
    let (source, result) = (boundaries(source), boundaries(result));
    let mut inner = 1;
    for (steps, stride) in loops {
        let within = |all: &[usize], unit: usize| -> Option<Vec<usize>> {
            let inside = all.iter().filter(|&&b| unit < b && b < unit * steps);
            inside
                .map(|b| (b % unit == 0).then_some(b / unit))
                .collect()
        };
        let (Some(a), Some(b)) = (within(&source, stride), within(&result, inner)) else {
            return false;
        };
        let mut chain = [a, b, vec![steps]].concat();
        chain.sort_unstable();
        if chain.windows(2).any(|w| w[1] % w[0] != 0) {
            return false;
        }
        inner *= steps;
    }
    true
}

fn boundaries(shape: &[usize]) -> Vec<usize> {
    let suffix = |axis: usize| shape[axis..].iter().product();
    (0..shape.len()).map(suffix).collect()
}

/// The kind of sizes that are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sizes {
    /// 1 to 4.
    Positive,
    /// 0 to 4, rarely 0.
    Known,
    /// Monomials over `s0` and `s1`, and known sizes.
    Monomials,
    /// Polynomials over `s0` and `s1`, and known sizes.
    Symbolic,
}

pub(super) fn size(which: Sizes) -> BoxedStrategy<Dim> {
    let s = |i| Dim::symbol(SymbolId::new(i));
    let positive = prop_oneof![1 => Just(1i64), 3 => Just(2), 2 => 3i64..5].prop_map(Dim::constant);
    let monomial = prop::sample::select(vec![s(0), s(1), s(0), s(0) * 2, s(0) * s(1)]);
    match which {
        Sizes::Positive => positive.boxed(),
        Sizes::Known => prop_oneof![8 => positive, 1 => Just(Dim::constant(0))].boxed(),
        Sizes::Monomials => prop_oneof![positive, monomial].boxed(),
        Sizes::Symbolic => {
            let sums = vec![
                s(0) + 1,
                s(0) + s(1),
                s(0) * s(0) + 2,
                s(0).floor_div(&2.into()),
            ];
            prop_oneof![2 => positive, 2 => monomial, 1 => prop::sample::select(sums)].boxed()
        }
    }
}

pub(super) fn any_sizes() -> impl Strategy<Value = Sizes> {
    prop::sample::select(vec![Sizes::Positive, Sizes::Known, Sizes::Symbolic])
}

pub(super) fn values() -> impl Strategy<Value = Values> {
    [0i64..4, 0i64..4]
}

/// Distributes `items` over axes in order. Some axes stay empty.
fn deal(items: Vec<usize>, counts: &[usize]) -> Vec<Vec<usize>> {
    let mut rest = items.into_iter();
    let mut axes: Vec<Vec<usize>> = counts
        .iter()
        .map(|&n| rest.by_ref().take(n).collect())
        .collect();
    axes.extend(rest.map(|item| vec![item]));
    axes
}

pub(super) fn drawn(which: Sizes) -> impl Strategy<Value = Drawn> {
    prop::collection::vec(size(which), 0..6).prop_flat_map(|sizes| {
        let order: Vec<usize> = (0..sizes.len()).collect();
        let counts = || prop::collection::vec(0usize..4, 0..5);
        (Just(order.clone()).prop_shuffle(), counts(), counts()).prop_map(move |(moved, a, b)| {
            Drawn {
                sizes: sizes.clone(),
                source: deal(order.clone(), &a),
                result: deal(moved, &b),
            }
        })
    })
}

/// A shape whose axes are products of consecutive factors.
pub(super) fn grouping(factors: Vec<Dim>) -> impl Strategy<Value = Vec<Dim>> {
    prop::collection::vec(0usize..4, 0..5).prop_map(move |counts| {
        let axes = deal((0..factors.len()).collect(), &counts);
        let size = |axis: &Vec<usize>| axis.iter().map(|&f| factors[f].clone()).product();
        axes.iter().map(size).collect()
    })
}

/// A movement from tensors of this shape. Each axis is split at random.
pub(super) fn drawn_from(shape: Vec<Dim>) -> impl Strategy<Value = Drawn> {
    let divisors = prop::collection::vec(2i64..5, 0..4);
    let splits = prop::collection::vec(divisors, shape.len());
    let split = splits.prop_map(move |splits| {
        let (mut sizes, mut source) = (Vec::new(), Vec::new());
        for (size, divisors) in shape.iter().zip(splits) {
            let start = sizes.len();
            let mut rest = size.clone();
            for by in divisors {
                if let Some(quotient) = rest.exact_div(&by.into()).filter(|_| !rest.is(0)) {
                    sizes.push(Dim::constant(by));
                    rest = quotient;
                }
            }
            sizes.push(rest);
            source.push((start..sizes.len()).collect());
        }
        (sizes, source)
    });
    let counts = prop::collection::vec(0usize..4, 0..5);
    (split, counts).prop_flat_map(|((sizes, source), counts)| {
        let order: Vec<usize> = (0..sizes.len()).collect();
        Just(order).prop_shuffle().prop_map(move |moved| Drawn {
            sizes: sizes.clone(),
            source: source.clone(),
            result: deal(moved, &counts),
        })
    })
}

/// Two movements, of which the second starts at the result of the first.
pub(super) fn drawn_pair(which: Sizes) -> impl Strategy<Value = (Drawn, Drawn)> {
    drawn(which).prop_flat_map(|first| {
        let middle = first.shape(&first.result);
        (Just(first), drawn_from(middle))
    })
}
