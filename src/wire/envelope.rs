//! One JSON-RPC message: a flat view of its members over the bytes that came.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::skim;

/// The members of a message that matter, unparsed. A member is `Some` when its key is present, also
/// when its value is `null`. Nesting below them is skipped without recursion.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) jsonrpc: Option<&'a RawValue>,
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) method: Option<&'a RawValue>,
    pub(crate) result: Option<&'a RawValue>,
    pub(crate) error: Option<&'a RawValue>,
    /// A member came twice; the later one counts, as for every JSON reader that builds a map.
    pub(crate) has_duplicates: bool,
}

/// What a message's id is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Id {
    /// A number as this client writes it.
    Number(u64),
    /// A text or a fraction with the value of such a number.
    Like(u64),
    Null,
    Other,
}

impl<'a> Envelope<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        let Some(members) = skim::members(text) else { return serde_json::from_str(text) };
        let mut envelope = Envelope::default();
        for (name, value) in members {
            envelope.take(Member::of(name), value);
        }
        Ok(envelope)
    }

    /// Takes a member in; one of no interest has no place.
    fn take(&mut self, member: Member, value: &'a RawValue) {
        let place = match member {
            Member::Jsonrpc => &mut self.jsonrpc,
            Member::Id => &mut self.id,
            Member::Method => &mut self.method,
            Member::Result => &mut self.result,
            Member::Error => &mut self.error,
            Member::Other => return,
        };
        self.has_duplicates |= place.replace(value).is_some();
    }

    /// The method's name, when it is a text.
    pub(crate) fn method_name(&self) -> Option<Cow<'a, str>> {
        self.method.and_then(text_of)
    }

    pub(crate) fn id(&self) -> Option<Id> {
        self.id.map(|raw| Id::read(raw.get()))
    }
}

impl Id {
    fn read(raw: &str) -> Self {
        if let Ok(number) = raw.parse::<u64>() {
            return Self::Number(number);
        }
        if raw == "null" {
            return Self::Null;
        }
        let text = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
        match (text.trim().parse::<u64>(), text.trim().parse::<f64>()) {
            (Ok(number), _) => Self::Like(number),
            // Ids of this client are small, so the comparison with a rounded value is exact.
            (_, Ok(value)) if (0.0..1e15).contains(&value) && value.fract() == 0.0 => {
                Self::Like(value as u64)
            }
            _ => Self::Other,
        }
    }
}

/// The text of a JSON string, borrowed where it has no escapes. Lone surrogates, which no Rust text
/// can hold, make it `None`.
pub(crate) fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str::<String>(raw.get()).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

enum Member {
    Jsonrpc,
    Id,
    Method,
    Result,
    Error,
    Other,
}

impl Member {
    fn of(name: &str) -> Self {
        match name {
            "jsonrpc" => Self::Jsonrpc,
            "id" => Self::Id,
            "method" => Self::Method,
            "result" => Self::Result,
            "error" => Self::Error,
            _ => Self::Other,
        }
    }
}

struct MemberVisitor;

impl Visitor<'_> for MemberVisitor {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Member, E> {
        Ok(Member::of(name))
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(MemberVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(member) = map.next_key::<Member>()? {
            match member {
                Member::Other => drop(map.next_value::<IgnoredAny>()?),
                member => envelope.take(member, map.next_value::<&RawValue>()?),
            }
        }
        Ok(envelope)
    }
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_kept_as_they_came_in_any_order() {
        let text = r#"{"extra":{"a":[1]},"result": {"b" : 1.50, "c":"\ud800"},"id":7,"jsonrpc":"2.0"}"#;
        let envelope = Envelope::parse(text).expect("an object");
        assert_eq!(envelope.result.map(RawValue::get), Some(r#"{"b" : 1.50, "c":"\ud800"}"#));
        assert_eq!(envelope.id(), Some(Id::Number(7)));
        assert!(envelope.error.is_none() && !envelope.has_duplicates);
    }

    #[test]
    fn null_is_present_and_the_later_of_two_members_counts() {
        let envelope = Envelope::parse(r#"{"id":1,"result":1,"error":null,"result":2}"#).expect("an object");
        assert_eq!(envelope.error.map(RawValue::get), Some("null"));
        assert_eq!(envelope.result.map(RawValue::get), Some("2"));
        assert!(envelope.has_duplicates);
    }

    #[test]
    fn ids_are_told_apart() {
        for (raw, expected) in [
            ("7", Id::Number(7)),
            ("\"7\"", Id::Like(7)),
            ("7.0", Id::Like(7)),
            ("null", Id::Null),
            ("-7", Id::Other),
            ("\"x\"", Id::Other),
            ("[7]", Id::Other),
            ("1e300", Id::Other),
            ("\"\\ud800\"", Id::Other),
        ] {
            assert_eq!(Id::read(raw), expected, "{raw}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep =
            format!(r#"{{"id":1,"x":{0}{1},"result":{0}{1}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        let envelope = Envelope::parse(&deep).expect("an object");
        assert_eq!(envelope.result.map(|raw| raw.get().len()), Some(200_000));
    }

    #[test]
    fn what_is_no_object_is_no_message() {
        for text in ["", "5", "[]", "null", "\"x\"", "{\"id\":1", "{\"id\":1} trailing", "{'id':1}"] {
            assert!(Envelope::parse(text).is_err(), "{text}");
        }
    }
}
