//! Quantised values, and layers between them.

use super::{Grower, Grown};
use kiln_ir::graph::Constant as GraphConstant;
use kiln_ir::ops::{Constant, Dequantize, Quantize, Requantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Place, Scalar, TensorData, TensorType, ValueId};
use std::sync::Arc;

impl Grower<'_> {
    /// Eight bits with one scale for all elements.
    fn per_tensor(&mut self) -> Arc<Quant> {
        Arc::new(Quant {
            scheme: QuantScheme::PerTensor {
                scale: 2f64.powi(-(self.random.between(3, 6) as i32)),
                zero_point: self.random.between(-8, 8),
            },
            min: -128,
            max: 127,
        })
    }

    /// A quantised constant matrix, as floats.
    fn dequantised_weight(&mut self, rows: i64, columns: i64) -> Option<ValueId> {
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
        let mut ty = TensorType::new(DType::I8, [rows, columns]);
        ty.quant = Some(quant);
        let name = "q".into();
        let value = self
            .rewriter
            .add_typed_constant(GraphConstant { name, ty, data });
        let place = Place::End(self.graph().root());
        let weight = self.rewriter.value(place, Constant { value }, &[]).ok()?;
        let dtype = DType::F32;
        self.put(Dequantize { dtype }, &[weight])
    }

    fn quantised(&mut self, x: ValueId) -> Option<ValueId> {
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

/// Quantise, dequantise, a linear layer with a quantised weight, quantise, dequantise.
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
