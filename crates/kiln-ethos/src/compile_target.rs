//! Ethos-U as the driver sees it: programs with command streams, or, where the output's name ends in `.tosa`, all of the
//! model as a TOSA file in the forms that the core likes.

use crate::core_name::Core;
use crate::payload;
use crate::payload_reader::EthosUPayloads;
use crate::{CommandStreams, EthosU, StandIn, VELA, Vela};
use bytes::Bytes;
use indexmap::IndexMap;
use kiln_ir::Graph;
use kiln_portable::program::{DelegateReader, PROGRAM, ProgramTarget, Regions, ToPrograms};
use kiln_pte::runtime::Kernels;
use kiln_target::{
    Choice, CompileError, CompileTarget, Compiled, CompiledMethod, Entry, Error, Integers, Options,
    SourceMethod,
};
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::{TOSA_FILE, TosaTarget};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::{Reason, Target};
use kiln_transforms::layout::Least;

/// A target for each core.
pub const TARGETS: &[Entry] = &{
    let mut entries = [const { entry(Core::ALL[0]) }; Core::ALL.len()];
    let mut i = 0;
    while i < Core::ALL.len() {
        entries[i] = entry(Core::ALL[i]);
        i += 1;
    }
    entries
};

const fn entry(core: Core) -> Entry {
    Entry {
        name: core.name(),
        help: "ExecuTorch with this core's command stream, by Vela",
        kind: &PROGRAM,
        choices: &[Choice::FloatIo, Choice::Vela, Choice::Kernels],
        integers: Integers::All,
        create: |name, options| create(core_of(name), options),
    }
}

fn core_of(name: &str) -> Core {
    name.parse().expect("an entry has the name of its core")
}

fn create(core: Core, options: &Options) -> Box<dyn CompileTarget> {
    let extension = options.output.as_ref().and_then(|p| p.extension());
    if extension.is_some_and(|e| e == TOSA_FILE.extension) {
        return Box::new(AsTosa {
            core,
            files: TosaTarget::of_integers(core.machine(), options),
        });
    }
    Box::new(ToPrograms(Npu {
        target: match options.stock_kernels {
            true => EthosU::new(core),
            false => EthosU::new(core).with_kernels(),
        },
        options: options.clone(),
    }))
}

/// Programs with command streams.
struct Npu {
    target: EthosU,
    options: Options,
}

impl ProgramTarget for Npu {
    fn as_target(&self) -> &dyn Target {
        &self.target
    }

    fn pipeline(&self) -> &'static [Pass] {
        kiln_tosa::integer_pipeline()
    }

    fn regions(&self, graph: &mut Graph) -> Result<Regions, Error> {
        let vela = Vela::new(self.target.core(), self.options.arguments.clone());
        let streams: &dyn CommandStreams = match self.options.stand_in {
            true => &StandIn,
            false => &vela,
        };
        let made = crate::compile_or_fall_back(graph, &self.target, streams);
        let mut made = made.map_err(Error::of)?;
        let beside = crate::kernels::regions(graph, &made.target, &made.regions);
        made.regions.extend(beside.map_err(Error::of)?);
        Ok(Regions {
            regions: made.regions,
            target: Some(Box::new(ToPrograms(Npu {
                target: made.target,
                options: self.options.clone(),
            }))),
        })
    }

    fn delegates(&self) -> &'static [&'static dyn DelegateReader] {
        &[&EthosUPayloads]
    }

    fn kernels(&self) -> &'static [&'static dyn Kernels] {
        &[&kiln_cortex_m::Kernels]
    }

    fn warning(&self, source: &SourceMethod<'_>, method: &CompiledMethod) -> Option<String> {
        warning_of_floats(source, method)
    }

    /// The program's own inputs and outputs: integers are inside of it.
    fn lists_border(&self) -> bool {
        true
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        crate::least_moved(graph, &self.target)
    }

    fn lacks(&self) -> Option<String> {
        let is_missing = !self.options.stand_in && VELA.find().is_err();
        is_missing.then(|| {
            "Vela is not there, so the size counts TOSA graphs in place of command streams".into()
        })
    }

    /// A program's inputs and outputs are those of the model.
    fn ignores(&self) -> &'static [Choice] {
        &[Choice::FloatIo]
    }

    /// A stand-in has no memory of an NPU.
    fn scratch_bytes(&self, blob: &Bytes) -> u64 {
        payload::read(blob).map_or(0, |payload| payload.scratch_bytes.into())
    }
}

/// That a model of floats gains nothing from an NPU.
fn warning_of_floats(source: &SourceMethod<'_>, method: &CompiledMethod) -> Option<String> {
    (!source.is_quantised && !has_integers_inside(source.graph, method)).then(|| NO_INTEGERS.into())
}

const NO_INTEGERS: &str = "the model has no quantised activations, so nothing of it is for the NPU, which computes in integers; \
                           quantise it (--quantize, or before the export)";

/// True if a delegate takes a node that makes no floats.
fn has_integers_inside(graph: &Graph, method: &CompiledMethod) -> bool {
    let placed = method.placements.iter();
    let inside = placed.filter(|p| p.place.is_delegate());
    inside.map(|p| graph.node(p.node)).any(|node| {
        let mut results = node.results.iter();
        results.all(|&v| !graph.ty(v).dtype.is_float())
    })
}

/// TOSA files for Vela, with what the core does not take of them as a warning.
struct AsTosa {
    core: Core,
    files: TosaTarget,
}

impl CompileTarget for AsTosa {
    fn as_target(&self) -> &dyn Target {
        self.files.as_target()
    }

    fn pipeline(&self) -> &'static [Pass] {
        self.files.pipeline()
    }

    fn compile(
        &self,
        methods: &mut [SourceMethod<'_>],
        _: &[(String, i64)],
    ) -> Result<Compiled, CompileError> {
        let (file, border) = self.files.file(methods)?;
        let warning = warning_of_refusals(self.core, &file);
        let mut compiled = self.files.artifact(&methods[0], file, border);
        for (source, method) in methods.iter().zip(&mut compiled.methods) {
            method.warnings.extend(warning_of_floats(source, method));
        }
        compiled.warnings.extend(warning);
        Ok(compiled)
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        self.files.least_moved(graph)
    }

    fn ignores(&self) -> &'static [Choice] {
        &[Choice::Vela, Choice::Kernels]
    }
}

/// Places that a warning names.
const MAX_REFUSED: usize = 4;

/// What of a TOSA file its core does not take, as lines of the model.
fn warning_of_refusals(core: Core, file: &TosaGraph) -> Option<String> {
    let mut refused: IndexMap<&str, Reason> = IndexMap::new();
    for (operator, reason) in crate::refusals(core, file) {
        let place = operator.location.as_deref().unwrap_or("the file");
        refused.entry(place).or_insert(reason);
    }
    let more = match refused.len().saturating_sub(MAX_REFUSED) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    let first = refused.iter().take(MAX_REFUSED);
    let first: Vec<String> = first
        .map(|(place, reason)| format!("{place}: {reason}"))
        .collect();
    (!first.is_empty()).then(|| {
        let first = first.join("; ");
        format!("{core} does not take the file, while a .pte leaves to kernels what it does not take: {first}{more}")
    })
}
