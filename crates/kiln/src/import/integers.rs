//! Inputs of integers that the program dequantises at once: their type says which reals they stand for, so that layers compute with them
//! as they are.

use super::Walker;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, TensorType};
use kiln_pt2::{self as pt2, Argument, Graph, Node, ScalarType};
use std::sync::Arc;

/// What a value's readers do with it.
#[derive(Clone, Debug, PartialEq)]
struct Dequantised {
    scale: f64,
    zero_point: i64,
    range: (i64, i64),
}

/// A model without such a call computes in floats, and dequantises its input like any other function.
const QUANTIZE: &str = "torch.ops.quantized_decomposed.quantize_per_tensor.default";
const DEQUANTIZE: &str = "torch.ops.quantized_decomposed.dequantize_per_tensor.default";

/// Calls that move elements, of their first operand alone.
const MOVES: [&str; 22] = [
    "torch.ops.aten._unsafe_view.default",
    "torch.ops.aten.alias.default",
    "torch.ops.aten.clone.default",
    "torch.ops.aten.contiguous.default",
    "torch.ops.aten.expand.default",
    "torch.ops.aten.flatten.using_ints",
    "torch.ops.aten.flip.default",
    "torch.ops.aten.movedim.int",
    "torch.ops.aten.movedim.intlist",
    "torch.ops.aten.narrow.default",
    "torch.ops.aten.permute.default",
    "torch.ops.aten.reshape.default",
    "torch.ops.aten.select.int",
    "torch.ops.aten.slice.Tensor",
    "torch.ops.aten.squeeze.default",
    "torch.ops.aten.squeeze.dim",
    "torch.ops.aten.squeeze.dims",
    "torch.ops.aten.t.default",
    "torch.ops.aten.transpose.int",
    "torch.ops.aten.unflatten.int",
    "torch.ops.aten.unsqueeze.default",
    "torch.ops.aten.view.default",
];

impl Walker<'_, '_> {
    /// The type of an input, with the reals that its integers stand for if nothing else is done with them.
    pub(super) fn with_reals(&self, name: &str, ty: TensorType) -> TensorType {
        let is_written = self.program.signature.output_specs.iter().any(|spec| {
            matches!(spec, pt2::OutputSpec::UserInputMutation { input, .. } if input == name)
        });
        let has_layers = || {
            self.program
                .graph
                .nodes
                .iter()
                .any(|node| node.target == QUANTIZE)
        };
        if is_written || !matches!(ty.dtype, DType::I8 | DType::U8) || !has_layers() {
            return ty;
        }
        let found = dequantised(&self.program.graph, name);
        let range = ty.dtype.int_range();
        let Some(found) = found.filter(|found| Some(found.range) == range) else {
            return ty;
        };
        let quant = Quant {
            scheme: QuantScheme::PerTensor {
                scale: found.scale,
                zero_point: found.zero_point,
            },
            min: found.range.0,
            max: found.range.1,
        };
        TensorType {
            quant: Some(Arc::new(quant)),
            ..ty
        }
    }
}

/// How all readers of a value dequantise it, perhaps behind movements. `None` if something else is done with it, or nothing.
fn dequantised(graph: &Graph, input: &str) -> Option<Dequantised> {
    let mut found: Option<Dequantised> = None;
    let mut names = vec![input];
    while let Some(name) = names.pop() {
        let is_name = |arg: &Argument| matches!(arg, Argument::Tensor(of) if of == name);
        if graph.outputs.iter().any(is_name) {
            return None;
        }
        for node in &graph.nodes {
            let readings = node
                .inputs
                .iter()
                .filter(|input| mentions(&input.arg, name));
            let is_first = node.inputs.first().is_some_and(|input| is_name(&input.arg));
            match (readings.count(), is_first) {
                (0, _) => {}
                (1, true) if MOVES.contains(&node.target.as_str()) => match node.outputs.as_slice()
                {
                    [Argument::Tensor(moved)] => names.push(moved),
                    _ => return None,
                },
                (1, true) if node.target == DEQUANTIZE => {
                    let own = parameters(node)?;
                    if found.as_ref().is_some_and(|other| *other != own) {
                        return None;
                    }
                    found = Some(own);
                }
                _ => return None,
            }
        }
    }
    found
}

/// True if the operand is the value of this name, or may have it in it.
fn mentions(arg: &Argument, name: &str) -> bool {
    match arg {
        Argument::Tensor(of) | Argument::OptionalTensor(Some(of)) => of == name,
        Argument::Tensors(all) => all.iter().any(|of| of == name),
        Argument::OptionalTensors(all) => all.iter().flatten().any(|of| of == name),
        Argument::NestedTensors(all) => all.iter().flatten().any(|of| of == name),
        _ => false,
    }
}

fn parameters(node: &Node) -> Option<Dequantised> {
    let whole = |name: &str| match node.input(name)? {
        Argument::Int(number) => Some(*number),
        _ => None,
    };
    let scale = match node.input("scale")? {
        Argument::Float(scale) => *scale,
        _ => return None,
    };
    let zero_point = whole("zero_point")?;
    let (min, max) = (whole("quant_min")?, whole("quant_max")?);
    let is_single = match node.input("out_dtype") {
        None | Some(Argument::None) => true,
        Some(Argument::ScalarType(dtype)) => *dtype == ScalarType::F32,
        Some(_) => false,
    };
    let is_scale = scale > 0.0 && (scale as f32).is_normal();
    (is_scale && is_single && (min..=max).contains(&zero_point)).then_some(Dequantised {
        scale,
        zero_point,
        range: (min, max),
    })
}
