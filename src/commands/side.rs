//! The two sides as a run starts them: definition, variables, folder, environment, revision.

use super::Failure;
use crate::cli::SideFlags;
use crate::run::{SideSpec, VisibleEnv, is_ci};
use crate::suite::{self, Expanded, Rename, Scope, ServerConfig, SideDefinition, Suite};
use crate::text::sha256_hex;
use crate::trace::SideMeta;
use crate::words::Side;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A side, resolved.
#[derive(Clone)]
pub(super) struct ResolvedSide {
    pub spec: Arc<SideSpec>,
    pub meta: SideMeta,
    pub renames: BTreeMap<String, Rename>,
    pub warnings: Vec<String>,
}

/// Both sides; with one defined, it is replayed against itself.
pub(super) struct ResolvedSides {
    pub baseline: ResolvedSide,
    pub candidate: ResolvedSide,
    pub a_a: bool,
}

/// What the flags say of one side.
struct Asked<'f> {
    command: Option<&'f str>,
    url: Option<&'f str>,
    root: Option<&'f Path>,
    rev: Option<&'f str>,
}

impl Asked<'_> {
    fn is_empty(&self) -> bool {
        self.command.is_none() && self.url.is_none() && self.root.is_none() && self.rev.is_none()
    }
}

/// Resolves both sides from flags and suite.
pub(super) fn resolve(suite: &Suite, flags: &SideFlags) -> Result<ResolvedSides, Failure> {
    let asked_baseline = Asked {
        command: flags.baseline_cmd.as_deref(),
        url: flags.baseline_url.as_deref(),
        root: flags.baseline_root.as_deref(),
        rev: flags.baseline_rev.as_deref(),
    };
    let asked_candidate = Asked {
        command: flags.candidate_cmd.as_deref(),
        url: flags.candidate_url.as_deref(),
        root: flags.candidate_root.as_deref(),
        rev: flags.candidate_rev.as_deref(),
    };
    let baseline = side(suite, Side::Baseline, &asked_baseline)?;
    let candidate = side(suite, Side::Candidate, &asked_candidate)?;
    match (baseline, candidate) {
        (Some(baseline), Some(candidate)) => {
            let a_a = suite.baseline.is_none()
                && suite.candidate.is_none()
                && asked_baseline.is_empty()
                && asked_candidate.is_empty();
            Ok(ResolvedSides { baseline, candidate, a_a })
        }
        (Some(only), None) | (None, Some(only)) => {
            Ok(ResolvedSides { baseline: only.clone(), candidate: only, a_a: true })
        }
        (None, None) => Err(Failure::usage("the suite defines no server")
            .hint("add `[baseline]` and `[candidate]` with a `command` or a `url`, or `[server]` for both")),
    }
}

fn side(suite: &Suite, side: Side, asked: &Asked<'_>) -> Result<Option<ResolvedSide>, Failure> {
    let defined = suite::side_definition(suite, side)?;
    let mut definition = match defined {
        Some(definition) => definition,
        None if asked.command.is_some() || asked.url.is_some() => {
            SideDefinition { name: side.to_string(), config: ServerConfig::default(), warnings: Vec::new() }
        }
        None => return Ok(None),
    };
    if let Some(command) = asked.command {
        let words = shell_words::split(command)
            .map_err(|error| Failure::usage(format!("--{side}-cmd: {error} in `{command}`")))?;
        if words.is_empty() {
            return Err(Failure::usage(format!("--{side}-cmd is empty")));
        }
        (definition.config.command, definition.config.url) = (Some(words), None);
    }
    if let Some(url) = asked.url {
        (definition.config.command, definition.config.url) = (None, Some(url.to_owned()));
    }
    let root = match asked.root {
        Some(root) => std::path::absolute(root)?,
        None => definition.config.root.as_ref().map_or(suite.dir.clone(), |root| suite.dir.join(root)),
    };
    finish(side, definition, root).map(Some)
}

/// Fills in variables and makes the record of the side.
fn finish(side: Side, definition: SideDefinition, root: PathBuf) -> Result<ResolvedSide, Failure> {
    let lookup = |name: &str| std::env::var(name).ok();
    let scope = Scope { server: &definition.name, workspace: &root, variable: &lookup };
    let expanded = suite::expand_server(&definition.config, scope).map_err(Failure::usage)?;
    let command = expanded.command.unwrap_or_default();
    let cwd = expanded.cwd.as_ref().map_or(root.clone(), |cwd| root.join(&cwd.value));
    if !cwd.is_dir() {
        return Err(Failure::usage(format!("the {side}'s folder `{}` is not there", cwd.display())));
    }
    let redacted = match &expanded.url {
        Some(url) if command.is_empty() => vec![suite::redact_url(&url.redacted)],
        _ => suite::redact_argv(&command),
    };
    let values =
        |pairs: Vec<(String, Expanded)>| pairs.into_iter().map(|(k, v)| (k, v.value)).collect::<Vec<_>>();
    let mut variables: Vec<String> = expanded.variables.into_iter().collect();
    variables.extend(expanded.env.iter().map(|(name, _)| name.clone()));
    variables.sort();
    variables.dedup();
    let spec = SideSpec {
        argv: command.into_iter().map(|word| word.value).collect(),
        url: expanded.url.map(|url| url.value),
        headers: values(expanded.headers),
        env: values(expanded.env),
        visible: VisibleEnv::of(definition.config.pass_env.as_deref(), is_ci()),
        root,
        cwd,
    };
    let meta = SideMeta {
        command_sha256: sha256_hex(redacted.join("\0")),
        command: redacted,
        variables,
        ..SideMeta::default()
    };
    Ok(ResolvedSide {
        spec: Arc::new(spec),
        meta,
        renames: definition.config.renames,
        warnings: definition.warnings.iter().map(ToString::to_string).collect(),
    })
}
