//! A read step: its first call, then whatever the side's own paging offers until the need is met.

use super::answer::Caller;
use super::content::Shown;
use super::infer::{self, Inferred};
use super::need::{NeedState, Seen};
use super::replay::{Attempt, Gone, Sent};
use super::rule::{self, Onward, Request};
use super::shrink;
use crate::case::Step;
use crate::client::Page;
use crate::suite::{ContinuationRule, Next};
use crate::text::canonical;
use crate::words::{ChainEnd, Evidence, OnOversized, Outcome};
use serde_json::Value;
use std::collections::HashSet;

/// Halvings of a size argument in one step.
const MOST_HALVINGS: u32 = 3;
/// Pages in a row without news after which a chain is stuck.
const MOST_BARREN: u32 = 3;

/// The rule by which a chain goes on, to its end.
#[derive(Debug, Clone)]
enum ChainRule {
    Declared(usize, ContinuationRule),
    Inferred(Inferred),
}

impl ChainRule {
    fn rule(&self) -> &ContinuationRule {
        match self {
            Self::Declared(_, rule) => rule,
            Self::Inferred(found) => &found.rule,
        }
    }

    fn label(&self) -> String {
        match self {
            Self::Declared(index, _) => index.to_string(),
            Self::Inferred(_) => "inferred".to_owned(),
        }
    }

    fn onward(&self, request: &Request, page: &Page, has_news: bool, ends_on_empty: bool) -> Option<Onward> {
        let onward = rule::next_request(self.rule(), request, page, has_news, ends_on_empty)?;
        match self {
            Self::Declared(..) => Some(onward),
            // An inferred rule takes the value that was sent for no offer.
            Self::Inferred(found) => (found.announces_more(request, page)
                && onward.arguments != request.arguments)
                .then_some(onward),
        }
    }
}

/// How a call of the chain came about.
enum Made {
    First,
    Continuation { evidence: Evidence, after: u32, label: String, by_same: bool },
    Retry,
}

struct Chain<'s> {
    step_index: u32,
    step: &'s Step,
    index: u32,
    rule: Option<ChainRule>,
    shown: Shown,
    requests: HashSet<String>,
    need: NeedState<'s>,
    pages: u32,
    barren: u32,
    halvings: u32,
    has_saved: bool,
}

/// What to do after a call.
enum Turn {
    Done(ChainEnd),
    Go(Request, Made),
}

/// Replays one read step.
pub(super) async fn read<C: Caller>(
    attempt: &mut Attempt<'_, C>,
    step_index: u32,
    step: &Step,
    first: Request,
) -> Result<(), Gone> {
    let mut chain = Chain {
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
    };
    attempt.chains += 1;
    let (mut request, mut made) = (first, Made::First);
    loop {
        let sent = attempt.send(&request, step_index, true).await;
        let last_call = (attempt.trace.calls.len() - 1) as u32;
        let repeats = chain.mark(attempt, &request, &made);
        let turn = match sent {
            Ok(sent) => chain.turn(attempt, &request, &sent, repeats),
            Err(Gone) => {
                chain.end(attempt, ChainEnd::Error, last_call);
                return Err(Gone);
            }
        };
        match turn {
            Turn::Done(end) => {
                chain.end(attempt, end, last_call);
                return Ok(());
            }
            Turn::Go(next, how) => (request, made) = (next, how),
        }
    }
}

