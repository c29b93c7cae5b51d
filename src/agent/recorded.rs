//! What a recording's own results say, by the rules of a replay: how a read relates to the ones before it, what
//! a chain's pages hold, and where a need would have been met. For making cases out of recordings.

use super::earlier::{Earlier, Relation};
use super::need::{NeedState, Seen};
use super::news::{Shown, Sieve};
use super::request::Request;
use super::rule::{patterns_of, reads_backwards};
use super::texts::TextReader;
use super::toolbox::Tool;
use crate::case::Step;
use crate::client::Page;
use crate::suite::ContinuationRule;
use crate::text::Pattern;
use crate::words::Evidence;
use serde_json::{Map, Value};
use std::sync::Arc;

pub use super::infer::{is_position_name, is_size_name};
pub use super::news::is_rfc3339;

/// How a recorded read relates to the reads before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReadRelation {
    /// It goes on where the call with this index ended or offered to go on.
    Continues { call: u32, evidence: Evidence },
    /// It asks for less of what was refused.
    Shrinks,
    /// It begins a chain.
    First,
}

/// The reads of a recording so far.
#[derive(Debug, Default)]
pub struct RecordedReads(Earlier);

impl RecordedReads {
    /// For reads of these tools.
    pub fn new(tools: impl IntoIterator<Item = String>) -> Self {
        Self(Earlier::of_tools(tools))
    }

    /// How a read relates to the ones before it.
    pub fn relation(&self, tool: &Arc<Tool>, arguments: &Map<String, Value>) -> ReadRelation {
        match self.0.relation(&request(tool, arguments)) {
            Some(Relation::Carries { call_index, evidence, .. }) => {
                ReadRelation::Continues { call: call_index, evidence }
            }
            Some(Relation::Shrinks) => ReadRelation::Shrinks,
            None => ReadRelation::First,
        }
    }

    /// Takes in a read. `page`: what it showed, nothing of a refused result, `None` for an error.
    pub fn take(
        &mut self,
        call: u32,
        tool: &Arc<Tool>,
        arguments: &Map<String, Value>,
        page: Option<&Page<'_>>,
        is_refused: bool,
        carries_on: bool,
    ) {
        self.0.take(call, &request(tool, arguments), page, is_refused, carries_on);
    }

    /// The chain of this read is over: what comes begins another.
    pub fn end_chain(&mut self, tool: &Arc<Tool>, arguments: &Map<String, Value>) {
        self.0.end_chain(&request(tool, arguments));
    }
}

fn request(tool: &Arc<Tool>, arguments: &Map<String, Value>) -> Request {
    Request { tool: Arc::clone(tool), arguments: arguments.clone(), key_arguments: arguments.clone() }
}

/// What is read, whatever the position and the size: equal for reads of the same thing.
pub fn read_identity(tool: &Arc<Tool>, arguments: &Map<String, Value>) -> u128 {
    request(tool, arguments).identity()
}

/// A text of a page, its white space folded, as needs look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainText {
    /// The leaf's JSON Pointer; `None` for text that is no leaf.
    pub pointer: Option<String>,
    /// Which of the page's documents it is from.
    pub document: usize,
    pub text: String,
    /// It is one of a list, and carries on nothing.
    pub stands_alone: bool,
}

/// The texts of the pages of a chain, page by page.
pub fn chain_texts(tool: &Tool, rule: Option<&ContinuationRule>, pages: &[Page<'_>]) -> Vec<Vec<ChainText>> {
    let notices = notices(tool, rule);
    let mut reader = TextReader::default();
    let texts_of = |page: &Page<'_>| {
        let mut texts = Vec::new();
        reader.each_text(page, &notices, &mut |text| {
            texts.push(ChainText {
                pointer: text.pointer.map(str::to_owned),
                document: text.document,
                text: text.text.to_owned(),
                stands_alone: text.stands_alone,
            });
        });
        texts
    };
    pages.iter().map(texts_of).collect()
}

fn notices<'t>(tool: &'t Tool, rule: Option<&'t ContinuationRule>) -> Vec<&'t Pattern> {
    let mut notices: Vec<&Pattern> = tool.rules.iter().flatten().flat_map(patterns_of).collect();
    notices.extend(rule.iter().flat_map(|rule| patterns_of(rule)));
    notices
}

/// Whether the pages of a chain that goes on by this rule come in reverse.
pub fn comes_in_reverse(rule: &ContinuationRule) -> bool {
    reads_backwards(rule)
}

/// The page, counted from 0, at which the need of a read step is first met by a recorded chain.
/// `offers_more`: for each page, whether it offers more.
pub fn met_at(
    step: &Step,
    tool: &Arc<Tool>,
    rule: Option<&ContinuationRule>,
    pages: &[Page<'_>],
    offers_more: &[bool],
) -> Option<usize> {
    let mut need = NeedState::new(step);
    let mut shown = Shown::default();
    pages.iter().zip(offers_more).position(|(page, offers_more)| {
        let has_news = shown.take(page, &Sieve::new(tool, rule));
        need.take(&Seen { page, tool, rule, is_whole: true, has_news, offers_no_more: !offers_more });
        need.is_met()
    })
}
