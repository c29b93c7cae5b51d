//! Which definition a side takes: its own, else `[server]`, else the only server in `from`.

use super::definitions::{self, Definitions};
use super::{ServerConfig, Suite};
use crate::doc::{Problem, Problems};
use crate::words::Side;

/// The definition that a side runs by, before variables and placeholders are filled in.
#[derive(Debug, Clone)]
pub struct SideDefinition {
    /// The server's name in its file, else `server`, `baseline` or `candidate`.
    pub name: String,
    pub config: ServerConfig,
    /// Keys of another program's file that are not used here.
    pub warnings: Vec<Problem>,
}

/// What the suite says of a side; `None` when it defines no server for it.
///
/// Keys that the side leaves out are taken from `[server]`; the kind of server (`command`, `url`, `from`) is
/// taken as a whole from the first that has one. `env` adds up, the side's values over those of `[server]`, and
/// both over those of the file named by `from`.
///
/// # Errors
/// When the file named by `from` cannot be read, or the server in it cannot be told.
pub fn side_definition(suite: &Suite, side: Side) -> Result<Option<SideDefinition>, Problems> {
    let (own, label) = match side {
        Side::Candidate | Side::CandidateAgain => (suite.candidate.as_ref(), "candidate"),
        Side::Baseline | Side::SameCode(_) | Side::BaselineAgain => (suite.baseline.as_ref(), "baseline"),
    };
    let config = match (own, &suite.server) {
        (Some(own), Some(server)) => merge(own.clone(), server),
        (Some(own), None) => own.clone(),
        (None, Some(server)) => server.clone(),
        (None, None) => return Ok(None),
    };
    let Some(from) = &config.from else {
        if !has_kind(&config) {
            return Ok(None);
        }
        let name = if own.is_some_and(has_kind) { label } else { "server" };
        return Ok(Some(SideDefinition { name: name.to_owned(), config, warnings: Vec::new() }));
    };
    let shown = suite.file.as_ref().and_then(|file| file.parent()).map_or(from.into(), |dir| dir.join(from));
    let Definitions { servers, warnings } = definitions::read(&suite.dir.join(from), &shown)?;
    let (name, found) = definitions::pick(servers, config.name.as_deref(), &shown)?;
    let mut merged = merge(config, &found);
    merged.from = None;
    merged.command = found.command;
    merged.url = found.url;
    merged.transport = found.transport;
    Ok(Some(SideDefinition { name, config: merged, warnings }))
}

fn has_kind(config: &ServerConfig) -> bool {
    config.command.is_some() || config.url.is_some() || config.from.is_some()
}

/// `own`, and what it leaves out from `other`.
fn merge(own: ServerConfig, other: &ServerConfig) -> ServerConfig {
    let kind = if has_kind(&own) { own.clone() } else { other.clone() };
    let renames = if own.renames.is_empty() { other.renames.clone() } else { own.renames };
    ServerConfig {
        command: kind.command,
        url: kind.url,
        transport: own.transport.or(kind.transport),
        from: kind.from,
        name: own.name.or(kind.name),
        headers: merge_names(&other.headers, own.headers, |a, b| a.eq_ignore_ascii_case(b)),
        env: merge_names(&other.env, own.env, |a, b| a == b),
        cwd: own.cwd.or_else(|| other.cwd.clone()),
        root: own.root.or_else(|| other.root.clone()),
        rev: own.rev.or_else(|| other.rev.clone()),
        build: own.build.or_else(|| other.build.clone()),
        pass_env: own.pass_env.or_else(|| other.pass_env.clone()),
        renames,
    }
}

/// The values of `base`, replaced and followed by those of `over`.
fn merge_names(
    base: &[(String, String)],
    over: Vec<(String, String)>,
    same: fn(&str, &str) -> bool,
) -> Vec<(String, String)> {
    let is_replaced = |name: &str| over.iter().any(|(other, _)| same(name, other));
    let kept: Vec<_> = base.iter().filter(|(name, _)| !is_replaced(name)).cloned().collect();
    kept.into_iter().chain(over).collect()
}
