//! Replays, same-code sides, clusters and the edges, through the public face of the statistics.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use mcp_regress::stats::call::{CallReason, Word};
use mcp_regress::stats::interval::t_interval;
use mcp_regress::stats::judge::{Exposed, Interval, Metric, Options, Summary, table};
use mcp_regress::stats::missing::Missing;
use mcp_regress::stats::rule::{Reason, Role, Rule, Verdict, judge};
use mcp_regress::stats::sample::{
    Attempt, Attempts, Lacks, Pairing, Sample, SampleError, Selection, Side, Status,
};
use mcp_regress::stats::spread::NoiseFrom;
use mcp_regress::stats::{Better, NoiseClass, Question};

/// Rows of (case, side, attempt, value); `None` is a failed attempt.
type Rows = Vec<(u32, Side, u32, Option<f64>)>;

const B: Side = Side::Baseline;
const C: Side = Side::Candidate;
const S: Side = Side::SameCode(1);
const AGAIN: Side = Side::CandidateAgain;

fn attempts(rows: &Rows, clusters: Option<Vec<u32>>) -> (Attempts, Vec<Option<f64>>) {
    let cases = rows.iter().map(|r| r.0 as usize + 1).max().unwrap_or(0);
    let keys = rows.iter().map(|r| Attempt {
        case: r.0,
        side: r.1,
        attempt: r.2,
        status: if r.3.is_some() { Status::Ok } else { Status::Failed },
    });
    (Attempts::new(keys.collect(), cases, clusters).unwrap(), rows.iter().map(|r| r.3).collect())
}

fn summary(rows: &Rows, class: NoiseClass, options: &Options<'_>) -> Summary {
    let (attempts, values) = attempts(rows, None);
    let metric = Metric {
        values: &values,
        better: Better::Lower,
        class,
        is_unit_share: false,
        question: Question::TheseCases,
        is_cost: true,
    };
    table(&attempts, &[metric], options).unwrap().remove(0)
}

fn replayed(rows: &Rows) -> Summary {
    summary(rows, NoiseClass::Count, &Options::new(Pairing::SameAttempt, 7))
}

/// `cases` cases of two attempts on every side: base value 10, candidate `change` more.
fn steady(cases: u32, change: f64) -> Rows {
    let mut rows = Vec::new();
    for case in 0..cases {
        for attempt in 1..=2 {
            let base = f64::from(10 * attempt + case);
            rows.push((case, B, attempt, Some(base)));
            rows.push((case, C, attempt, Some(base + if case == 0 { change } else { 0.0 })));
            rows.push((case, S, attempt, Some(base)));
        }
        rows.push((case, AGAIN, 1, Some(f64::from(10 + case) + if case == 0 { change } else { 0.0 })));
    }
    rows
}

#[test]
fn a_replay_pairs_attempts_and_side_means_do_not() {
    // Attempt 2 failed on the candidate: in a replay it leaves both sides.
    let rows: Rows = vec![
        (0, B, 1, Some(10.0)),
        (0, B, 2, Some(90.0)),
        (0, C, 1, Some(12.0)),
        (0, C, 2, None),
        (1, B, 1, Some(5.0)),
        (1, C, 2, Some(5.0)),
        (2, B, 1, Some(5.0)),
        (2, C, 1, None),
        (3, B, 1, None),
        (3, C, 1, None),
    ];
    let (attempts, values) = attempts(&rows, None);
    let replay = Sample::new(&attempts, &values, Selection::ok_only(Pairing::SameAttempt)).unwrap();
    assert_eq!(replay.deltas().collect::<Vec<_>>(), [2.0]);
    assert_eq!(replay.cases[0].baseline.attempts, 1);
    assert_eq!(replay.dropped, [(1, Lacks::CommonAttempt), (2, Lacks::Candidate), (3, Lacks::Both)]);
    let means = Sample::new(&attempts, &values, Selection::ok_only(Pairing::SideMeans)).unwrap();
    assert_eq!(means.deltas().collect::<Vec<_>>(), [12.0 - 50.0, 0.0]);
    assert_eq!(means.lattice, Some(2));
    let as_worst =
        Selection { failed: Missing::AsWorst.failed(), ..Selection::ok_only(Pairing::SameAttempt) };
    let worst = Sample::new(&attempts, &values, as_worst).unwrap();
    assert_eq!(worst.deltas().collect::<Vec<_>>(), [(2.0 - 90.0) / 2.0, -5.0, 0.0]);
}

