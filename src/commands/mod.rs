//! One file a command: resolve the flags, call the library, render what came of it.

mod compare;
mod failure;
mod fixture;
mod hints;
mod meta;
mod printer;
mod progress;
mod resolve;
mod results;
mod report;
mod run;
mod side;

pub use failure::Failure;
pub use printer::Printer;

use crate::cli::{Cli, Command};
use crate::exit::ExitCode;

/// Runs the command that was asked for; everything that goes wrong has been said when it returns.
pub fn dispatch(cli: Cli) -> ExitCode {
    let printer = Printer::new(&cli.output);
    let ended = match cli.command {
        Command::Run(args) => run::run(*args, &printer),
        Command::Report(args) => report::run(&args, &printer),
        Command::Compare(args) => compare::run(&args, &printer),
        Command::Fixture(args) => fixture::run(args),
        _ => Err(Failure::usage("not yet")),
    };
    match ended {
        Ok(code) => code,
        Err(failure) => {
            printer.failure(&failure);
            failure.code
        }
    }
}
