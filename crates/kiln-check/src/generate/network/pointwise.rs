//! Functions of one value and of two, softmax, and reductions.

use super::{Grown, Layer, Network};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{Binary, BinaryFn, Reduce, ReduceFn, Simple, Softmax, Unary, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Scalar, ValueId};
use std::sync::Arc;

impl Network<'_> {
    /// A value that may have a limit, as a convolution and its activation are quantised together, with how far it reaches.
    pub(super) fn limited(&mut self, y: ValueId, reach: f64) -> Option<(ValueId, f64, bool)> {
        let bound = |v: f64| Some(Scalar::Float(v));
        let random = &mut self.g.random;
        let (f, reach, is_positive) = match random.below(20) {
            0..6 => (UnaryFn::RELU, reach, true),
            6..8 => {
                let (min, max) = (bound(0.0), bound(6.0));
                (UnaryFn::Clamp { min, max }, reach.min(6.0), true)
            }
            8 => {
                let least = -reach * random.unit();
                let (min, max) = (bound(least), bound(reach * random.unit()));
                (UnaryFn::Clamp { min, max }, reach, false)
            }
            _ => return Some((y, reach, false)),
        };
        let y = self.g.put(Unary { f }, &[y])?;
        Some((y, reach, is_positive))
    }

    /// A value in fine steps or in coarse ones, as exponentials are taken of.
    fn scores(&mut self, x: Layer) -> Option<Layer> {
        let random = &mut self.g.random;
        let (dtype, end) = match self.is_wide {
            true => (DType::I16, 32_768),
            false => (DType::I8, 128),
        };
        let scale = match random.chance(50) {
            true => *random.pick(&[1.0 / 1024.0, 1.0 / 256.0, 1.0 / 64.0, 1.0 / 8.0, 1.0, 4.0]),
            false => (12.0 * random.unit() - 10.0).exp2(),
        };
        let scale = if self.is_wide { scale / 256.0 } else { scale };
        let zero_point = match self.is_wide {
            true => 0,
            false => random.between(-100, 100),
        };
        let scheme = QuantScheme::PerTensor { scale, zero_point };
        let (min, max) = (-end, end - 1);
        let value = self.through(x.value, Arc::new(Quant { scheme, min, max }), dtype)?;
        let reach = x.reach.min(scale * 2.0 * end as f64);
        Some(Layer { value, reach, ..x })
    }

    /// How far a function of numbers that reach so far reaches, and whether it is positive.
    fn image_of(f: UnaryFn, x: Layer) -> Option<(f64, bool)> {
        let least = if x.is_positive { 0 } else { -64 };
        let grid = (least..=64).map(|i| f64::from(i) / 64.0 * x.reach);
        let grid: Vec<f32> = grid.map(|v| v as f32).collect();
        let tensor = Tensor::new([grid.len()], grid);
        let mut bindings = Bindings::default();
        let found = evaluate_op(&Unary { f }.into(), &[tensor], &mut bindings, 1 << 20).ok()?;
        let found = found.first()?.scalars();
        let numbers = || found.iter().map(|s| s.as_f64()).filter(|v| v.is_finite());
        let reach = numbers().fold(0.0, |m: f64, v| m.max(v.abs()));
        Some((reach.clamp(1e-3, 1e4), numbers().all(|v| v >= 0.0)))
    }

    /// A quantised constant that meets a value: of its shape, of one axis, or a number.
    fn partner_constant(
        &mut self,
        sizes: &[i64],
        reach: f64,
        is_positive: bool,
    ) -> Option<ValueId> {
        let random = &mut self.g.random;
        let only = random.below(sizes.len().max(1));
        let kind = random.below(3);
        let kept = |axis: usize| match kind {
            0 => true,
            1 => axis == only,
            _ => false,
        };
        let own = sizes.iter().enumerate();
        let own: Vec<i64> = own.map(|(i, &n)| if kept(i) { n } else { 1 }).collect();
        let count: i64 = own.iter().product();
        let mut number = || {
            let real = reach * (2.0 * random.unit() - 1.0);
            if is_positive {
                real.abs() + 0.2 * reach
            } else {
                real
            }
        };
        let values: Vec<Scalar> = (0..count).map(|_| Scalar::Float(number())).collect();
        let made = self.g.constant_of(DType::F32, &own, values);
        match self.g.random.chance(70) {
            false => Some(made),
            true => {
                let (quant, dtype) = self.activations(1.2 * reach, is_positive, self.is_wide);
                let made = self.through(made, Arc::new(quant), dtype)?;
                self.forget(made);
                Some(made)
            }
        }
    }

    /// Another operand for a value, with how far it reaches and whether it is positive.
    fn partner(&mut self, x: Layer, wants_positive: bool) -> Option<Layer> {
        let sizes = self.sizes(x.value)?;
        let meets = |other: &[i64]| {
            let pairs = || sizes.iter().zip(other);
            other.len() == sizes.len() && pairs().all(|(a, b)| a == b || *a == 1 || *b == 1)
        };
        let layers = self
            .layers
            .iter()
            .filter(|l| !wants_positive || l.is_positive);
        let found = layers.filter(|l| self.sizes(l.value).is_some_and(|s| meets(&s)));
        let found: Vec<Layer> = found.copied().collect();
        if !found.is_empty() && self.g.random.chance(60) {
            return Some(*self.g.random.pick(&found));
        }
        let reach = x.reach * (2.0 * self.g.random.unit() - 1.0).exp2();
        let value = self.partner_constant(&sizes, reach, wants_positive)?;
        Some(Layer {
            value,
            reach,
            is_positive: wants_positive,
        })
    }
}

