//! Inputs that the export made constant. A file may repeat their values; with any other value the model would compute
//! something else.

use crate::error::Error;
use crate::runs::{Role, Runs};
use kiln_ir::graph::InputSpec;
use kiln_ir::{Scalar, TensorData};

/// What the export recorded for an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// A tensor.
    Tensor,
    /// This number.
    Number(Scalar),
    /// Not a number either: None, or a text.
    Nothing,
}

impl From<&InputSpec> for Expected {
    fn from(spec: &InputSpec) -> Expected {
        match spec {
            InputSpec::Tensor { .. } => Expected::Tensor,
            InputSpec::Scalar(scalar) => Expected::Number(*scalar),
            InputSpec::None | InputSpec::Text(_) => Expected::Nothing,
        }
    }
}

/// Refuses a run that gives another number than the export recorded, or a tensor in place of None.
///
/// # Errors
/// The error names the input, the recorded value and the found one.
pub fn check_frozen(expected: &[Expected], inputs: &Runs, run: usize) -> Result<(), Error> {
    for (i, expected) in expected.iter().enumerate() {
        match (expected, inputs.get(run, Role::Input, i)) {
            (Expected::Tensor, _) | (_, None) => {}
            (Expected::Number(frozen), Some(given)) if is_number(given, *frozen) => {}
            (Expected::Number(frozen), Some(given)) => {
                return Err(Error::new(format!(
                    "run {run}: input {i} was frozen as {} by the export, found {}; leave {run}.in.{i} out, or export the \
                 model again with that value or with a tensor",
                    text(*frozen),
                    described(given)
                )));
            }
            (Expected::Nothing, Some(given)) => {
                return Err(Error::new(format!(
                    "run {run}: input {i} was no tensor when the model was exported, found {}; leave {run}.in.{i} out",
                    described(given)
                )));
            }
        }
    }
    Ok(())
}

/// True for a tensor of one element that equals the number, rounded to the tensor's dtype.
fn is_number(given: &TensorData, frozen: Scalar) -> bool {
    let rounded = TensorData::scalar(given.dtype(), frozen).get(0);
    let equal = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    match (given.get(0).filter(|_| given.elements() == 1), frozen) {
        (Some(Scalar::Float(a)), _) => rounded.is_some_and(|b| equal(a, b.as_f64())),
        (Some(a), Scalar::Float(b)) => equal(a.as_f64(), b),
        (Some(a), b) => a.as_i64() == b.as_i64(),
        (None, _) => false,
    }
}

fn text(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(v) => v.to_string(),
        Scalar::Int(v) => v.to_string(),
        Scalar::Float(v) => v.to_string(),
    }
}

fn described(data: &TensorData) -> String {
    match (data.elements(), data.get(0)) {
        (1, Some(scalar)) => text(scalar),
        _ => format!("{data:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_ir::DType;

    fn refused(expected: Expected, given: TensorData) -> Option<String> {
        let mut inputs = Runs::default();
        inputs.insert(0, Role::Input, 0, given);
        let checked = check_frozen(&[expected], &inputs, 0);
        checked.err().map(|e| e.to_string())
    }

    #[test]
    fn another_number_than_the_frozen_one_is_refused() {
        let three = Expected::Number(Scalar::Int(3));
        let int = |v| TensorData::scalar(DType::I64, Scalar::Int(v));
        assert_eq!(refused(three, int(3)), None);
        let message = refused(three, int(4)).unwrap_or_default();
        assert!(
            message.contains("frozen as 3") && message.contains("found 4"),
            "{message}"
        );
        assert!(refused(Expected::Nothing, int(3)).is_some());
        assert!(refused(Expected::Number(Scalar::Float(0.5)), int(0)).is_some());
        assert!(
            refused(
                three,
                TensorData::splat(DType::I64, vec![2], Scalar::Int(3))
            )
            .is_some()
        );
    }

    #[test]
    fn a_frozen_float_may_come_rounded() {
        let tenth = Expected::Number(Scalar::Float(0.1));
        let of = |dtype, v| TensorData::scalar(dtype, Scalar::Float(v));
        assert_eq!(refused(tenth, of(DType::F32, 0.1)), None);
        assert_eq!(refused(tenth, of(DType::F64, 0.1)), None);
        assert!(refused(tenth, of(DType::F32, 0.2)).is_some());
    }
}
