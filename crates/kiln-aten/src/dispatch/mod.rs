//! The import of a call: its row of the table is found, and the row's results become results of the program.

mod complex;
mod foreign;

use crate::call::error::{Given, ImportError, Problem};
use crate::call::{Arg, Call, Declared, Tensor};
use crate::importer::Importer;
use crate::importer::access::get_all;
use crate::importer::arguments::Args;
use crate::importer::returns::Return;
use crate::importer::view::View;
use crate::table::{self, Entry, Variant};
use kiln_ir::dim::DimNames;
use kiln_ir::{Builder, TensorType, TypeNames};

/// Imports a call at the end of the importer's block, and gives one [`Arg`] for each result.
///
/// # Errors
/// If the op is not in the table, the call does not fit its schema, or the case cannot be expressed in core ops. Nodes
/// of the call may be in the block all the same.
pub fn import_call(cx: &mut Importer<'_>, call: &Call) -> Result<Vec<Arg>, ImportError> {
    cx.begin_call();
    dispatched(cx, call).map_err(|problem| ImportError {
        target: call.target.clone(),
        node: call.node.clone(),
        given: match problem {
            Problem::UnknownOp => Given::default(),
            _ => cx.describe(call),
        },
        problem,
    })
}

/// Imports the call on the parts of complex arguments if there are such, else by the table.
fn dispatched(cx: &mut Importer<'_>, call: &Call) -> Result<Vec<Arg>, Problem> {
    match complex::call(cx, call, dispatched) {
        Some(results) => results,
        None => cx.call(call),
    }
}

