//! Quantised values, and layers between them.

use super::{Grower, Grown};
use kiln_ir::graph::Constant as GraphConstant;
use kiln_ir::ops::{
    Binary, BinaryFn, Constant, Dequantize, Quantised, Quantize, Reduce, ReduceFn, Requantize,
    Simple, Unary,
};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Op, Place, Scalar, TensorData, TensorType, ValueId};
use std::sync::Arc;

impl Grower<'_> {
    /// An 8-bit type with one scale for all elements.
    pub(super) fn per_tensor(&mut self) -> Arc<Quant> {
        Arc::new(Quant {
            scheme: QuantScheme::PerTensor {
                scale: 2f64.powi(-(self.random.between(3, 6) as i32)),
                zero_point: self.random.between(-8, 8),
            },
            min: -128,
            max: 127,
        })
    }

    /// A 16-bit type with one scale for all elements.
    pub(super) fn of_16_bits(&mut self) -> Arc<Quant> {
        Arc::new(Quant {
            scheme: QuantScheme::PerTensor {
                scale: 2f64.powi(-(self.random.between(6, 12) as i32)),
                zero_point: self.random.between(-8, 8),
            },
            min: -32768,
            max: 32767,
        })
    }

    /// A type with a scale for each index of an axis.
    pub(super) fn by_channel(&mut self, axis: usize, channels: i64) -> Arc<Quant> {
        let zero_point = self.random.between(-8, 8);
        Arc::new(Quant {
            scheme: QuantScheme::PerChannel {
                axis,
                scales: (0..channels)
                    .map(|i| 0.125 / (1 << (i % 3)) as f64)
                    .collect(),
                zero_points: vec![zero_point; channels as usize].into(),
            },
            min: -128,
            max: 127,
        })
    }

    /// A quantised constant matrix, dequantised.
    pub(super) fn dequantised_weight(&mut self, rows: i64, columns: i64) -> Option<ValueId> {
        let scheme = if self.random.chance(50) {
            QuantScheme::PerChannel {
                axis: 0,
                scales: (0..rows).map(|i| 0.03125 * (1 + i % 3) as f64).collect(),
                zero_points: (0..rows).map(|_| 0).collect(),
            }
        } else {
            QuantScheme::PerTensor {
                scale: 0.0625,
                zero_point: 0,
            }
        };
        let quant = Arc::new(Quant {
            scheme,
            min: -127,
            max: 127,
        });
        let values = (0..rows * columns).map(|_| Scalar::Int(self.random.between(-20, 20)));
        let values: Vec<Scalar> = values.collect();
        let sizes = vec![rows as usize, columns as usize];
        let data = TensorData::from_scalars(DType::I8, sizes, values);
        self.dequantised_constant(quant, data)
    }

    pub(super) fn dequantised_constant(
        &mut self,
        quant: Arc<Quant>,
        data: TensorData,
    ) -> Option<ValueId> {
        let ty = TensorType {
            quant: Some(quant),
            ..data.tensor_type()
        };
        let name = "q".into();
        let value = self
            .rewriter
            .add_typed_constant(GraphConstant { name, ty, data });
        let place = Place::End(self.graph().root());
        let weight = self.rewriter.value(place, Constant { value }, &[]).ok()?;
        let dtype = DType::F32;
        self.put(Dequantize { dtype }, &[weight])
    }

    pub(super) fn quantised(&mut self, x: ValueId) -> Option<ValueId> {
        let (quant, dtype) = (self.per_tensor(), DType::I8);
        self.put(Quantize { quant, dtype }, &[x])
    }

    fn f32(&mut self) -> Option<ValueId> {
        self.any(|t| t.dtype == DType::F32 && t.rank() >= 1)
    }
}

pub(super) fn there_and_back(g: &mut Grower<'_>) -> Grown {
    let x = g.f32()?;
    let mut q = g.quantised(x)?;
    match g.random.below(4) {
        0 => {
            let movement = g.some_movement(&g.shape(q))?;
            q = g.moved(q, movement)?;
        }
        1 => {
            let (quant, dtype) = (g.per_tensor(), DType::I8);
            q = g.put(Requantize { quant, dtype }, &[q])?;
        }
        _ => {}
    }
    let dtype = DType::F32;
    g.put(Dequantize { dtype }, &[q]).map(|_| ())
}

/// An op on integers that rounds once.
pub(super) fn rounded_once(g: &mut Grower<'_>) -> Grown {
    let x = g.f32()?;
    let (a, b) = (g.quantised(x)?, g.quantised(x)?);
    let axes = vec![g.random.below(g.rank(x))];
    let (op, operands): (Op, Vec<ValueId>) = match g.random.below(6) {
        0 => (simple(Simple::Tanh), vec![a]),
        1 => (simple(Simple::Abs), vec![a]),
        2 => (Binary { f: BinaryFn::Add }.into(), vec![a, b]),
        3 => (Binary { f: BinaryFn::Mul }.into(), vec![a, b]),
        4 => (Binary { f: BinaryFn::Sub }.into(), vec![a, x]),
        _ => {
            let f = ReduceFn::Mean;
            (Reduce { f, axes }.into(), vec![a])
        }
    };
    let (op, quant, dtype) = (Box::new(op), g.per_tensor(), DType::I8);
    let q = g.put(Quantised { op, quant, dtype }, &operands)?;
    let dtype = DType::F32;
    g.put(Dequantize { dtype }, &[q]).map(|_| ())
}

fn simple(f: Simple) -> Op {
    Unary { f: f.into() }.into()
}

/// A linear layer with a quantised weight, between quantisations and dequantisations.
pub(super) fn layer(g: &mut Grower<'_>) -> Grown {
    let x = g.f32()?;
    let inputs = g.known(x, g.rank(x) - 1)?;
    let dtype = DType::F32;
    let q = g.quantised(x)?;
    let x = g.put(Dequantize { dtype }, &[q])?;
    let outputs = g.size();
    let weight = g.dequantised_weight(outputs, inputs)?;
    let bias = g.constant(dtype, &[outputs]);
    let y = g.put(kiln_ir::ops::Linear {}, &[x, weight, bias])?;
    let q = g.quantised(y)?;
    g.put(Dequantize { dtype }, &[q]).map(|_| ())
}
