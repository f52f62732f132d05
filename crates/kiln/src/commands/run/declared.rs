//! Checks the given tensors against the inputs that the model declares, before anything runs. So all runtimes refuse
//! alike, and the message names file, tensor and remedy.

use super::inputs::Inputs;
use crate::counted::counted;
use anyhow::{Result, bail};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{Dim, Graph, TensorData, ValueId};
use kiln_target::{Declared, Role, Signature, Size, name};

/// The inputs and outputs of a graph.
pub fn of_graph(graph: &Graph) -> Signature {
    let specs = graph.signature.inputs.iter().enumerate();
    let tensors = specs.filter_map(|(position, spec)| match spec {
        InputSpec::Tensor { name, .. } => Some((position, Some(name.to_string()))),
        InputSpec::None | InputSpec::Scalar(_) | InputSpec::Text(_) => None,
    });
    let specs = graph.signature.outputs.iter().enumerate();
    let outputs = specs.filter_map(|(position, spec)| match spec {
        OutputSpec::Tensor { .. } => Some((position, None)),
        OutputSpec::None | OutputSpec::Scalar(_) | OutputSpec::Text(_) => None,
    });
    let root = graph.block(graph.root());
    let declared = |((position, name), &value): ((usize, Option<String>), &ValueId)| {
        let ty = graph.ty(value);
        Declared {
            position,
            name,
            dtype: Some(ty.dtype),
            text: graph.type_text(value),
            sizes: ty.shape.iter().map(|dim| size(graph, dim)).collect(),
            room: None,
            order: None,
            reals: None,
            step: None,
        }
    };
    Signature {
        inputs: tensors.zip(&root.params).map(declared).collect(),
        outputs: outputs.zip(&root.results).map(declared).collect(),
        input_count: Some(graph.signature.inputs.len()),
        has_fixed_sizes: false,
        keeps_positions: true,
    }
}

/// Refuses missing, surplus and unfit tensors. Where an artifact's positions are not the model's, the executor matches
/// tensors to inputs.
///
/// # Errors
/// The error names the file and the tensor, the found and the expected type, and the remedy.
pub fn check(signature: &Signature, inputs: &Inputs) -> Result<()> {
    if !signature.keeps_positions {
        return check_floats(signature, inputs);
    }
    let source = inputs.source();
    check_surplus(signature, inputs)?;
    for run in 0..inputs.count() {
        for declared in &signature.inputs {
            let tensor = name(run, Role::Input, declared.position);
            let input = text(declared);
            match inputs.runs.get(run, Role::Input, declared.position) {
                None => {
                    bail!("{source}: run {run} has no tensor {tensor} for input {input}; add it")
                }
                Some(data) => {
                    if let Some(fault) = fault(signature, declared, data) {
                        bail!("{source}: tensor {tensor} of input {input}: {fault}");
                    }
                }
            }
        }
    }
    Ok(())
}

/// Refuses tensors at positions that the method does not have. Where it does not tell which positions have numbers that the export
/// made constant, these are taken there, and nothing else.
fn check_surplus(signature: &Signature, inputs: &Inputs) -> Result<()> {
    let source = inputs.source();
    for (run, i, data) in inputs.runs.all(Role::Input) {
        let tensor = name(run, Role::Input, i);
        match signature.input_count {
            Some(count) if i >= count => bail!(
                "{source}: there is a tensor {tensor}, but the method has {}, counted from 0",
                counted(count, "input")
            ),
            None if !signature.takes(i) && !data.sizes().is_empty() => bail!(
                "{source}: there is a tensor {tensor} of sizes {:?}, but the project has no input {i}; it has {}",
                data.sizes(),
                positions_text(signature)
            ),
            _ => {}
        }
    }
    Ok(())
}

fn positions_text(signature: &Signature) -> String {
    let all: Vec<String> = signature.inputs.iter().map(text).collect();
    match all.is_empty() {
        true => "none".into(),
        false => all.join(", "),
    }
}

