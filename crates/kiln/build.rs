//! Puts the commit into the version, where the source is a clone and git is installed.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

use std::process::Command;

/// The output of git in this folder.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let version = match git(&["rev-parse", "--short=9", "HEAD"]) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=KILN_VERSION={version}");
    // The commit changes with these files.
    let paths = ["HEAD", "logs/HEAD"].map(|name| git(&["rev-parse", "--git-path", name]));
    for path in paths.into_iter().flatten() {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
