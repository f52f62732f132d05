//! Signals during the writing of a C project: they end the command without a trace, unless whoever started it had it ignore them.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

const MODEL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../models/mobilenet_v3_small.pt2"
);

/// So many compilations are not all over before their signals arrive.
const TRIES: usize = 20;

/// The end of a compilation that gets signals all the time, after these words of the shell that starts it.
fn compiled(before: &str, folder: &Path) -> ExitStatus {
    let script =
        format!("{before} echo ready; exec \"$0\" compile \"$1\" --target host-c -o project/ >&2");
    let mut kiln = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_kiln"), MODEL])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    let mut said = BufReader::new(kiln.stdout.take().unwrap());
    said.read_line(&mut ready).unwrap();
    let id = kiln.id().to_string();
    let mut sent = 0;
    loop {
        if let Some(status) = kiln.try_wait().unwrap() {
            assert!(sent > 0);
            return status;
        }
        Command::new("kill").args(["-TERM", &id]).output().unwrap();
        sent += 1;
    }
}

#[test]
fn a_signal_ends_the_command() {
    // On a busy machine a compilation of a few milliseconds may be over before its signal arrives.
    let ended = (0..TRIES).any(|_| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let status = compiled("", folder.path());
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, usize::from(status.success()));
        status.code().is_none()
    });
    assert!(ended, "{TRIES} compilations were not ended by a signal");
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    assert!(compiled("trap '' TERM;", folder.path()).success());
    assert!(folder.path().join("project").is_dir());
}
