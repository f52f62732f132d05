//! An artifact: a compiled model, as a target made it or as a format read it back.

use crate::arena::Arena;
use crate::dim_order::DimOrder;
use crate::error::{Error, Explain};
use crate::executor::Executor;
use crate::reals::Reals;
use kiln_files::Pending;
use kiln_ir::DType;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The coarsest numbers that activations are rounded to, the finest first. Two right programs of integers may differ by a step in many
/// elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activations {
    /// Floats of 64 bits throughout, or numbers that are only moved and counted.
    #[default]
    F64,
    /// Some are floats of 32 bits.
    F32,
    /// Some are floats of 16 bits with 11 of precision.
    F16,
    /// Some are sums of products of such floats, which kernels of f16 add up in f16 where the processor has instructions for it, and
    /// elsewhere in f32.
    SumsOfF16,
    /// Some are floats of 16 bits with 8 of precision.
    BF16,
    /// Some are integers, whose parameters the program has.
    Integers,
    /// Some are integers, by parameters that the program finds while running.
    IntegersByRow,
}

impl Activations {
    /// True where some are integers.
    pub fn are_integers(self) -> bool {
        self >= Activations::Integers
    }
}

/// A compiled model. A target's new artifact and one that a [`Format`](crate::Format) read from a file behave alike.
pub trait Artifact: Send + Sync {
    /// The format of this artifact.
    fn kind(&self) -> &'static Kind;

    /// The names of its methods. Empty if the artifact holds one method without a name.
    fn methods(&self) -> Vec<String>;

    /// The inputs and outputs of a method; `None` if there is no such method.
    fn signature(&self, method: &str) -> Option<Signature>;

    /// Writes the artifact beside `path`, where it does not appear before
    /// [`Pending::persist`](kiln_files::Pending::persist). Gives its size in bytes.
    ///
    /// # Errors
    /// The artifact breaks a rule of its format, or cannot be written.
    fn prepare(&self, path: &Path) -> Result<(Pending, u64), Error>;

    /// The same, with a report of the compilation in place of the one that a folder has of itself. The report is made from the size. A
    /// file has none in it, and none is made.
    ///
    /// # Errors
    /// As [`Artifact::prepare`], or there is no report.
    fn prepare_with(
        &self,
        path: &Path,
        _report: &dyn Fn(u64) -> Result<String, Error>,
    ) -> Result<(Pending, u64), Error> {
        self.prepare(path)
    }

    /// The artifact's size in bytes.
    ///
    /// # Errors
    /// The artifact breaks a rule of its format.
    fn size(&self) -> Result<u64, Error>;

    /// The artifact's content as a JSON document, for `kiln inspect`.
    ///
    /// # Errors
    /// A part of the artifact cannot be read.
    fn inspect(&self) -> Result<Value, Error>;

    /// The name that the artifact has in the code around it, if it has one.
    fn name(&self) -> Option<&str> {
        None
    }

    /// What lies in a method's planned memory at each call; `None` if the artifact does not tell.
    fn arena(&self, _method: &str) -> Option<Arena> {
        None
    }

    /// The least precise numbers on the way to an output of a method. An artifact that cannot tell its outputs apart gives the
    /// least precise of all.
    fn activations(&self, _method: &str, _output: usize) -> Activations {
        Activations::F32
    }

    /// Loads a method on one of the runtimes that its [`Kind`] lists.
    ///
    /// # Errors
    /// The runtime is not installed, or refuses the method.
    fn load<'a>(&'a self, method: &str, loading: &Loading)
    -> Result<Box<dyn Executor + 'a>, Error>;

    /// Writes the artifact, whole or not at all. Gives its size in bytes.
    ///
    /// # Errors
    /// As [`Artifact::prepare`], or the file cannot be moved to its place.
    fn write(&self, path: &Path) -> Result<u64, Error> {
        let (pending, size) = self.prepare(path)?;
        let moved = pending.persist();
        moved.explain(|| format!("cannot write {}", path.display()))?;
        Ok(size)
    }
}

/// A format of artifacts, as messages speak of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The name with its article: `an ExecuTorch program`.
    pub name: &'static str,
    /// The usual extension of a file name, without the dot; empty if there is none.
    pub extension: &'static str,
    /// The runtimes that execute it, Kiln's own first. Empty if an artifact of this kind does not run alone.
    pub runtimes: &'static [Runtime],
    /// The remedy that an error gives when the user asks for a runtime that is not in the list.
    pub advice: &'static str,
    /// The options of a run that change nothing for it.
    pub ignores: &'static [RunChoice],
}

