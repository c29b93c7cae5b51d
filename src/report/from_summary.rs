//! A report as far as a summary.json tells it: for who may read one file of a stranger and nothing else.
//!
//! Whatever the file says comes out as text between marks that make it mean nothing. What is not there, or is of
//! another kind than it should be, is absent.

use super::Report;
use crate::exit::ExitCode;
use crate::metric::side_facts::{LargestResult, SideFacts};
use crate::metric::tools_list::{ChangedTool, ToolsComparison};
use crate::metric::{AttemptTable, CaseRow, Collected, MetricInfo};
use crate::report::warning::Warning;
use crate::stats::flips::Direction;
use crate::stats::missing::Missing;
use crate::stats::sample::Pairing;
use crate::suite::{Margin, Require};
use crate::trace::{ClientMeta, FORMAT_VERSION, GateSettings, Journal, RunMeta, RunStatus, SideMeta};
use crate::verdict::{FlipRow, Gate, MetricRow, Overall, RuleVerdict, Settings, SplitFigures, Verdict};
use crate::words::{Better, Metric, NoiseClass, OnOversized, Question, ReplayMode, Role, Side, Split};
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

/// Bytes of a file that is read: a summary of ten thousand cases has less than half.
pub const MOST_BYTES: u64 = 4_000_000;
/// Cases of which a summary may speak.
const MOST_CASES: u64 = 1_000_000;

