//! What a model declares of its inputs, and whether the tensors given are that: asked before anything runs, so that every
//! runtime refuses alike and the message knows file, tensor and remedy.

use super::inputs::Inputs;
use crate::counted::counted;
use crate::tensors::{Role, name};
use anyhow::{Result, bail};
use kiln_ir::graph::InputSpec;
use kiln_ir::{DType, Dim, Graph, TensorData};
use kiln_pte::{Dynamism, Method, TensorValue};
use std::fmt;

/// An input that is a tensor.
struct Declared {
    /// Among all inputs.
    position: usize,
    /// As the model calls it; a program has no names.
    name: Option<String>,
    /// None for what Kiln does not have.
    dtype: Option<DType>,
    sizes: Vec<Size>,
    /// Elements that there is room for.
    room: Option<usize>,
}

/// What a size may be.
enum Size {
    Exactly(usize),
    /// Between these.
    Within(i64, Option<i64>),
    /// What follows from others, which only a run checks.
    Derived,
    /// As large as there is room for, at this size of the others.
    Room(usize),
}

/// All tensor inputs of a method.
pub struct Declaration {
    inputs: Vec<Declared>,
    /// How many inputs there are, those without tensors counted.
    count: usize,
}

impl Declaration {
    /// A graph's.
    pub fn of_graph(graph: &Graph) -> Declaration {
        let specs = graph.signature.inputs.iter().enumerate();
        let tensors = specs.filter_map(|(position, spec)| match spec {
            InputSpec::Tensor { name, .. } => Some((position, name.to_string())),
            InputSpec::None | InputSpec::Scalar(_) | InputSpec::Text(_) => None,
        });
        let params = graph.block(graph.root()).params.iter();
        let inputs = tensors.zip(params).map(|((position, name), &param)| {
            let ty = graph.ty(param);
            Declared {
                position,
                name: Some(name),
                dtype: Some(ty.dtype),
                sizes: ty.shape.iter().map(|dim| size(graph, dim)).collect(),
                room: None,
            }
        });
        Declaration {
            inputs: inputs.collect(),
            count: graph.signature.inputs.len(),
        }
    }

    /// A program's.
    pub fn of_method(method: &Method) -> Declaration {
        let values = method.input_values().enumerate();
        let tensors = values.filter_map(|(i, value)| Some((i, value.as_tensor()?)));
        Declaration {
            inputs: tensors.map(|(i, tensor)| planned(i, tensor)).collect(),
            count: method.inputs.len(),
        }
    }

    /// Refuses tensors that are missing, are too many or do not fit.
    ///
    /// # Errors
    /// The file, the tensor, what was found and expected, and what would do.
    pub fn check(&self, inputs: &Inputs) -> Result<()> {
        let source = inputs.source();
        let surplus = inputs.runs.all(Role::Input);
        if let Some((run, i, _)) = surplus.into_iter().find(|&(_, i, _)| i >= self.count) {
            bail!(
                "{source}: there is a tensor {}, but the method has {}, counted from 0",
                name(run, Role::Input, i),
                counted(self.count, "input")
            );
        }
        for run in 0..inputs.count() {
            for declared in &self.inputs {
                let tensor = name(run, Role::Input, declared.position);
                match inputs.runs.get(run, Role::Input, declared.position) {
                    None => bail!(
                        "{source}: run {run} has no tensor {tensor} for input {declared}; add it"
                    ),
                    Some(data) => {
                        if let Some(fault) = declared.fault(data) {
                            bail!("{source}: tensor {tensor} of input {declared}: {fault}");
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Declared {
    /// Why a tensor is not this input.
    fn fault(&self, data: &TensorData) -> Option<String> {
        if let Some(dtype) = self.dtype.filter(|&d| d != data.dtype()) {
            let found = data.dtype();
            return Some(format!(
                "found {found}, expected {dtype}; convert it, or export the model with an input of {found}"
            ));
        }
        let found = data.sizes();
        let mut pairs = self.sizes.iter().zip(found);
        let fits = found.len() == self.sizes.len()
            && pairs.all(|(size, &found)| size.fits(found))
            && self.room.is_none_or(|room| data.elements() <= room);
        (!fits).then(|| {
            let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
            let (expected, relation) = (sizes.join(", "), match self.room {
                Some(_) => "at most ",
                None => "",
            });
            format!(
                "found sizes {found:?}, expected {relation}[{expected}]; give it in such sizes, or export the model with \
                 dynamic_shapes that allow these"
            )
        })
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{} ({name})", self.position),
            None => write!(f, "{}", self.position),
        }
    }
}

impl Size {
    fn fits(&self, found: usize) -> bool {
        match *self {
            Size::Exactly(size) => found == size,
            Size::Within(min, max) => {
                i64::try_from(found).is_ok_and(|n| n >= min && max.is_none_or(|max| n <= max))
            }
            Size::Derived | Size::Room(_) => true,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Exactly(size) | Size::Room(size) => write!(f, "{size}"),
            Size::Within(min, Some(max)) => write!(f, "{min} to {max}"),
            Size::Within(min, None) => write!(f, "{min} or more"),
            Size::Derived => f.write_str("any"),
        }
    }
}

fn size(graph: &Graph, dim: &Dim) -> Size {
    match (dim.as_const(), dim.as_symbol()) {
        (Some(size), _) => usize::try_from(size).map_or(Size::Derived, Size::Exactly),
        (None, Some(symbol)) => {
            let symbol = graph.symbols.get(symbol);
            Size::Within(symbol.min, symbol.max)
        }
        (None, None) => Size::Derived,
    }
}

fn planned(position: usize, tensor: &TensorValue) -> Declared {
    let sizes = tensor.sizes.iter().map(|&size| size as usize);
    let is_static = tensor.dynamism == Dynamism::Static;
    Declared {
        position,
        name: None,
        dtype: DType::from_name(tensor.dtype.name()),
        room: sizes
            .clone()
            .try_fold(1usize, usize::checked_mul)
            .filter(|_| !is_static),
        sizes: match is_static {
            true => sizes.map(Size::Exactly).collect(),
            false => sizes.map(Size::Room).collect(),
        },
    }
}
