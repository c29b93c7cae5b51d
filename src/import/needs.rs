//! The need of a read step: what its agent must have seen before it stopped.

use super::chains::Chain;
use super::model::Session;
use super::prints::{fingerprints, grams_around};
use super::shown::Shown;
use super::sightings::Sightings;
use super::stop::{offers, rule_of};
use super::used::{ChainUse, Chained, Used};
use super::views::{Passage, View, passages, texts_of, views};
use crate::agent::{ChainText, met_at};
use crate::case::{Coverage, Intent, Need, Step};
use crate::client::Page;
use crate::words::NeedKind;
use std::collections::BTreeSet;

/// The share of the last view's own content that a need inferred as `last` asks for.
pub const LAST_SHARE: f64 = 0.5;
/// The share of all that was seen that a need `all` asks for.
pub const ALL_SHARE: f64 = 0.95;
/// The share of the grams around passages, where passages themselves are not kept.
pub const AROUND_SHARE: f64 = 0.5;
/// Passages of one need.
pub const PASSAGES: usize = 3;
/// Passages of one view, and of one chain, that become evidence.
pub const EVIDENCE_A_VIEW: usize = 3;
pub const EVIDENCE_A_CHAIN: usize = 8;

/// What is asked of the inference.
#[derive(Debug, Clone, Copy, Default)]
pub struct NeedOptions {
    /// `None` infers; else this kind alone is given.
    pub only: Option<NeedKind>,
    /// No passage is kept: fingerprints stand for them.
    pub no_passages: bool,
}

/// The need of a chain, and how it was found.
#[derive(Debug, Default)]
pub struct Inferred {
    pub need: Option<Need>,
    pub kind: Option<NeedKind>,
    pub evidence: Vec<String>,
    /// Kinds that came first and did not hold over the recorded views.
    pub fallbacks: Vec<NeedKind>,
    /// One sentence for a person: what the rules saw.
    pub why: String,
}

/// Infers the need of a read chain.
pub fn infer(chain: &Chain, session: &Session, sightings: &Sightings, options: NeedOptions) -> Inferred {
    let views = views(chain, session);
    if is_left_unseen(chain, &views) {
        return unseen(&views);
    }
    if views.is_empty() {
        return Inferred { why: "no result was shown".to_owned(), ..Inferred::default() };
    }
    let texts = texts_of(chain, &views);
    let passages = passages(&texts, sightings);
    let chained = Chained::new(chain, &session.events, &views, &passages, sightings);
    let used = chained.used();
    let offers = offers(chain, &views, session);
    let inference =
        Inference { chain, session, views: &views, texts: &texts, offers: &offers, used: &used, options };
    inference.infer()
}

/// Whether the agent asked for one page more, and was shown a notice or nothing.
fn is_left_unseen(chain: &Chain, views: &[View]) -> bool {
    let last = chain.calls.len() - 1;
    let is_unseen = matches!(chain.calls[last].shown, Shown::Notice(_) | Shown::Nothing);
    is_unseen && views.last().is_none_or(|view| view.call < last) && (last > 0 || !is_without_result(chain))
}

fn is_without_result(chain: &Chain) -> bool {
    matches!(chain.calls[0].shown, Shown::Nothing)
}

/// What the agent did not see, it needed all the same: one page more than it saw.
fn unseen(views: &[View]) -> Inferred {
    Inferred {
        need: Some(Need { pages: Some(views.len() as u64 + 1), ..Need::default() }),
        kind: Some(NeedKind::Last),
        why: "the last result was never shown: one page more than was seen".to_owned(),
        ..Inferred::default()
    }
}

struct Inference<'s> {
    chain: &'s Chain,
    session: &'s Session,
    views: &'s [View],
    texts: &'s [Vec<ChainText>],
    offers: &'s [bool],
    used: &'s ChainUse,
    options: NeedOptions,
}

