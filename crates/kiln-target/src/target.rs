//! A target, as the driver sees it.

use crate::artifact::{Artifact, Kind};
use crate::border::Border;
use crate::error::Error;
use crate::figures::Figures;
use crate::place::Placed;
use kiln_ir::Graph;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::layout::Least;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// A target with the user's options.
pub trait CompileTarget {
    /// As the passes see it.
    fn as_target(&self) -> &dyn Target;

    /// Its passes, in order.
    fn pipeline(&self) -> &'static [Pass];

    /// Makes an artifact of methods that went through the pipeline. What turns out not to fit where it was placed may be
    /// rewritten. `dims` are the user's greatest values of symbols.
    ///
    /// # Errors
    /// If a part of a method has no form on the target.
    fn compile(
        &self,
        methods: &mut [SourceMethod<'_>],
        dims: &[(String, i64)],
    ) -> Result<Compiled, CompileError>;

    /// How many bytes an artifact of the graph only moves at least; 0 where nothing is known.
    fn least_moved(&self, _graph: &Graph) -> Least {
        Least::default()
    }

    /// What an artifact made now would lack since an external program is not there; [`Options::stand_in`] does without it.
    fn lacks(&self) -> Option<String> {
        None
    }
}

/// An entry of the list of targets.
pub struct Entry {
    /// The name, as in `--target NAME`.
    pub name: &'static str,
    /// What it makes, in a line.
    pub help: &'static str,
    /// The format of what it makes, where the user's output names no other.
    pub kind: &'static Kind,
    /// What users may choose of it beyond what all targets have.
    pub choices: &'static [Choice],
    /// The target of that name.
    pub create: fn(&str, &Options) -> Box<dyn CompileTarget>,
}

/// What users may choose of some targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Floats at a border that would be of integers: [`Options::float_io`].
    FloatIo,
    /// Arguments for Vela: [`Options::arguments`].
    Vela,
}

/// What the user chose of a target.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Refuse delegate ops whose NaN or infinity differs from PyTorch's.
    pub strict_nan: bool,
    /// Floats at the border of an artifact of integers.
    pub float_io: bool,
    /// The path of the output: a target that makes artifacts of several formats chooses by it.
    pub output: Option<PathBuf>,
    /// Arguments for the external program that the target ends in, behind its own.
    pub arguments: Vec<String>,
    /// Something that computes the same in place of what an external program would make: for checks without it.
    pub stand_in: bool,
}

/// A method to compile.
#[derive(Debug)]
pub struct SourceMethod<'g> {
    /// What it computes; its name is the method's.
    pub graph: &'g mut Graph,
    /// True if the model had quantised values before the passes.
    pub is_quantised: bool,
}

/// An artifact with what its making showed.
pub struct Compiled {
    /// The artifact, not written yet.
    pub artifact: Box<dyn Artifact>,
    /// Its methods, in order.
    pub methods: Vec<CompiledMethod>,
    /// Sections of the report that only this target has, by name.
    pub sections: Map<String, Value>,
    /// What a user would not expect of the artifact.
    pub warnings: Vec<String>,
}

/// A compiled method.
pub struct CompiledMethod {
    /// What it costs.
    pub figures: Figures,
    /// Where each node runs, block by block in order.
    pub placements: Vec<Placed>,
    /// The target for this graph, where that is another: one that knows what turned out not to fit.
    pub target: Option<Box<dyn CompileTarget>>,
    /// What crosses its border, where that is not what the model takes and gives.
    pub border: Option<Border>,
    /// What a user would not expect of it.
    pub warnings: Vec<String>,
}

/// Why methods were not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A part of the method of that number.
    #[error("{error}")]
    Part {
        /// Which method.
        method: usize,
        /// Why.
        error: Error,
    },
    /// A node has no form on the target; there may be others, which the target's placements name.
    #[error("{0}")]
    Unsupported(Error),
}
