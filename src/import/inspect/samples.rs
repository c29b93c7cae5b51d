//! The samples of a log, one at a time: a log as a whole may be far larger than memory.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{BufReader, Read};

/// Members of a sample that are needed, when the file is one.
const OF_A_SAMPLE: [&str; 9] =
    ["id", "uuid", "epoch", "input", "messages", "events", "attachments", "model_usage", "output"];

/// Gives every sample to `see`.
pub(super) fn each_sample(log: impl Read, see: &mut dyn FnMut(Value)) -> serde_json::Result<()> {
    let reader = BufReader::with_capacity(256 << 10, log);
    let mut log = serde_json::Deserializer::from_reader(reader);
    let alone = Log(see).deserialize(&mut log)?;
    if alone.contains_key("messages") {
        see(Value::Object(alone));
    }
    Ok(())
}

struct Log<'s>(&'s mut dyn FnMut(Value));

impl<'de> DeserializeSeed<'de> for Log<'_> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, log: D) -> Result<Self::Value, D::Error> {
        log.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Log<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a log or a sample")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut alone = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == "samples" {
                members.next_value_seed(Samples(&mut *self.0))?;
            } else if OF_A_SAMPLE.contains(&key.as_str()) {
                alone.insert(key, members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(alone)
    }
}

struct Samples<'s>(&'s mut dyn FnMut(Value));

impl<'de> DeserializeSeed<'de> for Samples<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, samples: D) -> Result<(), D::Error> {
        samples.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Samples<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut samples: A) -> Result<(), A::Error> {
        while let Some(sample) = samples.next_element::<Value>()? {
            (self.0)(sample);
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        // A log that was never finished.
        Ok(())
    }
}
