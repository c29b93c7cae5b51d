//! Which passages of a chain were used, and which of them explain why its agent stopped reading.

use super::chains::Chain;
use super::features::FeatureKind;
use super::model::{Event, EventKind};
use super::sightings::{Sightings, Use, Who};
use super::views::{Passage, View};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Views beside its own in which a passage may stand; in more it is a common phrase.
pub const OTHER_VIEWS: usize = 3;
/// Agent events within which a lone passage explains the stop.
pub const LONE_EVENTS: u32 = 3;
/// Agent events within which several passages do.
pub const CLUSTER_EVENTS: u32 = 10;
/// What they must count together.
pub const CLUSTER_WEIGHT: u32 = 3;
/// Agent events within which the text that an edit replaces does.
pub const OLD_TEXT_EVENTS: u32 = 20;
/// Agent events within which a copy is made.
pub const COPY_EVENTS: u32 = 10;
/// Overlapping runs of a view, one after the other, that make a copy.
pub const COPY_RUNS: usize = 4;

/// A passage of a view that was used.
#[derive(Debug, Clone)]
pub struct Used {
    /// Which view of the chain.
    pub view: usize,
    pub passage: Passage,
    /// Agent events from the view to the use, both calls of the chain left out; the use itself counts.
    pub distance: u32,
    pub is_old_text: bool,
    /// No earlier view of the chain showed it.
    pub is_new: bool,
}

/// What of a chain was used.
#[derive(Debug, Default)]
pub struct ChainUse {
    /// Passages of the last view that explain the stop, in the order of the view.
    pub explaining: Vec<Used>,
    /// Other passages that were used soon, in the order of the views.
    pub others: Vec<Used>,
}

/// What a conversation tells of one chain.
pub struct Chained<'s> {
    views: &'s [View],
    sightings: &'s Sightings,
    /// By feature: the views that show it, in order.
    index: HashMap<(u64, FeatureKind), Vec<(usize, &'s Passage)>>,
    /// Places of the chain's own calls, and of its views.
    own_calls: HashSet<usize>,
    own_views: HashSet<u32>,
    /// Agent events from the first view on, the chain's own calls left out, in order.
    agent_events: Vec<usize>,
    /// The next prompt after the chain began, or the first event that is too late to tell anything.
    end: usize,
}

impl<'s> Chained<'s> {
    /// `passages`: for each view.
    pub fn new(
        chain: &Chain,
        events: &[Event],
        views: &'s [View],
        passages: &'s [Vec<Passage>],
        sightings: &'s Sightings,
    ) -> Self {
        let calls = chain.calls.iter();
        let own_calls: HashSet<usize> =
            calls.flat_map(|call| std::iter::once(call.event).chain(call.spill_reads.clone())).collect();
        let first_view = views.iter().map(|view| view.event).min().unwrap_or(events.len());
        let last_view = views.iter().map(|view| view.event).max().unwrap_or(events.len());
        let (mut agent_events, mut after_last, mut end) = (Vec::new(), 0, events.len());
        for (at, event) in events.iter().enumerate().skip(chain.first_event()) {
            match event.kind {
                EventKind::Prompt(_) => {
                    end = at;
                    break;
                }
                EventKind::Say(_) | EventKind::Think(_) | EventKind::Call(_)
                    if at > first_view && !own_calls.contains(&at) =>
                {
                    agent_events.push(at);
                    after_last += u32::from(at > last_view);
                }
                _ => {}
            }
            if after_last > OLD_TEXT_EVENTS {
                end = at;
                break;
            }
        }
        let mut index: HashMap<(u64, FeatureKind), Vec<(usize, &Passage)>> = HashMap::new();
        for (view, passages) in passages.iter().enumerate() {
            for passage in passages {
                index.entry((passage.hash, passage.kind)).or_default().push((view, passage));
            }
        }
        let own_views = views.iter().map(|view| view.event as u32).collect();
        Self { views, sightings, index, own_calls, own_views, agent_events, end }
    }
    /// What was used of the chain, soon enough to tell something.
    pub fn used(&self) -> ChainUse {
        let Some(last) = self.views.len().checked_sub(1) else { return ChainUse::default() };
        let mut first_uses: BTreeMap<(usize, u64), Used> = BTreeMap::new();
        for used in self.all_uses() {
            // The first use of a passage is the nearest one; of an edit's old text any counts.
            let key = (used.view, used.passage.hash);
            match first_uses.get_mut(&key) {
                None => drop(first_uses.insert(key, used)),
                Some(known) if used.is_old_text && !known.is_old_text && known.distance > LONE_EVENTS => {
                    *known = used;
                }
                Some(_) => {}
            }
        }
        let mut by_view: BTreeMap<usize, Vec<Used>> = BTreeMap::new();
        for used in first_uses.into_values() {
            by_view.entry(used.view).or_default().push(used);
        }
        let mut found = ChainUse::default();
        for (view, used) in by_view {
            for used in soon(used) {
                let explains = view == last && used.is_new;
                if explains { &mut found.explaining } else { &mut found.others }.push(used);
            }
        }
        found.explaining.sort_by_key(|used| used.passage.place);
        found.others.sort_by_key(|used| (used.view, used.passage.place));
        found
    }

