//! Warnings: what was seen, why it matters, what to try. They stand above the numbers.

use super::{Report, oddity, phrase};
use crate::metric::fidelity::Fidelity;
use crate::stats::call::FEW_PAIRS;
use crate::stats::spread::Drift;
use crate::suite::Margin;
use crate::verdict::RuleVerdict;
use crate::words::{ChainEnd, NeedKind, Role, Side, Status};
use std::collections::BTreeMap;
use std::fmt;

/// Something that a reader must know before the numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// Of planning and running, as `run.json` holds it.
    FromRun(String),
    /// Planned attempts have no record.
    AttemptsMissing {
        missing: usize,
        planned: usize,
    },
    /// Attempts did not end well on a side.
    AttemptsFailed {
        side: Side,
        failed: u64,
        infrastructure: u64,
        attempts: u64,
        /// Why, the most frequent first.
        how: Vec<String>,
    },
    /// Chains that ended before the server had no more, or before their end could be seen.
    ChainsCut {
        side: Side,
        ends: Vec<(ChainEnd, u64)>,
    },
    /// What the server did besides answering, and what was odd about its replies: kinds.
    Misbehaved {
        side: Side,
        kinds: Vec<String>,
    },
    /// No rule judged anything.
    NothingGated,
    /// Rules with role `info` are shown and never judged.
    NotJudged {
        subjects: Vec<String>,
    },
    /// The replay of the baseline does not do what the agent did.
    LowFidelity {
        equal: u64,
        cases: u64,
        names: Vec<String>,
    },
    /// No need was met on any side.
    AllNeedsUnmet {
        needs: u64,
    },
    /// Needs that hold pages alone cannot show a change of paging.
    OnlyPages {
        needs: u64,
    },
    /// Most needs were inferred as `last`, and the change touches the order of what is shown.
    InferredOrder {
        share: f64,
        names: Vec<String>,
    },
    /// Runs of the same code differ on most calls.
    SameCodeDiffers {
        differing: u64,
        calls: u64,
    },
    /// The candidate does not repeat itself, and the baseline's code does.
    CandidateDiffers {
        differing: u64,
        calls: u64,
    },
    /// Whole runs of the same code differ by more than their attempts explain.
    Drift {
        metrics: Vec<String>,
    },
    /// Too few same-code pairs to judge sizes.
    FewPairs {
        pairs: usize,
    },
    /// Nothing says whether the candidate repeats itself.
    CandidateNotRepeated,
    /// Content that the baseline showed and the candidate did not.
    LostEvidence {
        names: Vec<String>,
    },
    Stale {
        names: Vec<String>,
    },
    Unpaired {
        names: Vec<String>,
        /// Of them, cases without an ok attempt on the baseline.
        baseline: usize,
        /// The same on the candidate.
        candidate: usize,
    },
    /// Calls that were not sent because their tools may change something.
    NotReplayed {
        tools: Vec<String>,
        calls: u64,
    },
    /// Arguments that a side's schema does not know.
    UnknownArguments {
        side: Side,
        arguments: Vec<String>,
    },
    /// The candidate's largest result is less than 10 % below the client's limit.
    NearLimit {
        result_chars: u64,
        limit: u64,
        tool: String,
        case_id: String,
    },
    /// Rules of the suite that unchanged code passes less than nine times in ten, with margin and the smallest that
    /// it does.
    TightMargins {
        rules: Vec<String>,
    },
    /// Tools whose calls began to fail.
    BeganToFail {
        tools: Vec<String>,
    },
}

/// Below this p drift is a warning.
const DRIFT_P: f64 = 0.01;

/// The p of a drift, when it is a warning.
pub fn drift_is_seen(drift: Drift) -> Option<f64> {
    drift.p().filter(|p| *p < DRIFT_P)
}

/// How many names a warning spells out; the files hold all.
const NAMES: usize = 5;

impl fmt::Display for Warning {
    /// Names of servers without control characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&phrase::plain))
    }
}

