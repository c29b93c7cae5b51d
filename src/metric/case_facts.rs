//! What became of one case over all its attempts: stale, content lost, where the sides part.

use super::measure::is_right;
use super::parting::Parting;
use crate::trace::{AttemptRecord, NeedRecord};
use crate::words::{ChainEnd, Side, Status};

/// Facts of a case that its attempts' numbers do not hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CaseFacts {
    /// In every attempt some need stays unmet on every side, on a chain neither stuck nor capped.
    pub is_stale: bool,
    /// A need was met on the baseline and, in the same attempt, not on the candidate.
    pub lost_evidence: bool,
    /// Where baseline and candidate part, in the first attempt that is right on one of them alone,
    /// else in the first that differs at all. Attempts that failed tell it where no other does.
    pub parting: Option<Parting>,
}

impl CaseFacts {
    /// Of the records of one case.
    pub fn of(records: &[AttemptRecord]) -> Self {
        let pairs = pairs(records, &|record| record.status == Status::Ok);
        Self {
            is_stale: is_stale(records),
            lost_evidence: pairs.iter().any(|(base, cand)| loses_a_need(base, cand)),
            parting: parting(&pairs).or_else(|| {
                parting(&self::pairs(records, &|record| record.status != Status::Infrastructure))
            }),
        }
    }

    /// Index of the call at which they part.
    pub fn first_difference(&self) -> Option<u32> {
        self.parting.as_ref().map(|parting| parting.call_index)
    }
}

type Pair<'r> = (&'r AttemptRecord, &'r AttemptRecord);

/// Baseline and candidate of each attempt, where both are of the wanted kind.
fn pairs<'r>(records: &'r [AttemptRecord], wanted: &dyn Fn(&AttemptRecord) -> bool) -> Vec<Pair<'r>> {
    let of = |side: Side| records.iter().filter(move |record| record.side == side && wanted(record));
    let pair = |base: &'r AttemptRecord| {
        Some((base, of(Side::Candidate).find(|cand| cand.attempt == base.attempt)?))
    };
    of(Side::Baseline).filter_map(pair).collect()
}

fn parting(pairs: &[Pair<'_>]) -> Option<Parting> {
    let lopsided = pairs.iter().filter(|(base, cand)| is_right(base) != is_right(cand));
    lopsided.chain(pairs).find_map(|(base, cand)| Parting::of(base, cand))
}

fn ok(records: &[AttemptRecord], side: Side) -> impl Iterator<Item = &AttemptRecord> {
    records.iter().filter(move |r| r.side == side && r.status == Status::Ok)
}

fn is_stale(records: &[AttemptRecord]) -> bool {
    let was_seen = |side| ok(records, side).next().is_some();
    let fruitless = |need: &NeedRecord| {
        need.has_need && !need.met && !matches!(need.chain_end, Some(ChainEnd::Stuck | ChainEnd::Capped))
    };
    was_seen(Side::Baseline)
        && was_seen(Side::Candidate)
        && records
            .iter()
            .filter(|r| {
                r.status == Status::Ok && !matches!(r.side, Side::CandidateAgain | Side::BaselineAgain)
            })
            .all(|r| r.needs.iter().any(fruitless))
}

fn loses_a_need(base: &AttemptRecord, cand: &AttemptRecord) -> bool {
    base.needs.iter().filter(|need| need.has_need && need.met).any(|need| {
        cand.needs.iter().any(|other| other.step_index == need.step_index && other.has_need && !other.met)
    })
}
