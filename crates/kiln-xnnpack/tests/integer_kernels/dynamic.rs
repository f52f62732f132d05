//! Layers with weights of integers on floats: rows and images that are quantised when running, and floats as they are.
//!
//! The library's sums of integers are exact. What it multiplies them by, and what it adds, rounds in f32 in an order of its own, which
//! bounds how far results lie apart.

use super::compare;
use super::layers::Geometry;
use super::probe::{Numbers, Probe, by_channel};
use kiln_xnnpack::payload::{Clamp, ConvKind, Datatype, Quant, Scales, ValueId, XnnOp, flags};

/// How weights are held.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Bytes,
    /// Bytes whose output channels are the last dim.
    TurnedBytes,
    Nibbles,
    /// Nibbles with a scale for each run of so many.
    Groups(u32),
}

/// The roundings of f32 in a result, as a share of the greatest sum: the conversion of the sum, the products with both scales, the bias, and
/// those of partial sums.
fn roundings(parts: usize) -> f64 {
    (8 + 2 * parts) as f64 * f64::from(f32::EPSILON)
}

/// Weights, their reals `[outputs, depth]`, and the number of groups in a row.
struct Weights {
    filter: ValueId,
    /// One for each group of a row.
    scales: Vec<f32>,
    reals: Vec<f64>,
    depth: usize,
    groups: usize,
}

impl Weights {
    /// Weights of `w`, whose output channels are the first dim.
    fn new(n: &mut Numbers, probe: &mut Probe, held: Held, w: &[u32]) -> Weights {
        let outputs = w[0] as usize;
        let depth = w[1..].iter().product::<u32>() as usize;
        let groups = match held {
            Held::Groups(of) => depth / of as usize,
            Held::Bytes | Held::TurnedBytes | Held::Nibbles => 1,
        };
        let scale = |_| {
            let drawn = n.scale(0.001, 0.02);
            match held {
                // The library holds scales of groups in bf16.
                Held::Groups(_) => f32::from_bits(drawn.to_bits() & 0xffff_0000),
                Held::Bytes | Held::TurnedBytes | Held::Nibbles => drawn,
            }
        };
        let scales: Vec<f32> = (0..outputs * groups).map(scale).collect();
        let integers: Vec<i8> = match held {
            Held::Bytes | Held::TurnedBytes => {
                n.bytes(outputs * depth).iter().map(|&b| b as i8).collect()
            }
            Held::Nibbles | Held::Groups(_) => (0..outputs * depth)
                .map(|_| n.below(16) as i8 - 8)
                .collect(),
        };
        let run = depth / groups;
        let reals = integers.iter().enumerate();
        let reals = reals.map(|(i, &q)| f64::from(q) * f64::from(scales[i / run]));
        let reals = reals.collect();
        let own = scales.clone();
        let pair = |pair: &[i8]| (pair[0] + 8) as u8 | ((pair[1] + 8) as u8) << 4;
        let turned = |i: usize| integers[i % outputs * depth + i / outputs];
        let bytes = match held {
            Held::Bytes => integers.iter().map(|&q| q as u8).collect(),
            Held::TurnedBytes => (0..integers.len()).map(|i| turned(i) as u8).collect(),
            Held::Nibbles | Held::Groups(_) => integers.chunks_exact(2).map(pair).collect(),
        };
        let (datatype, quant) = match held {
            Held::Bytes => (Datatype::QcInt8, by_channel(scales, 0)),
            Held::TurnedBytes => (Datatype::QcInt8, by_channel(scales, 1)),
            Held::Nibbles => (Datatype::QcInt4, by_channel(scales, 0)),
            Held::Groups(of) => {
                let halves = scales.iter().map(|s| (s.to_bits() >> 16) as u16);
                let halves = halves.flat_map(u16::to_le_bytes).collect();
                let scales = Scales::Constant {
                    data: probe.data(halves),
                    count: scales.len() as u32,
                };
                let quant = Quant::PerGroup {
                    scales,
                    channel_dim: 0,
                    group_size: of as i32,
                };
                (Datatype::QbInt4, quant)
            }
        };
        let mut dims = w.to_vec();
        if held == Held::TurnedBytes {
            dims.reverse();
        }
        let filter = probe.constant(datatype, quant, &dims, bytes);
        Weights {
            filter,
            scales: own,
            reals,
            depth,
            groups,
        }
    }

