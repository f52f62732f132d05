//! The entry of the command line: arguments in, an exit status out. The binary and the Python package both call it.

use crate::cli::Cli;
use crate::output::say;
use crate::usage::{OtherValues, UsageError};
use clap::Parser;
use std::ffi::OsString;
use std::io::IsTerminal;

/// Runs a command, and says its error. The first argument is the program's name. Gives the exit status: 0 success; 1 the input was
/// refused or a check failed (one error on stderr, no output file); 2 wrong usage; 3 `run` found other values than expected.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(usage) => {
            // Neither a closed stdout nor a closed stderr changes the status.
            let _ = usage.print();
            return u8::try_from(usage.exit_code()).unwrap_or(2);
        }
    };
    if std::io::stderr().is_terminal() && !cli.is_quiet() {
        kiln_target::progress::show();
    }
    match cli.run() {
        Ok(()) => 0,
        Err(error) => {
            say(format_args!("error: {}", one_line(&error)));
            status(&error)
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
pub fn one_line(error: &anyhow::Error) -> String {
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
