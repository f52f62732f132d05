//! Runs of a TOSA file on the evaluator of the specification's arithmetic.

use crate::tensors::{Role, Runs};
use anyhow::{Context, Result, bail};
use kiln_eval::Tensor;
use kiln_ir::{DType, Scalar, TensorData};
use kiln_tosa::dialect::{Tensor as Declared, TosaGraph};
use kiln_tosa::evaluate::{Limits, State, dtype_of, evaluate_with};

/// The outputs of every run; variables carry over. Integers are taken and given in the file's dtypes, whatever those of
/// the model were, if they hold the numbers.
///
/// # Errors
/// If an input is missing or does not fit, or the specification leaves a result open.
pub fn run_tosa(graph: &TosaGraph, inputs: &Runs, runs: usize) -> Result<Runs> {
    let mut state = State::default();
    let mut results = Runs::default();
    for run in 0..runs {
        let tensors = tensor_inputs(graph, inputs, run)?;
        let outputs = evaluate_with(graph, &tensors, &mut state, Limits::default())
            .with_context(|| format!("run {run}"))?;
        for (i, output) in outputs.into_iter().enumerate() {
            results.insert(run, Role::Output, i, TensorData::from(output));
        }
    }
    Ok(results)
}

/// The tensors that `main` is given, in order.
pub fn tosa_inputs(graph: &TosaGraph) -> impl Iterator<Item = &Declared> {
    let main = graph.main();
    main.inputs.iter().filter_map(|&id| main.tensor(id))
}

/// By position; a file that a model's numbers were frozen into has the tensors only, in the same order.
fn tensor_inputs(graph: &TosaGraph, inputs: &Runs, run: usize) -> Result<Vec<Tensor>> {
    let declared: Vec<&Declared> = tosa_inputs(graph).collect();
    let given: Vec<usize> = inputs.positions(run, Role::Input).collect();
    let is_by_order = given.len() == declared.len();
    let mut tensors = Vec::new();
    for (i, declared) in declared.into_iter().enumerate() {
        let position = if is_by_order { given[i] } else { i };
        match inputs.get(run, Role::Input, position) {
            Some(data) => {
                let dtype = dtype_of(declared.dtype)
                    .with_context(|| format!("input {i}, {declared}, is not evaluated"))?;
                tensors.push(Tensor::from(as_integers(data, dtype)));
            }
            None => bail!("run {run} has no tensor {run}.in.{i} for {declared}"),
        }
    }
    Ok(tensors)
}

/// Integers in another integer type if it holds them all; anything else as it is.
pub fn as_integers(data: &TensorData, dtype: DType) -> TensorData {
    let Some((low, high)) = dtype.int_range() else {
        return data.clone();
    };
    let numbers: Option<Vec<i64>> = data
        .scalars()
        .map(|scalar| match scalar {
            Scalar::Int(i) if low <= i && i <= high => Some(i),
            _ => None,
        })
        .collect();
    let Some(numbers) = numbers.filter(|_| data.dtype() != dtype) else {
        return data.clone();
    };
    let bytes = numbers
        .iter()
        .flat_map(|i| i.to_le_bytes().into_iter().take(dtype.size()));
    let bytes: Vec<u8> = bytes.collect();
    TensorData::new(dtype, data.sizes().to_vec(), bytes.into()).unwrap_or_else(|_| data.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_tosa::dialect::{Builder, TosaDtype, TosaOp};

    #[test]
    fn integers_come_in_the_models_dtype() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::I32, &[2]);
        let y = b.op(TosaOp::Add, &[x, x]).unwrap();
        let graph = b.finish(&[y]);
        let mut inputs = Runs::default();
        let x = TensorData::from(Tensor::new([2], vec![3i64, -4]));
        inputs.insert(0, Role::Input, 1, x);
        let results = run_tosa(&graph, &inputs, 1).unwrap();
        let found = results.get(0, Role::Output, 0).unwrap();
        let wide = as_integers(found, DType::I64);
        assert_eq!(Tensor::from(wide), Tensor::new([2], vec![6i64, -8]));
    }

    #[test]
    fn what_does_not_fit_stays_as_it_is() {
        let x = TensorData::from(Tensor::new([1], vec![1i64 << 40]));
        assert_eq!(as_integers(&x, DType::I32).dtype(), DType::I64);
    }
}
