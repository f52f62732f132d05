//! The compilers and QEMU as processes. No other module of the crate starts one.

use kiln_process::Tool;
use kiln_target::{Error, Explain};
use std::ffi::OsString;
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The compiler of this machine.
const CC: Tool = Tool {
    name: "cc",
    variable: "CC",
    installed: None,
    remedy: "a C compiler builds the project; install one (Debian: gcc), or name it in CC",
};

/// The compiler for Cortex-M.
const ARM_GCC: Tool = Tool {
    name: "arm-none-eabi-gcc",
    variable: "KILN_ARM_GCC",
    installed: None,
    remedy: "GCC for Cortex-M; scripts/arm-tools installs it (Debian: gcc-arm-none-eabi, libnewlib-arm-none-eabi)",
};

/// The emulator.
const QEMU: Tool = Tool {
    name: "qemu-system-arm",
    variable: "KILN_QEMU",
    installed: None,
    remedy: "QEMU with boards of Cortex-M; scripts/arm-tools installs it (Debian: qemu-system-arm)",
};

/// The compiler of this machine: `CC` of the environment, which may have arguments, or else `cc`.
pub(super) fn host_compiler() -> Result<Command, Error> {
    let given = std::env::var("CC").unwrap_or_default();
    let mut words = given.split_whitespace();
    let program = match words.next() {
        Some(program) => program.into(),
        None => CC.find().map_err(Error::of)?,
    };
    let mut command = Command::new(program);
    command.args(words);
    Ok(command)
}

pub(super) fn arm_compiler() -> Result<Command, Error> {
    Ok(Command::new(ARM_GCC.find().map_err(Error::of)?))
}

pub(super) fn emulator() -> Result<Command, Error> {
    Ok(Command::new(QEMU.find().map_err(Error::of)?))
}

/// The tool that `Runtime::Qemu` needs and that is missing; `None` if all are there.
pub fn lacks_qemu() -> Option<&'static str> {
    let missing = [ARM_GCC, QEMU]
        .into_iter()
        .find(|tool| tool.find().is_err());
    missing.map(|tool| tool.remedy)
}

/// Compiles. If the compiler fails, its output is the error.
pub(super) fn compile(
    mut command: Command,
    arguments: &[OsString],
    folder: &Path,
) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = run(command.args(arguments), folder)?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Error::new(format!(
                "{program} does not build the project:\n{}",
                text.trim_end()
            )))
        }
    }
}

/// Compiles each source in the folder, as many at a time as there are processors, and gives the objects. A process takes one source,
/// since a cache of a compiler, as ccache is, knows no others. The threads are its own: one of a pool that waits here would begin other
/// work of the pool.
pub(super) fn compile_each(
    compiler: impl Fn() -> Result<Command, Error> + Sync,
    arguments: &[OsString],
    sources: &[PathBuf],
    folder: &Path,
    object_of: fn(&Path) -> PathBuf,
) -> Result<Vec<PathBuf>, Error> {
    let of = |source: &PathBuf| {
        let mut arguments = arguments.to_vec();
        arguments.extend(["-c".into(), "-o".into()]);
        arguments.extend([object_of(source).into(), source.into()]);
        compile(compiler()?, &arguments, folder)
    };
    let next = AtomicUsize::new(0);
    let turns = || {
        let next = || sources.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(next).try_for_each(of)
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let threads = 0..processors.min(sources.len());
        let all: Vec<_> = threads.map(|_| scope.spawn(turns)).collect();
        let mut results = all.into_iter().map(|thread| thread.join());
        results.try_for_each(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    Ok(sources.iter().map(|source| object_of(source)).collect())
}

/// Runs a program in a folder to its end.
pub(super) fn run(command: &mut Command, folder: &Path) -> Result<Output, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.current_dir(folder).stdin(Stdio::null()).output();
    output.explain(|| format!("cannot start {program}"))
}

/// The bytes of a file.
pub(super) fn bytes_of(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).explain(|| format!("cannot read {}", path.display()))
}
