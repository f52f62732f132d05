//! Patterns for `fold_dequantised`, and for the decompositions of its ops.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::graph::Constant as GraphConstant;
use kiln_ir::ops::{
    BinaryFn, Cast, Constant, Conv, Dequantised, Dequantize, FakeQuantize, Index, Linear, MatMul,
    Quantised, Quantize,
};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{
    DType, Dim, DynamicQuant, Mapping, Op, Place, Scalar, Shape, TensorData, TensorType, ValueId,
};
use std::sync::Arc;

pub(super) const PLANTS: &[Plant] = &[
    plant("fold_dequantised", "fold_dequantised", "", layer),
    plant("fold_dequantised", "fold_dequantised", "", lookup),
    plant("fold_dequantised", "scale_dequantised", "", scaled),
    plant("decompose", "fake_quantize", "none fake_quantize", rounded),
    plant("decompose", "dequantised", "none dequantised", on_reals),
    plant(
        "decompose",
        "conv1d_of_integers",
        "none quantised.3d",
        conv1d_of_integers,
    ),
    plant(
        "decompose",
        "conv1d_by_integers",
        "none dequantised.3d",
        conv1d_by_integers,
    ),
];

const F32: DType = DType::F32;

impl Grower<'_> {
    /// Parameters over this many trailing axes.
    pub(super) fn dynamic_quant(&mut self, axes: usize) -> DynamicQuant {
        let mapping = *self.random.pick(Mapping::ALL);
        DynamicQuant {
            axes,
            mapping,
            min: if self.random.chance(70) { -128 } else { -127 },
            max: 127,
            eps: f64::from(*self.random.pick(&[f32::EPSILON, 1e-5, f32::MIN_POSITIVE])),
            scale: F32,
            zero_point_first: self.random.chance(20),
        }
    }

    /// A quantised constant of these sizes. The first axis is that of its channels.
    pub(super) fn quantised_constant(&mut self, sizes: &[i64]) -> Option<ValueId> {
        let rows = sizes[0];
        let is_narrow = self.random.chance(50);
        // Groups that XNNPACK has, and shorter ones.
        let group = if self.random.chance(75) { 32 } else { 8 };
        let groups = match sizes {
            [_, columns] if columns % group == 0 && is_narrow && self.random.chance(60) => {
                Some(columns / group)
            }
            _ => None,
        };
        let scale = |i: i64| 0.03125 * (1 + i % 3) as f64;
        let scales: Arc<[f64]> = (0..rows * groups.unwrap_or(1)).map(scale).collect();
        let zero_points = scales.iter().map(|_| 0).collect();
        let scheme = match groups {
            None => QuantScheme::PerChannel {
                axis: 0,
                scales,
                zero_points,
            },
            Some(_) => QuantScheme::PerGroup {
                group: group as usize,
                scales,
                zero_points,
            },
        };
        let (min, max) = if is_narrow { (-8, 7) } else { (-127, 127) };
        let quant = Quant { scheme, min, max };
        let count: i64 = sizes.iter().product();
        let values = (0..count).map(|_| Scalar::Int(self.random.between(-8, 7)));
        let values: Vec<Scalar> = values.collect();
        let known = sizes.iter().map(|&n| n as usize).collect();
        let data = TensorData::from_scalars(DType::I8, known, values);
        let shape: Shape = sizes.iter().map(|&n| Dim::constant(n)).collect();
        let mut ty = TensorType::new(DType::I8, shape);
        ty.quant = Some(Arc::new(quant));
        let name = "q".into();
        let value = self
            .rewriter
            .add_typed_constant(GraphConstant { name, ty, data });
        let place = Place::End(self.graph().root());
        self.rewriter.value(place, Constant { value }, &[]).ok()
    }

    fn real_constant(&mut self, sizes: &[i64]) -> Option<ValueId> {
        let integers = self.quantised_constant(sizes)?;
        self.put(Dequantize { dtype: F32 }, &[integers])
    }
}

