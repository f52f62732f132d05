//! Pools and resizes.

use super::{Grown, Layer, Network};
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn, Resize, ResizeMode};
use kiln_ir::{Dim, ValueId};

impl Network<'_> {
    /// A layer of what an op gives whose numbers are among its operand's, or between them.
    pub(super) fn carried(&mut self, y: ValueId, x: Layer) -> Grown {
        match self.g.random.chance(60) {
            true => self.again(y, x),
            false => self.quantised(y, x.reach, x.is_positive),
        }
    }

    /// A layer of a value, quantised as another one is.
    fn again(&mut self, y: ValueId, x: Layer) -> Grown {
        let graph = self.g.graph();
        let from = graph
            .node(graph.producer(x.value)?)
            .operands
            .first()
            .copied()?;
        let ty = self.g.ty(from);
        let value = match ty.quant {
            Some(quant) => self.through(y, quant, ty.dtype)?,
            None => return self.quantised(y, x.reach, x.is_positive),
        };
        self.layers.push(Layer { value, ..x });
        Some(())
    }

    fn average(&mut self) -> PoolFn {
        let random = &mut self.g.random;
        PoolFn::Avg {
            count_include_pad: random.chance(60),
            divisor: random
                .chance(12)
                .then(|| *random.pick(&[1, 2, 3, 3, 5, 7, 40, -1, -3])),
        }
    }
}

pub(super) fn pool(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| (3..=4).contains(&rank))?;
    let sizes = net.sizes(x.value)?;
    let spatial = sizes.len() - 2;
    let f = match net.g.random.chance(50) {
        true => PoolFn::Max,
        false => net.average(),
    };
    let random = &mut net.g.random;
    let is_square = random.chance(70);
    let mut some = |values: &[i64]| -> Vec<i64> {
        let one = *random.pick(values);
        let each = (0..spatial).map(|_| if is_square { one } else { *random.pick(values) });
        each.collect()
    };
    let kernel = some(&[1, 2, 2, 3, 3, 5]);
    let pads = some(&[0, 0, 1, 2]);
    // A window that lies in padding alone has no mean.
    let halves = kernel.iter().zip(&pads).map(|(k, p)| *p.min(&(k / 2)));
    let pad_low: Vec<i64> = halves.collect();
    let op = Pool {
        f,
        stride: some(&[1, 2, 2, 3]),
        pad_high: pad_low.clone(),
        pad_low,
        dilation: match f {
            PoolFn::Max => some(&[1, 1, 1, 2]),
            _ => vec![1; spatial],
        },
        kernel,
        ceil: net.g.random.chance(25),
    };
    let y = net.g.put(op, &[x.value])?;
    net.carried(y, x)
}

pub(super) fn adaptive(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| (3..=4).contains(&rank))?;
    let spatial = net.g.rank(x.value) - 2;
    let f = match net.g.random.chance(25) {
        true => PoolFn::Max,
        false => PoolFn::Avg {
            count_include_pad: false,
            divisor: None,
        },
    };
    let output = (0..spatial).map(|_| Dim::constant(*net.g.random.pick(&[1, 1, 2, 3, 4])));
    let output = output.collect();
    let y = net.g.put(AdaptivePool { f, output }, &[x.value])?;
    net.carried(y, x)
}

pub(super) fn resize(net: &mut Network<'_>) -> Grown {
    let x = net.layer(|rank| rank == 4)?;
    let sizes = net.sizes(x.value)?;
    let mode = *net
        .g
        .random
        .pick(&[ResizeMode::Nearest, ResizeMode::Linear]);
    let random = &mut net.g.random;
    let factor = *random.pick(&[2, 2, 3]);
    let is_whole = random.chance(60);
    let output = sizes[2..].iter().map(|&n| match is_whole {
        true => Dim::constant(n * factor),
        false => Dim::constant(random.between(1, 2 * n + 3)),
    });
    let output = output.collect();
    let op = Resize {
        mode,
        align_corners: mode != ResizeMode::Nearest && net.g.random.chance(40),
        output,
        scales: vec![None; 2],
    };
    let y = net.g.put(op, &[x.value])?;
    net.carried(y, x)
}
