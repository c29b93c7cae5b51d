//! Every figure of `stats-reference/expected.json` that has a counterpart, on all ten data sets.
//!
//! Closed forms, exact values, Holm and Benjamini-Hochberg agree to 1e-9 relative; resampled ends
//! within the tolerance that the reference gives. A key that this test does not know fails it.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcp_regress::stats::bootstrap::{self, RESAMPLES};
use mcp_regress::stats::counts::sign_test;
use mcp_regress::stats::exact::MeanDistribution;
use mcp_regress::stats::flips::{Direction, Flips};
use mcp_regress::stats::holm::{benjamini_hochberg, holm};
use mcp_regress::stats::judge::{Interval, Metric, Options, Summary, table};
use mcp_regress::stats::missing::{BEST_CASE, Missing, WORST_CASE};
use mcp_regress::stats::power::cases_needed;
use mcp_regress::stats::rule::share_bound;
use mcp_regress::stats::sample::{Attempt, Attempts, Pairing, Sample, Selection, Side, Status};
use mcp_regress::stats::{Better, NoiseClass, Question};
use serde_json::Value;

const SEED: u64 = 7;

/// Figures of the reference for which there is no counterpart here, on purpose: other intervals
/// (bootstrap-t, log ratio, percentile of the ratio, resampled BCa), and figures of enumerations
/// whose quantile rule is another.
const WITHOUT_COUNTERPART: [&str; 7] = [
    "unit",
    "bootstrap_t_symmetric",
    "bootstrap_t_critical",
    "scipy_bca",
    "enumerated_percentile",
    "tolerance_10k_resamples",
    "signflip_p_mc_tolerance",
];

struct DataSet {
    cases: Vec<String>,
    splits: Vec<String>,
    attempts: Attempts,
    columns: BTreeMap<String, Vec<Option<f64>>>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/stats-reference")
}

fn load(name: &str) -> DataSet {
    let mut reader = csv::Reader::from_path(folder().join(format!("{name}.csv"))).unwrap();
    let header = reader.headers().unwrap().clone();
    let (mut cases, mut splits, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for record in reader.records() {
        let record = record.unwrap();
        let case = cases.iter().position(|c| c == &record[0]).unwrap_or_else(|| {
            cases.push(record[0].to_owned());
            splits.push(record[1].to_owned());
            cases.len() - 1
        });
        let side = match &record[2] {
            "base" => Side::Baseline,
            "cand" => Side::Candidate,
            "base2" => Side::SameCode(1),
            "base3" => Side::SameCode(2),
            other => panic!("side {other}"),
        };
        let status = if &record[4] == "ok" { Status::Ok } else { Status::Failed };
        rows.push(Attempt { case: case as u32, side, attempt: record[3].parse().unwrap(), status });
        for (name, cell) in header.iter().zip(record.iter()).skip(5) {
            columns.entry(name.to_owned()).or_default().push(cell.parse().ok());
        }
    }
    let attempts = Attempts::new(rows, cases.len(), None).unwrap();
    DataSet { cases, splits, attempts, columns }
}

fn metric<'a>(data: &'a DataSet, name: &str) -> Metric<'a> {
    let is_unit_share =
        ["correct", "completeness", "truthfulness", "source_recall", "cited_gold"].contains(&name);
    Metric {
        values: &data.columns[name],
        better: if is_unit_share { Better::Higher } else { Better::Lower },
        class: NoiseClass::Count,
        is_unit_share,
        question: Question::CasesLikeThese,
        is_cost: false,
    }
}

/// Collects every disagreement, so that one run shows all of them.
struct Check {
    place: String,
    scale: f64,
    errors: Vec<String>,
    figures: usize,
}

impl Check {
    fn within(&mut self, what: &str, got: Option<f64>, want: &Value, tolerance: f64) {
        self.figures += 1;
        let agrees = match (got, want.as_f64()) {
            (Some(got), Some(want)) => (got - want).abs() <= tolerance,
            (None, None) => want.is_null() || want == "unbounded",
            _ => false,
        };
        if !agrees {
            self.errors
                .push(format!("{} {what}: got {got:?}, want {want}, within {tolerance:e}", self.place));
        }
    }

