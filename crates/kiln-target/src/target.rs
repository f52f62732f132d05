//! Targets, as the driver sees them.

use crate::artifact::{Artifact, Kind};
use crate::border::Border;
use crate::error::Error;
use crate::figures::Figures;
use crate::half::Half;
use crate::place::Placed;
use crate::rates::Rates;
use kiln_ir::Graph;
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::layout::Least;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// A target together with the user's options.
pub trait CompileTarget: Send + Sync {
    /// The target as passes see it.
    fn as_target(&self) -> &dyn Target;

    /// The pipeline: its passes, in order.
    fn pipeline(&self) -> &'static [Pass];

    /// Compiles methods that went through the pipeline to an artifact. The target may rewrite a node that turns out not
    /// to fit its place. `dims` are the user's greatest values of symbols.
    ///
    /// # Errors
    /// The target has no form for a part of a method.
    fn compile(
        &self,
        methods: &mut [SourceMethod<'_>],
        dims: &[(String, i64)],
    ) -> Result<Compiled, CompileError>;

    /// A lower bound of the bytes that any artifact of the graph must move; 0 where none is known.
    fn least_moved(&self, _graph: &Graph) -> Least {
        Least::default()
    }

    /// Whether long recurrent layers come as loops. The target runs them in little more time than it would run the
    /// unrolled layers, which take longer to compile.
    fn takes_loops(&self) -> bool {
        false
    }

    /// The user's options that change nothing in the format that it writes, though another of its formats has them.
    fn ignores(&self) -> &'static [Choice] {
        &[]
    }

    /// How long its operators take, if that was measured.
    fn rates(&self) -> Option<&'static Rates> {
        None
    }

    /// What an artifact would lack because an external program is not installed. [`Options::stand_in`] works without
    /// it.
    fn lacks(&self) -> Option<String> {
        None
    }
}

/// An entry in the list of targets.
pub struct Entry {
    /// The name, as in `--target NAME`.
    pub name: &'static str,
    /// What the target makes, in one line of help.
    pub help: &'static str,
    /// The format of its artifacts, unless the name of the output asks for another.
    pub kind: &'static Kind,
    /// The options that only some targets have, and this one has.
    pub choices: &'static [Choice],
    /// What it computes in integers.
    pub integers: Integers,
    /// Constructs the target.
    pub create: fn(&str, &Options) -> Box<dyn CompileTarget>,
}

/// What a target computes in integers, of a model that Kiln quantises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integers {
    /// No layers: these are computed in floats, and rounded as integers would be. Tables may stay integers.
    Nothing,
    /// Layers, what stands between them, and layers whose activations are rounded by row when running.
    LayersAndRows,
    /// Every op: its floats are slow, or it has none.
    All,
}

/// Options that only some targets have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A float border in place of an integer one: [`Options::float_io`].
    FloatIo,
    /// Arguments for Vela: [`Options::arguments`].
    Vela,
    /// A name that the artifact has in the code around it: [`Options::name`].
    Name,
    /// Stock kernels in place of those of integers: [`Options::stock_kernels`].
    Kernels,
    /// A limit of memory that the target works towards: [`Options::arena`].
    Arena,
    /// No operators that answer NaN differently from PyTorch: [`Options::strict_nan`].
    StrictNan,
    /// No guards around operators that answer NaN differently: [`Options::fast_nan`].
    FastNan,
    /// The floats in which f16 is computed: [`Options::half`].
    Half,
}

impl Choice {
    /// The options of one delegate. Other targets have nothing for them to change, and say so rather than refuse them.
    pub const OF_DELEGATE: [Choice; 3] = [Choice::StrictNan, Choice::FastNan, Choice::Half];

    /// The option on the command line.
    pub fn option(self) -> &'static str {
        match self {
            Choice::FloatIo => "--float-io",
            Choice::Vela => "--vela",
            Choice::Name => "--name",
            Choice::Kernels => "--kernels",
            Choice::Arena => "--max-arena",
            Choice::StrictNan => "--strict-nan",
            Choice::FastNan => "--fast-nan",
            Choice::Half => "--half",
        }
    }

    /// Whether the user gave it.
    fn is_in(self, options: &Options) -> bool {
        match self {
            Choice::FloatIo => options.float_io,
            Choice::Vela => !options.arguments.is_empty(),
            Choice::Name => options.name.is_some(),
            Choice::Kernels => options.stock_kernels,
            Choice::Arena => options.arena.is_some(),
            Choice::StrictNan => options.strict_nan,
            Choice::FastNan => options.fast_nan,
            Choice::Half => options.half.is_some(),
        }
    }
}

/// The user's options for a target.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Refuse operators of a delegate that answer NaN or infinity differently from PyTorch.
    pub strict_nan: bool,
    /// Leave out the guards around operators of a delegate that answer NaN or infinity differently from PyTorch.
    pub fast_nan: bool,
    /// In which floats f16 is computed.
    pub half: Option<Half>,
    /// Keep floats at the border of an integer artifact.
    pub float_io: bool,
    /// The artifact's name in the code around it.
    pub name: Option<String>,
    /// The bytes of planned memory that there are. A target that can compute in less memory at some cost goes as far as this asks.
    pub arena: Option<u64>,
    /// The path of the output. A target with several formats chooses the format by it.
    pub output: Option<PathBuf>,
    /// Run what no delegate takes by kernels of the stock runtime only, which compute in floats.
    pub stock_kernels: bool,
    /// Further arguments for the external program that the target calls, appended to its own.
    pub arguments: Vec<String>,
    /// Put an equivalent stand-in where the external program's output would be. For checks on machines without that
    /// program.
    pub stand_in: bool,
}

impl Options {
    /// Those of some choices that the user made.
    pub fn given(&self, choices: &[Choice]) -> Vec<Choice> {
        let given = choices.iter().filter(|choice| choice.is_in(self));
        given.copied().collect()
    }
}

/// A method to compile.
#[derive(Debug)]
pub struct SourceMethod<'g> {
    /// The graph, named as the method.
    pub graph: &'g mut Graph,
    /// True if the model had quantised values before the pipeline ran.
    pub is_quantised: bool,
}

/// An artifact, with what is known from making it.
pub struct Compiled {
    /// The artifact, not yet written.
    pub artifact: Box<dyn Artifact>,
    /// Its methods, in the order in which they were given.
    pub methods: Vec<CompiledMethod>,
    /// Sections of the report that only this target has, by their name in JSON.
    pub sections: Map<String, Value>,
    /// Warnings about the whole artifact.
    pub warnings: Vec<String>,
}

/// A compiled method.
pub struct CompiledMethod {
    /// The method's costs.
    pub figures: Figures,
    /// The place of each node, block by block, in order.
    pub placements: Vec<Placed>,
    /// The target as it knows this graph, if compiling taught it which nodes do not fit.
    pub target: Option<Box<dyn CompileTarget>>,
    /// The artifact's border, if it differs from the model's inputs and outputs.
    pub border: Option<Border>,
    /// Warnings about this method.
    pub warnings: Vec<String>,
    /// What differs from the model to the user's advantage, for the report.
    pub notes: Vec<String>,
}

/// Why methods were not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A node or operator of one method.
    #[error("{error}")]
    Part {
        /// The method's position in the list.
        method: usize,
        /// The reason.
        error: Error,
    },
    /// The target has no form for a node. Its placements name any further such nodes.
    #[error("{0}")]
    Unsupported(Error),
}
