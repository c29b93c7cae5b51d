//! comment.md: what stands under a pull request, edited in place by its marker, and the summary of a CI's step.

use super::budget::Budgeted;
use super::phrase::{self, age, code, counted, grouped, signed};
use super::summary_tables::{self as tables, Table};
use super::{Report, csv_cases, sentence, summary_md};
use crate::verdict::{Comparison, Overall};

/// Bytes of a comment: GitHub takes 65,536 characters.
pub const COMMENT_BYTES: usize = 60_000;
/// Bytes of the summary of a step.
pub const STEP_BYTES: usize = 65_536;
/// By this line a commenting job finds the comment that it edits.
pub const MARKER: &str = "<!-- mcp-regress -->";
/// Bytes of the verdict's sentence.
const SENTENCE: usize = 1_500;
/// Of the mean of a case.
const DECIMALS: usize = 2;
/// Sections that may have to say what they left out.
const SECTIONS: usize = 10;

/// The comment, when there is something to say. `comparison` is that of the report.
pub fn comment(report: &Report, comparison: &Comparison<'_>) -> Option<String> {
    has_something_to_say(report).then(|| within(report, Some(comparison), COMMENT_BYTES))
}

/// The comment of a report that was read from a summary.json: of single cases it tells flips alone.
pub fn comment_of_summary(report: &Report) -> Option<String> {
    has_something_to_say(report).then(|| within(report, None, COMMENT_BYTES))
}

/// Whether anything is other than it was: the verdict, a metric beyond its noise, a case, a tool list.
pub fn has_something_to_say(report: &Report) -> bool {
    let all = &report.splits[0];
    let is_moved = |row: &crate::verdict::MetricRow| row.call.is_some_and(|call| call != "~");
    !matches!(report.gate.verdict, Overall::Pass | Overall::None)
        || all.metrics.iter().any(is_moved)
        || !all.flips.is_empty()
        || !all.lost_evidence.is_empty()
        || !all.stale.is_empty()
        || !all.unpaired.is_empty()
        || report.tools_list.as_ref().is_some_and(|list| !list.identical)
}

/// The comment's text, in fewer than `bytes` bytes: whole rows are left out, and counted, where it would be
/// longer.
pub fn within(report: &Report, comparison: Option<&Comparison<'_>>, bytes: usize) -> String {
    let run = run(report);
    let mut text = Budgeted::new(bytes.saturating_sub(run.len()), SECTIONS);
    let mut sentence = summary_md::sentence(report);
    if sentence.len() > SENTENCE {
        sentence.truncate(sentence.floor_char_boundary(SENTENCE));
        sentence.push_str(" ...");
    }
    text.whole(&format!("## {sentence}\n{MARKER}\n\n"));
    text.whole(&format!("{}\n\n", summary_md::compared(report)));
    let failed = tables::rules(report, false);
    text.rows(&failed.head, &failed.rows, "rules (rules.csv)");
    let notes: Vec<String> =
        report.warnings.iter().map(|warning| format!("- **Note:** {}\n", warning.text(&code))).collect();
    text.rows("\n", &notes, "notes (summary.json)");
    text.whole(&format!(
        "{}{}\n\n",
        if text.ends_with_blank() { "" } else { "\n" },
        summary_md::paragraph(report)
    ));
    let key = tables::key(report);
    text.rows(&key.head, &key.rows, "metrics (metrics.csv)");
    text.whole(&summary_md::split_apart(report));
    text.rows(FLIPS, &flips(report), "flipped cases (flips.csv)");
    text.whole(&summary_md::not_checked(report));
    let mut fold = |title: &str, table: &Table, what: &str| {
        text.rows_between(&(tables::fold(title) + &table.head), &table.rows, tables::FOLD_END, what);
    };
    if comparison.is_some() {
        fold(
            summary_md::PARTING,
            &summary_md::parting(report),
            "regressions and flips (flips.csv, cases.csv)",
        );
    }
    fold(summary_md::METRICS, &tables::metrics(report, &report.splits[0]), "metrics (metrics.csv)");
    fold(summary_md::SPLITS, &summary_md::splits_whole(report), "splits (metrics.csv)");
    fold(summary_md::RULES, &tables::rules(report, true), "rules (rules.csv)");
    if let Some(comparison) = comparison {
        fold("Cases that changed most", &changed_cases(report, comparison), "changed cases (cases.csv)");
    }
    text.text() + &run
}

const FLIPS: &str = "\n| case | flip | baseline | candidate |\n|---|---|---|---|\n";

fn flips(report: &Report) -> Vec<String> {
    let cases = &report.collected.table.cases;
    let row = |flip: &crate::verdict::FlipRow| {
        format!(
            "| {} | {} | right in {} of {} | right in {} of {} |\n",
            code(&cases[flip.case].id),
            flip.direction.as_str(),
            flip.baseline_right,
            flip.baseline_attempts,
            flip.candidate_right,
            flip.candidate_attempts
        )
    };
    report.splits[0].flips.iter().map(row).collect()
}

/// The cases in which the headline's metric changed, the largest changes first.
fn changed_cases(report: &Report, comparison: &Comparison<'_>) -> Table {
    let Some((info, row)) = sentence::headline(report, &report.splits[0]) else {
        return Table { head: String::new(), rows: Vec::new() };
    };
    let mut changed = csv_cases::changed(comparison, row.metric);
    changed.sort_by(|a, b| b.delta.abs().total_cmp(&a.delta.abs()).then(a.case.cmp(&b.case)));
    let row = |change: &csv_cases::Change| {
        format!(
            "| {} | {} | {} | {} |\n",
            code(&report.collected.table.cases[change.case].id),
            grouped(change.baseline, DECIMALS),
            grouped(change.candidate, DECIMALS),
            signed(change.delta, DECIMALS)
        )
    };
    let label = code(&info.name.replace('_', " "));
    let head = format!(
        "{label} by case, mean of an attempt:\n\n| case | baseline | candidate | delta |\n|---|---|---|---|\n"
    );
    Table { head, rows: changed.iter().map(row).collect() }
}

/// What differs from run to run, in one block at the end.
fn run(report: &Report) -> String {
    let meta = &report.meta;
    if meta.run_id.is_empty() {
        return String::new();
    }
    let stored = meta.baseline_run.as_ref().map_or_else(String::new, |stored| {
        format!("; baseline from run {}, {} older", code(&stored.run_id), age(stored.age_s))
    });
    let words = counted(meta.argv.len() as u64, "word", "words");
    let command = if meta.argv.is_empty() { words } else { code(&phrase::plain(&meta.argv.join(" "))) };
    format!("\n---\nrun {}, started {}: {command}{stored}\n", code(&meta.run_id), code(&meta.started_at))
}
