//! Builds a project with the runner that feeds it, for this machine or for a board of QEMU.

use super::library::Library;
use super::manifest::{Crossing, Manifest};
use super::tools::{arm_compiler, compile, host_compiler};
use crate::cores::Board;
use crate::embedded::{BOARD, RUNNER};
use crate::project::{File, own_files};
use kiln_target::{Error, Explain};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a project's sources are.
pub(super) enum Sources {
    /// In a folder.
    Folder(PathBuf),
    /// Not written yet.
    Files(Vec<File>),
}

/// The program that the compiler makes.
pub(super) const PROGRAM: &str = "run";

/// The object of the model's own file.
pub(super) const MODEL: &str = "model.o";

/// The linker's map of the program.
pub(super) const MAP: &str = "map";

/// The object that the compiler makes of a source.
pub(super) fn object_of(source: &Path) -> PathBuf {
    PathBuf::from(source.file_name().unwrap_or_default()).with_extension("o")
}

/// A compilation in a folder.
pub(super) struct Building<'b> {
    pub manifest: &'b Manifest,
    pub folder: &'b Path,
    /// The board, or none for this machine.
    pub board: Option<Board>,
    /// CMSIS-NN in place of Kiln's kernels. Only boards take it.
    pub library: Option<&'b Library>,
}

impl Building<'_> {
    /// Builds the program.
    ///
    /// # Errors
    /// If a compiler is missing, or the sources do not compile.
    pub fn build(&self, sources: &Sources) -> Result<(), Error> {
        let project = self.unpack(sources)?;
        match self.board {
            None => self.build_here(&project),
            Some(board) => self.build_for(board, &project),
        }
    }

    /// Writes what goes with the sources, and gives the folder that has these.
    fn unpack(&self, sources: &Sources) -> Result<PathBuf, Error> {
        let folder = self.folder;
        let put = |path: PathBuf, text: &str| {
            let parent = path.parent().unwrap_or(folder);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
            written.explain(|| format!("cannot write {}", path.display()))
        };
        for (place, files) in [("runner", RUNNER), ("board", BOARD)] {
            for (name, text) in files {
                put(folder.join(place).join(name), text)?;
            }
        }
        put(folder.join("runner/model.h"), &model_header(self.manifest))?;
        put(
            folder.join("runner/layers.h"),
            &layers_header(self.manifest),
        )?;
        match sources {
            Sources::Folder(path) => std::path::absolute(path).map_err(Error::of),
            Sources::Files(files) => {
                for file in files {
                    put(folder.join("project").join(&file.path), &file.text)?;
                }
                Ok(folder.join("project"))
            }
        }
    }

    /// The project's sources but the model's own file. Those for Arduino include others.
    fn other_sources(&self, project: &Path) -> Vec<OsString> {
        let own = format!("{}.c", self.manifest.name);
        let files = self.manifest.files.iter().map(|(path, _)| path);
        let sources =
            files.filter(|path| path.ends_with(".c") && !path.starts_with("src/") && **path != own);
        sources.map(|path| project.join(path).into()).collect()
    }

    fn build_here(&self, project: &Path) -> Result<(), Error> {
        let mut arguments = words("-std=c99 -O2 -I");
        arguments.push(project.into());
        arguments.extend(words("runner/run.c runner/host.c"));
        arguments.push(project.join(format!("{}.c", self.manifest.name)).into());
        arguments.extend(self.other_sources(project));
        arguments.extend(words("-lm -o").into_iter().chain([PROGRAM.into()]));
        compile(host_compiler()?, &arguments, self.folder)
    }

    /// The model's own file alone sees its calls as such that are counted.
    fn build_for(&self, board: Board, project: &Path) -> Result<(), Error> {
        let core = self.manifest.core;
        let mut common = words("-std=c99 -O2 -mthumb -ffunction-sections -fdata-sections -I");
        common.push(project.into());
        common.extend(core.flags.iter().map(Into::into));
        common.extend(self.library.iter().flat_map(|library| library.flags()));
        let mut model = common.clone();
        model.extend(words("-include runner/layers.h -DRUN_COUNTED -c -o"));
        model.push(MODEL.into());
        model.push(project.join(format!("{}.c", self.manifest.name)).into());
        compile(arm_compiler()?, &model, self.folder)?;
        // Objects have the names of their sources, by which the linker's map is read.
        let sources = self.linked_sources(project);
        let mut kernels = common.clone();
        kernels.push("-c".into());
        kernels.extend(sources.iter().map(Into::into));
        compile(arm_compiler()?, &kernels, self.folder)?;
        let mut all = common;
        all.extend(words(
            "-Wl,--gc-sections -nostartfiles --specs=nano.specs --specs=nosys.specs -Lboard runner/run.c runner/board.c board/board.c -T",
        ));
        all.push(board.script.into());
        all.push(format!("-Wl,-Map={MAP}").into());
        all.push(MODEL.into());
        all.extend(sources.iter().map(|source| object_of(source).into()));
        all.extend(
            self.library
                .iter()
                .flat_map(|library| library.objects().iter().map(Into::into)),
        );
        all.extend(words("-lm -o").into_iter().chain([PROGRAM.into()]));
        compile(arm_compiler()?, &all, self.folder)
    }

    /// The sources beside the model's own file: all, or those of which CMSIS-NN has nothing.
    fn linked_sources(&self, project: &Path) -> Vec<PathBuf> {
        let sources = self.other_sources(project).into_iter().map(PathBuf::from);
        match self.library {
            None => sources.collect(),
            Some(_) => {
                let called = self
                    .manifest
                    .calls
                    .iter()
                    .map(|call| call.function.as_str());
                let own = own_files(called);
                let kernels = project.join("kiln_nn");
                let is_linked = |path: &PathBuf| match path.strip_prefix(&kernels) {
                    Ok(name) => name.to_str().is_some_and(|name| own.contains(name)),
                    Err(_) => true,
                };
                sources.filter(is_linked).collect()
            }
        }
    }
}

fn words(text: &str) -> Vec<OsString> {
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
    let (inputs, outputs) = (&manifest.inputs, &manifest.outputs);
    format!(
        "#include <{name}.h>

#define KILN_RUNNER(part) {name}_##part
#define KILN_RUNNER_ARENA_BYTES {upper}_ARENA_BYTES
#define KILN_RUNNER_INPUTS {}
#define KILN_RUNNER_OUTPUTS {}
static const size_t input_bytes[] = {};
static const size_t output_bytes[] = {};
",
        inputs.len(),
        outputs.len(),
        table(inputs),
        table(outputs)
    )
}

/// The header that the model's file sees first: each function that it calls is a macro that counts, behind its declaration.
fn layers_header(manifest: &Manifest) -> String {
    let mut text = format!(
        "#define RUN_LAYERS {}u\nvoid run_layer(void);\n#ifdef RUN_COUNTED\n#include \"kiln_nn/kiln_nn.h\"\n",
        manifest.calls.len()
    );
    if manifest
        .files
        .iter()
        .any(|(path, _)| path == "kiln_nn/kiln_ops.h")
    {
        text.push_str("#include \"kiln_nn/kiln_ops.h\"\n");
    }
    let functions: std::collections::BTreeSet<&str> = manifest
        .calls
        .iter()
        .map(|call| call.function.as_str())
        .collect();
    for function in functions {
        let _ = writeln!(
            text,
            "#define {function}(...) (run_layer(), {function}(__VA_ARGS__))"
        );
    }
    text + "#endif\n"
}
