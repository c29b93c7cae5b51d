//! `completions`: a script for a shell, from the definitions of the flags themselves.

use super::{Failure, Printer};
use crate::cli::{Cli, CompletionsArgs};
use crate::exit::ExitCode;
use clap::CommandFactory;

pub(super) fn run(args: &CompletionsArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mcp-regress", &mut script);
    printer.data(&String::from_utf8_lossy(&script));
    Ok(ExitCode::Success)
}
