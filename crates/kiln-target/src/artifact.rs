//! An artifact: what a target makes of methods, or what was read back.

use crate::error::{Error, Explain};
use crate::executor::Executor;
use kiln_files::Pending;
use kiln_ir::DType;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A compiled model. One that a target has just made and one that a [`Format`](crate::Format) reads back are the same
/// thing.
pub trait Artifact {
    /// The format.
    fn kind(&self) -> &'static Kind;

    /// The names of its methods; empty if it holds one method without a name.
    fn methods(&self) -> Vec<String>;

    /// What a method takes and gives; `None` if there is no such method.
    fn signature(&self, method: &str) -> Option<Signature>;

    /// Writes it to a place where it does not appear yet; how many bytes it has.
    ///
    /// # Errors
    /// If it breaks a rule of its format, or cannot be written.
    fn prepare(&self, path: &Path) -> Result<(Pending, u64), Error>;

    /// How many bytes it has.
    ///
    /// # Errors
    /// If it breaks a rule of its format.
    fn size(&self) -> Result<u64, Error>;

    /// What it holds, as a document.
    ///
    /// # Errors
    /// If a part cannot be read.
    fn inspect(&self) -> Result<Value, Error>;

    /// Loads a method on one of the runtimes of its [`Kind`].
    ///
    /// # Errors
    /// If the runtime is not there, or does not take the method.
    fn load<'a>(&'a self, method: &str, loading: &Loading)
    -> Result<Box<dyn Executor + 'a>, Error>;

    /// Writes it, whole or not at all; how many bytes it has.
    ///
    /// # Errors
    /// As [`Artifact::prepare`], or if it cannot be moved to its place.
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
    /// With its article: `an ExecuTorch program`.
    pub name: &'static str,
    /// How the names of its files end, without the dot; empty if no ending is usual.
    pub extension: &'static str,
    /// What runs it: Kiln's own runtime first, then those of others. Empty if it does not run alone.
    pub runtimes: &'static [Runtime],
    /// What to do where a runtime is asked for that it does not have.
    pub advice: &'static str,
}

/// What executes artifacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runtime {
    /// Kiln's own, for each format.
    #[default]
    Builtin,
    /// The stock ExecuTorch runtime.
    Executorch,
    /// TOSA's reference model.
    TosaReference,
}

impl Runtime {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Runtime::Builtin => "the builtin runtime",
            Runtime::Executorch => "the stock runtime",
            Runtime::TosaReference => "TOSA's reference model",
        }
    }
}

/// How an artifact is loaded.
#[derive(Clone, Debug, Default)]
pub struct Loading {
    /// What executes it.
    pub runtime: Runtime,
    /// Fill planned memory with garbage first.
    pub poison: bool,
    /// Threads of an external runtime.
    pub threads: Option<usize>,
    /// The external runtime's program; searched for if absent.
    pub program: Option<PathBuf>,
}

/// What a method takes and gives: its tensors.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Inputs, in order.
    pub inputs: Vec<Declared>,
    /// Outputs, in order.
    pub outputs: Vec<Declared>,
    /// How many inputs there are, those that are no tensors counted.
    pub input_count: usize,
    /// True if positions are those of the model: an artifact that leaves out what is no tensor may have lost them.
    pub keeps_positions: bool,
}

/// A tensor at the border of a method.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its position among all inputs or outputs.
    pub position: usize,
    /// The model's name of it, if the artifact has names.
    pub name: Option<String>,
    /// `None` for an element type that Kiln does not have.
    pub dtype: Option<DType>,
    /// The artifact's own text of it, for messages.
    pub text: String,
    /// Its sizes, outermost axis first.
    pub sizes: Vec<Size>,
    /// Elements that there is room for, where that limits sizes.
    pub room: Option<usize>,
}

/// What a size may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// This one.
    Exactly(usize),
    /// Between these.
    Within(i64, Option<i64>),
    /// What follows from others, which only a run checks.
    Derived,
    /// As large as there is room for, at this size of the others.
    Room(usize),
}
