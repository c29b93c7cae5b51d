//! The table that a person sees.

use super::Report;
use super::phrase::{self, counted, grouped, percent, plain};
use super::sentence;
use crate::metric::MetricInfo;
use crate::stats::flips::Direction;
use crate::trace::SideMeta;
use crate::verdict::{MetricRow, Overall, SplitFigures};
use crate::words::{Metric, Side};

/// How the text is laid out.
#[derive(Debug, Clone, Default)]
pub struct TerminalOptions {
    /// Columns of the terminal; 80 when not known.
    pub width: Option<usize>,
    pub color: bool,
    /// The results folder, for the last line.
    pub folder: Option<String>,
    /// What the history of the suite says: lines above the last one.
    pub rounds: Vec<String>,
}

/// The report as lines for a terminal, with a line feed at the end.
pub fn terminal(report: &Report, options: &TerminalOptions) -> String {
    let width = options.width.unwrap_or(80).max(40);
    let mut lines = Vec::new();
    if let Some(note) = &report.meta.rules_note {
        lines.extend(wrapped(note, width, ""));
    }
    if report.meta.a_a {
        lines.push("one side is defined: it is replayed against itself (A/A)".to_owned());
    }
    if let Some(stored) = &report.meta.baseline_run {
        let age = phrase::age(stored.age_s);
        let line = format!(
            "the baseline is `{}` of the stored run {}, made {age} before this one",
            stored.side,
            plain(&stored.run_id)
        );
        lines.extend(wrapped(&line, width, "  "));
    }
    lines.extend(wrapped(&heading(report), width, "  "));
    lines.extend(wrapped(&verdict_line(report, options.color), width, "      "));
    for note in report.journal.notes() {
        lines.extend(wrapped(&format!("journal: {}", plain(&note.to_string())), width, "  "));
    }
    for warning in &report.warnings {
        lines.extend(wrapped(&format!("warning: {}", warning), width, "  "));
    }
    lines.push(String::new());
    lines.extend(table(report, &report.splits[0], width, options.color));
    lines.extend(facts(report).iter().flat_map(|line| wrapped(line, width, "  ")));
    for line in sentence::open_rules(report) {
        lines.extend(wrapped(&line, width, "  "));
    }
    for line in &options.rounds {
        lines.extend(wrapped(line, width, "  "));
    }
    if let Some(folder) = &options.folder {
        lines.push(format!("report: {}/report.html", folder.trim_end_matches('/')));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn heading(report: &Report) -> String {
    let meta = &report.meta;
    let side = |name: &str| match meta.sides.get(name) {
        Some(side) => format!("{name} {}", side_name(side)),
        None => name.to_owned(),
    };
    let client = match report.is_foreign {
        true => String::new(),
        false => format!("   client {}", meta.client.profile),
    };
    format!(
        "{}   {}   {} x {}{client}",
        side("baseline"),
        side("candidate"),
        counted(report.collected.table.cases.len() as u64, "case", "cases"),
        meta.attempts,
    )
}

/// The revision, else the server's name and version.
fn side_name(side: &SideMeta) -> String {
    let Some(revision) = &side.revision else {
        let parts = [side.server_name.as_deref(), side.server_version.as_deref()];
        return plain(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
    };
    let dirty = if side.dirty { "+dirty" } else { "" };
    let age = match side.revision_age_s {
        Some(age) if age >= 2 * 86_400 => format!(" ({} days old)", age / 86_400),
        Some(age) if age >= 2 * 3_600 => format!(" ({} hours old)", age / 3_600),
        _ => String::new(),
    };
    format!("{}{dirty}{age}", plain(revision))
}

fn verdict_line(report: &Report, color: bool) -> String {
    let (word, code) = match report.gate.verdict {
        Overall::Pass => ("PASS", "32"),
        Overall::Regression => ("REGRESSION", "31"),
        Overall::Inconclusive => ("INCONCLUSIVE", "33"),
        Overall::Incomplete => ("INCOMPLETE", "33"),
        Overall::None => ("NOT GATED", "33"),
    };
    format!("{}  {}", painted(word, code, color), sentence::verdict(report))
}

fn painted(text: &str, code: &str, color: bool) -> String {
    if color { format!("\u{1b}[1;{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// The metrics that are always shown.
const HEADLINE: [Metric; 3] = [Metric::ContinuationReads, Metric::OversizedResults, Metric::EvidenceRecall];

/// The rows that a person needs: the headline, what a rule looks at, what changed.
pub(super) fn is_shown(report: &Report, info: &MetricInfo, row: &MetricRow) -> bool {
    let spilled = report.splits[0].metrics.iter().any(|row| {
        report.collected.table.metrics[row.metric].known == Some(Metric::SpillReads)
            && (row.baseline_total, row.candidate_total) != (Some(0.0), Some(0.0))
    });
    match info.known {
        Some(Metric::ToolCalls) => !spilled || row.role != Some(crate::words::Role::Info),
        Some(Metric::AgentCalls) if !spilled => row.role != Some(crate::words::Role::Info),
        Some(metric) if HEADLINE.contains(&metric) => true,
        _ => {
            report.rules.iter().any(|rule| rule.subject == info.name)
                || row.delta.is_some_and(|delta| delta != 0.0)
        }
    }
}

fn table(report: &Report, figures: &SplitFigures, width: usize, color: bool) -> Vec<String> {
    let metrics = &report.collected.table.metrics;
    let mut rows = vec![["", "base", "cand", "delta", "95 % CI", "same code", ""].map(str::to_owned)];
    let mut unchanged = Vec::new();
    for row in &figures.metrics {
        let info = &metrics[row.metric];
        if !is_shown(report, info, row) {
            if row.delta == Some(0.0) {
                unchanged.push(plain(&info.name.replace('_', " ")));
            }
            continue;
        }
        let shown = phrase::Shown::of(info, row);
        let value = |mean: Option<f64>| mean.map_or_else(String::new, |mean| shown.value(mean));
        rows.push([
            phrase::label(info, row),
            value(row.baseline_mean),
            value(row.candidate_mean),
            row.delta.map_or_else(String::new, |delta| shown.delta(delta)),
            phrase::interval(info, row),
            phrase::same_code(info, row),
            phrase::word(row),
        ]);
    }
    if rows.len() == 1 {
        return Vec::new();
    }
    let mut lines = laid_out(&rows, width, color);
    if !unchanged.is_empty() {
        lines.extend(wrapped(&format!("no change: {}", unchanged.join(", ")), width, "  "));
    }
    lines
}

/// Where a column stands that may be left out.
const SAME_CODE: usize = 5;

/// Columns as wide as they must be. What is too wide for the terminal loses first a column that says `exact` in every
/// row, then has its word on a line of its own.
fn laid_out(rows: &[[String; 7]], width: usize, color: bool) -> Vec<String> {
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = |gap: usize| (0..6).map(|column| widest(column) + gap).collect::<Vec<usize>>();
    let is_narrow = |widths: &Vec<usize>| widths.iter().sum::<usize>() > width;
    let mut widths = Some(widths(2)).filter(|wide| !is_narrow(wide)).unwrap_or_else(|| widths(1));
    let length = |widths: &[usize], row: &[String; 7]| widths.iter().sum::<usize>() + row[6].chars().count();
    let is_exact = rows[1..].iter().all(|row| row[SAME_CODE] == "exact");
    let is_wide = rows.iter().any(|row| length(&widths, row) > width);
    let drops = is_wide && is_exact;
    if drops {
        widths[SAME_CODE] = 0;
    }
    let mut lines = Vec::new();
    for row in rows {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let cells: String = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
        let word = match row[6].split(' ').next() {
            Some("better") => painted(&row[6], "32", color),
            Some("worse") => painted(&row[6], "31", color),
            _ => row[6].clone(),
        };
        if length(&widths, row) > width && !row[6].is_empty() {
            lines.extend([cells, format!("    {word}")]);
        } else {
            lines.push(cells + &word);
        }
    }
    if drops {
        lines.push("same code: exact in every row".to_owned());
    }
    lines
}

/// The lines below the table.
fn facts(report: &Report) -> Vec<String> {
    let mut lines = vec![match report.is_foreign {
        true => flips(report),
        false => [flips(report), tools_list(report), largest(report)].join("   "),
    }];
    lines.extend(sentence::confirmed(report).map(|text| format!("confirm flips: {text}")));
    lines.extend(sentence::bounds(report));
    lines.extend(sentence::fidelity(report));
    lines.extend(sentence::needs(report).map(|text| format!("needs: {text}")));
    lines.extend(sentence::test_split(report).map(|text| format!("test split alone: {text}")));
    lines.extend(sentence::would_it_hold(report));
    lines.extend(sentence::unchanged(report));
    lines.extend(sentence::same_code_runs(report));
    lines
}

fn flips(report: &Report) -> String {
    let flips = &report.splits[0].flips;
    let names = |direction: Direction| -> Vec<&str> {
        let found = flips.iter().filter(|flip| flip.direction == direction);
        found.map(|flip| report.collected.table.cases[flip.case].id.as_str()).collect()
    };
    let part = |direction: Direction| {
        let names = names(direction);
        let shown = names.iter().take(3).map(|name| plain(name)).collect::<Vec<_>>().join(", ");
        let more = if names.len() > 3 { ", ..." } else { "" };
        (!names.is_empty()).then(|| format!("{} {} ({shown}{more})", names.len(), direction.as_str()))
    };
    let parts: Vec<String> = [Direction::Lost, Direction::Gained].into_iter().filter_map(part).collect();
    if parts.is_empty() { "flips: none".to_owned() } else { format!("flips: {}", parts.join(", ")) }
}

fn tools_list(report: &Report) -> String {
    match &report.tools_list {
        None => "tools/list: not known".to_owned(),
        Some(list) if list.identical => {
            format!("tools/list: byte-identical ({} bytes)", grouped(list.baseline_bytes as f64, 0))
        }
        Some(list) => format!(
            "tools/list: {} ({} -> {} bytes)",
            plain(&list.in_words()),
            grouped(list.baseline_bytes as f64, 0),
            grouped(list.candidate_bytes as f64, 0)
        ),
    }
}

fn largest(report: &Report) -> String {
    let of = |side| report.collected.sides.get(&side).and_then(|facts| facts.largest_result.as_ref());
    let (base, cand) = (of(Side::Baseline), of(Side::Candidate));
    let number = |n: u64| grouped(n as f64, 0);
    let sizes = match (base, cand) {
        (Some(base), Some(cand)) if base.result_chars == cand.result_chars => number(cand.result_chars),
        (Some(base), Some(cand)) => format!("{} -> {}", number(base.result_chars), number(cand.result_chars)),
        (None, Some(only)) | (Some(only), None) => number(only.result_chars),
        (None, None) => return "no result".to_owned(),
    };
    let is_read = base.is_none_or(|l| l.is_read) && cand.is_none_or(|l| l.is_read);
    let what = if is_read { "largest read" } else { "largest result" };
    match report.meta.client.limit {
        Some(limit) => format!("{what} {sizes} / {} chars", number(limit)),
        None => format!("{what} {sizes} chars"),
    }
}

/// Breaks a line between words; a word that is too long stands alone. Paint has no width.
fn wrapped(text: &str, width: usize, indent: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if visible(&line) + 1 + visible(word) > width && !line.trim().is_empty() {
            lines.push(std::mem::replace(&mut line, format!("{indent}{word}")));
        } else {
            if !line.is_empty() || (word.is_empty() && lines.is_empty()) {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.push(line);
    lines
}

fn visible(text: &str) -> usize {
    let mut inside = false;
    text.chars()
        .filter(|c| match c {
            '\u{1b}' => {
                inside = true;
                false
            }
            'm' if inside => {
                inside = false;
                false
            }
            _ => !inside,
        })
        .count()
}

/// Percent with a sign, for sentences.
pub(super) fn detectable(info: &MetricInfo, row: &MetricRow) -> Option<String> {
    let mde = row.mde80?;
    let base = row.baseline_mean?;
    let sign = if row.delta.unwrap_or(0.0) < 0.0 { -1.0 } else { 1.0 };
    Some(if base > 0.0 && info.noise != crate::words::NoiseClass::Share {
        match sign * mde < -base {
            // Nothing falls by more than all of it.
            true => format!("{}, and no fall", percent(mde / base)),
            false => percent(sign * mde / base),
        }
    } else {
        phrase::Shown::of(info, row).delta(sign * mde)
    })
}