    /// To 1e-9 relative; a zero to rounding of the numbers it is a difference of.
    fn close(&mut self, what: &str, got: Option<f64>, want: &Value) {
        let tolerance = 1e-9 * want.as_f64().unwrap_or(0.0).abs() + 1e-14 * self.scale;
        self.within(what, got, want, tolerance);
    }

    fn count(&mut self, what: &str, got: usize, want: &Value) {
        self.within(what, Some(got as f64), want, 0.0);
    }

    fn pair(&mut self, what: &str, got: Option<(f64, f64)>, want: &Value) {
        if want.is_array() {
            self.close(&format!("{what} low"), got.map(|g| g.0), &want[0]);
            self.close(&format!("{what} high"), got.map(|g| g.1), &want[1]);
        } else {
            self.close(what, got.map(|g| g.0), want);
        }
    }
}

/// The 10,000 resamples of this sample, whether or not an exact interval exists.
fn resampled(sample: &Sample) -> Option<(f64, f64)> {
    let column: Vec<f64> = sample.deltas().collect();
    let ends = bootstrap::percentiles(&[column], None, 1.0, RESAMPLES, SEED)?;
    ends.first().map(|p| (p.low, p.high))
}

fn check_metric(check: &mut Check, row: &Summary, flips: &Flips, names: &[String], want: &Value) {
    let sample = &row.sample;
    check.scale = row.baseline_mean.unwrap().abs().max(row.candidate_mean.unwrap().abs());
    let t = row.t;
    let exact = MeanDistribution::of(sample);
    for (key, want_value) in want.as_object().unwrap() {
        let v = want_value;
        match key.as_str() {
            "n_cases" => check.count(key, row.n_cases(), v),
            "n_cases_dropped" => check.count(key, row.n_dropped(), v),
            "attempts_base" => check.count(key, row.attempts_baseline as usize, v),
            "attempts_cand" => check.count(key, row.attempts_candidate as usize, v),
            "mean_base" => check.close(key, row.baseline_mean, v),
            "mean_cand" => check.close(key, row.candidate_mean, v),
            "delta" => check.close(key, row.delta, v),
            "sum_base" => check.close(key, Some(row.baseline_total), v),
            "sum_cand" => check.close(key, Some(row.candidate_total), v),
            "pooled_delta" => {
                let cand = row.candidate_total / row.attempts_candidate as f64;
                check.close(key, Some(cand - row.baseline_total / row.attempts_baseline as f64), v);
            }
            "cases_up" => check.count(key, row.cases_up, v),
            "cases_down" => check.count(key, row.cases_down, v),
            "cases_tied" => check.count(key, row.cases_tied, v),
            "sign_test_p" => check.close(key, Some(sign_test(row.cases_up, row.cases_down)), v),
            "se" => check.close(key, Some(t.map_or(0.0, |t| t.se)), v),
            "df" => check.count(key, row.n_cases() - 1, v),
            "t" => check.close(key, t.map(|t| t.t), v),
            "p_t" => check.close(key, t.map(|t| t.p), v),
            "ci_t" => check.pair(key, t.map(|t| (t.low, t.high)), v),
            "one_sided95_lower" => check.close(key, t.map(|t| t.bound_low), v),
            "one_sided95_upper" => check.close(key, t.map(|t| t.bound_high), v),
            "mde80" => check.close(key, row.mde80, v),
            "cases_for_margin_005_90pct" if v.is_null() => {}
            "cases_for_margin_005_90pct" => {
                let needed = t.and_then(|t| cases_needed(row.n_cases(), t.se, 0.05));
                check.close(key, needed.map(|n| n as f64), v);
            }
            "se_attempt_noise" => check.close(key, row.spread.noise_se, v),
            "share_of_variance_from_attempts" => {
                let noise = row.spread.noise_se.unwrap();
                check.close(key, t.map(|t| (noise / t.se).powi(2)), v);
            }
            "exact" => check_exact(check, exact.as_ref(), row, v),
            "signflip_p_exact" | "signflip_p_enumerated" => check.close(key, row.p_signflip, v),
            "signflip_p_mc" => {
                let tolerance = want["signflip_p_mc_tolerance"].as_f64().unwrap();
                check.within(key, row.p_signflip, v, tolerance);
            }
            "scipy_percentile" => check_resampled(check, row, want),
            "ratio" => check_ratio(check, row, v),
            "degenerate" => {
                check.figures += 1;
                if t.is_some() || row.interval.is_some() || row.p_signflip.is_some() {
                    check.errors.push(format!("{} has an interval or a p", check.place));
                }
            }
            "rule_of_three_upper_share_of_cases_changed_95" => {
                check.close(key, Some(share_bound(row.n_cases())), v);
            }
            "mcnemar" => {
                let got = flips.mostly_right();
                check.count("mcnemar both", got.both, &v["mostly_right_both"]);
                check.count("mcnemar base", got.baseline_only, &v["base_only"]);
                check.count("mcnemar cand", got.candidate_only, &v["cand_only"]);
                check.count("mcnemar neither", got.neither, &v["neither"]);
                check.close("mcnemar p", Some(got.mcnemar_p()), &v["p_exact"]);
            }
            "flips" => {
                check_flips(check, flips, names, Direction::Lost, &v["mostly_right_to_never_right"]);
                check_flips(check, flips, names, Direction::Gained, &v["never_right_to_mostly_right"]);
            }
            // Over the family, below.
            "holm_p_t" | "bh_p_t" | "holm_p_signflip" => {}
            other if WITHOUT_COUNTERPART.contains(&other) => {}
            other => check.errors.push(format!("{}: unknown key {other}", check.place)),
        }
    }
}

