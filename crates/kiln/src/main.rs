//! The `kiln` command: reads the arguments, runs a command, and turns its outcome into an exit status:
//! 0 done, 1 refused or a check failed (one error on stderr, no output file), 2 wrong usage.

mod cli;

use clap::Parser;
use kiln::usage::UsageError;
use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    if std::io::stderr().is_terminal() && !cli.is_quiet() {
        kiln::progress::show();
    }
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", one_line(&error));
            let is_usage = error.chain().any(|cause| cause.is::<UsageError>());
            ExitCode::from(if is_usage { 2 } else { 1 })
        }
    }
}

/// An error with its causes, each said once.
fn one_line(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&cause);
        }
    }
    text
}
