//! The TOSA targets of the driver. Each writes a file.

use crate::artifact::{TOSA_FILE, TosaArtifact};
use crate::dialect::{Tensor, TensorId, TosaGraph, TosaOp};
use crate::machine::Machine;
use crate::target::Tosa;
use crate::{compile_for, integer_pipeline, least_moved, moved_bytes, pipeline};
use kiln_ir::{Graph, Op};
use kiln_target::{
    Border, Choice, CompileError, CompileTarget, Compiled, CompiledMethod, Entry, Error, Figures,
    Integers, Moved, Mover, Options, Place, Placed, SourceMethod, has_floats, io,
};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::layout::Least;
use serde_json::Map;

/// The targets of TOSA.
pub const TARGETS: &[Entry] = &[
    Entry {
        name: "tosa-fp",
        help: "A TOSA file with floats",
        kind: &TOSA_FILE,
        choices: &[],
        integers: Integers::Nothing,
        create: |_, _| {
            Box::new(TosaTarget {
                target: Tosa::default(),
                integers: None,
            })
        },
    },
    Entry {
        name: "tosa-int",
        help: "A TOSA file with integers",
        kind: &TOSA_FILE,
        choices: &[Choice::FloatIo],
        integers: Integers::All,
        create: |_, options| Box::new(TosaTarget::of_integers(Machine::default(), options)),
    },
];

/// A target that writes TOSA files.
pub struct TosaTarget {
    target: Tosa,
    integers: Option<IntegerFiles>,
}

/// The options of files of integers.
struct IntegerFiles {
    /// Inputs and outputs are integers if the model quantises them.
    at_border: bool,
}

impl TosaTarget {
    /// Files of integers, for a machine.
    pub fn of_integers(machine: Machine, options: &Options) -> TosaTarget {
        TosaTarget {
            target: Tosa { machine },
            integers: Some(IntegerFiles {
                at_border: !options.float_io,
            }),
        }
    }

    /// The TOSA graph of the only method, and its inputs and outputs.
    ///
    /// # Errors
    /// If there are several methods, or if a node does not lower.
    pub fn file(&self, methods: &[SourceMethod<'_>]) -> Result<(TosaGraph, Border), CompileError> {
        let [method] = methods else {
            return Err(CompileError::Part {
                method: 0,
                error: Error::new("a TOSA file has one method; compile each to a file of its own"),
            });
        };
        let is_integer = self.integers.as_ref().is_some_and(|i| i.at_border);
        let mut border = Border::of(method.graph, is_integer);
        let file = compile_for(method.graph, &mut border, self.target.machine);
        let file = file.map_err(|error| CompileError::Unsupported(Error::of(error)))?;
        Ok((file, border))
    }

    /// The artifact of a graph that [`TosaTarget::file`] lowered.
    pub fn artifact(&self, method: &SourceMethod<'_>, file: TosaGraph, border: Border) -> Compiled {
        let graph: &Graph = method.graph;
        let dtypes = [&file.main().inputs, &file.main().outputs].map(|ids| dtypes(&file, ids));
        let io = io(graph, &border, Some(dtypes));
        Compiled {
            methods: vec![CompiledMethod {
                figures: figures(graph, &file),
                placements: placements(graph, &self.target),
                target: None,
                border: Some(border),
                warnings: Vec::new(),
                notes: Vec::new(),
            }],
            sections: Map::from_iter([("io".to_owned(), io)]),
            warnings: Vec::new(),
            artifact: Box::new(TosaArtifact::new(file)),
        }
    }
}

impl CompileTarget for TosaTarget {
    fn as_target(&self) -> &dyn Target {
        &self.target
    }

    fn pipeline(&self) -> &'static [Pass] {
        match self.integers {
            Some(_) => integer_pipeline(),
            None => pipeline(),
        }
    }

    fn compile(
        &self,
        methods: &mut [SourceMethod<'_>],
        _: &[(String, i64)],
    ) -> Result<Compiled, CompileError> {
        let (file, border) = self.file(methods)?;
        let mut compiled = self.artifact(&methods[0], file, border);
        if self.integers.is_some() {
            let warning = warning_of_floats(&methods[0]);
            compiled.methods[0].warnings.extend(warning);
        }
        Ok(compiled)
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        least_moved(graph)
    }
}

/// What a file of integers warns of: floats in it.
fn warning_of_floats(method: &SourceMethod<'_>) -> Option<String> {
    let graph: &Graph = method.graph;
    if method.is_quantised {
        let what = kiln_target::in_floats(graph, kiln_target::computing_in_floats(graph))?;
        return Some(format!(
            "{what}, so the file needs TOSA's profile of floats (PRO-FP) too; quantise what these nodes read and give before the export (Arm's \
             quantiser takes softmax and norms apart into integers)"
        ));
    }
    has_floats(graph).then(|| {
        "the model has no quantised activations, so the file computes in floats; quantise it (--quantize, or before the export), or compile for \
         tosa-fp"
            .into()
    })
}

fn dtypes<'f>(file: &'f TosaGraph, ids: &[TensorId]) -> Vec<Option<&'f str>> {
    let tensors = ids.iter().map(|&id| file.main().tensor(id));
    tensors.map(|t| t.map(|t| t.dtype.name())).collect()
}

/// The structure of a file for reports: one part, since the compiler behind it plans the memory, and there are no
/// kernels.
fn figures(graph: &Graph, file: &TosaGraph) -> Figures {
    Figures {
        name: graph.name.clone(),
        delegates: Some(1),
        transposed_bytes: moved_bytes(file),
        moves: transposes(file),
        ..Figures::default()
    }
}

/// The transposes of a file; loop bodies count once.
fn transposes(file: &TosaGraph) -> Vec<Moved> {
    let mut moves = Vec::new();
    for region in &file.regions {
        let operators = region.operators.iter();
        for operator in operators.filter(|o| matches!(o.op, TosaOp::Transpose { .. })) {
            let outputs = operator.outputs.iter().filter_map(|&t| region.tensor(t));
            let location = operator.location.as_deref().unwrap_or("source unknown");
            moves.push(Moved {
                mover: Mover::Line(location.to_owned()),
                bytes: outputs.filter_map(Tensor::bytes).sum::<usize>() as u64,
            });
        }
    }
    moves
}

/// The placements of nodes: constants are free, all other nodes are in the file.
fn placements(graph: &Graph, target: &dyn Target) -> Vec<Placed> {
    let nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    let placed = nodes.map(|(node, data)| {
        let is_constant = matches!(data.op, Op::Constant(_));
        Placed {
            node,
            place: match is_constant {
                true => Place::Free,
                false => Place::Delegate(0),
            },
            reason: None,
            difference: (!is_constant)
                .then(|| target.difference(graph, node))
                .flatten(),
            floats: None,
        }
    });
    placed.collect()
}
