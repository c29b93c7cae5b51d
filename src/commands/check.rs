//! `check`: everything that would spoil a run, in one pass, without a call.

mod cases;
mod rules;
mod stored;
mod tools;

use super::resolve::{self, Selected, Settings};
use super::side::{self, ResolvedSides};
use super::sizes::{counted, sized};
use super::{Failure, Printer, hints};
use crate::agent::{Toolbox, tools_used};
use crate::cli::{CheckArgs, RunArgs};
use crate::exit::ExitCode;
use crate::plan::PlanShape;
use crate::run::{self, PrepareError, PreparedSide};
use crate::suite::{Suite, effective_rules};
use crate::wire::ClientInfo;
use crate::words::{Side, Split};
use cases::Census;

/// What was found so far: one thing that is wrong hides nothing of the rest.
#[derive(Default)]
struct Findings {
    failures: Vec<Failure>,
    warnings: Vec<String>,
    /// What is said on standard output.
    told: String,
}

impl Findings {
    fn fail(&mut self, failure: Failure) {
        // One server on both sides fails twice in the same way.
        if self.failures.iter().all(|known| known.message != failure.message) {
            self.failures.push(failure);
        }
    }

    fn take<T>(&mut self, found: Result<T, Failure>) -> Option<T> {
        found.map_err(|failure| self.fail(failure)).ok()
    }

    fn line(&mut self, line: &str) {
        self.told.push_str(line);
        self.told.push('\n');
    }
}

pub(super) fn run(args: CheckArgs, printer: &Printer) -> Result<ExitCode, Failure> {
    // Without a suite there is nothing else to look at.
    let suite = resolve::suite_at(args.suite.suite.as_deref())?;
    let mut findings = Findings::default();
    let loaded = resolve::cases_of(suite.clone(), &args.suite);
    let are_cases_good = loaded.is_ok();
    let selected = findings.take(loaded).unwrap_or(Selected {
        suite,
        cases: Vec::new(),
        unmatched: Vec::new(),
        cases_in_all: 0,
    });
    if are_cases_good {
        findings.take(selected.require_cases());
    }
    let run_args = RunArgs { client: args.client.clone(), ..RunArgs::default() };
    let settings = findings.take(resolve::settings(&selected, &run_args));
    let sides = findings.take(side::resolve(&selected.suite, &args.sides, &args.out));
    let census = Census::of(&selected.cases);
    tell_suite(&mut findings, &selected, settings.as_ref(), &census);
    let started = match &sides {
        Some(sides) => {
            findings.warnings.extend(sides.baseline.warnings.iter().cloned());
            if !sides.a_a {
                findings.warnings.extend(sides.candidate.warnings.iter().cloned());
            }
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            runtime.block_on(start(&mut findings, &selected.suite, settings.as_ref(), sides))
        }
        None => Started::default(),
    };
    if let Some(sides) = &sides {
        look_at_tools(&mut findings, &selected, sides, &started, &census);
    }
    findings.warnings.extend(selected.unmatched.iter().map(|glob| format!("no case file matches `{glob}`")));
    findings.warnings.extend(census.warnings());
    findings.warnings.extend(stored::warnings(&args.out, &selected.cases));
    let (rules, rules_note) = effective_rules(&selected.suite);
    findings.warnings.extend(rules::warnings(&rules));
    if let Some(note) = rules_note {
        findings.line(&format!("rules      {note}"));
    }
    Ok(end(findings, printer))
}

/// What was found, and what it comes to.
fn end(findings: Findings, printer: &Printer) -> ExitCode {
    let Findings { failures, mut warnings, told } = findings;
    let mut out = told;
    warnings.dedup();
    if !warnings.is_empty() {
        out.push('\n');
    }
    for warning in &warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    let codes: Vec<ExitCode> = failures.iter().map(|failure| failure.code).collect();
    let (code, _) = ExitCode::decide(&codes);
    if failures.is_empty() {
        let found = match warnings.len() {
            0 => "nothing would spoil a run".to_owned(),
            1 => "a run would go, with the warning above".to_owned(),
            several => format!("a run would go, with the {several} warnings above"),
        };
        out.push_str(&format!("\n{found}\nnext: mcp-regress run\n"));
    }
    printer.data(&super::printer::harmless(&out));
    for failure in &failures {
        printer.failure(failure);
    }
    code
}

fn tell_suite(findings: &mut Findings, selected: &Selected, settings: Option<&Settings>, census: &Census) {
    let suite = &selected.suite;
    let file = suite.file.as_ref().map_or_else(
        || format!("{} (no suite file: every key at its default)", suite.dir.display()),
        |file| file.display().to_string(),
    );
    findings.line(&format!("suite      {file}"));
    let of = |split: Split| selected.cases.iter().filter(|case| case.split == split).count();
    let selection = if selected.cases.len() == selected.cases_in_all {
        String::new()
    } else {
        format!(", selected of {}", selected.cases_in_all)
    };
    findings.line(&format!(
        "cases      {} ({} dev, {} test){selection}; {}, {}",
        selected.cases.len(),
        of(Split::Dev),
        of(Split::Test),
        counted(census.recordings as u64, "recording", "recordings"),
        counted(census.steps as u64, "step", "steps")
    ));
    let Some(settings) = settings else { return };
    let limits: Vec<String> =
        settings.profile.limits.iter().map(|limit| sized(limit.limit, limit.unit)).collect();
    let limits =
        if limits.is_empty() { "no limit".to_owned() } else { format!("limits {}", limits.join(", ")) };
    findings.line(&format!("client     {}: {limits}", settings.profile.id));
    let shape = PlanShape {
        attempts: settings.attempts,
        same_code: settings.same_code,
        candidate_again: true,
        baseline: true,
        after: 0,
    };
    let sides: Vec<String> = shape.sides().iter().map(ToString::to_string).collect();
    if selected.cases.is_empty() {
        return;
    }
    findings.line(&format!(
        "a run      {} x {} x {} sides ({}), and each case once more on the candidate: {}",
        counted(selected.cases.len() as u64, "case", "cases"),
        counted(settings.attempts.into(), "attempt", "attempts"),
        sides.len(),
        sides.join(", "),
        counted((selected.cases.len() * shape.expected().len()) as u64, "attempt", "attempts")
    ));
}

