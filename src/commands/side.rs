//! The two sides as a run starts them: definition, variables, folder, environment, revision.

use super::Failure;
use crate::cli::SideFlags;
use crate::git::{self, Checkout, Repository, Revision};
use crate::run::{Secrets, SideSpec, VisibleEnv, is_ci};
use crate::suite::{self, Expanded, HttpTransport, Rename, Scope, ServerConfig, SideDefinition, Suite};
use crate::text::sha256_hex;
use crate::trace::SideMeta;
use crate::words::Side;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A side, resolved.
#[derive(Clone)]
pub(super) struct ResolvedSide {
    pub spec: Arc<SideSpec>,
    pub meta: SideMeta,
    pub renames: BTreeMap<String, Rename>,
    pub warnings: Vec<String>,
    /// Held while the run lasts: nobody may clear it away.
    pub checkout: Option<Checkout>,
}

/// Both sides; with one defined, it is replayed against itself.
pub(super) struct ResolvedSides {
    pub baseline: ResolvedSide,
    pub candidate: ResolvedSide,
    pub a_a: bool,
}

impl ResolvedSides {
    /// What must not be written down of either.
    pub fn secrets(&self) -> Secrets {
        self.baseline.spec.secrets.and(&self.candidate.spec.secrets)
    }
}

/// What the flags say of one side.
struct Asked<'f> {
    command: Option<&'f str>,
    url: Option<&'f str>,
    root: Option<&'f Path>,
    rev: Option<&'f str>,
}

impl<'f> Asked<'f> {
    fn baseline(flags: &'f SideFlags) -> Self {
        Self {
            command: flags.baseline_cmd.as_deref(),
            url: flags.baseline_url.as_deref(),
            root: flags.baseline_root.as_deref(),
            rev: flags.baseline_rev.as_deref(),
        }
    }

    fn candidate(flags: &'f SideFlags) -> Self {
        Self {
            command: flags.candidate_cmd.as_deref(),
            url: flags.candidate_url.as_deref(),
            root: flags.candidate_root.as_deref(),
            rev: flags.candidate_rev.as_deref(),
        }
    }

    fn is_empty(&self) -> bool {
        self.command.is_none() && self.url.is_none() && self.root.is_none() && self.rev.is_none()
    }
}

/// Resolves both sides from flags and suite. Revisions are checked out and built here. `out`: where runs are kept;
/// what it holds says nothing of the code.
pub(super) fn resolve(suite: &Suite, flags: &SideFlags, out: &Path) -> Result<ResolvedSides, Failure> {
    let (asked_baseline, asked_candidate) = (Asked::baseline(flags), Asked::candidate(flags));
    let baseline = define(suite, Side::Baseline, &asked_baseline)?;
    let candidate = define(suite, Side::Candidate, &asked_candidate)?;
    let is_one = suite.baseline.is_none()
        && suite.candidate.is_none()
        && asked_baseline.is_empty()
        && asked_candidate.is_empty();
    let (mut baseline, mut candidate, a_a) = match (baseline, candidate) {
        (Some(baseline), Some(candidate)) => (baseline, candidate, is_one),
        (Some(only), None) | (None, Some(only)) => (only.clone(), only, true),
        (None, None) => return Err(no_server()),
    };
    let by_rev = |defined: &Defined| defined.definition.config.rev.is_some();
    if !a_a && (by_rev(&baseline) || by_rev(&candidate)) {
        // The other side of a revision is the working tree, or what the change will be merged into.
        let default_rev = |defined: &mut Defined, rev: &str| {
            if !defined.is_placed && !by_rev(defined) {
                defined.definition.config.rev = Some(rev.to_owned());
            }
        };
        default_rev(&mut candidate, "worktree");
        default_rev(&mut baseline, "merge-base");
    }
    let mut git = GitSides::new(suite, out);
    Ok(ResolvedSides {
        baseline: git.place(Side::Baseline, baseline)?,
        candidate: git.place(Side::Candidate, candidate)?,
        a_a,
    })
}

