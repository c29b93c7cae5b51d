//! summary.md: what a careful maintainer would write under a pull request.

use super::csv_figures::split_word;
use super::phrase::{self, code, counted, grouped};
use super::sentence;
use super::summary_tables::{self as tables, Table};
use super::{Report, attribution};
use crate::metric::MetricInfo;
use crate::stats::flips::Direction;
use crate::trace::SideMeta;
use crate::verdict::{FlipRow, MetricRow, Overall, SplitFigures};
use crate::words::{Side, Split};
use std::fmt::Write;

/// Titles of what is folded.
pub(super) const PARTING: &str = "Where the sides part";
pub(super) const METRICS: &str = "All metrics";
pub(super) const SPLITS: &str = "Dev and test apart, all that changed";
pub(super) const RULES: &str = "All rules";

/// The file's text.
pub fn render(report: &Report) -> String {
    let mut text = format!("## {}\n\n", sentence(report));
    let _ = writeln!(text, "{}\n", compared(report));
    for warning in &report.warnings {
        let _ = writeln!(text, "- **Note:** {}", warning.text(&code));
    }
    if !report.warnings.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{}\n", paragraph(report));
    let failed = tables::rules(report, false).text();
    if !failed.is_empty() {
        let _ = writeln!(text, "{failed}");
    }
    text.push_str(&tables::key(report).text());
    text.push_str(&split_apart(report));
    text.push_str(&not_checked(report));
    text.push_str(&parting(report).folded(PARTING));
    text.push_str(&tables::metrics(report, &report.splits[0]).folded(METRICS));
    text.push_str(&splits_whole(report).folded(SPLITS));
    text.push_str(&tables::rules(report, true).folded(RULES));
    text
}

/// The verdict in one line.
pub(super) fn sentence(report: &Report) -> String {
    let word = match report.gate.verdict {
        Overall::Pass => "Pass",
        Overall::Regression => "Regression",
        Overall::Inconclusive => "Inconclusive",
        Overall::Incomplete => "Incomplete",
        Overall::None => "Not gated",
    };
    format!("{word}: {}", marked(&sentence::verdict(report)))
}

/// Sentences hold figures and names of metrics; a name that a server gave could be in a reason.
pub(super) fn marked(sentence: &str) -> String {
    let is_ours = |c: char| c.is_ascii_alphanumeric() || " .,;:()+->%/_'".contains(c);
    if sentence.chars().all(is_ours) && !sentence.contains("://") && !sentence.contains("www.") {
        sentence.replace('_', " ")
    } else {
        code(sentence)
    }
}

pub(super) fn compared(report: &Report) -> String {
    let meta = &report.meta;
    let side = |name: &str| meta.sides.get(name).map_or_else(|| "not known".to_owned(), side_name);
    let note = meta.rules_note.as_ref().map_or_else(String::new, |note| format!("{note}\n\n"));
    let a_a = if meta.a_a { "One side is defined: it is replayed against itself (A/A). " } else { "" };
    let stored = meta.baseline_run.as_ref().map_or_else(String::new, |stored| {
        format!(
            "The baseline is the {} of a stored run, which was not replayed beside this candidate. ",
            stored.side
        )
    });
    let client = match report.is_foreign {
        true => String::new(),
        false => format!(", client {}", code(&meta.client.profile)),
    };
    format!(
        "{note}{a_a}{stored}Baseline {} against candidate {}: {} x {}, {} of the same code beside the baseline{client}.",
        side("baseline"),
        side("candidate"),
        counted(report.collected.table.cases.len() as u64, "case", "cases"),
        counted(u64::from(meta.attempts), "attempt", "attempts"),
        counted(u64::from(meta.same_code), "run", "runs"),
    )
}

fn side_name(side: &SideMeta) -> String {
    let name = match (&side.revision, &side.server_name) {
        (Some(revision), _) => revision.clone(),
        (None, Some(name)) => format!("{name} {}", side.server_version.as_deref().unwrap_or_default()),
        (None, None) => return "without a name".to_owned(),
    };
    format!("{}{}", code(name.trim()), if side.dirty { " with uncommitted changes" } else { "" })
}

