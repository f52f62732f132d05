//! Projects that a C compiler builds, and that run on this machine or on a board of QEMU.

use super::building::{self, COUNTED, MAP, MODEL, PROGRAM, Sources};
use super::evaluated::chosen;
use super::flash;
use super::library::Library;
use super::manifest::Manifest;
use super::no_folder;
use super::tools::{emulator, run};
use crate::cores::Board;
use crate::dialect::Build;
use bytes::Bytes;
use kiln_ir::TensorData;
use kiln_target::{
    About, Error, Executor, Explain, Loading, Measured, Role, Runs, Runtime, progress,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// A project that is built in a temporary folder.
pub(super) struct Built<'m> {
    manifest: &'m Manifest,
    folder: TempDir,
    board: Option<Board>,
    kernels: Kernels,
    poison: bool,
}

/// Whose kernels a program has where CMSIS-NN has the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernels {
    /// Those of `kiln_nn`, in plain C.
    Own,
    /// The same, because `CMSIS_NN_PATH` has none for this machine.
    OwnInstead,
    /// CMSIS-NN's.
    Library,
}

impl Kernels {
    const fn name(self) -> &'static str {
        match self {
            Kernels::Own | Kernels::OwnInstead => "kiln_nn",
            Kernels::Library => "CMSIS-NN",
        }
    }
}

impl<'m> Built<'m> {
    /// Builds.
    ///
    /// # Errors
    /// If a compiler or QEMU is missing, or the sources do not compile.
    pub fn new(
        manifest: &'m Manifest,
        sources: &Sources<'_>,
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
        let core = board.map(|_| manifest.core);
        // On this machine, CMSIS-NN is compiled without a core's instructions, and then reads other arguments.
        let is_foreign = core.is_none() && manifest.core.build != Build::Scalar;
        let library = match &loading.cmsis_nn {
            Some(_) if is_foreign => {
                let core = manifest.core.name;
                return Err(Error::new(format!(
                    "--cmsis-nn: the project is for {core}, and CMSIS-NN for this machine lacks that core's instructions; \
                     leave --cmsis-nn out, run it with --runtime qemu, or compile for host-c"
                )));
            }
            Some(checkout) => Some(Library::build(checkout, core)?),
            None if is_foreign => None,
            None => Library::of_environment(core)?,
        };
        let built = Built::build(manifest, board, sources, library.as_ref())?;
        let is_passed_over = is_foreign && Library::is_in_environment();
        Ok(Built {
            poison: loading.poison,
            kernels: match is_passed_over {
                true => Kernels::OwnInstead,
                false => built.kernels,
            },
            ..built
        })
    }

    /// Builds for the board of the project's core, with CMSIS-NN in place of Kiln's kernels if it is given.
    ///
    /// # Errors
    /// As [`Built::new`].
    pub fn for_board(
        manifest: &'m Manifest,
        sources: &Sources<'_>,
        library: Option<&Library>,
    ) -> Result<Built<'m>, Error> {
        Built::build(manifest, Some(board(manifest)?), sources, library)
    }

    fn build(
        manifest: &'m Manifest,
        board: Option<Board>,
        sources: &Sources<'_>,
        library: Option<&Library>,
    ) -> Result<Built<'m>, Error> {
        let folder = tempfile::tempdir().explain(no_folder)?;
        let _stage = progress::stage(format!("building {}", manifest.name));
        building::build(manifest, board, sources, folder.path(), library)?;
        Ok(Built {
            manifest,
            folder,
            board,
            kernels: match library {
                Some(_) => Kernels::Library,
                None => Kernels::Own,
            },
            poison: false,
        })
    }

    /// Runs a program to its end.
    fn execute(&self, program: &str) -> Result<(), Error> {
        let mut command = match self.board {
            None => Command::new(self.folder.path().join(program)),
            Some(board) => emulation(board, program)?,
        };
        let output = run(&mut command, self.folder.path())?;
        if output.status.success() {
            return Ok(());
        }
        let text = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let message = format!(
            "{}: {}",
            self.manifest.name,
            failure(output.status.code(), &self.manifest.name.upper())
        );
        let text = format!("{message}\n{}", text.concat().trim());
        Err(Error::new(text.trim().to_owned()))
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
            let outputs = self.manifest.outputs.iter();
            let outputs = outputs.map(|output| (output, Role::Output));
            let updated = self.manifest.inputs.iter().filter(|i| i.is_updated);
            let updated = updated.map(|input| (input, Role::InputAfter));
            for (output, role) in outputs.chain(updated) {
                if rest.len() < output.bytes() {
                    return Err(Error::new("the program's outputs are cut off"));
                }
                let bytes = rest.split_to(output.bytes());
                let tensor = TensorData::new(output.dtype, output.sizes.clone(), bytes)
                    .map_err(Error::of)?;
                results.insert(run, role, output.index, tensor);
            }
        }
        Ok(results)
    }

    /// The numbers that the last program counted: the instructions of one hook, the instructions of the last run, its hooks, and
    /// the instructions at each hook.
    fn counts(&self) -> Result<(u64, u64, Vec<u64>), Error> {
        let bytes = self.read("counts.bin")?;
        let numbers = bytes
            .chunks_exact(8)
            .map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")));
        let numbers: Vec<u64> = numbers.collect();
        let [hook, all, marks, begins @ ..] = numbers.as_slice() else {
            return Err(Error::new("the program's counts are cut off"));
        };
        let begins = &begins[..begins.len().min(*marks as usize)];
        Ok((*hook, *all, begins.to_vec()))
    }

    /// The instructions of each call, from the program with hooks. Those of the hooks are taken off.
    fn layers(&self) -> Result<Vec<Value>, Error> {
        self.execute(COUNTED)?;
        let (hook, all, begins) = self.counts()?;
        // Where calls are left out or repeated, it is not known which of them began when.
        if self.manifest.calls.iter().any(|call| call.is_decided) {
            return Ok(Vec::new());
        }
        let ends = begins.iter().skip(1).chain([&all]);
        let calls = self.manifest.calls.iter().zip(begins.iter().zip(ends));
        let layers = calls.map(|(call, (begin, end))| {
            json!({
                "function": call.function,
                "layer": call.layer,
                "source": call.source,
                "instructions": end.saturating_sub(begin + hook),
            })
        });
        Ok(layers.collect())
    }

    /// The bytes of flash of the model's own file, of its constants, and of all kernels.
    fn flash(&self) -> Result<Value, Error> {
        let map = self.read(MAP)?;
        let weights = format!("{}_weights.o", self.manifest.name);
        // Only the runner's objects are in folders of the program's own.
        let is_of_runner =
            |object: &Path| object.starts_with("runner") || object.starts_with("board");
        let part_of = |object: &Path| match object.file_name()?.to_str()? {
            _ if is_of_runner(object) => None,
            MODEL => Some("model"),
            name if name == weights => Some("constants"),
            name => name.ends_with(".o").then_some("kernels"),
        };
        Ok(flash::of_map(&String::from_utf8_lossy(&map), part_of))
    }
}