fn check_exact(check: &mut Check, exact: Option<&MeanDistribution>, row: &Summary, want: &Value) {
    let Some(exact) = exact else {
        return check.errors.push(format!("{}: no exact distribution", check.place));
    };
    let Some(Interval::Exact { low, high }) = row.interval else {
        return check.errors.push(format!("{}: the interval is not exact", check.place));
    };
    let bca = exact.bca(&row.sample);
    check.pair("exact percentile", Some((low, high)), &want["exact_percentile"]);
    // Its lattice step is 1 / (n L); ours is a multiple when every delta is one.
    let steps = exact.lattice_step() / want["lattice_step"].as_f64().unwrap();
    check.within("lattice step", Some(steps), &Value::from(steps.round()), 1e-9);
    // z0 is the normal quantile of an F that is good to 1e-12, also where it is zero.
    let z0 = &want["z0"];
    check.within("z0", Some(bca.z0), z0, 1e-9 * z0.as_f64().unwrap().abs() + 1e-12);
    check.close("a", Some(bca.a), &want["a"]);
    check.pair("exact bca", Some((bca.low, bca.high)), &want["exact_bca"]);
}

fn check_resampled(check: &mut Check, row: &Summary, want: &Value) {
    let reported = row.interval.as_ref().map(Interval::ends);
    let ours = [("resampled", resampled(&row.sample)), ("reported", reported)];
    for (what, ends) in ours {
        for (i, end) in [ends.map(|e| e.0), ends.map(|e| e.1)].into_iter().enumerate() {
            let value = &want["scipy_percentile"][i];
            let rounding = 1e-9 * value.as_f64().unwrap().abs() + 1e-14 * check.scale;
            let tolerance = want["tolerance_10k_resamples"][i].as_f64().unwrap() + rounding;
            check.within(&format!("{what} end {i}"), end, value, tolerance);
        }
    }
}

fn check_ratio(check: &mut Check, row: &Summary, want: &Value) {
    check.close("ratio", row.percent.map(|p| p.change), &want["ratio_minus_1"]);
    if want.get("fieller_ci").is_some() {
        check.pair("fieller", row.percent.and_then(|p| p.interval), &want["fieller_ci"]);
    }
}