impl Chain<'_> {
    /// Marks the call just made; true when its request repeats an earlier one of the chain.
    fn mark<C: Caller>(&mut self, attempt: &mut Attempt<'_, C>, request: &Request, made: &Made) -> bool {
        let was_read = attempt.earlier.is_repeat(request);
        if let Some(record) = attempt.trace.calls.last_mut() {
            record.chain_index = Some(self.index);
            match made {
                Made::First => {}
                Made::Continuation { evidence, after, label, .. } => {
                    record.continuation = Some(*evidence);
                    record.continues_call_index = Some(*after);
                    record.rule = Some(label.clone());
                }
                Made::Retry => record.is_shrunk_retry = true,
            }
            record.is_repeat = was_read && !matches!(made, Made::Continuation { by_same: true, .. });
        }
        let key = format!("{}\n{}", request.tool.name, canonical(&Value::Object(request.arguments.clone())));
        !self.requests.insert(key)
    }

    fn turn<C: Caller>(
        &mut self,
        attempt: &mut Attempt<'_, C>,
        request: &Request,
        sent: &Sent,
        repeats: bool,
    ) -> Turn {
        if sent.outcome != Outcome::Ok {
            attempt.earlier.take(sent.index, request, None, false);
            return Turn::Done(ChainEnd::Error);
        }
        if !sent.view.is_partial() {
            return self.page(attempt, request, sent, &sent.view.visible, true, repeats);
        }
        let policy = self.step.on_oversized.unwrap_or(attempt.settings.on_oversized);
        if policy == OnOversized::RetrySmaller
            && self.halvings < MOST_HALVINGS
            && let Some(smaller) = shrink::halve(request, self.rule.as_ref().map(ChainRule::rule))
        {
            self.halvings += 1;
            attempt.earlier.take(sent.index, request, Some(&Page::default()), true);
            return Turn::Go(smaller, Made::Retry);
        }
        if policy != OnOversized::GiveUp && attempt.profile.strategy.saves_files() {
            if let Some(record) = attempt.trace.calls.last_mut() {
                record.spill_reads = sent.view.result_chars.div_ceil(attempt.settings.spill_chunk.max(1));
            }
            return self.page(attempt, request, sent, &sent.view.forwarded, true, repeats);
        }
        self.page(attempt, request, sent, &sent.view.visible, false, repeats);
        Turn::Done(ChainEnd::GaveUp)
    }

    /// Takes in a visible page and decides how the chain goes on.
    fn page<C: Caller>(
        &mut self,
        attempt: &mut Attempt<'_, C>,
        request: &Request,
        sent: &Sent,
        page: &Page,
        is_whole: bool,
        repeats: bool,
    ) -> Turn {
        let ends_on_empty = attempt.settings.ends_on_empty;
        attempt.earlier.take(sent.index, request, Some(page), !is_whole);
        if !std::mem::replace(&mut self.has_saved, true) {
            attempt.bindings.save(&self.step.save, page);
        }
        let rule = self.rule.clone().or_else(|| choose(request, page, ends_on_empty));
        let has_news = self.shown.take(page, &request.tool, rule.as_ref().map(ChainRule::rule));
        let onward = rule.as_ref().and_then(|rule| rule.onward(request, page, has_news, ends_on_empty));
        let is_blind = onward.is_none() && self.offers_unseen(attempt, request, sent, has_news);
        if onward.is_some() {
            self.rule.clone_from(&rule);
        }
        self.pages += 1;
        self.barren = if has_news { 0 } else { self.barren + 1 };
        self.need.take(&Seen {
            page,
            tool: &request.tool,
            rule: rule.as_ref().map(ChainRule::rule),
            backwards: rule.as_ref().is_some_and(|rule| reads_backwards(rule.rule())),
            is_whole,
            has_news,
            is_end: is_whole && onward.is_none() && !is_blind && request.tool.is_listed,
        });
        if self.need.is_met() {
            return Turn::Done(ChainEnd::Met);
        }
        let Some(onward) = onward else {
            return Turn::Done(if is_blind { ChainEnd::Blind } else { ChainEnd::End });
        };
        if !has_news && (repeats || self.barren >= MOST_BARREN) {
            return Turn::Done(ChainEnd::Stuck);
        }
        if self.pages >= attempt.settings.max_pages {
            return Turn::Done(ChainEnd::Capped);
        }
        self.go_on(attempt, request, onward, sent.index)
    }

    fn go_on<C: Caller>(
        &mut self,
        attempt: &mut Attempt<'_, C>,
        request: &Request,
        onward: Onward,
        after: u32,
    ) -> Turn {
        let made = Made::Continuation {
            evidence: onward.evidence,
            after,
            label: self.rule.as_ref().map(ChainRule::label).unwrap_or_default(),
            by_same: matches!(self.rule.as_ref().map(|rule| &rule.rule().next), Some(Next::Same)),
        };
        if onward.tool.is_some() {
            // From here the chain goes on by the other tool's rules; its first page decides which.
            self.rule = None;
        }
        let Some(next) = onward.into_request(request, attempt.toolbox) else {
            return Turn::Done(ChainEnd::End);
        };
        if !next.tool.may_call {
            attempt.skip_continuation(self.step_index, &next.tool);
            return Turn::Done(ChainEnd::GaveUp);
        }
        Turn::Go(next, made)
    }

    /// Whether a rule would match on all that the server sent, though none does on what is visible.
    fn offers_unseen<C: Caller>(
        &self,
        attempt: &Attempt<'_, C>,
        request: &Request,
        sent: &Sent,
        has_news: bool,
    ) -> bool {
        let hides_part = sent.view.kind == crate::words::ViewKind::Cut
            || (sent.result.structured.is_some() && !sent.result.blocks.is_empty());
        if !hides_part {
            return false;
        }
        let ends_on_empty = attempt.settings.ends_on_empty;
        let everything = sent.result.everything(attempt.profile);
        let rule = self.rule.clone().or_else(|| choose(request, &everything, ends_on_empty));
        rule.is_some_and(|rule| rule.onward(request, &everything, has_news, ends_on_empty).is_some())
    }

    /// Writes down how the chain ended, on its last sent call.
    fn end<C: Caller>(&mut self, attempt: &mut Attempt<'_, C>, end: ChainEnd, last_call: u32) {
        if let Some(record) = attempt.trace.calls.get_mut(last_call as usize) {
            record.chain_end = Some(end);
            record.is_stuck = end == ChainEnd::Stuck;
        }
        attempt.judge_need(self.step_index, self.step, &self.need, Some(end), last_call);
    }
}

/// Whether the server offers more after this page, by any rule.
pub(super) fn offers_more(request: &Request, page: &Page, ends_on_empty: bool) -> bool {
    choose(request, page, ends_on_empty).is_some()
}

/// The chain's rule on its first page: the one whose argument the first call carries, else the first that matches.
fn choose(request: &Request, page: &Page, ends_on_empty: bool) -> Option<ChainRule> {
    let Some(rules) = &request.tool.rules else {
        return infer::infer(request, page).map(ChainRule::Inferred);
    };
    let matching = || {
        rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule::next_request(rule, request, page, true, ends_on_empty).is_some())
    };
    let is_carried = |rule: &ContinuationRule| {
        let carried = |name: &str| request.arguments.contains_key(name) && request.tool.schema.has(name);
        rule.argument().is_some_and(carried)
    };
    let kept = matching().find(|(_, rule)| is_carried(rule)).or_else(|| matching().next());
    kept.map(|(index, rule)| ChainRule::Declared(index, rule.clone()))
}

fn reads_backwards(rule: &ContinuationRule) -> bool {
    rule.argument().is_some_and(|name| name.to_lowercase().starts_with("before"))
}
