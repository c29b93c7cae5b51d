//! What an incoming message means: our reply, a request to answer, a notification to count, or junk.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::counters::{Counters, count_name, excerpt};
use super::envelope::{Envelope, Id, text_of};
use super::reply::{Reply, ReplyWarning};
use super::request;

/// A server that asks more than this while it reads no answer gets none for the rest.
const ANSWERS_KEPT: usize = 1_000;
/// Warnings kept for one call; the rest are counted only.
const WARNINGS_KEPT: usize = 100;

/// Takes messages for one session, in which at most one request waits at a time.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    last_id: u64,
    awaiting: Option<u64>,
    /// Ids whose wait ended without a reply.
    given_up: BTreeSet<u64>,
    pub(crate) counters: Counters,
    /// The reply to the request that waits, once it is there.
    pub(crate) reply: Option<Reply>,
    /// Answers to requests of the server, to be sent.
    pub(crate) answers: Vec<Vec<u8>>,
    warnings: Vec<ReplyWarning>,
}

impl Inbox {
    /// Begin to wait for a new request, whose id is returned.
    pub(crate) fn expect(&mut self) -> u64 {
        self.last_id += 1;
        self.awaiting = Some(self.last_id);
        self.reply = None;
        self.last_id
    }

    /// End the wait; what came as warnings belongs to it.
    pub(crate) fn settle(&mut self) -> Vec<ReplyWarning> {
        if let Some(id) = self.awaiting.take() {
            self.given_up.insert(id);
        }
        std::mem::take(&mut self.warnings)
    }

    pub(crate) fn warn(&mut self, warning: ReplyWarning) {
        count_name(&mut self.counters.warnings, warning.kind(), 1);
        if self.warnings.len() < WARNINGS_KEPT {
            self.warnings.push(warning);
        }
    }

    /// Take a line, a body or an event's data: one message, or an array of them as revision
    /// 2025-03-26 allowed.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => self.take_text(text, false),
            Err(_) => self.take_text(&String::from_utf8_lossy(bytes), true),
        }
    }

    fn take_text(&mut self, text: &str, is_mended: bool) {
        let text = text.trim_ascii();
        if text.starts_with('[')
            && let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(text)
        {
            batch.iter().for_each(|message| self.take_one(message.get(), is_mended));
            return;
        }
        self.take_one(text, is_mended);
    }

    fn take_one(&mut self, text: &str, is_mended: bool) {
        let envelope = match Envelope::parse(text) {
            Ok(envelope) => envelope,
            Err(error) => return self.take_junk(text, Some(&error)),
        };
        self.counters.invalid_utf8 += u64::from(is_mended);
        if envelope.result.is_some() || envelope.error.is_some() {
            return self.take_reply(&envelope, is_mended);
        }
        let Some(method) = envelope.method_name() else { return self.take_junk(text, None) };
        match envelope.id {
            Some(id) => {
                count_name(&mut self.counters.server_requests, &method, 1);
                if self.answers.len() < ANSWERS_KEPT {
                    self.answers.push(request::answer(id, &method));
                } else {
                    self.counters.answers_dropped += 1;
                }
            }
            None => count_name(&mut self.counters.notifications, &method, 1),
        }
    }

    fn take_junk(&mut self, text: &str, error: Option<&serde_json::Error>) {
        self.counters.junk += 1;
        if text.is_empty() {
            return;
        }
        self.counters.first_junk.get_or_insert_with(|| excerpt(text.as_bytes()));
        // A broken reply will not be sent again: the call runs into its limit, and this says why.
        let head = text.get(..text.len().min(400)).unwrap_or(text);
        if let Some(error) = error
            && self.awaiting.is_some()
            && text.starts_with('{')
            && (head.contains("\"jsonrpc\"") || head.contains("\"result\""))
        {
            let why = error.to_string();
            self.warn(ReplyWarning::UnreadableReply { why, excerpt: excerpt(text.as_bytes()) });
        }
    }

    fn take_reply(&mut self, envelope: &Envelope<'_>, is_mended: bool) {
        let (id, is_alike) = match envelope.id() {
            Some(Id::Number(id)) => (id, false),
            Some(Id::Like(id)) => (id, true),
            Some(Id::Null) | None => {
                self.counters.null_id_replies += 1;
                if let (Some(error), true) = (envelope.error, self.awaiting.is_some()) {
                    self.warn(ReplyWarning::ErrorWithoutId { excerpt: excerpt(error.get().as_bytes()) });
                }
                return;
            }
            Some(Id::Other) => {
                self.counters.unknown_ids += 1;
                return;
            }
        };
        if self.awaiting != Some(id) {
            let count = match id {
                _ if self.given_up.remove(&id) => &mut self.counters.late_replies,
                1.. if id <= self.last_id => &mut self.counters.duplicate_replies,
                _ => &mut self.counters.unknown_ids,
            };
            *count += 1;
            return;
        }
        self.awaiting = None;
        self.warn_about(envelope, is_alike, is_mended);
        self.reply = Some(self.open(envelope));
    }

    fn warn_about(&mut self, envelope: &Envelope<'_>, is_alike: bool, is_mended: bool) {
        match envelope.jsonrpc.map(RawValue::get) {
            Some("\"2.0\"") => {}
            Some(found) => self.warn(ReplyWarning::WrongJsonrpc { found: excerpt(found.as_bytes()) }),
            None => self.warn(ReplyWarning::MissingJsonrpc),
        }
        if let (Some(id), true) = (envelope.id, is_alike) {
            self.warn(ReplyWarning::IdOfAnotherType { found: excerpt(id.get().as_bytes()) });
        }
        if envelope.has_duplicates {
            self.warn(ReplyWarning::DuplicateMember);
        }
        if is_mended {
            self.warn(ReplyWarning::InvalidUtf8);
        }
    }

    /// The reply itself. Its bytes are copied here, once.
    fn open(&mut self, envelope: &Envelope<'_>) -> Reply {
        match (envelope.result, envelope.error) {
            (Some(result), None) => Reply::Result(result.to_owned()),
            (Some(result), Some(error)) if error.get() == "null" => {
                self.warn(ReplyWarning::ErrorNullBesideResult);
                Reply::Result(result.to_owned())
            }
            (result, error) => {
                let raw = error.map_or_else(|| RawValue::NULL.to_owned(), RawValue::to_owned);
                if result.is_some() {
                    self.warn(ReplyWarning::ResultBesideError);
                } else if raw.get() == "null" {
                    self.warn(ReplyWarning::ErrorNull);
                }
                let (code, message) = read_error(&raw);
                Reply::Error { raw, code, message }
            }
        }
    }
}

/// Code and message of an error object, whatever else is wrong with it.
fn read_error(raw: &RawValue) -> (i64, String) {
    #[derive(Deserialize)]
    struct Parts<'a> {
        #[serde(borrow, default)]
        code: Option<&'a RawValue>,
        #[serde(borrow, default)]
        message: Option<&'a RawValue>,
    }
    let Ok(parts) = serde_json::from_str::<Parts<'_>>(raw.get()) else { return (0, String::new()) };
    let code = parts.code.and_then(|code| serde_json::from_str::<f64>(code.get()).ok());
    let message = parts.message.map(|raw| match text_of(raw) {
        Some(text) => text.into_owned(),
        None => raw.get().to_owned(),
    });
    (code.map_or(0, |code| code as i64), message.unwrap_or_default())
}
