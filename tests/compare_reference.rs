//! The ten reference data sets through the binary: `compare FILE.csv` and its `summary.json`.

#![expect(clippy::unwrap_used, reason = "a test may end by a panic, also in what its functions call")]

mod cli;

use cli::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stats-reference")
}

/// A data set with the metrics that the reference has figures of: Holm's correction spans the table.
fn with_metrics(name: &str, metrics: &[&String], to: &Path) -> PathBuf {
    let mut reader = csv::Reader::from_path(folder().join(format!("{name}.csv"))).unwrap();
    let header = reader.headers().unwrap().clone();
    let kept: Vec<usize> =
        (0..header.len()).filter(|i| *i < 5 || metrics.iter().any(|m| m.as_str() == &header[*i])).collect();
    let path = to.join(format!("{name}.csv"));
    let mut writer = csv::Writer::from_path(&path).unwrap();
    writer.write_record(kept.iter().map(|i| &header[*i])).unwrap();
    for record in reader.records() {
        let record = record.unwrap();
        writer.write_record(kept.iter().map(|i| &record[*i])).unwrap();
    }
    writer.flush().unwrap();
    path
}

fn compared(file: &Path, more: &[&str]) -> Value {
    let said = said(mcp_regress().arg("compare").arg(file).args(["--format", "json"]).args(more));
    assert_eq!(said.code, Some(0), "{}\n{}", file.display(), said.err);
    serde_json::from_str(&said.out).unwrap()
}

struct Check {
    place: String,
    errors: Vec<String>,
    figures: usize,
}

impl Check {
    fn within(&mut self, what: &str, got: &Value, want: &Value, tolerance: f64) {
        self.figures += 1;
        let agrees = match (got.as_f64(), want.as_f64()) {
            (Some(got), Some(want)) => (got - want).abs() <= tolerance,
            (None, None) => got.is_null() && (want.is_null() || want == "unbounded"),
            _ => false,
        };
        if !agrees {
            self.errors.push(format!("{} {what}: got {got}, want {want}, within {tolerance:e}", self.place));
        }
    }

    fn close(&mut self, what: &str, got: &Value, want: &Value, scale: f64) {
        self.within(what, got, want, 1e-9 * want.as_f64().unwrap_or(0.0).abs() + 1e-14 * scale);
    }

    fn metric(&mut self, got: &Value, want: &Value) {
        let scale = want["mean_base"].as_f64().unwrap().abs().max(want["mean_cand"].as_f64().unwrap().abs());
        for (key, column) in [
            ("n_cases", "n_cases"),
            ("n_cases_dropped", "n_dropped"),
            ("attempts_base", "attempts_baseline"),
            ("attempts_cand", "attempts_candidate"),
            ("mean_base", "baseline_mean"),
            ("mean_cand", "candidate_mean"),
            ("sum_base", "baseline_total"),
            ("sum_cand", "candidate_total"),
            ("delta", "delta"),
            ("cases_up", "cases_up"),
            ("cases_down", "cases_down"),
            ("cases_tied", "cases_tied"),
            ("p_t", "p_t"),
            ("one_sided95_lower", "bound_low"),
            ("one_sided95_upper", "bound_high"),
            ("mde80", "mde80"),
            ("se_attempt_noise", "noise_se"),
            ("signflip_p_exact", "p_signflip"),
            ("holm_p_t", "p_holm"),
        ] {
            if let Some(want) = want.get(key) {
                self.close(key, &got[column], want, scale);
            }
        }
        if let Some(ends) = want.get("ci_t").filter(|ends| ends.is_array()) {
            self.close("t_low", &got["t_low"], &ends[0], scale);
            self.close("t_high", &got["t_high"], &ends[1], scale);
            self.close("se", &got["se"], &want["se"], scale);
        }
        if let Some(p) = want.get("signflip_p_mc") {
            self.within(
                "p_signflip",
                &got["p_signflip"],
                p,
                want["signflip_p_mc_tolerance"].as_f64().unwrap(),
            );
        }
        self.interval(got, want, scale);
        if let Some(ends) =
            want.get("ratio").and_then(|ratio| ratio.get("fieller_ci")).filter(|e| e.is_array())
        {
            for (column, end) in [("pct_low", &ends[0]), ("pct_high", &ends[1])] {
                let percent = end.as_f64().map_or(Value::Null, |end| Value::from(100.0 * end));
                self.close(column, &got[column], &percent, 1.0);
            }
        }
    }

