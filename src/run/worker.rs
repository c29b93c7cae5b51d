//! Workers: each takes one case and replays all its attempts on all sides before the next case.

use super::event::{Event, Events};
use super::journal::JournalWriter;
use super::launch::SideSpec;
use super::seat::{Seat, Starter};
use crate::agent::{AttemptTrace, Keeper, ReplaySettings, Toolbox, replay};
use crate::case::{Case, Step};
use crate::client::Profile;
use crate::plan::{PlanShape, Round, attempt_seed, rounds};
use crate::text::sha256_hex;
use crate::trace::{AttemptRecord, Bodies};
use crate::wire::{ClientInfo, Limits, StartError};
use crate::words::{KeepBodies, Restart, Side, Status};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::{mpsc, watch};

/// Starts in a row that may fail before a side is given up.
pub(super) const MOST_FAILED_STARTS: u32 = 5;
/// Times that all sides of an attempt are replayed again after an infrastructure failure.
const MOST_REPLAYS: u32 = 2;

/// Everything that a run needs, resolved.
#[derive(Clone)]
pub struct RunConfig {
    /// In the order in which they are taken.
    pub cases: Vec<Case>,
    pub shape: PlanShape,
    pub seed: u64,
    /// Workers side by side, at least 1.
    pub jobs: usize,
    pub restart: Restart,
    /// Which results are kept, and where.
    pub keep: KeepBodies,
    pub bodies: Bodies,
    pub settings: ReplaySettings,
    pub profile: Profile,
    pub baseline: Arc<SideSpec>,
    pub candidate: Arc<SideSpec>,
    pub baseline_tools: Toolbox,
    pub candidate_tools: Toolbox,
    pub info: ClientInfo,
    pub limits: Limits,
    /// Hash of what every attempt depends on beside its case.
    pub inputs: String,
    /// Where clock values count from.
    pub clock: Instant,
    /// Attempts that are recorded already.
    pub done: HashSet<(String, Side, u32)>,
}

/// How a run ended.
#[derive(Debug)]
pub enum RunEnd {
    Complete,
    Interrupted,
    /// A side failed to start so often in a row that going on is pointless.
    SideLost {
        side: Side,
        error: StartError,
    },
    /// The journal cannot be written.
    JournalFailed(io::Error),
}