/// The headline in full, then flips, tools/list and the largest result.
pub(super) fn paragraph(report: &Report) -> String {
    let mut parts = Vec::new();
    match sentence::headline(report, &report.splits[0]) {
        Some((info, row)) => {
            let shown = phrase::Shown::of(info, row);
            let delta = row.delta.map_or_else(String::new, |delta| shown.delta(delta));
            parts.push(format!(
                "{}: delta {delta}, 95 % interval over cases {}, same code {}; {} up, {} down, {} tied.",
                capital(&marked(&phrase::change(info, row))),
                phrase::interval(info, row),
                same_code(row, &phrase::same_code(info, row)),
                row.cases_up,
                row.cases_down,
                row.cases_tied
            ));
        }
        None => parts.push(format!(
            "No metric changed in {}.",
            counted(report.splits[0].paired as u64, "case", "cases")
        )),
    }
    parts.extend(sentence::would_it_hold(report).map(|text| sentence_of(&text)));
    parts.extend(sentence::unchanged(report).map(|text| sentence_of(&text)));
    parts.extend(sentence::same_code_runs(report).map(|text| sentence_of(&text)));
    parts.extend(exposure(report));
    parts.extend(sentence::bounds(report).iter().map(|text| sentence_of(&marked(text))));
    parts.push(flips(report, &report.splits[0].flips));
    parts.extend(sentence::confirmed(report).map(|text| sentence_of(&text)));
    if !report.is_foreign {
        parts.push(tools_list(report));
    }
    parts.extend(largest(report));
    parts.extend(sentence::fidelity(report).map(|text| sentence_of(&text)));
    parts.extend(sentence::needs(report).map(|text| format!("Needs: {text}.")));
    parts.join(" ")
}

/// In how many cases the candidate answered a request otherwise than the baseline.
fn exposure(report: &Report) -> Option<String> {
    let all = &report.splits[0];
    let exposed = all.metrics.first()?.exposed_cases?;
    let cases = counted(all.paired as u64, "case", "cases");
    Some(format!("The change was seen by calls of {} of {cases}.", grouped(exposed as f64, 0)))
}

fn same_code(row: &MetricRow, spread: &str) -> String {
    let runs = counted(row.same_code_runs as u64, "run", "runs");
    let pairs = counted(row.same_code_pairs as u64, "pair", "pairs");
    if row.same_code_pairs == 0 {
        // A summary.json does not say from how many.
        spread.to_owned()
    } else if row.deterministic {
        format!("exact (it repeats itself in all of {pairs}, {runs})")
    } else {
        format!("{spread} ({pairs}, {runs})")
    }
}

fn sentence_of(text: &str) -> String {
    format!("{}.", capital(text))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), chars.as_str()))
}

fn flips(report: &Report, flips: &[FlipRow]) -> String {
    if flips.is_empty() {
        return "Flips: none.".to_owned();
    }
    let part = |direction: Direction| {
        let found: Vec<_> = flips.iter().filter(|flip| flip.direction == direction).collect();
        let names = found.iter().take(5).map(|flip| code(&report.collected.table.cases[flip.case].id));
        let names = names.collect::<Vec<_>>().join(", ");
        let more = if found.len() > 5 { ", ..." } else { "" };
        (!found.is_empty()).then(|| format!("{} {} ({names}{more})", found.len(), direction.as_str()))
    };
    let parts: Vec<_> = [Direction::Lost, Direction::Gained].into_iter().filter_map(part).collect();
    format!("Flips: {}.", parts.join(", "))
}

fn tools_list(report: &Report) -> String {
    let Some(list) = &report.tools_list else { return "tools/list: not known.".to_owned() };
    let bytes = |n: u64| grouped(n as f64, 0);
    if list.identical {
        return format!("tools/list: byte-identical ({} bytes).", bytes(list.baseline_bytes));
    }
    let changed = format!("{} -> {} bytes", bytes(list.baseline_bytes), bytes(list.candidate_bytes));
    format!("tools/list: {} ({changed}).", code(&list.in_words()))
}