/// Two values, or one and a constant.
pub(super) fn pair(net: &mut Network<'_>) -> Grown {
    use BinaryFn::{Add, Div, Max, Min, Mul, Sub};
    let x = net.layer(|_| true)?;
    let f = *net
        .g
        .random
        .pick(&[Add, Add, Add, Sub, Mul, Mul, Div, Max, Min]);
    let wants_positive = f == Div && net.g.random.chance(80);
    let y = net.partner(x, wants_positive)?;
    let (first, second) = match net.g.random.chance(20) && f != Div {
        true => (y, x),
        false => (x, y),
    };
    let made = net.g.put(Binary { f }, &[first.value, second.value])?;
    let reach = match f {
        Mul => 0.6 * x.reach * y.reach,
        Div => 2.0 * x.reach / y.reach.max(1e-3),
        Max | Min => x.reach.max(y.reach),
        _ => 0.7 * (x.reach + y.reach),
    };
    let (made, reach, is_limited) = net.limited(made, reach)?;
    let is_positive = x.is_positive && y.is_positive && f != Sub;
    net.quantised(made, reach, is_limited || is_positive)
}

pub(super) fn function(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|_| true)?;
    let f = match net.g.random.chance(60) {
        true => {
            use Simple::{Exp, Gelu, Hardsigmoid, Hardswish, Sigmoid, Silu, Tanh};
            let all = [Sigmoid, Tanh, Hardswish, Hardsigmoid, Silu, Gelu, Exp];
            (*net.g.random.pick(&all)).into()
        }
        false => net.g.function(DType::F32),
    };
    let (reach, is_positive) = Network::image_of(f, x)?;
    let y = net.g.put(Unary { f }, &[x.value])?;
    net.quantised(y, reach, is_positive)
}

pub(super) fn softmax(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank >= 1)?;
    let x = match net.g.random.chance(40) {
        true => net.scores(x)?,
        false => x,
    };
    let rank = net.g.rank(x.value);
    let axis = match net.g.random.chance(70) {
        true => rank - 1,
        false => net.g.random.below(rank),
    };
    let log = net.g.random.chance(12);
    let y = net.g.put(Softmax { axis, log }, &[x.value])?;
    if log {
        return net.quantised(y, 2.0 * x.reach + 2.0, false);
    }
    if net.g.random.chance(30) {
        return net.quantised(y, 1.0, true);
    }
    // The quantisation that the library gives.
    let (scale, zero_point, min, max, dtype) = match net.is_wide {
        true => (1.0 / 32768.0, 0, -32768, 32767, DType::I16),
        false => (1.0 / 256.0, -128, -128, 127, DType::I8),
    };
    let scheme = QuantScheme::PerTensor { scale, zero_point };
    let value = net.through(y, Arc::new(Quant { scheme, min, max }), dtype)?;
    let (reach, is_positive) = (1.0, true);
    net.layers.push(Layer {
        value,
        reach,
        is_positive,
    });
    Some(())
}

pub(super) fn reduction(net: &mut Network<'_>) -> Grown {
    use ReduceFn::{Max, Mean, Min, Sum};
    let x = net.layer(|rank| rank >= 1)?;
    let sizes = net.sizes(x.value)?;
    let f = *net.g.random.pick(&[Mean, Mean, Mean, Sum, Sum, Max, Min]);
    let axes = match sizes.len() {
        4 if net.g.random.chance(50) => vec![2, 3],
        rank => net.g.axes(rank),
    };
    let count: i64 = axes.iter().map(|&a| sizes[a]).product();
    let y = net.g.put(Reduce { f, axes }, &[x.value])?;
    let root = (count.max(1) as f64).sqrt();
    let reach = match f {
        Mean => x.reach / root,
        Sum => x.reach * root,
        _ => x.reach,
    };
    net.quantised(
        y,
        if x.is_positive && f == Mean {
            x.reach
        } else {
            reach
        },
        x.is_positive,
    )
}
