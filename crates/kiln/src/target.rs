//! The targets by name.

use crate::compiler::{NpuOptions, TargetOptions};
use anyhow::Result;
use clap::builder::PossibleValue;
use kiln_ethos::{CommandStreams, Core, EthosU, StandIn, Vela};
use kiln_ir::{Graph, Op};
use kiln_portable::region::Region;
use kiln_tosa::Machine;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use std::fmt;
use std::str::FromStr;

/// A target.
pub trait CompileTarget {
    /// As the passes see it.
    fn as_target(&self) -> &dyn Target;

    /// Its passes, in order.
    fn pipeline(&self) -> &'static [Pass];

    /// What is made of graphs.
    fn format(&self) -> Format;

    /// What its delegates take of a graph, compiled. What they turn out not to take is decomposed for kernels.
    ///
    /// # Errors
    /// If a part that a delegate took cannot be compiled.
    fn delegates(&self, graph: &mut Graph) -> Result<Delegates>;

    /// How many bytes its programs of the graph only move at least.
    fn least_moved(&self, graph: &Graph) -> Least;
}

/// The delegates of a graph.
#[derive(Default)]
pub struct Delegates {
    /// Compiled.
    pub regions: Vec<Region>,
    /// The target for this graph, where that is another: one that knows what turned out not to be taken.
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

/// What a target's files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An ExecuTorch program.
    Pte,
    /// A TOSA flatbuffer.
    Tosa {
        /// Inputs and outputs are integers where the model quantises them.
        has_integer_border: bool,
        /// What it is for.
        machine: Machine,
    },
}

/// A lower bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// No program moves fewer.
    pub bytes: u64,
    /// True if some program moves just so many.
    pub is_exact: bool,
}

/// A target that this build compiles for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetName {
    /// ExecuTorch with the XNNPACK delegate.
    Xnnpack,
    /// ExecuTorch with kernels only.
    Portable,
    /// A TOSA file with floats.
    TosaFp,
    /// A TOSA file with integers.
    TosaInt,
    /// ExecuTorch with an Ethos-U delegate, or all of the model as a TOSA file in the forms that the core likes.
    EthosU(Core),
}

/// Every target, in the order in which help lists them.
const ALL: [TargetName; 4 + Core::ALL.len()] = {
    let mut all = [TargetName::Xnnpack; 4 + Core::ALL.len()];
    (all[1], all[2], all[3]) = (
        TargetName::Portable,
        TargetName::TosaFp,
        TargetName::TosaInt,
    );
    let mut i = 0;
    while i < Core::ALL.len() {
        all[4 + i] = TargetName::EthosU(Core::ALL[i]);
        i += 1;
    }
    all
};

impl TargetName {
    /// The target.
    pub fn create(self, options: &TargetOptions) -> Box<dyn CompileTarget> {
        match self {
            TargetName::Xnnpack => {
                let options = kiln_xnnpack::Options {
                    strict_nan: options.strict_nan,
                    ..kiln_xnnpack::Options::default()
                };
                Box::new(Xnnpack(kiln_xnnpack::Xnnpack::new(options)))
            }
            TargetName::Portable => Box::new(Portable(kiln_portable::Portable)),
            TargetName::TosaFp => Box::new(Tosa {
                is_integer: false,
                has_integer_border: false,
                target: kiln_tosa::Tosa::default(),
            }),
            TargetName::TosaInt => Box::new(Tosa {
                is_integer: true,
                has_integer_border: !options.float_io,
                target: kiln_tosa::Tosa::default(),
            }),
            TargetName::EthosU(core) if options.npu.as_tosa => Box::new(Tosa {
                is_integer: true,
                has_integer_border: !options.float_io,
                target: kiln_tosa::Tosa {
                    machine: core.machine(),
                },
            }),
            TargetName::EthosU(core) => Box::new(Npu {
                target: EthosU::new(core),
                options: options.npu.clone(),
            }),
        }
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            TargetName::Xnnpack => "xnnpack",
            TargetName::Portable => "portable",
            TargetName::TosaFp => "tosa-fp",
            TargetName::TosaInt => "tosa-int",
            TargetName::EthosU(core) => core.name(),
        }
    }

    /// True if the target's files are TOSA's.
    pub fn is_tosa(self) -> bool {
        matches!(self, TargetName::TosaFp | TargetName::TosaInt)
    }

    /// True if the target's programs are a command stream's, or the TOSA file of it.
    pub fn is_npu(self) -> bool {
        matches!(self, TargetName::EthosU(_))
    }

    /// True if the program's inputs and outputs may be integers that stand for reals.
    pub fn has_integer_border(self) -> bool {
        match self {
            TargetName::Xnnpack | TargetName::Portable | TargetName::TosaFp => false,
            TargetName::TosaInt | TargetName::EthosU(_) => true,
        }
    }
}

