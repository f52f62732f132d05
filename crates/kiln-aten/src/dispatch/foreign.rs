//! Calls of ops that the user registers with the runtime: they become calls of kernels with the archive's arguments.

use crate::call::custom::kernel;
use crate::call::error::Problem;
use crate::call::{Arg, Call, Declared, Tensor};
use crate::importer::Importer;
use kiln_ir::ops::Foreign;
use kiln_ir::ops::foreign::{self, Argument, Text};
use kiln_ir::{Builder, TensorType, ValueId};

/// True for `namespace.op_.overload`: PyTorch's name of an op that writes to its first argument.
fn is_in_place(target: &str) -> bool {
    let op = target.split('.').nth(1).unwrap_or_default();
    op.ends_with('_') && !op.ends_with("__")
}

impl Importer<'_> {
    /// Imports a call of which nothing is known but its arguments and the types of its results.
    pub(super) fn foreign(&mut self, call: &Call) -> Result<Vec<Arg>, Problem> {
        if is_in_place(&call.target) {
            return Err(Problem::unsupported(
                "writes to its argument, as its name says; give the op a form without writes",
            ));
        }
        let kernel = kernel(&call.target).ok_or(Problem::UnknownOp)?;
        let (mut arguments, mut operands) = (Vec::new(), Vec::new());
        let schema = self.custom.schema(&call.target);
        schema.map_or(Ok(()), |schema| schema.check_results(call.declared.len()))?;
        let bound = schema.map(|schema| schema.bind(&call.args)).transpose()?;
        for (name, arg) in bound.as_ref().unwrap_or(&call.args) {
            arguments.push(self.foreign_argument(name, arg, &mut operands)?);
        }
        let results = call.declared.iter().map(|declared| match declared {
            Declared::Tensor { ty, .. } => Ok(self.declared_type(ty)),
            _ => Err(Problem::unsupported(
                "an op of the user's gives tensors of declared types",
            )),
        });
        let results = results.collect::<Result<Vec<foreign::Declared>, Problem>>()?;
        if !self.has_known_sizes(call) {
            return Err(Problem::unsupported(
                "gives a size that only its own run tells; kernels of the user's have results whose sizes follow from those of the inputs",
            ));
        }
        let op = Foreign {
            kernel: Text(kernel),
            arguments,
            results,
        };
        let node = self.insert(op.into(), &operands)?;
        let results = self.graph().node(node).results.clone();
        let bound = results
            .into_iter()
            .map(|value| Arg::Tensor(self.bind(value)));
        Ok(bound.collect())
    }

    /// Values of the declared types in place of a refused call's results, so that the calls behind it can be tried too. The graph is
    /// of no other use then. `None` where a result is declared as neither tensors nor a size.
    pub fn stand_ins(&mut self, call: &Call) -> Option<Vec<Arg>> {
        self.begin_call();
        let declared = call.declared.iter();
        let results = declared.map(|declared| match declared {
            Declared::Tensor { ty, .. } => Some(Arg::Tensor(self.stand_in(ty)?)),
            Declared::Tensors(types) => {
                let tensors = types.iter().map(|ty| self.stand_in(ty));
                Some(Arg::Tensors(tensors.collect::<Option<_>>()?))
            }
            Declared::Int(Some(dim)) => Some(Arg::Int(self.resolve(dim))),
            _ => None,
        });
        results.collect()
    }

    fn stand_in(&mut self, ty: &TensorType) -> Option<Tensor> {
        let op = Foreign {
            kernel: Text("refused::call.out".to_owned()),
            arguments: Vec::new(),
            results: vec![self.declared_type(ty)],
        };
        let node = self.insert(op.into(), &[]).ok()?;
        let value = self.graph().node(node).result();
        Some(self.bind(value))
    }

    /// True if the sizes of all results follow from those of the inputs.
    pub(super) fn has_known_sizes(&self, call: &Call) -> bool {
        call.declared.iter().all(|declared| match declared {
            Declared::Tensor { ty, .. } => {
                let shape = self.resolve_shape(&ty.shape);
                shape.iter().all(|size| self.is_bound(size))
            }
            _ => true,
        })
    }

    fn declared_type(&self, ty: &TensorType) -> foreign::Declared {
        foreign::Declared {
            dtype: ty.dtype,
            shape: self.resolve_shape(&ty.shape),
        }
    }

    fn foreign_argument(
        &mut self,
        name: &str,
        arg: &Arg,
        operands: &mut Vec<ValueId>,
    ) -> Result<Argument, Problem> {
        Ok(match arg {
            Arg::None => Argument::None,
            Arg::Tensor(tensor) => {
                operands.push(self.current(*tensor)?);
                Argument::Tensor
            }
            Arg::Tensors(tensors) => {
                for &tensor in tensors {
                    operands.push(self.current(tensor)?);
                }
                Argument::Tensors(tensors.len())
            }
            Arg::Int(dim) => Argument::Int(self.resolve(dim)),
            Arg::Ints(dims) => Argument::Ints(dims.iter().map(|dim| self.resolve(dim)).collect()),
            Arg::Float(float) => Argument::Float(*float),
            Arg::Bool(bool) => Argument::Bool(*bool),
            Arg::Str(text) => Argument::Text(Text(text.clone())),
            Arg::DType(dtype) => Argument::DType(*dtype),
            other => {
                return Err(Problem::unsupported(format!(
                    "argument `{name}` is {}, which no kernel of the user's is given",
                    other.describe()
                )));
            }
        })
    }
}