fn rounded(g: &mut Grower<'_>) -> Grown {
    let rank = g.random.between(1, 3) as usize;
    let sizes: Vec<i64> = (0..rank).map(|_| g.random.between(1, 6)).collect();
    let axes = g.random.between(1, rank as i64) as usize;
    let (x, quant) = (g.fresh(&sizes), g.dynamic_quant(axes));
    g.put(FakeQuantize { quant, dtype: F32 }, &[x]).map(|_| ())
}

/// A layer with a quantised weight, whose input may be quantised by rows.
fn layer(g: &mut Grower<'_>) -> Grown {
    if g.random.chance(25) {
        return image(g);
    }
    let columns = *g.random.pick(&[3, 8, 32, 64]);
    let (lines, rows) = (g.random.between(1, 3), g.random.between(1, 5));
    let x = g.fresh(&[1, lines, columns]);
    let mut x = match g.random.chance(75) {
        true => {
            let axes = if g.random.chance(80) { 1 } else { 3 };
            let mut quant = g.dynamic_quant(axes);
            // Fewer levels than targets round to.
            if g.random.chance(10) {
                (quant.min, quant.max) = (-64, 63);
            }
            g.put(FakeQuantize { quant, dtype: F32 }, &[x])?
        }
        false => x,
    };
    if g.random.chance(40) {
        x = g.reshaped(x, &[lines.into(), columns.into()])?;
    }
    if g.random.chance(15) && g.rank(x) == 2 {
        let weight = match g.random.chance(50) {
            true => {
                let weight = g.real_constant(&[rows, columns])?;
                g.permuted(weight, &[1, 0])?
            }
            false => g.real_constant(&[columns, rows])?,
        };
        return g.put(MatMul {}, &[x, weight]).map(|_| ());
    }
    let weight = g.real_constant(&[rows, columns])?;
    let mut operands = vec![x, weight];
    if g.random.chance(60) {
        operands.push(g.constant(F32, &[rows]));
    }
    g.put(Linear {}, &operands).map(|_| ())
}

fn image(g: &mut Grower<'_>) -> Grown {
    let (channels, outputs) = (g.random.between(1, 4), g.random.between(1, 4));
    let x = g.fresh(&[1, channels, 4, 4]);
    let axes = *g.random.pick(&[3, 4]);
    let quant = g.dynamic_quant(axes);
    let x = g.put(FakeQuantize { quant, dtype: F32 }, &[x])?;
    let weight = g.real_constant(&[outputs, channels, 3, 3])?;
    g.put(convolution(), &[x, weight]).map(|_| ())
}

fn convolution() -> Conv {
    Conv {
        stride: vec![1; 2],
        pad_low: vec![1; 2],
        pad_high: vec![1; 2],
        dilation: vec![1; 2],
        groups: 1,
        transposed: false,
        output_padding: vec![0; 2],
    }
}

fn lookup(g: &mut Grower<'_>) -> Grown {
    let rows = g.random.between(2, 6);
    let table = g.real_constant(&[rows, 32])?;
    let places = (0..3).map(|_| Scalar::Int(g.random.between(0, rows - 1)));
    let places: Vec<Scalar> = places.collect();
    let index = g.constant_of(DType::I64, &[3], places);
    g.put(Index::new(0), &[table, index]).map(|_| ())
}

/// A layer with integer weights, and a factor of its channels behind it, or of something else.
fn scaled(g: &mut Grower<'_>) -> Grown {
    let columns = *g.random.pick(&[3, 8, 32]);
    let (lines, rows) = (g.random.between(1, 4), g.random.between(1, 4));
    let x = g.fresh(&[lines, columns]);
    let layer = match g.random.below(3) {
        0 => {
            let values = (0..columns * rows).map(|_| Scalar::Int(g.random.between(-9, 9)));
            let values: Vec<Scalar> = values.collect();
            let integers = g.constant_of(DType::I8, &[columns, rows], values);
            let weight = g.put(Cast { to: F32 }, &[integers])?;
            g.put(MatMul {}, &[x, weight])?
        }
        1 => {
            let weight = g.real_constant(&[rows, columns])?;
            g.put(Linear {}, &[x, weight])?
        }
        _ => {
            let weight = g.real_constant(&[rows, columns])?;
            let bias = g.constant(F32, &[rows]);
            g.put(Linear {}, &[x, weight, bias])?
        }
    };
    let sizes = match g.random.below(8) {
        0..3 => [lines, 1],
        3 => [1, 1],
        _ => [1, rows],
    };
    let least = if g.random.chance(10) { -1 } else { 1 };
    let factor = |g: &mut Grower<'_>| Scalar::Float(g.random.between(least, 16) as f64 / 8.0);
    let factors = (0..sizes.iter().product()).map(|_: i64| factor(g));
    let factors: Vec<Scalar> = factors.collect();
    let factor = g.constant_of(F32, &sizes, factors);
    g.binary(BinaryFn::Mul, layer, factor).map(|_| ())
}

