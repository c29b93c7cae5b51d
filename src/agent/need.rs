//! Whether the need of a read step is met, page by page.

use super::chain_text::ChainText;
use super::rule::as_number;
use super::toolbox::Tool;
use crate::case::{Need, Step};
use crate::client::Page;
use crate::suite::ContinuationRule;
use serde_json::Value;

/// A visible page as a need looks at it.
pub(super) struct Seen<'p> {
    pub page: &'p Page,
    pub tool: &'p Tool,
    pub rule: Option<&'p ContinuationRule>,
    pub backwards: bool,
    /// The whole result could be used.
    pub is_whole: bool,
    pub has_news: bool,
    /// The server offers no more, on a page that is whole and no error.
    pub is_end: bool,
}

/// What a chain has shown of a step's need and evidence.
pub(super) struct NeedState<'s> {
    need: Option<&'s Need>,
    contains: ChainText,
    evidence: ChainText,
    evidence_total: usize,
    coverage: Option<super::coverage::CoverageState<'s>>,
    items: u64,
    whole_pages: u64,
    reached: Option<f64>,
    is_end: bool,
}

impl<'s> NeedState<'s> {
    pub fn new(step: &'s Step) -> Self {
        let need = step.need.as_ref();
        Self {
            need,
            contains: ChainText::new(need.iter().flat_map(|need| &need.contains)),
            evidence: ChainText::new(&step.evidence),
            evidence_total: step.evidence.len(),
            coverage: need.and_then(|need| need.coverage.as_ref()).map(super::coverage::CoverageState::new),
            items: 0,
            whole_pages: 0,
            reached: None,
            is_end: false,
        }
    }

    /// Takes in the next visible page of the chain.
    pub fn take(&mut self, seen: &Seen<'_>) {
        self.contains.take(seen.page, seen.tool, seen.rule, seen.backwards);
        self.evidence.take(seen.page, seen.tool, seen.rule, seen.backwards);
        if let Some(coverage) = &mut self.coverage {
            coverage.take(seen);
        }
        self.whole_pages += u64::from(seen.is_whole);
        self.is_end = seen.is_end;
        let Some(need) = self.need else { return };
        if let Some(items) = need.items.as_ref().filter(|_| seen.has_news) {
            self.items +=
                seen.page.value_at(&items.pointer).and_then(Value::as_array).map_or(0, Vec::len) as u64;
        }
        if let Some(reach) = &need.reach {
            self.reached = seen.page.value_at(&reach.pointer).and_then(as_number);
        }
    }

    /// Whether all parts of the need hold; true for a step without one, after its first page.
    pub fn is_met(&self) -> bool {
        let Some(need) = self.need else { return true };
        let reach = |reach: &crate::case::Reach| {
            let within = |number: f64| {
                reach.at_least.is_none_or(|least| number >= least)
                    && reach.at_most.is_none_or(|most| number <= most)
            };
            self.is_end || self.reached.is_some_and(within)
        };
        self.contains.all_found()
            && self.coverage.as_ref().is_none_or(super::coverage::CoverageState::is_met)
            && need.reach.as_ref().is_none_or(reach)
            && need.items.as_ref().is_none_or(|items| self.items >= items.at_least)
            && (!need.end || self.is_end)
            && need.pages.is_none_or(|pages| self.is_end || self.whole_pages >= pages)
    }

    pub fn evidence_seen(&self) -> u32 {
        self.evidence.found() as u32
    }

    pub fn evidence_total(&self) -> u32 {
        self.evidence_total as u32
    }
}