fn check_flips(check: &mut Check, flips: &Flips, names: &[String], direction: Direction, want: &Value) {
    let of = flips.flipped().filter(|(_, d)| *d == direction);
    let got: Vec<&str> = of.map(|(c, _)| names[c.case as usize].as_str()).collect();
    let want: Vec<&str> = want.as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    check.figures += 1;
    if got != want {
        check.errors.push(format!("{} flips {direction:?}: got {got:?}, want {want:?}", check.place));
    }
}

/// Holm and Benjamini-Hochberg over the metrics of the table.
fn check_family(check: &mut Check, place: &str, rows: &[Summary], wants: &[(&String, &Value)]) {
    let p_t: Vec<Option<f64>> = rows.iter().map(|r| r.t.map(|t| t.p)).collect();
    let p_flip: Vec<Option<f64>> = rows.iter().map(|r| r.p_signflip).collect();
    let (holm_flip, bh) = (holm(&p_flip), benjamini_hochberg(&p_t));
    let random = wants.iter().filter_map(|w| w.1.get("signflip_p_mc_tolerance")?.as_f64());
    let flip_tolerance = random.fold(1e-12, f64::max) * rows.len() as f64;
    for (i, (name, want)) in wants.iter().enumerate() {
        check.place = format!("{place} {name}");
        check.scale = 0.0;
        if let Some(v) = want.get("holm_p_t") {
            check.close("holm_p_t", rows[i].p_holm, v);
            check.close("bh_p_t", bh[i], &want["bh_p_t"]);
        }
        if let Some(v) = want.get("holm_p_signflip").filter(|v| !v.is_null()) {
            check.within("holm_p_signflip", holm_flip[i], v, flip_tolerance);
        }
    }
}

fn check_table(check: &mut Check, place: &str, data: &DataSet, options: &Options<'_>, want: &Value) {
    let wants: Vec<(&String, &Value)> =
        want.as_object().unwrap().iter().filter(|(name, _)| !name.starts_with('_')).collect();
    let metrics: Vec<Metric<'_>> = wants.iter().map(|(name, _)| metric(data, name)).collect();
    let rows = table(&data.attempts, &metrics, options).unwrap();
    let selection = options.selection(&metric(data, "correct"));
    let flips = Flips::of(&data.attempts, &data.columns["correct"], selection).unwrap();
    for (row, (name, want)) in rows.iter().zip(&wants) {
        check.place = format!("{place} {name}");
        check_metric(check, row, &flips, &data.cases, want);
    }
    check_family(check, place, &rows, &wants);
}

/// d5 under its policies; the error rate is a metric of its own there.
fn check_policies(check: &mut Check, data: &DataSet, want: &Value) {
    for (policy, want) in want.as_object().unwrap() {
        check.place = format!("d5 {policy}");
        let error_rate: Vec<Option<f64>> = data
            .attempts
            .rows()
            .iter()
            .map(|a| Some(if a.status == Status::Ok { 0.0 } else { 1.0 }))
            .collect();
        let (column, failed) = match policy.as_str() {
            "errors_count_as_wrong" => (&data.columns["correct"], Missing::AsWorst.failed()),
            "worst_case" => (&data.columns["correct"], WORST_CASE),
            "best_case" => (&data.columns["correct"], BEST_CASE),
            "error_rate_metric" => (&error_rate, (Some(1.0), Some(1.0))),
            other => panic!("policy {other}"),
        };
        // The policy fills the values in, so that one table serves all four.
        let fill = |(attempt, value): (&Attempt, &Option<f64>)| match (attempt.status, attempt.side) {
            (Status::Failed, Side::Candidate) => failed.1,
            (Status::Failed, _) => failed.0,
            _ => *value,
        };
        let filled: Vec<Option<f64>> = data.attempts.rows().iter().zip(column).map(fill).collect();
        let all_ok: Vec<Attempt> =
            data.attempts.rows().iter().map(|a| Attempt { status: Status::Ok, ..*a }).collect();
        let attempts = Attempts::new(all_ok, data.cases.len(), None).unwrap();
        let share = Metric { values: &filled, ..metric(data, "correct") };
        let rows = table(&attempts, &[share], &Options::new(Pairing::SideMeans, SEED)).unwrap();
        let selection = Selection { failed, ..Selection::ok_only(Pairing::SideMeans) };
        let through_policy = Sample::new(&data.attempts, column, selection).unwrap();
        assert!(through_policy.deltas().eq(rows[0].sample.deltas()), "{policy}");
        let flips = Flips::of(&attempts, &filled, Selection::ok_only(Pairing::SideMeans)).unwrap();
        check_metric(check, &rows[0], &flips, &data.cases, want);
    }
}

