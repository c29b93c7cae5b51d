//! `calibrate`: the whole gate on runs of the same code, where every alarm is a false one.

use super::{Failure, Printer, compare, results};
use crate::cli::{CalibrateArgs, Format};
use crate::exit::ExitCode;
use crate::metric::{AttemptTable, collect};
use crate::report::across::{self, Part};
use crate::report::{self, Measured};
use crate::stats::proportion::clopper_pearson;
use crate::suite::Rule;
use crate::trace::RunMeta;
use crate::verdict::inferred;
use crate::verdict::rules::RuleVerdict;
use crate::verdict::{Comparison, Settings, Verdict};
use crate::words::{Side, Split};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// One judging of the gate on two runs of the same code.
struct Trial {
    baseline: Side,
    candidate: Side,
    split: Option<Split>,
    verdicts: Vec<RuleVerdict>,
}

impl Trial {
    fn says(&self, verdict: Verdict) -> bool {
        self.verdicts.iter().any(|rule| rule.verdict == Some(verdict))
    }
}

pub(super) fn run(args: &CalibrateArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let trials = match &args.what {
        Some(file) if compare::is_file(file) => of_file(Path::new(file), args)?,
        run => {
            let folder = results::find(&args.runs, run.as_deref().map(Path::new))?;
            let mut meta = folder.read_meta()?;
            meta.gate = super::meta::gate(&args.judge);
            of_run(&meta, &folder.journals()?)?
        }
    };
    let text = match args.judge.format {
        Format::Json => json_text(&trials)?,
        Format::Human => human(&trials),
    };
    printer.data(&text);
    Ok(ExitCode::Success)
}

/// Every pair of sides that run the baseline's code, the later as candidate, with the sides that
/// tell their noise: the others, or the candidate itself where there is no third.
fn pairs(sides: &[Side]) -> Vec<(Side, Side, Vec<Side>)> {
    let mut pairs = Vec::new();
    for (place, base) in sides.iter().enumerate() {
        for candidate in &sides[place + 1..] {
            let mut others: Vec<Side> =
                sides.iter().copied().filter(|side| side != base && side != candidate).collect();
            if others.is_empty() {
                others.push(*candidate);
            }
            pairs.push((*base, *candidate, others));
        }
    }
    pairs
}

fn nothing_to_pair(what: &str) -> Failure {
    Failure::usage(format!("{what} has no second run of the same code, so there is nothing to calibrate by"))
        .hint("run with --same-code 1 or more; each further run of the same code adds pairs")
}

fn of_run(meta: &RunMeta, journals: &[PathBuf]) -> Result<Vec<Trial>, Failure> {
    let sides: Vec<Side> =
        std::iter::once(Side::Baseline).chain((1..=meta.same_code).map(Side::SameCode)).collect();
    if sides.len() < 2 {
        return Err(nothing_to_pair(&format!("`{}`", meta.run_id)));
    }
    if meta.rules.is_empty() {
        return Err(Failure::usage("the run was judged by no rule: there is no gate to calibrate"));
    }
    let mut trials = Vec::new();
    for (base, candidate, others) in pairs(&sides) {
        let part = |plays: Vec<(Side, Side)>| Part { meta: meta.clone(), journals: journals.to_vec(), plays };
        let mut parts = vec![part(vec![(base, Side::Baseline)]), part(vec![(candidate, Side::Candidate)])];
        for (number, other) in others.iter().enumerate() {
            parts.push(part(vec![(*other, Side::SameCode(number as u32 + 1))]));
        }
        let (joined, journal, _) =
            across::joined(&parts).map_err(|error| Failure::new(ExitCode::Internal, error))?;
        let collected =
            collect(&joined, &journal).map_err(|error| Failure::new(ExitCode::Internal, error))?;
        // Two runs of one code list the same tools: what differs there is no noise of a run.
        let rules: Vec<Rule> =
            meta.rules.iter().filter(|rule| rule.subject.as_str() != "tools_list").cloned().collect();
        add_trials(&mut trials, &collected.table, report::settings(&joined), &rules, (base, candidate))?;
    }
    Ok(trials)
}

fn of_file(path: &Path, args: &CalibrateArgs) -> Result<Vec<Trial>, Failure> {
    let foreign = compare::file::read(path, &args.foreign)?;
    let rules: Vec<Rule> = args.foreign.metric.iter().filter_map(|declared| declared.rule()).collect();
    if rules.is_empty() {
        return Err(Failure::usage("no rule: there is no gate to calibrate")
            .hint("declare one with --metric NAME:UNIT:lower|higher:guardrail[:MARGIN]"));
    }
    let gate = super::meta::gate(&args.judge);
    let Measured { collected, settings, .. } =
        compare::file::measured(foreign, Vec::new(), gate, (0, 100), args.question);
    let sides: Vec<Side> = collected
        .table
        .sides()
        .into_iter()
        .filter(|side| matches!(side, Side::Baseline | Side::SameCode(_)))
        .collect();
    if sides.len() < 2 {
        return Err(nothing_to_pair(&format!("`{}`", path.display())));
    }
    let mut trials = Vec::new();
    for (base, candidate, others) in pairs(&sides) {
        let plays = |side: Side| {
            let mut roles = Vec::new();
            if side == base {
                roles.push(Side::Baseline);
            }
            if side == candidate {
                roles.push(Side::Candidate);
            }
            let numbered = others.iter().enumerate().filter(|(_, other)| **other == side);
            roles.extend(numbered.map(|(number, _)| Side::SameCode(number as u32 + 1)));
            roles
        };
        let table = collected.table.with_sides(&plays);
        add_trials(&mut trials, &table, settings, &rules, (base, candidate))?;
    }
    Ok(trials)
}