/// Resolves the candidate alone, beside a baseline that is stored.
pub(super) fn resolve_candidate(
    suite: &Suite,
    flags: &SideFlags,
    out: &Path,
) -> Result<ResolvedSide, Failure> {
    let nothing = Asked { command: None, url: None, root: None, rev: None };
    let baseline = define(suite, Side::Baseline, &nothing)?;
    let is_by_rev = baseline.as_ref().is_some_and(|baseline| baseline.definition.config.rev.is_some());
    let asked = Asked::candidate(flags);
    let own = define(suite, Side::Candidate, &asked)?;
    let has_rev = own.as_ref().is_some_and(|own| own.definition.config.rev.is_some());
    // The only side of a suite is its code, which is what is tried.
    let mut candidate = own.or(baseline).ok_or_else(no_server)?;
    if is_by_rev && !has_rev && !candidate.is_placed {
        candidate.definition.config.rev = Some("worktree".to_owned());
    }
    GitSides::new(suite, out).place(Side::Candidate, candidate)
}

fn no_server() -> Failure {
    Failure::usage("the suite defines no server")
        .hint("add `[baseline]` and `[candidate]` with a `command` or a `url`, or `[server]` for both")
}

/// A side's definition after the flags.
#[derive(Clone)]
struct Defined {
    definition: SideDefinition,
    /// By `root`, where it is given: from the suite's folder, or from a flag.
    root: Option<PathBuf>,
    /// A flag says where the server is: no revision decides.
    is_placed: bool,
}

fn define(suite: &Suite, side: Side, asked: &Asked<'_>) -> Result<Option<Defined>, Failure> {
    let defined = suite::side_definition(suite, side)?;
    let mut definition = match defined {
        Some(definition) => definition,
        None if asked.command.is_some() || asked.url.is_some() => {
            SideDefinition { name: side.to_string(), config: ServerConfig::default(), warnings: Vec::new() }
        }
        None => return Ok(None),
    };
    let config = &mut definition.config;
    if let Some(command) = asked.command {
        let words = shell_words::split(command)
            .map_err(|error| Failure::usage(format!("--{side}-cmd: {error} in `{command}`")))?;
        if words.is_empty() {
            return Err(Failure::usage(format!("--{side}-cmd is empty")));
        }
        (config.command, config.url) = (Some(words), None);
    }
    if let Some(url) = asked.url {
        (config.command, config.url) = (None, Some(url.to_owned()));
    }
    let is_placed = asked.command.is_some() || asked.url.is_some() || asked.root.is_some();
    match asked.rev {
        Some(rev) => config.rev = Some(rev.to_owned()),
        None if is_placed => config.rev = None,
        None => {}
    }
    let root = match asked.root {
        Some(root) => Some(std::path::absolute(root)?),
        None => config.root.as_ref().map(|root| suite.dir.join(root)),
    };
    Ok(Some(Defined { definition, root, is_placed }))
}

/// The repository of the suite, looked for once and only when a side names a revision.
struct GitSides<'s> {
    suite: &'s Suite,
    out: &'s Path,
    repository: Option<Repository>,
}

impl<'s> GitSides<'s> {
    fn new(suite: &'s Suite, out: &'s Path) -> Self {
        Self { suite, out, repository: None }
    }

    fn place(&mut self, side: Side, defined: Defined) -> Result<ResolvedSide, Failure> {
        let Some(rev) = defined.definition.config.rev.clone() else {
            let root = defined.root.unwrap_or_else(|| self.suite.dir.clone());
            return finish(side, defined.definition, root, None);
        };
        let suite_dir = self.suite.dir.clone();
        let out = self.out.to_owned();
        let repository = self.repository(&suite_dir)?;
        let top = repository.top().to_owned();
        let below = match &defined.root {
            Some(root) => {
                fs_err::canonicalize(root)?.strip_prefix(&top).map(Path::to_owned).map_err(|_| {
                    Failure::usage(format!(
                        "the {side}'s root `{}` is not in the repository `{}`",
                        root.display(),
                        top.display()
                    ))
                })?
            }
            None => PathBuf::new(),
        };
        if rev == "worktree" {
            let revision = repository.working_tree_without(&[&out]).map_err(git_failure)?;
            let has_build = defined.definition.config.build.is_some();
            let mut resolved = finish(side, defined.definition, top.join(below), Some(revision))?;
            if has_build {
                let note = format!(
                    "the {side} is your working tree: `build` runs for revisions only, build it yourself"
                );
                resolved.warnings.push(note);
            }
            return Ok(resolved);
        }
        let revision = repository.resolve(&rev).map_err(git_failure)?;
        let like_side = finish(side, defined.definition.clone(), top.clone(), None)?.spec;
        // A build sees the same as the side itself.
        let env = like_side.environment();
        let log = tempfile::Builder::new().prefix("mcp-regress-build-").suffix(".log").tempfile()?;
        let build = defined.definition.config.build.clone();
        let checkout = repository
            .checkout(&revision, build.as_deref(), &env, &git::default_cache_dir(), log.path())
            .map_err(|error| {
                let failure = git_failure(error);
                // The end of the build's output is in it.
                Failure { message: like_side.secrets.hide(&failure.message), ..failure }
            })?;
        let mut resolved =
            finish(side, defined.definition, checkout.root.join(below), Some(checkout.revision.clone()))?;
        resolved.checkout = Some(checkout);
        Ok(resolved)
    }

