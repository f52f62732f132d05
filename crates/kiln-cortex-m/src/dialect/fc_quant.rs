//! The factors of fully connected layers.

use super::structs::{PerChannel, PerTensor, QuantParams};
use super::value::{Misread, Parameter, Value};

/// The requantisation factors of a fully connected layer. Its functions take different structs.
#[derive(Clone, Debug, PartialEq)]
pub enum FcQuant {
    /// One factor for all outputs.
    Tensor(PerTensor),
    /// A factor for each output.
    Channels(PerChannel),
    /// Either of both, for the function that decides when it runs.
    Either(QuantParams),
}

impl FcQuant {
    /// The multipliers and the shifts: one of each, or one for each output.
    pub fn factors(&self) -> (&[i32], &[i32]) {
        match self {
            FcQuant::Tensor(one) => (
                std::slice::from_ref(&one.multiplier),
                std::slice::from_ref(&one.shift),
            ),
            FcQuant::Channels(all) => (&all.multiplier, &all.shift),
            FcQuant::Either(all) => (&all.multiplier, &all.shift),
        }
    }
}

impl Default for FcQuant {
    fn default() -> FcQuant {
        FcQuant::Tensor(PerTensor::default())
    }
}

impl Parameter for FcQuant {
    fn value(&self) -> Value {
        match self {
            FcQuant::Tensor(of) => of.value(),
            FcQuant::Channels(of) => of.value(),
            FcQuant::Either(of) => of.value(),
        }
    }

    fn of(value: &Value) -> Result<FcQuant, Misread> {
        match (value.at("is_per_channel"), value.at("multiplier")) {
            (Some(_), _) => Parameter::of(value).map(FcQuant::Either),
            (None, Some(Value::Array(..))) => Parameter::of(value).map(FcQuant::Channels),
            _ => Parameter::of(value).map(FcQuant::Tensor),
        }
    }
}
