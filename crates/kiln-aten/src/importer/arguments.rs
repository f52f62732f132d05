//! The arguments of a call, read by their names in the schema and checked for their kind.

use crate::call::error::{Kind, Problem};
use crate::call::schema::Schema;
use crate::call::{Arg, Declared, Number, Tensor};
use crate::importer::Importer;
use kiln_ir::dim::DimNames;
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, TensorType, ValueId};

/// An operand of arithmetic: a tensor, or a Python number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A tensor.
    Tensor(ValueId),
    /// A known number.
    Known(Scalar),
    /// A symbolic int.
    Symbolic(Dim),
    /// Any other number, known only at run time.
    Running(Number),
}

/// The arguments of a call with defaults filled in, and its declared results.
pub(crate) struct Args<'a> {
    schema: &'static Schema,
    values: Vec<Arg>,
    /// The current values of the tensors among the arguments.
    current: Vec<(Tensor, ValueId)>,
    declared: &'a [Declared],
}

impl<'a> Args<'a> {
    pub(crate) fn new(
        cx: &mut Importer<'_>,
        schema: &'static Schema,
        values: Vec<Arg>,
        declared: &'a [Declared],
    ) -> Result<Args<'a>, Problem> {
        let values: Vec<Arg> = values.into_iter().map(|v| resolve(cx, v)).collect();
        for (value, parameter) in values.iter().zip(&schema.parameters) {
            check_bound(cx, value, parameter.name)?;
        }
        let mut current = Vec::new();
        for tensor in values.iter().flat_map(tensors_of) {
            current.push((tensor, cx.current(tensor)?));
        }
        Ok(Args {
            schema,
            values,
            current,
            declared,
        })
    }

    /// The full name of the row's overload.
    pub(crate) fn target(&self) -> &'static str {
        self.schema.target
    }

    /// True if the overload has a parameter of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.schema.position(name).is_some()
    }

    pub(crate) fn arg(&self, name: &'static str) -> Result<&Arg, Problem> {
        self.schema
            .position(name)
            .map(|i| &self.values[i])
            .ok_or(Problem::Missing(name))
    }

    fn optional(&self, name: &'static str) -> Result<Option<&Arg>, Problem> {
        Ok(match self.arg(name)? {
            Arg::None => None,
            other => Some(other),
        })
    }

    /// What `read` gives for the argument; `None` if it is absent.
    fn if_given<'s, T>(
        &'s self,
        name: &'static str,
        read: impl FnOnce(&'s Self, &'static str) -> Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        match self.optional(name)? {
            None => Ok(None),
            Some(_) => read(self, name).map(Some),
        }
    }

    fn wrong(&self, name: &'static str, expected: Kind) -> Problem {
        let found = self
            .arg(name)
            .map_or_else(|_| "missing".into(), Arg::describe);
        Problem::Argument {
            name,
            expected,
            found,
        }
    }

    fn value_of(&self, tensor: Tensor) -> ValueId {
        let found = self.current.iter().find(|(t, _)| *t == tensor);
        found.expect("every tensor argument was read").1
    }

    /// The variable of a tensor argument. Views and writes in place need the variable, not its value.
    pub(crate) fn variable(&self, name: &'static str) -> Result<Tensor, Problem> {
        self.arg(name)?
            .as_tensor()
            .ok_or_else(|| self.wrong(name, Kind::Tensor))
    }

    pub(crate) fn first_tensor(&self) -> Result<Tensor, Problem> {
        let first = self.schema.parameters.first().map(|p| p.name);
        self.variable(first.ok_or(Problem::Missing("self"))?)
    }

    /// The value of a tensor argument.
    pub(crate) fn tensor(&self, name: &'static str) -> Result<ValueId, Problem> {
        Ok(self.value_of(self.variable(name)?))
    }

    /// The value of a tensor argument; `None` if it is absent.
    pub(crate) fn optional_tensor(&self, name: &'static str) -> Result<Option<ValueId>, Problem> {
        self.if_given(name, Self::tensor)
    }

    /// The real and imaginary parts of a tensor argument. A real tensor has no imaginary part.
    pub(crate) fn complex(
        &self,
        name: &'static str,
    ) -> Result<(ValueId, Option<ValueId>), Problem> {
        match self.arg(name)? {
            Arg::Complex { real, imaginary } => {
                Ok((self.value_of(*real), Some(self.value_of(*imaginary))))
            }
            _ => Ok((self.tensor(name)?, None)),
        }
    }

    /// The values of a list of tensors.
    pub(crate) fn tensors(&self, name: &'static str) -> Result<Vec<ValueId>, Problem> {
        match self.arg(name)? {
            Arg::Tensors(list) => Ok(list.iter().map(|&t| self.value_of(t)).collect()),
            Arg::Ints(list) if list.is_empty() => Ok(Vec::new()),
            _ => Err(self.wrong(name, Kind::Tensors)),
        }
    }

    /// The values of a list of tensors, in which items may be absent.
    pub(crate) fn optional_tensors(
        &self,
        name: &'static str,
    ) -> Result<Vec<Option<ValueId>>, Problem> {
        match self.arg(name)? {
            Arg::OptionalTensors(list) => {
                Ok(list.iter().map(|t| t.map(|t| self.value_of(t))).collect())
            }
            _ => Ok(self.tensors(name)?.into_iter().map(Some).collect()),
        }
    }

    /// A tensor or a number.
    pub(crate) fn operand(&self, name: &'static str) -> Result<Operand, Problem> {
        Ok(match self.arg(name)? {
            Arg::Tensor(t) => Operand::Tensor(self.value_of(*t)),
            Arg::Int(d) => match d.as_const() {
                Some(c) => Operand::Known(Scalar::Int(c)),
                None => Operand::Symbolic(d.clone()),
            },
            Arg::Float(f) => Operand::Known(Scalar::Float(*f)),
            Arg::Bool(b) => Operand::Known(Scalar::Bool(*b)),
            Arg::Number(n) => Operand::Running(*n),
            _ => return Err(self.wrong(name, Kind::Operand)),
        })
    }

    /// A tensor or a number; `None` if it is absent.
    pub(crate) fn optional_operand(&self, name: &'static str) -> Result<Option<Operand>, Problem> {
        self.if_given(name, Self::operand)
    }

    /// A known number.
    pub(crate) fn scalar(&self, name: &'static str) -> Result<Scalar, Problem> {
        match self.operand(name)? {
            Operand::Known(s) => Ok(s),
            _ => Err(self.wrong(name, Kind::Number)),
        }
    }

    /// A known number; `None` if it is absent.
    pub(crate) fn optional_scalar(&self, name: &'static str) -> Result<Option<Scalar>, Problem> {
        self.if_given(name, Self::scalar)
    }

    /// A known float; an int is converted.
    pub(crate) fn float(&self, name: &'static str) -> Result<f64, Problem> {
        self.scalar(name).map(Scalar::as_f64)
    }

    /// A known float; `None` if it is absent.
    pub(crate) fn optional_float(&self, name: &'static str) -> Result<Option<f64>, Problem> {
        Ok(self.optional_scalar(name)?.map(Scalar::as_f64))
    }

    /// A list of known floats; `None` if it is absent.
    pub(crate) fn optional_floats(&self, name: &'static str) -> Result<Option<Vec<f64>>, Problem> {
        match self.optional(name)? {
            None => Ok(None),
            Some(Arg::Floats(list)) => Ok(Some(list.clone())),
            Some(Arg::Float(f)) => Ok(Some(vec![*f])),
            Some(_) => Ok(Some(
                self.ints(name)?.into_iter().map(|i| i as f64).collect(),
            )),
        }
    }

    /// A bool.
    pub(crate) fn bool(&self, name: &'static str) -> Result<bool, Problem> {
        match self.arg(name)? {
            Arg::Bool(b) => Ok(*b),
            Arg::Int(d) if d.as_const().is_some() => Ok(!d.is(0)),
            _ => Err(self.wrong(name, Kind::Bool)),
        }
    }

    /// A bool; `None` if it is absent.
    pub(crate) fn optional_bool(&self, name: &'static str) -> Result<Option<bool>, Problem> {
        self.if_given(name, Self::bool)
    }

    /// A string.
    pub(crate) fn text(&self, name: &'static str) -> Result<&str, Problem> {
        match self.arg(name)? {
            Arg::Str(s) => Ok(s),
            _ => Err(self.wrong(name, Kind::Text)),
        }
    }

    /// A string; `None` if it is absent.
    pub(crate) fn optional_text(&self, name: &'static str) -> Result<Option<&str>, Problem> {
        self.if_given(name, Self::text)
    }

    /// A dtype.
    pub(crate) fn dtype(&self, name: &'static str) -> Result<DType, Problem> {
        match self.arg(name)? {
            Arg::DType(d) => Ok(*d),
            _ => Err(self.wrong(name, Kind::DType)),
        }
    }

    /// A dtype; `None` if it is absent.
    pub(crate) fn optional_dtype(&self, name: &'static str) -> Result<Option<DType>, Problem> {
        self.if_given(name, Self::dtype)
    }

    /// An int, known or symbolic.
    pub(crate) fn dim(&self, name: &'static str) -> Result<Dim, Problem> {
        match self.arg(name)? {
            Arg::Int(d) => Ok(d.clone()),
            Arg::Bool(b) => Ok(Dim::constant(i64::from(*b))),
            _ => Err(self.wrong(name, Kind::Int)),
        }
    }

    /// An int, known or symbolic; `None` if it is absent.
    pub(crate) fn optional_dim(&self, name: &'static str) -> Result<Option<Dim>, Problem> {
        self.if_given(name, Self::dim)
    }

    /// A list of ints, known or symbolic; a single int is a list of one item.
    pub(crate) fn dims(&self, name: &'static str) -> Result<Vec<Dim>, Problem> {
        match self.arg(name)? {
            Arg::Ints(list) => Ok(list.clone()),
            Arg::Int(d) => Ok(vec![d.clone()]),
            Arg::Tensors(list) if list.is_empty() => Ok(Vec::new()),
            _ => Err(self.wrong(name, Kind::Ints)),
        }
    }

    /// A list of ints, known or symbolic; `None` if it is absent.
    pub(crate) fn optional_dims(&self, name: &'static str) -> Result<Option<Vec<Dim>>, Problem> {
        self.if_given(name, Self::dims)
    }

    /// A known int.
    pub(crate) fn int(&self, name: &'static str) -> Result<i64, Problem> {
        self.dim(name)?
            .as_const()
            .ok_or_else(|| self.wrong(name, Kind::KnownInt))
    }

    /// A known int; `None` if it is absent.
    pub(crate) fn optional_int(&self, name: &'static str) -> Result<Option<i64>, Problem> {
        self.if_given(name, Self::int)
    }

    /// A list of known ints.
    pub(crate) fn ints(&self, name: &'static str) -> Result<Vec<i64>, Problem> {
        let known: Option<Vec<i64>> = self.dims(name)?.iter().map(Dim::as_const).collect();
        known.ok_or_else(|| self.wrong(name, Kind::KnownInts))
    }

    /// A list of known ints; `None` if it is absent.
    pub(crate) fn optional_ints(&self, name: &'static str) -> Result<Option<Vec<i64>>, Problem> {
        self.if_given(name, Self::ints)
    }

    /// A list of `count` known ints; a single int counts for all.
    pub(crate) fn spatial(&self, name: &'static str, count: usize) -> Result<Vec<i64>, Problem> {
        match self.ints(name)?.as_slice() {
            [all] => Ok(vec![*all; count]),
            list if list.len() == count => Ok(list.to_vec()),
            _ => Err(self.wrong(name, Kind::Spatial)),
        }
    }

    /// The declared type of a result.
    pub(crate) fn declared(&self, result: usize) -> Option<&TensorType> {
        match self.declared.get(result)? {
            Declared::Tensor { ty, .. } => Some(ty),
            _ => None,
        }
    }

    /// The declared types of the first result if it is a list of tensors.
    pub(crate) fn declared_list(&self) -> Option<&[TensorType]> {
        match self.declared.first()? {
            Declared::Tensors(types) => Some(types),
            _ => None,
        }
    }

    /// The declared shape of the first result.
    pub(crate) fn declared_shape(&self) -> Option<&Shape> {
        self.declared(0).map(|ty| &ty.shape)
    }

    /// The declared expression of an int result.
    pub(crate) fn declared_int(&self) -> Option<&Dim> {
        match self.declared.first()? {
            Declared::Int(dim) => dim.as_ref(),
            _ => None,
        }
    }
}

fn resolve(cx: &Importer<'_>, arg: Arg) -> Arg {
    match arg {
        Arg::Int(d) => Arg::Int(cx.resolve(&d)),
        Arg::Ints(list) => Arg::Ints(list.iter().map(|d| cx.resolve(d)).collect()),
        other => other,
    }
}

/// # Errors
/// If the int contains a symbol that has no value before the call.
fn check_bound(cx: &Importer<'_>, arg: &Arg, name: &str) -> Result<(), Problem> {
    let dims = match arg {
        Arg::Int(dim) => std::slice::from_ref(dim),
        Arg::Ints(list) => list,
        _ => return Ok(()),
    };
    match dims.iter().find(|d| !cx.is_bound(d)) {
        None => Ok(()),
        Some(dim) => Err(Problem::unsupported(format!(
            "argument `{name}` is {}, of which no input and no call before this one gives the value",
            DimNames(dim, cx.symbols())
        ))),
    }
}

fn tensors_of(arg: &Arg) -> Vec<Tensor> {
    match arg {
        Arg::Tensor(t) => vec![*t],
        Arg::Complex { real, imaginary } => vec![*real, *imaginary],
        Arg::Tensors(list) => list.clone(),
        Arg::OptionalTensors(list) => list.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}
