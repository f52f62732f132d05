//! Projects that a compiler builds, and that run on this machine or on a board of QEMU.

use super::evaluated::chosen;
use super::manifest::{Crossing, Manifest};
use super::tools::{arm_compiler, compile, emulator, host_compiler, run};
use crate::cores::Board;
use crate::embedded::{BOARD, RUNNER};
use crate::project::File;
use bytes::Bytes;
use kiln_ir::TensorData;
use kiln_target::{
    About, Error, Executor, Explain, Loading, Measured, Role, Runs, Runtime, progress,
};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Where a project's sources are.
pub(super) enum Sources {
    /// In a folder.
    Folder(PathBuf),
    /// Not written yet.
    Files(Vec<File>),
}

/// A project that is built in a temporary folder.
pub(super) struct Built<'m> {
    manifest: &'m Manifest,
    folder: TempDir,
    board: Option<Board>,
    poison: bool,
}

/// The program that the compiler makes.
const PROGRAM: &str = "run";

impl<'m> Built<'m> {
    /// Builds.
    ///
    /// # Errors
    /// If a compiler or QEMU is missing, or the sources do not compile.
    pub fn new(
        manifest: &'m Manifest,
        sources: &Sources,
        loading: &Loading,
    ) -> Result<Built<'m>, Error> {
        let board = match loading.runtime {
            Runtime::Qemu => Some(board(manifest)?),
            Runtime::Builtin | Runtime::Host => None,
            Runtime::Executorch | Runtime::TosaReference => {
                return Err(Error::new(format!(
                    "{} runs no C projects",
                    loading.runtime.text()
                )));
            }
        };
        let folder = tempfile::tempdir().map_err(Error::of)?;
        let built = Built {
            manifest,
            folder,
            board,
            poison: loading.poison,
        };
        let _stage = progress::stage(format!("building {}", manifest.name));
        let project = built.unpack(sources)?;
        match built.board {
            None => built.build_here(&project)?,
            Some(board) => built.build_for(board, &project)?,
        }
        Ok(built)
    }

    /// Writes what goes with the sources, and gives the folder that has these.
    fn unpack(&self, sources: &Sources) -> Result<PathBuf, Error> {
        let folder = self.folder.path();
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
        let mut arguments = words("-std=c99 -O2 -Irunner -I");
        arguments.push(project.into());
        arguments.extend(words("runner/run.c runner/host.c"));
        arguments.push(project.join(format!("{}.c", self.manifest.name)).into());
        arguments.extend(self.other_sources(project));
        arguments.extend(words("-lm -o").into_iter().chain([PROGRAM.into()]));
        compile(host_compiler()?, &arguments, self.folder.path())
    }

    /// The model's own file alone sees its calls as such that are counted.
    fn build_for(&self, board: Board, project: &Path) -> Result<(), Error> {
        let core = self.manifest.core;
        let mut common =
            words("-std=c99 -O2 -mthumb -ffunction-sections -fdata-sections -Irunner -Iboard -I");
        common.push(project.into());
        common.extend(core.flags.iter().map(Into::into));
        let mut model = common.clone();
        model.extend(words(
            "-include runner/layers.h -DRUN_COUNTED -c -o model.o",
        ));
        model.push(project.join(format!("{}.c", self.manifest.name)).into());
        compile(arm_compiler()?, &model, self.folder.path())?;
        let mut all = common;
        all.extend(words(
            "-Wl,--gc-sections -nostartfiles --specs=nano.specs --specs=nosys.specs -Lboard runner/run.c runner/board.c board/board.c model.o -T",
        ));
        all.push(board.script.into());
        all.extend(self.other_sources(project));
        all.extend(words("-lm -o").into_iter().chain([PROGRAM.into()]));
        compile(arm_compiler()?, &all, self.folder.path())
    }

    /// The command that runs the program.
    fn command(&self) -> Result<Command, Error> {
        let Some(board) = self.board else {
            return Ok(Command::new(self.folder.path().join(PROGRAM)));
        };
        let mut command = emulator()?;
        command
            .args(["-M", board.machine, "-kernel", PROGRAM])
            .args([
                "-display",
                "none",
                "-monitor",
                "none",
                "-serial",
                "null",
                "-icount",
                "shift=0",
                "-semihosting-config",
                "enable=on,target=native",
            ]);
        Ok(command)
    }

    fn read(&self, file: &str) -> Result<Vec<u8>, Error> {
        fs::read(self.folder.path().join(file)).explain(|| format!("the program left no {file}"))
    }

    /// The file of inputs.
    fn inputs(&self, inputs: &Runs, runs: usize, repeat: usize) -> Result<Vec<u8>, Error> {
        let number =
            |n: usize| u32::try_from(n).map_err(|_| Error::new(format!("{n} runs are too many")));
        let mut bytes = Vec::new();
        for head in [number(runs)?, number(repeat)?, u32::from(self.poison)] {
            bytes.extend(head.to_le_bytes());
        }
        let ports: Vec<_> = self
            .manifest
            .inputs
            .iter()
            .map(|input| (input.index, input.name.as_str(), input.dtype))
            .collect();
        for run in 0..runs {
            for (tensor, input) in chosen(&ports, inputs, run)?
                .into_iter()
                .zip(&self.manifest.inputs)
            {
                if tensor.bytes().len() != input.bytes() {
                    let (name, sizes) = (&input.name, &input.sizes);
                    let found = tensor.sizes();
                    return Err(Error::new(format!(
                        "run {run}: input {name} is {found:?}, and not {sizes:?}"
                    )));
                }
                bytes.extend_from_slice(tensor.bytes());
            }
        }
        Ok(bytes)
    }

    /// The outputs of all runs out of the file of outputs.
    fn outputs(&self, runs: usize) -> Result<Runs, Error> {
        let mut rest = Bytes::from(self.read("outputs.bin")?);
        let mut results = Runs::default();
        for run in 0..runs {
            for output in &self.manifest.outputs {
                if rest.len() < output.bytes() {
                    return Err(Error::new("the program's outputs are cut off"));
                }
                let bytes = rest.split_to(output.bytes());
                let tensor = TensorData::new(output.dtype, output.sizes.clone(), bytes)
                    .map_err(Error::of)?;
                results.insert(run, Role::Output, output.index, tensor);
            }
        }
        Ok(results)
    }

    /// The instructions of the last run, in all and for each call, without those that count them.
    fn instructions(&self) -> Result<Value, Error> {
        let bytes = self.read("counts.bin")?;
        let numbers = bytes
            .chunks_exact(8)
            .map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")));
        let numbers: Vec<u64> = numbers.collect();
        let [hook, all, marks, begins @ ..] = numbers.as_slice() else {
            return Err(Error::new("the program's counts are cut off"));
        };
        let begins = &begins[..begins.len().min(*marks as usize)];
        let ends = begins.iter().skip(1).chain([all]);
        let layers =
            self.manifest
                .calls
                .iter()
                .zip(begins.iter().zip(ends))
                .map(|(call, (begin, end))| {
                    json!({
                        "function": call.function,
                        "layer": call.layer,
                        "source": call.source,
                        "instructions": end.saturating_sub(begin + hook),
                    })
                });
        Ok(json!({
            "instructions": all.saturating_sub(hook * marks),
            "layers": layers.collect::<Vec<_>>(),
        }))
    }
}

