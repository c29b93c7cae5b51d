//! How the calls of one task relate to one another: what carries on, shrinks, repeats, or is stuck.

use crate::agent::{ReadRelation, RecordedReads, Tool, each_leaf_outside_arrays, is_same, read_identity};
use crate::client::Page;
use crate::import::{ToolKey, file_name, is_position, is_text_cursor, speaks_of_place, texts_in};
use crate::text::canonical;
use crate::words::Evidence;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Scalars of a page that are kept for later calls; a page with more is no page of a list.
const MOST_OFFERED: usize = 256;
/// Bytes of the longest text among them: no cursor is longer.
const MOST_CURSOR_BYTES: usize = 4096;

/// What a call showed, as far as later ones depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sight<'p> {
    Page(&'p Page<'p>),
    Refused,
    Error,
    Nothing,
}

/// How a call came about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Relation {
    pub continues: Option<Evidence>,
    pub is_retry: bool,
    pub is_repeat: bool,
    pub is_stuck: bool,
}

/// A chain that may go on.
#[derive(Debug, Default)]
struct Open {
    arguments: Vec<Map<String, Value>>,
    /// Scalars outside arrays that its pages showed, with their pointers.
    offered: Vec<(String, Value)>,
    /// Hashes of its pages.
    pages: HashSet<u64>,
}

#[derive(Debug)]
struct ToolReads {
    recorded: RecordedReads,
    open: HashMap<u128, Open>,
}

/// The calls of a task so far.
#[derive(Debug, Default)]
pub(super) struct Reads {
    tools: HashMap<ToolKey, ToolReads>,
    /// Requests sent, and the hash of what each brought last.
    sent: HashMap<u128, Option<u64>>,
    /// Files into which results were saved, and whose they are.
    saved: Vec<(String, ToolKey)>,
    count: u32,
}

impl Reads {
    /// Takes in a call and what it showed.
    pub fn take(
        &mut self,
        key: &ToolKey,
        tool: &Arc<Tool>,
        arguments: &Map<String, Value>,
        sight: Sight<'_>,
    ) -> Relation {
        let (continues, is_retry) = self.relation(key, tool, arguments);
        let text = canonical(&Value::Object(arguments.clone()));
        let digest = xxh3_128(format!("{}\0{}\0{text}", key.0, key.1).as_bytes());
        let content = match sight {
            Sight::Page(page) => Some(xxh3_64(page.text().as_bytes())),
            _ => None,
        };
        let before = self.sent.insert(digest, content);
        let carries_on = continues.is_some() || is_retry;
        let brings_page_again = self.note(key, tool, arguments, sight, content, carries_on);
        let brings_same_again = content.is_some() && before.flatten() == content;
        Relation {
            continues,
            is_retry,
            is_repeat: before.is_some(),
            is_stuck: brings_same_again || (continues.is_some() && brings_page_again),
        }
    }

    fn relation(
        &self,
        key: &ToolKey,
        tool: &Arc<Tool>,
        arguments: &Map<String, Value>,
    ) -> (Option<Evidence>, bool) {
        let Some(reads) = self.tools.get(key) else { return (None, false) };
        let Some(open) = reads.open.get(&read_identity(tool, arguments)) else { return (None, false) };
        match reads.recorded.relation(tool, arguments) {
            ReadRelation::Continues { evidence, .. } => (Some(evidence), false),
            ReadRelation::Shrinks => (None, true),
            ReadRelation::First => (open.offers(arguments).then_some(Evidence::Offered), false),
        }
    }

    /// Takes the call into its chain; true when the chain has shown this page before.
    fn note(
        &mut self,
        key: &ToolKey,
        tool: &Arc<Tool>,
        arguments: &Map<String, Value>,
        sight: Sight<'_>,
        content: Option<u64>,
        carries_on: bool,
    ) -> bool {
        let reads = self.tools.entry(key.clone()).or_insert_with(|| ToolReads {
            recorded: RecordedReads::new([tool.name.clone()]),
            open: HashMap::new(),
        });
        let nothing = Page::new([], "\n");
        let page = match sight {
            Sight::Page(page) => Some(page),
            Sight::Refused => Some(&nothing),
            Sight::Error | Sight::Nothing => None,
        };
        let is_refused = matches!(sight, Sight::Refused);
        reads.recorded.take(self.count, tool, arguments, page, is_refused, carries_on);
        self.count += 1;
        let identity = read_identity(tool, arguments);
        if matches!(sight, Sight::Error) {
            reads.open.remove(&identity);
            return false;
        }
        let open = reads.open.entry(identity).or_default();
        if !carries_on {
            *open = Open::default();
        }
        open.arguments.push(positions(arguments));
        if let Sight::Page(page) = sight {
            open.offer(page);
        }
        content.is_some_and(|content| !open.pages.insert(content))
    }

    /// A write ends the chains of what it writes.
    pub fn write(&mut self, arguments: &Map<String, Value>) {
        let texts = texts_in(&Value::Object(arguments.clone()));
        let written: BTreeSet<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        for reads in self.tools.values_mut() {
            reads.open.retain(|_, open| !open.is_of(&written));
        }
    }

    /// Notes into which file a result was saved.
    pub fn saved(&mut self, path: String, key: &ToolKey) {
        self.saved.push((path, key.clone()));
    }

    /// Whose saved result a call of the client's own reads, if any.
    pub fn spill_of(&self, arguments: &Map<String, Value>) -> Option<&ToolKey> {
        if self.saved.is_empty() {
            return None;
        }
        let texts = texts_in(&Value::Object(arguments.clone()));
        let names =
            |path: &str| texts.iter().any(|text| text.contains(path) || text.contains(file_name(path)));
        self.saved.iter().rev().find(|(path, _)| names(path)).map(|(_, key)| key)
    }
}

/// A chain keeps the arguments by which a later position is compared; the rest is its identity.
fn positions(arguments: &Map<String, Value>) -> Map<String, Value> {
    arguments.clone()
}

impl Open {
    fn offer(&mut self, page: &Page<'_>) {
        for document in page.documents() {
            each_leaf_outside_arrays(document, &mut |leaf| {
                let is_short = leaf.value.as_str().is_none_or(|text| text.len() <= MOST_CURSOR_BYTES);
                let is_scalar = leaf.value.is_string() || leaf.value.is_number();
                if is_short && is_scalar && self.offered.len() < MOST_OFFERED * self.arguments.len() {
                    self.offered.push((leaf.pointer.to_owned(), leaf.value.clone()));
                }
            });
        }
    }

    /// Whether an earlier page holds the position that is asked for, and no earlier call has sent it.
    fn offers(&self, arguments: &Map<String, Value>) -> bool {
        let mut positions = arguments.iter().filter(|(name, value)| is_position(name, value));
        positions.any(|(name, value)| {
            let was_sent = self.arguments.iter().any(|sent| is_same(sent.get(name), value));
            let is_offer = |(pointer, offered): &(String, Value)| {
                is_same(Some(offered), value) && (is_text_cursor(value) || speaks_of_place(pointer, name))
            };
            !was_sent && self.offered.iter().any(is_offer)
        })
    }

    fn is_of(&self, written: &BTreeSet<String>) -> bool {
        let Some(first) = self.arguments.first() else { return false };
        let identity = first.iter().filter(|(name, value)| !is_position(name, value));
        identity.flat_map(|(_, value)| texts_in(value)).any(|text| written.contains(&text))
    }
}
