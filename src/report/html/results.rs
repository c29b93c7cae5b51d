//! Results: those over the limit by tool, sizes before and after, how long chains are.

use super::page::shown;
use super::svg::{Bars, Reach};
use super::tally::{Both, Tally, ToolTally};
use crate::report::Report;
use crate::report::phrase::grouped;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The unit of sizes, for people.
fn unit(report: &Report) -> String {
    match report.meta.client.unit.as_str() {
        "utf16" => "characters (UTF-16 units)".to_owned(),
        "scalars" => "characters".to_owned(),
        unit => shown(unit),
    }
}

fn whole(count: u64) -> String {
    grouped(count as f64, 0)
}

pub fn oversized(report: &Report, tally: &Tally) -> String {
    let limit = report.meta.client.limit;
    let largest = tally.tools.values().flat_map(|tool| tool.largest).max().unwrap_or(0);
    html! {
        h2 id="oversized" { "Oversized results by tool" }
        @match limit {
            Some(limit) => p { "The client of this run hides, cuts or saves results over " (whole(limit)) " " (unit(report)) " (its smallest limit in that unit). In the pictures the dashed line is that limit; upper bar, square: the largest result of the baseline; lower bar, rounded: that of the candidate." },
            None => p { "The client of this run has no limit in the unit of sizes." },
        }
        div class="scroll" tabindex="0" { table class="rows" {
            thead { tr {
                th scope="col" { "tool" }
                th scope="col" class="n" { "oversized, baseline" } th scope="col" class="n" { "oversized, candidate" }
                th scope="col" class="n" { "largest, baseline" } th scope="col" class="n" { "largest, candidate" }
                @if limit.is_some() { th scope="col" class="n" { "headroom, candidate" } th scope="col" { "picture" } }
            } }
            tbody { @for (name, tool) in &tally.tools { tr {
                th scope="row" { code { (shown(name)) } }
                @for (side, label) in [(0, "oversized, baseline"), (1, "oversized, candidate")] {
                    td class="n" data-label=(label) { (whole(tool.oversized[side])) " of " (whole(tool.calls[side])) }
                }
                @for (side, label) in [(0, "largest, baseline"), (1, "largest, candidate")] {
                    td class="n" data-label=(label) { (whole(tool.largest[side])) }
                }
                @if let Some(limit) = limit {
                    td class="n" data-label="headroom, candidate" { (headroom(tool.largest[1], limit)) }
                    td class="wide last" { (reach(name, tool, limit, largest).draw()) }
                }
            } } }
        } }
    }
    .into_string()
}

/// All tools on one scale.
fn reach(name: &str, tool: &ToolTally, limit: u64, largest: u64) -> Reach {
    let words = format!(
        "{}: largest result {} on the baseline, {} on the candidate, limit {}",
        shown(name),
        whole(tool.largest[0]),
        whole(tool.largest[1]),
        whole(limit)
    );
    let share = |size: u64| size as f64 / largest.max(limit).max(1) as f64;
    Reach { largest: tool.largest.map(share), limit: share(limit), words }
}

fn headroom(largest: u64, limit: u64) -> String {
    match limit.checked_sub(largest) {
        Some(left) => format!("{} ({:.0} %)", whole(left), 100.0 * left as f64 / limit.max(1) as f64),
        None => format!("none, {} over", whole(largest - limit)),
    }
}

pub fn sizes(report: &Report, tally: &Tally) -> String {
    let (Some(first), Some(last)) = (tally.sizes.keys().next(), tally.sizes.keys().next_back()) else {
        return String::new();
    };
    let bins: Vec<(String, u64, u64)> = (*first..=*last)
        .map(|power| {
            let [base, cand] = tally.sizes.get(&power).copied().unwrap_or_default();
            (short(1u64 << power.min(62)), base, cand)
        })
        .collect();
    // On the axis of powers of two, in bins from the first.
    let place = |limit: u64| (limit.max(1) as f64).log2() - f64::from(*first);
    let line_at = report.meta.client.limit.map(place).filter(|at| (0.0..=bins.len() as f64).contains(at));
    html! {
        h2 id="sizes" { "Sizes of results" }
        p { "Results by size in " (unit(report)) ", from the size named up to twice that. "
            (key())
            @if line_at.is_some() { " The dashed line is the client's limit." } }
        (Bars { title: "sizes of results", words: words(&bins), bins: &bins, line_at }.draw())
        (table("from", &bins))
    }
    .into_string()
}

pub fn chains(tally: &Tally) -> String {
    let bins: Vec<(String, u64, u64)> =
        tally.chains.iter().map(|(length, [base, cand])| (whole(*length), *base, *cand)).collect();
    if bins.is_empty() {
        return String::new();
    }
    html! {
        h2 id="chains" { "Reads by their continuation reads" }
        p { "How many reads were carried on how often. " (key()) }
        (Bars { title: "reads by continuation reads", words: words(&bins), bins: &grouped_lengths(tally), line_at: None }.draw())
        (table("continuation reads", &bins))
    }
    .into_string()
}

/// The picture's bins: long reads by powers of two, since there may be hundreds of lengths.
fn grouped_lengths(tally: &Tally) -> Vec<(String, u64, u64)> {
    const EXACT: u64 = 8;
    let mut groups: BTreeMap<(u64, u64), Both> = BTreeMap::new();
    for (length, counts) in &tally.chains {
        let last = length.next_power_of_two();
        let group = if *length <= EXACT { (*length, *length) } else { (last / 2 + 1, last) };
        let sums = groups.entry(group).or_default();
        *sums = [sums[0] + counts[0], sums[1] + counts[1]];
    }
    let name =
        |(first, last): (u64, u64)| if first == last { whole(first) } else { format!("{first}-{last}") };
    groups.into_iter().map(|(group, [base, cand])| (name(group), base, cand)).collect()
}

fn key() -> Markup {
    html! { "Left bar, square: baseline. Right bar, rounded: candidate." }
}

fn words(bins: &[(String, u64, u64)]) -> String {
    let sum = |of: fn(&(String, u64, u64)) -> u64| bins.iter().map(of).sum::<u64>();
    let totals: Both = [sum(|bin| bin.1), sum(|bin| bin.2)];
    format!(
        "{} of the baseline, {} of the candidate; the table below has the counts",
        whole(totals[0]),
        whole(totals[1])
    )
}

fn table(name: &str, bins: &[(String, u64, u64)]) -> Markup {
    html! {
        details { summary { "The counts as a table" }
            div class="scroll" tabindex="0" { table {
                thead { tr { th scope="col" class="n" { (name) } th scope="col" class="n" { "baseline" } th scope="col" class="n" { "candidate" } } }
                tbody { @for (name, base, cand) in bins { tr { th scope="row" class="n" { (name) } td class="n" { (whole(*base)) } td class="n" { (whole(*cand)) } } } }
            } }
        }
    }
}

/// `512`, `16k`, `2M`, of powers of two.
fn short(size: u64) -> String {
    match size.ilog2() {
        0..10 => size.to_string(),
        10..20 => format!("{}k", size >> 10),
        20..30 => format!("{}M", size >> 20),
        _ => format!("{}G", size >> 30),
    }
}
