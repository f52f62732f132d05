//! Tests whose part is missing: they are reported or fail. Each case runs in its own process, because the policy is read
//! from the environment.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_testing::part;
use std::process::{Command, Output};

/// Starts this executable again, with one test that a variable enables.
fn without_parts(skips: &std::path::Path, require: bool) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "asks_for_parts", "--nocapture"]);
    command.env("KILN_SKIPS", skips).env("PARTS_ASKED", "1");
    command.env_remove("KILN_REQUIRE");
    if require {
        command.env("KILN_REQUIRE", "1");
    }
    command.output().unwrap()
}

/// Does its work in the process that [`without_parts`] starts; otherwise it does nothing.
#[test]
fn asks_for_parts() {
    if std::env::var_os("PARTS_ASKED").is_some() {
        part::UNNAMED_FILES.skip();
        part::STOCK_RUNTIME.skip();
    }
}

#[test]
fn an_absent_part_is_noted_and_fails_where_it_is_required() {
    let folder = tempfile::tempdir().unwrap();
    let skips = folder.path().join("skips");
    assert!(without_parts(&skips, false).status.success());
    let noted = std::fs::read_to_string(&skips).unwrap();
    let lines: Vec<&str> = noted.lines().collect();
    assert_eq!(lines.len(), 2, "{noted}");
    assert!(
        lines[1].contains("asks_for_parts needs the stock runtime"),
        "{noted}"
    );
    // A part that `scripts/test` does not install is still only reported. One that it installs makes the test fail.
    assert!(!without_parts(&skips, true).status.success());
    assert_eq!(std::fs::read_to_string(&skips).unwrap().lines().count(), 3);
}
