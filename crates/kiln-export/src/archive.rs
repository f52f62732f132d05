//! A written program with its tensors.

use kiln_pt2::{ArchiveWriter, Error, ExportedProgram, SampleValue, StoredTensor};
use std::collections::BTreeSet;
use std::io::Write;

/// What a tensor of the archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A parameter of a module.
    Parameter,
    /// A buffer that is part of the state.
    Buffer,
    /// A buffer that is not.
    Temporary,
    /// A tensor of no module.
    Constant,
}

/// A tensor of the archive.
pub(crate) struct Stored {
    pub(crate) fqn: String,
    /// Its name in the graph.
    pub(crate) name: String,
    pub(crate) tensor: StoredTensor,
    pub(crate) role: Role,
}

/// A written program with its tensors.
pub struct Exported {
    /// The program.
    pub program: ExportedProgram,
    pub(crate) tensors: Vec<Stored>,
    /// The families of ops that were written.
    pub families: BTreeSet<&'static str>,
}

impl Exported {
    /// Writes the archive. `root` names its root folder, as torch names it after the file; `samples` are inputs, flattened as the program's
    /// input spec says.
    ///
    /// # Errors
    /// `out` cannot be written, or the samples do not fit the program.
    pub fn write<W: Write>(
        &self,
        out: W,
        root: &str,
        samples: Option<Vec<SampleValue>>,
    ) -> Result<W, Error> {
        let mut writer = ArchiveWriter::new(&self.program);
        for Stored {
            fqn, tensor, role, ..
        } in &self.tensors
        {
            match role {
                Role::Parameter => writer.weight(fqn, tensor, true),
                Role::Buffer => writer.weight(fqn, tensor, false),
                Role::Temporary | Role::Constant => writer.constant(fqn, tensor),
            };
        }
        if let Some(samples) = samples {
            writer.sample_inputs(samples);
        }
        writer.write(out, root)
    }
}