impl Warning {
    /// The warning with every text that is not ours passed through `mark`.
    pub fn text(&self, mark: &dyn Fn(&str) -> String) -> String {
        let listed = |names: &[String]| listed(names, mark);
        match self {
            Self::FromRun(text) => text.lines().map(mark).collect::<Vec<_>>().join(" "),
            Self::AttemptsMissing { missing, planned } => {
                format!("{missing} of {planned} planned attempts have no record; `run --resume` makes them")
            }
            Self::AttemptsFailed { side, failed, infrastructure, attempts, how } => {
                let lost = match infrastructure {
                    0 => String::new(),
                    n => format!(", {n} ended by the environment and count nowhere"),
                };
                let why = if how.is_empty() { String::new() } else { format!(": {}", listed(how)) };
                format!("{side}: {failed} of {attempts} attempts failed{lost}{why}")
            }
            Self::ChainsCut { side, ends } => {
                let ends = ends.iter().map(|(end, count)| format!("{count} {}", oddity::of_chain(*end)));
                format!("{side}: reads without their end: {}", ends.collect::<Vec<_>>().join(", "))
            }
            Self::Misbehaved { side, kinds } => {
                let told: Vec<String> = kinds.iter().map(|kind| oddity::in_words(kind, mark)).collect();
                format!("{side}: {}", told.join("; "))
            }
            Self::NothingGated => "nothing was gated: no rule judges this comparison".to_owned(),
            Self::NotJudged { subjects } => {
                format!("not judged, their rules say role `info`: {}", subjects.join(", "))
            }
            Self::LowFidelity { equal, cases, names } => format!(
                "replaying the baseline repeats the recorded reads in {equal} of {cases} cases only, so costs may not be the agent's: {}",
                listed(names)
            ),
            Self::AllNeedsUnmet { needs } => format!(
                "none of the {needs} needs was met on any side: are the cases of this server, and is its content the recorded one?"
            ),
            Self::OnlyPages { needs } => format!(
                "all {needs} needs count pages alone: they can show neither lost content nor a change of paging"
            ),
            Self::InferredOrder { share, names } => format!(
                "{:.0} % of the needs were inferred as `last`, and the candidate shows content in another order in {}: where the agent stopped says little of what it looked for there, so look at these or write their needs: {}",
                100.0 * share,
                cases(names.len()),
                listed(names)
            ),
            Self::SameCodeDiffers { differing, calls } => format!(
                "the same code answered {differing} of {calls} calls otherwise the second time: name the parts that change in `ignore`, or freeze them (clock, ids, order)"
            ),
            Self::CandidateDiffers { differing, calls } => format!(
                "candidate: it answered {differing} of {calls} calls otherwise when asked again, which the baseline does not: order, ids, times or a state that change by themselves?"
            ),
            Self::Drift { metrics } => format!(
                "whole runs of the same code differ by more than their attempts explain (p below {DRIFT_P}) in {}: judge by 4 same-code runs or more",
                listed(metrics)
            ),
            Self::FewPairs { pairs } => format!(
                "{pairs} same-code pairs: differences in chars, bytes and tokens are judged from {FEW_PAIRS} pairs; add attempts, cases or same-code runs"
            ),
            Self::CandidateNotRepeated => {
                "candidate not repeated: that it repeats itself is taken from the baseline".to_owned()
            }
            Self::LostEvidence { names } => {
                format!("content lost on the candidate in {}: {}", cases(names.len()), listed(names))
            }
            Self::Stale { names } => {
                format!("{} left out, their needs are met on no side: {}", cases(names.len()), listed(names))
            }
            Self::Unpaired { names, baseline, candidate } => format!(
                "{} left out, no attempt is ok on both sides ({baseline} without one on the baseline, {candidate} on the candidate): {}",
                cases(names.len()),
                listed(names)
            ),
            Self::NotReplayed { tools, calls } => {
                format!(
                    "{calls} calls were not replayed, their tools may change something: {}",
                    listed(tools)
                )
            }
            Self::UnknownArguments { side, arguments } => {
                format!("{side}: its schema does not know {}", listed(arguments))
            }
            Self::NearLimit { result_chars, limit, tool, case_id } => {
                let size = |size: u64| phrase::grouped(size as f64, 0);
                format!(
                    "the largest result of the candidate, {} in {}, has {} of the {} characters that the client takes: a little more content and it is oversized",
                    mark(tool),
                    mark(case_id),
                    size(*result_chars),
                    size(*limit)
                )
            }
            Self::TightMargins { rules } => format!(
                "unchanged code passes these rules less than nine times in ten; the smallest margin that it does in brackets: {}",
                rules.join(", ")
            ),
            Self::BeganToFail { tools } => {
                format!("tools that fail more often on the candidate: {}", listed(tools))
            }
        }
    }
}

fn cases(count: usize) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