/// Replays the plan. Everything that finished is in the journal, however the run ends.
///
/// `stop` turns true when the run is to end at once.
pub async fn run(
    config: Arc<RunConfig>,
    journal: Arc<JournalWriter>,
    events: Arc<Events>,
    stop: watch::Receiver<bool>,
) -> RunEnd {
    let shared = Arc::new(Shared {
        next: AtomicUsize::new(0),
        failed_starts: [AtomicU32::new(0), AtomicU32::new(0)],
        journal,
        events,
        config,
    });
    let (halt, halted) = watch::channel(false);
    let (said, mut ends) = mpsc::unbounded_channel();
    let mut threads = Vec::new();
    for _ in 0..shared.config.jobs.max(1) {
        let worker = Worker { shared: shared.clone(), seats: HashMap::new() };
        match on_its_own_thread(worker, stop.clone(), halted.clone(), said.clone()) {
            Ok(thread) => threads.push(thread),
            Err(error) => return RunEnd::JournalFailed(error),
        }
    }
    drop(said);
    let mut end = RunEnd::Complete;
    while let Some(ended) = ends.recv().await {
        // What stopped the run stands, not what the other workers say when they are told to stop.
        if matches!(end, RunEnd::Complete) && !matches!(ended, RunEnd::Complete) {
            end = ended;
            let _ = halt.send(true);
        }
    }
    for thread in threads {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
    match shared.journal.finish() {
        Err(error) if matches!(end, RunEnd::Complete) => RunEnd::JournalFailed(error),
        _ => end,
    }
}

/// A worker has a thread and a reactor of its own: a call then never waits for another thread to wake up.
fn on_its_own_thread(
    worker: Worker,
    stop: watch::Receiver<bool>,
    halted: watch::Receiver<bool>,
    said: mpsc::UnboundedSender<RunEnd>,
) -> io::Result<std::thread::JoinHandle<()>> {
    let reactor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("worker".to_owned()).spawn(move || {
        // The receiver is gone when another worker could not be started.
        let _ = said.send(reactor.block_on(worker.work(stop, halted)));
    })
}

struct Shared {
    next: AtomicUsize,
    /// In a row, on the baseline's code and on the candidate.
    failed_starts: [AtomicU32; 2],
    config: Arc<RunConfig>,
    journal: Arc<JournalWriter>,
    events: Arc<Events>,
}

struct Worker {
    shared: Arc<Shared>,
    seats: HashMap<Side, Seat>,
}

impl Worker {
    async fn work(mut self, mut stop: watch::Receiver<bool>, mut halted: watch::Receiver<bool>) -> RunEnd {
        loop {
            let at = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let config = self.shared.config.clone();
            let Some(case) = config.cases.get(at) else { break };
            let end = tokio::select! {
                biased;
                Ok(_) = stop.wait_for(|stop| *stop) => Err(RunEnd::Interrupted),
                Ok(_) = halted.wait_for(|halt| *halt) => Err(RunEnd::Interrupted),
                end = self.case(case) => end,
            };
            if let Err(end) = end {
                return end;
            }
        }
        self.close_all().await;
        RunEnd::Complete
    }

    async fn case(&mut self, case: &Case) -> Result<(), RunEnd> {
        let config = self.shared.config.clone();
        for round in rounds(&case.id, config.seed, config.shape) {
            let is_done =
                round.iter().all(|(side, attempt)| config.done.contains(&(case.id.clone(), *side, *attempt)));
            if !is_done {
                self.round(case, &round).await?;
            }
        }
        if config.restart == Restart::Case {
            self.close_all().await;
        }
        Ok(())
    }

    /// One attempt on all its sides; all of them again when the infrastructure failed on one.
    async fn round(&mut self, case: &Case, round: &Round) -> Result<(), RunEnd> {
        // All sides of a round replay the same recording, which is read once for them.
        let Some((_, number)) = round.first() else { return Ok(()) };
        let steps = case.recording_of(*number).steps.read();
        for replays in 0..=MOST_REPLAYS {
            let (mut broken, mut failed) = (None, 0);
            for (side, attempt) in round {
                let (status, failure) = self.attempt(case, &steps, *side, *attempt).await?;
                failed += u64::from(status != Status::Ok);
                if status == Status::Infrastructure {
                    broken = failure;
                }
            }
            match broken {
                Some(why) if replays < MOST_REPLAYS => {
                    let attempt = *number;
                    let ended = round.len() as u64;
                    let case_id = case.id.clone();
                    (self.shared.events)(Event::Again { case_id, attempt, why, ended, failed });
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    async fn attempt(
        &mut self,
        case: &Case,
        steps: &[Step],
        side: Side,
        attempt: u32,
    ) -> Result<(Status, Option<String>), RunEnd> {
        let shared = self.shared.clone();
        let config = &shared.config;
        (shared.events)(Event::Started { case_id: case.id.clone(), side, attempt });
        let started = config.clock.elapsed();
        let (trace, status, oddities) = match self.seat(case, side, attempt).await? {
            Ok(seat) => {
                let before = seat.session.counters();
                let toolbox =
                    if side.is_baseline_code() { &config.baseline_tools } else { &config.candidate_tools };
                let spec = if side.is_baseline_code() { &config.baseline } else { &config.candidate };
                let hide = |text: &str| spec.secrets.hidden(text);
                let keeper = Keeper { which: config.keep, bodies: &config.bodies, hide: &hide };
                let keeper = (config.keep != KeepBodies::Nothing).then_some(&keeper);
                let trace =
                    replay(seat, steps, toolbox, &config.profile, config.settings, config.clock, keeper)
                        .await;
                if let Some(why) = &trace.unkept {
                    let why = format!("a result can't be kept: {why}");
                    return Err(RunEnd::JournalFailed(io::Error::other(why)));
                }
                let status = match &trace.failure {
                    None => Status::Ok,
                    Some(_) if trace.is_infrastructure => Status::Infrastructure,
                    Some(_) => Status::Failed,
                };
                let oddities = seat.session.counters().odd_since(&before);
                (trace, status, oddities)
            }
            Err(error) => {
                let failure = Some(format!("the {side} did not start: {error}"));
                (AttemptTrace { failure, ..AttemptTrace::default() }, Status::Infrastructure, BTreeMap::new())
            }
        };
        if status != Status::Ok || trace.is_session_lost || config.restart == Restart::Attempt {
            self.close(side).await;
        }
        let record = AttemptRecord {
            case_id: case.id.clone(),
            split: case.split,
            cluster: case.cluster.clone(),
            side,
            attempt,
            recording_id: case.recording_of(attempt).id.clone(),
            status,
            failure: trace.failure,
            inputs_sha256: sha256_hex(format!("{}\n{}", config.inputs, case.sha256)),
            needs: trace.needs,
            calls: trace.calls,
            notes: trace.notes,
            oddities,
            started_ms: started.as_secs_f64() * 1e3,
            duration_ms: (config.clock.elapsed() - started).as_secs_f64() * 1e3,
        };
        let failure = record.failure.clone();
        shared.journal.append(record).map_err(RunEnd::JournalFailed)?;
        let (case_id, said) = (case.id.clone(), failure.clone());
        (shared.events)(Event::Ended { case_id, side, attempt, status, failure: said });
        Ok((status, failure))
    }

    /// The side's running session, started when there is none. A side that failed to start five times in a
    /// row ends the run.
    async fn seat(
        &mut self,
        case: &Case,
        side: Side,
        attempt: u32,
    ) -> Result<Result<&mut Seat, StartError>, RunEnd> {
        if self.seats.get(&side).is_some_and(|seat| !seat.session.is_alive()) {
            self.close(side).await;
        }
        if !self.seats.contains_key(&side) {
            let config = &self.shared.config;
            let spec = if side.is_baseline_code() { &config.baseline } else { &config.candidate };
            let starter = Starter {
                spec: spec.clone(),
                info: Arc::new(config.info.clone()),
                limits: Arc::new(config.limits.clone()),
                seed: config.seed,
            };
            let failed_starts = &self.shared.failed_starts[usize::from(!side.is_baseline_code())];
            match starter.start(side, &attempt_seed(config.seed, &case.id, side, attempt)).await {
                Ok(seat) => {
                    failed_starts.store(0, Ordering::Relaxed);
                    self.seats.insert(side, seat);
                }
                Err(error) if failed_starts.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_FAILED_STARTS => {
                    return Err(RunEnd::SideLost { side, error });
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        match self.seats.get_mut(&side) {
            Some(seat) => Ok(Ok(seat)),
            None => Err(RunEnd::JournalFailed(io::Error::other("a session vanished between two steps"))),
        }
    }

    async fn close(&mut self, side: Side) {
        if let Some(seat) = self.seats.remove(&side) {
            seat.close().await;
        }
    }

    /// Ends all sessions at once: a server may take seconds to go.
    async fn close_all(&mut self) {
        let mut closing = tokio::task::JoinSet::new();
        for (_, seat) in self.seats.drain() {
            closing.spawn(seat.close());
        }
        let _ = closing.join_all().await;
    }
}
