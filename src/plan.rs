//! Cases x attempts x sides as ordered work. Pure: a function of case ids, seed and counts.

mod shard;

pub use shard::Shard;

use crate::text::sha256_parts;
use crate::words::Side;

/// How often each case is replayed, and on which sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanShape {
    pub attempts: u32,
    pub same_code: u32,
    pub candidate_again: bool,
    /// Whether the baseline runs at all (it does not when a stored run stands for it).
    pub baseline: bool,
    /// Attempts are numbered from the one after this: those up to it are another plan's.
    pub after: u32,
}

impl PlanShape {
    /// Fresh attempts on both sides, numbered on after those of this plan.
    pub fn further(&self, attempts: u32) -> Self {
        Self {
            attempts,
            same_code: 0,
            candidate_again: false,
            baseline: true,
            after: self.after + self.attempts,
        }
    }

    fn numbers(&self) -> std::ops::RangeInclusive<u32> {
        self.after + 1..=self.after + self.attempts
    }

    /// The sides of one attempt, in the order of tables.
    pub fn sides(&self) -> Vec<Side> {
        let baseline = self.baseline.then_some(Side::Baseline);
        baseline
            .into_iter()
            .chain([Side::Candidate])
            .chain((1..=self.same_code).map(Side::SameCode))
            .collect()
    }

    /// Every (side, attempt) of a case, in the order of tables.
    pub fn expected(&self) -> Vec<(Side, u32)> {
        let mut expected: Vec<(Side, u32)> = self
            .sides()
            .into_iter()
            .flat_map(|side| self.numbers().map(move |attempt| (side, attempt)))
            .collect();
        expected.extend(self.candidate_again.then_some((Side::CandidateAgain, 1)));
        expected
    }
}

/// One attempt of one case, on all its sides, in the order in which they run.
pub type Round = Vec<(Side, u32)>;

/// The order of cases: by a hash of seed and id, so that no order of files leaks into the run.
pub fn order_cases(ids: &mut [String], seed: u64) {
    ids.sort_by_cached_key(|id| {
        (sha256_parts(&[b"case", seed.to_string().as_bytes(), id.as_bytes()]), id.clone())
    });
}

/// Whether the candidate goes first in the case's first attempt: the first byte of
/// SHA-256("order" 0x00 seed 0x00 case id) is odd.
fn candidate_first(seed: u64, case_id: &str) -> bool {
    sha256_parts(&[b"order", seed.to_string().as_bytes(), case_id.as_bytes()])[0] % 2 == 1
}

/// The rounds of a case. Sides alternate: each even attempt runs them in reverse.
pub fn rounds(case_id: &str, seed: u64, shape: PlanShape) -> Vec<Round> {
    let mut sides = shape.sides();
    if shape.baseline && candidate_first(seed, case_id) {
        sides.swap(0, 1);
    }
    let mut rounds: Vec<Round> = shape
        .numbers()
        .map(|attempt| {
            let order: Vec<Side> =
                if attempt % 2 == 1 { sides.clone() } else { sides.iter().rev().copied().collect() };
            order.into_iter().map(|side| (side, attempt)).collect()
        })
        .collect();
    if shape.candidate_again {
        rounds.push(vec![(Side::CandidateAgain, 1)]);
    }
    rounds
}

/// The value of `{attempt_seed}`: 16 hexadecimal digits of a hash of seed, case, side and attempt.
pub fn attempt_seed(seed: u64, case_id: &str, side: Side, attempt: u32) -> String {
    let parts = [
        &b"attempt"[..],
        &seed.to_string().into_bytes(),
        case_id.as_bytes(),
        &side.to_string().into_bytes(),
        &attempt.to_string().into_bytes(),
    ]
    .map(<[u8]>::to_vec);
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    sha256_parts(&parts)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::*;

    const SHAPE: PlanShape =
        PlanShape { attempts: 2, same_code: 1, candidate_again: true, baseline: true, after: 0 };

    #[test]
    fn sides_alternate_and_either_may_be_first() {
        let ids = (0..40).map(|n| format!("docs/case-{n}"));
        let mut firsts = std::collections::HashMap::new();
        for id in ids {
            let rounds = rounds(&id, 7, SHAPE);
            let first = rounds[0][0].0;
            *firsts.entry(first).or_insert(0) += 1;
            let second = if first == Baseline { Candidate } else { Baseline };
            assert_eq!(rounds[0], [(first, 1), (second, 1), (SameCode(1), 1)]);
            assert_eq!(rounds[1], [(SameCode(1), 2), (second, 2), (first, 2)]);
            assert_eq!(rounds[2], [(CandidateAgain, 1)]);
        }
        assert!(firsts[&Baseline] > 8 && firsts[&Candidate] > 8, "{firsts:?}");
    }

    #[test]
    fn further_attempts_are_numbered_on() {
        let further = SHAPE.further(3);
        assert_eq!(further.sides(), [Baseline, Candidate]);
        let of = |attempt| [(Baseline, attempt), (Candidate, attempt)];
        let mut expected: Vec<_> = (3..=5).flat_map(of).collect();
        expected.sort_unstable();
        assert_eq!(further.expected(), expected);
        let numbers: Vec<u32> = rounds("docs/case-1", 7, further).iter().map(|round| round[0].1).collect();
        assert_eq!(numbers, [3, 4, 5]);
    }

    #[test]
    fn first_side_is_decided_by_the_first_byte() {
        // printf 'order\0007\000docs/case-1' | sha256sum begins with 34, which is even.
        assert_eq!(sha256_parts(&[b"order", b"7", b"docs/case-1"])[0], 0x34);
        assert!(!candidate_first(7, "docs/case-1"));
    }

    #[test]
    fn attempt_seeds_differ_in_every_part() {
        let seeds = [
            attempt_seed(7, "a/bb", Baseline, 1),
            attempt_seed(8, "a/bb", Baseline, 1),
            attempt_seed(7, "a/bc", Baseline, 1),
            attempt_seed(7, "a/bb", SameCode(1), 1),
            attempt_seed(7, "a/bb", Baseline, 2),
        ];
        let distinct: std::collections::HashSet<_> = seeds.iter().collect();
        assert_eq!(distinct.len(), seeds.len());
    }
}
