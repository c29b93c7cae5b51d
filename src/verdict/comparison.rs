//! The statistics' view of an attempt table: which cases and attempts are compared, and how.

use crate::metric::{AttemptTable, Exposure, MetricInfo};
use crate::stats::interval::t_interval;
use crate::stats::judge::{self, Exposed, Options, Summary};
use crate::stats::missing::Missing;
use crate::stats::rule::Evidence;
use crate::stats::sample::{Attempt, Attempts, Pairing, Sample, SampleError};
use crate::stats::{self, flips::Flips, spread};
use crate::words::{Better, NoiseClass, Question, Side, Split, Status};
use std::collections::HashMap;

/// How a table is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub pairing: Pairing,
    pub missing: Missing,
    pub seed: u64,
    pub resamples: usize,
    /// The question of a rule that names none.
    pub question: Question,
}

/// An attempt table, indexed for the statistics.
pub struct Comparison<'t> {
    pub table: &'t AttemptTable,
    pub settings: Settings,
    attempts: Attempts,
    /// Absent without a same-code side.
    exposed: Option<Vec<Exposed>>,
    /// By case: why it is not in the headline, if it is not.
    states: Vec<CaseState>,
}

crate::words::word_enum!(
/// Whether a case takes part in the paired headline.
CaseState {
    Paired => "paired",
    /// Fruitless on every side.
    Stale => "stale",
    /// No call of it may be replayed.
    Skipped => "skipped",
    /// No attempt of it is ok on both sides.
    Unpaired => "unpaired",
});

impl<'t> Comparison<'t> {
    /// # Errors
    /// When an attempt is in the table twice.
    pub fn new(table: &'t AttemptTable, settings: Settings) -> Result<Self, SampleError> {
        let has_same_code = table.rows.iter().any(|row| matches!(row.side, Side::SameCode(_)));
        let exposed = has_same_code.then(|| {
            let of = |case: &crate::metric::CaseRow| match case.exposed {
                Some(Exposure::Exposed) => Exposed::Yes,
                Some(Exposure::Unexposed) => Exposed::No,
                Some(Exposure::Unknown) | None => Exposed::Unknown,
            };
            table.cases.iter().map(of).collect()
        });
        let states = (0..table.cases.len()).map(|case| state(table, case, settings.pairing)).collect();
        Ok(Self { table, settings, attempts: index(table, false)?, exposed, states })
    }

    pub fn state(&self, case: usize) -> CaseState {
        self.states[case]
    }

    /// The cases of a split whose id the filter takes.
    pub fn selected(&self, split: Option<Split>, filter: &dyn Fn(&str) -> bool) -> Vec<bool> {
        let takes = |case: &crate::metric::CaseRow| split.is_none_or(|s| s == case.split) && filter(&case.id);
        self.table.cases.iter().map(takes).collect()
    }

    /// Of selected cases those of the paired headline: neither stale nor skipped.
    pub fn headline(&self, selected: &[bool]) -> Vec<bool> {
        let states = self.states.iter();
        let stays = |state: &CaseState| matches!(state, CaseState::Paired | CaseState::Unpaired);
        selected.iter().zip(states).map(|(is_in, state)| *is_in && stays(state)).collect()
    }

    /// Describes some metrics. Words and Holm's p are of these alone; [`super::SplitFigures`]
    /// settles them over the whole table. The draw of cases is the same for every call.
    ///
    /// # Errors
    /// When a value is no usable number.
    pub fn describe(
        &self,
        metrics: &[(usize, Question)],
        include: &[bool],
    ) -> Result<Vec<Summary>, SampleError> {
        let columns: Vec<_> = metrics.iter().map(|(place, _)| self.table.columns[*place].values()).collect();
        let described: Vec<_> = metrics
            .iter()
            .zip(&columns)
            .map(|((place, question), values)| self.stats_metric(*place, *question, values))
            .collect();
        judge::table(&self.attempts, &described, &self.options(include))
    }

