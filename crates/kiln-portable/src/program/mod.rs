//! ExecuTorch programs as artifacts, for targets whose delegates and kernels the stock runtime runs.
//!
//! [`ToPrograms`] compiles for a [`ProgramTarget`], which brings the regions of its delegates. [`Programs`] reads programs, and needs
//! a [`DelegateReader`] for each kind of payload.

mod activations;
mod builtin;
mod compile;
mod inspect;
mod places;
mod signature;
mod stock;
mod undelegated;

pub use compile::{ProgramTarget, Regions, ToPrograms};
pub use places::placements;
pub use stock::RUNNER;
pub use undelegated::warning_of_quantised_kernels;

use builtin::Builtin;
use bytes::Bytes;
use kiln_files::Pending;
use kiln_pte::runtime::{Backend, Kernels};
use kiln_pte::{Method, Program, ValueIndex};
use kiln_target::{
    Activations, Arena, Artifact, Error, Executor, Explain, Format, Found, Kind, Loading,
    RunChoice, Runtime, Signature, read_mapped,
};
use serde_json::Value;
use signature::Writer;
use std::path::{Path, PathBuf};
use stock::Stock;

/// Executes and describes the payloads of one kind of delegate.
pub trait DelegateReader: Backend + Sync {
    /// Describes a payload as a JSON document.
    ///
    /// # Errors
    /// The payload cannot be read; a sentence says why.
    fn inspect(&self, payload: &Bytes) -> Result<Value, String>;

    /// True if the argument at this position is an output of integers that stand for reals.
    fn gives_quantised(&self, _payload: &Bytes, _position: usize) -> bool {
        false
    }

    /// In which numbers a payload computes what the output at this position among the arguments follows from. `None` for an input.
    fn activations(&self, _payload: &Bytes, _position: usize) -> Option<Activations> {
        None
    }
}

/// The kind of artifact, for messages.
pub const PROGRAM: Kind = Kind {
    name: "an ExecuTorch program",
    extension: "pte",
    runtimes: &[Runtime::Builtin, Runtime::Executorch],
    advice: "run it without --runtime",
    ignores: &[RunChoice::CmsisNn],
};

/// A program.
pub(crate) struct ProgramArtifact {
    program: Program,
    delegates: &'static [&'static dyn DelegateReader],
    kernels: &'static [&'static dyn Kernels],
    /// The file from which it was read.
    file: Option<PathBuf>,
    /// What lies in the planned memory of each method. Files do not tell.
    arenas: Vec<Arena>,
}

impl ProgramArtifact {
    /// The step of integers that a delegate or a kernel rounds reals to.
    fn rounded_step(&self, method: &Method, output: ValueIndex) -> Option<f64> {
        let is_rounded = match signature::writer(method, output)? {
            Writer::Kernel(name) => signature::is_rounding(name),
            Writer::Delegate(delegate, position) => {
                let delegate = method.delegates.get(delegate)?;
                let blob = self.program.delegate_blobs.get(delegate.blob)?;
                let mut readers = self.delegates.iter();
                let reader = readers.find(|reader| reader.id() == delegate.id)?;
                reader.gives_quantised(blob.bytes(), position)
            }
        };
        is_rounded.then_some(1.0)
    }
}

impl Artifact for ProgramArtifact {
    fn kind(&self) -> &'static Kind {
        &PROGRAM
    }

    fn methods(&self) -> Vec<String> {
        self.program
            .methods
            .iter()
            .map(|m| m.name.clone())
            .collect()
    }

    fn signature(&self, method: &str) -> Option<Signature> {
        let method = self.program.method(method)?;
        let mut found = signature::signature(method);
        for output in &mut found.outputs {
            let value = method.outputs[output.position];
            output.step = output.step.or_else(|| self.rounded_step(method, value));
        }
        Some(found)
    }

    fn prepare(&self, path: &Path) -> Result<(Pending, u64), Error> {
        let (file, size) = match kiln_pte::prepare_file(&self.program, path) {
            // What cannot be written is named already.
            Err(error @ kiln_pte::WriteError::Io { .. }) => return Err(Error::of(error)),
            prepared => prepared.explain(|| path.display().to_string())?,
        };
        Ok((Pending::File(file), size))
    }

    fn size(&self) -> Result<u64, Error> {
        kiln_pte::write(&self.program, &mut std::io::sink()).map_err(Error::of)
    }

    fn inspect(&self) -> Result<Value, Error> {
        Ok(inspect::program_json(&self.program, self.delegates))
    }

    fn arena(&self, method: &str) -> Option<Arena> {
        let number = self.program.methods.iter().position(|m| m.name == method)?;
        self.arenas.get(number).cloned()
    }

    fn activations(&self, method: &str, output: usize) -> Activations {
        let Some(method) = self.program.method(method) else {
            return Activations::F32;
        };
        let blobs: Vec<_> = method.delegates_with_blobs(&self.program).collect();
        activations::of_output(method, output, |delegate, position| {
            let (delegate, blob) = blobs.get(delegate)?;
            let mut readers = self.delegates.iter();
            let reader = readers.find(|reader| reader.id() == delegate.id)?;
            reader.activations((*blob)?, position)
        })
    }

    fn load<'a>(
        &'a self,
        method: &str,
        loading: &Loading,
    ) -> Result<Box<dyn Executor + 'a>, Error> {
        match (loading.runtime, &self.file, self.program.method(method)) {
            (Runtime::Executorch, Some(file), Some(method)) => {
                Ok(Box::new(Stock::load(file, method, loading)?))
            }
            (Runtime::Executorch, None, _) => Err(Error::new(
                "the stock runtime runs programs in files; write it first",
            )),
            (Runtime::Builtin, ..) => {
                let poison = loading.poison;
                let loaded = Builtin::load(
                    &self.program,
                    (self.delegates, self.kernels),
                    method,
                    poison,
                )?;
                Ok(Box::new(loaded))
            }
            (runtime, ..) => {
                let runtime = runtime.text();
                let message = format!("{runtime} has no method {method} of a program");
                Err(Error::new(message))
            }
        }
    }
}

/// The format of programs.
pub struct Programs {
    /// The kinds of payloads that it reads.
    pub delegates: &'static [&'static dyn DelegateReader],
    /// The kernels beside the stock runtime's that the builtin runtime has.
    pub kernels: &'static [&'static dyn Kernels],
}

impl Format for Programs {
    fn kind(&self) -> &'static Kind {
        &PROGRAM
    }

    fn recognises(&self, found: &Found<'_>) -> bool {
        found.head().get(4..8) == Some(b"ET12")
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Artifact>, Error> {
        let program = kiln_pte::read(read_mapped(path)?).map_err(Error::of)?;
        Ok(Box::new(ProgramArtifact {
            program,
            delegates: self.delegates,
            kernels: self.kernels,
            file: Some(path.to_path_buf()),
            arenas: Vec::new(),
        }))
    }
}
