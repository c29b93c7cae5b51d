//! What stands on standard error while a run goes on: a bar, or a line every ten seconds.

use crate::cli::ProgressKind;
use crate::commands::Printer;
use crate::run::Event;
use crate::words::{Side, Status};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long between two lines where no bar can be drawn.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Counts attempts and shows what is running, done, left and failed.
pub struct Progress {
    printer: Printer,
    bar: ProgressBar,
    state: Mutex<State>,
}

struct State {
    total: u64,
    done: u64,
    failed: u64,
    running: Vec<(String, Side, u32)>,
    said: Instant,
}

impl Progress {
    pub fn new(printer: Printer) -> Self {
        let target = match printer.progress {
            ProgressKind::Bar => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30} {pos}/{len} attempts, {eta} left, {wide_msg}")
        {
            bar.set_style(style);
        }
        let state = State { total: 0, done: 0, failed: 0, running: Vec::new(), said: Instant::now() };
        Self { printer, bar, state: Mutex::new(state) }
    }

    /// Takes in one event of the runner.
    pub fn take(&self, event: Event) {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match event {
            Event::Planned { attempts, done } => {
                state.total = attempts;
                state.done = done;
                self.bar.set_length(attempts);
                self.bar.set_position(done);
            }
            Event::Started { case_id, side, attempt } => state.running.push((case_id, side, attempt)),
            Event::Ended { case_id, side, attempt, status, failure } => {
                state.running.retain(|running| *running != (case_id.clone(), side, attempt));
                state.done += 1;
                state.failed += u64::from(status != Status::Ok);
                self.say_ended(&case_id, side, attempt, status, failure.as_deref());
            }
            Event::Again { case_id, attempt, why, ended, failed } => {
                self.say(&format!("again: attempt {attempt} of {case_id} on all sides: {why}"));
                state.done = state.done.saturating_sub(ended);
                state.failed = state.failed.saturating_sub(failed);
            }
        }
        self.show(&mut state);
    }

    fn say_ended(&self, case_id: &str, side: Side, attempt: u32, status: Status, failure: Option<&str>) {
        if status != Status::Ok {
            self.say(&format!(
                "{status}: attempt {attempt} of {case_id} on {side}: {}",
                failure.unwrap_or("")
            ));
        } else if self.printer.verbose > 0 {
            self.say(&format!("{status}: attempt {attempt} of {case_id} on {side}"));
        }
    }

    fn say(&self, line: &str) {
        let line = super::printer::harmless(line);
        self.bar.suspend(|| self.printer.note(&line));
    }

    fn show(&self, state: &mut State) {
        self.bar.set_position(state.done);
        let running =
            state.running.first().map(|(id, side, _)| format!("{id} on {side}")).unwrap_or_default();
        self.bar.set_message(format!("{} failed, {running}", state.failed));
        let is_due = self.printer.progress == ProgressKind::Plain && state.said.elapsed() >= LINE_EVERY;
        if is_due {
            state.said = Instant::now();
            let left = state.total.saturating_sub(state.done);
            self.printer.note(&format!(
                "{} of {} attempts done, {left} left, {} failed; running {running}",
                state.done, state.total, state.failed
            ));
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
