//! The value that every format renders.

use super::confirming;
use super::warning::{self, Warning};
use crate::exit::ExitCode;
use crate::metric::tools_list::ToolsComparison;
use crate::metric::{Collected, case_order, collect};
use crate::stats::missing::Missing;
use crate::stats::sample::{Pairing, SampleError};
use crate::suite::{Bound, GlobError, IdGlob, Rule, Subject};
use crate::trace::{Journal, JournalError, MissingPolicy, RunMeta, side_key};
use crate::verdict::figures::MetricUse;
use crate::verdict::gate::Gaps;
use crate::verdict::inferred::{self, EndFigures};
use crate::verdict::{Comparison, Confirmation, Gate, RuleVerdict, Settings, SplitFigures};
use crate::words::{Question, Role, Side, Split};
use std::path::PathBuf;
use thiserror::Error;

/// Why a report cannot be made.
#[derive(Debug, Error)]
pub enum ReportError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the attempts cannot be judged: {0}")]
    Sample(#[from] SampleError),
    #[error("rule {index}: {source}")]
    Glob { index: usize, source: GlobError },
}

/// A planned attempt without a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingAttempt {
    pub case_id: String,
    pub side: Side,
    pub attempt: u32,
}

/// Everything that a results folder says.
pub struct Report {
    pub meta: RunMeta,
    pub journal: Journal,
    pub collected: Collected,
    pub settings: Settings,
    /// Where flipped cases were to be replayed once more.
    pub confirmation: Option<Confirmation>,
    /// Another harness's numbers: nothing is known of calls, needs, clients.
    pub is_foreign: bool,
    /// All cases, then dev, then test.
    pub splits: [SplitFigures; 3],
    pub rules: Vec<RuleVerdict>,
    /// Continuation reads had the needs inferred as `last` stood earlier or later.
    pub bracket: Vec<EndFigures>,
    pub tools_list: Option<ToolsComparison>,
    pub missing: Vec<MissingAttempt>,
    pub gate: Gate,
    pub warnings: Vec<Warning>,
}

impl Report {
    /// Attempts that were planned, fresh ones of flipped cases among them.
    pub fn planned_attempts(&self) -> usize {
        let fresh = self.confirmation.as_ref().map_or(0, |confirmation| confirmation.recorded);
        self.missing.len() + self.journal.len() + fresh
    }
}

/// Reads the journals of a run, measures, judges.
///
/// # Errors
/// When a journal cannot be read, or a rule or a value of it cannot be used.
pub fn build(meta: RunMeta, journals: &[PathBuf]) -> Result<Report, ReportError> {
    build_with(meta, journals, &[])
}

/// As [`build`], with exit codes that hold for reasons outside of the journal.
///
/// # Errors
/// As [`build`].
pub fn build_with(meta: RunMeta, journals: &[PathBuf], holding: &[ExitCode]) -> Result<Report, ReportError> {
    judge(measure(meta, journals)?, holding)
}

/// Reads and measures the journals of a run.
///
/// # Errors
/// When a journal cannot be read.
pub fn measure(meta: RunMeta, journals: &[PathBuf]) -> Result<Measured, ReportError> {
    let ids: Vec<String> = case_order(&meta).into_iter().map(|(id, _)| id.clone()).collect();
    let journal = Journal::open(journals, &ids)?;
    let collected = collect(&meta, &journal)?;
    let mut missing = missing_attempts(&meta, &journal);
    let settings = settings(&meta);
    let confirmation = confirming::confirmation(&meta, journals, &collected.table, settings, &mut missing)?;
    Ok(Measured { meta, journal, collected, settings, confirmation, missing, is_foreign: false })
}

/// What was measured, by whatever means, before anything is judged.
pub struct Measured {
    pub meta: RunMeta,
    /// Empty where there is no trace, and only numbers are known.
    pub journal: Journal,
    pub collected: Collected,
    pub settings: Settings,
    /// Where flipped cases were to be replayed once more.
    pub confirmation: Option<Confirmation>,
    pub missing: Vec<MissingAttempt>,
    /// Another harness's numbers: nothing is known of calls, needs, clients.
    pub is_foreign: bool,
}

