//! The targets of the driver. Each writes a C project, or, where the output's name ends in `.pte`, an ExecuTorch program.

use crate::artifact::{C_PROJECT, NewProject};
use crate::bands::bands;
use crate::cores::{CORES, Core};
use crate::dialect::{BufferId, Call, Parameters, Program};
use crate::executorch::Firmware;
use crate::floats;
use crate::plan::{Plan, plan};
use crate::project::{Name, Port, Project};
use crate::stream::{Wish, stream};
use crate::target::CortexM;
use crate::verify::verify;
use crate::{compile, least_moved, pipeline};
use indexmap::IndexMap;
use kiln_files::is_folder;
use kiln_ir::{DType, Graph, Op, ValueId};
use kiln_portable::program::{PROGRAM, ToPrograms};
use kiln_quantised::step::Step;
use kiln_target::{
    Border, Choice, CompileError, CompileTarget, Compiled, CompiledMethod, Entry, Error, Figures,
    Integers, Moved, Mover, Options, Place, Placed, SourceMethod, has_floats,
};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::{Reason, Target};
use kiln_transforms::layout::Least;
use std::path::Path;

/// A target for each core.
pub const TARGETS: &[Entry] = &{
    let mut entries = [const { entry(&CORES[0]) }; CORES.len()];
    let mut i = 0;
    while i < CORES.len() {
        entries[i] = entry(&CORES[i]);
        i += 1;
    }
    entries
};

const fn entry(core: &'static Core) -> Entry {
    Entry {
        name: core.name,
        help: match core.board {
            Some(_) => "A folder of C99 for this core, with kernels of integers",
            None => "The same in portable C, for any machine",
        },
        kind: &C_PROJECT,
        choices: &[Choice::FloatIo, Choice::Name, Choice::Arena],
        integers: Integers::All,
        create: |name, options| {
            let core = Core::named(name).expect("an entry has the name of its core");
            let extension = options.output.as_deref().and_then(Path::extension);
            let is_program = extension.is_some_and(|e| e == PROGRAM.extension);
            if is_program && !options.output.as_deref().is_some_and(is_folder) {
                return Box::new(ToPrograms(Firmware { core }));
            }
            Box::new(CTarget {
                target: CortexM { core },
                options: options.clone(),
            })
        },
    }
}

/// A target that writes C projects.
struct CTarget {
    target: CortexM,
    options: Options,
}

impl CompileTarget for CTarget {
    fn as_target(&self) -> &dyn Target {
        &self.target
    }

    fn pipeline(&self) -> &'static [Pass] {
        pipeline()
    }

    fn compile(
        &self,
        methods: &mut [SourceMethod<'_>],
        _: &[(String, i64)],
    ) -> Result<Compiled, CompileError> {
        let of_part = |error| CompileError::Part { method: 0, error };
        let [method] = methods else {
            return Err(of_part(Error::new(
                "a C project has one method; compile each to a folder of its own",
            )));
        };
        let name = self.name().map_err(of_part)?;
        let graph: &Graph = method.graph;
        let found = compile_project(graph, name, self.target.core, &self.options)?;
        let (project, border) = (found.project, found.border);
        let placements = placements(graph, &border, &self.target, method.is_quantised);
        let warning = match method.is_quantised {
            true => floats::warning(graph, &placements, &project),
            false => has_floats(graph).then_some(
                "the model has no quantised activations, so the project computes in floats; quantise it (--quantize, or before the export)"
                    .to_owned(),
            ),
        };
        let figures = figures(graph, &project);
        let artifact = NewProject::new(project);
        Ok(Compiled {
            methods: vec![CompiledMethod {
                figures,
                placements,
                target: None,
                border: Some(border),
                warnings: warning.into_iter().collect(),
                notes: Vec::new(),
            }],
            sections: artifact.sections(),
            warnings: Vec::new(),
            artifact: Box::new(artifact),
        })
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        least_moved(graph)
    }
}

impl CTarget {
    /// The project's name: that which the user gave, or the folder's.
    fn name(&self) -> Result<Name, Error> {
        if let Some(path) = self
            .options
            .output
            .as_deref()
            .filter(|path| !is_folder(path))
        {
            let path = path.display();
            return Err(Error::new(format!(
                "-o {path} is no folder, and target {} writes a C project, or an ExecuTorch program to a name \
                 that ends in .pte; end it in / for a new folder",
                self.target.core.name
            )));
        }
        match (&self.options.name, &self.options.output) {
            (Some(name), _) => Name::new(name).map_err(Error::new),
            (None, Some(folder)) => Ok(Name::of_folder(folder)),
            (None, None) => Ok(Name::of_folder(Path::new("model"))),
        }
    }
}

/// A project, its border, and how many chains it streams.
#[derive(Clone, Debug)]
pub struct CompiledProject {
    /// The project.
    pub project: Project,
    /// What crosses its border: inputs and outputs.
    pub border: Border,
    /// The number of chains of layers that are streamed in row tiles.
    pub chains: usize,
}

/// Compiles a graph that went through the [`pipeline()`] to a project. Chains of layers are streamed in row tiles where that
/// makes the arena smaller.
///
/// # Errors
/// If a node does not lower, or the program cannot be planned.
pub fn compile_project(
    graph: &Graph,
    name: Name,
    core: &'static Core,
    options: &Options,
) -> Result<CompiledProject, CompileError> {
    compile_observed(graph, name, core, options, &[])
}

