//! Sentences that terminal and Markdown share.

use super::Report;
use super::phrase::{Shown, change, counted, grouped, percent, plain};
use super::terminal::detectable;
use crate::metric::MetricInfo;
use crate::suite::Margin;
use crate::verdict::{MetricRow, Overall, RuleVerdict, SplitFigures, Verdict};
use crate::words::{Metric, NeedKind, Question, Split};

/// Metrics by how much a reader cares, after those of the rules.
const BY_INTEREST: [Metric; 9] = [
    Metric::ContinuationReads,
    Metric::OversizedResults,
    Metric::EvidenceRecall,
    Metric::AgentCalls,
    Metric::ToolCalls,
    Metric::Errors,
    Metric::StuckChains,
    Metric::ResultChars,
    Metric::ResultWireBytes,
];

/// What the verdict rests on, without the word itself.
pub fn verdict(report: &Report) -> String {
    match report.gate.verdict {
        Overall::Regression => named(report, Verdict::Regression),
        Overall::Inconclusive => named(report, Verdict::Inconclusive),
        Overall::Incomplete => incomplete(report),
        Overall::Pass | Overall::None => match headline(report, &report.splits[0]) {
            Some((info, row)) => {
                format!("{}{}{}", change(info, row), where_it_holds(row), not_asked(report, info, row))
            }
            None => format!("nothing changed on these {}", cases(report.splits[0].paired)),
        },
    }
}

/// A pass that stands beside something worse must not read as if that were fine.
fn not_asked(report: &Report, info: &MetricInfo, row: &MetricRow) -> &'static str {
    let is_asked = report.rules.iter().any(|rule| rule.subject == info.name);
    match row.call == Some("worse") && !is_asked && report.gate.verdict == Overall::Pass {
        true => "; worse, and no rule asks for it",
        false => "",
    }
}

fn cases(count: usize) -> String {
    counted(count as u64, "case", "cases")
}

fn where_it_holds(row: &MetricRow) -> &'static str {
    match row.question {
        // Of cases like these nothing is claimed that the word of the row does not say.
        Some(Question::CasesLikeThese) if row.call.is_some_and(|call| call != "~") => " for cases like these",
        _ => " on these cases",
    }
}

/// The metric that the report is about: the first that changed, by the rules, then by interest.
pub fn headline<'r>(
    report: &'r Report,
    figures: &'r SplitFigures,
) -> Option<(&'r MetricInfo, &'r MetricRow)> {
    let table = &report.collected.table;
    let ruled = report.rules.iter().map(|rule| rule.subject.as_str());
    let interesting = BY_INTEREST.iter().map(|metric| metric.as_str());
    let rest = table.metrics.iter().map(|metric| metric.name.as_str());
    ruled.chain(interesting).chain(rest).find_map(|name| {
        let place = table.metric(name)?;
        let row = figures.metric(place)?;
        row.delta.filter(|delta| *delta != 0.0)?;
        Some((&table.metrics[place], row))
    })
}

/// The rules with this verdict, each with its figures.
fn named(report: &Report, verdict: Verdict) -> String {
    let parts: Vec<String> = report
        .rules
        .iter()
        .filter(|rule| rule.verdict == Some(verdict))
        .map(|rule| rule_figures(report, rule))
        .collect();
    parts.join("; ")
}

/// `continuation reads 12 -> 25 (+108 %)`, or the subject with what it was found to be.
pub fn rule_figures(report: &Report, rule: &RuleVerdict) -> String {
    let table = &report.collected.table;
    let figures = report.splits.iter().find(|figures| figures.split == rule.split);
    let row = table.metric(&rule.subject).and_then(|place| figures?.metric(place));
    let place = match (rule.split, &rule.cases) {
        (None, None) => String::new(),
        (Some(split), None) => format!(" in {split}"),
        (None, Some(glob)) => format!(" in {}", plain(glob)),
        (Some(split), Some(glob)) => format!(" in {split} {}", plain(glob)),
    };
    let reason = plain(&rule.reason);
    // That it is worse is seen from the figures.
    let told = match reason.as_str() {
        "" | "worse" => String::new(),
        reason => format!(", {reason}"),
    };
    match row.filter(|_| rule.cases.is_none()) {
        Some(row) => format!("{}{place}{told}", change(&table.metrics[row.metric], row)),
        None => format!("{}{place}{told}", plain(&rule.subject.replace('_', " "))),
    }
}

