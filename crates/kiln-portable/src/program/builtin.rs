//! Programs on the builtin runtime.

use super::DelegateReader;
use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_ir::{Scalar, TensorData};
use kiln_pte::Program;
use kiln_pte::runtime::{Backend, Item, Kernels, LoadedDelegate, Options, Runtime};
use kiln_target::{
    About, Error, Expected, Explain, Role, Runs, Session, check_frozen, scalar_tensor,
};

/// The byte of poisoned memory: floats made of it are NaN, integers are large.
const POISON: u8 = 0xff;

/// A method on the builtin runtime.
pub(super) struct Builtin<'p> {
    runtime: Runtime<'p>,
    expected: Vec<Expected>,
}

/// Gives the builtin runtime a delegate reader.
struct Executes(&'static dyn DelegateReader);

impl Backend for Executes {
    fn id(&self) -> &'static str {
        self.0.id()
    }

    fn load(
        &self,
        blob: &Bytes,
        named: &dyn Fn(&str) -> Option<Bytes>,
    ) -> Result<Box<dyn LoadedDelegate>, String> {
        self.0.load(blob, named)
    }
}

impl<'p> Builtin<'p> {
    /// Loads a method.
    ///
    /// # Errors
    /// The program uses something that the builtin runtime does not have.
    pub(super) fn load(
        program: &'p Program,
        (delegates, kernels): (
            &[&'static dyn DelegateReader],
            &'static [&'static dyn Kernels],
        ),
        method: &str,
        poison: bool,
    ) -> Result<Builtin<'p>, Error> {
        let options = Options {
            poison: poison.then_some(POISON),
        };
        let backends: Vec<Executes> = delegates.iter().map(|&d| Executes(d)).collect();
        let backends: Vec<&dyn Backend> = backends.iter().map(|b| b as &dyn Backend).collect();
        let runtime = Runtime::load(program, method, &backends, &options).map_err(Error::of)?;
        let runtime = runtime.with_kernels(kernels);
        let values = program.method(method).into_iter();
        let values = values.flat_map(|m| m.input_values());
        Ok(Builtin {
            runtime,
            expected: values.map(super::signature::expected).collect(),
        })
    }
}

impl Session for Builtin<'_> {
    fn about(&self) -> About {
        About {
            name: "builtin",
            text: "the builtin runtime",
            gives_all_inputs: true,
            gives_numbers: true,
            keeps_dtypes: true,
        }
    }

    fn run_one(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<(), Error> {
        check_frozen(&self.expected, inputs, run)?;
        let given = |i| inputs.get(run, Role::Input, i);
        let tensors: Vec<Option<Tensor>> = (0..self.runtime.inputs())
            .map(|i| given(i).map(|data| Tensor::from(data.clone())))
            .collect();
        let outputs = self.runtime.execute(&tensors);
        let outputs = outputs.explain(|| format!("run {run}"))?;
        for (position, item) in outputs.into_iter().enumerate() {
            if let Some(data) = tensor_of(item) {
                results.insert(run, Role::Output, position, data);
            }
        }
        for position in 0..self.runtime.inputs() {
            let after = self.runtime.input_after(position).map_err(Error::of)?;
            if let Some(tensor) = after {
                results.insert(run, Role::InputAfter, position, TensorData::from(tensor));
            }
        }
        Ok(())
    }
}

fn tensor_of(item: Item) -> Option<TensorData> {
    match item {
        Item::Tensor(tensor) => Some(TensorData::from(tensor)),
        Item::Int(v) => Some(scalar_tensor(Scalar::Int(v))),
        Item::Double(v) => Some(scalar_tensor(Scalar::Float(v))),
        Item::Bool(v) => Some(scalar_tensor(Scalar::Bool(v))),
        Item::Other => None,
    }
}