/// As [`compile_project`], for a program that also gives the elements of values on the way: further outputs, behind those of the graph.
/// The lowering gives the same calls in front of them; chains by rows and the plan may differ.
///
/// # Errors
/// As those of [`compile_project`], or if a value has no tensor of its own.
pub fn compile_observed(
    graph: &Graph,
    name: Name,
    core: &'static Core,
    options: &Options,
    observed: &[ValueId],
) -> Result<CompiledProject, CompileError> {
    let of_part = |error| CompileError::Part { method: 0, error };
    let mut border = Border::of(graph, !options.float_io);
    border.observe(graph, observed);
    let program = compile(graph, &mut border, core);
    let program = program.map_err(|error| CompileError::Unsupported(Error::of(error)))?;
    let wish = Wish {
        max_arena: options.arena,
    };
    let (program, plan, chains) = match stream(&program, core.build, wish) {
        Some(streamed) => (streamed.program, streamed.plan, streamed.chains.len()),
        None => {
            let plan = planned(&program, core).map_err(of_part)?;
            (program, plan, 0)
        }
    };
    let ports = ports(graph, &border);
    let project = Project::of_plan(name, core, program, plan, ports);
    let project = project.map_err(|error| of_part(Error::of(error)))?;
    Ok(CompiledProject {
        project,
        border,
        chains,
    })
}

/// The plan of a program that is not streamed.
fn planned(program: &Program, core: &Core) -> Result<Plan, Error> {
    let verified = verify(program, core.build).map_err(|faults| {
        let first = faults.into_iter().map(Error::of).next();
        first.unwrap_or_else(|| Error::new("a fault"))
    })?;
    plan(&verified).map_err(Error::of)
}

/// The inputs and the outputs.
fn ports(graph: &Graph, border: &Border) -> [Vec<Port>; 2] {
    [&border.inputs, &border.outputs].map(|ports| {
        let made = ports.iter().map(|port| {
            let ty = graph.ty(port.value);
            let sizes = ty
                .shape
                .iter()
                .map(|dim| dim.as_const().and_then(|n| usize::try_from(n).ok()));
            let quant = ty.quant.as_ref().map(|quant| &quant.scheme);
            Port {
                name: port.name.clone(),
                index: port.index,
                // The lowering refuses dynamic sizes.
                shape: sizes.map(Option::unwrap_or_default).collect(),
                dim_order: port.dim_order.clone(),
                quantised: quant.map(|quant| (quant.scales()[0], quant.zero_points()[0])),
                step: step_of(graph, port.value),
                is_bool: ty.dtype == DType::Bool,
            }
        });
        made.collect()
    })
}

/// The step of floats that are dequantised.
fn step_of(graph: &Graph, value: ValueId) -> Option<f64> {
    let node = graph.node(graph.producer(value)?);
    let quant = graph.ty(*node.operands.first()?).quant.as_ref()?;
    let step = Step::of(quant).filter(|_| matches!(node.op, Op::Dequantize(_)));
    step.map(|_| quant.scheme.scales()[0])
}

/// The figures of the report. Moved bytes are those that calls write which only move elements.
fn figures(graph: &Graph, project: &Project) -> Figures {
    let (program, plan) = (project.program(), project.plan());
    let mut kernels = std::collections::BTreeMap::<&str, usize>::new();
    for call in &program.calls {
        *kernels.entry(call.function.name()).or_default() += 1;
    }
    let kernels = kernels
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count));
    let (mut callers, mut moves) = (IndexMap::new(), IndexMap::new());
    for call in &program.calls {
        *callers.entry(call.node).or_default() += 1;
        let bytes = moved(program, call);
        if bytes > 0 {
            let mover = call.node.map_or(Mover::Method, Mover::Node);
            *moves.entry(mover).or_default() += bytes;
        }
    }
    let moves = moves.into_iter();
    let moves = Vec::from_iter(moves.map(|(mover, bytes)| Moved { mover, bytes }));
    Figures {
        name: graph.name.clone(),
        kernel_calls: Some(IndexMap::from_iter(kernels)),
        callers,
        bands: Some(bands(program)),
        planned_bytes: Some(plan.arena_bytes),
        planned_lower_bound: Some(plan.lower_bound),
        constants: Some(project.constants()),
        transposed_bytes: moves.iter().map(|moved| moved.bytes).sum(),
        moves,
        ..Figures::default()
    }
}

/// The bytes that a call writes if it only gives the elements of its operand in another order, else 0.
fn moved(program: &Program, call: &Call) -> u64 {
    let used = |place| program.used(call, place).map_or(0, |view| view.elements);
    let reorders = match &call.parameters {
        Parameters::Transpose(_) | Parameters::Reshape(_) => true,
        Parameters::Copy(copy) => (0..2).all(|place| used(place) == copy.strides.elements()),
        _ => false,
    };
    // The second slot is the result.
    let result = call.buffers.get(1).copied().flatten().filter(|_| reorders);
    let dtype = result.map(|id: BufferId| program.buffers[id.index()].dtype);
    dtype.map_or(0, |dtype| dtype.bytes(used(1)) as u64)
}

/// Where each node runs. A constant costs nothing, nor does what the border does; every other node is calls. In a quantised model
/// a node that computes in floats has a reason.
fn placements(
    graph: &Graph,
    border: &Border,
    target: &dyn Target,
    is_quantised: bool,
) -> Vec<Placed> {
    let dynamic = floats::Dynamic::of(graph);
    let nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    let placed = nodes.map(|(node, data)| {
        let is_free = matches!(data.op, Op::Constant(_)) || border.replaces(graph, node);
        let computes = |reason: Option<Reason>| reason.filter(|_| !is_free);
        Placed {
            node,
            place: if is_free { Place::Free } else { Place::Kernel },
            reason: computes(floats::reason(graph, data, &dynamic).filter(|_| is_quantised)),
            difference: computes(target.difference(graph, node)),
            floats: None,
        }
    });
    placed.collect()
}