/// The sides that started.
#[derive(Default)]
struct Started {
    baseline: Option<PreparedSide>,
    candidate: Option<PreparedSide>,
}

/// Starts services and both sides; what does not start is a finding.
async fn start(
    findings: &mut Findings,
    suite: &Suite,
    settings: Option<&Settings>,
    sides: &ResolvedSides,
) -> Started {
    let (info, limits, seed) = match settings {
        Some(settings) => (settings.info.clone(), settings.limits.clone(), settings.seed),
        None => (ClientInfo::default(), resolve::limits(suite, None), 0),
    };
    let output = findings.take(tempfile::tempdir().map_err(Failure::from));
    let services = match &output {
        Some(output) => {
            let (services, dir, secrets) = (&suite.services, &suite.dir, sides.secrets());
            run::start_services(services, dir, output.path(), limits.start, &secrets).await
        }
        None => return Started::default(),
    };
    let _services = findings.take(services.map_err(|error| Failure::new(ExitCode::SideFailed, error)));
    let prepare = |side: Side| {
        let spec = if side == Side::Baseline { &sides.baseline.spec } else { &sides.candidate.spec };
        run::prepare(side, spec, &info, &limits, seed)
    };
    let (baseline, candidate) = if sides.a_a {
        (prepare(Side::Baseline).await, None)
    } else {
        let (baseline, candidate) = tokio::join!(prepare(Side::Baseline), prepare(Side::Candidate));
        (baseline, Some(candidate))
    };
    let mut found = |started: Result<PreparedSide, PrepareError>| {
        findings.take(started.map_err(|error| hints::side_failed(&error)))
    };
    let baseline = found(baseline);
    let candidate = match candidate {
        Some(candidate) => found(candidate),
        None => baseline.clone(),
    };
    Started { baseline, candidate }
}

/// What each side said, and what the cases ask of its tools.
fn look_at_tools(
    findings: &mut Findings,
    selected: &Selected,
    sides: &ResolvedSides,
    started: &Started,
    census: &Census,
) {
    for (label, prepared) in [("baseline", &started.baseline), ("candidate", &started.candidate)] {
        if label == "candidate" && sides.a_a {
            findings.line("candidate  the same server: a run replays it against itself");
            continue;
        }
        let Some(prepared) = prepared else { continue };
        findings.warnings.extend(prepared.warnings.iter().cloned());
        let other = started.baseline.as_ref().filter(|_| label == "candidate");
        findings.line(&format!("{label:<10} {}", server(prepared, other)));
    }
    let none = Vec::new();
    let baseline_tools = started.baseline.as_ref().map_or(&none, |side| &side.tools);
    let used = tools_used(&selected.suite, &selected.cases);
    let toolbox = |side: &PreparedSide, renames| {
        Toolbox::new(&selected.suite, &used, baseline_tools, &side.tools, renames)
    };
    let baseline = started.baseline.as_ref().map(|side| toolbox(side, &sides.baseline.renames));
    let candidate = started.candidate.as_ref().map(|side| toolbox(side, &sides.candidate.renames));
    let looked =
        tools::Tools { suite: &selected.suite, census, baseline_tools, started, baseline, candidate };
    let told = looked.told();
    findings.told.push_str(&told);
    let both = [
        ("baseline", &looked.baseline, &started.baseline),
        ("candidate", &looked.candidate, &started.candidate),
    ];
    for (label, toolbox, prepared) in both {
        let (Some(toolbox), Some(prepared)) = (toolbox, prepared) else { continue };
        if label == "candidate" && sides.a_a {
            continue;
        }
        findings.warnings.extend(hints::missing_tools(label, toolbox, &prepared.tools));
        findings.warnings.extend(census.unknown_arguments(label, toolbox));
    }
    let Some(toolbox) = looked.baseline.as_ref() else { return };
    let skipped = super::run::skipped_cases(&selected.cases, toolbox);
    if !selected.cases.is_empty() && skipped.len() == selected.cases.len() {
        let listed = started.candidate.as_ref().map_or(&[][..], |side| &side.tools);
        findings.fail(hints::nothing_allowed(toolbox, listed));
        return;
    }
    findings.warnings.extend(looked.to_paste());
    if !skipped.is_empty() {
        let mut ids: Vec<&str> = skipped.iter().map(String::as_str).collect();
        ids.sort_unstable();
        findings.warnings.push(format!("no call of these cases may be replayed: {}", cases::named(&ids)));
    }
}

/// Who answered, and whether its tool list is the baseline's.
fn server(prepared: &PreparedSide, baseline: Option<&PreparedSide>) -> String {
    let list = &prepared.tools_list;
    let same = match baseline {
        None => "",
        Some(baseline) if baseline.tools_list.sha256 == list.sha256 => ", byte-identical to the baseline's",
        Some(_) => ", not the baseline's",
    };
    format!(
        "{} {}, protocol {}; {} in {}{same}",
        prepared.server_name,
        prepared.server_version,
        prepared.protocol,
        counted(prepared.tools.len() as u64, "tool", "tools"),
        counted(list.bytes, "byte", "bytes")
    )
}
