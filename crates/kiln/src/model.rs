//! A model file of any kind that the commands take.

use crate::import::import_archive;
use anyhow::{Context, Result, bail};
use bytes::Bytes;
use kiln_ir::verify::verify;
use kiln_ir::{Graph, text};
use kiln_pt2::Archive;
use std::path::Path;

/// A model as read.
pub enum Model {
    /// An export archive.
    Archive(Archive),
    /// A graph in text form.
    Text(Box<Graph>),
    /// An ExecuTorch program.
    Program(Bytes),
    /// The payload of an XNNPACK delegate.
    Payload(Bytes),
    /// A TOSA file.
    Tosa(Bytes),
}

/// Texts beyond this are refused.
const MAX_TEXT_BYTES: u64 = 1 << 30;

impl Model {
    /// Opens a file and tells by its first bytes what it is.
    ///
    /// # Errors
    /// If it cannot be read or is none of the kinds.
    pub fn open(path: &Path) -> Result<Model> {
        let named = || path.display().to_string();
        match kind(path).with_context(named)? {
            Kind::Zip => Ok(Model::Archive(Archive::open(path)?)),
            Kind::Program => Ok(Model::Program(read_mapped(path).with_context(named)?)),
            Kind::Payload => Ok(Model::Payload(read_mapped(path).with_context(named)?)),
            Kind::Tosa => Ok(Model::Tosa(read_mapped(path).with_context(named)?)),
            Kind::Text => {
                let text = std::fs::read_to_string(path).with_context(named)?;
                let graph = text::parse(&text).with_context(named)?;
                check(&graph).with_context(named)?;
                Ok(Model::Text(Box::new(graph)))
            }
        }
    }

    /// The graph of an archive or a text, as method `name`.
    ///
    /// # Errors
    /// If the model is a program, or cannot be imported.
    pub fn graph(&self, path: &Path, name: &str) -> Result<Graph> {
        match self {
            Model::Archive(archive) => {
                import_archive(archive, name).with_context(|| path.display().to_string())
            }
            Model::Text(graph) => Ok((**graph).clone()),
            Model::Program(_) => bail!(
                "{} is a compiled program; give the .pt2 archive",
                path.display()
            ),
            Model::Payload(_) => bail!(
                "{} is the payload of a delegate; give the .pt2 archive",
                path.display()
            ),
            Model::Tosa(_) => bail!(
                "{} is a compiled TOSA file; give the .pt2 archive",
                path.display()
            ),
        }
    }
}

/// Refuses a text that parses, but says what no graph may.
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

enum Kind {
    Zip,
    Program,
    Payload,
    Tosa,
    Text,
}

fn kind(path: &Path) -> Result<Kind> {
    use std::io::Read;
    let mut file = std::fs::File::open(path).context("cannot open")?;
    let mut head = Vec::new();
    file.by_ref()
        .take(16)
        .read_to_end(&mut head)
        .context("cannot read")?;
    if head.is_empty() {
        bail!("is empty");
    }
    if head.starts_with(b"PK") {
        return Ok(Kind::Zip);
    }
    if head.get(4..8) == Some(b"ET12") {
        return Ok(Kind::Program);
    }
    if kiln_xnnpack::payload::is_payload(&head) {
        return Ok(Kind::Payload);
    }
    if kiln_tosa::file::is_tosa(&head) {
        return Ok(Kind::Tosa);
    }
    let is_text = head.trim_ascii_start().starts_with(b"graph") || head.starts_with(b"#");
    if is_text && file.metadata()?.len() <= MAX_TEXT_BYTES {
        return Ok(Kind::Text);
    }
    bail!(
        "is neither an export archive (.pt2), nor an ExecuTorch program (.pte), nor an XNNPACK payload, nor a TOSA \
         file, nor a graph in text form"
    );
}

/// The file's bytes, mapped.
///
/// # Errors
/// If the file cannot be opened or mapped.
pub fn read_mapped(path: &Path) -> Result<Bytes> {
    let file = std::fs::File::open(path).context("cannot open")?;
    // SAFETY: the map is read only. Another process that truncates the file while it is mapped makes reads
    // fault; users are told not to change a model while it is read, as with every mapping tool.
    let map = unsafe { memmap2::Mmap::map(&file) }.context("cannot map")?;
    Ok(Bytes::from_owner(map))
}