    fn interval(&mut self, got: &Value, want: &Value, scale: f64) {
        for (i, column) in ["ci_low", "ci_high"].into_iter().enumerate() {
            if let Some(exact) = want.get("exact") {
                assert_eq!(got["ci_method"], "exact", "{}", self.place);
                self.close(column, &got[column], &exact["exact_percentile"][i], scale);
            } else if let Some(ends) = want.get("scipy_percentile") {
                let tolerance = want["tolerance_10k_resamples"][i].as_f64().unwrap();
                self.within(column, &got[column], &ends[i], tolerance + 1e-12 * scale);
            }
        }
    }

    fn split(&mut self, place: &str, got: &Value, wants: &Value) {
        let mut flips = None;
        for (name, want) in wants.as_object().unwrap().iter().filter(|(name, _)| !name.starts_with('_')) {
            self.place = format!("{place} {name}");
            self.metric(&got["metrics"][name], want);
            flips = want.get("flips").or(flips);
        }
        let Some(flips) = flips else { return };
        for (direction, key) in
            [("lost", "mostly_right_to_never_right"), ("gained", "never_right_to_mostly_right")]
        {
            let listed =
                got["flips"].as_array().unwrap().iter().filter(|flip| flip["direction"] == direction);
            let listed: Vec<&Value> = listed.map(|flip| &flip["case_id"]).collect();
            self.figures += 1;
            if listed != flips[key].as_array().unwrap().iter().collect::<Vec<_>>() {
                self.errors.push(format!("{place} flips {direction}: {listed:?}"));
            }
        }
    }
}

#[test]
fn every_data_set_gives_the_expected_figures() {
    let expected: Value =
        serde_json::from_slice(&std::fs::read(folder().join("expected.json")).unwrap()).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let mut check = Check { place: String::new(), errors: Vec::new(), figures: 0 };
    for (key, wants) in expected.as_object().unwrap().iter().filter(|(key, _)| !key.starts_with('_')) {
        let (name, split) = key.split_once("/split=").unwrap_or((key, "all"));
        let wants_of = |wants: &Value, more: &[&str]| {
            let names: Vec<&String> =
                wants.as_object().unwrap().keys().filter(|name| !name.starts_with('_')).collect();
            compared(&with_metrics(name, &names, temp.path()), more)
        };
        if name.starts_with("d2_") {
            for (pair, baseline, candidate) in
                [("base2_vs_base", "base", "base2"), ("base3_vs_base2", "base2", "base3")]
            {
                let got = wants_of(&wants[pair], &["--baseline", baseline, "--candidate", candidate]);
                check.split(&format!("{name} {pair}"), &got["splits"]["all"], &wants[pair]);
            }
            continue;
        }
        let got = wants_of(wants, &[]);
        assert_eq!((&got["verdict"], &got["exit_code"]), (&"none".into(), &0.into()));
        check.split(key, &got["splits"][split], wants);
        if let Some(policies) = wants.get("_missing_policies") {
            let got = wants_of(wants, &["--missing", "as-worst", "--metric", "correct:share:higher"]);
            check.place = format!("{key} as-worst");
            check.metric(&got["splits"]["all"]["metrics"]["correct"], &policies["errors_count_as_wrong"]);
            // The bounds are the same under either policy.
            for missing in ["as-worst", "ok-only"] {
                let got = wants_of(wants, &["--missing", missing, "--metric", "correct:share:higher"]);
                let correct = &got["splits"]["all"]["metrics"]["correct"];
                for (bound, policy) in [("delta_worst", "worst_case"), ("delta_best", "best_case")] {
                    let (got, want) =
                        (correct[bound].as_f64().unwrap(), policies[policy]["delta"].as_f64().unwrap());
                    assert!((got - want).abs() <= 1e-9 * want.abs(), "{missing} {bound}: {got} and {want}");
                }
            }
        }
    }
    assert!(
        check.errors.is_empty(),
        "{} of {}:\n{}",
        check.errors.len(),
        check.figures,
        check.errors.join("\n")
    );
    assert!(check.figures > 1_500, "only {} figures were compared", check.figures);
}