fn incomplete(report: &Report) -> String {
    if !report.missing.is_empty() {
        return format!(
            "{} of {} attempts have no record",
            grouped(report.missing.len() as f64, 0),
            grouped(report.planned_attempts() as f64, 0)
        );
    }
    if report.splits[0].paired == 0 {
        return "no case has an attempt that is ok on both sides".to_owned();
    }
    named(report, Verdict::Incomplete)
}

/// The rules that neither passed nor make the headline: named in the last lines.
pub fn open_rules(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for verdict in [Verdict::Regression, Verdict::Inconclusive, Verdict::Incomplete] {
        if verdict.as_str() == report.gate.verdict.as_str() && verdict != Verdict::Inconclusive {
            continue;
        }
        for rule in report.rules.iter().filter(|rule| rule.verdict == Some(verdict)) {
            let needed = match (rule.cases_needed, rule.settling_margin()) {
                (Some(cases), _) => format!(" ({} cases would settle it)", grouped(cases as f64, 0)),
                (None, Some(margin)) if !matches!(rule.margin, Some(Margin::Percent(_))) => format!(
                    " (unchanged code passes a margin of {} nine times in ten)",
                    crate::text::decimal(margin)
                ),
                _ => String::new(),
            };
            lines.push(format!("{verdict}: {}{needed}", rule_figures(report, rule)));
        }
    }
    lines
}

/// How well replaying the baseline repeats the recordings; nothing when no recording says.
pub fn fidelity(report: &Report) -> Option<String> {
    let fidelity = &report.collected.fidelity;
    (fidelity.cases > 0).then(|| {
        format!(
            "replay of the baseline makes {} of the {} recorded reads; {} of {} equal",
            grouped(fidelity.replayed_reads as f64, 0),
            grouped(fidelity.recorded_reads as f64, 0),
            grouped(fidelity.cases_equal as f64, 0),
            counted(fidelity.cases, "case", "cases")
        )
    })
}

/// The same headline in the test split, when the suite has both.
pub fn test_split(report: &Report) -> Option<String> {
    let [all, dev, test] = &report.splits;
    debug_assert_eq!(test.split, Some(Split::Test));
    if dev.selected == 0 || test.selected == 0 {
        return None;
    }
    let Some((info, _)) = headline(report, all) else {
        return Some(format!("nothing changed in {}", cases(test.paired)));
    };
    let place = report.collected.table.metric(&info.name)?;
    let row = test.metric(place)?;
    Some(format!("{} in {}", change(info, row), cases(test.paired)))
}

/// What the fresh attempts of flipped cases say; nothing when nobody asked.
pub fn confirmed(report: &Report) -> Option<String> {
    let confirmation = report.confirmation.as_ref()?;
    let flips = &report.splits[0].flips;
    if confirmation.is_empty() && flips.is_empty() {
        return Some("no case flipped: there is nothing to confirm".to_owned());
    }
    if confirmation.exact {
        return Some(
            "the flips are exact, the same code repeats itself: fresh attempts would say the same, none were made"
                .to_owned(),
        );
    }
    let known: Vec<_> = flips.iter().filter_map(|flip| Some((flip, confirmation.case(flip.case)?))).collect();
    let again = known.iter().filter(|(flip, fresh)| fresh.flip() == Some(flip.direction)).count();
    let unknown = match flips.len() - known.len() {
        0 => String::new(),
        n => format!("; {n} without a fresh attempt that is ok on both sides"),
    };
    Some(format!(
        "{again} of {} confirmed by {} fresh attempts a side{unknown}",
        counted(flips.len() as u64, "flip", "flips"),
        confirmation.attempts
    ))
}