/// d2: three runs of the same code, each pair as candidate and reference, and the next run.
fn check_same_code(check: &mut Check, data: &DataSet, want: &Value) {
    let pairs = [
        ("base2_vs_base", (Side::Baseline, Side::SameCode(1))),
        ("base3_vs_base", (Side::Baseline, Side::SameCode(2))),
        ("base3_vs_base2", (Side::SameCode(1), Side::SameCode(2))),
    ];
    for (name, sides) in pairs {
        let options = Options { sides, ..Options::new(Pairing::SideMeans, SEED) };
        check_table(check, &format!("d2 {name}"), data, &options, &want[name]);
    }
    for (name, want) in want["_same_code_prediction_interval"].as_object().unwrap() {
        check.place = format!("d2 next run {name}");
        let options = Options { sides: pairs[0].1, ..Options::new(Pairing::SideMeans, SEED) };
        let row = &table(&data.attempts, &[metric(data, name)], &options).unwrap()[0];
        let base = row.baseline_mean.unwrap();
        check.scale = base;
        let prediction = row.spread.prediction.unwrap();
        assert_eq!(prediction.runs, 3);
        let ends = (prediction.low + base, prediction.high + base);
        check.pair("prediction", Some(ends), &want["prediction_interval_95_next_run"]);
        check.close("mean", Some((ends.0 + ends.1) / 2.0), &want["mean"]);
        let other = Selection { sides: pairs[2].1, ..Selection::ok_only(Pairing::SideMeans) };
        let other = Sample::new(&data.attempts, &data.columns[name], other).unwrap();
        let largest = row.spread.max_abs_delta().unwrap().max(other.mean(|c| c.delta).abs());
        check.close("largest A/A delta", Some(largest), &want["largest_abs_aa_delta"]);
    }
}

#[test]
fn all_ten_data_sets_give_the_expected_figures() {
    let expected: Value =
        serde_json::from_slice(&std::fs::read(folder().join("expected.json")).unwrap()).unwrap();
    let mut check = Check { place: String::new(), scale: 0.0, errors: Vec::new(), figures: 0 };
    let mut seen = std::collections::BTreeSet::new();
    for (key, want) in expected.as_object().unwrap().iter().filter(|(key, _)| !key.starts_with('_')) {
        let (name, split) = key.split_once("/split=").map_or((key.as_str(), None), |(n, s)| (n, Some(s)));
        seen.insert(name.to_owned());
        let data = load(name);
        if name.starts_with("d2_") {
            check_same_code(&mut check, &data, want);
            continue;
        }
        let include: Option<Vec<bool>> = split.map(|split| data.splits.iter().map(|s| s == split).collect());
        let options = Options { include: include.as_deref(), ..Options::new(Pairing::SideMeans, SEED) };
        check_table(&mut check, key, &data, &options, want);
        if let Some(policies) = want.get("_missing_policies") {
            check_policies(&mut check, &data, policies);
        }
    }
    assert_eq!(seen.len(), 10, "{seen:?}");
    assert!(
        check.errors.is_empty(),
        "{} of {} figures:\n{}",
        check.errors.len(),
        check.figures,
        check.errors.join("\n")
    );
    assert!(check.figures > 3_000, "only {} figures were compared", check.figures);
}
