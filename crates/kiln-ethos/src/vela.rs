//! Vela, Arm's compiler for Ethos-U. It runs as a process of its own, in a folder of its own.

use crate::compile::CommandStreams;
use crate::core_name::Core;
use crate::npz::{NpzError, read_npz};
use crate::payload::Payload;
use bytes::Bytes;
use kiln_process::interruption::{self, Waiting};
use kiln_process::{Missing, Tool};
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::file::{WriteError, write};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The name of the program.
pub const VELA: Tool = Tool {
    name: "vela",
    variable: "KILN_VELA",
    installed: Some("tosa-tools/bin/vela"),
    remedy: "it makes command streams for Ethos-U; `scripts/tosa-tools` or `pip install ethos-u-vela` installs it, and \
             $KILN_VELA may name it; without it, -o FILE.tosa writes the TOSA file",
};

/// The time limit. Vela's estimates of large models take minutes; a process that runs longer hangs.
const LONGEST: Duration = Duration::from_secs(3600);

/// The time between two looks whether Vela has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// The number of Vela's last lines of output that an error repeats.
const MAX_LINES: usize = 12;

/// Vela with the options of a core. The program is looked for at the first use.
#[derive(Clone, Debug)]
pub struct Vela {
    core: Core,
    arguments: Vec<String>,
}

/// Why there is no command stream.
#[derive(Debug, thiserror::Error)]
pub enum VelaError {
    /// Vela was not found.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The graph cannot be written as a TOSA file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file could not be written or read, or the program not be started.
    #[error("{what}: {error}")]
    Io {
        /// The file, or the program.
        what: String,
        /// The system's error.
        error: io::Error,
    },
    /// Vela ran into the time limit.
    #[error("Vela did not end within {} s", LONGEST.as_secs())]
    TooLong,
    /// A signal ends this program.
    #[error("interrupted")]
    Interrupted,
    /// Vela refuses the file.
    #[error("Vela makes no command stream of its TOSA graph; it says\n{}", indented(.0))]
    Refused(String),
    /// Vela's result cannot be read.
    #[error("Vela's command stream cannot be read: {0}")]
    Result(#[from] NpzError),
}

/// A text, each line of it below the error.
fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

impl CommandStreams for Vela {
    fn make(&self, file: &TosaGraph) -> Result<Payload, VelaError> {
        // It is declared before the folder, so that it is dropped after it.
        let _waiting = Waiting::start().map_err(|error| failed("signals", error))?;
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
    /// Vela for a core. Further arguments follow those of the core, so that they prevail.
    pub fn new(core: Core, arguments: Vec<String>) -> Vela {
        Vela { core, arguments }
    }

    /// Vela runs in the caller's folder, to which relative paths among the arguments refer.
    fn start(&self, model: &Path, out: &Path, said: &Path) -> Result<Child, VelaError> {
        let program = VELA.find()?;
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
            // Makes the order of Python's sets, and so the result, the same each time.
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

/// Waits for the process, and ends it if it does not end itself.
fn waited(child: &mut Child) -> Result<ExitStatus, VelaError> {
    let start = Instant::now();
    loop {
        if interruption::check().is_err() {
            return Err(ended(child, VelaError::Interrupted));
        }
        match child.try_wait() {
            // The signal ends Vela too, perhaps before it is seen here.
            Ok(Some(_)) if interruption::check().is_err() => return Err(VelaError::Interrupted),
            Ok(Some(status)) => return Ok(status),
            Ok(None) if start.elapsed() < LONGEST => std::thread::sleep(PAUSE),
            Ok(None) => return Err(ended(child, VelaError::TooLong)),
            Err(error) => return Err(failed("Vela", error)),
        }
    }
}

/// Ends the process, for a reason. It may have ended by itself.
fn ended(child: &mut Child, reason: VelaError) -> VelaError {
    let _ = child.kill();
    let _ = child.wait();
    reason
}

/// The last lines of Vela's output.
fn last_lines(said: &Path) -> String {
    let text = std::fs::read(said).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = without_usage(&text).collect();
    let last = &lines[lines.len().saturating_sub(MAX_LINES)..];
    match last {
        [] => "it says nothing".into(),
        lines => lines.join("\n"),
    }
}

/// Vela's output without the list of all its arguments, which comes before an error about one of them and hides it.
fn without_usage(text: &str) -> impl Iterator<Item = &str> {
    let mut is_usage = false;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .filter(move |line| {
            is_usage = line.starts_with("usage:") || is_usage && line.starts_with(' ');
            !is_usage
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_does_not_hide_what_is_wrong() {
        let said = "a warning\n\nusage: vela [-h] [--version]\n            [NETWORK]\nvela: error: unrecognized arguments: --x\n  at 1";
        let lines: Vec<&str> = without_usage(said).collect();
        let expected = [
            "a warning",
            "vela: error: unrecognized arguments: --x",
            "  at 1",
        ];
        assert_eq!(lines, expected);
    }
}
