//! Layers on quantised operands that compute in floats, and whose weights stay whole numbers: the result is multiplied by the scales of the
//! weights.
//!
//! For targets whose programs hold whole numbers in fewer bytes than reals. XNNPACK takes weights of f16, which hold them exactly.

use crate::analysis::constants::{constant_of, name_of};
use crate::framework::emitter::{Emitted, Emitter};
use crate::guards;
use kiln_ir::graph::ValueList;
use kiln_ir::ops::{Binary, BinaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Op, Scalar, TensorData, ValueId};
use smallvec::smallvec;
use std::ops::RangeInclusive;
use std::sync::Arc;

guards! {
    /// Numbers of a usual size stay within the range of f32 when they are divided by the scales.
    MODERATE;
}

/// The least number of products in an element of the result. Beside them the product with the scale takes at most a quarter of the time.
const LEAST_PRODUCTS: usize = 24;

/// The least and the greatest of moderate scales: 2^-64 and 2^64.
const MODERATE_SCALES: RangeInclusive<f64> = 5.421010862427522e-20..=1.8446744073709552e19;

/// The weights of a layer as whole numbers of f32, and one scale, or one for each output channel.
pub(crate) struct WholeWeights {
    name: Arc<str>,
    weight: TensorData,
    scales: Vec<f64>,
    /// True if the output channels are the second axis of the result, false if they are the last.
    is_conv: bool,
}

impl WholeWeights {
    /// Those of a layer whose weight is a constant of integers. `None` for another op, and if programs of the target would not become
    /// smaller.
    pub(crate) fn of(
        emitter: &Emitter<'_, '_>,
        op: &Op,
        integers: ValueId,
    ) -> Option<WholeWeights> {
        let is_conv = match op {
            Op::Conv(op) if !op.transposed => true,
            Op::Linear(_) => false,
            _ => return None,
        };
        let graph = emitter.graph();
        let ty = graph.ty(integers);
        let (quant, data) = ty.quant.as_ref().zip(constant_of(graph, integers))?;
        let outputs = *data.sizes().first()?;
        let (scales, zero_points) = by_channel(quant)?;
        let of_output = data.elements() / outputs.max(1);
        let is_moderate = scales.iter().all(|scale| MODERATE_SCALES.contains(scale));
        if of_output < LEAST_PRODUCTS || !MODERATE.holds(is_moderate) {
            return None;
        }
        let of = |list: &[f64], at: usize| list[at / of_output % list.len()];
        let whole = |(at, q): (usize, Scalar)| q.as_f64() - of(&zero_points, at);
        let in_f32 = |numbers: &mut dyn Iterator<Item = f64>| {
            let sizes = data.sizes().to_vec();
            TensorData::from_scalars(DType::F32, sizes, numbers.map(Scalar::Float))
        };
        let numbers = || data.scalars().enumerate();
        let weight = in_f32(&mut numbers().map(whole));
        let reals = in_f32(&mut numbers().map(|(at, q)| whole((at, q)) * of(&scales, at)));
        let bytes = emitter.weight_bytes(&weight) + 4 * scales.len();
        (bytes < emitter.weight_bytes(&reals)).then(|| WholeWeights {
            name: name_of(graph, integers),
            weight,
            scales,
            is_conv,
        })
    }

    /// The result of the layer on reals of f32.
    ///
    /// # Errors
    /// If operands and attributes do not fit.
    pub(crate) fn layer(
        self,
        emitter: &mut Emitter<'_, '_>,
        op: Op,
        x: ValueId,
        bias: Option<ValueId>,
    ) -> Emitted {
        let count = self.scales.len();
        let scales = |sizes: Vec<usize>| {
            let scales = self.scales.iter().map(|&scale| Scalar::Float(scale));
            TensorData::from_scalars(DType::F32, sizes, scales)
        };
        let mut operands: ValueList = smallvec![x, emitter.constant(&self.name, self.weight)];
        if let Some(bias) = bias {
            let by = emitter.constant(&self.name, scales(vec![count]));
            operands.push(emitter.value(Binary { f: BinaryFn::Div }, &[bias, by])?);
        }
        let sums = emitter.value(op, &operands)?;
        let mut sizes = vec![1; emitter.rank(sums)];
        let axis = if self.is_conv { 1 } else { sizes.len() - 1 };
        sizes[axis] = count;
        let by = emitter.constant(&self.name, scales(sizes));
        emitter.value(Binary { f: BinaryFn::Mul }, &[sums, by])
    }
}

/// The scales and the zero points, one each or one for each index of the first axis; `None` if they are others.
fn by_channel(quant: &Quant) -> Option<(Vec<f64>, Vec<f64>)> {
    match &quant.scheme {
        QuantScheme::PerTensor { scale, zero_point } => {
            Some((vec![*scale], vec![*zero_point as f64]))
        }
        QuantScheme::PerChannel {
            axis: 0,
            scales,
            zero_points,
        } => Some((
            scales.to_vec(),
            zero_points.iter().map(|&z| z as f64).collect(),
        )),
        QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => None,
    }
}