    /// The sum of the absolute weights of an output.
    fn size(&self, output: usize) -> f64 {
        let row = &self.reals[output * self.depth..][..self.depth];
        row.iter().map(|w| w.abs()).sum()
    }
}

/// A row or an image: of one sign, all equal, zero, in the middle of integers, large, small, below normal numbers, beside one
/// large number, or any.
fn floats(n: &mut Numbers, count: usize) -> Vec<f32> {
    let unit = |n: &mut Numbers| n.below(1 << 16) as f32 / (1 << 15) as f32 - 1.0;
    let size = n.scale(0.01, 100.0);
    let kind = n.below(12);
    let equal = unit(n) * size;
    let mut drawn: Vec<f32> = (0..count)
        .map(|_| match kind {
            0 => 0.0,
            1 => equal,
            2 => (unit(n) + 1.5) * size,
            3 => (unit(n) - 1.5) * size,
            4 => (n.below(509) as f32 - 254.0) * 0.5,
            5 => unit(n) * 1e30,
            6 => unit(n) * 1e-30,
            8 => unit(n) * 1e-37,
            9 => unit(n) * 1e-40,
            _ => unit(n) * size,
        })
        .collect();
    match (kind, &mut drawn[..]) {
        // With these ends a step is 1, and half of the numbers lie in the middle of two integers.
        (4, [least, greatest, ..]) => (*least, *greatest) = (-127.5, 127.5),
        (7, [first, ..]) => *first = size * 100.0,
        (8, [first, ..]) => *first = 0.0,
        _ => {}
    }
    drawn
}

/// The reals of all steps by which a row is quantised: a row of zeros has steps of 1. The stock runtime takes numbers that are not normal
/// for zeros.
fn reach(row: &[f32]) -> f64 {
    let least = row.iter().fold(0.0f32, |m, &x| m.min(x));
    let greatest = row.iter().fold(0.0f32, |m, &x| m.max(x));
    match (greatest - least).is_normal() {
        true => f64::from(greatest) - f64::from(least),
        false => 255.0,
    }
}

/// Products of numbers that are not normal are zeros on the stock runtime.
const FLUSHED: f64 = 1e-36;

/// A bias of the reals, in units where a layer has them.
fn bias(n: &mut Numbers, probe: &mut Probe, outputs: usize) -> (Option<ValueId>, Vec<f64>) {
    if n.below(4) == 0 {
        return (None, vec![0.0; outputs]);
    }
    let size = n.scale(0.01, 1000.0);
    let all: Vec<f32> = (0..outputs)
        .map(|_| (n.below(2001) as f32 - 1000.0) / 1000.0 * size)
        .collect();
    let sizes = all.iter().map(|&b| f64::from(b)).collect();
    let dims = [outputs as u32];
    (Some(probe.floats(&dims, &all)), sizes)
}

fn clamp(n: &mut Numbers) -> Option<Clamp> {
    let end = n.scale(0.01, 10.0);
    match n.below(4) {
        0 => Some(Clamp {
            min: 0.0,
            max: f32::INFINITY,
        }),
        1 => Some(Clamp {
            min: -end,
            max: end,
        }),
        _ => None,
    }
}