    fn repository(&mut self, dir: &Path) -> Result<&Repository, Failure> {
        if self.repository.is_none() {
            let found = Repository::discover(dir).map_err(git_failure)?;
            let found = found.ok_or_else(|| git_failure(git::GitError::NotARepository(dir.to_owned())))?;
            self.repository = Some(found);
        }
        self.repository.as_ref().ok_or_else(|| Failure::usage("no repository"))
    }
}

fn git_failure(error: git::GitError) -> Failure {
    Failure::new(error.exit_code(), error)
}

/// Values of variables, of headers, of variables that are named like a secret, and what a command line or a URL hides.
fn secrets_of(
    variables: &BTreeSet<String>,
    command: &[Expanded],
    redacted: &[String],
    headers: &[(String, Expanded)],
    env: &[(String, Expanded)],
    url: Option<&Expanded>,
) -> Secrets {
    let of_variables =
        variables.iter().filter_map(|name| Some((std::env::var(name).ok()?, Some(name.clone()))));
    let of_headers = headers.iter().map(|(_, value)| (value.value.clone(), None));
    let named = env.iter().filter(|(name, _)| suite::is_secret_name(name));
    let of_env = named.map(|(name, value)| (value.value.clone(), Some(name.clone())));
    let of_words = command.iter().zip(redacted).filter(|(_, shown)| shown.ends_with("***"));
    let of_words = of_words.map(|(word, shown)| {
        let start = shown.len() - "***".len();
        (word.value.get(start..).unwrap_or(&word.value).to_owned(), None)
    });
    let of_url = url.map(|url| suite::secrets_of_url(&url.value)).unwrap_or_default();
    let of_url = of_url.into_iter().map(|value| (value, None));
    Secrets::new(of_variables.chain(of_headers).chain(of_env).chain(of_words).chain(of_url))
}

/// Fills in variables and makes the record of the side.
fn finish(
    side: Side,
    definition: SideDefinition,
    root: PathBuf,
    revision: Option<Revision>,
) -> Result<ResolvedSide, Failure> {
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
    let secrets = secrets_of(
        &expanded.variables,
        &command,
        &redacted,
        &expanded.headers,
        &expanded.env,
        expanded.url.as_ref(),
    );
    let mut variables: Vec<String> = expanded.variables.into_iter().collect();
    variables.extend(expanded.env.iter().map(|(name, _)| name.clone()));
    variables.sort();
    variables.dedup();
    let spec = SideSpec {
        secrets,
        argv: command.into_iter().map(|word| word.value).collect(),
        url: expanded.url.map(|url| url.value),
        is_legacy_sse: definition.config.transport == Some(HttpTransport::LegacySse),
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
        revision: revision.as_ref().map(|revision| revision.short.clone()),
        dirty: revision.as_ref().is_some_and(|revision| revision.dirty),
        diff_sha256: revision.as_ref().and_then(|revision| revision.diff_sha256.clone()),
        revision_age_s: revision
            .as_ref()
            .map(|revision| jiff::Timestamp::now().as_second() - revision.committed_at),
        ..SideMeta::default()
    };
    Ok(ResolvedSide {
        spec: Arc::new(spec),
        meta,
        renames: definition.config.renames,
        checkout: None,
        warnings: definition.warnings.iter().map(ToString::to_string).collect(),
    })
}