/// The folded ops themselves.
fn on_reals(g: &mut Grower<'_>) -> Grown {
    let columns = *g.random.pick(&[4, 32]);
    let (lines, rows) = (g.random.between(1, 3), g.random.between(1, 5));
    let (x, weight) = (
        g.fresh(&[lines, columns]),
        g.quantised_constant(&[rows, columns])?,
    );
    let op: Box<Op> = Box::new(Linear {}.into());
    let activation = g.random.chance(60).then(|| g.dynamic_quant(1));
    let dtype = F32;
    let whole = Dequantised {
        op,
        dtype,
        activation,
    };
    g.put(whole, &[x, weight]).map(|_| ())
}

/// A fake quantisation of some value, or a layer with integer weights on it.
pub(in crate::generate) fn on_any(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.dtype == F32 && t.rank() >= 1)?;
    let (quant, dtype) = (g.dynamic_quant(1), F32);
    if g.random.chance(50) {
        return g.put(FakeQuantize { quant, dtype }, &[x]).map(|_| ());
    }
    let columns = g.known(x, g.rank(x) - 1)?;
    let rows = g.random.between(1, 4);
    let weight = g.quantised_constant(&[rows, columns])?;
    let op = Box::new(Linear {}.into());
    let activation = g.random.chance(60).then_some(quant);
    let whole = Dequantised {
        op,
        dtype,
        activation,
    };
    g.put(whole, &[x, weight]).map(|_| ())
}

impl Grower<'_> {
    /// A convolution over one axis, of images of unknown number and length, with its operand and its weight of integers. XNNPACK has no rows
    /// with two unknown sizes.
    fn open_rows(&mut self) -> Option<(Conv, [ValueId; 2])> {
        let (inputs, outputs, kernel) = (
            self.random.between(2, 4),
            self.random.between(2, 4),
            self.random.between(1, 3),
        );
        let shape = [self.unknown_size(), inputs.into(), self.unknown_size()];
        let x = self.input(TensorType::new(F32, shape.to_vec()));
        let weight = self.quantised_constant(&[outputs, inputs, kernel])?;
        let op = Conv {
            stride: vec![1],
            pad_low: vec![kernel - 1],
            pad_high: vec![self.random.between(0, 1)],
            dilation: vec![1],
            groups: 1,
            transposed: false,
            output_padding: vec![0],
        };
        Some((op, [x, weight]))
    }
}

fn conv1d_of_integers(g: &mut Grower<'_>) -> Grown {
    let (op, [x, weight]) = g.open_rows()?;
    let (quant, dtype) = (g.per_tensor(), DType::I8);
    let q = g.put(Quantize { quant, dtype }, &[x])?;
    let (op, quant) = (Box::new(op.into()), g.per_tensor());
    let q = g.put(Quantised { op, quant, dtype }, &[q, weight])?;
    g.put(Dequantize { dtype: F32 }, &[q]).map(|_| ())
}

fn conv1d_by_integers(g: &mut Grower<'_>) -> Grown {
    let (op, operands) = g.open_rows()?;
    let axes = *g.random.pick(&[2, 3]);
    let op = Dequantised {
        op: Box::new(op.into()),
        dtype: F32,
        activation: Some(g.dynamic_quant(axes)),
    };
    g.put(op, &operands).map(|_| ())
}
