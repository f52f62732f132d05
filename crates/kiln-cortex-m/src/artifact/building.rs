//! Builds a project and the runner that feeds it, for this machine or for a board of QEMU.
//!
//! An object has the name of its source. By it the linker's map of a program for a board says how much flash each source takes.

use super::library::Library;
use super::manifest::{Crossing, Manifest};
use super::objects;
use super::tools::{arm_compiler, compile, compile_each, host_compiler};
use crate::cores::{Board, Core};
use crate::embedded::{BOARD, RUNNER};
use crate::project::{File, is_replaced};
use kiln_target::{Error, Explain};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a project's sources are.
pub(super) enum Sources<'s> {
    /// In a folder.
    Folder(&'s Path),
    /// As texts that are not written yet.
    Files(&'s [File]),
}

/// The program that the compiler makes.
pub(super) const PROGRAM: &str = "run";

/// The program for a board with hooks: one in front of each call of the model notes how many instructions there were.
pub(super) const COUNTED: &str = "counted";

/// The object of the model's own file.
pub(super) const MODEL: &str = "model.o";

/// The object of the model's own file with hooks.
const COUNTED_MODEL: &str = "counted.o";

/// The linker's map of a program for a board.
pub(super) const MAP: &str = "map";

/// The object that the compiler makes of a source.
pub(super) fn object_of(source: &Path) -> PathBuf {
    PathBuf::from(source.file_name().unwrap_or_default()).with_extension("o")
}

/// The object of a source of the runner, whose folders both have a `board.c`.
pub(super) fn object_beside(source: &Path) -> PathBuf {
    source.with_extension("o")
}

/// A compilation in a folder.
struct Building<'m> {
    manifest: &'m Manifest,
    board: Option<Board>,
    folder: &'m Path,
    /// The folder of the project.
    project: PathBuf,
    /// The library in place of the project's kernels, if there is one.
    library: Option<&'m Library>,
}

/// Builds the program in a folder, for a board or for this machine.
///
/// # Errors
/// If a compiler is missing, or the sources do not compile.
pub(super) fn build(
    manifest: &Manifest,
    board: Option<Board>,
    sources: &Sources<'_>,
    folder: &Path,
    library: Option<&Library>,
) -> Result<(), Error> {
    let building = Building {
        manifest,
        board,
        folder,
        project: unpack(manifest, sources, folder)?,
        library,
    };
    building.build()
}

/// Writes the files beside the sources, and gives the folder with the sources.
fn unpack(manifest: &Manifest, sources: &Sources<'_>, folder: &Path) -> Result<PathBuf, Error> {
    for (place, files) in [("runner", RUNNER), ("board", BOARD)] {
        for (name, text) in files {
            put(folder.join(place).join(name), text)?;
        }
    }
    put(folder.join("runner/model.h"), &model_header(manifest))?;
    put(folder.join("runner/layers.h"), &layers_header(manifest))?;
    match sources {
        Sources::Folder(path) => std::path::absolute(path).map_err(Error::of),
        Sources::Files(files) => {
            for file in *files {
                put(folder.join("project").join(&file.path), &file.text)?;
            }
            Ok(folder.join("project"))
        }
    }
}

/// Writes a file, with its folder.
pub(super) fn put(path: PathBuf, text: &str) -> Result<(), Error> {
    let parent = path.parent().unwrap_or(&path);
    let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
    written.explain(|| format!("cannot write {}", path.display()))
}

