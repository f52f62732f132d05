//! The frame of targets whose artifacts are programs: graphs and the target's regions become a program with its figures.

use super::places::placements;
use super::undelegated::warning_of_quantised_kernels;
use super::{DelegateReader, ProgramArtifact};
use crate::emit::{Emitted, Method, Options, emit};
use crate::error::EmitError;
use crate::region::{Region, Reordered};
use crate::report::MethodReport;
use bytes::Bytes;
use kiln_ir::Graph;
use kiln_pte::runtime::Kernels;
use kiln_target::{
    Border, Choice, CompileError, CompileTarget, Compiled, CompiledMethod, Error, Figures, Moved,
    Mover, Placed, Rates, SourceMethod, io, progress,
};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::layout::Least;
use serde_json::Map;

/// A target whose artifacts are programs; [`ToPrograms`] compiles for it.
pub trait ProgramTarget: Send + Sync {
    /// The target as passes see it.
    fn as_target(&self) -> &dyn Target;

    /// The pipeline: its passes, in order.
    fn pipeline(&self) -> &'static [Pass];

    /// The regions of a graph that went through the pipeline. The target may rewrite a node that turns out not to fit
    /// its place.
    ///
    /// # Errors
    /// A region does not compile.
    fn regions(&self, graph: &mut Graph) -> Result<Regions, Error>;

    /// The readers of its delegates' payloads.
    fn delegates(&self) -> &'static [&'static dyn DelegateReader] {
        &[]
    }

    /// The kernels that it brings.
    fn kernels(&self) -> &'static [&'static dyn Kernels] {
        &[]
    }

    /// A warning about a method, by default that quantised values are computed in floats.
    fn warning(&self, source: &SourceMethod<'_>, method: &CompiledMethod) -> Option<String> {
        warning_of_quantised_kernels(source.graph, &method.placements)
    }

    /// What a method computes otherwise than the model says, to the user's advantage.
    fn notes(&self, _graph: &Graph, _placements: &[Placed]) -> Vec<String> {
        Vec::new()
    }

    /// As [`CompileTarget::takes_loops`].
    fn takes_loops(&self) -> bool {
        false
    }

    /// True if the description of an artifact lists its inputs and outputs, for firmware that fills buffers.
    fn lists_border(&self) -> bool {
        false
    }

    /// As of [`CompileTarget::least_moved`].
    fn least_moved(&self, _graph: &Graph) -> Least {
        Least::default()
    }

    /// As of [`CompileTarget::rates`].
    fn rates(&self) -> Option<&'static Rates> {
        None
    }

    /// As of [`CompileTarget::lacks`].
    fn lacks(&self) -> Option<String> {
        None
    }

    /// As of [`CompileTarget::ignores`].
    fn ignores(&self) -> &'static [Choice] {
        &[]
    }

    /// The memory that a delegate takes from the runtime while it runs, beside planned memory, in bytes.
    fn scratch_bytes(&self, _blob: &Bytes) -> u64 {
        0
    }
}

/// The regions of a graph: what delegates and the target's own kernels run.
#[derive(Default)]
pub struct Regions {
    /// The compiled regions.
    pub regions: Vec<Region>,
    /// The target as it knows this graph, if compiling taught it which nodes do not fit.
    pub target: Option<Box<dyn CompileTarget>>,
}

impl From<Vec<Region>> for Regions {
    fn from(regions: Vec<Region>) -> Regions {
        Regions {
            regions,
            target: None,
        }
    }
}

/// Compiles to programs for a target.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToPrograms<T>(pub T);

impl<T: ProgramTarget> CompileTarget for ToPrograms<T> {
    fn as_target(&self) -> &dyn Target {
        self.0.as_target()
    }

