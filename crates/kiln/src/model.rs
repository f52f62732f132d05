//! Opens model files of every kind that the commands take.

use crate::import::{ImportOptions, import_archive};
use crate::target::FORMATS;
use anyhow::{Context, Result, anyhow, bail};
use kiln_ir::verify::verify;
use kiln_ir::{Graph, text};
use kiln_pt2::Archive;
use kiln_target::{Artifact, Found};
use std::path::Path;

/// A model that was read.
pub enum Model {
    /// An export archive.
    Archive(Archive),
    /// A graph in text form.
    Text(Box<Graph>),
    /// An artifact of a target.
    Artifact(Box<dyn Artifact>),
}

/// The remedy for what is no model.
const SAVE_IT: &str =
    "save a model with torch.export.save(torch.export.export(model, inputs), \"model.pt2\")";

/// The limit on the size of a text.
const MAX_TEXT_BYTES: u64 = 1 << 30;

impl Model {
    /// Opens a file, or the folder of an artifact. Its content decides the kind.
    ///
    /// # Errors
    /// It cannot be read, or is of no known kind.
    pub fn open(path: &Path) -> Result<Model> {
        let named = || path.display().to_string();
        let found = Found::at(path).with_context(named)?;
        if found.head.is_none() && !FORMATS.iter().any(|format| format.recognises(&found)) {
            bail!(
                "{}: is a folder, but no C project of Kiln's; {SAVE_IT}",
                path.display()
            );
        }
        if found.head.as_ref().is_some_and(Vec::is_empty) {
            bail!("{}: is empty; {SAVE_IT}", path.display());
        }
        if found.head().starts_with(b"PK") {
            return Ok(Model::Archive(Archive::open(path)?));
        }
        if let Some(format) = FORMATS.iter().find(|format| format.recognises(&found)) {
            return Ok(Model::Artifact(format.open(path).with_context(named)?));
        }
        if is_text(&found).with_context(named)? {
            let text = std::fs::read_to_string(path).with_context(named)?;
            let graph = text::parse(&text).map_err(|error| match is_graph(&text) {
                true => anyhow!("{}: {error}", path.display()),
                false => anyhow!(
                    "{}: is text, but neither an export archive (.pt2) nor a graph in text form, which begins with graph \"NAME\"; {SAVE_IT}",
                    path.display()
                ),
            })?;
            check(&graph).with_context(named)?;
            return Ok(Model::Text(Box::new(graph)));
        }
        let formats = FORMATS.iter().map(|format| format.kind());
        let formats = formats.map(|kind| match kind.extension {
            "" => kind.name.to_owned(),
            extension => format!("{} (.{extension})", kind.name),
        });
        bail!(
            "{}: is neither an export archive (.pt2), nor {}, nor a graph in text form; {SAVE_IT}",
            path.display(),
            formats.collect::<Vec<_>>().join(", nor ")
        );
    }

    /// Compares an archive with its checksums.
    ///
    /// # Errors
    /// A part of it is damaged. The error names the file and the entry.
    pub fn verify_checksums(&self) -> Result<()> {
        match self {
            Model::Archive(archive) => Ok(archive.verify_checksums()?),
            Model::Text(_) | Model::Artifact(_) => Ok(()),
        }
    }

    /// The graph of an archive or of a text, as the method `name`.
    ///
    /// # Errors
    /// As [`Model::graph_with`].
    pub fn graph(&self, path: &Path, name: &str) -> Result<Graph> {
        self.graph_with(path, name, ImportOptions::default())
    }

    /// As [`Model::graph`], with what the user says about an archive's sizes and ops.
    ///
    /// # Errors
    /// The model is an artifact, or it cannot be imported, or not with these sizes.
    pub fn graph_with(&self, path: &Path, name: &str, options: ImportOptions<'_>) -> Result<Graph> {
        let fixed = options.fixed;
        match self {
            Model::Archive(archive) => {
                import_archive(archive, name, options).with_context(|| path.display().to_string())
            }
            Model::Text(_) if !fixed.is_empty() => bail!(
                "{}: --dim {}=={} is for archives (.pt2); write the size into the text",
                path.display(),
                fixed[0].0,
                fixed[0].1
            ),
            Model::Text(graph) => Ok((**graph).clone()),
            Model::Artifact(artifact) => bail!(
                "{} is {}, which is compiled; give the .pt2 archive",
                path.display(),
                artifact.kind().name
            ),
        }
    }
}

fn is_text(found: &Found<'_>) -> Result<bool> {
    let head = found.head();
    let is_text = head.trim_ascii_start().starts_with(b"graph") || head.starts_with(b"#");
    Ok(is_text && std::fs::metadata(found.path)?.len() <= MAX_TEXT_BYTES)
}

/// Whether a text means to be a graph: its first line that is no comment begins as one.
fn is_graph(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let rest = first.and_then(|line| line.strip_prefix("graph"));
    rest.is_some_and(|rest| rest.trim_start().starts_with('"'))
}

/// Refuses a text that parses but breaks a rule of the verifier.
fn check(graph: &Graph) -> Result<()> {
    let Err(faults) = verify(graph) else {
        return Ok(());
    };
    match faults.as_slice() {
        [only] => bail!("the graph is broken: {only}"),
        [first, others @ ..] => bail!(
            "the graph is broken: {first}, and {} faults more",
            others.len()
        ),
        [] => Ok(()),
    }
}