    /// What a relative rule on a metric judges by. A margin in percent of the baseline is judged
    /// as the delta of candidate and the scaled baseline against 0.
    ///
    /// # Errors
    /// When a value is no usable number.
    pub fn evidence(
        &self,
        metric: usize,
        question: Question,
        percent: Option<f64>,
        include: &[bool],
    ) -> Result<Evidence, SampleError> {
        let mut values = self.table.columns[metric].values();
        self.scale_baseline(&mut values, self.table.metrics[metric].better, percent);
        self.evidence_of(&self.attempts, self.stats_metric(metric, question, &values), include)
    }

    /// The same for the share of attempts that failed, in which every attempt but those of the
    /// environment takes part.
    ///
    /// # Errors
    /// When a value is no usable number.
    pub fn failure_evidence(
        &self,
        question: Question,
        percent: Option<f64>,
        include: &[bool],
    ) -> Result<Evidence, SampleError> {
        let failed = |status: Status| match status {
            Status::Ok => Some(0.0),
            Status::Failed => Some(1.0),
            Status::Infrastructure => None,
        };
        let mut values: Vec<_> = self.table.rows.iter().map(|row| failed(row.status)).collect();
        self.scale_baseline(&mut values, Better::Lower, percent);
        let metric = judge::Metric {
            values: &values,
            better: stats::Better::Lower,
            class: stats::NoiseClass::Share,
            is_unit_share: true,
            question: stats_question(question),
            is_cost: false,
        };
        self.evidence_of(&index(self.table, true)?, metric, include)
    }

    /// Right attempts case by case, and whether being right repeats itself.
    ///
    /// # Errors
    /// When a value is no usable number.
    pub fn flips(&self, include: &[bool]) -> Result<(Flips, bool), SampleError> {
        let right = |row: &crate::metric::AttemptRow| row.right.map(|right| if right { 1.0 } else { 0.0 });
        let values: Vec<_> = self.table.rows.iter().map(right).collect();
        let metric = judge::Metric {
            values: &values,
            better: stats::Better::Higher,
            class: stats::NoiseClass::Share,
            is_unit_share: true,
            question: stats::Question::TheseCases,
            is_cost: false,
        };
        let options = self.options(include);
        let selection = options.selection(&metric);
        let flips = Flips::of(&self.attempts, &values, selection)?;
        let sample = Sample::new(&self.attempts, &values, selection)?;
        let spread = spread::spread(&self.attempts, &values, &sample, selection)?;
        Ok((flips, spread.deterministic))
    }

    /// Lets the baseline grow by a margin in percent (shrink, when higher is better).
    fn scale_baseline(&self, values: &mut [Option<f64>], better: Better, percent: Option<f64>) {
        let Some(percent) = percent else { return };
        let factor = match better {
            Better::Lower => 1.0 + percent,
            Better::Higher => 1.0 - percent,
        };
        for (value, row) in values.iter_mut().zip(&self.table.rows) {
            if row.side.is_baseline_code() {
                *value = value.map(|value| value * factor);
            }
        }
    }

    fn evidence_of(
        &self,
        attempts: &Attempts,
        metric: judge::Metric<'_>,
        include: &[bool],
    ) -> Result<Evidence, SampleError> {
        let options = self.options(include);
        let selection = options.selection(&metric);
        let sample = Sample::new(attempts, metric.values, selection)?;
        let spread = spread::spread(attempts, metric.values, &sample, selection)?;
        Ok(Evidence {
            better: metric.better,
            class: metric.class,
            is_unit_share: metric.is_unit_share,
            n_cases: sample.n(),
            n_units: sample.units.len(),
            delta: sample.mean(|case| case.delta),
            se: t_interval(&sample).map(|t| t.se),
            all_zero: sample.all_zero(),
            noise_se: spread.noise_se,
            deterministic: spread.deterministic,
            same_code_pairs: spread.pairs,
        })
    }

