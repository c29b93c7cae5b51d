//! What a server did besides answering.

use std::collections::BTreeMap;

use serde::Serialize;

/// More method names than this are counted under one name: a server must not fill memory with them.
const NAMES_KEPT: usize = 64;
const OTHER: &str = "(other)";
/// Notifications in one attempt that are a flood, and bytes of stderr.
const FLOOD: u64 = 1_000;
const STDERR_FLOOD: u64 = 1 << 20;

/// Counts of one session since its start. All are numbers of messages unless they say otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Lines or event payloads that are no JSON-RPC message, blank lines among them.
    pub junk: u64,
    /// The beginning of the first of them that was not blank.
    pub first_junk: Option<String>,
    /// Notifications, by method.
    pub notifications: BTreeMap<String, u64>,
    /// Requests that the server sent, by method. `ping` was answered, everything else refused.
    pub server_requests: BTreeMap<String, u64>,
    /// Answers to such requests that were dropped because the server does not read its stdin.
    pub answers_dropped: u64,
    /// Replies to an id that was never asked.
    pub unknown_ids: u64,
    /// Second replies to an id.
    pub duplicate_replies: u64,
    /// Replies that came after the time limit.
    pub late_replies: u64,
    /// Replies with `id: null`, which belong to no request.
    pub null_id_replies: u64,
    /// Messages with bytes that are not UTF-8; each such sequence was replaced by U+FFFD.
    pub invalid_utf8: u64,
    /// Times that a 429 or 503 was waited out because of its `Retry-After`.
    pub retry_after_waits: u64,
    /// Times that a broken event stream was resumed.
    pub stream_resumptions: u64,
    /// Times that a call was sent again because the server asked for input; none is a call.
    pub input_rounds: u64,
    /// Warnings on replies, by kind.
    pub warnings: BTreeMap<String, u64>,
    /// Bytes that the server wrote to stderr.
    pub stderr_bytes: u64,
}

impl Counters {
    /// How often the server said that its tool list has changed.
    pub(crate) fn list_changes(&self) -> u64 {
        self.notifications.get("notifications/tools/list_changed").copied().unwrap_or(0)
    }

    /// What was odd since `before`, an earlier state of these counts: kind to count. What belongs to
    /// one reply is among its warnings instead.
    pub fn odd_since(&self, before: &Self) -> BTreeMap<String, u64> {
        let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        let asked = |counts: &Self| {
            // A ping is no more than a sign of life.
            sum(&counts.server_requests) - counts.server_requests.get("ping").copied().unwrap_or(0)
        };
        let notified = sum(&self.notifications) - sum(&before.notifications);
        let stderr = self.stderr_bytes - before.stderr_bytes;
        let odd = [
            ("junk", self.junk - before.junk),
            ("server_requests", asked(self) - asked(before)),
            ("answers_dropped", self.answers_dropped - before.answers_dropped),
            ("unknown_ids", self.unknown_ids - before.unknown_ids),
            ("duplicate_replies", self.duplicate_replies - before.duplicate_replies),
            ("late_replies", self.late_replies - before.late_replies),
            ("null_id_replies", self.null_id_replies - before.null_id_replies),
            ("notification_flood", if notified < FLOOD { 0 } else { notified }),
            ("stderr_flood", if stderr < STDERR_FLOOD { 0 } else { stderr }),
        ];
        odd.into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| (kind.to_owned(), count))
            .collect()
    }

    /// The sum of two sessions, or of two streams of one.
    pub fn add(&mut self, other: &Self) {
        self.junk += other.junk;
        if self.first_junk.is_none() {
            self.first_junk.clone_from(&other.first_junk);
        }
        for (into, from) in [
            (&mut self.notifications, &other.notifications),
            (&mut self.server_requests, &other.server_requests),
            (&mut self.warnings, &other.warnings),
        ] {
            from.iter().for_each(|(name, count)| count_name(into, name, *count));
        }
        self.answers_dropped += other.answers_dropped;
        self.unknown_ids += other.unknown_ids;
        self.duplicate_replies += other.duplicate_replies;
        self.late_replies += other.late_replies;
        self.null_id_replies += other.null_id_replies;
        self.invalid_utf8 += other.invalid_utf8;
        self.retry_after_waits += other.retry_after_waits;
        self.stream_resumptions += other.stream_resumptions;
        self.input_rounds += other.input_rounds;
        self.stderr_bytes += other.stderr_bytes;
    }
}

/// Count `name`, which a server controls, in a map of bounded size.
pub(crate) fn count_name(map: &mut BTreeMap<String, u64>, name: &str, by: u64) {
    if let Some(count) = map.get_mut(name) {
        *count += by;
    } else if map.len() < NAMES_KEPT && name.len() <= 200 {
        map.insert(name.to_owned(), by);
    } else {
        *map.entry(OTHER.to_owned()).or_default() += by;
    }
}

/// The beginning of something that a server sent, fit for one line of a message: at most 200
/// characters, control characters replaced by spaces.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(1_000)];
    let text = String::from_utf8_lossy(head);
    let clean = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = clean.clone().take(200).collect();
    if clean.count() > 200 || head.len() < bytes.len() {
        short.push_str("...");
    }
    short
}
