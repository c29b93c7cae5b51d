//! A read step: its first call, then whatever the side's own paging offers until the need is met.

use super::answer::Caller;
use super::call::Gone;
use super::chain_rule::ChainRule;
use super::need::NeedState;
use super::news::Shown;
use super::replay::Attempt;
use super::request::Request;
use crate::case::Step;
use crate::words::{ChainEnd, Evidence};
use std::collections::HashSet;

/// How a call of the chain came about.
pub(super) enum Made {
    First,
    Continuation { evidence: Evidence, after: u32, label: String, by_same: bool },
    Retry,
}

pub(super) struct Chain<'s> {
    pub step_index: u32,
    pub step: &'s Step,
    index: u32,
    pub rule: Option<ChainRule>,
    pub shown: Shown,
    requests: HashSet<u128>,
    pub need: NeedState<'s>,
    /// Pages that were visible.
    pub pages: u32,
    /// Pages without news in a row, up to the last one.
    pub barren: u32,
    pub halvings: u32,
    pub has_saved: bool,
    /// The need is met and written down; what comes is read to see how sure that is.
    pub is_past_need: bool,
}

/// What to do after a call.
pub(super) enum Turn {
    Done(ChainEnd),
    Go(Request, Made),
}

/// A chain whose need is met, and which is to be read on to see how sure that is.
pub(super) struct PastNeed<'s> {
    chain: Chain<'s>,
    request: Request,
    made: Made,
}

impl PastNeed<'_> {
    /// Reads on, to the far end of the bracket or of what the server offers.
    pub async fn read_on<C: Caller>(self, attempt: &mut Attempt<'_, C>) -> Result<(), Gone> {
        follow(attempt, self.chain, self.request, self.made).await.map(|_| ())
    }
}

/// Replays one read step, until its need is met or the chain ends.
pub(super) async fn read<'s, C: Caller>(
    attempt: &mut Attempt<'_, C>,
    step_index: u32,
    step: &'s Step,
    first: Request,
) -> Result<Option<PastNeed<'s>>, Gone> {
    let chain = Chain {
        step_index,
        step,
        index: attempt.chains,
        rule: None,
        shown: Shown::default(),
        requests: HashSet::new(),
        need: NeedState::new(step),
        pages: 0,
        barren: 0,
        halvings: 0,
        has_saved: false,
        is_past_need: false,
    };
    attempt.chains += 1;
    follow(attempt, chain, first, Made::First).await
}

/// Follows a chain to its end, or to where it passes its need.
async fn follow<'s, C: Caller>(
    attempt: &mut Attempt<'_, C>,
    mut chain: Chain<'s>,
    mut request: Request,
    mut made: Made,
) -> Result<Option<PastNeed<'s>>, Gone> {
    let was_past_need = chain.is_past_need;
    loop {
        let sent = attempt.send(&request, chain.step_index, true).await;
        let last_call = (attempt.trace.calls.len() - 1) as u32;
        let repeats = chain.mark(attempt, &request, &made);
        let turn = match sent {
            Ok(sent) => chain.turn(attempt, &request, &sent, &made, repeats),
            Err(Gone) => {
                chain.end(attempt, ChainEnd::Error, last_call);
                return Err(Gone);
            }
        };
        match turn {
            Turn::Done(end) => {
                chain.end(attempt, end, last_call);
                return Ok(None);
            }
            Turn::Go(request, made) if chain.is_past_need && !was_past_need => {
                return Ok(Some(PastNeed { chain, request, made }));
            }
            Turn::Go(next, how) => (request, made) = (next, how),
        }
    }
}

impl Chain<'_> {
    /// Marks the call just made; true when its request repeats an earlier one of the chain.
    fn mark<C: Caller>(&mut self, attempt: &mut Attempt<'_, C>, request: &Request, made: &Made) -> bool {
        // What is read past the need is no read of the agent's.
        let was_read = !self.is_past_need && attempt.earlier.is_repeat(request);
        if let Some(record) = attempt.trace.calls.last_mut() {
            record.chain_index = Some(self.index);
            record.is_repeat = was_read;
            record.past_need = self.is_past_need;
            match made {
                Made::First => {}
                Made::Continuation { evidence, after, label, by_same } => {
                    record.continuation = Some(*evidence);
                    record.continues_call_index = Some(*after);
                    record.rule = Some(label.clone());
                    record.is_repeat &= !by_same;
                }
                Made::Retry => record.is_shrunk_retry = true,
            }
        }
        !self.requests.insert(request.digest())
    }

    /// Writes down how the chain ended, on its last sent call before or at which its need was met.
    pub fn end<C: Caller>(&mut self, attempt: &mut Attempt<'_, C>, end: ChainEnd, last_call: u32) {
        if self.is_past_need {
            let bracket = self.need.bracket();
            let mut needs = attempt.trace.needs.iter_mut();
            if let Some(need) = needs.find(|need| need.step_index == self.step_index) {
                need.bracket = bracket;
            }
            return;
        }
        if let Some(record) = attempt.trace.calls.get_mut(last_call as usize) {
            record.chain_end = Some(end);
            record.is_stuck = end == ChainEnd::Stuck;
        }
        attempt.judge_need(self.step_index, self.step, &self.need, Some(end), last_call);
    }
}
