//! The targets and formats of this build. Each crate of a target adds a line.

use anyhow::Result;
use clap::builder::PossibleValue;
use kiln_cortex_m::CProjects;
use kiln_ethos::EthosUPayloads;
use kiln_portable::program::Programs;
use kiln_target::{Choice, CompileTarget, Entry, Format, Integers, Kind, Options, Rates};
use kiln_tosa::TosaFiles;
use kiln_xnnpack::XnnpackPayloads;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// The targets, in the order in which the help lists them. The first is the default.
const TARGETS: [&[Entry]; 5] = [
    kiln_xnnpack::TARGETS,
    kiln_portable::TARGETS,
    kiln_tosa::TARGETS,
    kiln_ethos::TARGETS,
    kiln_cortex_m::TARGETS,
];

/// The formats from which artifacts are read.
pub const FORMATS: [&dyn Format; 4] = [
    &Programs {
        delegates: &[&XnnpackPayloads, &EthosUPayloads],
        kernels: &[&kiln_cortex_m::Kernels],
    },
    &XnnpackPayloads,
    &TosaFiles,
    &CProjects,
];

/// The rates of targets that have none of their own: the nodes' work is compared by them, for want of better.
pub const RATES: &Rates = &kiln_xnnpack::RATES;

static NAMES: LazyLock<Vec<TargetName>> =
    LazyLock::new(|| TARGETS.into_iter().flatten().map(TargetName).collect());

/// A target that this build compiles for.
#[derive(Clone, Copy)]
pub struct TargetName(&'static Entry);

impl TargetName {
    /// All targets, in the order in which the help lists them.
    pub fn all() -> &'static [TargetName] {
        &NAMES
    }

    /// Constructs the target with the user's options.
    pub fn create(self, options: &Options) -> Box<dyn CompileTarget> {
        (self.0.create)(self.0.name, options)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The format of its artifacts, unless the name of the output asks for another.
    pub fn kind(self) -> &'static Kind {
        self.0.kind
    }

    /// What it computes in integers, of a model that Kiln quantises.
    pub fn integers(self) -> Integers {
        self.0.integers
    }

    /// True if the target has this option.
    pub fn has(self, choice: Choice) -> bool {
        self.0.choices.contains(&choice)
    }
}

impl Default for TargetName {
    fn default() -> TargetName {
        TargetName(&TARGETS[0][0])
    }
}

impl PartialEq for TargetName {
    fn eq(&self, other: &TargetName) -> bool {
        self.name() == other.name()
    }
}

impl Eq for TargetName {}

impl fmt::Debug for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl clap::ValueEnum for TargetName {
    fn value_variants<'a>() -> &'a [TargetName] {
        TargetName::all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.0.help))
    }
}

impl FromStr for TargetName {
    type Err = String;
    fn from_str(text: &str) -> Result<TargetName, String> {
        let all = TargetName::all().iter();
        let found = all.clone().find(|target| target.name() == text).copied();
        found.ok_or_else(|| {
            let names: Vec<&str> = all.map(|target| target.name()).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}
