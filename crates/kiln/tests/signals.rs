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

/// The end of a compilation that gets hang-ups all the time, after these words of the shell that starts it.
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
        Command::new("kill").args(["-HUP", &id]).output().unwrap();
        sent += 1;
    }
}

#[test]
fn a_signal_ends_the_command() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    assert_eq!(compiled("", folder.path()).code(), None);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    assert!(compiled("trap '' HUP;", folder.path()).success());
    assert!(folder.path().join("project").is_dir());
}
