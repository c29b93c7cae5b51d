//! `fixture`: the deterministic server of the demonstrations.

use super::Failure;
use crate::exit::ExitCode;
use crate::fixture::FixtureArgs;

pub(super) fn run(args: FixtureArgs) -> Result<ExitCode, Failure> {
    crate::fixture::run(args)?;
    Ok(ExitCode::Success)
}
