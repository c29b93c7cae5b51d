//! `plan`: what a suite of so many cases and attempts can detect, and how many a margin needs.

use super::{Failure, Printer, compare, results};
use crate::cli::{ForeignFlags, Format, PlanArgs};
use crate::exit::ExitCode;
use crate::foreign::Declared;
use crate::report::{self, Measured};
use crate::stats::power::{Variance, detectable, passing_margin};
use crate::suite::Margin;
use crate::trace::GateSettings;
use crate::verdict::MetricRow;
use crate::words::Question;
use serde::Serialize;
use std::path::Path;

/// One metric of the plan; all in the metric's unit.
#[derive(Debug, Serialize)]
struct Planned {
    metric: String,
    unit: String,
    baseline_mean: f64,
    se: f64,
    /// The smallest true difference that is found with 80 % power.
    mde80: f64,
    mde80_pct: Option<f64>,
    /// The smallest margin that unchanged code passes nine times in ten.
    passing_margin: f64,
    margin: Option<f64>,
    cases_for_margin: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Plan {
    cases: u32,
    attempts: u32,
    source_cases: usize,
    source_attempts: f64,
    metrics: Vec<Planned>,
    /// Metrics that did not change in any case, or in all alike: nothing to plan by.
    without_spread: Vec<String>,
}

pub(super) fn run(args: &PlanArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    let margin = args.margin.as_deref().map(margin).transpose()?;
    let report =
        report::judge(source(args)?, &[]).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    let table = &report.collected.table;
    let names: Vec<&str> =
        args.metric.iter().map(|metric| metric.split(':').next().unwrap_or(metric)).collect();
    if let Some(unknown) = names.iter().find(|name| table.metric(name).is_none()) {
        let known: Vec<&str> = table.metrics.iter().map(|metric| metric.name.as_str()).collect();
        return Err(Failure::usage(format!("no metric `{unknown}` in `{}`", args.from))
            .hint(format!("its metrics are {}", known.join(", "))));
    }
    let figures = &report.splits[0];
    if figures.paired == 0 {
        return Err(Failure::new(ExitCode::Incomplete, format!("`{}` holds no pair to plan by", args.from)));
    }
    let source_attempts = attempts_a_case(&figures.metrics);
    let cases = args.cases.unwrap_or(figures.paired as u32);
    let attempts = args.attempts.unwrap_or(source_attempts.round().max(1.0) as u32);
    let mut plan = Plan {
        cases,
        attempts,
        source_cases: figures.paired,
        source_attempts,
        metrics: Vec::new(),
        without_spread: Vec::new(),
    };
    for row in &figures.metrics {
        let info = &table.metrics[row.metric];
        if !names.is_empty() && !names.contains(&info.name.as_str()) {
            continue;
        }
        match planned(row, (cases, attempts), margin) {
            Some(planned) => {
                plan.metrics.push(Planned { metric: info.name.clone(), unit: info.unit.clone(), ..planned })
            }
            None => plan.without_spread.push(info.name.clone()),
        }
    }
    match args.format {
        Format::Json => {
            let mut text = serde_json::to_string_pretty(&plan)
                .map_err(|error| Failure::new(ExitCode::Internal, error))?;
            text.push('\n');
            printer.data(&text);
        }
        Format::Human => printer.data(&text(&plan, margin.is_some(), &args.from)),
    }
    Ok(ExitCode::Success)
}

/// A finished comparison to take variances from.
fn source(args: &PlanArgs) -> Result<Measured, Failure> {
    if !compare::is_file(&args.from) {
        let folder = results::find(&args.runs, Some(Path::new(&args.from)))?;
        let meta = folder.read_meta()?;
        return report::measure(meta, &folder.journals()?)
            .map_err(|error| Failure::new(ExitCode::Internal, error));
    }
    let declared = args.metric.iter().filter(|metric| metric.contains(':'));
    let metric: Result<Vec<Declared>, String> = declared.map(|metric| metric.parse()).collect();
    let flags = ForeignFlags {
        baseline: args.baseline.clone(),
        candidate: args.candidate.clone(),
        same_code: Vec::new(),
        metric: metric.map_err(|error| Failure::usage(format!("--metric: {error}")))?,
    };
    let foreign = compare::file::read(Path::new(&args.from), &flags)?;
    // Neither seed nor resamples enter a plan: it needs standard errors alone.
    let drawn = (0, 100);
    Ok(compare::file::measured(foreign, Vec::new(), GateSettings::default(), drawn, Question::CasesLikeThese))
}

fn attempts_a_case(rows: &[MetricRow]) -> f64 {
    let most = rows.iter().max_by_key(|row| row.n_cases);
    most.filter(|row| row.n_cases > 0).map_or(1.0, |row| row.attempts_baseline as f64 / row.n_cases as f64)
}

/// The figures of a metric; `None` where no spread over cases was seen.
fn planned(row: &MetricRow, (cases, attempts): (u32, u32), margin: Option<Margin>) -> Option<Planned> {
    let (se, baseline_mean) = (row.se?, row.baseline_mean?);
    let m = row.attempts_baseline as f64 / row.n_cases as f64;
    // Noise that is not known is not reduced by more attempts.
    let variance = Variance::from_run(row.n_cases, m, se, row.noise_se.unwrap_or(0.0));
    let se = variance.se(cases as usize, attempts as usize);
    let margin = margin.map(|margin| match margin {
        Margin::Absolute(margin) => margin,
        Margin::Percent(share) => share * baseline_mean.abs(),
    });
    let mde80 = detectable(se);
    Some(Planned {
        metric: String::new(),
        unit: String::new(),
        baseline_mean,
        se,
        mde80,
        mde80_pct: (baseline_mean != 0.0).then(|| 100.0 * mde80 / baseline_mean.abs()),
        passing_margin: passing_margin(se),
        margin,
        cases_for_margin: margin.and_then(|margin| variance.cases_for_margin(attempts as usize, margin)),
    })
}

fn margin(text: &str) -> Result<Margin, Failure> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| Margin::Percent(percent / 100.0)),
        None => number(text).map(Margin::Absolute),
    }
    .ok_or_else(|| {
        Failure::usage(format!("--margin `{text}`: a number above 0, or a percentage such as `5%`"))
    })
}

