//! Which calls the change touched: the same request with another answer, where the same code agrees.

use crate::trace::{AttemptRecord, CallRecord};
use crate::words::{Outcome, Side, Status};
use std::collections::HashMap;

crate::words::word_enum!(
/// Whether the change was seen by a call, an attempt or a case.
Exposure {
    /// Same request, another result on the candidate, and the same code agrees with itself.
    Exposed => "true",
    /// The same code differs on this request.
    Unknown => "unknown",
    /// The change was never seen.
    Unexposed => "false",
});

/// A request: arguments (with the tool) and how often they were sent before in the attempt.
type Key<'a> = (&'a str, u32);
/// What came back, `ignore`d parts left out.
type Answer<'a> = (Outcome, &'a str);

/// For every record of one case the exposure of its calls, in order. Calls that were skipped or
/// made past the need have none, and without a same-code side nothing has.
pub fn of_calls(records: &[AttemptRecord]) -> Vec<Vec<Option<Exposure>>> {
    let answers: Vec<HashMap<Key<'_>, Answer<'_>>> = records.iter().map(answers).collect();
    let of = |side: Side, attempt: u32| {
        records.iter().position(|r| r.side == side && r.attempt == attempt).map(|place| &answers[place])
    };
    let mut labels = Vec::with_capacity(records.len());
    for record in records {
        let is_again = matches!(record.side, Side::CandidateAgain | Side::BaselineAgain);
        let attempt = if is_again { 1 } else { record.attempt };
        let baseline = of(Side::Baseline, attempt);
        let candidate = of(Side::Candidate, attempt);
        let same_code: Vec<_> = records
            .iter()
            .zip(&answers)
            .filter(|(r, _)| matches!(r.side, Side::SameCode(_)) && r.attempt == attempt)
            .map(|(_, answers)| answers)
            .collect();
        let label = |key: Key<'_>| {
            if same_code.is_empty() {
                return None;
            }
            let base = baseline.and_then(|answers| answers.get(&key));
            let cand = candidate.and_then(|answers| answers.get(&key));
            let (Some(base), Some(cand)) = (base, cand) else { return Some(Exposure::Unexposed) };
            Some(if same_code.iter().any(|answers| answers.get(&key) != Some(base)) {
                Exposure::Unknown
            } else if base != cand {
                Exposure::Exposed
            } else {
                Exposure::Unexposed
            })
        };
        labels.push(keys(record).map(|(key, _)| key.and_then(label)).collect());
    }
    labels
}

/// Exposed when one is, unknown when none is and one is unknown; empty without any label.
pub fn combine(labels: impl IntoIterator<Item = Option<Exposure>>) -> Option<Exposure> {
    // The order of the words is the order of precedence.
    labels.into_iter().flatten().min()
}

fn answers(record: &AttemptRecord) -> HashMap<Key<'_>, Answer<'_>> {
    let sent = if record.status == Status::Infrastructure { None } else { Some(record) };
    sent.into_iter()
        .flat_map(keys)
        .filter_map(|(key, call)| Some((key?, (call.outcome, call.result_sha256.as_str()))))
        .collect()
}

/// Every call with its key, if it has one.
fn keys(record: &AttemptRecord) -> impl Iterator<Item = (Option<Key<'_>>, &CallRecord)> {
    let mut sent = HashMap::<&str, u32>::new();
    record.calls.iter().map(move |call| {
        if !call.was_sent() || call.past_need {
            return (None, call);
        }
        let before = sent.entry(&call.arguments_sha256).or_default();
        *before += 1;
        (Some((call.arguments_sha256.as_str(), *before - 1)), call)
    })
}

/// How many requests of the baseline the same code was asked again, and how many of those got
/// another answer or were not made: (compared, differing).
pub fn same_code_differences(records: &[AttemptRecord]) -> (u64, u64) {
    differences(records, Side::Baseline, |side| matches!(side, Side::SameCode(_)))
}

/// The same of a side that replays a recording again, in a later attempt or, on the candidate, in its attempt
/// once more.
pub fn repeat_differences(records: &[AttemptRecord], side: Side) -> (u64, u64) {
    let (mut compared, mut differing) = match side {
        Side::Candidate => differences(records, side, |other| other == Side::CandidateAgain),
        _ => (0, 0),
    };
    let attempts: Vec<_> = records.iter().filter(|r| r.side == side && r.status == Status::Ok).collect();
    for (place, first) in attempts.iter().enumerate() {
        let again = attempts[place + 1..].iter().find(|later| later.recording_id == first.recording_id);
        if let Some(again) = again {
            let (expected, found) = (answers(first), answers(again));
            compared += expected.len() as u64;
            differing +=
                expected.iter().filter(|(key, answer)| found.get(*key) != Some(answer)).count() as u64;
        }
    }
    (compared, differing)
}

fn differences(records: &[AttemptRecord], side: Side, is_repeat: impl Fn(Side) -> bool) -> (u64, u64) {
    let (mut compared, mut differing) = (0, 0);
    let ok = |record: &&AttemptRecord| record.status == Status::Ok;
    for base in records.iter().filter(ok).filter(|r| r.side == side) {
        let expected = answers(base);
        let repeats = records.iter().filter(ok).filter(|r| is_repeat(r.side));
        for repeat in repeats.filter(|r| r.attempt == base.attempt) {
            let found = answers(repeat);
            compared += expected.len() as u64;
            differing +=
                expected.iter().filter(|(key, answer)| found.get(*key) != Some(answer)).count() as u64;
        }
    }
    (compared, differing)
}