impl Importer<'_> {
    /// Descriptions of a call's arguments, for messages.
    fn describe(&self, call: &Call) -> Given {
        let one = |(name, arg): &(String, Arg)| {
            let found = match arg {
                Arg::Tensor(t) => self.graph().type_text(self.variables.last(*t)),
                other => other.describe(),
            };
            (name.clone(), found)
        };
        Given(call.args.iter().map(one).collect())
    }

    fn call(&mut self, call: &Call) -> Result<Vec<Arg>, Problem> {
        let is_custom = self.custom.holds(&call.target);
        let entry = match table::lookup(&call.target) {
            // The user's kernel goes before a meaning of Kiln's own, if it can be called.
            Some(entry) if !is_custom || !self.has_known_sizes(call) => entry,
            _ if is_custom => return self.foreign(call),
            _ => return Err(Problem::UnknownOp),
        };
        let values = entry.bind(&call.args)?;
        let declared = call.declared.iter().map(|d| self.resolve_declared(d));
        let declared: Vec<Declared> = declared.collect();
        let args = Args::new(self, entry.schema, values, &declared)?;
        let returns = (entry.import)(self, &args)?;
        let results = match entry.variant {
            Variant::InPlace => self.write_result(&args, returns)?,
            Variant::Plain | Variant::Copy => returns
                .into_iter()
                .map(|r| self.bind_return(r, &entry))
                .collect::<Result<Vec<Arg>, Problem>>()?,
        };
        for (i, (result, declared)) in results.iter().zip(&declared).enumerate() {
            self.check(i, result, declared)?;
        }
        Ok(results)
    }

    fn resolve_declared(&self, declared: &Declared) -> Declared {
        let resolve = |ty: &TensorType| ty.with_shape(self.resolve_shape(&ty.shape));
        match declared {
            Declared::Tensor { ty, contiguous } => Declared::Tensor {
                ty: resolve(ty),
                contiguous: *contiguous,
            },
            Declared::Tensors(types) => Declared::Tensors(types.iter().map(resolve).collect()),
            Declared::Int(Some(dim)) => Declared::Int(Some(self.resolve(dim))),
            other => other.clone(),
        }
    }

    fn bind_return(&mut self, result: Return, entry: &Entry) -> Result<Arg, Problem> {
        let copy = entry.variant == Variant::Copy;
        Ok(match result {
            Return::Value(value) => Arg::Tensor(self.bind(value)),
            Return::Values(values) => {
                Arg::Tensors(values.into_iter().map(|v| self.bind(v)).collect())
            }
            Return::View(of, steps) => Arg::Tensor(self.bind_steps(of, steps, copy)?),
            Return::MaybeView(of, steps) if copy => Arg::Tensor(self.bind_steps(of, steps, true)?),
            Return::MaybeView(of, steps) => Arg::Tensor(self.bind_maybe_view(of, steps)?),
            Return::Views(of, list) => {
                let views = list
                    .into_iter()
                    .map(|steps| self.bind_steps(of, steps, copy));
                Arg::Tensors(views.collect::<Result<_, _>>()?)
            }
            Return::Arg(arg) => arg,
        })
    }

    fn bind_steps(&mut self, of: Tensor, steps: Vec<View>, copy: bool) -> Result<Tensor, Problem> {
        if !copy {
            return self.bind_view(of, steps);
        }
        let base = self.current(of)?;
        let value = get_all(self, base, &steps)?;
        Ok(self.bind(value))
    }

    /// Gives the first result to the first argument: its value, or the view that the argument becomes.
    fn write_result(&mut self, args: &Args<'_>, returns: Vec<Return>) -> Result<Vec<Arg>, Problem> {
        let target = args.first_tensor()?;
        let value = match returns.into_iter().next() {
            Some(Return::Value(value)) => value,
            Some(Return::View(of, steps)) if of == target => {
                self.rebind_view(target, steps)?;
                return Ok(vec![Arg::Tensor(target)]);
            }
            Some(Return::View(of, steps) | Return::MaybeView(of, steps)) => {
                let base = self.current(of)?;
                get_all(self, base, &steps)?
            }
            _ => return Err(Problem::unsupported("has no in-place form")),
        };
        let ty = {
            let now = self.current(target)?;
            self.ty(now).clone()
        };
        let value = self.cast(value, ty.dtype)?;
        let value = self.expand(value, &ty.shape)?;
        self.assign(target, value)?;
        Ok(vec![Arg::Tensor(target)])
    }

    /// Checks a result against its declaration, and keeps what only the declaration says: memory order, and the names
    /// of sizes.
    fn check(&mut self, index: usize, result: &Arg, declared: &Declared) -> Result<(), Problem> {
        match (result, declared) {
            (Arg::Tensor(t), Declared::Tensor { ty, contiguous }) => {
                self.set_contiguous(*t, *contiguous);
                self.check_tensor(index, *t, ty)
            }
            (Arg::Tensors(list), Declared::Tensors(types)) => list
                .iter()
                .zip(types)
                .try_for_each(|(t, ty)| self.check_tensor(index, *t, ty)),
            (Arg::Int(dim), Declared::Int(Some(declared))) => {
                self.learn(declared, dim);
                let declared = self.resolve(declared);
                if self.graph().symbols.equal(dim, &declared) == Some(false) {
                    return Err(Problem::Declared {
                        result: index,
                        declared: DimNames(&declared, &self.graph().symbols).to_string(),
                        inferred: DimNames(dim, &self.graph().symbols).to_string(),
                    });
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn check_tensor(&mut self, index: usize, t: Tensor, ty: &TensorType) -> Result<(), Problem> {
        let value = self.current(t)?;
        let inferred = self.ty(value).clone();
        if inferred.rank() == ty.rank() {
            for (declared, dim) in ty.shape.iter().zip(inferred.shape.iter()) {
                self.learn(declared, dim);
            }
        }
        let shape = self.resolve_shape(&ty.shape);
        if inferred.dtype != ty.dtype
            || inferred.shape.equal(&shape, &self.graph().symbols) == Some(false)
        {
            return Err(Problem::Declared {
                result: index,
                declared: TypeNames(ty, &self.graph().symbols).to_string(),
                inferred: self.graph().type_text(value),
            });
        }
        Ok(())
    }
}