/// Judges what was measured by the rules of its meta.
///
/// # Errors
/// When a rule or a value cannot be used.
pub fn judge(measured: Measured, holding: &[ExitCode]) -> Result<Report, ReportError> {
    let Measured { meta, journal, collected, settings, confirmation, missing, is_foreign } = measured;
    check_globs(&meta.rules)?;
    let list = |side: Side| meta.sides.get(&side_key(side))?.tools_list.as_ref();
    let tools_list =
        list(Side::Baseline).zip(list(Side::Candidate)).map(|(base, cand)| ToolsComparison::of(base, cand));
    let comparison = Comparison::new(&collected.table, settings)?;
    let splits = figures(&meta.rules, &comparison)?;
    let rules = inferred::judge(&meta.rules, &comparison, tools_list.as_ref(), confirmation.as_ref())?;
    let bracket = inferred::figures(&comparison)?;
    drop(comparison);
    let gaps = Gaps { attempts: missing.len(), nothing_paired: splits[0].paired == 0 };
    let gate = Gate::decide(&rules, gaps, meta.gate, holding);
    let mut report = Report {
        meta,
        journal,
        collected,
        settings,
        confirmation,
        is_foreign,
        splits,
        rules,
        bracket,
        tools_list,
        missing,
        gate,
        warnings: Vec::new(),
    };
    report.warnings = warning::of(&report);
    Ok(report)
}

/// All cases, then dev, then test. A split that holds every case has the figures of all cases.
fn figures(rules: &[Rule], comparison: &Comparison<'_>) -> Result<[SplitFigures; 3], ReportError> {
    let table = comparison.table;
    let of = |split| {
        let used = |place: usize| metric_use(rules, &table.metrics[place].name, split, comparison.settings);
        SplitFigures::of(comparison, split, &used)
    };
    let by_split = rules.iter().any(|rule| rule.split.is_some());
    let holds_all = |split: Split| !by_split && table.cases.iter().all(|case| case.split == split);
    let one = |split: Split| if holds_all(split) { Ok(None) } else { of(Some(split)).map(Some) };
    let (all, [dev, test]) = std::thread::scope(|scope| {
        let parts = scope.spawn(|| Ok::<_, ReportError>([one(Split::Dev)?, one(Split::Test)?]));
        let all = of(None)?;
        Ok::<_, ReportError>((all, parts.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?))
    })?;
    let same = |split| SplitFigures { split: Some(split), ..all.clone() };
    let (dev, test) = (dev.unwrap_or_else(|| same(Split::Dev)), test.unwrap_or_else(|| same(Split::Test)));
    Ok([all, dev, test])
}

/// How a run is judged: in pairs of attempts, with what `run.json` says.
pub fn settings(meta: &RunMeta) -> Settings {
    Settings {
        pairing: Pairing::SameAttempt,
        missing: match meta.gate.missing {
            MissingPolicy::AsWorst => Missing::AsWorst,
            MissingPolicy::OkOnly => Missing::OkOnly,
        },
        seed: meta.seed,
        resamples: meta.resamples as usize,
        question: Question::TheseCases,
    }
}

/// What the first rule that looks at a metric in a split makes of it.
fn metric_use(rules: &[Rule], name: &str, split: Option<Split>, settings: Settings) -> MetricUse {
    let applies = |rule: &&Rule| {
        !matches!(rule.subject, Subject::Special(_))
            && rule.subject.as_str() == name
            && (rule.split.is_none() || rule.split == split)
    };
    let mut used = MetricUse { role: Role::Info, question: settings.question };
    let mut found = rules.iter().filter(applies);
    let relative = found.clone().find_map(|rule| match &rule.bound {
        Bound::Relative { role, question, .. } => Some((*role, *question)),
        Bound::Absolute { .. } | Bound::Require { .. } => None,
    });
    match relative {
        Some((role, question)) => {
            used.role = role;
            used.question = question.unwrap_or(settings.question);
        }
        None if found.next().is_some() => used.role = Role::Guardrail,
        None => {}
    }
    used
}

fn check_globs(rules: &[Rule]) -> Result<(), ReportError> {
    for (index, rule) in rules.iter().enumerate() {
        if let Some(glob) = &rule.cases {
            IdGlob::new(glob).map_err(|source| ReportError::Glob { index, source })?;
        }
    }
    Ok(())
}

/// Planned attempts without a record, in the order of the tables.
fn missing_attempts(meta: &RunMeta, journal: &Journal) -> Vec<MissingAttempt> {
    let cases = case_order(meta).into_iter().enumerate();
    cases
        .flat_map(|(place, (id, _))| {
            let planned = meta.planned(id).into_iter();
            let absent = planned.filter(move |(side, attempt)| !journal.has(place, *side, *attempt));
            absent.map(|(side, attempt)| MissingAttempt { case_id: id.clone(), side, attempt })
        })
        .collect()
}
