//! What moves, joins and picks integers, and requantisations.

use super::{Grown, Layer, Network};
use kiln_ir::ops::{ArgFn, ArgReduce, Concat, Index, Pad, PadMode, Reverse};
use kiln_ir::{DType, Dim, Scalar, ValueId};

impl Network<'_> {
    /// A layer of what only moves the elements of another: quantised anew, or as it is.
    fn moved(&mut self, y: ValueId, x: Layer) -> Grown {
        // A part may have no elements.
        if self.sizes(y)?.contains(&0) {
            return None;
        }
        if self.g.random.chance(50) {
            return self.carried(y, x);
        }
        self.layers.push(Layer { value: y, ..x });
        Some(())
    }
}

/// Other parameters or another width.
pub(super) fn requantised(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|_| true)?;
    let is_wide = net.is_wide != net.g.random.chance(40);
    let (quant, dtype) = net.activations(x.reach, x.is_positive, is_wide);
    let value = net.through(x.value, quant.into(), dtype)?;
    net.layers.push(Layer { value, ..x });
    Some(())
}

pub(super) fn movement(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|_| true)?;
    let y = match net.g.random.chance(12) {
        true => {
            let axes = (0..net.g.rank(x.value))
                .filter(|_| net.g.random.chance(50))
                .collect();
            net.g.put(Reverse { axes }, &[x.value])?
        }
        false => {
            let movement = net.g.some_movement(&net.g.shape(x.value))?;
            net.g.moved(x.value, movement)?
        }
    };
    net.moved(y, x)
}

pub(super) fn padded(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 1)?;
    let rank = net.g.rank(x.value);
    let random = &mut net.g.random;
    let is_spatial = rank == 4 && random.chance(70);
    let mut amount = || -> Vec<Dim> {
        let one = |axis: usize| match is_spatial && axis < 2 {
            true => 0,
            false => random.between(0, 2),
        };
        (0..rank).map(one).map(Dim::constant).collect()
    };
    let (low, high) = (amount(), amount());
    let sizes = net.g.shape(x.value);
    // A reflection has no element twice.
    let amounts = low.iter().chain(&high).zip(sizes.iter().cycle());
    let reflects = amounts
        .into_iter()
        .all(|(n, size)| n.as_const() < size.as_const());
    let random = &mut net.g.random;
    let mode = match random.below(8) {
        0 if reflects => PadMode::Reflect,
        1 => PadMode::Replicate,
        2 => PadMode::Constant(Scalar::Float(x.reach * random.unit())),
        _ => PadMode::Constant(Scalar::Int(0)),
    };
    let y = net.g.put(Pad { low, high, mode }, &[x.value])?;
    net.moved(y, x)
}

pub(super) fn joined(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 1)?;
    let sizes = net.sizes(x.value)?;
    let axis = match sizes.len() {
        4 if net.g.random.chance(60) => 1,
        rank => net.g.random.below(rank),
    };
    let meets = |other: &[i64]| {
        let pairs = || sizes.iter().zip(other).enumerate();
        other.len() == sizes.len() && pairs().all(|(i, (a, b))| i == axis || a == b)
    };
    let found = net
        .layers
        .iter()
        .filter(|l| net.sizes(l.value).is_some_and(|s| meets(&s)));
    let found: Vec<Layer> = found.copied().collect();
    let count = 1 + net.g.random.below(3);
    let others = (0..count).map(|_| *net.g.random.pick(&found));
    let mut all: Vec<Layer> = others.collect();
    all.push(x);
    let operands: Vec<ValueId> = all.iter().map(|l| l.value).collect();
    let y = net.g.put(Concat { axis }, &operands)?;
    let reach = all.iter().fold(0.0, |m: f64, l| m.max(l.reach));
    net.quantised(y, reach, all.iter().all(|l| l.is_positive))
}

/// A slice.
pub(super) fn part(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 1)?;
    let axis = net.g.random.below(net.g.rank(x.value));
    let slice = net.g.part(x.value, axis)?;
    let y = net.g.put(slice, &[x.value])?;
    net.moved(y, x)
}

/// Elements by indices that are known.
pub(super) fn picked(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 1)?;
    let sizes = net.sizes(x.value)?;
    let axis = net.g.random.below(sizes.len());
    let count = 1 + net.g.random.below(4);
    let places = (0..count).map(|_| Scalar::Int(net.g.random.between(0, sizes[axis] - 1)));
    let places: Vec<Scalar> = places.collect();
    let indices = net.g.constant_of(DType::I64, &[count as i64], places);
    let y = net.g.put(Index::new(axis), &[x.value, indices])?;
    net.moved(y, x)
}

/// Where the greatest or least number is: an output.
pub(super) fn extreme_place(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 1)?;
    let axis = net.g.random.below(net.g.rank(x.value));
    let f = *net.g.random.pick(&[ArgFn::Max, ArgFn::Max, ArgFn::Min]);
    net.g.put(ArgReduce { f, axis }, &[x.value]).map(|_| ())
}