    fn pipeline(&self) -> &'static [Pass] {
        self.0.pipeline()
    }

    fn takes_loops(&self) -> bool {
        self.0.takes_loops()
    }

    fn compile(
        &self,
        methods: &mut [SourceMethod<'_>],
        dims: &[(String, i64)],
    ) -> Result<Compiled, CompileError> {
        let mut placed = Vec::with_capacity(methods.len());
        let mut regions = Vec::with_capacity(methods.len());
        for (number, method) in methods.iter_mut().enumerate() {
            let _stage = progress::stage("compiling delegates");
            let made = self.0.regions(method.graph);
            let made = made.map_err(|error| CompileError::Part {
                method: number,
                error,
            })?;
            let own = made.target.as_deref().map(CompileTarget::as_target);
            let known = own.unwrap_or(self.as_target());
            let blobs = made.regions.iter().filter_map(Region::blob);
            placed.push(Known {
                placements: placements(method.graph, &made.regions, known),
                // Delegates run one after the other.
                scratch_bytes: blobs.map(|blob| self.0.scratch_bytes(blob)).max(),
                target: made.target,
            });
            regions.push(made.regions);
        }
        let emitted = emitted(methods, regions, dims);
        let Emitted {
            program,
            mut reports,
        } = emitted.map_err(|error| CompileError::Unsupported(Error::of(error)))?;
        let arenas = reports.iter_mut().map(|r| std::mem::take(&mut r.arena));
        let mut compiled = Compiled {
            artifact: Box::new(ProgramArtifact {
                program,
                delegates: self.0.delegates(),
                kernels: self.0.kernels(),
                file: None,
                arenas: arenas.collect(),
            }),
            methods: reports
                .into_iter()
                .zip(placed)
                .map(compiled_method)
                .collect(),
            sections: Map::new(),
            warnings: Vec::new(),
        };
        for (source, method) in methods.iter().zip(&mut compiled.methods) {
            let warning = self.0.warning(source, method);
            method.warnings.extend(warning);
            method.notes = self.0.notes(source.graph, &method.placements);
        }
        if let Some(first) = methods.first().filter(|_| self.0.lists_border()) {
            let border = Border::of(first.graph, false);
            let io = io(first.graph, &border, None);
            compiled.sections.insert("io".into(), io);
        }
        Ok(compiled)
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        self.0.least_moved(graph)
    }

    fn rates(&self) -> Option<&'static Rates> {
        self.0.rates()
    }

    fn lacks(&self) -> Option<String> {
        self.0.lacks()
    }

    fn ignores(&self) -> &'static [Choice] {
        self.0.ignores()
    }
}

fn emitted(
    methods: &[SourceMethod<'_>],
    regions: Vec<Vec<Region>>,
    dims: &[(String, i64)],
) -> Result<Emitted, EmitError> {
    let _stage = progress::stage("planning memory");
    let methods: Vec<Method<'_>> = methods
        .iter()
        .zip(regions)
        .map(|(method, regions)| Method {
            regions,
            ..Method::new(method.graph)
        })
        .collect();
    let options = Options {
        dims: dims.to_vec(),
        plan: kiln_plan::Limits::default(),
    };
    emit(&methods, &options)
}

/// What is known of a method before it is emitted.
struct Known {
    placements: Vec<Placed>,
    target: Option<Box<dyn CompileTarget>>,
    scratch_bytes: Option<u64>,
}

fn compiled_method((report, known): (MethodReport, Known)) -> CompiledMethod {
    CompiledMethod {
        figures: Figures {
            scratch_bytes: known.scratch_bytes.filter(|&bytes| bytes > 0),
            ..figures(report)
        },
        placements: known.placements,
        target: known.target,
        border: None,
        warnings: Vec::new(),
        notes: Vec::new(),
    }
}

fn figures(report: MethodReport) -> Figures {
    Figures {
        name: report.name,
        delegates: Some(report.delegates),
        kernel_calls: Some(report.kernel_calls),
        callers: report.callers,
        added: report.added,
        bands: None,
        planned_bytes: Some(report.planned_bytes),
        planned_lower_bound: Some(report.planned_lower_bound),
        scratch_bytes: None,
        constants: None,
        transposed_bytes: report.transposed_bytes,
        moves: report.reordered.iter().map(moved).collect(),
        operators: report.operators,
        assumed_bounds: report.assumed_bounds,
    }
}

fn moved(reordered: &Reordered) -> Moved {
    Moved {
        mover: reordered.node.map_or(Mover::Method, Mover::Node),
        bytes: reordered.bytes,
    }
}