/// Why a file is no summary.
#[derive(Debug, Error)]
pub enum SummaryError {
    #[error("it has more than {MOST_BYTES} bytes, and no summary.json has")]
    TooLarge,
    #[error("it is no JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("`{0}` is not what a summary.json has there")]
    Not(&'static str),
}

/// Reads a summary.json.
///
/// # Errors
/// When it is none of this version.
pub fn read(bytes: &[u8]) -> Result<Report, SummaryError> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(SummaryError::TooLarge);
    }
    let value: Value = serde_json::from_slice(bytes)?;
    if value["format_version"].as_u64() != Some(u64::from(FORMAT_VERSION)) {
        return Err(SummaryError::Not("format_version"));
    }
    let verdict = word(&value["verdict"], Overall::parse).ok_or(SummaryError::Not("verdict"))?;
    let exit = code(&value["exit_code"]).ok_or(SummaryError::Not("exit_code"))?;
    let all = &value["splits"]["all"];
    let selected = all["cases"]
        .as_u64()
        .filter(|cases| *cases <= MOST_CASES)
        .ok_or(SummaryError::Not("splits.all.cases"))?;
    let mut names = Names { cases: Vec::new(), places: BTreeMap::new(), most: selected as usize };
    let (metrics, rows) = metrics(&all["metrics"]);
    let figures = SplitFigures {
        split: None,
        selected: selected as usize,
        paired: all["cases_paired"].as_u64().unwrap_or(0) as usize,
        metrics: rows,
        flips: items(&all["flips"]).filter_map(|flip| flip_row(flip, &mut names)).collect(),
        stale: names.all(&all["stale"]),
        skipped: names.all(&all["skipped"]),
        unpaired: names.all(&all["unpaired"]),
        lost_evidence: names.all(&all["lost_evidence"]),
        ..SplitFigures::default()
    };
    let cases = names.into_cases();
    let journal = Journal::without_records(cases.len());
    let also = items(&value["also"]).filter_map(code).collect();
    let warnings = items(&value["warnings"]).filter_map(Value::as_str).map(str::to_owned);
    Ok(Report {
        meta: meta(&value),
        journal,
        collected: collected(&value, AttemptTable { cases, metrics, ..AttemptTable::default() }),
        settings: Settings {
            pairing: Pairing::SameAttempt,
            missing: Missing::AsWorst,
            seed: 0,
            resamples: 100,
            question: Question::TheseCases,
        },
        confirmation: None,
        is_foreign: value["client"].is_null(),
        splits: [
            figures,
            SplitFigures { split: Some(Split::Dev), ..SplitFigures::default() },
            SplitFigures { split: Some(Split::Test), ..SplitFigures::default() },
        ],
        rules: items(&value["rules"])
            .enumerate()
            .filter_map(|(index, rule)| rule_verdict(index, rule))
            .collect(),
        bracket: Vec::new(),
        tools_list: tools_list(&value["tools_list"]),
        missing: Vec::new(),
        gate: Gate { verdict, exit, also },
        warnings: warnings.map(Warning::FromRun).collect(),
    })
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn word<T>(value: &Value, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    parse(value.as_str()?)
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn small(value: &Value) -> u32 {
    u32::try_from(count(value)).unwrap_or(u32::MAX)
}

fn code(value: &Value) -> Option<ExitCode> {
    let number = value.as_u64()?;
    ExitCode::PRECEDENCE.into_iter().find(|code| *code as u64 == number)
}

/// Cases by their ids; of the others a summary says only how many there are.
struct Names {
    cases: Vec<String>,
    places: BTreeMap<String, usize>,
    most: usize,
}

impl Names {
    fn place(&mut self, value: &Value) -> Option<usize> {
        let id = value.as_str()?;
        if let Some(place) = self.places.get(id) {
            return Some(*place);
        }
        let place = self.cases.len();
        if place >= self.most {
            return None;
        }
        self.places.insert(id.to_owned(), place);
        self.cases.push(id.to_owned());
        Some(place)
    }

    fn all(&mut self, value: &Value) -> Vec<usize> {
        items(value).filter_map(|id| self.place(id)).collect()
    }

    fn into_cases(self) -> Vec<CaseRow> {
        let rest = self.most - self.cases.len();
        let row = |id: String| CaseRow {
            id,
            split: Split::Test,
            cluster: None,
            is_skipped: false,
            exposed: None,
            facts: Default::default(),
        };
        self.cases.into_iter().chain(std::iter::repeat_n(String::new(), rest)).map(row).collect()
    }
}

/// Metrics, and their rows.
fn metrics(value: &Value) -> (Vec<MetricInfo>, Vec<MetricRow>) {
    let metrics = value.as_object().into_iter().flatten().enumerate();
    metrics.map(|(place, (name, row))| (metric_info(name, row), metric_row(place, row))).unzip()
}

fn metric_info(name: &str, row: &Value) -> MetricInfo {
    if let Some(metric) = Metric::parse(name) {
        return MetricInfo::from(metric);
    }
    let better = word(&row["better"], Better::parse);
    let unit = text(&row["unit"]);
    MetricInfo {
        name: name.to_owned(),
        noise: if unit == "share" { NoiseClass::Share } else { NoiseClass::Size },
        unit,
        better: better.unwrap_or(Better::Lower),
        has_direction: better.is_some(),
        known: None,
    }
}

fn metric_row(metric: usize, row: &Value) -> MetricRow {
    let number = |key: &str| row[key].as_f64();
    // Percent in the file, a share in the row.
    let share = |key: &str| number(key).map(|percent| percent / 100.0);
    let one_of = |key: &str, words: &[&'static str]| {
        words.iter().copied().find(|word| row[key].as_str() == Some(*word))
    };
    MetricRow {
        metric,
        role: word(&row["role"], Role::parse),
        n_cases: count(&row["n_cases"]) as usize,
        attempts_baseline: count(&row["attempts_baseline"]),
        attempts_candidate: count(&row["attempts_candidate"]),
        baseline_mean: number("baseline_mean"),
        candidate_mean: number("candidate_mean"),
        baseline_total: number("baseline_total"),
        candidate_total: number("candidate_total"),
        delta: number("delta"),
        ci_low: number("ci_low"),
        ci_high: number("ci_high"),
        t_low: number("t_low"),
        t_high: number("t_high"),
        pct_change: share("pct_change"),
        pct_low: share("pct_low"),
        pct_high: share("pct_high"),
        cases_up: count(&row["cases_up"]) as usize,
        cases_down: count(&row["cases_down"]) as usize,
        cases_tied: count(&row["cases_tied"]) as usize,
        noise_se: number("noise_se"),
        same_code_runs: count(&row["same_code_runs"]) as usize,
        deterministic: row["deterministic"] == true,
        exposed_cases: row["exposed_cases"].as_u64().map(|cases| cases as usize),
        mde80: number("mde80"),
        call: one_of("call", &["better", "worse", "~"]),
        reason: one_of("reason", &["few pairs"]),
        all_equal: number("ci_low").is_none(),
        attempts_equal: row["attempts_baseline"] == row["attempts_candidate"],
        ..MetricRow::default()
    }
}

fn flip_row(flip: &Value, names: &mut Names) -> Option<FlipRow> {
    let directions = [Direction::Lost, Direction::Gained];
    Some(FlipRow {
        case: names.place(&flip["case_id"])?,
        direction: directions.into_iter().find(|one| flip["direction"].as_str() == Some(one.as_str()))?,
        baseline_right: small(&flip["baseline_right"]),
        baseline_attempts: small(&flip["baseline_attempts"]),
        candidate_right: small(&flip["candidate_right"]),
        candidate_attempts: small(&flip["candidate_attempts"]),
        first_difference: None,
        exposed: None,
    })
}

fn rule_verdict(index: usize, rule: &Value) -> Option<RuleVerdict> {
    let margin = match &rule["margin"] {
        Value::String(percent) => percent
            .strip_suffix('%')
            .and_then(|percent| percent.parse::<f64>().ok())
            .map(|percent| Margin::Percent(percent / 100.0)),
        other => other.as_f64().map(Margin::Absolute),
    };
    Some(RuleVerdict {
        rule_index: index,
        subject: rule["metric"].as_str()?.to_owned(),
        role: word(&rule["role"], Role::parse)?,
        question: word(&rule["question"], Question::parse),
        split: word(&rule["split"], Split::parse),
        cases: rule["cases"].as_str().map(str::to_owned),
        margin,
        max: rule["max"].as_f64(),
        min: rule["min"].as_f64(),
        on: word(&rule["on"], Side::parse),
        require: word(&rule["require"], Require::parse),
        value: rule["value"].as_f64(),
        bound: rule["bound"].as_f64(),
        p: rule["p"].as_f64(),
        p_holm: rule["p_holm"].as_f64(),
        verdict: word(&rule["verdict"], Verdict::parse),
        reason: text(&rule["reason"]),
        cases_needed: rule["cases_needed"].as_u64(),
        passing_margin: rule["passing_margin"].as_f64(),
    })
}

fn tools_list(list: &Value) -> Option<ToolsComparison> {
    let texts = |value: &Value| -> Vec<String> { items(value).map(text).collect() };
    let changed = |tool: &Value| ChangedTool {
        name: text(&tool["name"]),
        description_changed: tool["description_changed"] == true,
        arguments_added: texts(&tool["arguments_added"]),
        arguments_removed: texts(&tool["arguments_removed"]),
        required_added: texts(&tool["required_added"]),
        required_removed: texts(&tool["required_removed"]),
    };
    list.is_object().then(|| ToolsComparison {
        baseline_bytes: count(&list["baseline_bytes"]),
        candidate_bytes: count(&list["candidate_bytes"]),
        baseline_sha256: text(&list["baseline_sha256"]),
        candidate_sha256: text(&list["candidate_sha256"]),
        identical: list["identical"] == true,
        only_order: list["only_order"] == true,
        compatible: list["compatible"] == true,
        added: texts(&list["added"]),
        removed: texts(&list["removed"]),
        changed: items(&list["changed"]).map(changed).collect(),
    })
}

fn collected(value: &Value, table: AttemptTable) -> Collected {
    let mut collected = Collected { table, ..Collected::default() };
    let fidelity = &value["fidelity"];
    collected.fidelity.recorded_reads = count(&fidelity["recorded_reads"]);
    collected.fidelity.replayed_reads = count(&fidelity["replayed_reads"]);
    collected.fidelity.cases = count(&fidelity["cases"]);
    collected.fidelity.cases_equal = count(&fidelity["cases_equal"]);
    collected.needs.read_steps = count(&value["needs"]["read_steps"]);
    for (side, name) in [(Side::Baseline, "baseline"), (Side::Candidate, "candidate")] {
        let largest = &value["largest_result"][name];
        let largest_result = largest.is_object().then(|| LargestResult {
            result_chars: count(&largest["result_chars"]),
            tool: text(&largest["tool"]),
            is_read: largest["is_read"] == true,
            case_id: text(&largest["case_id"]),
            attempt: small(&largest["attempt"]),
            call_index: small(&largest["call_index"]),
        });
        collected.sides.insert(side, SideFacts { largest_result, ..SideFacts::default() });
    }
    collected
}

fn meta(value: &Value) -> RunMeta {
    let sides = value["sides"].as_object().into_iter().flatten().map(|(name, side)| {
        let text = |key: &str| side[key].as_str().map(str::to_owned);
        let meta = SideMeta {
            revision: text("revision"),
            dirty: side["dirty"] == true,
            server_name: text("server_name"),
            server_version: text("server_version"),
            ..SideMeta::default()
        };
        (name.clone(), meta)
    });
    RunMeta {
        format_version: FORMAT_VERSION,
        tool_version: String::new(),
        run_id: String::new(),
        status: RunStatus::Complete,
        started_at: String::new(),
        argv: Vec::new(),
        cwd: String::new(),
        seed: 0,
        attempts: small(&value["attempts"]),
        same_code: small(&value["same_code"]),
        candidate_again: true,
        a_a: false,
        replay: ReplayMode::Adaptive,
        on_oversized: OnOversized::RetrySmaller,
        resamples: 100,
        suite_path: String::new(),
        suite_sha256: String::new(),
        cases: BTreeMap::new(),
        shard: None,
        baseline_run: None,
        client: ClientMeta {
            profile: text(&value["client"]),
            sha256: String::new(),
            unit: text(&value["client_unit"]),
            limit: value["client_limit"].as_u64(),
            token_estimator: String::new(),
        },
        protocol: String::new(),
        rules: Vec::new(),
        gate: GateSettings::default(),
        // Ours, and yet of a stranger's file: it would stand outside of marks.
        rules_note: None,
        sides: sides.collect(),
        confirm: None,
        warnings: Vec::new(),
    }
}