/// Options of a run that only some artifacts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunChoice {
    /// Garbage in memory first: [`Loading::poison`].
    Poison,
    /// A number of threads: [`Loading::threads`].
    Threads,
    /// CMSIS-NN's kernels: [`Loading::cmsis_nn`].
    CmsisNn,
}

impl RunChoice {
    /// The option on the command line.
    pub fn option(self) -> &'static str {
        match self {
            RunChoice::Poison => "--poison",
            RunChoice::Threads => "--threads",
            RunChoice::CmsisNn => "--cmsis-nn",
        }
    }
}

/// A program that executes artifacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runtime {
    /// Kiln's builtin runtime of the format.
    #[default]
    Builtin,
    /// The stock ExecuTorch runtime.
    Executorch,
    /// The TOSA reference model.
    TosaReference,
    /// This machine, for which a C compiler builds the artifact.
    Host,
    /// A board of QEMU, for which a C compiler builds the artifact.
    Qemu,
}

impl Runtime {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Runtime::Builtin => "the builtin runtime",
            Runtime::Executorch => "the stock runtime",
            Runtime::TosaReference => "TOSA's reference model",
            Runtime::Host => "this machine",
            Runtime::Qemu => "QEMU",
        }
    }
}

/// Options for loading a method.
#[derive(Clone, Debug, Default)]
pub struct Loading {
    /// The runtime that executes it.
    pub runtime: Runtime,
    /// Fill planned memory with garbage before each run.
    pub poison: bool,
    /// Threads of an external runtime.
    pub threads: Option<usize>,
    /// The path of the external runtime's program; Kiln searches for it if absent.
    pub program: Option<PathBuf>,
    /// The folder of CMSIS-NN, which a C project is linked with in place of its own kernels.
    pub cmsis_nn: Option<PathBuf>,
}

/// The tensors that a method takes and gives.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Inputs, in order.
    pub inputs: Vec<Declared>,
    /// Outputs, in order.
    pub outputs: Vec<Declared>,
    /// The number of inputs, including those that are not tensors. `None` if the artifact does not tell how many numbers follow its
    /// tensors, or lie between them.
    pub input_count: Option<usize>,
    /// True if the format has no other sizes than those that the model is compiled for.
    pub has_fixed_sizes: bool,
    /// True if positions are the model's. An artifact that leaves out inputs that are not tensors may have lost them.
    pub keeps_positions: bool,
}

impl Signature {
    /// Whether the input at a position is a tensor.
    pub fn takes(&self, position: usize) -> bool {
        let mut inputs = self.inputs.iter();
        inputs.any(|input| input.position == position)
    }
}

/// A tensor at the border of a method.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its position among all inputs or outputs.
    pub position: usize,
    /// The model's name for it, if the artifact keeps names.
    pub name: Option<String>,
    /// `None` for an element type that Kiln does not have.
    pub dtype: Option<DType>,
    /// The artifact's own description, for messages.
    pub text: String,
    /// Sizes, outermost axis first, in the artifact's order of axes.
    pub sizes: Vec<Size>,
    /// The order in which the artifact has the axes of the model's own tensor, where it is not the model's. Users give and get that
    /// tensor in the model's order. Integers that stand for [reals](Declared::reals) are given as the artifact has them.
    pub order: Option<DimOrder>,
    /// The greatest number of elements that fits the planned memory, where that limits dynamic sizes.
    pub room: Option<usize>,
    /// The model's floats that its integers stand for, if the artifact tells.
    pub reals: Option<Reals>,
    /// The step of an output that is dequantised last, if the artifact tells.
    pub step: Option<f64>,
}

impl Declared {
    /// The sizes of the tensors that users give for it.
    pub fn given_sizes(&self) -> Vec<Size> {
        let order = self.order.as_ref();
        let sizes = order.and_then(|order| order.back().in_order(&self.sizes));
        sizes.unwrap_or_else(|| self.sizes.clone())
    }
}

/// A size of a tensor at the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Exactly this size.
    Exactly(usize),
    /// Any size between these, both included.
    Within(i64, Option<i64>),
    /// A size that follows from others; only a run can check it.
    Derived,
    /// Any size for which the tensor still fits the planned memory.
    Room(usize),
}
