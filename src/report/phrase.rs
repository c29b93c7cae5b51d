//! Figures and names as people read them.

use crate::metric::MetricInfo;
use crate::verdict::MetricRow;
use crate::words::{Metric, NoiseClass};

/// How a metric's row is shown: totals over all paired attempts, or means of an attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// What means and deltas are multiplied by.
    pub times: f64,
    decimals: usize,
    pub is_total: bool,
}

impl Shown {
    /// Counts are totals when all cases have as many attempts; everything else is a mean.
    pub fn of(info: &MetricInfo, row: &MetricRow) -> Self {
        let mean = |decimals| Self { times: 1.0, decimals, is_total: false };
        match info.noise {
            NoiseClass::Share => mean(3),
            NoiseClass::Size | NoiseClass::Time => {
                // A small change of a large size must not read as none.
                let is_small = row.delta.is_some_and(|delta| delta != 0.0 && delta.abs() < 1.0);
                mean(if is_small { 2 } else { 0 })
            }
            NoiseClass::Count if is_call_rate(info) || !row.attempts_equal => mean(2),
            NoiseClass::Count => Self { times: row.attempts_baseline as f64, decimals: 0, is_total: true },
        }
    }

    /// A mean of the metric in the unit that is shown.
    pub fn value(&self, mean: f64) -> String {
        grouped(self.times * mean, self.decimals)
    }

    /// A delta of the metric, with its sign.
    pub fn delta(&self, delta: f64) -> String {
        signed(self.times * delta, self.decimals)
    }
}

/// Calls are read as calls a case: a total of thousands says nothing.
fn is_call_rate(info: &MetricInfo) -> bool {
    matches!(info.known, Some(Metric::ToolCalls | Metric::AgentCalls))
}

/// The row's name in words, with what the figures are when they are no totals.
pub fn label(info: &MetricInfo, row: &MetricRow) -> String {
    let words = plain(&info.name.replace('_', " "));
    if is_call_rate(info) {
        return format!("{words} a case");
    }
    let is_mean = info.noise != NoiseClass::Share && !Shown::of(info, row).is_total;
    if is_mean { format!("{words}, mean") } else { words }
}

/// `continuation reads 25 -> 12 (-52 %)`.
pub fn change(info: &MetricInfo, row: &MetricRow) -> String {
    let shown = Shown::of(info, row);
    let (Some(base), Some(cand)) = (row.baseline_mean, row.candidate_mean) else {
        return format!("{} without a pair", label(info, row));
    };
    let from_to = format!("{} {} -> {}", label(info, row), shown.value(base), shown.value(cand));
    let mut beside: Vec<String> = Vec::new();
    beside.extend(
        row.pct_change.filter(|change| *change != 0.0 && info.noise != NoiseClass::Share).map(percent),
    );
    // Cases weigh equally whatever their attempts, so the means do not give the totals.
    if let (NoiseClass::Count, false, Some(base), Some(cand)) =
        (info.noise, row.attempts_equal, row.baseline_total, row.candidate_total)
    {
        beside.push(format!("totals {} -> {}", grouped(base, 0), grouped(cand, 0)));
    }
    if beside.is_empty() { from_to } else { format!("{from_to} ({})", beside.join(", ")) }
}

/// The interval over cases in the unit that is shown, or why there is none.
pub fn interval(info: &MetricInfo, row: &MetricRow) -> String {
    let shown = Shown::of(info, row);
    match (row.ci_low, row.ci_high) {
        (Some(low), Some(high)) => format!("[{}, {}]", shown.delta(low), shown.delta(high)),
        _ if row.n_cases == 0 => "no pair".to_owned(),
        _ if row.delta == Some(0.0) && row.all_equal => "no case changed".to_owned(),
        _ if row.n_cases == 1 => "one case".to_owned(),
        _ => "all cases alike".to_owned(),
    }
}

/// `exact`, or the same-code spread in the unit that is shown.
pub fn same_code(info: &MetricInfo, row: &MetricRow) -> String {
    match row.noise_se {
        _ if row.deterministic => "exact".to_owned(),
        Some(se) => format!("+-{}", Shown::of(info, row).value(1.96 * se)),
        None => "not known".to_owned(),
    }
}

/// The word of the row; `on these cases` where the interval over cases spans zero.
pub fn word(row: &MetricRow) -> String {
    let Some(call) = row.call else { return String::new() };
    if let Some(reason) = row.reason {
        return format!("{call} {reason}");
    }
    let spans_zero = match (row.t_low, row.t_high) {
        (Some(low), Some(high)) => low <= 0.0 && high >= 0.0,
        _ => true,
    };
    match call {
        "~" => call.to_owned(),
        _ if spans_zero => format!("{call} on these cases"),
        _ => call.to_owned(),
    }
}

