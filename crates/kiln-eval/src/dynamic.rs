//! Evaluates fake quantisation, and ops on quantised weights.

use crate::error::{Cause, misfit};
use crate::evaluate::{Options, evaluate};
use crate::kernels;
use crate::kernels::quantise::dequantize;
use crate::state::State;
use crate::tensor::Tensor;
use kiln_ir::dynamic_quant::fake_quantized;
use kiln_ir::graph::ValueList;
use kiln_ir::movement::MovementError;
use kiln_ir::ops::{Dequantised, FakeQuantize, Misfit};
use kiln_ir::types::TensorType;
use kiln_ir::{Builder, Graph, Op, Place, Rewriter, TensorData, ValueId};

/// Appends ops to the root of a graph of its own.
struct Parts<'g>(Rewriter<'g>);

#[derive(Debug, thiserror::Error)]
enum Unbuilt {
    #[error(transparent)]
    Misfit(#[from] Misfit),
    #[error(transparent)]
    Movement(#[from] MovementError),
}

impl Builder for Parts<'_> {
    type Error = Unbuilt;

    fn graph(&self) -> &Graph {
        self.0.graph()
    }

    fn results(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Result<ValueList, Unbuilt> {
        let place = Place::End(self.graph().root());
        let node = self.0.insert(place, op, operands)?;
        Ok(self.graph().node(node).results.clone())
    }

    fn literal(&mut self, data: TensorData) -> ValueId {
        let place = Place::End(self.graph().root());
        self.0.constant_value(place, "", data)
    }
}

/// Evaluates the arithmetic that [`fake_quantized`] emits. So a decomposition cannot differ from it.
///
/// # Errors
/// If a block has no elements.
pub fn fake_quantize(op: &FakeQuantize, x: &Tensor) -> Result<Tensor, Cause> {
    let mut graph = Graph::new("fake_quantize");
    let root = graph.root();
    let mut parts = Parts(Rewriter::new(&mut graph));
    let input = parts.0.add_param(root, x.tensor_type(), None);
    let made = fake_quantized(&mut parts, input, &op.quant, op.dtype);
    let made = made.map_err(|error| Cause::Misfit(error.to_string()))?;
    parts.0.set_results(root, vec![made]);
    let mut state = State::new(&graph);
    let inputs = std::slice::from_ref(x);
    let outcome = evaluate(&graph, inputs, &mut state, &Options::default());
    let outputs = outcome.map_err(|error| error.cause)?.outputs;
    match outputs.into_iter().next() {
        Some(found) => Ok(found),
        None => misfit!("fake_quantize gives a result"),
    }
}

/// Evaluates an op on the reals of its operands.
///
/// # Errors
/// The errors of the op's kernel.
pub fn on_reals(
    op: &Dequantised,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    let rounding = op.rounding();
    let real = |(i, operand): (usize, &Tensor)| match (&rounding, operand.quant()) {
        (Some(rounding), _) if i == 0 => fake_quantize(rounding, operand),
        (_, Some(_)) => dequantize(operand, op.dtype),
        (_, None) => Ok(operand.clone()),
    };
    let reals: Result<Vec<Tensor>, Cause> = operands.iter().enumerate().map(real).collect();
    kernels::run(&op.op, &reals?, types, sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bindings;
    use crate::op::evaluate_op;
    use kiln_ir::ops::Linear;
    use kiln_ir::types::{Quant, QuantScheme};
    use kiln_ir::{DType, DynamicQuant, Mapping};

    fn by_row(mapping: Mapping) -> DynamicQuant {
        DynamicQuant {
            axes: 1,
            mapping,
            min: -128,
            max: 127,
            eps: f64::from(f32::EPSILON),
            scale: DType::F32,
            zero_point_first: false,
        }
    }

    fn rounded(mapping: Mapping, x: Tensor) -> Vec<f32> {
        let (quant, dtype) = (by_row(mapping), DType::F32);
        let found = fake_quantize(&FakeQuantize { quant, dtype }, &x).unwrap();
        found.of::<f32>().to_vec()
    }

    /// Each row has 256 integers between its extremes, which are a multiple of 1/100 and of 1 apart.
    #[test]
    fn rows_have_parameters_of_their_own() {
        let x = Tensor::new([2, 3], vec![0.0f32, 2.55, 1.004, -128.0, 127.0, 0.4]);
        let found = rounded(Mapping::Asymmetric, x);
        let expected = [0.0, 2.55, 1.0, -128.0, 127.0, 0.0];
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn symmetric_rows_keep_zero() {
        let x = Tensor::new([1, 3], vec![-127.0f32, 63.4, 0.2]);
        assert_eq!(rounded(Mapping::SymmetricByEnd, x), [-127.0, 63.0, 0.0]);
        let x = Tensor::new([1, 2], vec![-64.0f32, 127.0]);
        assert_eq!(rounded(Mapping::SymmetricUnclipped, x), [-64.0, 127.0]);
    }

    #[test]
    fn a_layer_multiplies_reals() {
        let scheme = QuantScheme::PerChannel {
            axis: 0,
            scales: [0.5, 2.0].into(),
            zero_points: [0, 0].into(),
        };
        let quant = Quant {
            scheme,
            min: -8,
            max: 7,
        };
        let w = Tensor::new([2, 2], vec![1i8, 2, 3, -4]).with_quant(Some(quant.into()));
        let x = Tensor::new([1, 2], vec![0.0f32, 255.0]);
        let op = Dequantised {
            op: Box::new(Linear {}.into()),
            dtype: DType::F32,
            activation: Some(by_row(Mapping::Asymmetric)),
        };
        let graph = Graph::new("");
        let mut bindings = Bindings::new(&graph.symbols);
        let made = evaluate_op(&op.into(), &[x, w], &mut bindings, 1 << 20).unwrap();
        assert_eq!(made[0].of::<f32>(), [255.0, -2040.0]);
    }
}
