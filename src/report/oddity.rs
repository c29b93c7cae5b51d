//! What servers do besides answering, in words.

use crate::words::ChainEnd;

/// Kinds of the wire client, as journals hold them, with what a person reads.
const KINDS: [(&str, &str); 29] = [
    ("answers_dropped", "it read no answers to its own requests"),
    ("duplicate_member", "replies in which a key came twice; the later one was taken"),
    ("duplicate_replies", "second replies to a request; the first was taken"),
    ("error_null", "replies with `error: null` and no result"),
    ("error_null_beside_result", "replies with `error: null` beside their result"),
    ("error_without_id", "errors without an id during a call"),
    ("http_content_type", "HTTP answers of the wrong content type"),
    ("http_encoding", "HTTP answers in a content encoding that was not asked for"),
    ("http_no_reply", "HTTP answers that held no reply"),
    ("id_of_another_type", "replies whose id had another type"),
    ("input_declined", "calls for which it asked the user, who was not there"),
    ("invalid_utf8", "bytes that are not UTF-8; they were replaced by U+FFFD"),
    ("junk", "lines that are no messages, which were left out"),
    ("late_replies", "replies after the time limit, which were left out"),
    ("missing_jsonrpc", "replies without `jsonrpc`"),
    ("notification_flood", "a flood of notifications, over 1,000 in one attempt"),
    ("null_id_replies", "replies without an id"),
    ("result_beside_error", "replies with a result beside their error"),
    ("resumed", "event streams that broke and were resumed"),
    ("server_requests", "requests of its own, which were refused"),
    ("stderr_flood", "a flood on stderr, over 1 MB in one attempt"),
    ("unknown_ids", "replies to ids that were never asked"),
    ("unreadable result", "results that could not be read, of which the model saw nothing"),
    ("unreadable_reply", "lines like a reply that could not be read"),
    ("waited_retry_after", "waits that it asked for (429 or 503); its times are longer by them"),
    ("wrong_jsonrpc", "replies with another `jsonrpc` than 2.0"),
    ("http_overloaded", "HTTP answers of an overloaded server"),
    ("http_forbidden", "HTTP answers that refuse the credentials"),
    ("http_unauthorized", "HTTP answers that want credentials"),
];

/// Statuses are numbers of the server's choice, so they are no kinds of the table.
const STATUS: &str = "http_status_";

/// Whether a note is something that the server did.
pub fn is_known(kind: &str) -> bool {
    kind.starts_with(STATUS) || KINDS.iter().any(|(known, _)| *known == kind)
}

/// A kind as a person reads it; one of a newer version as it is.
pub fn in_words(kind: &str, mark: &dyn Fn(&str) -> String) -> String {
    if let Some(status) = kind.strip_prefix(STATUS) {
        return format!("HTTP answers with status {} and no reply", mark(status));
    }
    let known = KINDS.iter().find(|(known, _)| *known == kind);
    known.map_or_else(|| mark(kind), |(_, words)| (*words).to_owned())
}

/// Why a chain has no end, after its number.
pub fn of_chain(end: ChainEnd) -> &'static str {
    match end {
        ChainEnd::Stuck => "stuck (more is offered and nothing new comes)",
        ChainEnd::Capped => "capped (more pages than the cap)",
        ChainEnd::Blind => "blind (the way on is in a part that the client does not show)",
        ChainEnd::Met | ChainEnd::End | ChainEnd::Error | ChainEnd::GaveUp => "ended",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_of_a_reply_has_words() {
        let source = include_str!("../wire/reply.rs");
        let kinds = source.split("=> \"").skip(1).filter_map(|rest| rest.split('"').next());
        for kind in kinds.filter(|kind| kind.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase())) {
            assert!(is_known(kind), "{kind}");
        }
        let source = include_str!("../wire/counters.rs");
        let odd = source.split("fn odd_since").nth(1).expect("the function");
        let odd = odd.split("odd.into_iter()").next().expect("its end");
        let kinds: Vec<&str> = odd.split("(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(
            kinds.len() >= 9 && kinds.iter().filter(|k| **k != "ping").all(|kind| is_known(kind)),
            "{kinds:?}"
        );
    }
}