#[test]
fn a_server_that_repeats_itself_is_judged_exactly() {
    let row = replayed(&steady(6, 1.0));
    assert!(row.spread.deterministic && row.spread.candidate_repeated);
    assert_eq!((row.spread.pairs, row.spread.same_code_runs, row.spread.noise_se), (12, 1, Some(0.0)));
    assert_eq!(row.spread.noise_from, Some(NoiseFrom::SameCodePairs));
    assert_eq!((row.call, row.call_reason), (Some(Word::Worse), None));
    assert_eq!((row.cases_up, row.cases_down, row.cases_tied), (1, 0, 5));
    assert_eq!(row.spread.drift, None);

    // Any pair that differs, or a candidate that does not repeat itself, ends that.
    for (case, side, attempt) in [(3, S, 2), (4, AGAIN, 1)] {
        let mut rows = steady(6, 1.0);
        let at = rows.iter_mut().find(|r| (r.0, r.1, r.2) == (case, side, attempt)).unwrap();
        at.3 = Some(99.0);
        assert!(!replayed(&rows).spread.deterministic, "{side:?}");
    }
    // Nor is there anything to go by without a same-code side.
    let rows: Rows = steady(6, 1.0).into_iter().filter(|r| r.1 != S).collect();
    let row = replayed(&rows);
    assert!(!row.spread.deterministic && row.spread.noise_se.is_none());
    // Without a repeat of the candidate it counts as deterministic, and that is said.
    let rows: Rows = steady(6, 1.0).into_iter().filter(|r| r.1 != AGAIN).collect();
    let row = replayed(&rows);
    assert!(row.spread.deterministic && !row.spread.candidate_repeated);
}

#[test]
fn a_size_from_few_pairs_is_not_called_and_not_judged() {
    let options = Options::new(Pairing::SameAttempt, 7);
    let verdict = |cases: u32, class: NoiseClass| {
        let rows = steady(cases, 1.0);
        let row = summary(&rows, class, &options);
        let metric = Metric {
            values: &[],
            better: Better::Lower,
            class,
            is_unit_share: false,
            question: Question::TheseCases,
            is_cost: true,
        };
        let rule = Rule { role: Role::Guardrail, question: Question::TheseCases, margin: 0.0 };
        let outcome = judge(&[(rule, row.evidence(&metric))])[0];
        (row.call_reason, outcome.verdict.unwrap(), outcome.reason)
    };
    let few = (Some(CallReason::FewPairs), Verdict::Inconclusive, Some(Reason::FewPairs));
    assert_eq!(verdict(4, NoiseClass::Size), few);
    assert_eq!(verdict(5, NoiseClass::Size), (None, Verdict::Regression, None));
    assert_eq!(verdict(4, NoiseClass::Count), (None, Verdict::Regression, None));
}

#[test]
fn a_stored_baseline_run_lends_its_own_repeat() {
    let swap =
        |r: (u32, Side, u32, Option<f64>)| if r.1 == S { (r.0, Side::BaselineAgain, r.2, r.3) } else { r };
    let stored: Rows =
        steady(6, 1.0).into_iter().map(swap).filter(|r| r.1 != Side::BaselineAgain || r.2 == 1).collect();
    let row = replayed(&stored);
    assert!(row.spread.deterministic);
    assert_eq!((row.spread.pairs, row.spread.same_code_runs), (12, 0));
    let without: Rows = stored.into_iter().filter(|r| r.1 != AGAIN).collect();
    assert!(!replayed(&without).spread.deterministic);
    assert_eq!(replayed(&without).spread.noise_se, None);
}