fn listed(names: &[String], mark: &dyn Fn(&str) -> String) -> String {
    let shown: Vec<String> = names.iter().take(NAMES).map(|name| mark(name)).collect();
    match names.len().saturating_sub(NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// All warnings of a report, in the order in which it shows them.
pub fn of(report: &Report) -> Vec<Warning> {
    let mut warnings = Vec::new();
    of_rules(report, &mut warnings);
    warnings.extend(report.meta.warnings.iter().cloned().map(Warning::FromRun));
    of_attempts(report, &mut warnings);
    of_cases(report, &mut warnings);
    of_calls(report, &mut warnings);
    of_noise(report, &mut warnings);
    warnings.extend(near_limit(report));
    warnings.extend(tight_margins(report));
    warnings
}

fn of_rules(report: &Report, warnings: &mut Vec<Warning>) {
    if report.rules.iter().all(|rule| rule.verdict.is_none()) {
        warnings.push(Warning::NothingGated);
    }
    let info = report.rules.iter().filter(|rule| rule.role == Role::Info);
    let subjects: Vec<String> = info.map(|rule| rule.subject.clone()).collect();
    if !subjects.is_empty() {
        warnings.push(Warning::NotJudged { subjects });
    }
}

fn of_attempts(report: &Report, warnings: &mut Vec<Warning>) {
    let missing = report.missing.len();
    if missing > 0 {
        let planned = report.planned_attempts();
        warnings.push(Warning::AttemptsMissing { missing, planned });
    }
    for (side, facts) in &report.collected.sides {
        let (failed, infrastructure) = (facts.failed_attempts, facts.infrastructure_attempts);
        if failed + infrastructure > 0 {
            let attempts = facts.ok_attempts + failed + infrastructure;
            let how = most_frequent(&facts.failures);
            warnings.push(Warning::AttemptsFailed { side: *side, failed, infrastructure, attempts, how });
        }
        // The other sides run the same code.
        if !matches!(side, Side::Baseline | Side::Candidate) {
            continue;
        }
        let ends: Vec<_> = facts.cut_chains.iter().map(|(end, count)| (*end, *count)).collect();
        if !ends.is_empty() {
            warnings.push(Warning::ChainsCut { side: *side, ends });
        }
        let odd_replies = facts.notes.keys().filter(|kind| oddity::is_known(kind));
        let kinds: Vec<String> = facts.oddities.iter().chain(odd_replies).cloned().collect();
        if !kinds.is_empty() {
            warnings.push(Warning::Misbehaved { side: *side, kinds });
        }
    }
}

/// `REASON (N times)`, the most frequent first.
fn most_frequent(reasons: &BTreeMap<String, u64>) -> Vec<String> {
    let mut sorted: Vec<(&String, &u64)> = reasons.iter().collect();
    sorted.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
    let told = sorted.into_iter().map(|(reason, count)| match count {
        1 => reason.clone(),
        n => format!("{reason} ({n} times)"),
    });
    told.collect()
}

fn of_cases(report: &Report, warnings: &mut Vec<Warning>) {
    let all = &report.splits[0];
    let names = |cases: &[usize]| -> Vec<String> {
        cases.iter().map(|case| report.collected.table.cases[*case].id.clone()).collect()
    };
    if !all.lost_evidence.is_empty() {
        warnings.push(Warning::LostEvidence { names: names(&all.lost_evidence) });
    }
    if !all.unpaired.is_empty() {
        let without = |side| all.unpaired.iter().filter(|case| !has_ok(report, **case, side)).count();
        let (baseline, candidate) = (without(Side::Baseline), without(Side::Candidate));
        warnings.push(Warning::Unpaired { names: names(&all.unpaired), baseline, candidate });
    }
    if !all.stale.is_empty() {
        warnings.push(Warning::Stale { names: names(&all.stale) });
    }
    let needs = &report.collected.needs;
    let met: u64 = report.collected.sides.values().map(|facts| facts.needs_met).sum();
    if needs.read_steps > 0 && met == 0 {
        warnings.push(Warning::AllNeedsUnmet { needs: needs.read_steps });
    }
    if needs.read_steps > 0 && needs.pages_only == needs.read_steps && needs.evidence_texts == 0 {
        warnings.push(Warning::OnlyPages { needs: needs.read_steps });
    }
    let share = needs.share(NeedKind::Last);
    if share > 0.5 && !needs.other_order.is_empty() {
        warnings.push(Warning::InferredOrder { share, names: needs.other_order.clone() });
    }
    let fidelity: &Fidelity = &report.collected.fidelity;
    if fidelity.is_low() {
        let (equal, cases) = (fidelity.cases_equal, fidelity.cases);
        warnings.push(Warning::LowFidelity { equal, cases, names: fidelity.unequal.clone() });
    }
}

/// Whether some attempt of a case is ok on a side.
fn has_ok(report: &Report, case: usize, side: Side) -> bool {
    let table = &report.collected.table;
    table.rows[table.rows_of(case)].iter().any(|row| row.side == side && row.status == Status::Ok)
}

fn of_calls(report: &Report, warnings: &mut Vec<Warning>) {
    let sides = &report.collected.sides;
    let Some(base) = sides.get(&Side::Baseline) else { return };
    let skipped: Vec<_> = base.tools.iter().filter(|(_, tool)| tool.skipped > 0).collect();
    if !skipped.is_empty() {
        let tools = skipped.iter().map(|(name, _)| (*name).clone()).collect();
        let calls = skipped.iter().map(|(_, tool)| tool.skipped).sum();
        warnings.push(Warning::NotReplayed { tools, calls });
    }
    for side in [Side::Baseline, Side::Candidate] {
        let unknown = sides.get(&side).map(|facts| &facts.unknown_arguments);
        let arguments: Vec<String> = unknown
            .into_iter()
            .flatten()
            .map(|(name, calls)| format!("{name} ({calls} {})", if *calls == 1 { "call" } else { "calls" }))
            .collect();
        if !arguments.is_empty() {
            warnings.push(Warning::UnknownArguments { side, arguments });
        }
    }
    let Some(cand) = sides.get(&Side::Candidate) else { return };
    let began = cand.tools.iter().filter_map(|(name, tool)| {
        let before = base.tools.get(name).map_or(0, |tool| tool.errors);
        (tool.errors > before)
            .then(|| format!("{name} ({before} -> {} of {} calls)", tool.errors, tool.calls))
    });
    let tools: Vec<String> = began.collect();
    if !tools.is_empty() {
        warnings.push(Warning::BeganToFail { tools });
    }
}

fn near_limit(report: &Report) -> Option<Warning> {
    /// Of the limit.
    const NEAR: f64 = 0.9;
    let limit = report.meta.client.limit?;
    let largest = report.collected.sides.get(&Side::Candidate)?.largest_result.as_ref()?;
    let size = largest.result_chars;
    let is_near = size <= limit && size as f64 > NEAR * limit as f64;
    is_near.then(|| Warning::NearLimit {
        result_chars: size,
        limit,
        tool: largest.tool.clone(),
        case_id: largest.case_id.clone(),
    })
}

/// Of the rules that the suite names: those that hold beside them have no margin of anybody's choice.
fn tight_margins(report: &Report) -> Option<Warning> {
    let named =
        |rule: &&RuleVerdict| report.meta.rules.get(rule.rule_index).is_some_and(|rule| !rule.is_implied);
    let tight = |rule: &RuleVerdict| {
        let smallest = rule.passing_margin.filter(|margin| *margin > 0.0 && rule.role == Role::Guardrail)?;
        let figures = report.splits.iter().find(|figures| figures.split == rule.split)?;
        let base = figures.metric(report.collected.table.metric(&rule.subject)?)?.baseline_mean?.abs();
        let (margin, smallest) = match rule.margin? {
            Margin::Absolute(margin) => (margin, smallest),
            Margin::Percent(_) if base == 0.0 => return None,
            Margin::Percent(share) => (100.0 * share, 100.0 * smallest / base),
        };
        let unit = if matches!(rule.margin, Some(Margin::Percent(_))) { " %" } else { "" };
        let shown = crate::text::decimal;
        (margin < smallest).then(|| {
            format!(
                "{} {}{unit} ({}{unit})",
                rule.subject.replace('_', " "),
                shown(margin),
                shown(round_up(smallest))
            )
        })
    };
    let rules: Vec<String> = report.rules.iter().filter(named).filter_map(tight).collect();
    (!rules.is_empty()).then_some(Warning::TightMargins { rules })
}

/// To three digits that count, upwards: what is told must pass.
fn round_up(number: f64) -> f64 {
    let scale = 10f64.powi(2 - number.abs().log10().floor() as i32);
    (number * scale).ceil() / scale
}

fn of_noise(report: &Report, warnings: &mut Vec<Warning>) {
    let (calls, differing) = report.collected.same_code_calls;
    if 2 * differing > calls {
        warnings.push(Warning::SameCodeDiffers { differing, calls });
    }
    let (compared, changed) = report.collected.candidate_calls;
    if changed > 0 && differing + report.collected.baseline_calls.1 == 0 {
        warnings.push(Warning::CandidateDiffers { differing: changed, calls: compared });
    }
    let rows = &report.splits[0].metrics;
    let drifting = rows.iter().filter(|row| row.drift.is_some_and(|drift| drift_is_seen(drift).is_some()));
    let metrics: Vec<String> =
        drifting.map(|row| report.collected.table.metrics[row.metric].name.replace('_', " ")).collect();
    if !metrics.is_empty() {
        warnings.push(Warning::Drift { metrics });
    }
    let few = rows.iter().find(|row| row.reason == Some("few pairs"));
    if let Some(row) = few {
        warnings.push(Warning::FewPairs { pairs: row.same_code_pairs });
    }
    let is_open = |row: &&crate::verdict::MetricRow| row.deterministic && !row.candidate_repeated;
    if rows.iter().any(|row| is_open(&row)) {
        warnings.push(Warning::CandidateNotRepeated);
    }
}
