//! Compiles graphs and the regions of a target's delegates to a program with its figures.

use super::places::placements;
use super::{DelegateReader, ProgramArtifact};
use crate::emit::{Emitted, Method, Options, emit};
use crate::region::{Region, Reordered};
use crate::report::MethodReport;
use kiln_ir::Graph;
use kiln_pte::runtime::Kernels;
use kiln_target::{
    CompileError, CompileTarget, Compiled, CompiledMethod, Error, Figures, Moved, Mover, Place,
    Placed, SourceMethod, is_of_quantised, progress,
};
use kiln_transforms::framework::target::Target;
use serde_json::Map;

/// A target whose artifacts are programs.
pub struct ProgramTarget<'t> {
    /// The target as passes see it.
    pub target: &'t dyn Target,
    /// Reads the payloads of its delegates.
    pub delegates: &'static [&'static dyn DelegateReader],
    /// The kernels that it brings.
    pub kernels: &'static [&'static dyn Kernels],
}

/// The delegates of a graph.
#[derive(Default)]
pub struct Delegates {
    /// The compiled regions.
    pub regions: Vec<Region>,
    /// The target as it knows this graph, if compiling taught it which nodes do not fit.
    pub target: Option<Box<dyn CompileTarget>>,
}

impl From<Vec<Region>> for Delegates {
    fn from(regions: Vec<Region>) -> Delegates {
        Delegates {
            regions,
            target: None,
        }
    }
}

/// Compiles methods to a program. `delegates` gives the regions of each method.
///
/// # Errors
/// A region does not compile, or a node has no kernel.
pub fn compile(
    target: &ProgramTarget<'_>,
    methods: &mut [SourceMethod<'_>],
    dims: &[(String, i64)],
    delegates: &dyn Fn(&mut Graph) -> Result<Delegates, Error>,
) -> Result<Compiled, CompileError> {
    let mut placed = Vec::with_capacity(methods.len());
    let mut all_regions = Vec::with_capacity(methods.len());
    for (number, method) in methods.iter_mut().enumerate() {
        let _stage = progress::stage("compiling delegates");
        let made = delegates(method.graph).map_err(|error| CompileError::Part {
            method: number,
            error,
        })?;
        let own = made.target.as_deref().map(CompileTarget::as_target);
        let known = own.unwrap_or(target.target);
        placed.push((placements(method.graph, &made.regions, known), made.target));
        all_regions.push(made.regions);
    }
    let pairs = methods.iter().zip(all_regions);
    let inputs: Vec<Method<'_>> = pairs
        .map(|(method, regions)| Method {
            regions,
            ..Method::new(method.graph)
        })
        .collect();
    let options = Options {
        dims: dims.to_vec(),
        plan: kiln_plan::Limits::default(),
    };
    let _stage = progress::stage("planning memory");
    let emitted = emit(&inputs, &options);
    let Emitted { program, reports } =
        emitted.map_err(|error| CompileError::Unsupported(Error::of(error)))?;
    let methods = reports.into_iter().zip(placed);
    Ok(Compiled {
        artifact: Box::new(ProgramArtifact {
            program,
            delegates: target.delegates,
            kernels: target.kernels,
            file: None,
        }),
        methods: methods
            .map(|(report, (placements, target))| CompiledMethod {
                figures: figures(report),
                placements,
                target,
                border: None,
                warnings: Vec::new(),
            })
            .collect(),
        sections: Map::new(),
        warnings: Vec::new(),
    })
}

/// The warning about quantised values outside of delegates: kernels know no quantised types, so they compute in floats.
pub fn warning_of_quantised_kernels(graph: &Graph, placements: &[Placed]) -> Option<String> {
    let outside = placements.iter().filter(|p| p.place == Place::Kernel);
    let count = outside.filter(|p| is_of_quantised(graph, p.node)).count();
    let nodes = match count {
        1 => "node",
        _ => "nodes",
    };
    (count > 0).then(|| {
        format!(
            "quantised values are not delegated: {count} {nodes} run as kernels, and what is between them computes in \
             floats"
        )
    })
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
        transposed_bytes: report.transposed_bytes,
        moves: report.reordered.iter().map(moved).collect(),
        assumed_bounds: report.assumed_bounds,
    }
}

fn moved(reordered: &Reordered) -> Moved {
    Moved {
        mover: reordered.node.map_or(Mover::Method, Mover::Node),
        bytes: reordered.bytes,
    }
}
