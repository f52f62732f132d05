//! The `kiln` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kiln::entry::run(std::env::args_os()))
}