fn largest(report: &Report) -> Option<String> {
    let of = |side| {
        let found = report.collected.sides.get(&side)?.largest_result.as_ref()?;
        let size = grouped(found.result_chars as f64, 0);
        Some(format!("{size} ({} in {})", code(&found.tool), code(&found.case_id)))
    };
    let (base, cand) = (of(Side::Baseline)?, of(Side::Candidate)?);
    let limit = report.meta.client.limit.map_or_else(String::new, |limit| {
        format!(", where the client's limit is {}", grouped(limit as f64, 0))
    });
    Some(format!("Largest result in chars: {base} -> {cand}{limit}."))
}

/// For each regression and each flip the cases that hold it, and the calls at which their sides part.
pub(super) fn parting(report: &Report) -> Table {
    let lines = if report.is_foreign { Vec::new() } else { attribution::lines(report, &code) };
    Table { head: String::new(), rows: lines.iter().map(|line| format!("- {line}\n")).collect() }
}

/// What changed in dev and in test, each alone: of the metrics that stand in the narrow table.
pub(super) fn split_apart(report: &Report) -> String {
    let [_, dev, test] = &report.splits;
    if dev.selected == 0 && test.selected == 0 {
        // Of a summary.json nothing is known of them.
        return String::new();
    }
    if dev.selected == 0 || test.selected == 0 {
        let only = if dev.selected == 0 { Split::Test } else { Split::Dev };
        return format!("\nAll cases are of the {only} split.\n");
    }
    let is_key = |info: &MetricInfo, row: &MetricRow| tables::is_key(report, info, row);
    [dev, test].map(|figures| format!("\n{}\n", split(report, figures, &is_key))).concat()
}

/// The same of every metric.
pub(super) fn splits_whole(report: &Report) -> Table {
    let [_, dev, test] = &report.splits;
    let both = if dev.selected == 0 || test.selected == 0 { Vec::new() } else { vec![dev, test] };
    let rows = both.into_iter().map(|figures| format!("- {}\n", split(report, figures, &|_, _| true)));
    Table { head: String::new(), rows: rows.collect() }
}

fn split(
    report: &Report,
    figures: &SplitFigures,
    is_told: &dyn Fn(&MetricInfo, &MetricRow) -> bool,
) -> String {
    let metrics = &report.collected.table.metrics;
    let changed: Vec<String> = figures
        .metrics
        .iter()
        .map(|row| (&metrics[row.metric], row))
        .filter(|(info, row)| row.delta.is_some_and(|delta| delta != 0.0) && is_told(info, row))
        .map(|(info, row)| format!("{} {}", marked(&phrase::change(info, row)), phrase::interval(info, row)))
        .collect();
    let what = if changed.is_empty() { "nothing of this changed".to_owned() } else { changed.join("; ") };
    let cases = counted(figures.paired as u64, "case", "cases");
    let mut text = format!("The {} split alone, {cases}: {what}.", split_word(figures.split));
    if !figures.flips.is_empty() {
        let _ = write!(text, " {}", flips(report, &figures.flips));
    }
    text
}

/// What this comparison cannot have seen.
pub(super) fn not_checked(report: &Report) -> String {
    let mut parts = vec![match report.is_foreign {
        true => "whether both sides had the same cases, client and settings, of which the file says nothing",
        false => "no model ran, so answers were not graded and an agent that would have read differently was not seen",
    }
    .to_owned()];
    let needs = &report.collected.needs;
    if needs.read_steps == 0 && !report.is_foreign {
        parts.push("no recording says what had to be read, so lost content cannot show".to_owned());
    }
    let all = &report.splits[0];
    for (cases, what) in [
        (&all.skipped, "may not be replayed"),
        (&all.stale, "met its needs on no side"),
        (&all.unpaired, "had no attempt ok on both sides"),
    ] {
        if !cases.is_empty() {
            parts.push(format!("{} {what}", counted(cases.len() as u64, "case", "cases")));
        }
    }
    if report.meta.same_code == 0 {
        parts.push("the same code was not run twice, so its noise is not known".to_owned());
    }
    format!("\nNot checked: {}.\n", parts.join("; "))
}