impl Inference<'_> {
    fn infer(&self) -> Inferred {
        let kinds: &[NeedKind] = match &self.options.only {
            Some(only) => std::slice::from_ref(only),
            None => &[NeedKind::Used, NeedKind::End, NeedKind::Last],
        };
        let mut fallbacks = Vec::new();
        for kind in kinds {
            let Some(need) = self.need(*kind) else { continue };
            if self.holds(&need, *kind) {
                let why = self.why(*kind);
                return Inferred {
                    need: Some(need),
                    kind: Some(*kind),
                    evidence: self.evidence(),
                    fallbacks,
                    why,
                };
            }
            fallbacks.push(*kind);
        }
        self.by_pages(fallbacks)
    }

    /// Where nothing of the content tells when to stop: as many pages as were read.
    fn by_pages(&self, fallbacks: Vec<NeedKind>) -> Inferred {
        let pages = self.views.len() as u64;
        let need = (pages > 1).then(|| Need { pages: Some(pages), ..Need::default() });
        let kind = need.is_some().then_some(NeedKind::Last);
        let why = "nothing of the content tells when to stop".to_owned();
        Inferred { need, kind, evidence: self.evidence(), fallbacks, why }
    }

    /// The need of a kind, when there is ground for it.
    fn need(&self, kind: NeedKind) -> Option<Need> {
        let (last, before) = self.texts.split_last()?;
        let coverage = |fingerprints: Vec<u64>, at_least: f64| {
            let coverage = Coverage { fingerprints, at_least };
            (!coverage.fingerprints.is_empty()).then(|| Need { coverage: Some(coverage), ..Need::default() })
        };
        match kind {
            NeedKind::Used if self.used.explaining.is_empty() => None,
            NeedKind::Used if self.options.no_passages => {
                coverage(self.around(&self.used.explaining, last), AROUND_SHARE)
            }
            NeedKind::Used => {
                let contains = spread(&self.used.explaining, PASSAGES).map(|used| used.passage.text.clone());
                Some(Need { contains: contains.collect(), ..Need::default() })
            }
            NeedKind::End => {
                let is_last = self.offers.last() == Some(&false);
                (is_last || self.options.only.is_some()).then(|| Need { end: true, ..Need::default() })
            }
            NeedKind::Last => coverage(fingerprints(before, std::slice::from_ref(last)), LAST_SHARE),
            NeedKind::All => coverage(fingerprints(&[], self.texts), ALL_SHARE),
            NeedKind::Written => None,
        }
    }

    /// Replays the need over the recorded views: it must be met by the last one and by none before.
    fn holds(&self, need: &Need, kind: NeedKind) -> bool {
        let step = Step {
            intent: Intent::Read,
            tool: self.chain.tool.name.clone(),
            arguments: Default::default(),
            save: Vec::new(),
            need: Some(need.clone()),
            evidence: Vec::new(),
            need_kind: kind,
            on_oversized: None,
        };
        let rule = rule_of(self.chain, self.views, self.session);
        let pages: Vec<Page<'_>> = self.views.iter().map(View::page).collect();
        let met = met_at(&step, &self.chain.tool, rule.as_ref(), &pages, self.offers);
        // All that was seen may have been seen before the last view, when that repeats the others.
        met == Some(pages.len() - 1) || (kind == NeedKind::All && met.is_some())
    }

    /// Passages of any view that were used, and do not end the read.
    fn evidence(&self) -> Vec<String> {
        if self.options.no_passages {
            return Vec::new();
        }
        let mut texts: Vec<String> = Vec::new();
        for view in 0..self.views.len() {
            let of_view: Vec<Used> =
                self.used.others.iter().filter(|used| used.view == view).cloned().collect();
            for used in spread(&of_view, EVIDENCE_A_VIEW) {
                if texts.len() < EVIDENCE_A_CHAIN && !texts.contains(&used.passage.text) {
                    texts.push(used.passage.text.clone());
                }
            }
        }
        texts
    }

    /// Grams that hold the passages of a need, in place of the passages.
    fn around(&self, used: &[Used], last: &[ChainText]) -> Vec<u64> {
        let mut hashes = BTreeSet::new();
        for Used { passage: Passage { place, text, .. }, .. } in spread(used, PASSAGES) {
            let Some(whole) = last.get(place.0) else { continue };
            let start = place.1.max(0) as usize;
            let end = place.1.saturating_add_unsigned(text.len()).max(0) as usize;
            hashes.extend(grams_around(&whole.text, start..end.min(whole.text.len())));
        }
        hashes.into_iter().collect()
    }

    fn why(&self, kind: NeedKind) -> String {
        let last = match self.views.len() {
            1 => "the only view".to_owned(),
            pages => format!("the last of {pages} views"),
        };
        match kind {
            NeedKind::Used => {
                let first = self.used.explaining.iter().map(|used| used.distance).min().unwrap_or(0);
                format!(
                    "{} passages of {last} used, first after {first} agent events",
                    self.used.explaining.len()
                )
            }
            NeedKind::End => format!("{last} offered no more"),
            NeedKind::Last => {
                format!("nothing of {last} was used soon, and it offered more")
            }
            NeedKind::All | NeedKind::Written => "asked for".to_owned(),
        }
    }
}

/// At most `most` of a list: first, last, and what lies evenly between.
fn spread<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = items.len().min(most);
    let place = move |index: usize| match count {
        0 | 1 => items.len().saturating_sub(1),
        _ if index + 1 == count => items.len() - 1,
        _ => index * items.len() / (count - 1),
    };
    (0..count).map(move |index| &items[place(index)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_middle_and_deepest_are_taken() {
        let taken = |count: usize| {
            let items: Vec<usize> = (0..count).collect();
            spread(&items, PASSAGES).copied().collect::<Vec<_>>()
        };
        assert_eq!(taken(0), Vec::<usize>::new());
        assert_eq!(taken(1), [0]);
        assert_eq!(taken(2), [0, 1]);
        assert_eq!(taken(3), [0, 1, 2]);
        assert_eq!(taken(4), [0, 2, 3]);
        assert_eq!(taken(9), [0, 4, 8]);
    }
}
