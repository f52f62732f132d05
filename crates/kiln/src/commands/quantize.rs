//! `kiln quantize`: an archive of floats to an archive of integers.

use crate::counted::counted;
use crate::model::Model;
use crate::output;
use crate::quantisation::{Asked, Done, Quantisation, Samples, scheme};
use crate::target::TargetName;
use crate::usage::UsageError;
use anyhow::{Context, Result, bail};
use kiln_export::{Exported, export};
use kiln_files::{Pending, PendingFile};
use kiln_ir::{DType, Graph, ValueId};
use kiln_pt2::{Archive, SampleValue};
use kiln_quantiser::Mode;
use kiln_target::{Options as TargetOptions, Runs, progress};
use kiln_transforms::precision;
use serde_json::json;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The arguments of `kiln quantize`.
pub struct Options {
    /// The archive of floats.
    pub model: PathBuf,
    /// Inputs on which ranges are found.
    pub data: Option<PathBuf>,
    /// What the archive is to be compiled for.
    pub target: TargetName,
    /// The numbers.
    pub mode: Mode,
    /// The archive of integers.
    pub output: PathBuf,
    /// Print one JSON document.
    pub json: bool,
    /// Print nothing but errors.
    pub quiet: bool,
}

/// Quantises an archive, and writes another.
///
/// # Errors
/// The model is refused, has an op that no archive says, or a file cannot be read or written. No archive is left then.
pub fn run(options: &Options) -> Result<()> {
    if options.json && options.output == Path::new(output::STDOUT) {
        let message = "--json and -o - both write to stdout; give one of them a file";
        return Err(UsageError::new(message.to_owned()).into());
    }
    let mut read = vec![options.model.as_path()];
    read.extend(options.data.as_deref());
    output::check_paths(&[("-o", &options.output)], &read)?;
    let samples = samples(options)?;
    let Model::Archive(archive) = Model::open(&options.model)? else {
        bail!(
            "{}: is no export archive; give the .pt2 archive",
            options.model.display()
        );
    };
    let quantisation = Quantisation {
        asked: Asked::Quantize,
        mode: options.mode,
        samples,
    };
    let leaves = archive
        .sample_inputs()
        .with_context(|| options.model.display().to_string())?;
    let (exported, done) = quantised(archive, &quantisation, options.target, &options.model)?;
    let size = written(&exported, leaves, &options.output)?;
    report(options, &done, size)
}

/// The inputs on which ranges are found.
fn samples(options: &Options) -> Result<Vec<Samples>> {
    let name = scheme(options.mode);
    match &options.data {
        Some(path) if options.mode.takes_samples() => Ok(vec![Samples {
            method: None,
            runs: Runs::read(path)?,
            path: Some(path.clone()),
        }]),
        Some(path) if !options.quiet => {
            output::say(format_args!(
                "note: {} is not used: --scheme {name} needs no samples",
                path.display()
            ));
            Ok(Vec::new())
        }
        _ => Ok(Vec::new()),
    }
}

/// The quantised program of an archive.
fn quantised(
    archive: Archive,
    quantisation: &Quantisation,
    name: TargetName,
    path: &Path,
) -> Result<(Exported, Done)> {
    let named = || path.display().to_string();
    let program = archive.program().with_context(named)?;
    let model = Model::Archive(archive);
    // A damaged weight would be an archive that runs and is wrong.
    model.verify_checksums()?;
    let mut graph = model.graph(path, "forward")?;
    let target = name.create(&TargetOptions::default());
    let widened = widen(&mut graph);
    let done = quantisation.apply(&mut graph, &*target, name, ("forward", &model));
    let mut done = done.with_context(named)?;
    if widened > 0 {
        let nodes = counted(widened, "node");
        done.note += &format!("; {nodes} of a model of halves in f32");
    }
    let _stage = progress::stage("writing ops as calls of ATen");
    let exported = export(&graph, &program).with_context(named)?;
    Ok((exported, done))
}

/// Makes a model of f16 or bf16 compute in f32, to which its weights widen exactly: they are rounded once, and the ops that quantise take
/// f32. Inputs, outputs and state keep their types. Gives the number of nodes.
fn widen(graph: &mut Graph) -> usize {
    let is_half = |&value: &ValueId| matches!(graph.ty(value).dtype, DType::F16 | DType::BF16);
    let mut nodes = graph.nodes_in(graph.root()).map(|(_, node)| node);
    let has_halves = nodes.any(|node| node.op.computes_reals() && node.results.iter().any(is_half));
    match has_halves {
        true => precision::convert(graph, DType::F32).nodes,
        false => 0,
    }
}

/// Writes the archive, whole or not at all. Gives its size in bytes.
fn written(exported: &Exported, leaves: Option<Vec<SampleValue>>, path: &Path) -> Result<u64> {
    let _stage = progress::stage(format!("writing {}", path.display()));
    let failed = || format!("cannot write {}", path.display());
    let pending = PendingFile::create(path).with_context(failed)?;
    let root = path
        .file_stem()
        .map_or("model".into(), |stem| stem.to_string_lossy());
    let out = Counted {
        out: BufWriter::new(pending.as_file()),
        bytes: 0,
    };
    let mut out = exported.write(out, &root, leaves).with_context(failed)?;
    out.flush().with_context(failed)?;
    let size = out.bytes;
    drop(out);
    output::persist(Pending::File(pending), path)?;
    Ok(size)
}

/// A writer that knows how much was written: a pipe does not.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn report(options: &Options, done: &Done, size: u64) -> Result<()> {
    if options.json {
        let quantised = done.quantised;
        let document = json!({
            "scheme": scheme(options.mode),
            "target": options.target.to_string(),
            "output": options.output.display().to_string(),
            "size": size,
            "layers": quantised.layers,
            "layers_in_floats": quantised.left,
            "activations": quantised.activations,
            "tables": quantised.tables,
            "warnings": done.warnings,
        });
        output::print(&(serde_json::to_string_pretty(&document)? + "\n"))?;
    }
    if options.quiet {
        return Ok(());
    }
    output::say(format_args!("{}: {size} bytes", options.output.display()));
    output::say(format_args!("note: {}", done.note));
    for warning in &done.warnings {
        output::say(format_args!("warning: {warning}"));
    }
    Ok(())
}
