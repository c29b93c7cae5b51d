//! `tools/list`: the raw bytes of every page, and what can be read out of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::envelope::text_of;
use super::mend::read_value;

/// The most pages that are asked for.
pub(crate) const PAGES: usize = 100;
/// Pages in a row that may bring no new tool before the list counts as stuck.
const IDLE_PAGES: u32 = 3;

/// One tool of a server.
#[derive(Debug, Clone)]
pub struct Tool {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    /// `inputSchema`; null when it has none.
    pub input_schema: Value,
    /// `annotations.readOnlyHint`; `None` when it is absent or no boolean.
    pub read_only_hint: Option<bool>,
    /// `_meta`; null when it has none.
    pub meta: Value,
    /// The tool as it came.
    pub raw: Box<RawValue>,
}

/// How a listing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingEnd {
    /// The server offered no more.
    Complete,
    /// The server offers more and more of what was seen.
    Stuck,
    /// The server offered more than 100 pages, or more bytes than a message may have.
    Capped,
}

/// All tools of a server at one moment.
#[derive(Debug, Clone)]
pub struct ToolsListing {
    /// The raw `tools` array of each page, in order.
    pub pages: Vec<Box<RawValue>>,
    /// The length of the raw arrays together.
    pub bytes: u64,
    /// SHA-256 of the raw arrays joined in order, in hexadecimal.
    pub sha256: String,
    /// The tools that could be read, in order; of several with one name the first.
    pub tools: Vec<Tool>,
    /// Entries without a name, or that could not be read.
    pub unreadable: u64,
    /// Entries whose name an earlier one had.
    pub repeated_names: u64,
    pub end: ListingEnd,
    /// How often the list was asked for again because the server said that it had changed.
    pub relisted: u32,
    /// Whether the server still announced changes when the last list was taken.
    pub is_unsettled: bool,
}

/// A listing in the making.
#[derive(Debug)]
pub(crate) struct Pager {
    has_empty_cursors: bool,
    limit: usize,
    listing: ToolsListing,
    names: BTreeSet<String>,
    cursors: BTreeSet<String>,
    /// The page that comes was asked for with a cursor that had been sent before.
    is_repeat: bool,
    idle: u32,
}

impl Pager {
    /// `has_empty_cursors`: whether an empty text is a cursor like any other, as it is since
    /// revision 2026-07-28; before, it is the end.
    pub(crate) fn new(has_empty_cursors: bool, limit: usize) -> Self {
        let listing = ToolsListing {
            pages: Vec::new(),
            bytes: 0,
            sha256: String::new(),
            tools: Vec::new(),
            unreadable: 0,
            repeated_names: 0,
            end: ListingEnd::Complete,
            relisted: 0,
            is_unsettled: false,
        };
        let (names, cursors) = (BTreeSet::new(), BTreeSet::new());
        Self { has_empty_cursors, limit, listing, names, cursors, is_repeat: false, idle: 0 }
    }

    /// Take a page and say which cursor to send next. A cursor that came before is sent and judged
    /// by its page, since cursors are opaque.
    pub(crate) fn take(&mut self, page: &RawValue) -> Result<Option<Value>, String> {
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_str(page.get()).map_err(|error| format!("expected an object: {error}"))?;
        let tools = members.get("tools").ok_or("expected `tools`, an array")?;
        let entries: Vec<&RawValue> = serde_json::from_str(tools.get())
            .map_err(|error| format!("expected `tools` to be an array: {error}"))?;
        let before = self.names.len();
        entries.iter().for_each(|entry| self.add(entry));
        self.listing.bytes += tools.get().len() as u64;
        self.listing.pages.push((*tools).to_owned());

        let Some(cursor) = members.get("nextCursor").filter(|raw| self.is_cursor(raw)) else {
            return Ok(None);
        };
        let is_idle = self.names.len() == before;
        self.idle = if is_idle { self.idle + 1 } else { 0 };
        if self.idle >= IDLE_PAGES || (is_idle && self.is_repeat) {
            self.listing.end = ListingEnd::Stuck;
            return Ok(None);
        }
        if self.listing.pages.len() >= PAGES || self.listing.bytes > self.limit as u64 {
            self.listing.end = ListingEnd::Capped;
            return Ok(None);
        }
        self.is_repeat = !self.cursors.insert(cursor.get().to_owned());
        Ok(Some(read_value(cursor.get()).map_err(|error| format!("`nextCursor` can't be read: {error}"))?))
    }

    pub(crate) fn finish(mut self) -> ToolsListing {
        let mut hash = Sha256::new();
        self.listing.pages.iter().for_each(|page| hash.update(page.get()));
        self.listing.sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        self.listing
    }

    fn is_cursor(&self, raw: &RawValue) -> bool {
        match raw.get() {
            "null" => false,
            "\"\"" => self.has_empty_cursors,
            _ => true,
        }
    }

    fn add(&mut self, entry: &RawValue) {
        match Tool::read(entry) {
            Some(tool) if !self.names.insert(tool.name.clone()) => self.listing.repeated_names += 1,
            Some(tool) => self.listing.tools.push(tool),
            None => self.listing.unreadable += 1,
        }
    }
}

impl Tool {
    fn read(raw: &RawValue) -> Option<Self> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(raw.get()).ok()?;
        let value =
            |name: &str| members.get(name).and_then(|raw| read_value(raw.get()).ok()).unwrap_or_default();
        let text = |name: &str| value(name).as_str().map(str::to_owned);
        let name = members.get("name").and_then(|raw| text_of(raw))?.into_owned();
        Some(Self {
            name,
            title: text("title"),
            description: text("description"),
            input_schema: value("inputSchema"),
            read_only_hint: value("annotations").get("readOnlyHint").and_then(Value::as_bool),
            meta: value("_meta"),
            raw: raw.to_owned(),
        })
    }
}
