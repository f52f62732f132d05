//! The `kiln` command. It reads the arguments, runs a command, and turns the outcome into an exit status: 0 success; 1
//! the input was refused or a check failed (one error on stderr, no output file); 2 wrong usage; 3 `run` found
//! other values than expected.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod cli;

use clap::Parser;
use kiln::usage::{OtherValues, UsageError};
use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    if std::io::stderr().is_terminal() && !cli.is_quiet() {
        kiln_target::progress::show();
    }
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            kiln::output::say(format_args!("error: {}", one_line(&error)));
            ExitCode::from(status(&error))
        }
    }
}

fn status(error: &anyhow::Error) -> u8 {
    if error.chain().any(|cause| cause.is::<UsageError>()) {
        2
    } else if error.chain().any(|cause| cause.is::<OtherValues>()) {
        3
    } else {
        1
    }
}

/// The messages of an error and its causes. A cause that a message in front of it has is left out, and so is a context with which its
/// cause begins: a file that the cause names itself.
fn one_line(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if parts.iter().any(|part| part.contains(&cause)) {
            continue;
        }
        let says_it = |part: &str| {
            cause
                .strip_prefix(part)
                .is_some_and(|rest| rest.starts_with(": "))
        };
        parts.retain(|part| !says_it(part));
        parts.push(cause);
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_path_is_said_once() {
        let cause = anyhow::anyhow!("bad zip").context("x.pt2: damaged: bad zip");
        assert_eq!(one_line(&cause.context("x.pt2")), "x.pt2: damaged: bad zip");
    }

    /// A file may have the name of any word.
    #[test]
    fn a_path_is_said_whatever_it_is() {
        for path in ["open", "cannot", "a", "no such file"] {
            let cause = anyhow::anyhow!("gone").context("cannot open");
            let said = one_line(&cause.context(path));
            assert_eq!(said, format!("{path}: cannot open: gone"));
        }
    }
}