/// By hand: two cases, two attempts, two same-code runs.
#[test]
fn pair_noise_prediction_and_drift_follow_their_formulas() {
    let s2 = Side::SameCode(2);
    let rows: Rows = vec![
        (0, B, 1, Some(10.0)),
        (0, B, 2, Some(20.0)),
        (0, C, 1, Some(11.0)),
        (0, C, 2, Some(22.0)),
        (0, S, 1, Some(12.0)),
        (0, S, 2, Some(20.0)),
        (0, s2, 1, Some(10.0)),
        (0, s2, 2, Some(24.0)),
        (1, B, 1, Some(30.0)),
        (1, C, 1, Some(30.5)),
        (1, S, 1, Some(33.0)),
        (1, s2, 1, Some(30.0)),
    ];
    let row = replayed(&rows);
    // Case 0: e^2 of attempt 1 is (4 + 0) / 2, of attempt 2 (0 + 16) / 2, over m^2 = 4: 2.5.
    // Case 1: (9 + 0) / 2 over 1: 4.5. Together 7, and n = 2.
    let se = 7f64.sqrt() / 2.0;
    assert!((row.spread.noise_se.unwrap() - se).abs() < 1e-15);
    assert_eq!(row.spread.pairs, 6);
    let aa: Vec<f64> = row.spread.deltas.iter().map(|d| d.delta).collect();
    assert_eq!(aa, [2.0, 1.0]);
    assert!((row.spread.deltas[0].z.unwrap() - 2.0 / se).abs() < 1e-15);
    assert_eq!(row.spread.max_abs_delta(), Some(2.0));
    // Run means 22.5, 24.5, 23.5: mean 23.5, sum of squares 2, sd 1.
    let drift = row.spread.drift.unwrap();
    assert!((drift.q - 2.0 / (se * se / 2.0)).abs() < 1e-12);
    assert_eq!(drift.df, 2);
    let prediction = row.spread.prediction.unwrap();
    let reach = 4.302652729749462 * (4f64 / 3.0).sqrt();
    assert!((prediction.low - (1.0 - reach)).abs() < 1e-9);
    assert!((prediction.high - (1.0 + reach)).abs() < 1e-9);
}

#[test]
fn clusters_have_the_robust_standard_error() {
    let deltas = [1.0, 2.0, 4.0, -1.0, 0.5, 3.0, 2.0, 0.0];
    let clusters = vec![0, 0, 0, 1, 1, 2, 3, 4];
    let rows: Rows =
        (0..8u32).flat_map(|i| [(i, B, 1, Some(0.0)), (i, C, 1, Some(deltas[i as usize]))]).collect();
    let (attempts, values) = attempts(&rows, Some(clusters.clone()));
    let sample = Sample::new(&attempts, &values, Selection::ok_only(Pairing::SideMeans)).unwrap();
    let t = t_interval(&sample).unwrap();
    // Residuals summed by cluster, C / (C - 1), as statsmodels' cluster-robust OLS on a constant.
    let mean = deltas.iter().sum::<f64>() / 8.0;
    let sum = |c: u32| -> f64 { (0..8).filter(|i| clusters[*i] == c).map(|i| deltas[i] - mean).sum() };
    let squares: f64 = (0..5).map(|c| sum(c).powi(2)).sum();
    assert!((t.se - (squares * 5.0 / 4.0).sqrt() / 8.0).abs() < 1e-15);
    assert_eq!(t.df, 4);
    // Unequal clusters have no lattice of their mean: they are resampled, and whole.
    let metric = Metric {
        values: &values,
        better: Better::Lower,
        class: NoiseClass::Count,
        is_unit_share: false,
        question: Question::CasesLikeThese,
        is_cost: false,
    };
    let row = &table(&attempts, &[metric], &Options::new(Pairing::SideMeans, 7)).unwrap()[0];
    assert!(matches!(row.interval, Some(Interval::Resampled { resamples: 10_000, seed: 7, .. })));
    assert_eq!(row.sample.units.len(), 5);
}

