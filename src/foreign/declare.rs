//! `--metric NAME:UNIT:lower|higher[:ROLE[:MARGIN]]`: what a person says of a foreign column.

use crate::metric::MetricInfo;
use crate::suite::{Bound, Margin, Rule, Subject};
use crate::words::{Better, Metric, NoiseClass, Role};
use std::str::FromStr;

/// A column with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    pub name: String,
    pub unit: String,
    pub better: Better,
    pub role: Role,
    pub margin: Margin,
}

const FORM: &str =
    "expected NAME:UNIT:lower|higher[:ROLE[:MARGIN]], such as correct:share:higher:guardrail:0.05";

impl FromStr for Declared {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        let (&[name, unit, better], rest) = parts.split_first_chunk::<3>().ok_or_else(|| FORM.to_owned())?;
        if name.is_empty() || rest.len() > 2 {
            return Err(FORM.to_owned());
        }
        let better = Better::parse(better)
            .ok_or_else(|| format!("`{better}` is neither `lower` nor `higher`; {FORM}"))?;
        let role = match rest.first().copied().unwrap_or("info") {
            "" => Role::Info,
            word => Role::parse(word)
                .ok_or_else(|| format!("`{word}` is no role: `guardrail`, `goal` or `info`; {FORM}"))?,
        };
        let margin = rest.get(1).map_or(Ok(Margin::Absolute(0.0)), |text| margin(text))?;
        Ok(Self { name: name.to_owned(), unit: unit.to_owned(), better, role, margin })
    }
}

fn margin(text: &str) -> Result<Margin, String> {
    let wrong = || format!("`{text}` is no margin: a number of at least 0, or a percentage such as `5%`");
    let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| Margin::Percent(percent / 100.0)),
        None => number(text).map(Margin::Absolute),
    }
    .ok_or_else(wrong)
}

impl Declared {
    /// The rule that the declaration makes; `None` for `info`.
    pub fn rule(&self) -> Option<Rule> {
        (self.role != Role::Info).then(|| Rule {
            subject: Subject::Column(self.name.clone()),
            bound: Bound::Relative { margin: self.margin, role: self.role, question: None },
            split: None,
            cases: None,
            is_implied: false,
        })
    }

    pub(super) fn info(&self, range: Range) -> MetricInfo {
        let noise = match noise_of(&self.unit) {
            // What does not lie between 0 and 1 is no share, whatever its unit says.
            NoiseClass::Share if !range.is_unit() => NoiseClass::Count,
            noise => noise,
        };
        MetricInfo {
            name: self.name.clone(),
            unit: self.unit.clone(),
            better: self.better,
            has_direction: true,
            noise,
            known: Metric::parse(&self.name),
        }
    }
}

/// The noise class by the unit's word.
fn noise_of(unit: &str) -> NoiseClass {
    match unit.to_ascii_lowercase().as_str() {
        "share" | "proportion" | "fraction" | "rate" | "ratio" | "score01" | "score" | "probability" => {
            NoiseClass::Share
        }
        "char" | "chars" | "characters" | "byte" | "bytes" | "token" | "tokens" => NoiseClass::Size,
        "ms" | "s" | "seconds" | "milliseconds" | "us" | "ns" | "minutes" => NoiseClass::Time,
        _ => NoiseClass::Count,
    }
}

/// What is seen of a column's values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub low: f64,
    pub high: f64,
    /// Every value is a whole number.
    pub whole: bool,
}

impl Range {
    pub const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY, whole: true };

    pub fn add(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.whole &= value.fract() == 0.0;
    }

    fn is_unit(&self) -> bool {
        self.low >= 0.0 && self.high <= 1.0
    }
}

/// A column that nobody declared. A metric of the bench keeps its meaning; of any other the
/// direction is not known, and how it is shown is guessed from its values.
pub(super) fn undeclared(name: &str, range: Range) -> MetricInfo {
    /// Sums over all attempts of numbers from here on say nothing.
    const LARGE: f64 = 10_000.0;
    if let Some(metric) = Metric::parse(name) {
        return metric.into();
    }
    let noise = match (range.whole, range.is_unit()) {
        (false, true) => NoiseClass::Share,
        (true, _) if range.high < LARGE => NoiseClass::Count,
        _ => NoiseClass::Size,
    };
    MetricInfo {
        name: name.to_owned(),
        unit: String::new(),
        better: Better::Lower,
        has_direction: false,
        noise,
        known: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_as_people_write_them() {
        for (text, role, margin) in [
            ("correct:share:higher", Role::Info, Margin::Absolute(0.0)),
            ("correct:share:higher:guardrail", Role::Guardrail, Margin::Absolute(0.0)),
            ("correct:share:higher:goal:0.05", Role::Goal, Margin::Absolute(0.05)),
            ("tokens:tokens:lower:guardrail:5%", Role::Guardrail, Margin::Percent(0.05)),
            ("x::lower", Role::Info, Margin::Absolute(0.0)),
        ] {
            let declared: Declared = text.parse().unwrap();
            assert_eq!((declared.role, declared.margin), (role, margin), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("correct", "expected NAME:UNIT"),
            ("correct:share", "expected NAME:UNIT"),
            (":share:higher", "expected NAME:UNIT"),
            ("correct:share:up", "`up` is neither"),
            ("correct:share:higher:gate", "`gate` is no role"),
            ("correct:share:higher:guardrail:x", "`x` is no margin"),
            ("correct:share:higher:guardrail:-1", "`-1` is no margin"),
            ("correct:share:higher:guardrail:nan", "`nan` is no margin"),
            ("correct:share:higher:guardrail:1:2", "expected NAME:UNIT"),
        ] {
            let error = text.parse::<Declared>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
