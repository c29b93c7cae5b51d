//! One turn of a chain: what a result means for it, and which call comes next.

use super::answer::Caller;
use super::call::Sent;
use super::chain::{Chain, Made, Turn};
use super::chain_rule::{ChainRule, choose};
use super::need::Seen;
use super::news::{Shown, Sieve};
use super::replay::Attempt;
use super::request::Request;
use super::rule::{Onward, Sight};
use super::shrink;
use crate::client::{Page, utf16_len};
use crate::words::{ChainEnd, OnOversized, Outcome, ViewKind};

/// Halvings of a size argument in one step.
const MOST_HALVINGS: u32 = 3;
/// Pages in a row without news after which a chain is stuck.
const MOST_BARREN: u32 = 3;

impl Chain<'_> {
    /// Takes in a result and decides how the chain goes on. `repeats`: the request was sent before.
    pub fn turn<C: Caller>(
        &mut self,
        attempt: &mut Attempt<'_, C>,
        request: &Request,
        sent: &Sent,
        made: &Made,
        repeats: bool,
    ) -> Turn {
        let is_ok = sent.outcome == Outcome::Ok;
        let page = sent.visible(attempt.profile);
        let carries_on = !matches!(made, Made::First);
        let shown = is_ok.then_some(&page);
        if !self.is_past_need {
            attempt.earlier.take(sent.index, request, shown, sent.view.is_partial(), carries_on);
        }
        if !is_ok {
            return Turn::Done(ChainEnd::Error);
        }
        if !sent.view.is_partial() {
            return self.page(attempt, request, sent, &page, repeats);
        }
        let policy = self.step.on_oversized.unwrap_or(attempt.settings.on_oversized);
        if policy == OnOversized::RetrySmaller
            && self.halvings < MOST_HALVINGS
            && let Some(smaller) = self.halve(request)
        {
            self.halvings += 1;
            return Turn::Go(smaller, Made::Retry);
        }
        if policy != OnOversized::GiveUp && attempt.profile.strategy.saves_files() {
            let saved = sent.result.forwarded(attempt.profile);
            if let Some(record) = attempt.trace.calls.last_mut() {
                record.spill_reads = utf16_len(saved.text()).div_ceil(attempt.settings.spill_chunk.max(1));
            }
            return self.page(attempt, request, sent, &saved, repeats);
        }
        self.give_up(attempt, request, &page);
        Turn::Done(ChainEnd::GaveUp)
    }

    fn halve(&self, request: &Request) -> Option<Request> {
        shrink::halve(request, self.rule.as_ref().and_then(|rule| rule.of(&request.tool)))
    }

    /// Of a result that is not shown whole, what is visible counts all the same.
    fn give_up<C: Caller>(&mut self, attempt: &mut Attempt<'_, C>, request: &Request, page: &Page<'_>) {
        if page.is_empty() {
            return;
        }
        self.save(attempt, page);
        self.need.take(&Seen {
            page,
            tool: &request.tool,
            rule: self.rule.as_ref().and_then(|rule| rule.of(&request.tool)),
            is_whole: false,
            has_news: true,
            offers_no_more: false,
        });
    }

    fn save<C: Caller>(&mut self, attempt: &mut Attempt<'_, C>, page: &Page<'_>) {
        if !std::mem::replace(&mut self.has_saved, true) {
            attempt.bindings.save(&self.step.save, page);
        }
    }

    /// Takes in a page that is wholly visible, and decides how the chain goes on.
    fn page<C: Caller>(
        &mut self,
        attempt: &mut Attempt<'_, C>,
        request: &Request,
        sent: &Sent,
        page: &Page<'_>,
        repeats: bool,
    ) -> Turn {
        self.save(attempt, page);
        self.pages += 1;
        if !self.need.is_wanted() {
            return Turn::Done(ChainEnd::Met);
        }
        let ends_on_empty = attempt.settings.ends_on_empty;
        let chosen = self.onward(request, &Sight { page, shown: &self.shown, ends_on_empty });
        let is_blind = chosen.is_none() && self.offers_unseen(attempt, request, sent);
        let rule = chosen.as_ref().map(|(rule, _)| rule).or(self.rule.as_ref()).cloned();
        let declared = rule.as_ref().and_then(|rule| rule.of(&request.tool));
        // A chain that is not offered more ends here, and needs no news; except where it decides what counts.
        let has_news = (chosen.is_none() && !self.need.counts_items())
            || self.shown.take(page, &Sieve::new(&request.tool, declared));
        self.need.take(&Seen {
            page,
            tool: &request.tool,
            rule: declared,
            is_whole: true,
            has_news,
            offers_no_more: chosen.is_none() && !is_blind,
        });
        self.need.note_coverage(sent.index);
        if self.is_past_need && !self.need.is_bracket_open() {
            return Turn::Done(ChainEnd::Met);
        }
        if !self.is_past_need && self.need.is_met() {
            if chosen.is_none() || !self.need.is_bracket_open() {
                return Turn::Done(ChainEnd::Met);
            }
            self.end(attempt, ChainEnd::Met, sent.index);
            self.is_past_need = true;
        }
        let Some((rule, onward)) = chosen else {
            return Turn::Done(if is_blind { ChainEnd::Blind } else { ChainEnd::End });
        };
        self.barren = if has_news { 0 } else { self.barren + 1 };
        let repeats = repeats || rule.is_same(&request.tool);
        if !has_news && (repeats || self.barren >= MOST_BARREN) {
            return Turn::Done(ChainEnd::Stuck);
        }
        if self.pages >= attempt.settings.max_pages {
            return Turn::Done(ChainEnd::Capped);
        }
        self.go_on(attempt, request, rule, onward, sent.index)
    }

    /// The chain's rule and what it makes of a page; on the first page that offers more it is chosen.
    fn onward(&self, request: &Request, sight: &Sight<'_>) -> Option<(ChainRule, Onward)> {
        match &self.rule {
            None => choose(request, sight),
            Some(rule) => Some((rule.clone(), rule.onward(request, sight)?)),
        }
    }

    fn go_on<C: Caller>(
        &mut self,
        attempt: &mut Attempt<'_, C>,
        request: &Request,
        rule: ChainRule,
        onward: Onward,
        after: u32,
    ) -> Turn {
        let made = Made::Continuation {
            evidence: onward.evidence,
            after,
            label: rule.label(),
            by_same: rule.is_same(&request.tool),
        };
        if let (None, ChainRule::Inferred(found)) = (&self.rule, &rule) {
            // Nothing else says by what a tool without a declaration was read on.
            attempt.note(&format!("inferred rule of {}: {}", request.tool.name, found.written()), 1);
        }
        // After a change of tool the chain goes on by that tool's rules; its first page decides which.
        self.rule = onward.tool.is_none().then_some(rule);
        match onward.into_request(request, attempt.toolbox) {
            Ok(next) if next.tool.may_call => Turn::Go(next, made),
            Ok(next) => {
                attempt.skip_continuation(self.step_index, &next.tool.name, self.is_past_need);
                Turn::Done(ChainEnd::GaveUp)
            }
            Err(unknown) => {
                attempt.skip_continuation(self.step_index, &unknown, self.is_past_need);
                Turn::Done(ChainEnd::GaveUp)
            }
        }
    }

    /// Whether a rule would match on all that the server sent, though none does on what is visible.
    fn offers_unseen<C: Caller>(&self, attempt: &Attempt<'_, C>, request: &Request, sent: &Sent) -> bool {
        let Some(everything) = hidden(attempt, sent) else { return false };
        let ends_on_empty = attempt.settings.ends_on_empty;
        self.onward(request, &Sight { page: &everything, shown: &self.shown, ends_on_empty }).is_some()
    }
}

/// All that the server sent, when that is more than is visible.
fn hidden<'s, C>(attempt: &Attempt<'_, C>, sent: &'s Sent) -> Option<Page<'s>> {
    let hides_part = sent.view.kind == ViewKind::Cut
        || (sent.result.structured.is_some() && !sent.result.blocks.is_empty());
    hides_part.then(|| sent.result.everything(attempt.profile))
}

/// Whether a rule matches on a single page, or would on all that the server sent.
pub(super) fn offers_more<C>(
    attempt: &Attempt<'_, C>,
    request: &Request,
    sent: &Sent,
    visible: &Page<'_>,
) -> bool {
    let (shown, ends_on_empty) = (Shown::default(), attempt.settings.ends_on_empty);
    let offers = |page: &Page<'_>| choose(request, &Sight { page, shown: &shown, ends_on_empty }).is_some();
    offers(visible) || hidden(attempt, sent).is_some_and(|everything| offers(&everything))
}