impl Building<'_> {
    fn build(&self) -> Result<(), Error> {
        self.model(MODEL, "")?;
        let sources = self.other_sources();
        self.kernels(&sources)?;
        let mut objects: Vec<PathBuf> = sources.iter().map(|path| object_of(path)).collect();
        objects.extend(self.runner()?);
        if self.board.is_some() {
            self.model(COUNTED_MODEL, "-include runner/layers.h -DRUN_COUNTED")?;
            self.link(COUNTED_MODEL, &objects, COUNTED)?;
        }
        self.link(MODEL, &objects, PROGRAM)
    }

    /// Objects of the runner.
    fn runner(&self) -> Result<Vec<PathBuf>, Error> {
        let sources: &[&str] = match self.board {
            None => &["runner/run.c", "runner/host.c"],
            Some(_) => &["runner/run.c", "runner/board.c", "board/board.c"],
        };
        let sources: Vec<PathBuf> = sources.iter().map(Into::into).collect();
        let compiler = || self.compiler();
        compile_each(
            compiler,
            &self.flags(),
            &sources,
            self.folder,
            object_beside,
        )
    }

    /// Objects of the sources beside the model's own file. Kernels have only headers of their own folder.
    fn kernels(&self, sources: &[PathBuf]) -> Result<(), Error> {
        let compiler = self.compiler()?;
        let mut flags = vec![compiler.get_program().to_owned()];
        flags.extend(compiler.get_args().map(Into::into));
        flags.extend(self.machine_flags());
        flags.extend(self.library.iter().flat_map(|library| library.flags()));
        let kernels = self.project.join("kiln_nn");
        let (kernels, mut unknown): (Vec<PathBuf>, Vec<PathBuf>) = sources
            .iter()
            .cloned()
            .partition(|source| source.parent() == Some(&kernels));
        let made = objects::put_known(&kernels, &flags, self.folder)?;
        unknown.extend(made.iter().map(|(source, _)| source.clone()));
        if unknown.is_empty() {
            return Ok(());
        }
        let compiler = || self.compiler();
        compile_each(compiler, &self.flags(), &unknown, self.folder, object_of)?;
        objects::remember(&made, self.folder)
    }

    fn link(&self, model: &str, objects: &[PathBuf], program: &str) -> Result<(), Error> {
        let mut arguments = self.flags();
        if let Some(board) = self.board {
            let map = format!("-Wl,-Map={MAP}");
            arguments.extend(words(
                "-Wl,--gc-sections -nostartfiles --specs=nano.specs --specs=nosys.specs -Lboard",
            ));
            arguments.extend(["-T".into(), board.script.into(), map.into()]);
        }
        arguments.push(model.into());
        arguments.extend(objects.iter().map(Into::into));
        let library = self.library.iter().flat_map(|library| library.objects());
        arguments.extend(library.map(Into::into));
        arguments.extend(words("-lm -o").into_iter().chain([program.into()]));
        compile(self.compiler()?, &arguments, self.folder)
    }

    fn compiler(&self) -> Result<Command, Error> {
        match self.board {
            None => host_compiler(),
            Some(_) => arm_compiler(),
        }
    }

    /// The flags of all sources of the project and of the runner.
    fn flags(&self) -> Vec<OsString> {
        let mut flags = words("-std=c99 -I");
        flags.push(self.project.clone().into());
        flags.extend(self.machine_flags());
        if let Some(library) = self.library {
            flags.extend(library.flags());
        }
        flags
    }

    /// The flags of the machine.
    fn machine_flags(&self) -> Vec<OsString> {
        machine_flags(self.board.map(|_| self.manifest.core))
    }

    /// An object of the model's own file.
    fn model(&self, object: &str, flags: &str) -> Result<(), Error> {
        let mut arguments = self.flags();
        arguments.extend(words(flags));
        arguments.extend(words("-c -o"));
        arguments.push(object.into());
        let file = format!("{}.c", self.manifest.name);
        arguments.push(self.project.join(file).into());
        compile(self.compiler()?, &arguments, self.folder)
    }

    /// The project's sources but the model's own file, and but those for Arduino, which include others.
    fn other_sources(&self) -> Vec<PathBuf> {
        let own = format!("{}.c", self.manifest.name);
        let functions = self
            .manifest
            .calls
            .iter()
            .map(|call| call.function.as_str());
        let functions: BTreeSet<&str> = functions.collect();
        let files = self.manifest.files.iter().map(|file| file.path.as_str());
        let sources = files.filter(|path| path.ends_with(".c") && !path.starts_with("src/"));
        let is_taken = |path: &&str| {
            let kernel = path.strip_prefix("kiln_nn/");
            **path != own
                && (self.library.is_none()
                    || !kernel.is_some_and(|file| is_replaced(file, &functions)))
        };
        let sources = sources.filter(is_taken);
        sources.map(|path| self.project.join(path)).collect()
    }
}

/// The flags of the machine: those of a core, or of this machine.
pub(super) fn machine_flags(core: Option<&Core>) -> Vec<OsString> {
    let mut flags = words("-O2");
    if let Some(core) = core {
        flags.extend(words("-mthumb -ffunction-sections -fdata-sections"));
        flags.extend(core.flags.iter().map(Into::into));
    }
    flags
}

pub(super) fn words(text: &str) -> Vec<OsString> {
    text.split_whitespace().map(Into::into).collect()
}

/// The header by which the runner knows the model.
fn model_header(manifest: &Manifest) -> String {
    let (name, upper) = (&manifest.name, manifest.name.upper());
    let table = |ports: &[Crossing]| {
        let bytes: String = ports
            .iter()
            .map(|port| format!("{}, ", port.bytes()))
            .collect();
        // A table has an element at least.
        format!("{{{bytes}0}}")
    };
    let updated = |ports: &[Crossing]| {
        let flags = ports.iter().map(|port| u8::from(port.is_updated));
        let flags: String = flags.map(|flag| format!("{flag}, ")).collect();
        format!("{{{flags}0}}")
    };
    let (inputs, outputs) = (&manifest.inputs, &manifest.outputs);
    format!(
        "#include <{name}.h>

#define KILN_RUNNER(part) {name}_##part
#define KILN_RUNNER_ARENA_BYTES {upper}_ARENA_BYTES
#define KILN_RUNNER_INPUTS {}
#define KILN_RUNNER_OUTPUTS {}
static const size_t input_bytes[] = {};
static const size_t output_bytes[] = {};
static const unsigned char is_updated[] = {};
",
        inputs.len(),
        outputs.len(),
        table(inputs),
        table(outputs),
        updated(inputs)
    )
}

/// The header that the model's file sees first. It declares each function that the model calls, and replaces it by a macro that
/// counts.
fn layers_header(manifest: &Manifest) -> String {
    let mut text = format!(
        "#define RUN_LAYERS {}u\nvoid run_layer(void);\n#ifdef RUN_COUNTED\n#include \"kiln_nn/kiln_nn.h\"\n",
        manifest.calls.len()
    );
    if manifest
        .files
        .iter()
        .any(|file| file.path == "kiln_nn/kiln_ops.h")
    {
        text.push_str("#include \"kiln_nn/kiln_ops.h\"\n");
    }
    let functions = manifest.calls.iter().map(|call| call.function.as_str());
    for function in functions.collect::<BTreeSet<&str>>() {
        let _ = writeln!(
            text,
            "#define {function}(...) (run_layer(), {function}(__VA_ARGS__))"
        );
    }
    text + "#endif\n"
}
