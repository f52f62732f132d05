//! Vela, Arm's compiler for Ethos-U, as a process of its own in a folder of its own.

use crate::compile::CommandStreams;
use crate::core_name::Core;
use crate::npz::{NpzError, read_npz};
use crate::payload::Payload;
use bytes::Bytes;
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::file::{WriteError, write};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The environment variable that names the program.
pub const PROGRAM: &str = "KILN_VELA";

/// Vela's estimates of large models take minutes; what goes on for longer than this hangs.
const LONGEST: Duration = Duration::from_secs(3600);

/// How often it is looked whether Vela has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// Lines of what Vela says that an error repeats: the last.
const MOST_LINES: usize = 12;

/// Vela, told of a core. It is looked for when it is needed.
#[derive(Clone, Debug)]
pub struct Vela {
    core: Core,
    arguments: Vec<String>,
}

/// Why there is no command stream.
#[derive(Debug, thiserror::Error)]
pub enum VelaError {
    /// Nowhere.
    #[error(
        "Vela, which makes command streams for Ethos-U, is not there; `scripts/tosa-tools` or `pip install ethos-u-vela` \
         installs it, and ${PROGRAM} may name it; without it, -o FILE.tosa writes the TOSA file"
    )]
    Missing,
    /// The graph cannot be a file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file could not be written or read, or the program not be started.
    #[error("{what}: {error}")]
    Io {
        /// Which file, or the program.
        what: String,
        /// What the system says.
        error: io::Error,
    },
    /// It did not end.
    #[error("Vela did not end within {} s", LONGEST.as_secs())]
    TooLong,
    /// It refuses the file.
    #[error("Vela refuses it: {0}")]
    Refused(String),
    /// Its result cannot be read.
    #[error(transparent)]
    Result(#[from] NpzError),
}

/// Where Vela is: what the environment names, else beside this program, or where `scripts/tosa-tools` installed it, else on
/// PATH.
///
/// # Errors
/// If it is in none of these places; says how to get it.
pub fn find() -> Result<PathBuf, VelaError> {
    if let Some(path) = std::env::var_os(PROGRAM) {
        return Ok(path.into());
    }
    let own = std::env::current_exe().unwrap_or_default();
    // Test binaries stand one folder deeper than others.
    let folders = own.ancestors().skip(1).take(3);
    let beside = folders.flat_map(|f| [f.join("vela"), f.join("tosa-tools/bin/vela")]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("vela"));
    let mut places = beside.chain(on_path);
    places.find(|p| p.is_file()).ok_or(VelaError::Missing)
}

impl CommandStreams for Vela {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        let folder = tempfile::Builder::new().prefix("kiln-vela-").tempdir();
        let folder = folder.map_err(|error| failed("a temporary folder", error))?;
        let model = folder.path().join("model.tosa");
        put(file, &model)?;
        let said = folder.path().join("said");
        let mut child = self.start(&model, &folder.path().join("out"), &said)?;
        let status = waited(&mut child)?;
        let result = folder.path().join("out").join("model_vela.npz");
        match std::fs::read(&result) {
            Ok(bytes) if status.success() => Ok(read_npz(&Bytes::from(bytes))?),
            _ => Err(VelaError::Refused(last_lines(&said))),
        }
    }
}

impl Vela {
    /// For a core, with arguments behind those that the core gives, so that they count.
    pub fn new(core: Core, arguments: Vec<String>) -> Vela {
        Vela { core, arguments }
    }

    /// In the folder of the caller, to whom paths among the arguments are relative.
    fn start(&self, model: &Path, out: &Path, said: &Path) -> Result<Child, VelaError> {
        let program = find()?;
        let output = File::create(said).map_err(|e| failed(said.display(), e))?;
        let errors = output.try_clone();
        let errors = errors.map_err(|e| failed(said.display(), e))?;
        Command::new(&program)
            .arg(format!("--accelerator-config={}", self.core))
            .args(["--config=Arm/vela.ini", "--output-format=raw"])
            .args(self.core.system())
            .args(&self.arguments)
            .arg("--output-dir")
            .args([out, model])
            // Nothing of the result hangs on the order of Python's sets.
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|e| failed(program.display(), e))
    }
}

fn failed(what: impl ToString, error: io::Error) -> VelaError {
    let what = what.to_string();
    VelaError::Io { what, error }
}

fn put(file: &TosaGraph, path: &Path) -> Result<(), VelaError> {
    let written = write(file)?;
    let output = File::create(path).map_err(|e| failed(path.display(), e))?;
    let mut output = BufWriter::new(output);
    let done = written.write_to(&mut output);
    let done = done.and_then(|()| output.flush());
    done.map_err(|e| failed(path.display(), e))
}

/// How it ended; it is ended if it does not end itself.
fn waited(child: &mut Child) -> Result<ExitStatus, VelaError> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if start.elapsed() < LONGEST => std::thread::sleep(PAUSE),
            Ok(None) => {
                // It may end by itself in between.
                let _ = child.kill();
                let _ = child.wait();
                return Err(VelaError::TooLong);
            }
            Err(error) => return Err(failed("Vela", error)),
        }
    }
}

/// The end of what it says.
fn last_lines(said: &Path) -> String {
    let text = std::fs::read(said).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
    match last {
        [] => "it says nothing".into(),
        lines => lines.join("\n"),
    }
}