impl Executor for Built<'_> {
    fn about(&self) -> About {
        let (name, text) = match self.board {
            None => ("host", "this machine"),
            Some(_) => ("qemu", "a board of QEMU"),
        };
        About {
            name,
            text,
            gives_all_inputs: false,
            gives_numbers: false,
            keeps_dtypes: true,
        }
    }

    fn run(
        &mut self,
        inputs: &Runs,
        runs: usize,
        repeat: Option<usize>,
    ) -> Result<Measured, Error> {
        let repeat = repeat.unwrap_or(0);
        let bytes = self.inputs(inputs, runs, repeat)?;
        let path = self.folder.path().join("inputs.bin");
        fs::write(&path, bytes).explain(|| format!("cannot write {}", path.display()))?;
        let _stage = progress::stage(format!("running {}", self.manifest.name));
        let output = run(&mut self.command()?, self.folder.path())?;
        if !output.status.success() {
            let text = [output.stdout, output.stderr]
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let message = format!("{}: {}", self.manifest.name, failure(output.status.code()));
            return Err(Error::new(
                format!("{message}\n{}", text.concat().trim())
                    .trim()
                    .to_owned(),
            ));
        }
        let results = self.outputs(runs)?;
        if self.board.is_some() {
            return Ok(Measured {
                results,
                times: Vec::new(),
                report: Some(self.instructions()?),
            });
        }
        let times = self.read("times.bin")?;
        let times = times.chunks_exact(8).skip(runs).map(|b| {
            Duration::from_secs_f64(f64::from_ne_bytes(b.try_into().expect("eight bytes")).max(0.0))
        });
        Ok(Measured {
            results,
            times: times.collect(),
            report: None,
        })
    }
}

/// What an exit status of the program means (`runner/run.c`, `board/board.c`).
fn failure(status: Option<i32>) -> String {
    match status {
        None => "the program was ended by a signal".into(),
        Some(status @ 65..80) => format!("init returns {}", 65 - status),
        Some(status @ 80..96) => format!("invoke returns {}", 80 - status),
        Some(99) => "the program faulted".into(),
        Some(status) => format!("the program ends with status {status}"),
    }
}

/// The board of a project's core.
fn board(manifest: &Manifest) -> Result<Board, Error> {
    let core = manifest.core.name;
    let missing = || Error::new(format!("QEMU has no board for {core}; leave --runtime out"));
    manifest.core.board.ok_or_else(missing)
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
    format!(
        "#include \"{name}.h\"\n\n#define MODEL(part) {name}_##part\n#define MODEL_ARENA_BYTES {upper}_ARENA_BYTES\n\
         #define MODEL_INPUTS {}\n#define MODEL_OUTPUTS {}\n\
         static const size_t input_bytes[] = {};\nstatic const size_t output_bytes[] = {};\n",
        manifest.inputs.len(),
        manifest.outputs.len(),
        table(&manifest.inputs),
        table(&manifest.outputs)
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
