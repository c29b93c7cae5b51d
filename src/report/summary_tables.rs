//! Tables of Markdown: one of four narrow columns that a phone shows beside a sentence, and those that hold
//! everything, to be folded.

use super::Report;
use super::csv_figures::margin_text;
use super::phrase::{self, code, grouped};
use super::summary_md::marked;
use super::terminal::is_shown;
use crate::metric::MetricInfo;
use crate::verdict::{MetricRow, RuleVerdict, SplitFigures, Verdict};
use crate::words::{Metric, NoiseClass};
use std::fmt::Write;

/// Most rows of the narrow table where no rule says what counts.
const ROWS: usize = 8;

/// A table as its head, with what stands above it, and its rows.
pub struct Table {
    pub head: String,
    pub rows: Vec<String>,
}

impl Table {
    pub fn text(&self) -> String {
        if self.rows.is_empty() { String::new() } else { self.head.clone() + &self.rows.concat() }
    }

    /// The same, to be opened by who wants it.
    pub fn folded(&self, title: &str) -> String {
        if self.rows.is_empty() { String::new() } else { fold(title) + &self.text() + FOLD_END }
    }
}

/// What begins a folded part, and what ends it.
pub fn fold(title: &str) -> String {
    format!("\n<details><summary>{title}</summary>\n\n")
}

pub const FOLD_END: &str = "\n</details>\n";

/// Whether a row belongs beside the sentence: what the rules ask for, and what a person asks first.
pub fn is_key(report: &Report, info: &MetricInfo, row: &MetricRow) -> bool {
    const FIRST: [Metric; 5] = [
        Metric::ToolCalls,
        Metric::AgentCalls,
        Metric::ContinuationReads,
        Metric::OversizedResults,
        Metric::EvidenceRecall,
    ];
    let is_asked = report.rules.is_empty()
        || info.known.is_some_and(|metric| FIRST.contains(&metric))
        || report.rules.iter().any(|rule| rule.subject == info.name);
    is_asked && is_shown(report, info, row)
}

/// The narrow table: what changed, by how much, and what that is.
pub fn key(report: &Report) -> Table {
    let metrics = &report.collected.table.metrics;
    let all = &report.splits[0].metrics;
    let mut shown: Vec<_> = all
        .iter()
        .map(|row| (&metrics[row.metric], row))
        .filter(|(info, row)| is_key(report, info, row))
        .collect();
    if report.rules.is_empty() {
        shown.truncate(ROWS);
    }
    let is_exact = shown.iter().all(|(_, row)| row.deterministic);
    let rows = shown.iter().map(|(info, row)| {
        let mut difference = difference(info, row);
        if !is_exact {
            let _ = write!(difference, ", same code {}", phrase::same_code(info, row));
        }
        let (from_to, word) = (from_to(info, row), phrase::word(row));
        format!("| {} | {from_to} | {difference} | {word} |\n", marked(&phrase::label(info, row)))
    });
    let exact = if is_exact { ", same code exact" } else { "" };
    Table {
        head: format!(
            "| metric | baseline -> candidate | difference, 95 % CI{exact} | |\n|---|---|---|---|\n"
        ),
        rows: rows.collect(),
    }
}

fn from_to(info: &MetricInfo, row: &MetricRow) -> String {
    let shown = phrase::Shown::of(info, row);
    let (Some(base), Some(cand)) = (row.baseline_mean, row.candidate_mean) else { return String::new() };
    let change = row.pct_change.filter(|change| *change != 0.0 && info.noise != NoiseClass::Share);
    let change = change.map_or_else(String::new, |change| format!(" ({})", phrase::percent(change)));
    format!("{} -> {}{change}", shown.value(base), shown.value(cand))
}

fn difference(info: &MetricInfo, row: &MetricRow) -> String {
    let interval = phrase::interval(info, row);
    match row.delta.filter(|delta| *delta != 0.0) {
        Some(delta) => format!("{} {interval}", phrase::Shown::of(info, row).delta(delta)),
        None => interval,
    }
}

/// Every metric with every column.
pub fn metrics(report: &Report, figures: &SplitFigures) -> Table {
    let row = |row: &MetricRow| {
        let info = &report.collected.table.metrics[row.metric];
        let shown = phrase::Shown::of(info, row);
        let value = |mean: Option<f64>| mean.map_or_else(String::new, |mean| shown.value(mean));
        format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            marked(&phrase::label(info, row)),
            value(row.baseline_mean),
            value(row.candidate_mean),
            row.delta.map_or_else(String::new, |delta| shown.delta(delta)),
            phrase::interval(info, row),
            phrase::same_code(info, row),
            phrase::word(row)
        )
    };
    Table {
        head: "Counts are totals over all paired attempts unless they say mean or a case; sizes are means of an attempt; shares are means.\n\n| metric | baseline | candidate | delta | 95 % CI | same code | |\n|---|---|---|---|---|---|---|\n".to_owned(),
        rows: figures.metrics.iter().map(row).collect(),
    }
}

/// The rules with their verdicts: those that did not pass, or all.
pub fn rules(report: &Report, all: bool) -> Table {
    let is_wanted = |rule: &&RuleVerdict| all || rule.verdict != Some(Verdict::Pass);
    Table {
        head: "| rule | asks | verdict | |\n|---|---|---|---|\n".to_owned(),
        rows: report.rules.iter().filter(is_wanted).map(rule).collect(),
    }
}

fn rule(rule: &RuleVerdict) -> String {
    let mut asks = match (rule.margin, rule.max, rule.min, rule.require) {
        (_, _, _, Some(require)) => require.to_string(),
        (_, Some(max), _, _) => format!("at most {}", grouped_short(max)),
        (_, _, Some(min), _) => format!("at least {}", grouped_short(min)),
        (Some(margin), ..) => format!("{}, margin {}", rule.role, margin_text(margin)),
        _ => rule.role.to_string(),
    };
    if let Some(question) = rule.question {
        let _ = write!(asks, ", {question}");
    }
    if let Some(split) = rule.split {
        let _ = write!(asks, ", {split} alone");
    }
    if let Some(glob) = &rule.cases {
        let _ = write!(asks, ", {}", code(glob));
    }
    let verdict = rule.verdict.map_or("not judged", Verdict::as_str);
    let reason = if rule.reason.is_empty() { String::new() } else { marked(&rule.reason) };
    format!("| {} | {asks} | {verdict} | {reason} |\n", marked(&rule.subject.replace('_', " ")))
}

fn grouped_short(number: f64) -> String {
    if number.fract() == 0.0 { grouped(number, 0) } else { crate::text::decimal(number) }
}
