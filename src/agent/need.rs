//! Whether the need of a read step is met, page by page.

use super::coverage::CoverageState;
use super::rule::{patterns_of, reads_backwards};
use super::step::as_number;
use super::texts::TextReader;
use super::toolbox::Tool;
use super::wanted::WantedTexts;
use crate::case::{Need, Reach, Step};
use crate::client::Page;
use crate::suite::ContinuationRule;
use crate::text::Pattern;
use crate::trace::Bracket;
use crate::words::NeedKind;
use serde_json::Value;

/// The shares of the recorded content between which a need inferred as `last` may truly have stood.
const BRACKET: [f64; 2] = [0.2, 0.95];

/// A visible page as a need looks at it.
pub(super) struct Seen<'p> {
    pub page: &'p Page<'p>,
    pub tool: &'p Tool,
    /// The chain's rule, when it has one by now.
    pub rule: Option<&'p ContinuationRule>,
    /// The whole result could be used.
    pub is_whole: bool,
    /// The page brought content that its chain had not shown.
    pub has_news: bool,
    /// The page was whole, and nothing in the answer offers more.
    pub offers_no_more: bool,
}

/// What a chain has shown of a step's need and evidence.
pub(super) struct NeedState<'s> {
    need: Option<&'s Need>,
    reader: TextReader,
    /// The texts of `contains`, then those of the evidence.
    texts: WantedTexts,
    contains_total: usize,
    evidence_total: usize,
    coverage: Option<CoverageState<'s>>,
    items: u64,
    pages: u64,
    whole_pages: u64,
    reached: Option<f64>,
    offers_no_more: bool,
    is_end: bool,
    /// The need was inferred as `last`: how far the chain went by its bracket's ends.
    bracket: Option<Bracket>,
}

impl<'s> NeedState<'s> {
    pub fn new(step: &'s Step) -> Self {
        let need = step.need.as_ref();
        let contains = need.map_or(&[][..], |need| &need.contains);
        Self {
            need,
            reader: TextReader::default(),
            texts: WantedTexts::new(contains.iter().chain(&step.evidence)),
            contains_total: contains.len(),
            evidence_total: step.evidence.len(),
            coverage: need.and_then(|need| need.coverage.as_ref()).map(CoverageState::new),
            items: 0,
            pages: 0,
            whole_pages: 0,
            reached: None,
            offers_no_more: false,
            is_end: false,
            bracket: (step.need_kind == NeedKind::Last && need.is_some_and(|need| need.coverage.is_some()))
                .then(Bracket::default),
        }
    }

    /// Whether there is anything to look for.
    pub fn is_wanted(&self) -> bool {
        self.need.is_some() || self.evidence_total > 0
    }

    /// Whether news decides what counts.
    pub fn counts_items(&self) -> bool {
        self.need.is_some_and(|need| need.items.is_some())
    }

    /// Takes in the next visible page of the chain.
    pub fn take(&mut self, seen: &Seen<'_>) {
        self.take_texts(seen);
        self.pages += 1;
        self.whole_pages += u64::from(seen.is_whole);
        self.offers_no_more = seen.offers_no_more;
        self.is_end = seen.offers_no_more && seen.tool.is_listed;
        let Some(need) = self.need else { return };
        if let Some(items) = need.items.as_ref().filter(|_| seen.has_news) {
            let array = seen.page.value_at(&items.pointer).and_then(Value::as_array);
            self.items += array.map_or(0, Vec::len) as u64;
        }
        if let Some(reach) = &need.reach {
            self.reached = seen.page.value_at(&reach.pointer).and_then(as_number);
        }
    }

    fn take_texts(&mut self, seen: &Seen<'_>) {
        let Self { reader, texts, coverage, .. } = self;
        if texts.all_found() && coverage.is_none() {
            return;
        }
        let mut notices: Vec<&Pattern> = seen.tool.rules.iter().flatten().flat_map(patterns_of).collect();
        notices.extend(seen.rule.iter().flat_map(|rule| patterns_of(rule)));
        let backwards = seen.rule.is_some_and(reads_backwards);
        reader.each_text(seen.page, &notices, &mut |text| {
            texts.take(&text, backwards);
            if let Some(coverage) = coverage {
                coverage.take(&text, &seen.tool.content, backwards);
            }
        });
    }

    /// Whether all parts of the need hold; true for a step without one, after its first page.
    pub fn is_met(&self) -> bool {
        let Some(need) = self.need else { return self.pages > 0 };
        self.pages > 0
            && self.texts.found(0..self.contains_total) == self.contains_total
            && self.coverage.as_ref().is_none_or(CoverageState::is_met)
            && need.reach.as_ref().is_none_or(|reach| self.is_end || self.reaches(reach))
            && need.items.as_ref().is_none_or(|items| self.items >= items.at_least)
            && (!need.end || self.is_end)
            && need.pages.is_none_or(|pages| self.offers_no_more || self.whole_pages >= pages)
    }

    fn reaches(&self, reach: &Reach) -> bool {
        self.reached.is_some_and(|number| {
            reach.at_least.is_none_or(|least| number >= least)
                && reach.at_most.is_none_or(|most| number <= most)
        })
    }

    /// Notes the calls at which the coverage of a need inferred as `last` reaches the ends of its bracket.
    pub fn note_coverage(&mut self, call_index: u32) {
        let (Some(bracket), Some(coverage)) = (&mut self.bracket, &self.coverage) else { return };
        let share = coverage.share();
        for (place, end) in [&mut bracket.low_at_call, &mut bracket.high_at_call].into_iter().zip(BRACKET) {
            if place.is_none() && share >= end {
                *place = Some(call_index);
            }
        }
    }

    pub fn bracket(&self) -> Option<Bracket> {
        self.bracket
    }

    /// Whether reading on would show how sure a need is that was inferred as `last`.
    pub fn is_bracket_open(&self) -> bool {
        self.bracket.is_some_and(|bracket| bracket.high_at_call.is_none())
    }

    pub fn evidence_seen(&self) -> u32 {
        self.texts.found(self.contains_total..self.contains_total + self.evidence_total) as u32
    }

    pub fn evidence_total(&self) -> u32 {
        self.evidence_total as u32
    }
}
