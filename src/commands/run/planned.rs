//! What a run has to do: its cases in order, and what of them is recorded already.

use super::super::results::RunFolder;
use super::super::{Failure, meta};
use crate::agent::Toolbox;
use crate::case::Case;
use crate::exit::ExitCode;
use crate::plan::{PlanShape, Shard, order_cases};
use crate::trace::{Journal, RunMeta};
use crate::words::Side;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Cases of which no call may be replayed.
pub(in crate::commands) fn skipped_cases(cases: &[Case], tools: &Toolbox) -> HashSet<String> {
    let may_call = |name: &str| tools.get(name).is_some_and(|tool| tool.may_call);
    let has_call = |case: &Case| {
        case.recordings.iter().flat_map(|recording| recording.steps.outline()).any(|(_, tool)| may_call(tool))
    };
    cases.iter().filter(|case| !has_call(case)).map(|case| case.id.clone()).collect()
}

/// The cases to replay, in the order in which they are taken: those of the run's shard.
pub(super) fn in_order(cases: Vec<Case>, skipped: &HashSet<String>, meta: &RunMeta) -> Vec<Case> {
    let own = meta.shard.unwrap_or(Shard::WHOLE).ids(meta.cases.keys(), meta.seed);
    let mut by_id: HashMap<String, Case> = cases
        .into_iter()
        .filter(|case| !skipped.contains(&case.id) && own.contains(&case.id))
        .map(|case| (case.id.clone(), case))
        .collect();
    let mut ids: Vec<String> = by_id.keys().cloned().collect();
    order_cases(&mut ids, meta.seed);
    ids.iter().filter_map(|id| by_id.remove(id)).collect()
}

/// Where clock values count from: the run's start, also when it goes on later, so that of two records of one
/// attempt the later start is known.
pub(super) fn clock(stored: Option<&RunMeta>) -> Instant {
    let now = Instant::now();
    let started = stored.and_then(|meta| meta.started_at.parse::<jiff::Timestamp>().ok());
    let passed = started.map(|started| jiff::Timestamp::now().duration_since(started));
    passed.and_then(|passed| now.checked_sub(passed.try_into().ok()?)).unwrap_or(now)
}

/// A folder and a record for a run that begins.
pub(super) fn new_run(out: &Path, context: &meta::Context<'_>) -> Result<(RunFolder, RunMeta), Failure> {
    // Many shards may start in one second and one folder: a name that is taken is left to its owner.
    const MOST_NAMES: u32 = 100;
    for _ in 0..MOST_NAMES {
        let meta = meta::new(context)?;
        if let Some(folder) = RunFolder::create(out, &meta.run_id)? {
            return Ok((folder, meta));
        }
    }
    Err(Failure::new(ExitCode::Internal, format!("no name for a new run under `{}` is free", out.display())))
}

/// The attempts that journals hold already. A round of which one side is missing is replayed as a whole.
pub(in crate::commands) fn recorded(
    journals: &[PathBuf],
    ids: &[String],
    shape: PlanShape,
) -> Result<Recorded, Failure> {
    let journal = Journal::open(journals, ids).map_err(|error| Failure::new(ExitCode::Internal, error))?;
    let expected = shape.expected();
    let mut done = HashSet::new();
    for (place, id) in ids.iter().enumerate() {
        let recorded = expected.iter().filter(|(side, attempt)| journal.has(place, *side, *attempt));
        done.extend(recorded.map(|(side, attempt)| (id.clone(), *side, *attempt)));
    }
    Ok(Recorded { done, latest_start_ms: journal.latest_start_ms() })
}

/// What journals hold already.
#[derive(Debug)]
pub(in crate::commands) struct Recorded {
    pub done: HashSet<(String, Side, u32)>,
    latest_start_ms: f64,
}

impl Recorded {
    /// The clock to go on by: whatever starts from now on is later than all that is recorded, also when the
    /// system's clock has jumped back since.
    pub fn clock(&self, clock: Instant) -> Instant {
        let behind = Duration::try_from_secs_f64(self.latest_start_ms.max(0.0) / 1e3).ok();
        let start = behind
            .and_then(|behind| Instant::now().checked_sub(behind.saturating_add(Duration::from_millis(1))));
        start.map_or(clock, |start| clock.min(start))
    }
}