#[test]
fn edges_of_the_edge_case_table() {
    let one = replayed(&steady(1, 1.0));
    assert_eq!(one.delta, Some(1.0));
    assert!(one.t.is_none() && one.interval.is_none() && one.p_signflip.is_none() && one.mde80.is_none());
    let still = replayed(&steady(20, 0.0));
    assert_eq!((still.delta, still.call), (Some(0.0), Some(Word::Same)));
    assert!(still.t.is_none() && still.interval.is_none() && still.sparse && !still.heavy_tail);
    let nothing = replayed(&vec![(0, B, 1, Some(1.0))]);
    assert_eq!((nothing.n_cases(), nothing.n_dropped(), nothing.delta), (0, 1, None));
    assert_eq!((nothing.call, nothing.baseline_mean), (None, None));
    // One case of 20 holds all of the change.
    let tail = replayed(&steady(20, 3.0));
    assert!(tail.heavy_tail && tail.sparse && tail.percent.is_some());
}

#[test]
fn exposed_and_unexposed_cases_are_told_apart() {
    let exposed = [Exposed::Yes, Exposed::No, Exposed::Unknown, Exposed::No];
    let options = Options { exposed: Some(&exposed), ..Options::new(Pairing::SameAttempt, 7) };
    let deltas = summary(&steady(4, 2.0), NoiseClass::Count, &options).exposed.unwrap();
    assert_eq!((deltas.exposed_cases, deltas.exposed, deltas.unexposed), (1, Some(2.0), Some(0.0)));
}

#[test]
fn rows_in_any_order_and_any_threads_give_the_same_digits() {
    let mut rows: Rows = Vec::new();
    for case in 0..200u32 {
        for attempt in 1..=4 {
            let x = f64::from((case * 37 + attempt * 11) % 101) / 7.0;
            rows.push((case, B, attempt, Some(x)));
            rows.push((case, C, attempt, Some(x + f64::from(case % 13) / 9.0 - 0.6)));
        }
    }
    let options = Options::new(Pairing::SameAttempt, 11);
    let first = summary(&rows, NoiseClass::Size, &options);
    rows.reverse();
    let second = summary(&rows, NoiseClass::Size, &options);
    assert_eq!(first.interval, second.interval);
    assert_eq!((first.p_signflip, first.t), (second.p_signflip, second.t));
    // Pinned: a published interval must be found again on every machine.
    let (low, high) = first.interval.unwrap().ends();
    assert_eq!(format!("{low:.12} {high:.12}"), "-0.002777777778 0.113333333333");
}

#[test]
fn bad_input_is_named() {
    let key = |case, attempt| Attempt { case, side: B, attempt, status: Status::Ok };
    let twice = Attempts::new(vec![key(0, 1), key(0, 2), key(0, 1)], 1, None).unwrap_err();
    assert_eq!(twice, SampleError::Duplicate { case: 0, side: B, attempt: 1, first: 0, second: 2 });
    let beyond = Attempts::new(vec![key(3, 1)], 2, None).unwrap_err();
    assert!(matches!(beyond, SampleError::NoSuchCase { row: 0, case: 3, cases: 2 }));
    let attempts = Attempts::new(vec![key(0, 1), key(0, 2)], 1, None).unwrap();
    for bad in [f64::NAN, f64::INFINITY, 1e101] {
        let column = [Some(1.0), Some(bad)];
        let selection = Selection::ok_only(Pairing::SideMeans);
        let error = Sample::new(&attempts, &column, selection).unwrap_err();
        assert!(matches!(error, SampleError::NotFinite { row: 1, .. }), "{error}");
    }
    let selection = Selection::ok_only(Pairing::SideMeans);
    assert!(matches!(Sample::new(&attempts, &[None], selection), Err(SampleError::Length { .. })));
}