/// Judges all cases, then each split alone when there are two.
fn add_trials(
    trials: &mut Vec<Trial>,
    table: &AttemptTable,
    settings: Settings,
    rules: &[Rule],
    (baseline, candidate): (Side, Side),
) -> Result<(), Failure> {
    let comparison =
        Comparison::new(table, settings).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    let has = |split: Split| table.cases.iter().any(|case| case.split == split);
    let both = has(Split::Dev) && has(Split::Test);
    let splits = [None, Some(Split::Dev), Some(Split::Test)];
    for split in splits.into_iter().filter(|split| split.is_none() || both) {
        let mut in_split = rules.to_vec();
        in_split.iter_mut().for_each(|rule| rule.split = rule.split.or(split));
        // A rule of one split says nothing of the other.
        in_split.retain(|rule| split.is_none() || rule.split == split);
        let verdicts = inferred::judge(&in_split, &comparison, None, None)
            .map_err(|error| Failure::new(ExitCode::Internal, error))?;
        trials.push(Trial { baseline, candidate, split, verdicts });
    }
    Ok(())
}

/// (alarms, trials) of the gate as a whole, on all cases or on single splits.
fn alarms(trials: &[Trial], wanted: impl Fn(&Trial) -> bool) -> (u64, u64) {
    let of = trials.iter().filter(|trial| wanted(trial));
    of.fold((0, 0), |(alarms, n), trial| (alarms + u64::from(trial.says(Verdict::Regression)), n + 1))
}

fn shown((alarms, n): (u64, u64)) -> String {
    let interval = clopper_pearson(alarms, n, 0.95)
        .map_or_else(String::new, |(low, high)| format!(" [{:.1} %, {:.1} %]", 100.0 * low, 100.0 * high));
    let rate = if n == 0 { 0.0 } else { 100.0 * alarms as f64 / n as f64 };
    format!("{alarms} of {n}: {rate:.1} %{interval}")
}

fn split_word(split: Option<Split>) -> &'static str {
    split.map_or("all", Split::as_str)
}

fn human(trials: &[Trial]) -> String {
    let mut lines = vec![format!("false alarms on the same code  {}", shown(alarms(trials, |_| true)))];
    for split in [None, Some(Split::Dev), Some(Split::Test)] {
        let found = alarms(trials, |trial| trial.split == split);
        if found.1 > 0 {
            lines.push(format!("  {:<5} {}", split_word(split), shown(found)));
        }
    }
    let open =
        trials.iter().filter(|trial| !trial.says(Verdict::Regression) && trial.says(Verdict::Inconclusive));
    lines.push(format!("inconclusive: {} of {}", open.count(), trials.len()));
    for trial in trials.iter().filter(|trial| trial.says(Verdict::Regression)) {
        let names: Vec<&str> = trial
            .verdicts
            .iter()
            .filter(|rule| rule.verdict == Some(Verdict::Regression))
            .map(|rule| rule.subject.as_str())
            .collect();
        lines.push(format!(
            "alarm: {} against {}, {}: {}",
            trial.candidate,
            trial.baseline,
            split_word(trial.split),
            names.join(", ")
        ));
    }
    lines.push("in brackets the 95 % Clopper-Pearson interval, as if trials were independent; pairs that share a run and splits that share cases are not".to_owned());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn json_text(trials: &[Trial]) -> Result<String, Failure> {
    let (hits, n) = alarms(trials, |_| true);
    let interval = clopper_pearson(hits, n, 0.95);
    let each: Vec<Value> = trials
        .iter()
        .map(|trial| {
            let rules: Vec<Value> = trial
                .verdicts
                .iter()
                .map(|rule| json!({"metric": rule.subject, "verdict": rule.verdict.map(|v| v.as_str()), "p": rule.p, "reason": rule.reason}))
                .collect();
            json!({
                "baseline": trial.baseline.to_string(),
                "candidate": trial.candidate.to_string(),
                "split": split_word(trial.split),
                "alarm": trial.says(Verdict::Regression),
                "inconclusive": trial.says(Verdict::Inconclusive),
                "rules": rules,
            })
        })
        .collect();
    let value = json!({
        "alarms": hits,
        "trials": n,
        "rate": if n == 0 { 0.0 } else { hits as f64 / n as f64 },
        "low": interval.map(|i| i.0),
        "high": interval.map(|i| i.1),
        "each": each,
    });
    let mut text =
        serde_json::to_string_pretty(&value).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    text.push('\n');
    Ok(text)
}