/// What failed attempts could have changed in shares.
pub fn bounds(report: &Report) -> Option<String> {
    let rows: Vec<_> = report.splits[0].metrics.iter().filter_map(|row| Some((row, row.bounds?))).collect();
    let failed = rows.first()?.1.failed;
    let each = rows.iter().map(|(row, bounds)| {
        let info = &report.collected.table.metrics[row.metric];
        let shown = Shown::of(info, row);
        let (worst, best) = (shown.delta(bounds.worst), shown.delta(bounds.best));
        format!("{} {worst} to {best}", plain(&info.name.replace('_', " ")))
    });
    Some(format!(
        "whatever the failed attempts ({} baseline, {} candidate) would have given, the delta lies within: {}",
        failed.0,
        failed.1,
        each.collect::<Vec<_>>().join("; ")
    ))
}

/// Where the needs come from, when any was inferred: `37 % used, 58 % last, 5 % end`.
pub fn needs(report: &Report) -> Option<String> {
    const ORDER: [NeedKind; 5] =
        [NeedKind::Used, NeedKind::Last, NeedKind::End, NeedKind::All, NeedKind::Written];
    let needs = &report.collected.needs;
    let present = ORDER.into_iter().filter(|kind| needs.share(*kind) > 0.0);
    let shares: Vec<String> =
        present.map(|kind| format!("{:.0} % {kind}", 100.0 * needs.share(kind))).collect();
    if needs.read_steps == 0 || needs.share(NeedKind::Written) == 1.0 {
        return None;
    }
    let total = |total: f64| grouped(total, 0);
    let ends: Vec<String> = report
        .bracket
        .iter()
        .map(|end| format!("{} -> {} at {}", total(end.baseline_total), total(end.candidate_total), end.end))
        .collect();
    let bracket = match ends.is_empty() {
        true => String::new(),
        false => {
            format!("; had those inferred as last stood elsewhere, continuation reads {}", ends.join(", "))
        }
    };
    Some(format!("{}{bracket}", shares.join(", ")))
}

/// What an interval over cases rests on, where that is little.
fn rests_on(row: &MetricRow) -> String {
    let mut parts = String::new();
    if row.sparse {
        let changed = row.cases_up + row.cases_down;
        parts += &format!("; {} of {} changed", grouped(changed as f64, 0), cases(row.n_cases));
    }
    if row.heavy_tail {
        parts += "; one case holds over a quarter of the spread";
    }
    parts
}

/// How many of cases like these may change although none of these did; nothing when every metric changed.
pub fn unchanged(report: &Report) -> Option<String> {
    let rows = report.splits[0].metrics.iter();
    let n = rows.filter(|row| row.delta == Some(0.0) && row.all_equal).map(|row| row.n_cases).max()?;
    let bound = crate::stats::rule::share_bound(n);
    Some(format!("where no case changed (n = {n}), up to {:.1} % of cases like these would", 100.0 * bound))
}

/// What two runs of the same code did to the headline, when they differ.
pub fn same_code_runs(report: &Report) -> Option<String> {
    let (info, row) = headline(report, &report.splits[0])?;
    if row.deterministic || row.same_code_deltas.is_empty() {
        return None;
    }
    let shown = Shown::of(info, row);
    let deltas: Vec<String> = row.same_code_deltas.iter().map(|delta| shown.delta(*delta)).collect();
    let prediction = match row.pi_low.zip(row.pi_high) {
        Some((low, high)) => format!(
            "; from {} runs, the next would lie within [{}, {}]",
            row.same_code_runs + 1,
            shown.delta(low),
            shown.delta(high)
        ),
        None => String::new(),
    };
    Some(format!("against the baseline the same code gave {}{prediction}", deltas.join(", ")))
}

/// Whether the headline would hold for cases like these.
pub fn would_it_hold(report: &Report) -> Option<String> {
    let (info, row) = headline(report, &report.splits[0])?;
    let lead = "would it hold for cases like these";
    let rests = rests_on(row);
    let (Some(low), Some(high)) = (row.t_low, row.t_high) else {
        return Some(format!("{lead}: not shown (no spread over cases to judge by)"));
    };
    if row.n_cases < 6 || (low <= 0.0 && high >= 0.0) {
        let seen = detectable(info, row)?;
        return Some(format!("{lead}: not shown (could have seen {seen} with 80 % power){rests}"));
    }
    Some(match (row.pct_low, row.pct_high) {
        (Some(low), Some(high)) if high - low > 1e-9 => {
            format!("{lead}: yes, {} to {}{rests}", percent(low), percent(high))
        }
        _ => format!("{lead}: yes{rests}"),
    })
}
