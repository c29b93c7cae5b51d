//! One file a command: resolve the flags, call the library, render what came of it.

mod calibrate;
mod ci;
mod compare;
mod check;
mod completions;
mod confirm;
mod failure;
mod fixture;
mod hints;
mod import;
mod init;
mod merge;
mod meta;
mod plan;
mod printer;
mod probe;
mod progress;
mod record;
mod resolve;
mod results;
mod report;
mod rounds;
mod run;
mod runs;
mod shard;
mod scan;
mod side;
mod sizes;
mod stored;
mod wishes;

pub use failure::Failure;
pub use printer::Printer;

use crate::cli::{Cli, Command};
use crate::exit::ExitCode;

/// Runs the command that was asked for; everything that goes wrong has been said when it returns.
pub fn dispatch(cli: Cli) -> ExitCode {
    let printer = Printer::new(&cli.output);
    let ended = match cli.command {
        Command::Init(args) => init::run(args, &printer),
        Command::Probe(args) => probe::run(args, &printer),
        Command::Check(args) => check::run(args, &printer),
        Command::Import(args) => import::run(&args, &printer),
        Command::Scan(args) => scan::run(&args, &printer),
        Command::Run(args) => run::run(*args, &printer),
        Command::Report(args) => report::run(&args, &printer),
        Command::Runs(args) => runs::run(&args, &printer),
        Command::Completions(args) => completions::run(&args, &printer),
        Command::Merge(args) => merge::run(&args, &printer),
        Command::Plan(args) => plan::run(&args, &printer),
        Command::Calibrate(args) => calibrate::run(&args, &printer),
        Command::Compare(args) => compare::run(&args, &printer),
        Command::Record(args) => record::run(args, &printer),
        Command::Fixture(args) => fixture::run(args),
    };
    match ended {
        Ok(code) => code,
        Err(failure) => {
            printer.failure(&failure);
            ci::Ci::detect().tell_failure(&failure, &printer);
            failure.code
        }
    }
}