    fn options<'a>(&'a self, include: &'a [bool]) -> Options<'a> {
        Options {
            missing: self.settings.missing,
            include: Some(include),
            exposed: self.exposed.as_deref(),
            resamples: self.settings.resamples,
            ..Options::new(self.settings.pairing, self.settings.seed)
        }
    }

    fn stats_metric<'v>(
        &self,
        place: usize,
        question: Question,
        values: &'v [Option<f64>],
    ) -> judge::Metric<'v> {
        let info: &MetricInfo = &self.table.metrics[place];
        judge::Metric {
            values,
            better: stats_better(info.better),
            class: stats_class(info.noise),
            is_unit_share: info.is_share(),
            question: stats_question(question),
            is_cost: info.is_cost(),
        }
    }
}

pub(super) fn stats_better(better: Better) -> stats::Better {
    match better {
        Better::Lower => stats::Better::Lower,
        Better::Higher => stats::Better::Higher,
    }
}

pub(super) fn stats_class(class: NoiseClass) -> stats::NoiseClass {
    match class {
        NoiseClass::Size => stats::NoiseClass::Size,
        NoiseClass::Count => stats::NoiseClass::Count,
        NoiseClass::Share => stats::NoiseClass::Share,
        NoiseClass::Time => stats::NoiseClass::Time,
    }
}

pub(super) fn stats_question(question: Question) -> stats::Question {
    match question {
        Question::TheseCases => stats::Question::TheseCases,
        Question::CasesLikeThese => stats::Question::CasesLikeThese,
    }
}

fn side(side: Side) -> stats::sample::Side {
    match side {
        Side::Baseline => stats::sample::Side::Baseline,
        Side::Candidate => stats::sample::Side::Candidate,
        Side::SameCode(k) => stats::sample::Side::SameCode(u16::try_from(k).unwrap_or(u16::MAX)),
        Side::CandidateAgain => stats::sample::Side::CandidateAgain,
        Side::BaselineAgain => stats::sample::Side::BaselineAgain,
    }
}

/// The attempts as the statistics index them; to judge how many failed, failed ones are taken for ok.
fn index(table: &AttemptTable, failed_is_ok: bool) -> Result<Attempts, SampleError> {
    let rows = table.rows.iter().map(|row| Attempt {
        case: row.case,
        side: side(row.side),
        attempt: row.attempt,
        status: match row.status {
            Status::Failed if failed_is_ok => stats::sample::Status::Ok,
            Status::Ok => stats::sample::Status::Ok,
            Status::Failed => stats::sample::Status::Failed,
            Status::Infrastructure => stats::sample::Status::Infrastructure,
        },
    });
    Attempts::new(rows.collect(), table.cases.len(), clusters(table))
}

/// One number a case; a case without a cluster is its own. `None` when no case has one.
fn clusters(table: &AttemptTable) -> Option<Vec<u32>> {
    if table.cases.iter().all(|case| case.cluster.is_none()) {
        return None;
    }
    let mut first = HashMap::<&str, u32>::new();
    let numbers = table.cases.iter().enumerate().map(|(place, case)| match &case.cluster {
        Some(cluster) => *first.entry(cluster).or_insert(place as u32),
        None => place as u32,
    });
    Some(numbers.collect())
}

fn state(table: &AttemptTable, case: usize, pairing: Pairing) -> CaseState {
    let row = &table.cases[case];
    if row.is_skipped {
        return CaseState::Skipped;
    }
    if row.facts.is_stale {
        return CaseState::Stale;
    }
    let attempts = |side: Side| -> Vec<u32> {
        let rows = table.rows[table.rows_of(case)].iter();
        rows.filter(|r| r.side == side && r.status == Status::Ok).map(|r| r.attempt).collect()
    };
    let (base, cand) = (attempts(Side::Baseline), attempts(Side::Candidate));
    let is_paired = match pairing {
        Pairing::SameAttempt => base.iter().any(|attempt| cand.contains(attempt)),
        Pairing::SideMeans => !base.is_empty() && !cand.is_empty(),
    };
    if is_paired { CaseState::Paired } else { CaseState::Unpaired }
}
