//! argv to exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    flow::cli::run(std::env::args_os())
}