fn text(plan: &Plan, with_margin: bool, from: &str) -> String {
    let mut lines = vec![
        format!(
            "{} cases x {} attempts a side, by the variances of {} cases x {} in {from}",
            plan.cases,
            plan.attempts,
            plan.source_cases,
            short(plan.source_attempts)
        ),
        String::new(),
    ];
    let mut rows = vec![
        ["", "baseline", "detects", "of baseline", "passing margin", "cases for the margin"]
            .map(str::to_owned),
    ];
    for metric in &plan.metrics {
        rows.push([
            metric.metric.replace('_', " "),
            short(metric.baseline_mean),
            short(metric.mde80),
            metric.mde80_pct.map_or_else(String::new, |percent| format!("{} %", short(percent))),
            short(metric.passing_margin),
            metric.cases_for_margin.map_or_else(String::new, |cases| cases.to_string()),
        ]);
    }
    let columns = if with_margin { 6 } else { 5 };
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0) + 2;
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        lines.push(cells.collect::<String>().trim_end().to_owned());
    }
    if !plan.without_spread.is_empty() {
        let names: Vec<String> = plan.without_spread.iter().map(|name| name.replace('_', " ")).collect();
        lines.push(format!("no spread over cases to plan by: {}", names.join(", ")));
    }
    lines.push(String::new());
    lines.push("detects: the smallest true difference found with 80 % power; passing margin: the smallest that unchanged code passes nine times in ten".to_owned());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Four significant digits.
fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return "0".to_owned();
    }
    let decimals = (3 - number.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
