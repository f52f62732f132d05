//! Parts of a network that are not quantised: functions of floats, and plain integers.

use super::{Grown, Network};
use crate::generate::elementwise::SIMPLE;
use kiln_ir::ops::{
    Binary, BinaryFn, Cast, Compare, CompareFn, Reduce, ReduceFn, Scan, ScanFn, Unary,
};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, ValueId};

pub(super) fn plain(net: &mut Network<'_>) -> Grown {
    match net.g.random.below(9) {
        0 | 1 => function(net),
        2 => angle(net),
        3 => words(net),
        4 => halves(net),
        5 | 6 => scan(net),
        _ => integers(net),
    }
}

/// Any function, whose result is an output.
fn function(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|_| true)?;
    let f = (*net.g.random.pick(&SIMPLE)).into();
    net.g.put(Unary { f }, &[x.value]).map(|_| ())
}

/// A running sum, product or extreme of floats or of integers.
fn scan(net: &mut Network<'_>) -> Grown {
    use ScanFn::{Max, Min, Prod, Sum};
    let f = *net.g.random.pick(&[Sum, Prod, Max, Min]);
    let x = match *net.g.random.pick(&[DType::F32, DType::I32, DType::I64]) {
        DType::F32 => net.layer(|rank| rank > 0)?.value,
        to => {
            let sizes = [net.g.random.between(1, 6), net.g.random.between(1, 9)];
            let x = net.g.fresh_of(DType::I32, &sizes);
            match to {
                DType::I64 => net.g.put(Cast { to }, &[x])?,
                _ => x,
            }
        }
    };
    let axis = net.g.random.below(net.g.ty(x).rank());
    net.g.put(Scan { f, axis }, &[x]).map(|_| ())
}

/// The angle of a value and another of its shape, or itself.
fn angle(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|_| true)?;
    let ty = net.g.ty(x.value);
    let y = net.g.any(|t| *t == ty).unwrap_or(x.value);
    let f = BinaryFn::Atan2;
    net.g.put(Binary { f }, &[x.value, y]).map(|_| ())
}

/// A value in integers of 32 bits, as sums have them, on its way to fewer.
fn words(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|_| true)?;
    let scale = x.reach.max(1e-6) / f64::from(1 << 22);
    let scheme = QuantScheme::PerTensor {
        scale,
        zero_point: 0,
    };
    let (min, max) = (i32::MIN.into(), i32::MAX.into());
    let quant = Quant { scheme, min, max };
    let y = net.through(x.value, quant.into(), DType::I32)?;
    match net.g.random.chance(70) {
        true => net.quantised(y, x.reach, x.is_positive),
        false => Some(()),
    }
}

/// A value in floats of 16 bits, and back.
fn halves(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|_| true)?;
    let to = *net.g.random.pick(&[DType::BF16, DType::F16]);
    let half = net.g.put(Cast { to }, &[x.value])?;
    let to = DType::F32;
    net.g.put(Cast { to }, &[half]).map(|_| ())
}

/// An input of integers of some width, with an op on it.
fn integers(net: &mut Network<'_>) -> Grown {
    use DType::{I8, I16, I32, I64, U8};
    let dtype = *net.g.random.pick(&[U8, I8, I16, I32, I64]);
    let sizes = [net.g.random.between(1, 6), net.g.random.between(1, 9)];
    let x = net.g.fresh_of(I32, &sizes);
    let x = match dtype {
        I32 => x,
        to => net.g.put(Cast { to }, &[x])?,
    };
    let made: Option<ValueId> = match net.g.random.below(5) {
        0 => {
            let f = *net.g.random.pick(&[CompareFn::Lt, CompareFn::Eq]);
            let y = net.g.constant(dtype, &sizes);
            net.g.put(Compare { f }, &[x, y])
        }
        1 => {
            let f = *net.g.random.pick(&[BinaryFn::Add, BinaryFn::Max]);
            let y = net.g.constant(dtype, &sizes);
            net.g.put(Binary { f }, &[x, y])
        }
        2 if matches!(dtype, I32 | I64) && net.g.random.chance(50) => {
            use ScanFn::{Max, Min, Prod, Sum};
            let f = *net.g.random.pick(&[Sum, Prod, Max, Min]);
            let axis = net.g.random.below(2);
            net.g.put(Scan { f, axis }, &[x])
        }
        2 if matches!(dtype, I32 | I64) => {
            let (f, axes) = (ReduceFn::Sum, net.g.axes(2));
            net.g.put(Reduce { f, axes }, &[x])
        }
        3 => return net.g.scatter_to(x),
        _ => {
            let f = *net.g.random.pick(&[ReduceFn::Max, ReduceFn::Min]);
            let axes = net.g.axes(2);
            net.g.put(Reduce { f, axes }, &[x])
        }
    };
    made.map(|_| ())
}