/// A number with thousands in groups; a whole number without decimals.
pub fn grouped(number: f64, decimals: usize) -> String {
    // A total that is whole up to rounding is shown whole.
    let whole = (number - number.round()).abs() < 1e-6 && decimals != 3;
    let text = format!("{:.*}", if whole && decimals == 0 { 0 } else { decimals }, number.abs());
    let (integer, fraction) = text.split_once('.').map_or((text.as_str(), ""), |parts| parts);
    let mut out = String::new();
    for (place, digit) in integer.chars().enumerate() {
        if place > 0 && (integer.len() - place) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    let is_zero = !out.contains(|c: char| ('1'..='9').contains(&c));
    if number < 0.0 && !is_zero { format!("-{out}") } else { out }
}

/// As [`grouped`] with a sign; zero is `0`.
pub fn signed(number: f64, decimals: usize) -> String {
    let text = grouped(number, decimals);
    let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    if is_zero {
        "0".to_owned()
    } else if number > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// A share as percent, `-52 %`; small ones with a decimal.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    format!("{} %", signed(percent, if percent.abs() < 9.95 { 1 } else { 0 }))
}

/// How long something took or lasts, in the largest unit of which there are two.
pub fn age(seconds: i64) -> String {
    let (count, unit) = match seconds {
        172_800.. => (seconds / 86_400, "days"),
        7_200.. => (seconds / 3_600, "hours"),
        120.. => (seconds / 60, "minutes"),
        1 => (1, "second"),
        _ => (seconds.max(0), "seconds"),
    };
    format!("{count} {unit}")
}

/// `1 case`, `2 cases`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as f64, 0), if count == 1 { one } else { many })
}

/// Text of a server for a terminal: no control characters, no direction marks, not without end.
pub fn plain(text: &str) -> String {
    const LONGEST: usize = 400;
    let harmless = |c: char| if c.is_control() || is_direction_mark(c) { '?' } else { c };
    let mut out: String = text.chars().take(LONGEST).map(harmless).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push_str("...");
    }
    without_commands(&out)
}

/// Text in which a CI's log reader finds no command: `::` counts at the start of a line, where any word may come
/// to stand when lines are wrapped, and `##[` anywhere.
pub fn without_commands(text: &str) -> String {
    if !text.contains("::") && !text.contains("##[") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let begins_word = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        out.push(c);
        let cuts_colons = c == ':' && begins_word && text[at + 1..].starts_with(':');
        if cuts_colons || (c == '#' && text[at + 1..].starts_with("#[")) {
            out.push(' ');
        }
    }
    out
}

/// Text of a server for Markdown: inside a code span nothing is a link, a mention or a comment.
pub fn code(text: &str) -> String {
    let text = plain(text).replace('`', "'").replace('|', "\u{a6}");
    if text.trim().is_empty() { "` `".to_owned() } else { format!("`{text}`") }
}

/// Characters that change the order in which the rest of a line is shown.
pub fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_people_write_them() {
        for (number, decimals, text) in [
            (12345.0, 0, "12,345"),
            (-13.0, 0, "-13"),
            (0.0, 0, "0"),
            (-0.2, 0, "0"),
            (2.4699, 2, "2.47"),
            (1_000_000.4, 0, "1,000,000"),
            (1.0, 3, "1.000"),
            (999.0, 0, "999"),
        ] {
            assert_eq!(grouped(number, decimals), text);
        }
        for (number, decimals, text) in [(1.0, 0, "+1"), (0.0, 2, "0"), (-0.001, 2, "0"), (-0.08, 2, "-0.08")]
        {
            assert_eq!(signed(number, decimals), text);
        }
        for (seconds, text) in [
            (-5, "0 seconds"),
            (1, "1 second"),
            (7_199, "119 minutes"),
            (7_200, "2 hours"),
            (260_000, "3 days"),
        ] {
            assert_eq!(age(seconds), text);
        }
        for (share, text) in [(-0.52, "-52 %"), (1.0833, "+108 %"), (-0.004, "-0.4 %"), (0.0, "0 %")] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn server_text_can_do_nothing() {
        assert_eq!(plain("a\u{1b}[31m\u{202e}b"), "a?[31m?b");
        assert_eq!(code("@user [x](http://e) <!-- -->`|"), "`@user [x](http://e) <!-- -->'\u{a6}`");
        assert_eq!(code(""), "` `");
    }
}