/// Refuses floats for inputs that an artifact takes as integers, where the sizes leave no doubt which input is meant.
fn check_floats(signature: &Signature, inputs: &Inputs) -> Result<()> {
    let source = inputs.source();
    for (run, i, data) in inputs.runs.all(Role::Input) {
        let Some(declared) = signature.inputs.get(i) else {
            continue;
        };
        let Some(dtype) = declared.dtype.filter(|dtype| dtype.is_int()) else {
            continue;
        };
        let advice = match order_of(declared, data.sizes()) {
            _ if !data.dtype().is_float() => continue,
            Some(Order::Same) => String::new(),
            Some(Order::Other) => format!(
                " of [{}], the model's axes in the order of its memory, which the report's io has as dim_order",
                sizes_text(declared)
            ),
            None => continue,
        };
        bail!(
            "{source}: tensor {} of input {}: found {}, expected {dtype}{advice}; quantise it by the scale and zero point of the report's io, or \
             compile with --float-io",
            name(run, Role::Input, i),
            text(declared),
            data.dtype()
        );
    }
    Ok(())
}

/// In which order a tensor has the axes of an input.
enum Order {
    Same,
    Other,
}

/// The order of a tensor's axes, if it has the sizes of the input.
fn order_of(declared: &Declared, found: &[usize]) -> Option<Order> {
    let are_fit = |found: &[usize]| {
        let mut pairs = declared.sizes.iter().zip(found);
        found.len() == declared.sizes.len() && pairs.all(|(&size, &found)| fits(size, found))
    };
    let mut exact = declared.sizes.iter().map(|size| match size {
        Size::Exactly(size) => Some(*size),
        _ => None,
    });
    if are_fit(found) {
        return Some(Order::Same);
    }
    let mut own: Vec<usize> = exact.by_ref().collect::<Option<_>>()?;
    let mut found = found.to_vec();
    own.sort_unstable();
    found.sort_unstable();
    (own == found).then_some(Order::Other)
}

/// Why a tensor does not fit an input.
fn fault(signature: &Signature, declared: &Declared, data: &TensorData) -> Option<String> {
    if let Some(dtype) = declared.dtype.filter(|&d| d != data.dtype()) {
        let found = data.dtype();
        // Floats of the model's own sizes were quantised before.
        if found.is_float()
            && let Some(reals) = &declared.reals
        {
            return Some(format!(
                "found {found} of sizes {:?}; expected {dtype} of [{}], or the model's floats, whose axes lie there in the order {:?}",
                data.sizes(),
                sizes_text(declared),
                reals.dim_order.0
            ));
        }
        if declared.reals.is_some() {
            return Some(format!(
                "found {found}, expected {dtype}; convert it, or give the model's floats, which are quantised by the project's scale"
            ));
        }
        return Some(format!(
            "found {found}, expected {dtype}; convert it, or export the model with an input of {found}"
        ));
    }
    let found = data.sizes();
    let sizes = declared.given_sizes();
    let mut pairs = sizes.iter().zip(found);
    let has_room = declared.room.is_none_or(|room| data.elements() <= room);
    let is_fit =
        found.len() == sizes.len() && pairs.all(|(&size, &found)| fits(size, found)) && has_room;
    (!is_fit).then(|| {
        let (expected, relation) = (sizes_text(declared), match declared.room {
            Some(_) => "at most ",
            None => "",
        });
        let remedy = match signature.has_fixed_sizes {
            true => "compile a model that is exported with these, or whose sizes --dim SYMBOL==SIZE fixes",
            false => "export the model with dynamic_shapes that allow these",
        };
        format!(
            "found sizes {found:?}, expected {relation}[{expected}]; give it in such sizes, or {remedy}"
        )
    })
}

fn text(declared: &Declared) -> String {
    match &declared.name {
        Some(name) => format!("{} ({name})", declared.position),
        None => declared.position.to_string(),
    }
}

fn fits(size: Size, found: usize) -> bool {
    match size {
        Size::Exactly(size) => found == size,
        Size::Within(min, max) => {
            i64::try_from(found).is_ok_and(|n| n >= min && max.is_none_or(|max| n <= max))
        }
        Size::Derived | Size::Room(_) => true,
    }
}

fn sizes_text(declared: &Declared) -> String {
    let sizes = declared.given_sizes();
    let sizes: Vec<String> = sizes.iter().map(size_text).collect();
    sizes.join(", ")
}

fn size_text(size: &Size) -> String {
    match size {
        Size::Exactly(size) | Size::Room(size) => size.to_string(),
        Size::Within(min, Some(max)) => format!("{min} to {max}"),
        Size::Within(min, None) => format!("{min} or more"),
        Size::Derived => "any".into(),
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