    fn all_uses(&self) -> Vec<Used> {
        let (mut found, mut copies) = (Vec::new(), Vec::new());
        let first_view = self.views.iter().map(|view| view.event).min().unwrap_or(self.end);
        for used in self.sightings.uses_between(first_view + 1, self.end) {
            if self.own_calls.contains(&used.event) {
                continue;
            }
            let Some(places) = self.index.get(&(used.hash, used.kind)) else { continue };
            let mut shown = places.iter().filter(|(view, _)| self.views[*view].event < used.event);
            let Some((view, passage)) = shown.next_back() else { continue };
            if used.kind == FeatureKind::Copy {
                copies.push((used, *view, *passage));
            } else if self.is_from_here(used, places[0].0, *view, false) {
                found.push(self.used_at(used, *view, passage, places[0].0 == *view));
            }
        }
        found.extend(self.copied(&copies));
        found
    }

    fn used_at(&self, used: &Use, view: usize, passage: &Passage, is_new: bool) -> Used {
        Used {
            view,
            passage: passage.clone(),
            distance: self.distance(view, used.event),
            is_old_text: used.is_old_text,
            is_new,
        }
    }

    /// Runs of a view that stand one after the other in one argument: what the agent copied.
    fn copied(&self, uses: &[(&Use, usize, &Passage)]) -> Vec<Used> {
        let mut found = Vec::new();
        let mut streak: Vec<&(&Use, usize, &Passage)> = Vec::new();
        let mut end_streak = |streak: &mut Vec<&(&Use, usize, &Passage)>| {
            if streak.len() >= COPY_RUNS {
                for (used, view, passage) in streak.iter() {
                    let first = self.index.get(&(used.hash, used.kind)).map_or(*view, |places| places[0].0);
                    let is_soon = self.distance(*view, used.event) <= COPY_EVENTS;
                    if is_soon && self.is_from_here(used, first, *view, true) {
                        found.push(self.used_at(used, *view, passage, first == *view));
                    }
                }
            }
            streak.clear();
        };
        for copy in uses {
            // Overlapping runs of an argument begin at neighbouring words, as they do in the view.
            let goes_on = streak.last().is_some_and(|(before, view, passage)| {
                let (used, here, at) = copy;
                before.event == used.event
                    && before.text == used.text
                    && before.start < used.start
                    && view == here
                    && passage.place.0 == at.place.0
                    && passage.place.1 < at.place.1
            });
            if !goes_on {
                end_streak(&mut streak);
            }
            streak.push(copy);
        }
        end_streak(&mut streak);
        found
    }

    /// Whether the agent can have the feature from this chain alone: nothing showed it before the first view,
    /// nothing outside the chain in between, and it is no common phrase.
    fn is_from_here(&self, used: &Use, first: usize, view: usize, is_copy: bool) -> bool {
        let first_shown = self.views[first].event as u32;
        let shown_here = self.views[view].event as u32;
        let sightings = self.sightings.of_feature(used.hash);
        let is_outside = |event: u32| !self.own_views.contains(&event);
        let mut before = sightings.iter().filter(|seen| (seen.event as usize) < used.event);
        let is_spoilt = before.any(|seen| match seen.who {
            // A copy may be of what was known, but not of what the user gave.
            Who::Prompt => is_copy || seen.event < first_shown || seen.event > shown_here,
            Who::Agent => !is_copy && seen.event < first_shown,
            Who::View => is_outside(seen.event) && (!is_copy || seen.event > shown_here),
        });
        let views = sightings.iter().filter(|seen| seen.who == Who::View && seen.event != shown_here).count();
        !is_spoilt && views <= OTHER_VIEWS
    }

    /// Agent events (say, think, call) after a view up to an event.
    fn distance(&self, view: usize, event: usize) -> u32 {
        let until = |at: usize| self.agent_events.partition_point(|agents| *agents <= at);
        (until(event) - until(self.views[view].event)) as u32
    }
}

/// The passages of one view that were used soon: a lone one, several, the old text of an edit, or a copy.
fn soon(used: Vec<Used>) -> Vec<Used> {
    let near = used.iter().filter(|used| used.distance <= CLUSTER_EVENTS);
    let weight: u32 = near.map(|used| used.passage.kind.weight()).sum();
    let is_soon = |used: &Used| {
        used.distance <= LONE_EVENTS
            || (used.distance <= CLUSTER_EVENTS && weight >= CLUSTER_WEIGHT)
            || (used.is_old_text && used.distance <= OLD_TEXT_EVENTS)
            || used.passage.kind == FeatureKind::Copy
    };
    used.into_iter().filter(is_soon).collect()
}