impl clap::ValueEnum for TargetName {
    fn value_variants<'a>() -> &'a [TargetName] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            TargetName::Xnnpack => "ExecuTorch with the XNNPACK delegate",
            TargetName::Portable => "ExecuTorch with kernels only",
            TargetName::TosaFp => "A TOSA file with floats",
            TargetName::TosaInt => "A TOSA file with integers",
            TargetName::EthosU(_) => "ExecuTorch with this core's command stream, by Vela",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl FromStr for TargetName {
    type Err = String;
    fn from_str(text: &str) -> Result<TargetName, String> {
        let found = ALL.into_iter().find(|target| target.name() == text);
        found.ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|target| target.name()).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

struct Xnnpack(kiln_xnnpack::Xnnpack);

impl CompileTarget for Xnnpack {
    fn as_target(&self) -> &dyn Target {
        &self.0
    }

    fn pipeline(&self) -> &'static [Pass] {
        kiln_xnnpack::pipeline()
    }

    fn format(&self) -> Format {
        Format::Pte
    }

    fn delegates(&self, graph: &mut Graph) -> Result<Delegates> {
        Ok(kiln_xnnpack::compile(graph, self.0.options())?.into())
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        let kiln_xnnpack::Least { bytes, is_exact } =
            kiln_xnnpack::least_moved(graph, self.0.options());
        Least { bytes, is_exact }
    }
}

struct Portable(kiln_portable::Portable);

impl CompileTarget for Portable {
    fn as_target(&self) -> &dyn Target {
        &self.0
    }

    fn pipeline(&self) -> &'static [Pass] {
        kiln_portable::pipeline()
    }

    fn format(&self) -> Format {
        Format::Pte
    }

    fn delegates(&self, _: &mut Graph) -> Result<Delegates> {
        Ok(Delegates::default())
    }

    /// Nothing is known.
    fn least_moved(&self, _: &Graph) -> Least {
        Least::default()
    }
}

struct Tosa {
    is_integer: bool,
    has_integer_border: bool,
    target: kiln_tosa::Tosa,
}

impl CompileTarget for Tosa {
    fn as_target(&self) -> &dyn Target {
        &self.target
    }

    fn pipeline(&self) -> &'static [Pass] {
        match self.is_integer {
            true => kiln_tosa::integer_pipeline(),
            false => kiln_tosa::pipeline(),
        }
    }

    fn format(&self) -> Format {
        Format::Tosa {
            has_integer_border: self.has_integer_border,
            machine: self.target.machine,
        }
    }

    /// A file is one region.
    fn delegates(&self, graph: &mut Graph) -> Result<Delegates> {
        let nodes = graph.nodes_in(graph.root());
        let nodes = nodes.filter(|(_, node)| !matches!(node.op, Op::Constant(_)));
        let all = Region {
            nodes: nodes.map(|(id, _)| id).collect(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            backend: "TOSA",
            blob: bytes::Bytes::new(),
            named_data: Vec::new(),
            reordered: Vec::new(),
        };
        Ok(vec![all].into())
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        let kiln_tosa::Least { bytes, is_exact } = kiln_tosa::least_moved(graph);
        Least { bytes, is_exact }
    }
}

struct Npu {
    target: EthosU,
    options: NpuOptions,
}

impl CompileTarget for Npu {
    fn as_target(&self) -> &dyn Target {
        &self.target
    }

    fn pipeline(&self) -> &'static [Pass] {
        kiln_tosa::integer_pipeline()
    }

    fn format(&self) -> Format {
        Format::Pte
    }

    fn delegates(&self, graph: &mut Graph) -> Result<Delegates> {
        let vela = Vela::new(self.target.core(), self.options.vela.clone());
        let streams: &dyn CommandStreams = match self.options.stand_in {
            true => &StandIn,
            false => &vela,
        };
        let made = kiln_ethos::compile_or_fall_back(graph, &self.target, streams)?;
        Ok(Delegates {
            regions: made.regions,
            target: Some(Box::new(Npu {
                target: made.target,
                options: self.options.clone(),
            })),
        })
    }

    fn least_moved(&self, graph: &Graph) -> Least {
        let kiln_tosa::Least { bytes, is_exact } = kiln_ethos::least_moved(graph, &self.target);
        Least { bytes, is_exact }
    }
}