fn connected(n: &mut Numbers, held: Held, is_quantised: bool) -> Probe {
    let rows = 1 + n.below(9) as u32;
    let inputs = match held {
        Held::Bytes | Held::TurnedBytes => 1 + n.below(70) as u32,
        // Packed rows of an odd length are in another form.
        Held::Nibbles => 2 * (1 + n.below(35) as u32),
        Held::Groups(of) => of * (1 + n.below(4) as u32),
    };
    let outputs = 1 + n.below(40) as u32;
    let mut probe = Probe::new(format!("{rows} rows, {inputs} to {outputs}, {held:?}"));
    let x: Vec<f32> = (0..rows).flat_map(|_| floats(n, inputs as usize)).collect();
    let reaches: Vec<f64> = x.chunks(inputs as usize).map(reach).collect();
    let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    let given = probe.input(Datatype::Fp32, None, &[rows, inputs], bytes);
    let input = match is_quantised {
        true => probe.quantised_rows(given, &[rows, inputs], 1),
        false => given,
    };
    let weights = Weights::new(n, &mut probe, held, &[outputs, inputs]);
    let (bias, mut biases) = bias(n, &mut probe, outputs as usize);
    if !is_quantised {
        // The library multiplies the bias by the channel's scale.
        let biases = biases.iter_mut().zip(&weights.scales);
        biases.for_each(|(bias, &scale)| *bias *= f64::from(scale));
    }
    let clamp = clamp(n);
    let output = probe.output(Datatype::Fp32, None, &[rows, outputs]);
    // Products of floats are added up one by one.
    let parts = match is_quantised {
        true => weights.groups,
        false => inputs as usize,
    };
    let errors = roundings(parts);
    let bound =
        |reach: &f64, o: usize| FLUSHED + errors * (reach * weights.size(o) + biases[o].abs());
    let bounds = reaches
        .iter()
        .flat_map(|reach| (0..outputs as usize).map(move |o| (reach, o)));
    probe.bounds = bounds.map(|(reach, o)| bound(reach, o)).collect();
    let layer = XnnOp::FullyConnected {
        input,
        filter: weights.filter,
        bias,
        output,
        flags: match held {
            Held::TurnedBytes => flags::TRANSPOSE_WEIGHTS,
            _ => 0,
        },
    };
    probe.push(layer, clamp);
    probe
}

#[test]
fn rows_by_integers() {
    compare(&[
        ("rows by bytes", |n| connected(n, Held::Bytes, true)),
        ("rows by turned bytes", |n| {
            connected(n, Held::TurnedBytes, true)
        }),
        ("rows by nibbles", |n| connected(n, Held::Nibbles, true)),
        ("rows by groups of 32", |n| {
            connected(n, Held::Groups(32), true)
        }),
        ("rows by groups of 64", |n| {
            connected(n, Held::Groups(64), true)
        }),
    ]);
}

#[test]
fn floats_by_integers() {
    compare(&[
        ("floats by bytes", |n| connected(n, Held::Bytes, false)),
        ("floats by turned bytes", |n| {
            connected(n, Held::TurnedBytes, false)
        }),
        ("floats by nibbles", |n| connected(n, Held::Nibbles, false)),
    ]);
}

fn convolution(n: &mut Numbers, kind: ConvKind) -> Probe {
    // The library runs a convolution of single places as a fully connected layer.
    let Geometry { params, sizes, .. } = loop {
        let drawn = Geometry::new(n, kind);
        if drawn.params.kernel != [1, 1] {
            break drawn;
        }
    };
    let [x, w, y] = sizes;
    let mut probe = Probe::new(format!("{x:?}, {params:?}"));
    let of_image = (x[1] * x[2] * x[3]) as usize;
    let images: Vec<f32> = (0..2).flat_map(|_| floats(n, of_image)).collect();
    let reaches: Vec<f64> = images.chunks(of_image).map(reach).collect();
    let bytes = images.iter().flat_map(|x| x.to_le_bytes()).collect();
    let given = probe.input(Datatype::Fp32, None, &x, bytes);
    let input = probe.quantised_rows(given, &x, 3);
    let weights = Weights::new(n, &mut probe, Held::Bytes, &w);
    let (bias, biases) = bias(n, &mut probe, w[0] as usize);
    let clamp = clamp(n);
    let output = probe.output(Datatype::Fp32, None, &y);
    let errors = roundings(1);
    let bound =
        |reach: &f64, o: usize| FLUSHED + errors * (reach * weights.size(o) + biases[o].abs());
    let places = (y[1] * y[2]) as usize;
    for reach in &reaches {
        for _ in 0..places {
            let of_place = (0..w[0] as usize).map(|o| bound(reach, o));
            probe.bounds.extend(of_place);
        }
    }
    let layer = XnnOp::Conv {
        kind,
        params,
        input,
        filter: weights.filter,
        bias,
        output,
        flags: 0,
    };
    probe.push(layer, clamp);
    probe
}

#[test]
fn images_by_integers() {
    compare(&[
        ("images", |n| convolution(n, ConvKind::Conv2d)),
        ("transposed images", |n| {
            convolution(n, ConvKind::Transposed)
        }),
    ]);
}
