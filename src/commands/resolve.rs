//! Flags, suite and defaults become the settings of a run: flag, environment, suite file, default.

use super::Failure;
use crate::agent::ReplaySettings;
use crate::case::{self, Case, Selection};
use crate::cli::{RunArgs, SplitChoice, SuiteFlags};
use crate::client::Profile;
use crate::exit::ExitCode;
use crate::plan::Shard;
use crate::suite::{self, Suite};
use crate::wire::{ClientInfo, Limits};
use crate::words::{OnOversized, Question, ReplayMode, Restart, Split};
use std::path::Path;
use std::time::Duration;

/// Seed of a run that names none.
const DEFAULT_SEED: u64 = 7;
/// Fewest attempts of a case when the suite does not say.
const LEAST_ATTEMPTS: u32 = 2;

/// A suite with the cases that a command is to look at.
pub(super) struct Selected {
    pub suite: Suite,
    pub cases: Vec<Case>,
    /// Globs of the suite that matched no file.
    pub unmatched: Vec<String>,
    /// Before `--cases`, `--split` and `--tag`.
    pub cases_in_all: usize,
}

/// Everything of a run that is decided before a side starts.
pub(super) struct Settings {
    pub attempts: u32,
    pub same_code: u32,
    pub seed: u64,
    pub resamples: u32,
    pub jobs: usize,
    /// Nothing for the whole.
    pub shard: Option<Shard>,
    pub restart: Restart,
    pub replay: ReplaySettings,
    pub profile: Profile,
    pub info: ClientInfo,
    pub limits: Limits,
}

/// Finds and loads the suite, and the cases that the flags select.
pub(super) fn select(flags: &SuiteFlags) -> Result<Selected, Failure> {
    cases_of(suite_at(flags.suite.as_deref())?, flags)
}

/// Finds and loads the suite.
pub(super) fn suite_at(flag: Option<&Path>) -> Result<Suite, Failure> {
    let cwd = std::env::current_dir()?;
    Ok(suite::find(flag, &cwd)?.load()?)
}

/// Loads the cases of a suite that the flags select.
pub(super) fn cases_of(suite: Suite, flags: &SuiteFlags) -> Result<Selected, Failure> {
    let loaded = case::load_all(&suite)?;
    let cases_in_all = loaded.cases.len();
    let selection = Selection {
        ids: flags.cases.clone(),
        split: match flags.split {
            SplitChoice::Dev => Some(Split::Dev),
            SplitChoice::Test => Some(Split::Test),
            SplitChoice::All => None,
        },
        tags: flags.tag.clone(),
    };
    let cases = case::select(loaded.cases, &selection).map_err(Failure::usage)?;
    // Of globs that nobody wrote, one without a file is no mistake.
    let unmatched = if suite::are_default_globs(&suite.cases) && cases_in_all > 0 {
        Vec::new()
    } else {
        loaded.unmatched
    };
    Ok(Selected { suite, cases, unmatched, cases_in_all })
}

impl Selected {
    /// Fails when nothing is left to do.
    pub fn require_cases(&self) -> Result<(), Failure> {
        if !self.cases.is_empty() {
            return Ok(());
        }
        let failure = if self.cases_in_all == 0 {
            let globs = self.suite.cases.join("`, `");
            Failure::new(
                ExitCode::NothingSelected,
                format!("no case: nothing matches `{globs}` in `{}`", self.suite.dir.display()),
            )
            .hint("`mcp-regress probe TOOL '{...}'` makes one from one call; docs/cases.md has the format")
        } else {
            Failure::new(
                ExitCode::NothingSelected,
                format!("no case selected of the suite's {}", self.cases_in_all),
            )
            .hint("--cases takes a glob of ids, --split and --tag narrow further")
        };
        Err(failure)
    }
}

/// The settings of a run of these cases.
pub(super) fn settings(selected: &Selected, args: &RunArgs) -> Result<Settings, Failure> {
    let suite = &selected.suite;
    let most_recordings = selected.cases.iter().map(|case| case.recordings.len()).max().unwrap_or(1) as u32;
    let profile = profile(suite, args.client.as_deref())?;
    let restart = args.restart.or(suite.restart).unwrap_or(Restart::Worker);
    let call_timeout = match args.timeout {
        Some(seconds) if !(seconds > 0.0 && seconds <= 86_400.0) => {
            return Err(Failure::usage(format!(
                "--timeout is `{seconds}`; expected seconds from over 0 to 86400"
            )));
        }
        Some(seconds) => Some(Duration::from_secs_f64(seconds)),
        None => suite.call_timeout,
    };
    let same_code = args.same_code.or(suite.same_code).unwrap_or(1);
    let (rules, _) = suite::effective_rules(suite);
    // Whether a stored run tells its noise is known when it is read.
    if args.baseline_run.is_none() {
        suite::check_repeats(&rules, same_code, Question::TheseCases).map_err(Failure::usage)?;
    }
    let replay = ReplaySettings {
        mode: args.replay.unwrap_or(ReplayMode::Adaptive),
        on_oversized: args.on_oversized.or(suite.on_oversized).unwrap_or(OnOversized::RetrySmaller),
        spill_chunk: suite.spill_chunk.unwrap_or(20_000),
        max_pages: suite.max_pages.unwrap_or(200),
        ends_on_empty: profile.protocol.as_str() < "2026-07-28",
    };
    Ok(Settings {
        attempts: args.attempts.or(suite.attempts).unwrap_or(most_recordings.max(LEAST_ATTEMPTS)),
        same_code,
        seed: args.seed.or(suite.seed).unwrap_or(DEFAULT_SEED),
        resamples: args.resamples.unwrap_or(10_000),
        jobs: args.jobs.unwrap_or(1) as usize,
        shard: super::shard::resolve(args.shard)?,
        restart,
        replay,
        info: client_info(&profile),
        profile,
        limits: limits(suite, call_timeout),
    })
}

/// The client profile of the suite, or the one that a flag names.
pub(super) fn profile(suite: &Suite, name: Option<&str>) -> Result<Profile, Failure> {
    Profile::resolve(&suite.client, name).map_err(Failure::usage)
}

/// The client that servers see: this tool, unless the suite gives it another name or something to offer.
pub(super) fn client_info(profile: &Profile) -> ClientInfo {
    let own = ClientInfo::default();
    let (name, version) = match &profile.client_info {
        Some(told) => (told.name.clone(), told.version.clone()),
        None => (own.name, own.version),
    };
    let capabilities = profile.capabilities.clone().unwrap_or(own.capabilities);
    ClientInfo { name, version, protocol: profile.protocol.clone(), capabilities }
}

/// The time limits of a session.
pub(super) fn limits(suite: &Suite, call: Option<Duration>) -> Limits {
    let defaults = Limits::default();
    Limits {
        start: suite.start_timeout.unwrap_or(defaults.start),
        call: call.or(suite.call_timeout).unwrap_or(defaults.call),
        ..defaults
    }
}