impl Executor for Built<'_> {
    fn about(&self) -> About {
        let (name, text) = match (self.board, self.kernels) {
            (None, Kernels::Own) => ("host", "this machine, with the kernels of kiln_nn"),
            (None, Kernels::OwnInstead) => (
                "host",
                "this machine, with the kernels of kiln_nn (CMSIS_NN_PATH counts with --runtime qemu, for this core)",
            ),
            (None, Kernels::Library) => ("host", "this machine, with the kernels of CMSIS-NN"),
            (Some(_), Kernels::Own | Kernels::OwnInstead) => {
                ("qemu", "a board of QEMU, with the kernels of kiln_nn")
            }
            (Some(_), Kernels::Library) => {
                ("qemu", "a board of QEMU, with the kernels of CMSIS-NN")
            }
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
        let layers = self.board.map(|_| self.layers()).transpose()?;
        self.execute(PROGRAM)?;
        let results = self.outputs(runs)?;
        if let Some(layers) = layers {
            let (_, instructions, _) = self.counts()?;
            let report = json!({
                "instructions": instructions,
                "kernels": self.kernels.name(),
                "layers": layers,
                "flash": self.flash()?,
            });
            return Ok(Measured {
                results,
                times: Vec::new(),
                report: Some(report),
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

/// The command that runs a program on a board.
pub(super) fn emulation(board: Board, program: &str) -> Result<Command, Error> {
    let mut command = emulator()?;
    command.args(["-M", board.machine, "-kernel", program]);
    command.args(["-display", "none", "-monitor", "none", "-serial", "null"]);
    command.args(["-icount", "shift=0"]);
    command.args(["-semihosting-config", "enable=on,target=native"]);
    Ok(command)
}

/// What an exit status of the program means (`runner/run.c`, `board/board.c`).
fn failure(status: Option<i32>, upper: &str) -> String {
    let returns = |what: &str, status: i32| {
        let error = error_name(status).map(|name| format!(" ({upper}_ERROR_{name})"));
        format!("{what} returns {status}{}", error.unwrap_or_default())
    };
    match status {
        None => "the program was ended by a signal".into(),
        Some(status @ 65..80) => returns("init", 65 - status),
        Some(status @ 80..96) => returns("invoke", 80 - status),
        Some(99) => "the program faulted".into(),
        Some(status) => format!("the program ends with status {status}"),
    }
}

/// The end of the macro that a project's header has for a status.
const fn error_name(status: i32) -> Option<&'static str> {
    match status {
        -1 => Some("NULL"),
        -2 => Some("ALIGNMENT"),
        -3 => Some("SIZE"),
        -4 => Some("KERNEL"),
        _ => None,
    }
}

/// The board of a project's core.
fn board(manifest: &Manifest) -> Result<Board, Error> {
    let core = manifest.core.name;
    let missing = || Error::new(format!("QEMU has no board for {core}; leave --runtime out"));
    manifest.core.board.ok_or_else(missing)
}
