//! Annotations of a CI: the rules that failed and the cases that were lost, one line each.

use super::Report;
use super::phrase::{counted, plain};
use super::sentence;
use crate::exit::ExitCode;
use crate::stats::flips::Direction;
use crate::verdict::Verdict;

/// GitHub shows ten of a step.
const MOST: usize = 9;

/// One thing that a CI puts beside the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// It fails the run; else it is a warning.
    pub is_error: bool,
    pub title: String,
    pub message: String,
}

/// The annotations of a report, errors first.
pub fn of(report: &Report) -> Vec<Annotation> {
    let fails = |code: ExitCode| report.gate.exit == code || report.gate.also.contains(&code);
    let mut found = Vec::new();
    if !report.missing.is_empty() {
        let planned = counted(report.planned_attempts() as u64, "attempt", "attempts");
        let message = format!("{} of {planned} have no record", report.missing.len());
        found.push(Annotation { is_error: true, title: "incomplete".to_owned(), message });
    }
    for rule in &report.rules {
        let (word, code) = match rule.verdict {
            Some(Verdict::Regression) => ("regression", ExitCode::Regression),
            Some(Verdict::Inconclusive) => ("inconclusive", ExitCode::Inconclusive),
            Some(Verdict::Incomplete) => ("incomplete", ExitCode::Incomplete),
            Some(Verdict::Pass) | None => continue,
        };
        let message = sentence::rule_figures(report, rule);
        found.push(Annotation { is_error: fails(code), title: word.to_owned(), message });
    }
    let lost = report.splits[0].flips.iter().filter(|flip| flip.direction == Direction::Lost);
    found.extend(lost.map(|flip| Annotation {
        is_error: false,
        title: "case lost".to_owned(),
        message: format!(
            "{}: right in {} of {} attempts on the baseline, in {} of {} on the candidate",
            plain(&report.collected.table.cases[flip.case].id),
            flip.baseline_right,
            flip.baseline_attempts,
            flip.candidate_right,
            flip.candidate_attempts
        ),
    }));
    found.sort_by_key(|annotation| !annotation.is_error);
    found
}

/// As GitHub's workflow commands, a line each; past nine, one line says how many more there are.
pub fn github(annotations: &[Annotation]) -> String {
    let mut lines: Vec<String> = annotations.iter().take(MOST).map(command).collect();
    if let Some(more) = annotations.len().checked_sub(MOST).filter(|more| *more > 0) {
        let is_error = annotations[MOST..].iter().any(|annotation| annotation.is_error);
        let message = format!("{more} more; the report has all of them");
        lines.push(command(&Annotation { is_error, title: "more".to_owned(), message }));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn command(annotation: &Annotation) -> String {
    let level = if annotation.is_error { "error" } else { "warning" };
    let title =
        escaped(&format!("mcp-regress: {}", annotation.title)).replace(':', "%3A").replace(',', "%2C");
    format!("::{level} title={title}::{}", escaped(&annotation.message))
}

/// Without the characters that would end a command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotation(is_error: bool, message: &str) -> Annotation {
        Annotation { is_error, title: "a: b, c".to_owned(), message: message.to_owned() }
    }

    #[test]
    fn no_text_can_end_a_command_or_begin_one() {
        assert_eq!(
            github(&[annotation(true, "50 %\r\n::set-env name=X::y")]),
            "::error title=mcp-regress%3A a%3A b%2C c::50 %25%0D%0A::set-env name=X::y\n"
        );
    }

    #[test]
    fn nine_are_shown_and_the_rest_is_counted() {
        for (count, lines, last) in [(9, 9, "x"), (10, 10, "1 more"), (120, 10, "111 more")] {
            let text = github(&vec![annotation(true, "x"); count]);
            assert_eq!(text.lines().count(), lines);
            assert!(text.lines().last().unwrap().contains(last), "{text}");
        }
        assert_eq!(github(&[]), "");
    }
}
